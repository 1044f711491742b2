/* SPDX-License-Identifier: MIT */
/*
 * The online stream, from bytes to rows:
 *
 *	stream.c         finds messages in bytes, whatever is between them
 *	stream_block.c   gathers messages of a whole file into blocks and puts these in the order of counts or time
 *	stream_rows.c    rows for events, names, losses and damage
 *	tlv.c, losses.c  one message; what counts show
 */
#ifndef LITEOS_STREAM_H
#define LITEOS_STREAM_H

#include "base/crc16.h"
#include "dialect/liteos/liteos.h"
#include "dialect/liteos/losses.h"
#include "dialect/liteos/tlv.h"

/*
 * Where the elements of events lie: each event of a target has them at the same places, so they are compared with those
 * of the event before it and not parsed anew. A pattern without elements fits nothing.
 */
struct liteos_pattern {
	uint32_t number; /* counts what was learnt; 0: nothing */
	bool is_big;
	uint16_t n_body;
	unsigned n_elements;
	uint16_t head_at[LITEOS_N_TAGS];
	uint8_t head[LITEOS_N_TAGS][2];	  /* tag and size that stand there */
	uint16_t value_at[LITEOS_N_TAGS]; /* by tag, from the message's first byte; 0: absent */
	/* The words of 4 bytes of the frame up to its last param, and where they stand in the message; 0: nowhere. */
	uint16_t n_words, word_at[LITEOS_BODY_MAX / 4];
	struct liteos_layout layout;
	bool is_in_use;
};

enum { LITEOS_NOTICE_BYTES = 12, LITEOS_N_NOTICES = 3 }; /* start, stop, any other */

/* A message or, without one, damage in the sequence. */
struct liteos_item {
	uint64_t key;	  /* what blocks are sorted by: event count or time */
	uint32_t number;  /* in the block: what was sent first stays first where keys are equal */
	uint32_t pattern; /* of an event: its pattern's number */
	uint8_t kind;
	bool is_big;
	bool is_seen; /* its count has been looked at */
	const uint8_t *message;
	uint64_t offset, n_bytes;
	const char *what, *source;
};

struct liteos_stream {
	/* stream.c */
	crc16_way *crc16;
	bool has_chunk, has_looked;
	const char *source;	       /* of the chunk */
	bool is_big;		       /* as far as is known */
	struct liteos_item bad;	       /* damage that goes on; n_bytes 0: there is none */
	struct liteos_pattern scanned; /* of the last event found */

	/* stream_block.c */
	bool is_ordered, is_dump; /* a dump of a ring is put in order as a whole */
	struct liteos_item *items;
	size_t n_items, items_room, n_out, n_ready; /* given out so far; may be given out */
	bool is_unsorted;
	bool has_key, is_first_block; /* of events */
	uint64_t key, key_max;
	uint32_t count; /* that key stands for */

	/* stream_rows.c */
	struct liteos_pattern written; /* of the last event given out; its layout is in use */
	struct liteos_notice {
		bool is_there, is_big;
		uint32_t command;
		uint8_t body[LITEOS_NOTICE_BYTES];
	} notice; /* that has no time yet: that of the event behind it */
	const struct rst_layout *notices[LITEOS_N_NOTICES][2]; /* by command and byte order */
	struct losses losses;
	uint64_t n_due;		     /* lost events whose row is still to come */
	enum liteos_variant variant; /* found by events */
	bool has_earlier;
	uint32_t n_earlier; /* events before a dump's oldest one, by its count */
	uint64_t n_messages[LITEOS_N_KINDS], n_repaired, n_empty, n_bad_bytes;
	uint32_t version;
	bool has_version, has_clock, has_told;
	bool is_begun; /* by a head or a start, since the last event */
};

/*
 * About a second. An event that is held back longer began another recording.
 */
#define LITEOS_LATE_TICKS_MAX ((uint64_t)1 << 28)

enum liteos_step { STEP_ITEM, STEP_CLOSED, STEP_NO_MORE, STEP_NO_MEMORY };

/* --- stream.c ----------------------------------------------------------------------------------------------- */

/* Sets the pattern to that of this event. */
void liteos_pattern_learn(
	struct liteos_pattern *pattern, const struct liteos_message *message, const uint8_t *bytes);

/*
 * Adds what comes next in the chunk to the block: a message, with damage before it. STEP_CLOSED: with it, or without what
 * comes next, the block is complete. STEP_NO_MORE: a chunk is due.
 */
enum liteos_step liteos_stream_scan(struct liteos *liteos, struct model *model, struct chunk *chunk);

/* --- stream_block.c ----------------------------------------------------------------------------------------- */

/* Puts an item at the end of the block. false when memory ran out. */
bool liteos_block_add(struct liteos_stream *stream, const struct liteos_item *item);

/*
 * What is added from now on stands at the event with this stamp. Returns false if the event belongs to a
 * later block, since the target has begun anew.
 */
bool liteos_block_step(struct liteos_stream *stream, bool has_count, uint32_t count, uint64_t time);

bool liteos_block_is_full(const struct liteos_stream *stream);

/* Sorts, and returns what may go out: all of it when nothing can come that belongs before it. */
void liteos_block_close(struct liteos_stream *stream, bool is_last);

/* Forgets what has gone out. */
void liteos_block_drop(struct liteos_stream *stream);

/* --- stream_rows.c ------------------------------------------------------------------------------------------ */

/* Rows for the block. Returns RST_OK if the batch is full; RST_MORE if the block is used up; RST_E_NOMEM. */
enum rst_status liteos_stream_rows(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err);

/* What is still due at the end, and the details. As above. */
enum rst_status liteos_stream_finish(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err);

#endif
