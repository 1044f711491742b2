/* SPDX-License-Identifier: MIT */
/*
 * Trace entries of AIX as embed/aix records them. README.md has the format. Files: entry.c judges headers and entries,
 * types.c has the types of hooks, rows.c makes rows and finds the way behind damage, aix.c is the contract.
 */
#ifndef AIX_AIX_H
#define AIX_AIX_H

#include "base/map.h"
#include "dialect/dialect.h"

enum {
	AIX_HEADER_BYTES = 16,
	AIX_WORDS_MAX = 5,		   /* data words of an entry */
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
	bool is_stamped; /* all entries are */
	uint8_t word_bytes;
	uint8_t channel;
	uint32_t clock_hz; /* 0: not known */
};

struct aix_entry {
	uint16_t id;	 /* with four digits, those of 32 bits end in 0 */
	uint16_t data;	 /* hook data or sub-hook; of a generic entry of 32 bits its length */
	uint8_t n_words; /* data words; of a generic entry one */
	bool is_generic, is_stamped;
	uint32_t n_variable; /* bytes of a generic entry behind its word */
	uint32_t n_view;     /* bytes that templates may see */
	uint32_t n_bytes;    /* all of it */
	uint64_t word;	     /* the first one */
	uint32_t core, thread, stamp;
};

enum aix_find {
	AIX_FOUND,
	AIX_NONE, /* no entry begins here */
	AIX_CUT	  /* one may begin here, and goes on behind the last byte */
};

enum { AIX_COLUMNS = BATCH_CORE };

struct aix {
	struct aix_header header;
	bool has_header;  /* one has come */
	bool is_new;	  /* the header's first stamp has not come yet, and there was another header before */
	bool has_threads; /* the note that there are too many of them has been made */
	struct clock clock;
	uint32_t stamps[2]; /* the last two of this header's entries */
	uint64_t n_stamps;  /* how many have come */
	uint64_t seq;
	struct map layouts; /* by aix_layout()'s key */
};

extern const struct dialect dialect_aix;

/* entry.c: whether these are a header's bytes. */
bool aix_header_load(struct aix_header *ret, const uint8_t *at, size_t n_bytes);

/* entry.c: whether an entry begins at `at`. */
enum aix_find aix_find(
	struct aix_entry *ret, const struct aix_header *header, const uint8_t *at, size_t n_bytes);

/* entry.c: what templates may see of an entry, n_view bytes, high byte first. */
void aix_view(uint8_t *to, const struct aix_header *header, const struct aix_entry *entry, const uint8_t *at);

/* types.c: the layout of an entry. NULL when memory ran out. */
const struct rst_layout *aix_layout(struct aix *aix, struct model *model, const struct aix_entry *entry);

/*
 * rows.c: makes rows of what lies at the chunk's n_used, until the batch is full or all is used. false when memory
 * ran out.
 */
bool aix_rows(struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk);

#endif
