/* SPDX-License-Identifier: MIT */
/*
 * Trace entries of AIX as embed/aix records them. README.md describes the format. Files: entry.c recognises
 * headers and entries, rows.c makes rows and finds the next entry behind damage, aix.c is the contract.
 */
#ifndef AIX_AIX_H
#define AIX_AIX_H

#include "dialect/dialect.h"
#include "dialect/hook_word.h"

enum {
	AIX_HEADER_BYTES = 16,
	AIX_ENTRY_MAX = 65536 + 5 * 8,	   /* bytes */
	AIX_THREADS_MAX = LIMIT(4096, 16), /* threads beyond are not distinguished */
	AIX_HOOK_ON = 0x001,		   /* the recorder's own */
	AIX_HOOK_OFF = 0x002,
	AIX_HOOK_LOST = 0x006
};

struct aix_header {
	bool is_big;
	bool has_core;
	bool keeps_newest;
	bool is_stamped; /* all entries are stamped */
	bool is_of_aix;	 /* AIX recorded them */
	uint8_t word_bytes;
	uint8_t channel;
	uint32_t clock_hz; /* 0 if it is not known */
};

struct aix_entry {
	struct hook_word hook;
	uint32_t n_bytes; /* all of it */
	uint32_t core, thread, stamp;
};

enum aix_find {
	AIX_FOUND,
	AIX_NONE, /* no entry begins here */
	AIX_CUT	  /* one may begin here, and continue behind the last byte */
};

enum { AIX_COLUMNS = BATCH_CORE };

struct aix {
	struct aix_header header;
	bool has_header;  /* a header has come */
	bool has_threads; /* the note that there are too many threads has been made */
	struct clock clock;
	uint32_t stamps[2]; /* the last two of this header's entries */
	uint64_t n_stamps;  /* how many have come */
	uint64_t seq;
	struct hook_types types;
};

extern const struct dialect dialect_aix;

/* Whether this is the first byte of a header; few entries begin with it. */
static inline bool aix_header_may_begin(uint8_t first)
{
	return first == 'R';
}

/* entry.c: whether these are a header's bytes. */
bool aix_header_load(struct aix_header *ret, const uint8_t *at, size_t n_bytes);

/* entry.c: whether an entry begins at `at`. */
enum aix_find aix_find(
	struct aix_entry *ret, const struct aix_header *header, const uint8_t *at, size_t n_bytes);

/*
 * rows.c: makes rows of the bytes from the chunk's n_used on, until the batch is full or all bytes are used.
 * Returns false when memory ran out.
 */
bool aix_rows(struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk);

#endif
