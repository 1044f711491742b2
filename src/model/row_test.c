/* SPDX-License-Identifier: MIT */
/* Tests rows, gaps and optional columns. */
#include "model/row.h"

#include <string.h>

#include "model/model.h"
#include "tests/tap.h"

enum { ALL = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD };

static struct batch batch;

static struct batch_row row_of(const struct model *model, const struct rst_layout *layout, uint64_t ticks)
{
	return (struct batch_row){ .ticks = ticks,
		.stamp = ticks & 0xff,
		.seq = ticks / 10,
		.layout = layout,
		.context = model->unknown,
		.payload = (const uint8_t *)"ab",
		.n_payload = 2 };
}

/* Fills the batch with old data, because a batch is used again and again. */
static void soil(void)
{
	memset(batch.core, 1, sizeof(batch.core));
	memset(batch.depth, 1, sizeof(batch.depth));
	memset(batch.interrupted, 1, sizeof(batch.interrupted));
	memset(batch.priority, 1, sizeof(batch.priority));
	memset(batch.threshold, 1, sizeof(batch.threshold));
}

static void check_rows(struct model *model, const struct rst_layout *layout)
{
	const struct batch_row row = row_of(model, layout, 300);
	const struct rst_batch *view;

	batch_init(&batch, ALL, 0);
	soil();
	ok(batch_row(&batch, ALL, &row) == 0 && batch_row(&batch, ALL, &row) == 1,
		"rows are numbered from 0");
	view = batch_close(&batch);
	ok(view->n_events == 2 && view->ticks[1] == 300 && view->stamp[1] == 44 && view->seq[1] == 30 &&
			view->layout[1] == layout && view->type[1] == layout->type &&
			view->context[1] == model->unknown && view->payload_bytes[1] == 2 &&
			memcmp(view->payload[1], "ab", 2) == 0,
		"a row has what every event has, and the type of its layout");
	ok(rst_batch_core(view, 1) == RST_NO_CORE && !rst_batch_interrupted(view, 1) &&
			rst_batch_depth(view, 1) == 0 && rst_batch_priority(view, 1) == RST_NO_PRIORITY &&
			rst_batch_threshold(view, 1) == RST_NO_PRIORITY,
		"the other columns begin with what no event has");
	batch.core[1] = 3;
	batch.depth[1] = 2;
	batch.interrupted[1] = model->unknown;
	batch.priority[1] = 4;
	batch.threshold[1] = 5;
	ok(rst_batch_core(view, 1) == 3 && rst_batch_interrupted(view, 1) == model->unknown &&
			rst_batch_depth(view, 1) == 2 && rst_batch_priority(view, 1) == 4 &&
			rst_batch_threshold(view, 1) == 5,
		"and a dialect sets what it knows");
	batch_done(&batch);
}

static void check_absent(struct model *model, const struct rst_layout *layout)
{
	const struct batch_row row = row_of(model, layout, 300);
	const struct rst_gap gap = { .marker = RST_DAMAGE, .what = "broken" };
	const struct rst_batch *view;

	batch_init(&batch, BATCH_CORE, 0);
	soil();
	batch_row(&batch, BATCH_CORE, &row);
	model_put_gap(model, &batch, &gap);
	view = batch_close(&batch);
	ok(view->core && !view->interrupted && !view->depth && !view->priority && !view->threshold,
		"columns that the dialect lacks are NULL");
	ok(view->core[0] == RST_NO_CORE && view->core[1] == RST_NO_CORE,
		"one that it has is set in each row, also in a gap's");
	ok(!rst_batch_interrupted(view, 0) && rst_batch_depth(view, 0) == 0 &&
			rst_batch_priority(view, 0) == RST_NO_PRIORITY &&
			rst_batch_threshold(view, 0) == RST_NO_PRIORITY,
		"those that are absent read as what no event has");
	batch_done(&batch);
}

static void check_first(struct model *model, const struct rst_layout *layout)
{
	const struct batch_row first = row_of(model, layout, 50), second = row_of(model, layout, 40);
	const struct rst_gap gap = { .marker = RST_LOSS, .what = "lost" };

	batch_init(&batch, 0, 0);
	model_put_gap(model, &batch, &gap);
	model_take_rows(model, &batch);
	ok(!model->has_first_ticks && model->last_ticks == 0, "a gap is no first event");
	batch_row(&batch, 0, &first);
	batch_row(&batch, 0, &second);
	model_take_rows(model, &batch);
	ok(model->has_first_ticks && model->first_ticks == 50, "the first event has the first ticks");
	ok(model->last_ticks == 40 && model->last_seq == 4, "and the last row is where the next gap stands");
	model->first_ticks = 30;
	model_take_rows(model, &batch);
	ok(model->first_ticks == 30, "what the dialect knew sooner holds");
	batch_clear(&batch);
	model_take_rows(model, &batch);
	ok(model->last_ticks == 40 && model->last_seq == 4, "a batch without rows changes nothing");
	batch_done(&batch);
}

int main(void)
{
	struct model model;
	const struct rst_layout *layout;

	ok(model_init(&model), "a model begins");
	layout = model_add_layout(&model, &(struct rst_type){ .id = 1, .name = "EVENT" },
		&(struct rst_layout){ .n_fields = 0 });
	check_rows(&model, layout);
	check_absent(&model, layout);
	check_first(&model, layout);
	model_done(&model);
	return tap_done();
}
