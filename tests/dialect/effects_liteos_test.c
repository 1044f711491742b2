/* SPDX-License-Identifier: MIT */
/*
 * The effects of LiteOS against what its recordings say themselves (tests/data/liteos/README.md). Effects are
 * applied as they come, in the plainest way; then the status bits of each record, the task that makes the
 * next record, the owner and the level that the next record of a mutex or queue has must be those that the
 * effects gave. Status bits are read here by tables of their own. The recordings of liteos_m are of the real
 * kernel; those of the others are scripted, so less can be asked of them.
 */
#include <glob.h>
#include <rastrum/effect.h>
#include <rastrum/field.h>
#include <rastrum/trace.h>
#include <stdio.h>
#include <string.h>

#include "dialect/liteos/liteos.h"
#include "model/model.h"
#include "tests/tap.h"

enum { TASKS = 65536, OBJECTS = 64, CORES = 256, WRONG_MAX = 3, NONE = -1 };

struct task {
	enum rst_state state;
	enum rst_reason reason;
	enum rst_effect_kind asked; /* of an open request, or none … */
	uint64_t object;	    /* … and of what */
	bool gave_up;		    /* how its last wait ended */
	const struct rst_context *thread;
};

struct replay {
	const char *path;
	struct rst_trace *trace;
	const struct rst_batch *batch;
	size_t row;
	bool is_a, is_m;
	struct task tasks[TASKS];
	int32_t running[CORES + 1];
	int32_t owner[OBJECTS], level[OBJECTS]; /* by id, of liteos_m */
	unsigned n_switches, n_states, n_cores, n_owners, n_levels, n_timeouts, n_wrong;
	unsigned n_in_all; /* of all recordings */
};

static void wrong(struct replay *replay, const char *what, uint64_t expected, uint64_t got)
{
	if (replay->n_wrong++ < WRONG_MAX)
		printf("# %s: event %llu: %s is %llu, not %llu\n", replay->path,
			(unsigned long long)replay->batch->seq[replay->row], what, (unsigned long long)got,
			(unsigned long long)expected);
}

static void compare(
	struct replay *replay, unsigned *counter, const char *what, uint64_t expected, uint64_t got)
{
	(*counter)++;
	if (expected != got)
		wrong(replay, what, expected, got);
}

/* --- what the record says ------------------------------------------------------------------------------- */

static bool has_param(const struct replay *replay, const char *name, uint64_t *ret)
{
	const struct rst_layout *layout = replay->batch->layout[replay->row];
	const uint32_t n_bytes = replay->batch->payload_bytes[replay->row];

	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];

		if (strcmp(field->name, name) != 0 || field->offset + field->n_bytes > n_bytes)
			continue;
		*ret = rst_field_number(field, replay->batch->payload[replay->row], n_bytes);
		return true;
	}
	return false;
}

static uint64_t param(struct replay *replay, const char *name)
{
	uint64_t number = 0;

	if (!has_param(replay, name, &number))
		wrong(replay, name, 1, 0);
	return number;
}

static bool is_type(const struct replay *replay, const char *name)
{
	return strcmp(replay->batch->type[replay->row]->name, name) == 0;
}

/* los_task_pri.h: bit numbers of each kernel. A task that pends or sleeps has no other bit that counts. */
static enum rst_state state_of(const struct replay *replay, uint64_t status)
{
	static const struct {
		uint8_t bit_of_a, bit_of_m;
		enum rst_state state;
	} bits[] = { { 8, 8, RST_STATE_ENDED }, { 10, 0, RST_STATE_ENDED }, { 4, 3, RST_STATE_WAITING },
		{ 5, 5, RST_STATE_WAITING }, { 3, 1, RST_STATE_WAITING }, { 2, 4, RST_STATE_RUNNING },
		{ 1, 2, RST_STATE_READY } };

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++)
		if (status >> (replay->is_a ? bits[i].bit_of_a : bits[i].bit_of_m) & 1)
			return bits[i].state;
	return RST_STATE_UNKNOWN;
}

static enum rst_reason reason_of(const struct replay *replay, uint64_t status)
{
	const bool pends = status & (replay->is_a ? 0x10 : 8), sleeps = status & 0x20;

	if (pends)
		return RST_REASON_NONE;
	return sleeps					       ? RST_REASON_SLEEP
	       : state_of(replay, status) == RST_STATE_WAITING ? RST_REASON_SUSPENDED
							       : RST_REASON_NONE;
}

/* --- what effects make of it ---------------------------------------------------------------------------- */

static struct task *task_of(struct replay *replay, const struct rst_context *context)
{
	struct task *task = &replay->tasks[context->id & 0xffff];

	if (task->thread && task->thread != context->thread)
		wrong(replay, "the context of the same thread", task->thread->id, context->thread->id);
	task->thread = context->thread;
	return task;
}

/* A task waits for what is put into the object, or taken out of it. */
static bool is_waited_for(struct replay *replay, uint64_t object, enum rst_effect_kind direction)
{
	for (size_t i = 0; i < TASKS; i++)
		if (replay->tasks[i].state == RST_STATE_WAITING && replay->tasks[i].asked == direction &&
			replay->tasks[i].object == object)
			return true;
	return false;
}

static void apply_switch(struct replay *replay, const struct rst_effect_facts *facts)
{
	const uint16_t core = replay->batch->core[replay->row];
	struct task *old = task_of(replay, replay->batch->context[replay->row]);
	struct task *new = task_of(replay, facts->thread);

	old->state = facts->state;
	old->reason = facts->reason;
	new->state = RST_STATE_RUNNING;
	new->asked = RST_EFFECT_NONE;
	replay->running[core == RST_NO_CORE ? CORES : core] = (int32_t)(facts->thread->id & 0xffff);
}

static void apply_request(struct replay *replay, const struct rst_effect_facts *facts)
{
	struct task *task;

	if (facts->thread->kind != RST_CONTEXT_THREAD)
		return;
	task = task_of(replay, facts->thread);
	task->asked = facts->phase == RST_ASKS ? facts->effect->kind : RST_EFFECT_NONE;
	task->object = facts->object.id;
}

static void apply_lock(struct replay *replay, const struct rst_effect_facts *facts)
{
	int32_t *owner = &replay->owner[facts->object.id % OBJECTS];

	if (facts->effect->kind == RST_EFFECT_ACQUIRE && facts->phase == RST_ASKS) {
		if (replay->is_m && facts->other.is_there && *owner != NONE)
			compare(replay, &replay->n_owners, "the owner", facts->other.id, (uint64_t)*owner);
		*owner = facts->other.is_there ? (int32_t)facts->other.id : *owner;
	} else if (facts->effect->kind == RST_EFFECT_ACQUIRE && facts->phase == RST_DONE) {
		*owner = (int32_t)(facts->thread->id & 0xffff);
	} else if (facts->effect->kind == RST_EFFECT_RELEASE && !facts->amount) {
		*owner = facts->other.is_there ? (int32_t)facts->other.id : NONE;
	}
}

static void apply_level(struct replay *replay, const struct rst_effect_facts *facts)
{
	int32_t *level = &replay->level[facts->object.id % OBJECTS];

	if (facts->object.kind != RST_OBJECT_QUEUE)
		return;
	const enum rst_effect_kind other =
		facts->effect->value.add > 0 ? RST_EFFECT_RECEIVE : RST_EFFECT_SEND;

	if (!facts->effect->is_handed_over || !is_waited_for(replay, facts->object.id, other))
		*level = (int32_t)facts->value;
}

static void forget_levels(struct replay *replay)
{
	for (size_t i = 0; i < OBJECTS; i++)
		replay->level[i] = NONE;
}

static void forget_all(struct replay *replay)
{
	memset(replay->tasks, 0, sizeof(replay->tasks));
	forget_levels(replay);
	for (size_t i = 0; i < OBJECTS; i++)
		replay->owner[i] = NONE;
	for (size_t i = 0; i <= CORES; i++)
		replay->running[i] = NONE;
}

static void apply_gap(struct replay *replay, const struct rst_effect_facts *facts)
{
	(void)facts;
	forget_all(replay);
}

static void apply_wake(struct replay *replay, const struct rst_effect_facts *facts)
{
	struct task *task = task_of(replay, facts->thread);

	/* It waited before anything was known of it, perhaps for what has just been put into a queue. */
	if (task->state == RST_STATE_UNKNOWN || task->asked == RST_EFFECT_NONE)
		forget_levels(replay);
	task->gave_up = facts->phase == RST_GAVE_UP;
	if (task->state != RST_STATE_RUNNING)
		task->state = RST_STATE_READY;
}

static void apply_wait(struct replay *replay, const struct rst_effect_facts *facts)
{
	if (facts->phase == RST_DONE)
		task_of(replay, facts->thread)->state = RST_STATE_WAITING;
}

static void apply_create(struct replay *replay, const struct rst_effect_facts *facts)
{
	if (facts->object.kind == RST_OBJECT_THREAD)
		replay->tasks[facts->object.id & 0xffff].state = facts->state;
	else if (facts->object.kind == RST_OBJECT_MUTEX)
		replay->owner[facts->object.id % OBJECTS] = NONE;
}

static void apply_acquire(struct replay *replay, const struct rst_effect_facts *facts)
{
	apply_lock(replay, facts);
	apply_request(replay, facts);
}

static void (*const appliers[RST_N_EFFECTS])(struct replay *, const struct rst_effect_facts *) = {
	[RST_EFFECT_SWITCH] = apply_switch,
	[RST_EFFECT_WAKE] = apply_wake,
	[RST_EFFECT_WAIT] = apply_wait,
	[RST_EFFECT_CREATE] = apply_create,
	[RST_EFFECT_ACQUIRE] = apply_acquire,
	[RST_EFFECT_RELEASE] = apply_lock,
	[RST_EFFECT_SEND] = apply_request,
	[RST_EFFECT_RECEIVE] = apply_request,
	[RST_EFFECT_LEVEL] = apply_level,
	[RST_EFFECT_GAP] = apply_gap,
};

/* --- comparing ------------------------------------------------------------------------------------------ */

/* In front of the effects of a record: what those before it have led to. */
static void check_before(struct replay *replay)
{
	const uint16_t core = replay->batch->core[replay->row];
	const int32_t running = replay->running[core == RST_NO_CORE ? CORES : core];
	uint64_t readable;

	if (!is_type(replay, "TASK_SWITCH")) {
		if (replay->is_m && is_type(replay, "QUEUE_RW") && has_param(replay, "readable", &readable) &&
			replay->level[param(replay, "queueId") % OBJECTS] != NONE)
			compare(replay, &replay->n_levels, "the level of a queue", readable,
				(uint64_t)replay->level[param(replay, "queueId") % OBJECTS]);
		return;
	}
	if (running != NONE && (replay->is_m || core != RST_NO_CORE))
		compare(replay, &replay->n_cores, "the task that runs", param(replay, "curTask") & 0xffff,
			(uint64_t)running);
}

/* The status of a task, in a record that is made about it, before the record changes it. */
static void check_status(struct replay *replay)
{
	const bool is_told = is_type(replay, "TASK_PRIOSET") || is_type(replay, "TASK_DELETE");
	uint64_t status;

	if (!replay->is_m || !is_told || !has_param(replay, "taskStatus", &status))
		return;
	const struct task *task = &replay->tasks[param(replay, "taskId") & 0xffff];

	if (task->state != RST_STATE_UNKNOWN && task->state != RST_STATE_CREATED)
		compare(replay, &replay->n_states, "the state of a task", state_of(replay, status),
			task->state);
}

static void check_switch(struct replay *replay)
{
	const struct task *new = &replay->tasks[param(replay, "newTaskId") & 0xffff];
	uint64_t status;

	/* liteos_m records each task that becomes ready, and how its wait ended. */
	if (replay->is_m && new->state != RST_STATE_UNKNOWN)
		compare(replay, &replay->n_states, "the state of the task that is to run", RST_STATE_READY,
			new->state);
	if (replay->is_m && has_param(replay, "newTaskStatus", &status) && status & 0x40)
		compare(replay, &replay->n_timeouts, "the timeout of the task that is to run", 1,
			new->gave_up);
}

static void check_left(struct replay *replay)
{
	const struct task *old = &replay->tasks[param(replay, "curTask") & 0xffff];
	const struct task *new = &replay->tasks[param(replay, "newTaskId") & 0xffff];
	const uint64_t status = param(replay, "oldTaskStatus");

	if (old != new) {
		compare(replay, &replay->n_switches, "the state of the task that leaves",
			state_of(replay, status), old->state);
		compare(replay, &replay->n_states, "why it leaves", reason_of(replay, status), old->reason);
	}
	compare(replay, &replay->n_states, "the state of the task that runs", RST_STATE_RUNNING, new->state);
}

static void replay_row(struct replay *replay)
{
	const struct rst_layout *layout = replay->batch->layout[replay->row];
	const bool is_switch = is_type(replay, "TASK_SWITCH");
	struct rst_effect_facts facts;

	check_before(replay);
	check_status(replay);
	if (is_switch)
		check_switch(replay);
	for (unsigned i = 0; i < layout->n_effects; i++)
		if (rst_effect_read(replay->trace, replay->batch, replay->row, &layout->effects[i], &facts) &&
			appliers[layout->effects[i].kind])
			appliers[layout->effects[i].kind](replay, &facts);
	if (is_switch)
		check_left(replay);
}

static void replay_begin(struct replay *replay, const char *path)
{
	const char *name = path + strlen("tests/data/liteos/");
	const unsigned n_in_all = replay->n_in_all;

	memset(replay, 0, sizeof(*replay));
	replay->n_in_all = n_in_all;
	replay->path = path;
	replay->is_a = name[0] == 'a';
	replay->is_m = name[0] == 'm';
	forget_all(replay);
}

static void check_recording(struct replay *replay, const char *path)
{
	struct rst_error err;

	replay_begin(replay, path);
	if (!ok(rst_trace_open(&replay->trace, path, NULL, &err) == RST_OK, "%s can be opened", path))
		return;
	while (rst_trace_next(replay->trace, &replay->batch, &err) == RST_OK)
		for (replay->row = 0; replay->row < replay->batch->n_events; replay->row++)
			if (replay->batch->type[replay->row]->marker == RST_EVENT)
				replay_row(replay);
	ok(replay->n_wrong == 0, "%s: effects give what its records say", path);
	printf("# %u switches, %u states, %u times who runs, %u owners, %u levels, %u timeouts\n",
		replay->n_switches, replay->n_states, replay->n_cores, replay->n_owners, replay->n_levels,
		replay->n_timeouts);
	replay->n_in_all += replay->n_switches + replay->n_states + replay->n_cores + replay->n_owners +
			    replay->n_levels + replay->n_timeouts;
	rst_trace_free(replay->trace);
}

static void check_recordings(const char *pattern, struct replay *replay)
{
	glob_t found;

	ok(glob(pattern, 0, NULL, &found) == 0, "there are recordings %s", pattern);
	for (size_t i = 0; i < found.gl_pathc; i++)
		check_recording(replay, found.gl_pathv[i]);
	globfree(&found);
}

/*
 * Each type of the table has effects, or the reason why it has none; of a number that no table knows nothing
 * is known.
 */
static void check_table(void)
{
	static struct model model;
	unsigned n_without = 0;

	ok(model_init(&model) && dialect_liteos.catalogue(&model), "there is a table of events");
	for (size_t i = 0; i < model.n_layouts; i++) {
		const struct rst_layout *layout = model.layouts[i];

		if (layout->type->marker != RST_EVENT || strstr(layout->type->name, "UNKNOWN"))
			continue;
		n_without += !ok((layout->n_effects > 0) != (layout->no_effect != NULL),
			"%s has effects or a reason", layout->type->name);
	}
	ok(n_without == 0 && model.n_layouts > 70, "each event has effects or a reason");
	model_done(&model);
}

int main(void)
{
	static struct replay replay;

	check_table();
	check_recordings("tests/data/liteos/*/offline*.bin", &replay);
	check_recordings("tests/data/liteos/*/online.tlv", &replay);
	check_recordings("tests/data/liteos/*/dump*.txt", &replay);
	ok(replay.n_in_all > 10000, "they say much: %u things are compared", replay.n_in_all);
	return tap_done();
}
