/* SPDX-License-Identifier: MIT */
/*
 * Reads a part of a log, using the heads of its blocks or the spans at its end. A block of events is left
 * out, unread and unchecked, if it contains neither a wanted row nor the event in front of one. The first
 * block is read because times begin there. Each block that follows a description is read too: the consumer
 * ends a block in front of a new type or thread. So a report shows from its first event on (which columns,
 * how wide) the same as if all blocks had been read.
 */
#include <string.h>

#include "dialect/posix/posix.h"

bool posix_survey(void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	struct log_span extent;

	if (!posix_begin(posix, model, whole) || posix_has_own_order(input) || !input->is_scanned)
		return false;
	for (size_t i = 0; i < input->entries.n; i++)
		if (posix_extent(input, &input->entries.items[i], &extent)) {
			*ret_first_ticks = extent.first_ticks;
			return true;
		}
	return false;
}

static uint64_t count_events(const struct posix_input *input)
{
	struct log_span extent;
	uint64_t n = 0;

	for (size_t i = 0; i < input->entries.n; i++)
		n += posix_extent(input, &input->entries.items[i], &extent) ? extent.n_events : 0;
	return n;
}

/*
 * Whether user events may belong to more than one process. An untraced controller does not count, because it
 * has no user events.
 */
static bool has_several_processes(const struct posix_input *input)
{
	const uint32_t controller = input->scan.header.pid;
	struct log_attributes said = { .pid = controller };
	struct log_task task;
	uint32_t first = 0;

	for (size_t i = 0; i < input->entries.n; i++) {
		const struct posix_entry *entry = &input->entries.items[i];

		if (entry->body && entry->kind == LOG_ATTRIBUTES && entry->length >= sizeof(said))
			memcpy(&said, entry->body, sizeof(said));
		if (!entry->body || entry->kind != LOG_TASK || entry->length < sizeof(task))
			continue;
		memcpy(&task, entry->body, sizeof(task));
		if (task.pid == controller && said.pid != controller)
			continue;
		if (first && task.pid != first)
			return true;
		first = task.pid;
	}
	return false;
}

static bool has_preloaded(const struct posix *posix)
{
	for (size_t i = 0; i < posix->types_room; i++)
		if (posix->types[i] && posix->types[i]->preloaded)
			return true;
	return false;
}

/* The state of one pass over entries, or over the blocks of a span. */
struct narrowing {
	struct posix_entry *before; /* the last entry of events, if it or a part of it may be left out */
	bool is_needed;		    /* the next block of events must be read */
	uint64_t n_seen;	    /* events */
};

static void narrow_entry(
	const struct posix_input *input, struct narrowing *narrowing, struct posix_entry *entry)
{
	const struct dialect_window *window = &input->window;
	struct log_span extent;
	bool is_wanted;

	if (!posix_extent(input, entry, &extent)) {
		narrowing->is_needed |=
			!entry->body || (entry->kind != LOG_CLOCK_PAIR && entry->kind != LOG_LOSS);
		return;
	}
	entry->n_before = narrowing->n_seen;
	entry->needs_first = narrowing->is_needed;
	narrowing->n_seen += extent.n_events;
	is_wanted = extent.last_ticks >= window->from && extent.first_ticks <= window->to &&
		    narrowing->n_seen > input->wanted_from;
	if (is_wanted && narrowing->before) {
		narrowing->before->is_left_out = false;
		narrowing->before->needs_last = true;
	}
	entry->is_left_out = !is_wanted && !narrowing->is_needed && (extent.flags & LOG_EVENTS_HAS_CORE);
	narrowing->before = entry->is_left_out || entry->is_span ? entry : NULL;
	narrowing->is_needed = false;
}

void posix_narrow(void *state, const struct dialect_window *window)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	const uint64_t n_all = has_preloaded(posix) ? 0 : count_events(input), n_last = window->n_last;
	struct narrowing narrowing = { .is_needed = true };

	posix->may_be_shared = has_several_processes(input);
	input->is_narrowed = n_all > 0;
	input->window = *window;
	input->wanted_from = n_last < n_all ? n_all - n_last : 0;
	for (size_t i = 0; i < input->entries.n && n_all; i++)
		narrow_entry(input, &narrowing, &input->entries.items[i]);
}

void posix_narrow_span(struct posix_input *input, const struct posix_entry *span)
{
	struct narrowing narrowing = { .is_needed = span->needs_first, .n_seen = span->n_before };
	struct posix_entries *blocks = &input->unfolded;

	if (!input->is_narrowed)
		return;
	for (size_t i = 0; i < blocks->n; i++)
		narrow_entry(input, &narrowing, &blocks->items[i]);
	if (span->needs_last)
		blocks->items[blocks->n - 1].is_left_out = false;
}

/*
 * Events of librastrum-preload.so give names wherever they are, so a log with them is not narrowed
 * (posix_narrow()). From the first event of a second process on, all events are shown with their process. The
 * heads do not show where that event is, so no block before it is left out.
 */
bool posix_may_leave_out(const struct posix *posix)
{
	return posix->is_shared || !posix->may_be_shared;
}

static void count_core(struct passed_counts *cores, uint64_t *room, size_t n_room, uint16_t core, uint64_t n)
{
	if (core >= n_room)
		return;
	cores->n = room;
	cores->room = n_room;
	room[core] += n;
}

void posix_leave_out(struct posix *posix, const struct posix_entry *entry)
{
	struct posix_passing *passing = &posix->passing;
	struct passed *passed = &passing->passed;
	struct passed_counts *cores = &passed->tallies[PASSED_CORES];
	const size_t n_room = sizeof(passing->cores) / sizeof(passing->cores[0]);
	struct log_span extent;

	if (passing->is_taken)
		memset(passing, 0, sizeof(*passing));
	posix_extent(&posix->input, entry, &extent);
	if (!passed->n_rows || extent.first_ticks < passed->least_ticks)
		passed->least_ticks = extent.first_ticks;
	if (extent.last_ticks > passed->greatest_ticks)
		passed->greatest_ticks = extent.last_ticks;
	passed->last_ticks = extent.last_ticks;
	passed->n_rows += extent.n_events;
	passed->n_events += extent.n_events;
	posix->seq += extent.n_events;
	posix->n_blocks += extent.n_blocks;
	if (extent.core == LOG_NO_CPU)
		return;
	count_core(cores, passing->cores, n_room, extent.core, extent.n_events);
	/* The other cores are not known, but a report only depends on whether there is another one. */
	if (extent.flags & LOG_EVENTS_SEVERAL_CORES)
		count_core(cores, passing->cores, n_room, extent.core ^ 1, 1);
}

const struct passed *posix_take_passed(void *state)
{
	struct posix *posix = state;

	if (posix->passing.is_taken || !posix->passing.passed.n_rows)
		return NULL;
	posix->passing.is_taken = true;
	return &posix->passing.passed;
}
