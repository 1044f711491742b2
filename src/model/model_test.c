/* SPDX-License-Identifier: MIT */
/* Tests the model, the batch, and <rastrum/type.h>. */
#include "model/model.h"
#include "model/row.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static const struct rst_layout *add_event(
	struct model *model, uint32_t id, const char *name, unsigned n_fields)
{
	return model_add_layout(model, &(struct rst_type){ .id = id, .name = name },
		&(struct rst_layout){ .n_fields = n_fields });
}

static void check_types(void)
{
	struct model model;
	char names[1000][8];

	ok(model_init(&model), "a model can be had");
	ok(model.loss->type->marker == RST_LOSS && model.damage->type->marker == RST_DAMAGE &&
			model.n_types == 2 && model.n_layouts == 2,
		"it has the two markers from the start");
	const struct rst_layout *layout = add_event(&model, UINT32_MAX, "EVENT", 1);
	const struct rst_type *type = layout->type;

	ok(type->index == 2 && type->name_bytes == 5 && type->id == UINT32_MAX && model.types[2] == type,
		"a type gets the next index and the length of its name");
	ok(layout->index == 2 && layout->id == UINT32_MAX && layout->n_fields == 1 &&
			model.layouts[2] == layout,
		"and so does its first layout");
	layout = add_event(&model, 7, "EVENT", 2);
	ok(layout->type == type && layout->index == 3 && layout->id == 7 && layout->n_fields == 2 &&
			type->id == UINT32_MAX && model.n_types == 3,
		"the same name again is another layout of that type, with its own number");
	ok(add_event(&model, 9, "LOST", 1)->type->marker == RST_EVENT,
		"an event that has the name of a marker is none");
	for (unsigned i = 0; i < 1000; i++) {
		snprintf(names[i], sizeof(names[i]), "T%u", i);
		add_event(&model, i, names[i], 0);
	}
	ok(model.n_types == 1004 && model.types[2] == type && model.types[1003]->id == 999 &&
			model.n_layouts == 1005 && model.layouts[3] == layout,
		"types and layouts stay where they are when their tables grow");
	ok(add_event(&model, 5, "T500", 3)->type == model.types[504] && model.n_types == 1004,
		"and any name is found again");
	model_done(&model);
}

static void check_details(void)
{
	struct model model;
	char text[] = "copied";

	model_init(&model);
	model_detail_number(&model, "n", UINT64_MAX);
	model_detail_hex(&model, "h", 0);
	model_detail_bool(&model, "b", true);
	model_detail_text(&model, "t", text);
	model_detail(&model, &(struct rst_detail){ .name = "nil", .type = RST_DETAIL_NULL });
	text[0] = 'C';
	is_text(model.details[3].text, "copied", "the text of a detail is the model's own");
	ok(model.n_details == 5 && model.details[0].number == UINT64_MAX &&
			model.details[1].type == RST_DETAIL_HEX && model.details[2].number == 1 &&
			model.details[4].type == RST_DETAIL_NULL,
		"details keep their order and types");
	model_warn(&model, "%0300d", 0);
	ok(strlen(model.warnings[0]) == 255, "a note that is too long is cut");
	for (unsigned i = 1; i < 2 * MODEL_WARNINGS_MAX; i++)
		model_warn(&model, "note %u of %s", i, "100");
	is_text(model.warnings[7], "note 7 of 100", "notes are sentences of their own");
	is_number(model.n_warnings, MODEL_WARNINGS_MAX, "too many are left out");
	is_text(model.warnings[MODEL_WARNINGS_MAX - 1], "there were more such notes",
		"and the last one states it");
	model_done(&model);
}

static void check_gaps(void)
{
	const struct rst_gap loss = { .marker = RST_LOSS, .n_events = 3, .what = "lost" };
	struct rst_gap damage = { .marker = RST_DAMAGE, .offset = 9, .what = "broken" };
	static struct batch batch;
	struct model model;

	model_init(&model);
	batch_init(&batch, 0, 0);
	model_put_gap(&model, &batch, &loss);
	ok(model.n_gaps == 1 && model.n_damages == 0, "a loss is no damage");
	for (unsigned i = 0; i < MODEL_GAPS_MAX + 10; i++) {
		batch_clear(&batch);
		damage.offset = i;
		model_put_gap(&model, &batch, &damage);
	}
	ok(model.n_gaps == MODEL_GAPS_MAX && model.n_gaps_all == MODEL_GAPS_MAX + 11 &&
			model.n_damages == MODEL_GAPS_MAX + 10,
		"the first thousand are kept, all are counted");
	ok(model.gaps[999].offset == 998, "in the order found");
	model_done(&model);
}

enum { ALL_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD };

static void check_batch(void)
{
	static struct batch batch;
	const struct rst_gap gap = { .marker = RST_LOSS, .n_events = 1, .what = "lost" };
	struct model model;

	model_init(&model);
	batch_init(&batch, ALL_COLUMNS, 0);
	ok(!batch_is_full(&batch) && batch_close(&batch)->n_events == 0, "a new batch is empty");
	while (!batch_is_full(&batch))
		model_put_gap(&model, &batch, &gap);
	const struct rst_batch *view = batch_close(&batch);

	ok(view->n_events == BATCH_GAPS, "a batch is full when it has no room for a further gap");
	ok(view->layout[0] == model.loss && view->context[0] == model.unknown &&
			view->core[0] == RST_NO_CORE && view->priority[0] == RST_NO_PRIORITY &&
			view->depth[0] == 0 && !view->interrupted[0],
		"a gap is a row of no core and no priority");
	ok(rst_batch_gap(view, BATCH_GAPS - 1) == &batch.gap[BATCH_GAPS - 1] &&
			view->payload_bytes[0] == sizeof(struct rst_gap),
		"its payload is the gap");
	batch_clear(&batch);
	model.last_ticks = 70;
	model.last_seq = 7;
	model_put_gap(&model, &batch, &gap);
	ok(batch.ticks[0] == 70 && batch.seq[0] == 7, "at the front it stands where the last batch ended");
	batch.ticks[0] = 80;
	model_put_gap(&model, &batch, &gap);
	ok(batch.ticks[1] == 80, "else where the row before it is");
	batch_clear(&batch);
	ok(!batch_is_full(&batch) && batch_close(&batch)->n_events == 0, "clearing empties it");
	batch.n_events = RST_BATCH_EVENTS;
	ok(batch_is_full(&batch), "a batch is full of events, too");
	model_done(&model);
}

static void check_words(void)
{
	is_text(rst_object_kind_name((enum rst_object_kind) - 1), "unknown",
		"an object kind that does not exist is unknown");
	for (int kind = 0; kind < RST_N_OBJECT_KINDS; kind++)
		ok(rst_object_kind_name((enum rst_object_kind)kind) != NULL, "object kind %d has a name",
			kind);
}

static bool fill(struct model *model)
{
	static struct batch batch;
	const struct rst_gap gap = { .marker = RST_LOSS, .n_events = 1, .what = "lost" };

	batch_init(&batch, 0, 0);
	for (unsigned i = 0; i < 20; i++)
		if (!add_event(model, 1, "T", 0) || !model_warn(model, "n") ||
			!model_detail_text(model, "t", "text") || !model_put_gap(model, &batch, &gap))
			return false;
	return true;
}

static void check_no_memory(void)
{
	bool is_full = false;

	for (long n = 0; !is_full; n++) {
		struct model model;

		tap_fail_alloc_after(n);
		is_full = model_init(&model) && fill(&model);
		tap_fail_alloc_after(-1);
		bool is_whole = true;

		for (size_t i = 0; i < model.n_details; i++)
			is_whole &= model.details[i].text != NULL;
		for (size_t i = 0; i < model.n_gaps; i++)
			is_whole &= model.gaps[i].what != NULL;
		for (size_t i = 0; i < model.n_warnings; i++)
			is_whole &= model.warnings[i] != NULL;
		ok(is_whole, "a model that ran out of memory after %ld allocations has nothing half made", n);
		model_done(&model);
	}
}

static void check_run(void)
{
	static struct batch batch;
	struct model model;

	model_init(&model);
	batch_init(&batch, ALL_COLUMNS, 0);
	for (uint64_t ticks = 70; ticks > 50; ticks -= 10)
		batch_row(&batch, ALL_COLUMNS,
			&(struct batch_row){
				.ticks = ticks, .layout = model.loss, .context = model.unknown });
	is_number(model_run_begin(&model, &batch), 71, "a new run begins one tick behind the latest row");
	model_put_run(&model, &batch, "input", 9, "the clock begins anew");
	const struct rst_gap *run = &batch.gap[0];

	ok(batch.ticks[2] == 70 && batch.type[2]->marker == RST_RUN && run->n_events == 2 && run->offset == 9,
		"its marker is at the latest row, and has its number");
	ok(model.n_gaps_all == 0 && model.n_damages == 0, "it is neither loss nor damage");
	model_take_rows(&model, &batch);
	batch_clear(&batch);
	is_number(model_run_begin(&model, &batch), 71, "the rows of all batches count");
	model_put_run(&model, &batch, "input", 10, "the clock begins anew");
	is_number(batch.gap[0].n_events, 3, "runs are counted");
	batch_done(&batch);
	model_done(&model);
}

int main(void)
{
	check_types();
	check_run();
	check_details();
	check_gaps();
	check_batch();
	check_words();
	check_no_memory();
	return tap_done();
}
