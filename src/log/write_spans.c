/* SPDX-License-Identifier: MIT */
/*
 * The table of spans. A span grows as long as it stays shorter than a unit. If events and other blocks
 * alternate, it must stay shorter than a small part of a unit: a reader reads all blocks of a mixed span, but
 * only the needed blocks of others. When the table is full, the unit doubles and neighbours are joined.
 */
#include "log/write_parts.h"

enum {
	N_SPANS = 2048,
	UNIT_BYTES = 256 << 10,
	MIXED_PART = 16,	 /* of the unit: the longest mixed span */
	LOG_BYTES_MIN = 1 << 20, /* a shorter log is read as fast without spans */
	SPANS_AT = BLOCK_HEAD_BYTES + sizeof(struct log_end),
};
_Static_assert(SPANS_AT % 8 == 0, "spans are aligned");
_Static_assert(SPANS_AT + N_SPANS * sizeof(struct log_span) + sizeof(struct log_spans) <= LOG_BLOCK_MAX,
	"a full table fits into one block");

size_t log_spans_bytes(void)
{
	return SPANS_AT + N_SPANS * sizeof(struct log_span) + sizeof(struct log_spans);
}

void log_spans_begin(struct log_span_table *table, unsigned char *room)
{
	*table = (struct log_span_table){
		.block = room, .spans = (void *)(room + SPANS_AT), .end = HEADER_BYTES, .unit = UNIT_BYTES
	};
}

static bool may_join(const struct log_span_table *table, const struct log_span *first,
	const struct log_span *second, uint64_t end)
{
	const bool is_mixed = (first->flags ^ second->flags) & LOG_SPAN_MIXED;

	return end - first->offset <= (is_mixed ? table->unit / MIXED_PART : table->unit);
}

static void join_cores(struct log_span *first, const struct log_span *second)
{
	const uint16_t other = second->core;

	if (first->core == LOG_NO_CPU)
		first->core = other;
	else if (other != LOG_NO_CPU && other != first->core)
		first->flags |= LOG_EVENTS_SEVERAL_CORES;
}

static void join(struct log_span *first, const struct log_span *second)
{
	const uint16_t has_core = first->flags & second->flags & LOG_EVENTS_HAS_CORE;

	join_cores(first, second);
	first->flags = (uint16_t)(((first->flags | second->flags) & ~LOG_EVENTS_HAS_CORE) | has_core);
	if (second->n_events && (!first->n_events || second->first_ticks < first->first_ticks))
		first->first_ticks = second->first_ticks;
	if (second->last_ticks > first->last_ticks)
		first->last_ticks = second->last_ticks;
	first->n_events += second->n_events;
	first->n_blocks += second->n_blocks;
}

/*
 * The span begins where the one before it ends, or behind the part of a failed block that a stream has
 * received.
 */
static void append(struct log_span_table *table, const struct log_span *span, uint64_t end)
{
	struct log_span *last = table->n ? &table->spans[table->n - 1] : NULL;

	table->end = end;
	if (last && may_join(table, last, span, end))
		join(last, span);
	else
		table->spans[table->n++] = *span;
}

static void shrink(struct log_span_table *table)
{
	const uint64_t end = table->end;
	const uint32_t n = table->n;

	table->unit *= 2;
	table->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct log_span span = table->spans[i];

		append(table, &span, i + 1 < n ? table->spans[i + 1].offset : end);
	}
}

static struct log_span span_of(const unsigned char *block, const struct log_block *head, uint64_t offset)
{
	struct log_span span = {
		.offset = offset, .n_blocks = 1, .core = LOG_NO_CPU, .flags = LOG_SPAN_MIXED
	};
	struct log_events events;

	if (head->kind != LOG_EVENTS)
		return span;
	memcpy(&events, block + BLOCK_HEAD_BYTES, sizeof(events));
	span.first_ticks = events.first_ticks;
	span.last_ticks = events.last_ticks;
	span.n_events = events.n_events;
	span.core = events.core;
	span.flags = events.flags;
	return span;
}

void log_spans_add(struct log_span_table *table, const unsigned char *block, uint64_t offset)
{
	struct log_block head;
	struct log_span span;

	if (!table->block)
		return;
	memcpy(&head, block, sizeof(head));
	span = span_of(block, &head, offset);
	table->has_first = table->has_first || head.kind == LOG_EVENTS || head.kind == LOG_LOSS;
	table->n_first_blocks += !table->has_first;
	table->n_events += span.n_events;
	while (table->n == N_SPANS)
		shrink(table);
	append(table, &span, offset + BLOCK_HEAD_BYTES + log_padded(head.length));
}

void log_spans_restart(struct log_span_table *table, uint64_t first_events)
{
	const struct log_span left = { .offset = HEADER_BYTES,
		.n_blocks = table->n_first_blocks,
		.core = LOG_NO_CPU,
		.flags = LOG_SPAN_MIXED };

	if (!table->block || !table->has_first)
		return;
	table->has_first = false;
	table->n_events = 0;
	table->n = left.n_blocks > 0;
	table->spans[0] = left;
	table->end = first_events;
}

uint32_t log_spans_end(struct log_span_table *table, const struct log_end *end)
{
	const size_t length = sizeof(*end) + table->n * sizeof(struct log_span) + sizeof(struct log_spans);
	const struct log_spans last = { .n_spans = table->n,
		.n_bytes = (uint32_t)(BLOCK_HEAD_BYTES + length) };

	if (!table->block || table->end < LOG_BYTES_MIN)
		return 0;
	memcpy(table->block + BLOCK_HEAD_BYTES, end, sizeof(*end));
	memcpy(table->block + BLOCK_HEAD_BYTES + length - sizeof(last), &last, sizeof(last));
	return (uint32_t)length;
}
