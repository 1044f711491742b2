/* SPDX-License-Identifier: MIT */
/*
 * The state engine over arbitrary rows with arbitrary effects, of no dialect. Whatever comes, what must hold
 * of intervals holds: the intervals of a thread and of a core follow one another without gap or overlap, at
 * most one thread runs on a core, and none that is exact reaches across a loss.
 *
 * Each row is six bytes: what it does, whose event it is and on which core, how much later than the one
 * before, and three operands: a thread, an object and a number.
 */
#include <rastrum/state.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/row.h"
#include "trace/trace_parts.h"

enum {
	ROW_BYTES = 6,
	ROWS_MAX = 2000,
	N_THREADS = 6,
	N_OBJECTS = 4,
	N_CORES = 3, /* and none */
	N_LAYOUTS = RST_N_EFFECTS * RST_N_PHASES,
	LOSS = RST_N_EFFECTS,
	FIELD_THREAD = 1,
	FIELD_OBJECT = 2,
	FIELD_NUMBER = 3,
	FIELD_LEVEL = 4,
};

static const struct rst_field fields[] = {
	{ .name = "thread",
		.type = RST_OBJECT,
		.offset = 0,
		.n_bytes = 1,
		.object_kind = RST_OBJECT_THREAD,
		.zero_is_none = true },
	{ .name = "object", .type = RST_OBJECT, .offset = 1, .n_bytes = 1, .object_kind = RST_OBJECT_MUTEX },
	{ .name = "number", .type = RST_UNSIGNED, .offset = 2, .n_bytes = 1 },
	{ .name = "level", .type = RST_SIGNED, .offset = 2, .n_bytes = 1 },
};

/* The latest interval of a subject, with which the next one must agree. */
struct seen {
	bool is_there;
	uint64_t to;
};

struct world {
	struct rst_trace *trace;
	struct rst_states *states;
	struct batch batch;
	const struct rst_layout *layouts[N_LAYOUTS];
	struct rst_effect effects[N_LAYOUTS];
	char names[N_LAYOUTS][16];
	uint64_t ticks, seq;
	uint64_t losses[ROWS_MAX];
	size_t n_losses;
	struct seen threads[256], cores[N_CORES];
	uint64_t ran_to[N_CORES]; /* where the last run of a thread on this core ended */
	bool was_deleted[256];	  /* so a gap may follow: the id is used again */
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const struct rst_interval *interval)
{
	fprintf(stderr, "%s: %s %llu, %llu to %llu\n", what, rst_interval_kind_name(interval->kind),
		(unsigned long long)interval->subject.id, (unsigned long long)interval->from,
		(unsigned long long)interval->to);
	abort();
}

/* --- what must hold ------------------------------------------------------------------------------------- */

static void check_follows(struct seen *seen, const struct rst_interval *interval, bool may_have_gap)
{
	if (seen->is_there && (may_have_gap ? interval->from < seen->to : interval->from != seen->to))
		fail("does not follow the one before", interval);
	*seen = (struct seen){ true, interval->to };
}

static void check_thread(struct world *world, const struct rst_interval *interval)
{
	const uint8_t id = (uint8_t)interval->subject.id;

	check_follows(&world->threads[id], interval, world->was_deleted[id]);
	if (interval->state != RST_STATE_RUNNING || interval->core >= N_CORES)
		return;
	if (interval->from < world->ran_to[interval->core])
		fail("another thread runs on this core", interval);
	world->ran_to[interval->core] = interval->to;
}

static void check_interval(struct world *world, const struct rst_interval *interval)
{
	if (interval->from >= interval->to)
		fail("is empty", interval);
	for (size_t i = 0; i < world->n_losses && interval->certainty == RST_CERTAINTY_EXACT; i++)
		if (interval->from < world->losses[i] && interval->to > world->losses[i])
			fail("is exact across a loss", interval);
	if (interval->kind == RST_INTERVAL_THREAD)
		check_thread(world, interval);
	if (interval->kind == RST_INTERVAL_CORE)
		check_follows(&world->cores[interval->subject.id % N_CORES], interval, false);
}

static void check_intervals(struct world *world)
{
	const struct rst_interval *intervals;
	const size_t n_intervals = rst_states_intervals(world->states, &intervals);

	for (size_t i = 0; i < n_intervals; i++)
		check_interval(world, &intervals[i]);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static struct rst_effect effect_of(enum rst_effect_kind kind, enum rst_phase phase)
{
	const struct rst_operand thread = { .from = FIELD_THREAD }, object = { .from = FIELD_OBJECT },
				 number = { .from = FIELD_NUMBER }, level = { .from = FIELD_LEVEL },
				 self = { .from = RST_FROM_SELF };
	const bool is_about_threads =
		kind == RST_EFFECT_CREATE || kind == RST_EFFECT_DELETE ? phase % 2 == 0 : false;
	const bool is_by_self = kind >= RST_EFFECT_ACQUIRE && kind != RST_EFFECT_PRIORITY;

	return (struct rst_effect){ .kind = kind,
		.phase = phase,
		.state = kind == RST_EFFECT_SWITCH ? RST_STATE_READY + phase % 2 : RST_STATE_UNKNOWN,
		.thread = is_by_self ? self : thread,
		.object = is_about_threads ? thread : object,
		.other = thread,
		.value = kind == RST_EFFECT_LEVEL ? level : number,
		.amount = kind == RST_EFFECT_RELEASE && phase % 2 ? number : (struct rst_operand){ 0, 0 },
		.is_shared = kind == RST_EFFECT_ACQUIRE && phase == RST_ENTERS,
		.is_change = kind == RST_EFFECT_LEVEL && phase / 2 % 2,
		.is_handed_over = kind == RST_EFFECT_LEVEL && phase % 2 };
}

static bool world_open(struct world *world)
{
	static const uint8_t header[16] = { 'R', 'S', 'T', 'A', 1, 0, 4 }; /* of a recording without events */
	struct model *model;

	if (rst_trace_open_bytes(&world->trace, header, sizeof(header), "rows", NULL, NULL) != RST_OK ||
		rst_states_new(&world->states, world->trace, NULL) != RST_OK ||
		!batch_init(&world->batch, BATCH_CORE | BATCH_INTERRUPTED, 64 * 1024))
		return false;
	model = &world->trace->model;
	for (unsigned i = 0; i < N_LAYOUTS; i++) {
		world->effects[i] = effect_of(i / RST_N_PHASES, i % RST_N_PHASES);
		snprintf(world->names[i], sizeof(world->names[i]), "E%u", i);
		world->layouts[i] = model_add_layout(model,
			&(struct rst_type){ .name = world->names[i], .label = "", .id = i },
			&(struct rst_layout){ .n_fields = sizeof(fields) / sizeof(fields[0]),
				.fields = fields,
				.n_effects = world->effects[i].kind != RST_EFFECT_NONE,
				.effects = &world->effects[i] });
	}
	return true;
}

static const struct rst_context *context_of(struct world *world, uint8_t choice)
{
	struct model *model = &world->trace->model;

	if (choice < N_THREADS)
		return contexts_thread(&model->contexts, &model->objects, &model->arena, choice + 1U, 0);
	if (choice == N_THREADS)
		return contexts_isr(&model->contexts, &model->arena, 7);
	return contexts_special(&model->contexts, &model->arena,
		choice == N_THREADS + 1 ? RST_CONTEXT_IDLE : RST_CONTEXT_INIT, 0);
}

/* bytes: what, whose and where, how much later, thread, object, number. */
static void world_row(struct world *world, const uint8_t *bytes)
{
	const unsigned what = bytes[0] % (RST_N_EFFECTS + 1), core = bytes[1] / 16 % (N_CORES + 1);
	uint8_t *payload = batch_scratch(&world->batch, 3);
	const struct rst_layout *layout;

	if (what == LOSS) {
		world->losses[world->n_losses++] = world->ticks;
		model_put_gap(&world->trace->model, &world->batch,
			&(struct rst_gap){ .marker = RST_LOSS, .what = "lost", .source = "rows" });
		return;
	}
	layout = world->layouts[what * RST_N_PHASES + bytes[0] / (RST_N_EFFECTS + 1) % RST_N_PHASES];
	world->ticks += bytes[2] % 16;
	payload[0] = (uint8_t)(bytes[3] % (N_THREADS + 1));
	payload[1] = (uint8_t)(0x80 + bytes[4] % N_OBJECTS);
	payload[2] = bytes[5];
	if (what == RST_EFFECT_DELETE)
		world->was_deleted[payload[0]] = true;
	const size_t row = batch_row(&world->batch, world->batch.columns,
		&(struct batch_row){ .ticks = world->ticks,
			.seq = world->seq++,
			.layout = layout,
			.context = context_of(world, bytes[1] % 16 % (N_THREADS + 3)),
			.payload = payload,
			.n_payload = 3 });

	world->batch.core[row] = core < N_CORES ? (uint16_t)core : RST_NO_CORE;
	world->batch.interrupted[row] = bytes[5] & 1 && what == RST_EFFECT_INTERRUPT_IN
						? context_of(world, bytes[5] / 2 % N_THREADS)
						: NULL;
}

static void world_feed(struct world *world)
{
	if (rst_states_feed(world->states, batch_close(&world->batch), NULL) == RST_OK)
		check_intervals(world);
	batch_clear(&world->batch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct world *world = calloc(1, sizeof(*world));

	if (world && world_open(world)) {
		for (size_t n = 0; size >= ROW_BYTES && n < ROWS_MAX; n++) {
			if (batch_is_full(&world->batch))
				world_feed(world);
			world_row(world, data);
			data += ROW_BYTES;
			size -= ROW_BYTES;
		}
		world_feed(world);
		if (rst_states_finish(world->states, NULL) == RST_OK)
			check_intervals(world);
	}
	if (world) {
		batch_done(&world->batch);
		rst_states_free(world->states);
		rst_trace_free(world->trace);
	}
	free(world);
	return 0;
}
