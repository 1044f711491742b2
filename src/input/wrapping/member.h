/* SPDX-License-Identifier: MIT */
/*
 * What gzip, bzip2 and xz have in common: members back to back, each whole by itself, with zeros between and behind them
 * where tapes and block devices pad. The data of all members, joined, is what was packed.
 *
 * A format is a codec of one member; where members begin, and what is reported of broken ones, is here.
 */
#ifndef INPUT_WRAPPING_MEMBER_H
#define INPUT_WRAPPING_MEMBER_H

#include "input/wrapping/wrapping.h"

/* The most memory that a member's codec may take: what `xz -9` needs, twice. */
#define MEMBER_MEMORY_MAX ((uint64_t)LIMIT(128 << 20, 1 << 20))

enum member_step {
	MEMBER_GOES_ON, /* it wants more input, or more room */
	MEMBER_ENDED,
	MEMBER_BROKEN,
	MEMBER_TOO_LARGE, /* it wants more than MEMBER_MEMORY_MAX */
	MEMBER_NO_MEMORY,
};

/* What a result of a library means. */
struct member_answer {
	int result;
	enum member_step step;
	const char *reason; /* of MEMBER_BROKEN */
};

struct member_codec {
	const char *name;
	const char *command; /* that unpacks it to standard output */
	const char *magic;   /* what each member begins with … */
	size_t n_magic;	     /* … and its bytes */

	/* Gets ready for a member, the first or a further one. Returns false if memory ran out. */
	bool (*begin)(void *state);

	/*
	 * Unpacks as far as input and room last, moving both. What was made stays made, whatever comes of the rest. When it
	 * is broken *ret_reason is the reason, unless it stays "damaged".
	 */
	enum member_step (*step)(void *state, struct wrapping_io *io, const char **ret_reason);
};

/* The beginning of each format's state. */
struct members {
	bool is_inside;	 /* a member has begun and not ended */
	bool is_further; /* a member has ended before */
	bool has_made;	 /* something of this member */
	uint64_t offset; /* of this member */
};

/* wrapping.decode(); state begins with struct members. */
enum rst_status members_decode(
	const struct member_codec *codec, void *state, struct wrapping_io *io, struct rst_error *err);

/* The table's row of a result; MEMBER_BROKEN, and *ret_reason as it is, of one that is not in it. */
enum member_step member_judge(
	const struct member_answer *answers, size_t n_answers, int result, const char **ret_reason);

/* Libraries that count in unsigned int get no more at once. */
static inline unsigned member_step_bytes(size_t n_bytes)
{
	enum { STEP_MAX = 1 << 30 };

	return n_bytes < STEP_MAX ? (unsigned)n_bytes : STEP_MAX;
}

#endif
