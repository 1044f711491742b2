/* SPDX-License-Identifier: MIT */
/*
 * The online stream, from bytes to rows:
 *
 *	stream.c        finds messages among other bytes
 *	stream_block.c  gathers a file's messages into blocks, and sorts these by counts or time
 *	stream_rows.c   rows for events, names, losses and damage
 *	tlv.c           one message
 *	losses.c        losses by counts
 */
#ifndef LITEOS_STREAM_H
#define LITEOS_STREAM_H

#include "base/crc16.h"
#include "dialect/liteos/liteos.h"
#include "dialect/liteos/losses.h"
#include "dialect/liteos/tlv.h"

/*
 * Where the elements of events lie. All events of a target have them at the same places, so an event is
 * compared with the pattern of the event before and not parsed again. A pattern without elements fits no
 * event.
 */
struct liteos_pattern {
	uint32_t number; /* counts the patterns learnt; 0: empty */
	bool is_big;
	uint16_t n_body;
	unsigned n_elements;
	uint16_t head_at[LITEOS_N_TAGS];
	uint8_t head[LITEOS_N_TAGS][2];	  /* its tag and size */
	uint16_t value_at[LITEOS_N_TAGS]; /* by tag, from the message's first byte; 0: absent */
	/* The frame's words of 4 bytes up to its last param, and their offsets in the message; 0: absent. */
	uint16_t n_words, word_at[LITEOS_BODY_MAX / 4];
	struct liteos_layout layout;
	bool is_in_use;
};

enum { LITEOS_NOTICE_BYTES = 12, LITEOS_N_NOTICES = 3 }; /* start, stop, any other */

/* A message or, without one, damage in the sequence. */
struct liteos_item {
	uint64_t key;	  /* blocks are sorted by it: event count or time */
	uint32_t number;  /* in the block: keeps the order of sending if keys are equal */
	uint32_t pattern; /* of an event: its pattern's number */
	uint8_t kind;
	bool is_big;
	bool is_seen; /* its count has been taken */
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
	struct liteos_item bad;	       /* the present damage; no damage if n_bytes is 0 */
	struct liteos_pattern scanned; /* of the last event found */

	/* stream_block.c */
	bool is_ordered, is_dump; /* a dump of a ring is put in order as a whole */
	struct liteos_item *items;
	size_t n_items, items_room, n_out, n_ready; /* n_out: given out; n_ready: may be given out */
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
	} notice;					       /* waits for the time of the event behind it */
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

/* About a second. An event that is later than this begins another recording. */
#define LITEOS_LATE_TICKS_MAX ((uint64_t)1 << 28)

enum liteos_step { STEP_ITEM, STEP_CLOSED, STEP_NO_MORE, STEP_NO_MEMORY };

/* --- stream.c ------------------------------------------------------------------------------------------- */

/* Sets the pattern to that of this event. */
void liteos_pattern_learn(
	struct liteos_pattern *pattern, const struct liteos_message *message, const uint8_t *bytes);

/*
 * Adds the next message of the chunk to the block, with the damage before it. STEP_CLOSED: the block is
 * complete, with this message or without it. STEP_NO_MORE: another chunk is needed.
 */
enum liteos_step liteos_stream_scan(struct liteos *liteos, struct model *model, struct chunk *chunk);

/* --- stream_block.c ------------------------------------------------------------------------------------- */

/* Puts an item at the end of the block. Returns false if memory ran out. */
bool liteos_block_add(struct liteos_stream *stream, const struct liteos_item *item);

/*
 * Gives all items that are added from now on the place of the event with this stamp. Returns false if the
 * event belongs to a later block, because the target was restarted.
 */
bool liteos_block_step(struct liteos_stream *stream, bool has_count, uint32_t count, uint64_t time);

bool liteos_block_is_full(const struct liteos_stream *stream);

/*
 * Sorts the block, and sets n_ready to the items that may go out: all items, if no further message can belong
 * before them.
 */
void liteos_block_close(struct liteos_stream *stream, bool is_last);

/* Removes the items that have gone out. */
void liteos_block_drop(struct liteos_stream *stream);

/* --- stream_rows.c -------------------------------------------------------------------------------------- */

/*
 * Adds rows for the block. Returns RST_OK if the batch is full, RST_MORE if the block is used up, or
 * RST_E_NOMEM.
 */
enum rst_status liteos_stream_rows(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err);

/* Adds the rows that are still due at the end, and the details. Returns the same codes. */
enum rst_status liteos_stream_finish(
	struct liteos *liteos, struct model *model, struct batch *batch, struct rst_error *err);

#endif
