/* SPDX-License-Identifier: MIT */
/*
 * The common part of gzip, bzip2 and xz. A file consists of members back to back, each complete in itself;
 * zeros may stand between and behind them, because tapes and block devices pad. The joined data of all
 * members is the packed data.
 *
 * Each format is a codec of one member; this file finds where members begin, and reports the broken ones.
 */
#ifndef INPUT_WRAPPING_MEMBER_H
#define INPUT_WRAPPING_MEMBER_H

#include "input/wrapping/wrapping.h"

/* The most memory that a member's codec may take: twice as much as `xz -9` needs. */
#define MEMBER_MEMORY_MAX ((uint64_t)LIMIT(128 << 20, 1 << 20))

enum member_step {
	MEMBER_GOES_ON, /* it needs more input, or more room */
	MEMBER_ENDED,
	MEMBER_BROKEN,
	MEMBER_TOO_LARGE, /* it needs more than MEMBER_MEMORY_MAX */
	MEMBER_NO_MEMORY,
};

/* The meaning of a library's result. */
struct member_answer {
	int result;
	enum member_step step;
	const char *reason; /* for MEMBER_BROKEN */
};

struct member_codec {
	const char *name;
	const char *command; /* it unpacks the format to standard output */
	const char *magic;   /* each member begins with it … */
	size_t n_magic;	     /* … and its length */

	/* Prepares for a member, the first or a later one. Returns false if memory ran out. */
	bool (*begin)(void *state);

	/*
	 * Unpacks as far as input and room last, and moves both. Bytes once made stay valid even if the rest
	 * fails. If the member is broken, sets *ret_reason to the reason or leaves it as "damaged".
	 */
	enum member_step (*step)(void *state, struct wrapping_io *io, const char **ret_reason);
};

/* The beginning of each format's state. */
struct members {
	bool is_inside;	 /* a member has begun and not ended */
	bool is_further; /* a member has ended before */
	bool has_made;	 /* bytes of this member were made */
	uint64_t offset; /* of this member */
};

/* Does the work of wrapping.decode(); state begins with struct members. */
enum rst_status members_decode(
	const struct member_codec *codec, void *state, struct wrapping_io *io, struct rst_error *err);

/*
 * Looks a result up in the table. If it is not there, returns MEMBER_BROKEN and leaves *ret_reason as it is.
 */
enum member_step member_judge(
	const struct member_answer *answers, size_t n_answers, int result, const char **ret_reason);

/* Limits n_bytes to one call of a library that counts in unsigned int. */
static inline unsigned member_step_bytes(size_t n_bytes)
{
	enum { STEP_MAX = 1 << 30 };

	return n_bytes < STEP_MAX ? (unsigned)n_bytes : STEP_MAX;
}

#endif
