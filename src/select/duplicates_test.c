/* SPDX-License-Identifier: MIT */
#include "select/duplicates.h"

#include "tests/tap.h"

enum { N_ROWS = 8 };

/* Two layouts, two contexts; what differs from the row before stands in the comment. */
static const struct rst_type types[2] = { { .name = "one" }, { .name = "other" } };
static const struct rst_layout layouts[2] = { { .type = types }, { .type = types + 1 } };
static const struct rst_context contexts[2] = { { .id = 1 }, { .id = 2 } };
static const uint8_t bytes[] = "abab";

static const struct rst_layout *const layout_of[N_ROWS] = { layouts, layouts, layouts + 1, layouts, layouts,
	layouts, layouts, layouts };
static const struct rst_context *const context_of[N_ROWS] = { contexts, contexts, contexts, contexts + 1,
	contexts, contexts, contexts, contexts };
static const uint16_t cores[N_ROWS] = { 0, 0, 0, 0, 1, 0, 0, 0 };
static const uint8_t *const payloads[N_ROWS] = { bytes, bytes + 2, bytes, bytes, bytes, bytes + 1, bytes,
	NULL };
static const uint32_t sizes[N_ROWS] = { 2, 2, 2, 2, 2, 2, 1, 0 };
static const uint64_t ticks[N_ROWS] = { 5, 5, 5, 5, 5, 5, 5, 5 };

static const struct rst_batch batch = { .n_events = N_ROWS,
	.ticks = ticks,
	.layout = layout_of,
	.context = context_of,
	.payload = payloads,
	.payload_bytes = sizes,
	.core = cores };

static unsigned n_new(struct duplicates *duplicates, const struct rst_batch *of)
{
	unsigned n = 0;

	for (size_t row = 0; row < N_ROWS; row++)
		n += !duplicates_have(duplicates, of->ticks[row], of, row);
	return n;
}

int main(void)
{
	static const uint64_t later[N_ROWS] = { 5, 6, 7, 7, 8, 9, 10, 11 };
	struct rst_batch moved = batch;
	struct duplicates duplicates = { 0 };
	unsigned n_first = n_new(&duplicates, &batch), n_second = n_new(&duplicates, &batch);

	is_number(n_first, N_ROWS - 1, "type, context, core and payload tell events of one moment apart");
	is_number(n_second, 0, "all of them are known when they come again");
	is_number(duplicates.n_removed, N_ROWS + 1, "and counted");
	moved.ticks = later;
	is_number(n_new(&duplicates, &moved), N_ROWS - 1, "an event of another moment is another event");
	const struct rst_layout same_layout = layouts[0];
	const struct rst_context same_context = contexts[0];
	const struct rst_layout *const other_layouts[N_ROWS] = { &same_layout };
	const struct rst_context *const other_contexts[N_ROWS] = { &same_context };

	moved = batch;
	n_new(&duplicates, &batch);
	moved.layout = other_layouts;
	moved.context = other_contexts;
	ok(duplicates_have(&duplicates, 5, &moved, 0), "an event of another trace is known by what it says");
	for (size_t i = 0; i < 2 * DUPLICATES_EVENTS_MAX; i++) {
		const uint8_t *one[N_ROWS] = { (const uint8_t *)&i };
		struct rst_batch each = batch;
		uint32_t size = sizeof(i);

		each.payload = one;
		each.payload_bytes = &size;
		duplicates_have(&duplicates, 5, &each, 0);
	}
	is_number(duplicates.n_items, DUPLICATES_EVENTS_MAX, "only so many of a moment are kept");
	duplicates_done(&duplicates);
	tap_fail_alloc_after(0);
	is_number(n_new(&duplicates, &batch), N_ROWS, "without memory no event is taken for another");
	tap_fail_alloc_after(-1);
	duplicates_done(&duplicates);
	return tap_done();
}
