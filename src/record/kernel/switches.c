/* SPDX-License-Identifier: MIT */
#include "record/kernel/switches.h"
#include "record/kernel/clock.h"
#include "record/kernel/rings.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define PAIR_TRIES     4
#define LOOK_TRIES     4
#define PAIRS_APART_NS 10000000u

/* The values of two clocks at one instant. */
struct instant {
	uint64_t ticks, time;
};

struct source {
	bool has_record;
	struct switches_record record;
	struct perf_record last, last_fault; /* last: a switch */
};

struct switches {
	struct rings rings;
	enum log_clock clock;
	clockid_t times; /* of the records */
	uint16_t types[PERF_N_SWITCHES];
	struct instant before, now; /* of the last look, and one well in front of it */
	struct source *first;	    /* whose record was given */
	struct source sources[];
};

static const char *const names[PERF_N_SWITCHES] = {
	[PERF_IN] = "sched_in",
	[PERF_WAIT] = "sched_wait",
	[PERF_PREEMPT] = "sched_preempt",
	[PERF_EXIT] = "sched_exit",
	[PERF_FAULT] = "page_fault",
};

const char *switches_name(enum perf_kind kind)
{
	return kind < PERF_N_SWITCHES ? names[kind] : NULL;
}

/* --- time ----------------------------------------------------------------------------------------------- */

/*
 * The kernel stamps with a clock, the stream with the counter: of two instants both are known, and a line
 * goes through them. It is CLOCK_MONOTONIC_RAW, which is never adjusted, so that the line is straight; what
 * is stamped between the instants is as exact as these are, a few dozen nanoseconds. A stream of
 * CLOCK_MONOTONIC has the same clock itself.
 */
static clockid_t times_of(enum log_clock clock)
{
	return clock == LOG_CLOCK_TSC ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC;
}

static uint64_t time_now(clockid_t id)
{
	struct timespec now;

	clock_gettime(id, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static struct instant instant_now(const struct switches *switches)
{
	struct instant best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < PAIR_TRIES; i++) {
		uint64_t from = clock_ticks(switches->clock);
		uint64_t time = time_now(switches->times);
		uint64_t to = clock_ticks(switches->clock);

		if (to - from >= width)
			continue;
		width = to - from;
		best = (struct instant){ from + width / 2, time };
	}
	if (switches->clock == LOG_CLOCK_MONOTONIC)
		best.ticks = best.time;
	return best;
}

static uint64_t ticks_of(const struct switches *switches, uint64_t time)
{
	const struct instant *before = &switches->before, *now = &switches->now;
	double per_time;

	if (switches->clock == LOG_CLOCK_MONOTONIC || now->time <= before->time)
		return switches->clock == LOG_CLOCK_MONOTONIC ? time : now->ticks;
	per_time = (double)(now->ticks - before->ticks) / (double)(now->time - before->time);
	return now->ticks + (uint64_t)(int64_t)((double)(int64_t)(time - now->time) * per_time);
}

/*
 * The cursors are read behind the instant: what is stamped up to it has been noticed, but for what a
 * processor is just writing, which takes it less than a microsecond. A recorder that was too slow looks
 * again.
 */
static void switches_look(struct switches *switches)
{
	struct instant now = instant_now(switches);

	if (now.time - switches->now.time >= PAIRS_APART_NS && !switches->rings.overwrites)
		switches->before = switches->now;
	switches->now = now;
	for (int i = 1; !rings_look(&switches->rings) && i < LOOK_TRIES; i++)
		switches->now = instant_now(switches);
}

/* --- records -------------------------------------------------------------------------------------------- */

static bool is_fault_again(struct source *source, const struct perf_record *record)
{
	const struct perf_record last = source->last_fault;

	source->last_fault = *record;
	return last.tid == record->tid && last.address == record->address &&
	       last.instruction == record->instruction;
}

/*
 * A thread with two events (rings_open.c) gives all twice. On one CPU no thread comes or goes twice in a row,
 * and a page that was missing is there.
 */
static bool is_again(struct source *source, const struct perf_record *record)
{
	const struct perf_record last = source->last;

	if (record->kind == PERF_FAULT)
		return is_fault_again(source, record);
	if (record->kind == PERF_LOST)
		source->last.tid = 0;
	if (record->kind >= PERF_N_SWITCHES)
		return false;
	source->last = *record;
	return last.kind == record->kind && last.tid == record->tid;
}

/* A loss began before the record that stands behind it, which may be later than the look. */
static uint64_t record_ticks(const struct switches *switches, const struct perf_record *what)
{
	uint64_t ticks = what->time ? ticks_of(switches, what->time) : switches->now.ticks;

	return what->kind == PERF_LOST && ticks > switches->now.ticks ? switches->now.ticks : ticks;
}

static void source_fill(struct switches *switches, uint32_t i)
{
	struct source *source = &switches->sources[i];
	struct perf_record *what = &source->record.what;

	while (!source->has_record && rings_take(&switches->rings, i, what)) {
		if (what->kind == PERF_OTHER || is_again(source, what))
			continue;
		source->has_record = true;
		source->record.type = what->kind < PERF_N_SWITCHES ? switches->types[what->kind] : 0;
		source->record.ticks = record_ticks(switches, what);
	}
}

static struct source *oldest(struct switches *switches)
{
	struct source *first = NULL;

	for (uint32_t i = 0; i < switches->rings.n_rings; i++) {
		struct source *source = &switches->sources[i];

		source_fill(switches, i);
		if (source->has_record && (!first || source->record.ticks < first->record.ticks))
			first = source;
	}
	return first;
}

uint64_t switches_begin(struct switches *switches)
{
	for (uint32_t i = 0; i < switches->rings.n_rings; i++)
		switches->sources[i] = (struct source){ 0 };
	switches_look(switches);
	return switches->now.ticks;
}

const struct switches_record *switches_peek(struct switches *switches, uint64_t until)
{
	if (!switches->rings.overwrites && until > switches->now.ticks)
		switches_look(switches);
	switches->first = oldest(switches);
	return switches->first && switches->first->record.ticks <= until ? &switches->first->record : NULL;
}

void switches_take(struct switches *switches)
{
	switches->first->has_record = false;
}

void switches_discard(struct switches *switches)
{
	switches_look(switches);
	while ((switches->first = oldest(switches)))
		switches_take(switches);
}

bool switches_are_many(const struct switches *switches, bool *ret_any)
{
	return rings_are_filling(&switches->rings, ret_any);
}

/* --- life ----------------------------------------------------------------------------------------------- */

int switches_open(struct switches **ret_switches, const struct switches_config *config)
{
	const struct rings_config wanted = {
		.pid = config->pid,
		.is_inherited = config->is_inherited,
		.overwrites = config->is_recorder,
		.has_faults = config->has_faults,
		.clock = times_of(config->clock),
	};
	struct switches *switches;
	struct rings rings;
	int error = rings_open(&rings, &wanted);

	if (error)
		return error;
	switches = calloc(1, sizeof *switches + rings.n_rings * sizeof switches->sources[0]);
	if (!switches) {
		rings_close(&rings);
		return ENOMEM;
	}
	switches->rings = rings;
	switches->clock = config->clock;
	memcpy(switches->types, config->types, sizeof switches->types);
	switches->times = wanted.clock;
	switches->before = switches->now = instant_now(switches);
	*ret_switches = switches;
	return 0;
}

void switches_close(struct switches *switches)
{
	if (!switches)
		return;
	rings_close(&switches->rings);
	free(switches);
}
