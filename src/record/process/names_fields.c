/* SPDX-License-Identifier: MIT */
/*
 * Descriptions of data, in the map's arena. A description is first written in a part that no process reads
 * yet. Then a compare-and-swap stores its offset in its entry, once; it pairs with the acquire load in
 * names_fields().
 */
#include "record/process/names_map.h"
#include "record/rendezvous/sparse.h"

#include <errno.h>
#include <string.h>

static uint32_t fields_copy(const struct log_field *from, uint32_t n, struct log_field *ret_fields)
{
	memcpy(ret_fields, from, n * sizeof(struct log_field));
	return n;
}

/* The sizes that a kind of field can have, added up: all are powers of two. */
static const uint32_t kind_sizes[] = {
	[POSIX_TRACE_SIGNED_NP] = 1 | 2 | 4 | 8,
	[POSIX_TRACE_UNSIGNED_NP] = 1 | 2 | 4 | 8,
	[POSIX_TRACE_REAL_NP] = sizeof(float) | sizeof(double),
	[POSIX_TRACE_ADDRESS_NP] = sizeof(void *),
};

static bool field_is_good(uint32_t kind, size_t size, bool is_last)
{
	if (kind == POSIX_TRACE_TEXT_NP || kind == POSIX_TRACE_BYTES_NP)
		return size <= LOG_DATA_MAX && (size || is_last);
	if (kind >= sizeof(kind_sizes) / sizeof(kind_sizes[0]))
		return false;
	return size && !(size & (size - 1)) && (kind_sizes[kind] & size);
}

static bool fields_are_good(const struct log_field *fields, uint32_t n_fields)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n_fields; i++) {
		size_t length = strnlen(fields[i].name, sizeof(fields[i].name));

		if (length == 0 || length == sizeof(fields[i].name) ||
			!field_is_good(fields[i].kind, fields[i].size, i + 1 == n_fields))
			return false;
		sum += fields[i].size;
	}
	return sum <= LOG_DATA_MAX;
}

/* From the form of <trace.h> to that of the log. */
static bool fields_take(
	const struct posix_trace_field_np *fields, size_t n_fields, struct log_field *ret_fields)
{
	if (!fields || n_fields == 0 || n_fields > LOG_FIELDS_MAX)
		return false;
	memset(ret_fields, 0, n_fields * sizeof(struct log_field));
	for (size_t i = 0; i < n_fields; i++) {
		const struct posix_trace_field_np *field = &fields[i];

		if (!field->posix_field_name || field->posix_field_kind < 0 ||
			field->posix_field_size > LOG_DATA_MAX ||
			strnlen(field->posix_field_name, sizeof(ret_fields->name)) ==
				sizeof(ret_fields->name))
			return false;
		strcpy(ret_fields[i].name, field->posix_field_name);
		ret_fields[i].kind = (uint32_t)field->posix_field_kind;
		ret_fields[i].size = (uint32_t)field->posix_field_size;
	}
	return fields_are_good(ret_fields, (uint32_t)n_fields);
}

uint32_t names_fields(const struct names *names, trace_event_id_t id, struct log_field *ret_fields)
{
	const struct names_predefined *type = names_find_predefined(id);
	const struct names_entry *entry = names_find_entry(names, id);
	const struct names_description *description;
	uint32_t offset, n;

	if (type)
		return fields_copy(type->fields, type->n_fields, ret_fields);
	offset = entry ? atomic_load_explicit(&entry->description, memory_order_acquire) : 0;
	if (offset == 0 || offset > ARENA_WORDS - DESCRIPTION_WORDS(LOG_FIELDS_MAX) ||
		offset >= atomic_load_explicit(&names_whole_const(names)->arena_used, memory_order_relaxed))
		return 0;
	description =
		(const struct names_description *)(const void *)&names_whole_const(names)->arena[offset];
	n = atomic_load_explicit(&description->n_fields, memory_order_relaxed);
	if (n > LOG_FIELDS_MAX)
		return 0;
	/* checked in the copy, which cannot change */
	fields_copy(description->fields, n, ret_fields);
	return fields_are_good(ret_fields, n) ? n : 0;
}

/* The offset of a new description in the arena. Returns 0 if there is no room. */
static uint32_t arena_put(struct names_map *map, const struct log_field *fields, uint32_t n_fields)
{
	uint32_t n_words = (uint32_t)DESCRIPTION_WORDS(n_fields);
	uint32_t offset = atomic_load_explicit(&map->arena_used, memory_order_relaxed);
	struct names_description *description;

	for (int tries = 0; tries < NAMES_TRIES; tries++) {
		if (offset == 0 || offset > ARENA_WORDS - DESCRIPTION_WORDS(LOG_FIELDS_MAX))
			return 0;
		if (!sparse_get(&map->arena[offset], n_words * sizeof(uint64_t)))
			return 0;
		if (!atomic_compare_exchange_weak(&map->arena_used, &offset, offset + n_words))
			continue;
		description = (struct names_description *)(void *)&map->arena[offset];
		atomic_store_explicit(&description->n_fields, n_fields, memory_order_relaxed);
		fields_copy(fields, n_fields, description->fields);
		return offset;
	}
	return 0;
}

int names_describe(
	struct names *names, trace_event_id_t id, const struct posix_trace_field_np *fields, size_t n_fields)
{
	struct log_field wanted[LOG_FIELDS_MAX], known[LOG_FIELDS_MAX];
	struct names_map *map = names_whole(names);
	uint32_t n = (uint32_t)n_fields, offset, none = 0;
	_Atomic uint32_t *described;

	if (!names_find_entry(names, id) || !fields_take(fields, n_fields, wanted))
		return EINVAL;
	described = &map->entries[id - NAMES_FIRST_USER].description;
	if (atomic_load_explicit(described, memory_order_relaxed) == 0) {
		offset = arena_put(map, wanted, n);
		if (offset == 0) {
			names_refuse(names);
			return ENOMEM;
		}
		if (atomic_compare_exchange_strong(described, &none, offset)) {
			names_count_change(names);
			return 0;
		}
	}
	if (names_fields(names, id, known) == n && memcmp(known, wanted, n * sizeof(wanted[0])) == 0)
		return 0;
	return EEXIST;
}
