/* SPDX-License-Identifier: MIT */
#include "dialect/liteos/events.h"

#include <limits.h>
#include <stdio.h>

#include "dialect/event_table.h"

/* The vocabulary of the table, see event_table.h and events.def. */
#define OBJECT(name, kind)	{ #name, RST_OBJECT, RST_OBJECT_##kind, LIST_NONE },
#define TASK(name)		OBJECT(name, THREAD)
#define TIMER(name)		OBJECT(name, TIMER)
#define QUEUE(name)		OBJECT(name, QUEUE)
#define SEMAPHORE(name)		OBJECT(name, SEMAPHORE)
#define MUTEX(name)		OBJECT(name, MUTEX)
#define EVENT_FLAGS(name)	OBJECT(name, EVENT_FLAGS)
#define BYTE_POOL(name)		OBJECT(name, BYTE_POOL)
#define PLAIN(name, type, list) { #name, type, RST_OBJECT_UNKNOWN, list },
#define PROCESS(name)		PLAIN(name, RST_UNSIGNED, LIST_NONE)
#define NUMBER(name)		PLAIN(name, RST_UNSIGNED, LIST_NONE)
#define HEX(name)		PLAIN(name, RST_HEX, LIST_NONE)
#define ADDRESS(name)		PLAIN(name, RST_ADDRESS, LIST_NONE)
#define STATE(name)		PLAIN(name, RST_ENUM, LIST_STATE)
#define QUEUE_WAY(name)		PLAIN(name, RST_ENUM, LIST_QUEUE_WAY)
#define TIMEOUT(name)		PLAIN(name, RST_ENUM, LIST_TIMEOUT)
#define VARY                                                      \
	{                                                         \
		NULL, RST_UNSIGNED, RST_OBJECT_UNKNOWN, LIST_NONE \
	}

#define EVENT(type, constant, label, fields, effects) { type, CASE_ALL, #constant, label, fields, effects },
#define ONLY_A(type, constant, label, fields, effects) \
	{ type, CASE_ONLY_A, #constant, label, fields, effects },
#define ON_A(type, constant, label, fields, effects) { type, CASE_ON_A, #constant, label, fields, effects },
#define HUAWEI(type, constant, label, fields, effects) \
	{ type, CASE_HUAWEI, #constant, label, fields, effects },

/* --- effects -------------------------------------------------------------------------------------------- */

#define I0 ARGUMENT(1)
#define I1 ARGUMENT(2)
#define I2 ARGUMENT(3)
#define I3 ARGUMENT(4)
#define I4 ARGUMENT(5)
#define I5 ARGUMENT(6)
#define I6 ARGUMENT(7)

#define SELF_ON_I0     .object = I0, .thread = BY_SELF
#define ONE	       .amount = CONSTANT(1), .unit = RST_UNIT_COUNT
#define HOLDS(of, ...) E(LEVEL, .object = I0, .value = of, .unit = RST_UNIT_COUNT, __VA_ARGS__)
#define REQUEST(effect, why, ...) \
	E(effect, SELF_ON_I0, .phase = RST_ASKS, .reason = RST_REASON_##why, __VA_ARGS__)
/* The same with the longest wait, if that is recorded and is not for ever. */
#define LIMITED(effect, why, ticks, ...)                                    \
	REQUEST(effect, why, .limit = ticks, .unit = RST_UNIT_KERNEL_TICKS, \
		WHEN(BELOW(ticks, FOREVER), __VA_ARGS__))
/*
 * A request that may be over at once, where the kernel does not record all that tasks wait for: the task may
 * get it, and wait for something else behind it. A level below the amount proves that it does not get it.
 */
#define UNSETTLED(effect, why, ticks, ...)                                                      \
	REQUEST(effect, why, .is_partial = true, WHEN(__VA_ARGS__))                             \
	REQUEST(effect, why, .limit = ticks, .unit = RST_UNIT_KERNEL_TICKS, .is_partial = true, \
		WHEN(BELOW(ticks, FOREVER), __VA_ARGS__))
#define BYTES(of)	    .amount = of, .unit = RST_UNIT_BYTES
#define ARM_FOR(ticks, ...) E(ARM, .object = I0, .limit = ticks, .unit = RST_UNIT_KERNEL_TICKS, __VA_ARGS__)
#define ARMS(mode, ticks)                                        \
	ARM_FOR(ticks, .value = ticks, WHEN(IS(mode, PERIODIC))) \
	ARM_FOR(ticks, .value = CONSTANT(0), WHEN(IS_NOT(mode, PERIODIC)))
#define ALLOCATES                                                            \
	E(ALLOCATE, SELF_ON_I0, .value = I1, BYTES(I2), WHEN(IS_NOT(I1, 0))) \
	E(ALLOCATE, SELF_ON_I0, .phase = RST_GAVE_UP, BYTES(I2), WHEN(IS(I1, 0)))

/*
 * LOS_WAIT_FOREVER; the owner of a mutex that no task holds; of operateType in QUEUE_RW; the type of a
 * semaphore; the mode of EVENT_READ (LOS_WAITMODE_OR, LOS_WAITMODE_AND); LOS_SWTMR_MODE_PERIOD.
 */
#define FOREVER 0xffffffffU
#define NO_TASK 0xffffffffU
enum { WRITES = 1, COUNTING = 0, FOR_ANY = 2, FOR_ALL = 4, PERIODIC = 1 };

/*
 * Bits of a task's status, in los_task_pri.h of each kernel; Huawei LiteOS has those of liteos_m but for
 * EXIT. After a wait that timed out, TIMED_OUT remains until the task runs.
 */
enum {
	UNUSED_M = 1,
	SUSPEND_M = 2,
	READY_M = 4,
	PEND_M = 8,
	RUNNING_M = 0x10,
	DELAY_M = 0x20,
	EXIT_M = 0x100
};
enum { READY_A = 2, RUNNING_A = 4, SUSPENDED_A = 8, PENDING_A = 0x10, DELAY_A = 0x20, EXIT_A = 0x100 };
enum { FROZEN_A = 0x200, UNUSED_A = 0x400, TIMED_OUT = 0x40 };

/* A running task is also put into the ready list; a task that goes on waiting stays where it is. */
enum { NOT_READY_M = RUNNING_M | PEND_M | DELAY_M, NOT_READY_A = RUNNING_A | PENDING_A | DELAY_A };

#define BIT(bit, state, why, phase)                                  \
	{                                                            \
		bit, bit, RST_STATE_##state, RST_REASON_##why, phase \
	}
#define ELSE(state, why)                                            \
	{                                                           \
		0, 0, RST_STATE_##state, RST_REASON_##why, RST_DONE \
	}

/* States of a task that leaves the processor. A task that pends waits for the object of its last request. */
CODES(left_m, BIT(UNUSED_M, ENDED, NONE, RST_DONE), BIT(EXIT_M, ENDED, NONE, RST_DONE),
	BIT(PEND_M, WAITING, NONE, RST_DONE), BIT(SUSPEND_M, WAITING, SUSPENDED, RST_DONE),
	BIT(DELAY_M, WAITING, SLEEP, RST_DONE), ELSE(READY, NONE))
CODES(left_a, BIT(UNUSED_A, ENDED, NONE, RST_DONE), BIT(EXIT_A, ENDED, NONE, RST_DONE),
	BIT(PENDING_A, WAITING, NONE, RST_DONE), BIT(SUSPENDED_A, WAITING, SUSPENDED, RST_DONE),
	BIT(FROZEN_A, WAITING, SUSPENDED, RST_DONE), BIT(DELAY_A, WAITING, SLEEP, RST_DONE),
	ELSE(READY, NONE))

/* A task that is suspended while it runs, runs on until the next switch of its core. */
CODES(suspended_m, BIT(RUNNING_M, WAITING, SUSPENDED, RST_ASKS), ELSE(WAITING, SUSPENDED))
CODES(suspended_a, BIT(RUNNING_A, WAITING, SUSPENDED, RST_ASKS), ELSE(WAITING, SUSPENDED))

CODES(created_m, BIT(READY_M, READY, NONE, RST_DONE), ELSE(CREATED, NONE))
CODES(created_a, BIT(READY_A, READY, NONE, RST_DONE), ELSE(CREATED, NONE))

CODES(resumed, BIT(TIMED_OUT, READY, NONE, RST_GAVE_UP), ELSE(READY, NONE))

static const struct event events[] = {
#include "dialect/liteos/events.def"
};

static const char *const user_names[16] = { "USER_0", "USER_1", "USER_2", "USER_3", "USER_4", "USER_5",
	"USER_6", "USER_7", "USER_8", "USER_9", "USER_A", "USER_B", "USER_C", "USER_D", "USER_E", "USER_F" };

/* los_queue.h: bit 0 writes, bit 1 is at the tail, bit 2 passes by pointer. */
static const struct rst_constant queue_way_rows[] = { { 0, "READ_HEAD" }, { 1, "WRITE_HEAD" },
	{ 2, "READ_TAIL" }, { 3, "WRITE_TAIL" }, { 4, "READ_HEAD_POINTER" }, { 5, "WRITE_HEAD_POINTER" },
	{ 6, "READ_TAIL_POINTER" }, { 7, "WRITE_TAIL_POINTER" } };
static const struct rst_constants queue_way = { "queue_way", N_ROWS(queue_way_rows), queue_way_rows };

static const struct rst_constant timeout_rows[] = { { 0, "LOS_NO_WAIT" }, { UINT32_MAX, "LOS_WAIT_FOREVER" },
	{ UINT64_MAX, "LOS_WAIT_FOREVER" } };
static const struct rst_constants timeouts = { "timeout", N_ROWS(timeout_rows), timeout_rows };

/* --- names of a task's status --------------------------------------------------------------------------- */

/* los_task.h of each kernel, from bit 0 on. */
static const char *const state_bits_a[] = { "INIT", "READY", "RUNNING", "SUSPENDED", "PENDING", "DELAY",
	"TIMEOUT", "PEND_TIME", "EXIT", "FROZEN", "UNUSED" };
static const char *const state_bits_m[] = { "UNUSED", "SUSPEND", "READY", "PEND", "RUNNING", "DELAY",
	"TIMEOUT", "PEND_TIME", "EXIT" };

/*
 * At most three bits are set together. In liteos_m the upper bits are flags, not states; these flags are
 * common.
 */
enum { STATE_BITS_TOGETHER = 3, STATE_ROWS_MAX = 640, STATE_NAME_MAX = 64 };
static const struct {
	unsigned value;
	const char *name;
} state_flags[] = { { 0, "" }, { 0x800, "STACK_FREE" }, { 0x1000, "SYSTEM_TASK" },
	{ 0x1800, "STACK_FREE|SYSTEM_TASK" } };

static char *put_state(
	char *text, const char *const *bits, unsigned n_bits, unsigned value, const char *flags)
{
	int n = 0;

	for (unsigned i = 0; i < n_bits; i++)
		if (value >> i & 1)
			n += snprintf(text + n, (size_t)(STATE_NAME_MAX - n), "%s%s", n ? "|" : "", bits[i]);
	if (*flags)
		snprintf(text + n, (size_t)(STATE_NAME_MAX - n), "%s%s", n ? "|" : "", flags);
	else if (!n)
		snprintf(text, STATE_NAME_MAX, "none");
	return text;
}

const struct rst_constants *liteos_states(struct model *model, enum liteos_variant variant)
{
	const bool is_a = variant == LITEOS_A;
	const char *const *bits = is_a ? state_bits_a : state_bits_m;
	const unsigned n_bits = is_a ? N_ROWS(state_bits_a) : N_ROWS(state_bits_m);
	struct rst_constants *states = arena_alloc(&model->arena, sizeof(*states));
	struct rst_constant *rows = arena_alloc(&model->arena, STATE_ROWS_MAX * sizeof(*rows));
	size_t n = 0;

	if (!states || !rows)
		return NULL;
	/* Values with few bits come first, because the search begins at the front. */
	for (int n_set = 0; n_set <= STATE_BITS_TOGETHER; n_set++)
		for (unsigned value = 0; value < 1U << n_bits; value++)
			for (size_t f = 0; f < (is_a ? 1 : N_ROWS(state_flags)); f++) {
				char *text = NULL;

				if (__builtin_popcount(value) != n_set || n == STATE_ROWS_MAX)
					continue;
				text = arena_alloc(&model->arena, STATE_NAME_MAX);
				if (!text)
					return NULL;
				rows[n++] = (struct rst_constant){ value | state_flags[f].value,
					put_state(text, bits, n_bits, value, state_flags[f].name) };
			}
	*states = (struct rst_constants){ is_a ? "task_status_a" : "task_status", n, rows };
	return states;
}

/* --- looking up ----------------------------------------------------------------------------------------- */

static bool is_user(uint32_t type)
{
	return type >= 0xfffffff0U;
}

const char *liteos_user_name(uint32_t type)
{
	return is_user(type) ? user_names[type & 15] : NULL;
}

const struct event *liteos_events(size_t *ret_n_rows)
{
	*ret_n_rows = N_ROWS(events);
	return events;
}

/* Returns the first row of a number, or NULL. */
static const struct event *event_first(uint32_t type)
{
	size_t low = 0, high = N_ROWS(events);

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (events[middle].type < type)
			low = middle + 1;
		else
			high = middle;
	}
	return low < N_ROWS(events) && events[low].type == type ? &events[low] : NULL;
}

const struct event *liteos_event_find(uint32_t type, enum liteos_variant variant)
{
	const enum event_case wanted = variant == LITEOS_H5  ? CASE_HUAWEI
				       : variant == LITEOS_A ? CASE_ON_A
							     : CASE_ALL;
	const struct event *first = event_first(type), *end = events + N_ROWS(events);

	if (first && first->only == CASE_ONLY_A && variant != LITEOS_A)
		return NULL;
	for (const struct event *event = first; event && event < end && event->type == type; event++)
		if (event->only == wanted)
			return event;
	return first;
}

bool liteos_is_listed(uint32_t type, enum liteos_variant variant)
{
	return is_user(type) || liteos_event_find(type, variant);
}

unsigned liteos_event_params(uint32_t type, enum liteos_variant variant)
{
	const struct event *event = liteos_event_find(type, variant);
	unsigned n = 0;

	if (liteos_event_varies(event))
		return UINT_MAX;
	while (n + 1 < LITEOS_WORDS_MAX && event->fields[n + 1].name)
		n++;
	return n;
}

void liteos_events_fixed(enum liteos_variant variant, uint16_t fixed[LITEOS_MODULES])
{
	memset(fixed, 0, LITEOS_MODULES * sizeof(*fixed));
	for (size_t i = 0; i < N_ROWS(events); i++) {
		const uint32_t type = events[i].type;

		if (liteos_event_params(type, variant) != UINT_MAX)
			fixed[__builtin_ctz(type >> LITEOS_NUMBER_BITS)] |= (uint16_t)(1U << (type & 15));
	}
}

bool liteos_is_address(const struct event_field *field, enum liteos_variant variant)
{
	return field->type == RST_ADDRESS || field->kind == RST_OBJECT_EVENT_FLAGS ||
	       field->kind == RST_OBJECT_BYTE_POOL ||
	       (field->kind == RST_OBJECT_MUTEX && variant == LITEOS_A);
}

unsigned liteos_event_numbers(uint32_t type, enum liteos_variant variant)
{
	const struct event *event = liteos_event_find(type, variant);
	unsigned words = 0;

	for (unsigned i = 0; event && i < LITEOS_WORDS_MAX && event->fields[i].name; i++) {
		words |= (unsigned)!liteos_is_address(&event->fields[i], variant) << i;
	}
	return words;
}

bool liteos_is_likely(uint32_t type)
{
	const uint32_t module = type >> LITEOS_NUMBER_BITS;

	return is_user(type) || (module && (module & (module - 1)) == 0);
}

const struct rst_constants *liteos_constants(enum liteos_list list, const struct rst_constants *states)
{
	const struct rst_constants *const lists[] = {
		[LIST_NONE] = NULL,
		[LIST_STATE] = states,
		[LIST_QUEUE_WAY] = &queue_way,
		[LIST_TIMEOUT] = &timeouts,
	};

	return lists[list];
}
