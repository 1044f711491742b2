/* SPDX-License-Identifier: MIT */
/* One buffer of LOS_TraceRecordGet(): where its parts lie, and in which order its slots are read. */
#ifndef LITEOS_OFFLINE_H
#define LITEOS_OFFLINE_H

#include "dialect/liteos/liteos.h"

enum liteos_slot { LITEOS_SLOT_EMPTY, LITEOS_SLOT_FRAME, LITEOS_SLOT_DAMAGED };

/* A slot, and the key that orders it. */
struct liteos_entry {
	uint64_t key; /* count or time */
	uint32_t slot;
	bool is_damaged;
};

struct liteos_offline {
	const uint8_t *bytes;
	uint64_t n_bytes; /* of the buffer, without the bytes behind it */
	const char *source;

	/* The header. */
	uint32_t clock, version;
	uint16_t total_bytes, object_bytes, frame_bytes, objects_at, slots_at;
	uint64_t n_trailing;
	uint64_t at;	   /* of the buffer in its chunk */
	uint64_t n_behind; /* bytes behind it that begin with a further buffer */

	struct liteos_layout layout;
	struct liteos_found found;
	uint64_t n_slots, n_objects;

	/* order.c */
	struct liteos_entry *entries; /* NULL if the slots are in order in the ring, from first on */
	uint64_t first, n_entries;
	uint64_t n_frames, n_empty, n_inversions, oldest_slot, least_time;
	uint64_t before;      /* the greatest time of the buffer before, … */
	bool has_before;      /* … which this one has, too */
	bool is_anew;	      /* the target was restarted since then; the marker is due */
	uint32_t recent[256]; /* numbers that were found to be listed */

	/* Where reading stands. */
	uint64_t next; /* of places */
	bool has_count;
	uint32_t count;		  /* of the row before, if has_count */
	uint64_t n_damaged_since; /* slots passed over since then */
	struct rst_gap gaps[4];
	unsigned n_gaps, n_gaps_told;
};

static inline const uint8_t *liteos_slot_at(const struct liteos_offline *offline, uint64_t slot)
{
	return offline->bytes + offline->slots_at + slot * offline->layout.frame_bytes;
}

/*
 * offline.c: finds the parts of a buffer, and takes its objects and its details. Returns RST_E_DAMAGED with
 * the reason if it can read nothing of the buffer, or RST_E_NOMEM.
 */
enum rst_status liteos_offline_prepare(struct liteos *liteos, struct model *model, const struct chunk *chunk,
	struct liteos_offline *offline, struct rst_error *err);

/*
 * slots.c: finds the kind of the slot with this index. Callers use liteos_slot_kind(), which recognises
 * recent numbers at once.
 */
enum liteos_slot liteos_slot_look(struct liteos_offline *offline, const uint8_t *slot, uint64_t index);

static inline enum liteos_slot liteos_slot_kind(
	struct liteos_offline *offline, const uint8_t *slot, uint64_t index)
{
	const uint32_t type = load_u32(slot, offline->layout.is_big);

	if (__builtin_expect(type != 0 && offline->recent[(type ^ type >> 5) & 255] == type, 1))
		return LITEOS_SLOT_FRAME;
	return liteos_slot_look(offline, slot, index);
}

/* The n-th slot to be read. */
static inline struct liteos_entry liteos_entry_at(const struct liteos_offline *offline, uint64_t n)
{
	const uint64_t slot = offline->first + n;

	if (offline->entries)
		return offline->entries[n];
	return (struct liteos_entry){
		.slot = (uint32_t)(slot < offline->n_entries ? slot : slot - offline->n_entries)
	};
}

/* The count of the oldest frame: the number of earlier events, which were overwritten or cleared. */
uint32_t liteos_oldest_count(const struct liteos_offline *offline);

/* Sets the members of order.c. Returns false if memory ran out. */
bool liteos_order(struct liteos_offline *offline, bool in_file_order);

#endif
