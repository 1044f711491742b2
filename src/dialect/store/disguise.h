/* SPDX-License-Identifier: MIT */
/*
 * Replaces the names of a trace, with the same new name for the same name of the same kind: "thread-1",
 * "mutex-2". Texts and bytes in payloads become the same number of letters, the same ones for the same text.
 * Bytes of a payload that belong to no field become zeros.
 */
#ifndef STORE_DISGUISE_H
#define STORE_DISGUISE_H

#include <rastrum/event.h>

#include "base/arena.h"
#include "base/map.h"

struct disguise {
	bool hides_times;
	uint64_t first_ticks;	 /* ticks count from here if times are hidden */
	uint64_t key[2];	 /* random: letters cannot be traced back by trying texts */
	const char *const *kept; /* names that stay; borrowed */
	size_t n_kept;
	struct arena arena;
	struct map names; /* map_text_key() of a name to struct disguised */
	uint64_t n_names[RST_N_OBJECT_KINDS];
	uint8_t *clean; /* room for one payload */
	size_t clean_room;
};

/* Returns false if there are no random numbers; errno has the reason. */
bool disguise_init(struct disguise *disguise, bool hides_times);
void disguise_done(struct disguise *disguise);

/* Returns the new name, which lives as long as the disguise; "" stays. Returns NULL if memory ran out. */
const char *disguise_name(
	struct disguise *disguise, enum rst_object_kind kind, const char *name, size_t n_bytes);

/* Replaces texts and bytes of a payload of this layout, in place. Returns false if memory ran out. */
bool disguise_payload(
	struct disguise *disguise, const struct rst_layout *layout, uint8_t *payload, size_t n_bytes);

/* The ticks that are written. */
static inline uint64_t disguise_ticks(const struct disguise *disguise, uint64_t ticks)
{
	if (!disguise->hides_times)
		return ticks;
	return ticks > disguise->first_ticks ? ticks - disguise->first_ticks : 0;
}

#endif
