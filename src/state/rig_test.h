/* SPDX-License-Identifier: MIT */
/*
 * Makes rows without a dialect, for tests of this room. Event n has the time 10 n ticks and the sequence
 * number n; losses do not count. A letter is a thread (a small letter: a thread of process P), an object or a
 * state. A digit is an interrupt. Tests compare the intervals as text:
 *
 *	thread A running 10-20 exact; thread A waiting lock M 20-(40) exact
 *
 * In "(40)", no event began or ended the interval at that time. In "20#3", the event is number 3, not the one
 * at time 20.
 */
#ifndef STATE_RIG_TEST_H
#define STATE_RIG_TEST_H

#include <rastrum/state.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "model/row.h"
#include "tests/tap.h"
#include "trace/trace_parts.h"

enum { RIG_EFFECTS = 5, RIG_TEXT = 4000 };

/* The context of the event: a thread's letter, an interrupt's digit, or one of these. */
enum { INIT = '*', IDLE = '-', NO_CONTEXT = '?', LOSS = '!', RESET = '~' };

struct step {
	char subject;
	struct rst_effect effects[RIG_EFFECTS]; /* the first one is unused */
	char other;				/* the value of OTHER */
	uint16_t core;
	char interrupted;
};

/* The field that effects may name. Its value is the thread in the step's member other; 0 means no thread. */
#define OTHER        \
	{            \
		1, 0 \
	}
#define SELF                     \
	{                        \
		RST_FROM_SELF, 0 \
	}
#define ID(letter)                          \
	{                                   \
		RST_FROM_CONSTANT, (letter) \
	}

/*
 * Rows: the context and the effects; on a core other than 0, with a thread for OTHER, or with an interrupted
 * context.
 */
#define BY(letter, ...)                                                                        \
	{                                                                                      \
		.subject = (letter), .effects = { { .kind = RST_EFFECT_NONE }, ##__VA_ARGS__ } \
	}
#define ON(number, letter, ...)                                                                 \
	{                                                                                       \
		.subject = (letter), .effects = { { .kind = RST_EFFECT_NONE }, ##__VA_ARGS__ }, \
		.core = (number)                                                                \
	}
#define NAMING(thread_of, letter, ...)                                                          \
	{                                                                                       \
		.subject = (letter), .effects = { { .kind = RST_EFFECT_NONE }, ##__VA_ARGS__ }, \
		.other = (thread_of)                                                            \
	}
#define INTERRUPTING(thread_of, letter, ...)                                                    \
	{                                                                                       \
		.subject = (letter), .effects = { { .kind = RST_EFFECT_NONE }, ##__VA_ARGS__ }, \
		.interrupted = (thread_of)                                                      \
	}

static const struct rst_field rig_fields[] = {
	{ .name = "other",
		.type = RST_OBJECT,
		.n_bytes = 1,
		.object_kind = RST_OBJECT_THREAD,
		.zero_is_none = true },
};

struct rig {
	struct rst_trace *trace;
	struct rst_states *states;
	char text[RIG_TEXT]; /* the intervals so far, up to the size of the buffer */
	size_t n_taken[RST_N_INTERVAL_KINDS];
	char open[RIG_TEXT]; /* the intervals that are open at the last row */
	bool has_memory;
	unsigned n_watched; /* effects send and priority that rig_watch() got */
};

static inline void rig_put_entity(FILE *out, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NONE)
		return;
	if (entity->form == RST_ENTITY_THING && entity->name && strcmp(entity->kind, "span") == 0)
		fprintf(out, " %.*s", (int)entity->name_bytes, entity->name);
	else if (entity->id >= '0' && entity->id <= 'z')
		fprintf(out, " %c", (char)entity->id);
	else
		fprintf(out, " %llu", (unsigned long long)entity->id);
}

static inline void rig_put_moment(FILE *out, uint64_t ticks, uint64_t seq)
{
	if (seq == RST_NO_SEQ)
		fprintf(out, "(%llu)", (unsigned long long)ticks);
	else if (seq * 10 == ticks)
		fprintf(out, "%llu", (unsigned long long)ticks);
	else
		fprintf(out, "%llu#%llu", (unsigned long long)ticks, (unsigned long long)seq);
}

static inline void rig_put(FILE *out, const struct rst_interval *interval)
{
	const char *states = interval->state < RST_N_STATES ? rst_state_name(interval->state) : "";

	fprintf(out, "%s", rst_interval_kind_name(interval->kind));
	rig_put_entity(out, &interval->subject);
	fprintf(out, *states ? " %s" : "%s", states);
	if (interval->reason != RST_REASON_NONE)
		fprintf(out, " %s", rst_reason_name(interval->reason));
	rig_put_entity(out, &interval->object);
	if (interval->has_value) {
		char value[NUMBER_MAX + 1];

		*number_put(value, number_as(interval->value, interval->value_type)) = '\0';
		fprintf(out, " %s", value);
	}
	fprintf(out, " ");
	rig_put_moment(out, interval->from, interval->from_seq);
	fprintf(out, "-");
	rig_put_moment(out, interval->to, interval->to_seq);
	fprintf(out, " %s", rst_certainty_name(interval->certainty));
	if (interval->by.form != RST_ENTITY_NONE)
		fprintf(out, " by");
	rig_put_entity(out, &interval->by);
	fprintf(out, "; ");
}

/* Takes the intervals that have ended. */
static inline void rig_take(struct rig *rig)
{
	const size_t n_bytes = strlen(rig->text);
	const struct rst_interval *intervals;
	FILE *out = fmemopen(rig->text + n_bytes, sizeof(rig->text) - 1 - n_bytes, "w");

	for (size_t n = rst_states_intervals(rig->states, &intervals); n; n--, intervals++) {
		rig->n_taken[intervals->kind]++;
		if (out)
			rig_put(out, intervals);
	}
	if (out)
		fclose(out);
}

/* Reads the intervals that are open. */
static inline void rig_take_open(struct rig *rig)
{
	const struct rst_interval *intervals;
	struct rst_error err;
	size_t n;
	FILE *out = fmemopen(rig->open, sizeof(rig->open), "w");

	rig->has_memory &= rst_states_open(rig->states, &intervals, &n, &err) == RST_OK;
	for (size_t i = 0; out && rig->has_memory && i < n; i++)
		rig_put(out, &intervals[i]);
	if (out)
		fclose(out);
}

static inline const struct rst_context *rig_context(struct rig *rig, char subject)
{
	struct model *model = &rig->trace->model;

	if (subject >= '0' && subject <= '9')
		return contexts_isr(&model->contexts, &model->arena, (uint64_t)subject);
	if (subject == INIT || subject == IDLE || subject == NO_CONTEXT)
		return contexts_special(&model->contexts, &model->arena,
			subject == INIT	  ? RST_CONTEXT_INIT
			: subject == IDLE ? RST_CONTEXT_IDLE
					  : RST_CONTEXT_UNKNOWN,
			0);
	const struct rst_context *thread =
		contexts_thread(&model->contexts, &model->objects, &model->arena, (uint64_t)subject, 0);

	if (subject >= 'a' && subject <= 'z')
		contexts_own(thread, 'P');
	return thread;
}

static inline void rig_row(struct rig *rig, struct batch *batch, const struct step *step, size_t n)
{
	struct model *model = &rig->trace->model;
	char name[] = "event 000";
	unsigned n_effects = 0;

	while (n_effects + 1 < RIG_EFFECTS && step->effects[n_effects + 1].kind != RST_EFFECT_NONE)
		n_effects++;
	snprintf(name, sizeof(name), "event %u", (unsigned)n % 1000);
	const size_t row = batch_row(batch, batch->columns,
		&(struct batch_row){ .ticks = n * 10,
			.seq = n,
			.layout = model_add_layout(model,
				&(struct rst_type){
					.name = arena_copy(&model->arena, name, strlen(name)), .id = 'e' },
				&(struct rst_layout){ .n_fields = 1,
					.fields = rig_fields,
					.n_effects = n_effects,
					.effects = step->effects + 1 }),
			.context = rig_context(rig, step->subject),
			.payload = (const uint8_t *)&step->other,
			.n_payload = 1 });
	batch->core[row] = step->core;
	batch->interrupted[row] = step->interrupted ? rig_context(rig, step->interrupted) : NULL;
}

static inline bool rig_watch(void *context, const struct rst_batch *batch, size_t row, uint64_t at,
	const struct rst_effect_facts *facts)
{
	struct rig *rig = context;

	(void)row;
	rig->n_watched += batch->n_events && at % 10 == 0 && facts->thread;
	return true;
}

/* Feeds the steps in batches of n_batch rows; then the trace ends. */
static inline void rig_run(struct rig *rig, const struct step *steps, size_t n_steps, size_t n_batch)
{
	static const uint8_t header[16] = { 'R', 'S', 'T', 'A', 1, 0, 4 }; /* of a recording without events */
	static struct batch batch;
	struct rst_error err;

	*rig = (struct rig){ .has_memory = true };
	ok(rst_trace_open_bytes(&rig->trace, header, sizeof(header), "test", NULL, &err) == RST_OK &&
			rst_states_new(&rig->states, rig->trace, &err) == RST_OK &&
			batch_init(&batch, BATCH_CORE | BATCH_INTERRUPTED, 0),
		"a trace without events can be had");
	rst_states_watch(rig->states, 1 << RST_EFFECT_SEND | 1 << RST_EFFECT_PRIORITY, rig_watch, rig);
	for (size_t n = 0, n_events = 0; n < n_steps; n++) {
		if (steps[n].subject == LOSS)
			model_put_gap(&rig->trace->model, &batch,
				&(struct rst_gap){ .marker = RST_LOSS, .what = "lost" });
		else if (steps[n].subject == RESET)
			model_put_run(&rig->trace->model, &batch, "test", 0, "the target was started anew");
		else
			rig_row(rig, &batch, &steps[n], n_events++);
		if (batch.n_events < n_batch && n + 1 < n_steps)
			continue;
		rig->has_memory &= rst_states_feed(rig->states, batch_close(&batch), &err) == RST_OK;
		rig_take(rig);
		batch.n_events = batch.n_gaps = 0;
	}
	rig_take_open(rig);
	rig->has_memory &= rst_states_finish(rig->states, &err) == RST_OK;
	rig_take(rig);
	batch_done(&batch);
}

static inline void rig_done(struct rig *rig)
{
	rig->states = rst_states_free(rig->states);
	rig->trace = rst_trace_free(rig->trace);
}

/* Compares the intervals that begin with these words, in the order of their ends. */
static inline void rig_is(const struct rig *rig, const char *of, const char *expected, const char *sentence)
{
	char got[RIG_TEXT] = "";

	for (const char *at = rig->text; *at;) {
		const char *end = strstr(at, "; ") + 2;

		if (strncmp(at, of, strlen(of)) == 0)
			strncat(got, at + strlen(of), (size_t)(end - at) - strlen(of));
		at = end;
	}
	if (*got)
		got[strlen(got) - 2] = '\0';
	is_text(got, expected, sentence);
}

#define RUN(rig, steps) rig_run(rig, steps, sizeof(steps) / sizeof((steps)[0]), 3)

/* Effects as dialects write them. */
#define SCHEDULE(letter)                                          \
	{                                                         \
		.kind = RST_EFFECT_SCHEDULE, .thread = ID(letter) \
	}
#define SCHEDULE_NONE                       \
	{                                   \
		.kind = RST_EFFECT_SCHEDULE \
	}
#define SWITCH(letter, what, why)                                                                 \
	{                                                                                         \
		.kind = RST_EFFECT_SWITCH, .thread = ID(letter), .state = (what), .reason = (why) \
	}
#define WAKE(letter)                                          \
	{                                                     \
		.kind = RST_EFFECT_WAKE, .thread = ID(letter) \
	}
#define WAIT(how, why)                                                                   \
	{                                                                                \
		.kind = RST_EFFECT_WAIT, .thread = SELF, .phase = (how), .reason = (why) \
	}
#define OF(effect, how, kind_of, letter) \
	.kind = (effect), .thread = SELF, .phase = (how), .object_kind = (kind_of), .object = ID(letter)
#define ACQUIRE(how, letter, ...)                                                                    \
	{                                                                                            \
		OF(RST_EFFECT_ACQUIRE, how, RST_OBJECT_MUTEX, letter), .other = OTHER, ##__VA_ARGS__ \
	}
#define RELEASE(letter, ...)                                                              \
	{                                                                                 \
		OF(RST_EFFECT_RELEASE, RST_DONE, RST_OBJECT_MUTEX, letter), ##__VA_ARGS__ \
	}
#define PARTIAL .is_partial = true
#define RECEIVE(how, letter)                                          \
	{                                                             \
		OF(RST_EFFECT_RECEIVE, how, RST_OBJECT_QUEUE, letter) \
	}
/* It may be over at once, and behind it the thread may wait for something that is not recorded. */
#define MAY_RECEIVE(letter, ...)                                                                \
	{                                                                                       \
		OF(RST_EFFECT_RECEIVE, RST_ASKS, RST_OBJECT_QUEUE, letter), .is_partial = true, \
									    ##__VA_ARGS__       \
	}
#define SEND(how, letter)                                          \
	{                                                          \
		OF(RST_EFFECT_SEND, how, RST_OBJECT_QUEUE, letter) \
	}
#define ALLOCATE(how, letter)                                               \
	{                                                                   \
		OF(RST_EFFECT_ALLOCATE, how, RST_OBJECT_BLOCK_POOL, letter) \
	}
#define FREE(letter)                                                         \
	{                                                                    \
		OF(RST_EFFECT_FREE, RST_DONE, RST_OBJECT_BLOCK_POOL, letter) \
	}
#define PRIORITY                                                            \
	{                                                                   \
		.kind = RST_EFFECT_PRIORITY, .thread = SELF, .value = ID(1) \
	}
#define LEVEL(letter, number, ...)                                                                           \
	{                                                                                                    \
		OF(RST_EFFECT_LEVEL, RST_DONE, RST_OBJECT_QUEUE, letter), .value = ID(number), ##__VA_ARGS__ \
	}
#define INTERRUPT_IN(digit)                                         \
	{                                                           \
		.kind = RST_EFFECT_INTERRUPT_IN, .value = ID(digit) \
	}
#define INTERRUPT_OUT                            \
	{                                        \
		.kind = RST_EFFECT_INTERRUPT_OUT \
	}
#define CREATE(kind_of, letter)                                                           \
	{                                                                                 \
		.kind = RST_EFFECT_CREATE, .object_kind = (kind_of), .object = ID(letter) \
	}
#define DELETE(kind_of, letter)                                                           \
	{                                                                                 \
		.kind = RST_EFFECT_DELETE, .object_kind = (kind_of), .object = ID(letter) \
	}
#define BIRTH                                             \
	{                                                 \
		.kind = RST_EFFECT_CREATE, .object = SELF \
	}
#define MACHINE(how, letter, state)                                                       \
	{                                                                                 \
		OF(RST_EFFECT_STATE, how, RST_OBJECT_UNKNOWN, letter), .other = ID(state) \
	}
#define BEGIN(...)                                                      \
	{                                                               \
		.kind = RST_EFFECT_BEGIN, .thread = SELF, ##__VA_ARGS__ \
	}
#define END(...)                                                      \
	{                                                             \
		.kind = RST_EFFECT_END, .thread = SELF, ##__VA_ARGS__ \
	}

#endif
