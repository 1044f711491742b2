/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "base/array.h"
#include "index/parts.h"
#include "select/times.h"

enum {
	FRONT_FIRSTS = 3
}; /* the first loss, damage and event: the first event is at the latest the third of these */

static bool range_add(struct index_ranges *ranges, uint64_t from, uint64_t to)
{
	struct store_range *items = array_room(ranges->items, ranges->n, &ranges->room, sizeof(*items));

	if (!items)
		return false;
	ranges->items = items;
	items[ranges->n++] = (struct store_range){ from, to };
	return true;
}

static bool rows_add(struct index_ranges *ranges, const uint64_t *rows, size_t n_rows)
{
	for (size_t i = 0; i < n_rows; i++)
		if (!range_add(ranges, rows[i], rows[i] + 1))
			return false;
	return true;
}

static int by_row(const void *a, const void *b)
{
	const struct store_range *first = a, *second = b;

	return (first->from > second->from) - (first->from < second->from);
}

static void ranges_join(struct index_ranges *ranges)
{
	size_t n = 0;

	if (ranges->n > 1)
		qsort(ranges->items, ranges->n, sizeof(*ranges->items), by_row);
	for (size_t i = 0; i < ranges->n; i++) {
		struct store_range *last = n ? &ranges->items[n - 1] : NULL;

		if (last && ranges->items[i].from <= last->to)
			last->to = ranges->items[i].to > last->to ? ranges->items[i].to : last->to;
		else
			ranges->items[n++] = ranges->items[i];
	}
	ranges->n = n;
}

static uint64_t count_markers(const struct directory *directory, const struct directory_segment *zone)
{
	uint64_t n = 0;

	for (size_t i = zone->counts[PASSED_LAYOUTS]; i < zone->counts[PASSED_LAYOUTS + 1]; i++)
		n += directory->counts[i].index < 2 ? directory->counts[i].n_rows : 0;
	return n;
}

/* --- what each wish needs ------------------------------------------------------------------------------- */

static bool plan_counts(const struct directory *directory, struct index_ranges *ranges)
{
	for (size_t i = 0; i < directory->n_segments; i++) {
		const struct directory_segment *zone = &directory->segments[i];

		if (count_markers(directory, zone) && !range_add(ranges, zone->row, zone->row + zone->n_rows))
			return false;
	}
	return true;
}

static bool plan_window(
	const struct directory *directory, uint64_t from, uint64_t to, struct index_ranges *ranges)
{
	for (size_t i = 0; i < directory->n_segments; i++) {
		const struct directory_segment *zone = &directory->segments[i];

		if (zone->greatest_ticks >= from && zone->least_ticks <= to &&
			!range_add(ranges, zone->row, zone->row + zone->n_rows))
			return false;
	}
	return true;
}

/*
 * Adds one event more than is wanted, because the first one lacks the time since the previous event. Each
 * event makes one line or more.
 */
static bool plan_last(const struct directory *directory, uint64_t n_last, struct index_ranges *ranges)
{
	uint64_t n_missing = n_last < UINT64_MAX ? n_last + 1 : n_last, from = 0;

	for (size_t i = directory->n_segments; i-- && n_missing;) {
		const struct directory_segment *zone = &directory->segments[i];
		const uint64_t n_markers = count_markers(directory, zone),
			       n_events = zone->n_rows - n_markers;

		from = zone->row;
		if (n_events >= n_missing && !n_markers)
			from += zone->n_rows - n_missing;
		n_missing = n_events >= n_missing ? 0 : n_missing - n_events;
	}
	return range_add(ranges, from, UINT64_MAX) &&
	       rows_add(ranges, directory->firsts, directory->n_firsts);
}

/* Parses the moments as a selection does once it has a first event. */
bool index_moments(uint64_t first_ticks, uint64_t clock_hz, const struct index_wish *wish, uint64_t *ret_from,
	uint64_t *ret_to)
{
	const struct rst_metadata metadata = {
		.has_first_ticks = true, .first_ticks = first_ticks, .clock_hz = clock_hz
	};
	struct rst_error err;

	*ret_from = 0;
	*ret_to = UINT64_MAX;
	return (!wish->from || times_parse(wish->from, &metadata, ret_from, &err) == RST_OK) &&
	       (!wish->to || times_parse(wish->to, &metadata, ret_to, &err) == RST_OK);
}

bool index_plan(const struct directory *directory, const struct index_wish *wish, struct index_ranges *ret)
{
	const size_t n_front = directory->n_firsts < FRONT_FIRSTS ? directory->n_firsts : FRONT_FIRSTS;
	uint64_t from, to;
	bool is_good;

	*ret = (struct index_ranges){ 0 };
	if (wish->wants_counts)
		is_good = plan_counts(directory, ret);
	else if (wish->from || wish->to)
		is_good = directory->has_first_ticks &&
			  index_moments(directory->first_ticks, directory->clock_hz, wish, &from, &to) &&
			  plan_window(directory, from, to, ret);
	else
		is_good = !directory->has_late_names && plan_last(directory, wish->n_last, ret);
	is_good = is_good && range_add(ret, 0, 1) && rows_add(ret, directory->firsts, n_front) &&
		  rows_add(ret, directory->gaps, directory->n_gaps);
	if (is_good)
		ranges_join(ret);
	return is_good;
}
