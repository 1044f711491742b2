/* SPDX-License-Identifier: MIT */
/*
 * A look at some rows of a trace by its index, over arbitrary bytes of both: the directory, the plan, what is
 * passed over.
 *
 *	wish u8 | its number u8 | length of the input u16 | input | index
 *
 * The wish chooses counts of all rows, the last ones, or a window; its highest bit has all checksums
 * corrected first.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/checksums.h"
#include "fuzz/show.h"
#include "index/parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD_BYTES = 4 };

struct look {
	struct index_wish wish;
	char from[32], to[32];
	const uint8_t *input;
	size_t n_input, n_index;
	uint8_t *index;
	struct directory directory;
	struct index_ranges ranges;
};

static void wish_choose(struct look *look, uint8_t choice, uint8_t number)
{
	look->wish = (struct index_wish){ .wants_counts = (choice & 3) == 0, .n_last = UINT64_MAX };
	if ((choice & 3) == 1)
		look->wish.n_last = number;
	if (choice & 2) {
		snprintf(look->from, sizeof(look->from), "+%u", number);
		snprintf(look->to, sizeof(look->to), "+%u", number + 16U * (choice >> 2 & 15));
		look->wish.from = look->from;
		look->wish.to = choice & 1 ? look->to : NULL;
	}
}

/* As index_find() does it, without what it compares. */
static bool index_look(struct look *look)
{
	struct store_block block;
	struct store_end end;

	return store_end_find(look->index, look->n_index, &block) && store_end_read(&block, &end) &&
	       end.directory_at < look->n_index &&
	       block_look(look->index + end.directory_at, look->n_index - (size_t)end.directory_at, &block) &&
	       block.kind == STORE_DIRECTORY &&
	       block_is_whole(&block, look->n_index - (size_t)end.directory_at) &&
	       directory_read(&look->directory, block.at, (size_t)block.n_bytes) &&
	       index_plan(&look->directory, &look->wish, &look->ranges);
}

static void rows_show(const struct look *look, struct rst_trace *trace)
{
	const struct filter_spec filter = { .from = look->wish.from, .to = look->wish.to };
	struct diags diags = { 0 };
	struct report_input input = { .trace = trace, .diags = &diags, .take_passed = index_take_passed };
	struct report report = { .options = { .format = report_formats[0], .filter = &filter },
		.n_left = UINT64_MAX };
	struct summary summary;
	struct outbuf out;
	struct rst_error err;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return;
	report.out = &out;
	if (look->wish.wants_counts) {
		summary_read_passing(&summary, trace, index_take_passed, NULL, NULL, &err);
		summary_words(&summary, &out);
		summary_done(&summary);
	} else {
		report_trace(&report, &input, &err);
	}
	diags_done(&diags);
	outbuf_done(&out);
}

static bool look_once(struct look *look, size_t size)
{
	const struct rst_open how = { .dialect = dialect_store.name };
	struct budget budget = budget_begin(size);
	struct rst_trace *trace;

	if (index_look(look) &&
		rst_trace_open_bytes(&trace, look->index, look->n_index, "fuzz", &how, NULL) >= 0) {
		store_read_only(trace->state, &(struct store_plan){ .directory = &look->directory,
						      .ranges = look->ranges.items,
						      .n_ranges = look->ranges.n,
						      .source = { look->input, look->n_input } });
		rows_show(look, trace);
		rst_trace_free(trace);
	}
	directory_done(&look->directory);
	free(look->ranges.items);
	look->ranges = (struct index_ranges){ 0 };
	return budget_check(&budget, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct look look = { .input = data + HEAD_BYTES };

	if (size < HEAD_BYTES)
		return 0;
	look.n_input = data[2] | (size_t)data[3] << 8;
	if (look.n_input > size - HEAD_BYTES)
		look.n_input = size - HEAD_BYTES;
	look.n_index = size - HEAD_BYTES - look.n_input;
	look.index = malloc(look.n_index + 1);
	if (!look.index)
		return 0;
	memcpy(look.index, look.input + look.n_input, look.n_index);
	wish_choose(&look, data[0], data[1]);
	if (data[0] & 128)
		store_correct(look.index, look.n_index);
	for (unsigned n = 0; !look_once(&look, size); n++)
		if (n == 2)
			abort();
	free(look.index);
	return 0;
}
