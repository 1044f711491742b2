/* SPDX-License-Identifier: MIT */
/*
 * The order in which slots are read. The buffer has neither a write index nor a mark where the ring begins. A
 * slot that is all zero was never written: if there is one, the ring has not gone round, and slot 0 is the
 * oldest. Otherwise the oldest frame is behind the largest step back of the count (or of the time, if frames
 * have no count).
 *
 * An interrupt may store its frame between another frame's stamp and store, so that slots are not quite in
 * order. So they are sorted by count, or else by time; equal ones keep their order. Usually they are in
 * order, and one pass over the slots is enough. A list of slots is made only if they must be sorted.
 */
#include "dialect/liteos/offline.h"

#include <stdlib.h>

static inline uint64_t slot_time(const struct liteos_offline *offline, const uint8_t *slot)
{
	return load_u64(slot + offline->layout.time_at, offline->layout.is_big);
}

static inline uint64_t slot_key(const struct liteos_offline *offline, const uint8_t *slot)
{
	const struct liteos_layout *layout = &offline->layout;

	return layout->has_count ? load_u32(slot + layout->count_at, layout->is_big)
				 : slot_time(offline, slot);
}

/* Returns how far key is before the last one, or 0 if it is not before it. Counts go round. */
static inline uint64_t order_step_back(const struct liteos_offline *offline, uint64_t key, uint64_t last)
{
	if (offline->layout.has_count) {
		int32_t back = (int32_t)((uint32_t)last - (uint32_t)key);

		return back > 0 ? (uint64_t)back : 0;
	}
	return key < last ? last - key : 0;
}

/* --- the look at all slots ------------------------------------------------------------------------------ */

struct survey {
	uint64_t n_written;	     /* the index of the last slot that is not empty, plus one */
	uint64_t n_falls, n_damaged; /* steps back from slot to slot, of the key */
	uint64_t n_time_falls;
	uint64_t largest; /* step back */
	uint64_t first_key, last_key, first_time, last_time;
	bool is_fall_of_time; /* at the largest step back */
	bool has_frame;
};

static inline void survey_frame(
	struct liteos_offline *offline, struct survey *survey, const uint8_t *slot, uint64_t index)
{
	const uint64_t key = slot_key(offline, slot), time = slot_time(offline, slot);
	const uint64_t back = survey->has_frame ? order_step_back(offline, key, survey->last_key) : 0;
	const bool falls = survey->has_frame && time < survey->last_time;

	if (!survey->has_frame) {
		survey->first_key = key;
		survey->first_time = offline->least_time = time;
		survey->has_frame = true;
	}
	survey->n_falls += back != 0;
	survey->n_time_falls += falls;
	if (back > survey->largest) {
		survey->largest = back;
		survey->is_fall_of_time = falls;
		offline->oldest_slot = index;
	}
	offline->has_before |= time == offline->before;
	if (time < offline->least_time)
		offline->least_time = time;
	survey->last_key = key;
	survey->last_time = time;
	offline->n_frames++;
}

static void slots_survey(struct liteos_offline *offline, struct survey *survey)
{
	for (uint64_t i = 0; i < offline->n_slots; i++) {
		const uint8_t *slot = liteos_slot_at(offline, i);
		enum liteos_slot kind = liteos_slot_kind(offline, slot, i);

		if (__builtin_expect(kind == LITEOS_SLOT_FRAME, 1)) {
			survey_frame(offline, survey, slot, i);
		} else if (kind == LITEOS_SLOT_EMPTY) {
			offline->n_empty++;
			continue;
		}
		survey->n_damaged += kind == LITEOS_SLOT_DAMAGED;
		survey->n_written = i + 1;
	}
}

/*
 * Slots are in the order of writing, from the oldest on, so the step from the last slot to the first one
 * counts, too.
 */
static uint64_t count_inversions(const struct liteos_offline *offline, const struct survey *survey)
{
	if (!offline->oldest_slot)
		return survey->n_time_falls;
	return survey->n_time_falls - survey->is_fall_of_time + (survey->first_time < survey->last_time);
}

/* Whether slots are in order as they lie, from the oldest one on. */
static bool is_in_order(const struct liteos_offline *offline, const struct survey *survey)
{
	if (survey->n_damaged || survey->n_written + offline->n_empty != offline->n_slots)
		return false;
	if (!offline->oldest_slot)
		return survey->n_falls == 0;
	return survey->n_falls == 1 && !order_step_back(offline, survey->first_key, survey->last_key);
}

/* --- a list, where they are not ------------------------------------------------------------------------- */

/* Lists the slots that were written, from the oldest one on, with their keys. */
static void list_slots(struct liteos_offline *offline, uint64_t first)
{
	for (uint64_t i = 0; i < offline->n_slots; i++) {
		const uint64_t index =
			first + i < offline->n_slots ? first + i : first + i - offline->n_slots;
		const uint8_t *slot = liteos_slot_at(offline, index);
		enum liteos_slot kind = liteos_slot_kind(offline, slot, index);

		if (kind == LITEOS_SLOT_EMPTY)
			continue;
		offline->entries[offline->n_entries++] = (struct liteos_entry){ slot_key(offline, slot),
			(uint32_t)index, kind == LITEOS_SLOT_DAMAGED };
	}
}

/*
 * Makes keys for sorting. Counts become distances from the first one, below 2^31 in both directions.
 * Distances have a total order; counts that go round do not. A damaged slot stays behind the frame before it.
 */
static void order_settle_keys(struct liteos_offline *offline)
{
	const uint64_t middle = (uint64_t)1 << 32;
	uint64_t first = 0, last = 0;
	bool has_first = false;

	for (uint64_t i = 0; i < offline->n_entries; i++) {
		struct liteos_entry *entry = &offline->entries[i];

		if (!entry->is_damaged && !has_first) {
			first = entry->key;
			has_first = true;
		}
		if (entry->is_damaged)
			entry->key = last;
		else if (offline->layout.has_count)
			entry->key =
				middle + (uint64_t)(int64_t)(int32_t)((uint32_t)entry->key - (uint32_t)first);
		last = entry->key;
	}
}

static bool is_sorted(const struct liteos_offline *offline)
{
	for (uint64_t i = 1; i < offline->n_entries; i++)
		if (offline->entries[i].key < offline->entries[i - 1].key)
			return false;
	return true;
}

/* Merges pairs of runs of n_run from one array to the other. */
static void merge_runs(const struct liteos_entry *from, struct liteos_entry *to, uint64_t n, uint64_t n_run)
{
	for (uint64_t start = 0; start < n; start += 2 * n_run) {
		uint64_t middle = start + n_run < n ? start + n_run : n;
		uint64_t end = middle + n_run < n ? middle + n_run : n;
		uint64_t left = start, right = middle;

		for (uint64_t i = start; i < end; i++) {
			bool is_right = left == middle || (right < end && from[right].key < from[left].key);

			to[i] = is_right ? from[right++] : from[left++];
		}
	}
}

/* A stable merge sort. */
static bool slots_sort(struct liteos_offline *offline)
{
	const uint64_t n = offline->n_entries;
	struct liteos_entry *from = offline->entries, *to = malloc(n * sizeof(*to));

	if (!to)
		return false;
	for (uint64_t n_run = 1; n_run < n; n_run *= 2) {
		struct liteos_entry *kept = from;

		merge_runs(from, to, n, n_run);
		from = to;
		to = kept;
	}
	offline->entries = from;
	free(to);
	return true;
}

bool liteos_order(struct liteos_offline *offline, bool in_file_order)
{
	struct survey survey = { 0 };

	slots_survey(offline, &survey);
	/* A ring that has not gone round begins at its first slot. */
	if (offline->n_empty)
		offline->oldest_slot = 0;
	offline->n_inversions = count_inversions(offline, &survey);
	offline->first = in_file_order ? 0 : offline->oldest_slot;
	if (is_in_order(offline, &survey) || !survey.n_written) {
		offline->n_entries = survey.n_written;
		return true;
	}
	offline->entries = malloc(offline->n_slots * sizeof(struct liteos_entry));
	if (!offline->entries)
		return false;
	list_slots(offline, offline->first);
	if (in_file_order)
		return true;
	order_settle_keys(offline);
	return is_sorted(offline) || slots_sort(offline);
}

uint32_t liteos_oldest_count(const struct liteos_offline *offline)
{
	const uint8_t *slot = liteos_slot_at(offline, offline->oldest_slot);

	for (uint64_t n = 0; n < offline->n_entries; n++)
		if (!liteos_entry_at(offline, n).is_damaged) {
			slot = liteos_slot_at(offline, liteos_entry_at(offline, n).slot);
			break;
		}
	return load_u32(slot + offline->layout.count_at, offline->layout.is_big);
}
