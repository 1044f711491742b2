/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>

#include "dialect/event_table.h"
#include "dialect/liteos/liteos.h"

enum { WORDS_MAX = 7, ROLES_MAX = 2 }; /* the identity and six params */

/* Which constants a field has: those of a task's status are the kernel's. */
enum list { LIST_NONE, LIST_STATE, LIST_QUEUE_WAY, LIST_TIMEOUT };

struct event_field {
	const char *name; /* NULL: there are no more */
	enum rst_field_type type;
	enum rst_object_kind kind;
	enum list list;
};

/* Whose row it is, of several with one number. */
enum event_case { CASE_ALL, CASE_HUAWEI, CASE_WRITES, CASE_TAKES };

struct event {
	uint32_t type;
	enum event_case only;
	const char *constant;
	const char *label;
	struct event_field fields[WORDS_MAX];
	struct rst_role roles[ROLES_MAX]; /* fields by number, the identity is 0 */
};

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

#define EVENT(type, constant, label, fields, roles)  { type, CASE_ALL, #constant, label, fields, roles },
#define HUAWEI(type, constant, label, fields, roles) { type, CASE_HUAWEI, #constant, label, fields, roles },
#define WRITE(type, constant, label, fields, roles)  { type, CASE_WRITES, #constant, label, fields, roles },
#define TAKEN(type, constant, label, fields, roles)  { type, CASE_TAKES, #constant, label, fields, roles },
enum { I0, I1, I2, I3, I4, I5, I6 };

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

/* --- names of a task's status ------------------------------------------------------------------------------- */

/* los_task.h of each kernel, from bit 0 on. */
static const char *const state_bits_a[] = { "INIT", "READY", "RUNNING", "SUSPENDED", "PENDING", "DELAY",
	"TIMEOUT", "PEND_TIME", "EXIT", "FROZEN", "UNUSED" };
static const char *const state_bits_m[] = { "UNUSED", "SUSPEND", "READY", "PEND", "RUNNING", "DELAY",
	"TIMEOUT", "PEND_TIME", "EXIT" };

/* Bits that go together are three at most. Upper bits are flags that are no state; two are common. */
enum { STATE_BITS_TOGETHER = 3, STATE_ROWS_MAX = 640, STATE_NAME_MAX = 48 };
static const unsigned state_flags[] = { 0, 0x800, 0x1000, 0x1800 };

static char *put_state(char *text, const char *const *bits, unsigned n_bits, unsigned value, unsigned flag)
{
	int n = 0;

	for (unsigned i = 0; i < n_bits; i++)
		if (value >> i & 1)
			n += snprintf(text + n, (size_t)(STATE_NAME_MAX - n), "%s%s", n ? "|" : "", bits[i]);
	if (flag || !n)
		snprintf(text + n, (size_t)(STATE_NAME_MAX - n), n ? "|0x%x" : "0x%x", flag);
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
	/* Few bits first: they are looked for from the front. */
	for (int n_set = 0; n_set <= STATE_BITS_TOGETHER; n_set++)
		for (unsigned value = 0; value < 1U << n_bits; value++)
			for (size_t f = 0; f < (is_a ? 1 : N_ROWS(state_flags)); f++) {
				char *text = NULL;

				if (__builtin_popcount(value) != n_set || n == STATE_ROWS_MAX)
					continue;
				text = arena_alloc(&model->arena, STATE_NAME_MAX);
				if (!text)
					return NULL;
				rows[n++] = (struct rst_constant){ value | state_flags[f],
					put_state(text, bits, n_bits, value, state_flags[f]) };
			}
	*states = (struct rst_constants){ is_a ? "task_status_a" : "task_status", n, rows };
	return states;
}

/* --- looking up --------------------------------------------------------------------------------------------- */

static bool is_user(uint32_t type)
{
	return type >= 0xfffffff0U;
}

/* The first row of a number, or NULL. */
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

static const struct event *event_find(uint32_t type, enum liteos_variant variant, unsigned flavour)
{
	const enum event_case wanted = variant == LITEOS_H5	  ? CASE_HUAWEI
				       : flavour == LITEOS_WRITES ? CASE_WRITES
				       : flavour == LITEOS_TAKES  ? CASE_TAKES
								  : CASE_ALL;
	const struct event *first = event_first(type), *end = events + N_ROWS(events);

	for (const struct event *event = first; event && event < end && event->type == type; event++)
		if (event->only == wanted || (event->only == CASE_WRITES && flavour == LITEOS_WRITES) ||
			(event->only == CASE_TAKES && flavour == LITEOS_TAKES))
			return event;
	return first;
}

const char *liteos_event_name(uint32_t type)
{
	const struct event *event = event_first(type);

	if (is_user(type))
		return user_names[type & 15];
	return event ? event->constant : NULL;
}

unsigned liteos_event_params(uint32_t type, enum liteos_variant variant)
{
	const struct event *event = event_find(type, variant, LITEOS_COMMON);
	unsigned n = 0;

	if (!event)
		return UINT_MAX;
	while (n + 1 < WORDS_MAX && event->fields[n + 1].name)
		n++;
	return n;
}

/* Of some kinds of objects the ids are addresses, of others numbers. */
static bool is_address(const struct event_field *field)
{
	return field->type == RST_ADDRESS || field->kind == RST_OBJECT_MUTEX ||
	       field->kind == RST_OBJECT_EVENT_FLAGS || field->kind == RST_OBJECT_BYTE_POOL;
}

unsigned liteos_event_numbers(uint32_t type, enum liteos_variant variant)
{
	const struct event *event = event_find(type, variant, LITEOS_COMMON);
	unsigned words = 0;

	for (unsigned i = 0; event && i < WORDS_MAX && event->fields[i].name; i++) {
		words |= (unsigned)!is_address(&event->fields[i]) << i;
	}
	return words;
}

/* The hooks of the other kernels know interrupts only as they begin and end. */
bool liteos_event_is_huawei(uint32_t type)
{
	enum { FIRST = 0x20, IN = 0x24, OUT = 0x25, LAST = 0x2c };

	return type >= FIRST && type <= LAST && type != IN && type != OUT;
}

bool liteos_is_type(uint32_t type)
{
	enum { MODULES_LAST = 0x2000 };
	const uint32_t module = type & 0xfffffff0U;

	if (is_user(type) || event_first(type))
		return true;
	return module > MODULES_LAST && (module & (module - 1)) == 0;
}

/* --- types -------------------------------------------------------------------------------------------------- */

static const struct rst_constants *constants_of(enum list list, const struct rst_constants *states)
{
	const struct rst_constants *const lists[] = {
		[LIST_NONE] = NULL,
		[LIST_STATE] = states,
		[LIST_QUEUE_WAY] = &queue_way,
		[LIST_TIMEOUT] = &timeouts,
	};

	return lists[list];
}

/* Where the n-th word is: the identity, then params. */
static uint16_t word_at(const struct liteos_layout *layout, unsigned n)
{
	return (uint16_t)(n ? layout->params_at + (n - 1) * layout->ptr : layout->identity_at);
}

static void add_field(struct rst_field *fields, unsigned *n, const char *name, enum rst_field_type type,
	unsigned at, unsigned n_bytes, bool is_big)
{
	fields[(*n)++] = (struct rst_field){ .name = name,
		.type = type,
		.offset = (uint16_t)at,
		.n_bytes = (uint16_t)n_bytes,
		.is_big_endian = is_big };
}

/* What frames say besides: behind the event's own fields. */
static unsigned bind_rest(struct rst_field *fields, unsigned n, const struct liteos_layout *layout)
{
	static const char *const registers[LITEOS_LR_MAX] = { "linkReg1", "linkReg2", "linkReg3", "linkReg4",
		"linkReg5" };

	if (layout->has_pid)
		add_field(fields, &n, "curPid", RST_UNSIGNED, layout->pid_at, 4, layout->is_big);
	if (layout->has_core)
		add_field(fields, &n, "core", RST_HEX, layout->core_at, 4, layout->is_big);
	if (layout->has_count)
		add_field(fields, &n, "eventCount", RST_UNSIGNED, layout->count_at, 4, layout->is_big);
	for (unsigned i = 0; i < layout->n_lr && i < LITEOS_LR_MAX; i++)
		add_field(fields, &n, registers[i], RST_ADDRESS, layout->lr_at + i * layout->ptr, layout->ptr,
			layout->is_big);
	return n;
}

static const struct rst_type *bind_listed(struct model *model, const struct event *event,
	const struct liteos_layout *layout, const struct rst_constants *states)
{
	struct rst_field *fields = arena_alloc(&model->arena, (WORDS_MAX + 8) * sizeof(*fields));
	unsigned n_fields = 0, n_roles = 0;

	if (!fields)
		return NULL;
	for (unsigned i = 0; i < WORDS_MAX && event->fields[i].name; i++) {
		const struct event_field *field = &event->fields[i];

		add_field(fields, &n_fields, field->name, field->type, word_at(layout, i), layout->ptr,
			layout->is_big);
		fields[i].object_kind = field->kind;
		fields[i].is_number = field->type == RST_OBJECT && !is_address(field);
		fields[i].constants = constants_of(field->list, states);
	}
	while (n_roles < ROLES_MAX && event->roles[n_roles].kind != RST_ROLE_NONE)
		n_roles++;
	return model_add_type(model, &(struct rst_type){ .id = event->type,
					     .name = event->constant,
					     .label = event->label,
					     .n_fields = bind_rest(fields, n_fields, layout),
					     .fields = fields,
					     .n_roles = n_roles,
					     .roles = event->roles });
}

/* A user event, or one of a module that no table knows: as many params as it has. */
static const struct rst_type *bind_unlisted(
	struct model *model, uint32_t type, unsigned n_params, const struct liteos_layout *layout)
{
	enum { NAME_BYTES = 32 };
	struct rst_field *fields = arena_alloc(&model->arena, (n_params + 1 + 8) * sizeof(*fields));
	char *names = arena_alloc(&model->arena, (size_t)NAME_BYTES * (n_params + 1));
	unsigned n = 0;

	if (!fields || !names)
		return NULL;
	add_field(fields, &n, "identity", RST_UNSIGNED, layout->identity_at, layout->ptr, layout->is_big);
	for (unsigned i = 1; i <= n_params; i++) {
		char *name = names + (size_t)i * NAME_BYTES;

		snprintf(name, NAME_BYTES, "param%u", i);
		add_field(fields, &n, name, RST_UNSIGNED, word_at(layout, i), layout->ptr, layout->is_big);
	}
	snprintf(names, NAME_BYTES, "LOS_TRACE_UNKNOWN+%u", type);
	return model_add_type(
		model, &(struct rst_type){ .id = type,
			       .name = is_user(type) ? user_names[type & 15] : names,
			       .label = is_user(type) ? "user event" : "event of an unlisted module",
			       .n_fields = bind_rest(fields, n, layout),
			       .fields = fields });
}

const struct rst_type *liteos_bind_type(struct model *model, uint32_t type, unsigned flavour,
	const struct liteos_layout *layout, const struct rst_constants *states)
{
	const struct event *event = event_find(type, layout->variant, flavour);

	return event ? bind_listed(model, event, layout, states)
		     : bind_unlisted(model, type, flavour, layout);
}

/* As liteos_a lays frames out without options; its user events have three params. */
bool liteos_catalogue(struct model *model)
{
	enum { USER = 7, UNLISTED = 0x4000 }; /* as many params as any template here names */
	struct liteos_layout layout = { .variant = LITEOS_A, .ptr = 4, .has_pid = true, .n_params = USER };
	const struct rst_constants *states = liteos_states(model, LITEOS_A);
	bool is_good = states != NULL;

	liteos_layout_place(&layout);
	for (size_t i = 0; i < N_ROWS(events) && is_good; i++)
		if (events[i].only == CASE_ALL)
			is_good = bind_listed(model, &events[i], &layout, states) != NULL;
	for (uint32_t i = 0; i < N_ROWS(user_names) && is_good; i++)
		is_good = bind_unlisted(model, 0xfffffff0U + i, USER, &layout) != NULL;
	return is_good && bind_unlisted(model, UNLISTED, USER, &layout);
}
