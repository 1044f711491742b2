/* SPDX-License-Identifier: MIT */
#include "analysis/diff/roles.h"

#include <stdlib.h>
#include <string.h>

/*
 * A name without the number that tells it from others of that name: "server" of "server/1234", none of
 * "1234".
 */
static struct text without_number(struct text name, uint64_t number)
{
	char digits[TEXT_DEC_MAX];
	const size_t n = (size_t)(text_put_dec(digits, number) - digits);

	if (name.n_bytes < n || memcmp(name.bytes + name.n_bytes - n, digits, n) != 0)
		return name;
	if (name.n_bytes == n)
		return (struct text){ "", 0 };
	if (name.bytes[name.n_bytes - n - 1] != '/')
		return name;
	return (struct text){ name.bytes, name.n_bytes - n - 1 };
}

/* The name that a thread or process has at last: a program that begins gives its process another one. */
static struct text last_name(
	const struct roles *roles, const struct rst_entity *entity, enum rst_object_kind kind)
{
	const struct rst_object *object =
		rst_trace_find_object(roles->trace, entity->process, entity->id, kind, RST_NO_SEQ);

	if (object && object->name)
		return (struct text){ object->name, object->name_bytes };
	return (struct text){ entity->name ? entity->name : "", entity->name ? entity->name_bytes : 0 };
}

static uint64_t key_with(uint64_t key, struct text text)
{
	return key * map_factor() + map_text_key(text.bytes, text.n_bytes);
}

/* Numbers those that have a key alike: the first has 1. Returns 0 if memory ran out. */
static uint64_t count_key(struct map *counts, uint64_t key)
{
	const uintptr_t n = (uintptr_t)map_find(counts, key) + 1;

	return map_set(counts, key, (void *)n) ? n : 0;
}

/* Gives the key its number. Returns false if memory ran out. */
static bool key_count(struct map *counts, uint64_t *key)
{
	const uint64_t n = count_key(counts, *key);

	*key = *key * map_factor() + n;
	return n != 0;
}

void roles_init(struct roles *roles)
{
	*roles = (struct roles){ .threads.record_bytes = sizeof(struct role) };
}

void roles_done(struct roles *roles)
{
	subjects_done(&roles->threads);
	map_done(&roles->processes);
	arena_done(&roles->arena);
}

/* --- functions of threads ------------------------------------------------------------------------------- */

/* The function that the event is about: the first is the place of the call. */
static const struct rst_field *function_field(const struct rst_layout *layout)
{
	const struct rst_field *found = NULL;

	for (unsigned i = 1; i < layout->n_fields; i++)
		if (layout->fields[i].type == RST_OBJECT &&
			layout->fields[i].object_kind == RST_OBJECT_FUNCTION)
			found = &layout->fields[i];
	return found;
}

bool roles_take_creation(struct roles *roles, const struct rst_batch *batch, size_t row)
{
	const struct rst_context *context = batch->context[row];
	const struct rst_field *field = function_field(batch->layout[row]);
	const struct rst_object *function;
	struct role *role;

	if (!field || !context || !context->process)
		return true;
	function = rst_trace_find_object(roles->trace, context->process,
		rst_field_number(field, batch->payload[row], batch->payload_bytes[row]), RST_OBJECT_FUNCTION,
		batch->seq[row]);
	role = subject_of_context(&roles->threads, context);
	if (role && function && function->name)
		role->start = (struct text){ function->name, function->name_bytes };
	return role != NULL;
}

/* --- processes and threads ------------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The numbers of all processes, rising, each once. Returns how many. */
static size_t list_processes(const struct subjects *threads, uint64_t *ret_numbers)
{
	size_t n = 0, n_kept = 0;

	for (size_t i = 0; i < threads->n; i++)
		if (threads->all[i]->entity.process)
			ret_numbers[n++] = threads->all[i]->entity.process;
	qsort(ret_numbers, n, sizeof(*ret_numbers), compare_numbers);
	for (size_t i = 0; i < n; i++)
		if (!i || ret_numbers[i] != ret_numbers[i - 1])
			ret_numbers[n_kept++] = ret_numbers[i];
	return n_kept;
}

static bool processes_settle(struct roles *roles, const struct subjects *threads)
{
	uint64_t *numbers = calloc(threads->n + 1, sizeof(*numbers));
	const size_t n = numbers ? list_processes(threads, numbers) : 0;
	struct map counts = { 0 };
	bool is_done = numbers != NULL;

	for (size_t i = 0; i < n && is_done; i++) {
		const struct rst_entity process = { .id = numbers[i] };
		const struct text name =
			without_number(last_name(roles, &process, RST_OBJECT_PROCESS), process.id);
		uint64_t *key = arena_alloc(&roles->arena, sizeof(*key));

		if (key)
			*key = key_with(1, name);
		is_done = key && key_count(&counts, key) && map_set(&roles->processes, process.id, key);
	}
	map_done(&counts);
	free(numbers);
	return is_done;
}

static uint64_t process_key(const struct roles *roles, uint64_t process)
{
	const uint64_t *key = map_find(&roles->processes, process);

	return key ? *key : 0;
}

static int compare_roles(const void *a, const void *b)
{
	const struct role *x = *(struct role *const *)a, *y = *(struct role *const *)b;

	return compare_numbers(&x->subject.entity.id, &y->subject.entity.id);
}

static bool role_settle(const struct roles *roles, struct role *role, struct map *counts)
{
	const struct rst_entity *entity = &role->subject.entity;
	struct text name = without_number(last_name(roles, entity, RST_OBJECT_THREAD), entity->id);

	/* A thread without a name is called by both numbers. */
	name = without_number(name, entity->process);
	role->key = key_with(key_with(process_key(roles, entity->process), role->start), name);
	return key_count(counts, &role->key);
}

static bool threads_settle(struct roles *roles)
{
	const size_t n = roles->threads.n;
	struct role **in_order = calloc(n + 1, sizeof(*in_order));
	struct map counts = { 0 };
	bool is_done = in_order != NULL;

	for (size_t i = 0; i < n && is_done; i++)
		in_order[i] = (struct role *)roles->threads.all[i];
	if (is_done)
		qsort(in_order, n, sizeof(*in_order), compare_roles);
	for (size_t i = 0; i < n && is_done; i++)
		is_done = role_settle(roles, in_order[i], &counts);
	map_done(&counts);
	free(in_order);
	return is_done;
}

bool roles_settle(struct roles *roles, const struct subjects *threads)
{
	bool is_done = true;

	for (size_t i = 0; i < threads->n && is_done; i++)
		if (threads->all[i]->entity.process)
			is_done = subject_of(&roles->threads, &threads->all[i]->entity) != NULL;
	return is_done && processes_settle(roles, &roles->threads) && threads_settle(roles);
}

/* --- keys ----------------------------------------------------------------------------------------------- */

static bool is_thread(const struct rst_entity *entity)
{
	return entity->kind && strcmp(entity->kind, "thread") == 0;
}

/* Whatever has no process is known by its name. */
static uint64_t name_key(const struct rst_entity *entity)
{
	return entity->name ? map_text_key(entity->name, entity->name_bytes) : entity->id * map_factor() + 1;
}

uint64_t roles_thread(const struct roles *roles, const struct rst_entity *thread)
{
	const struct role *role = thread->process ? subject_find(&roles->threads, thread) : NULL;

	return role ? role->key : name_key(thread);
}

static bool key_of(
	const struct roles *roles, const struct rst_entity *entity, struct map *counts, uint64_t *ret_key)
{
	const struct text kind = { entity->kind ? entity->kind : "",
		entity->kind ? strlen(entity->kind) : 0 };
	const struct text name = { entity->name ? entity->name : "", entity->name ? entity->name_bytes : 0 };

	*ret_key = is_thread(entity) ? roles_thread(roles, entity) : name_key(entity);
	if (is_thread(entity) || !entity->process)
		return true;
	*ret_key = key_with(key_with(process_key(roles, entity->process), kind), name);
	return key_count(counts, ret_key);
}

bool roles_keys(const struct roles *roles, const struct subjects *subjects, uint64_t *keys)
{
	struct map counts = { 0 };
	bool is_done = true;

	for (size_t i = 0; i < subjects->n && is_done; i++)
		is_done = key_of(roles, &subjects->all[i]->entity, &counts, &keys[i]);
	map_done(&counts);
	return is_done;
}

struct text roles_words(const struct roles *roles, const struct rst_entity *entity)
{
	const struct role *role = is_thread(entity) ? subject_find(&roles->threads, entity) : NULL;
	struct text name = { entity->name, entity->name ? entity->name_bytes : 0 };

	if (!entity->process)
		return (struct text){ "", 0 };
	if (role && role->start.n_bytes)
		return role->start;
	if (role)
		name = last_name(roles, entity, RST_OBJECT_THREAD);
	if (name.n_bytes)
		name = without_number(without_number(name, entity->id), entity->process);
	if (name.n_bytes || !entity->kind)
		return name;
	return (struct text){ entity->kind, strlen(entity->kind) };
}
