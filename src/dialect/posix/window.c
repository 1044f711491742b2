/* SPDX-License-Identifier: MIT */
/*
 * Reading a part of a log, by the heads of its blocks. Blocks of events are left out, unread and unchecked, where no
 * wanted row is in them, nor the event in front of one. The first one is read, for the begin of times, and so is each that follows
 * a description: in front of a new type or thread the consumer ends a block, so what a report shows from its first event
 * on (which columns, how wide) is the same as if all had been read.
 */
#include <string.h>

#include "dialect/posix/posix.h"

/* The head of a block of events, which is at the front of its body in all forms. false: there is none. */
static bool head_of(const struct posix_entry *entry, struct log_events *ret_head)
{
	if (!entry->body || entry->kind != LOG_EVENTS || entry->length < sizeof(*ret_head))
		return false;
	memcpy(ret_head, entry->body, sizeof(*ret_head));
	return ret_head->n_events > 0;
}

bool posix_survey(void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	struct log_events head;

	if (!posix_begin(posix, model, whole) || posix_has_own_order(input) || !input->is_scanned)
		return false;
	for (size_t i = 0; i < input->n_entries; i++)
		if (head_of(&input->entries[i], &head)) {
			*ret_first_ticks = head.first_ticks;
			return true;
		}
	return false;
}

static uint64_t count_events(const struct posix_input *input)
{
	struct log_events head;
	uint64_t n = 0;

	for (size_t i = 0; i < input->n_entries; i++)
		n += head_of(&input->entries[i], &head) ? head.n_events : 0;
	return n;
}

/* Whether user events may be of more than one process. A controller that is not traced itself has none. */
static bool has_several_processes(const struct posix_input *input)
{
	const uint32_t controller = input->scan.header.pid;
	struct log_attributes said = { .pid = controller };
	struct log_task task;
	uint32_t first = 0;

	for (size_t i = 0; i < input->n_entries; i++) {
		const struct posix_entry *entry = &input->entries[i];

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

void posix_narrow(void *state, const struct dialect_window *window)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	const uint64_t n_all = has_preloaded(posix) ? 0 : count_events(input), n_last = window->n_last;
	const uint64_t wanted_from = n_last < n_all ? n_all - n_last : 0;
	struct posix_entry *before = NULL; /* that may be left out, and nothing but its kind is between */
	bool is_needed = true;
	uint64_t n_seen = 0;

	posix->may_be_shared = has_several_processes(input);
	for (size_t i = 0; i < input->n_entries && n_all; i++) {
		struct posix_entry *entry = &input->entries[i];
		struct log_events head;
		bool is_wanted;

		if (!head_of(entry, &head)) {
			is_needed |=
				!entry->body || (entry->kind != LOG_CLOCK_PAIR && entry->kind != LOG_LOSS);
			continue;
		}
		n_seen += head.n_events;
		is_wanted = head.last_ticks >= window->from && head.first_ticks <= window->to &&
			    n_seen > wanted_from;
		if (is_wanted && before)
			before->is_left_out = false;
		entry->is_left_out = !is_wanted && !is_needed && (head.flags & LOG_EVENTS_HAS_CORE);
		before = entry->is_left_out ? entry : NULL;
		is_needed = false;
	}
}

/*
 * Events of librastrum-preload.so give names, wherever they are. With the first event of a second process all are shown with their
 * process; where that event is, heads do not say.
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
	struct log_events head;

	if (passing->is_taken)
		memset(passing, 0, sizeof(*passing));
	head_of(entry, &head);
	if (!passed->n_rows || head.first_ticks < passed->least_ticks)
		passed->least_ticks = head.first_ticks;
	if (head.last_ticks > passed->greatest_ticks)
		passed->greatest_ticks = head.last_ticks;
	passed->last_ticks = head.last_ticks;
	passed->n_rows += head.n_events;
	passed->n_events += head.n_events;
	posix->seq += head.n_events;
	posix->n_blocks++;
	if (head.core == LOG_NO_CPU)
		return;
	count_core(cores, passing->cores, n_room, head.core, head.n_events);
	/* Which other cores is not known; that there is one is what changes a report. */
	if (head.flags & LOG_EVENTS_SEVERAL_CORES)
		count_core(cores, passing->cores, n_room, head.core ^ 1, 1);
}

const struct passed *posix_take_passed(void *state)
{
	struct posix *posix = state;

	if (posix->passing.is_taken || !posix->passing.passed.n_rows)
		return NULL;
	posix->passing.is_taken = true;
	return &posix->passing.passed;
}
