/* SPDX-License-Identifier: MIT */
/*
 * Looks at blocks of events when they are reached. The end of a long log has spans (docs/LOG.md). A span
 * without other blocks stands for all its blocks, until these are read or left out together. So reading a
 * part of a file that is not in memory costs only the spans and the blocks that are read: the system must not
 * read ahead behind each look.
 */
#include <string.h>

#include "dialect/posix/posix.h"

enum { FETCH_MAX = 8 << 20 };

/* Adds the blocks of a range. Returns false if it is not made of n_blocks blocks, or memory ran out. */
static bool add_blocks(struct posix_input *input, struct posix_entries *entries, uint64_t offset,
	uint64_t end, uint64_t n_blocks)
{
	struct log_scan *scan = &input->scan;
	struct posix_entry entry;
	struct log_item found;
	uint64_t n = 0;

	scan->offset = offset;
	while (log_scan_next(scan, input->bytes, (size_t)(end - input->at), input->at, true, &found) ==
		LOG_FOUND_BLOCK) {
		posix_entry_of(&entry, &found, true);
		if (!posix_entry_add(entries, &entry))
			return false;
		n++;
	}
	return n == n_blocks && scan->offset == end && !scan->damage_what && entries->n < POSIX_ENTRIES_MAX;
}

static bool add_span(struct posix_input *input, uint32_t i)
{
	uint64_t end;
	const struct log_span span = log_span_get(&input->spans, i, &end);
	struct posix_entry entry = { .offset = span.offset,
		.length = end - span.offset,
		.kind = LOG_EVENTS,
		.is_span = true,
		.number = i };

	if (span.flags & LOG_SPAN_MIXED)
		return add_blocks(input, &input->entries, span.offset, end, span.n_blocks);
	return posix_entry_add(&input->entries, &entry);
}

static bool add_spans(struct posix_input *input)
{
	for (uint32_t i = 0; i < input->spans.n; i++)
		if (!add_span(input, i))
			return false;
	return add_blocks(input, &input->entries, input->spans.end, input->at + input->n_bytes, 1);
}

bool posix_gather_spans(struct posix_input *input)
{
	const struct log_scan before = input->scan;

	if (!input->may_have_spans)
		return false;
	input->has_spans = !input->is_bare && input->at == 0 && !before.damage_what &&
			   log_spans_find(&input->scan, input->bytes, input->n_bytes, &input->spans) &&
			   add_spans(input);
	if (!input->has_spans) {
		source_read_ahead(input->bytes, input->n_bytes);
		input->scan = before;
		input->entries.n = 0;
	}
	return input->has_spans;
}

/* The head of a block of events, which is at the front of its body in all forms. */
static bool extent_of_block(const struct posix_entry *entry, struct log_span *ret_extent)
{
	struct log_events head;

	if (!entry->body || entry->kind != LOG_EVENTS || entry->length < sizeof(head))
		return false;
	memcpy(&head, entry->body, sizeof(head));
	*ret_extent = (struct log_span){ .offset = entry->offset,
		.first_ticks = head.first_ticks,
		.last_ticks = head.last_ticks,
		.n_events = head.n_events,
		.n_blocks = 1,
		.core = head.core,
		.flags = head.flags };
	return head.n_events > 0;
}

bool posix_extent(
	const struct posix_input *input, const struct posix_entry *entry, struct log_span *ret_extent)
{
	uint64_t end;

	if (!entry->is_span)
		return extent_of_block(entry, ret_extent);
	*ret_extent = log_span_get(&input->spans, entry->number, &end);
	return ret_extent->n_events > 0;
}

/* Whether the heads together match what the span states. */
static bool is_true(const struct posix_input *input, const struct log_span *span)
{
	struct log_span block;
	uint64_t n_events = 0;

	for (size_t i = 0; i < input->unfolded.n; i++) {
		if (!extent_of_block(&input->unfolded.items[i], &block) ||
			block.first_ticks < span->first_ticks || block.last_ticks > span->last_ticks)
			return false;
		n_events += block.n_events;
	}
	return n_events == span->n_events;
}

bool posix_unfold(struct posix_input *input, const struct posix_entry *entry)
{
	uint64_t end;
	const struct log_span span = log_span_get(&input->spans, entry->number, &end);
	const uint64_t scanned_to = input->scan.offset;

	input->unfolded.n = input->n_unfolded_done = 0;
	if (!add_blocks(input, &input->unfolded, span.offset, end, span.n_blocks) || !is_true(input, &span)) {
		input->unfolded.n = 0;
		return false;
	}
	input->scan.offset = scanned_to;
	posix_narrow_span(input, entry);
	return true;
}

/* Fetches one block, and more ahead the longer blocks are read one behind the other. */
void posix_fetch(struct posix_input *input, const struct posix_entry *entry)
{
	const uint64_t end = entry->offset + sizeof(struct log_block) + entry->length;
	uint64_t n = end - entry->offset;

	if (!input->has_spans || !entry->body || entry->kind != LOG_EVENTS || end <= input->ahead_to)
		return;
	if (entry->offset <= input->ahead_to + sizeof(uint64_t) && input->ahead_next > n)
		n = input->ahead_next;
	if (n > input->n_bytes - entry->offset)
		n = input->n_bytes - entry->offset;
	source_fetch(input->bytes + entry->offset, (size_t)n);
	input->ahead_to = entry->offset + n;
	input->ahead_next = n < FETCH_MAX ? 2 * n : n;
}
