/* SPDX-License-Identifier: MIT */
#include "dialect/store/disguise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <rastrum/field.h>

#include "base/array.h"
#include "dialect/store/definitions_parts.h"

/* So many characters in a row are taken for text in AIX data words. */
enum { TEXT_RUN = 4 };

struct disguised {
	const char *name, *other;
	size_t n_bytes;
	enum rst_object_kind kind;
	struct disguised *next; /* of the same key */
};

bool disguise_init(struct disguise *disguise, bool hides_times)
{
	*disguise = (struct disguise){ .hides_times = hides_times };
	return getrandom(disguise->key, sizeof(disguise->key), 0) == (ssize_t)sizeof(disguise->key);
}

void disguise_done(struct disguise *disguise)
{
	map_done(&disguise->names);
	arena_done(&disguise->arena);
	free(disguise->clean);
}

/* --- names ---------------------------------------------------------------------------------------------- */

static const char *name_make(struct disguise *disguise, enum rst_object_kind kind)
{
	const char *word = kind == RST_OBJECT_UNKNOWN ? "name" : rst_object_kind_name(kind);
	char text[80];
	const int n =
		snprintf(text, sizeof(text), "%s-%llu", word, (unsigned long long)++disguise->n_names[kind]);

	return arena_copy(&disguise->arena, text, (size_t)n);
}

static bool is_name(
	const struct disguised *known, enum rst_object_kind kind, const char *name, size_t n_bytes)
{
	return known->kind == kind && known->n_bytes == n_bytes && memcmp(known->name, name, n_bytes) == 0;
}

const char *disguise_name(
	struct disguise *disguise, enum rst_object_kind kind, const char *name, size_t n_bytes)
{
	const uint64_t key = map_text_key(name, n_bytes);
	struct disguised *first = map_find(&disguise->names, key), *known = first;

	if (n_bytes == 0)
		return "";
	for (size_t i = 0; i < disguise->n_kept; i++)
		if (strlen(disguise->kept[i]) == n_bytes && memcmp(disguise->kept[i], name, n_bytes) == 0)
			return disguise->kept[i];
	while (known && !is_name(known, kind, name, n_bytes))
		known = known->next;
	if (known)
		return known->other;
	known = arena_alloc(&disguise->arena, sizeof(*known));
	if (!known)
		return NULL;
	*known = (struct disguised){ .name = arena_copy(&disguise->arena, name, n_bytes),
		.other = name_make(disguise, kind),
		.n_bytes = n_bytes,
		.kind = kind,
		.next = first };
	return known->name && known->other && map_set(&disguise->names, key, known) ? known->other : NULL;
}

bool name_disguise(struct disguise *disguise, enum rst_object_kind kind, const char **name, size_t *n_bytes)
{
	const char *other;

	if (!*name)
		return true;
	other = disguise_name(disguise, kind, *name, n_bytes ? *n_bytes : strlen(*name));
	if (!other)
		return false;
	*name = other;
	if (n_bytes)
		*n_bytes = strlen(other);
	return true;
}

/* --- payloads ------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t by)
{
	hash = (hash ^ by) * 0x9e3779b97f4a7c15U;
	return hash ^ hash >> 29;
}

static void put_letters(const struct disguise *disguise, uint8_t *at, size_t n_bytes)
{
	uint64_t hash = disguise->key[0];

	for (size_t i = 0; i < n_bytes; i++)
		hash = mix(hash, at[i] + disguise->key[1]);
	for (size_t i = 0; i < n_bytes; i++) {
		hash = mix(hash, disguise->key[1] + i);
		at[i] = (uint8_t)('a' + (hash >> 33) % 26);
	}
}

/*
 * Disguises runs of characters behind the hook word of an AIX entry: only templates define where its texts
 * are.
 */
static void words_disguise(
	const struct disguise *disguise, const struct rst_layout *layout, uint8_t *payload, size_t n_bytes)
{
	size_t n_run = 0;

	for (size_t i = layout->hook_bytes; i <= n_bytes; i++) {
		if (i < n_bytes && payload[i] >= ' ' && payload[i] <= '~') {
			n_run++;
			continue;
		}
		if (n_run >= TEXT_RUN)
			put_letters(disguise, payload + i - n_run, n_run);
		n_run = 0;
	}
}

/* Copies bytes of a payload, as far as it has them. */
static void copy_some(uint8_t *to, const uint8_t *from, size_t at, size_t n_some, size_t n_bytes)
{
	if (at < n_bytes)
		memcpy(to + at, from + at, n_some < n_bytes - at ? n_some : n_bytes - at);
}

/*
 * Copies the field, with letters in place of recorded text or bytes. Bytes behind the end of a text are not
 * copied.
 */
static void field_disguise(const struct disguise *disguise, const struct rst_field *field, uint8_t *to,
	const uint8_t *from, size_t n_bytes)
{
	const uint8_t *found;
	size_t n_found;

	if (!rst_field_is_there(field, n_bytes))
		return;
	if (rst_field_is_number(field) || field->extent != RST_EXTENT_FIXED)
		copy_some(to, from, field->offset, field->n_bytes, n_bytes);
	if (rst_field_is_number(field))
		return;
	found = rst_field_bytes(field, from, n_bytes, &n_found);
	copy_some(to, from, (size_t)(found - from), n_found, n_bytes);
	if (field->type != RST_SEQUENCE && !field->is_words)
		put_letters(disguise, to + (found - from), n_found);
}

bool disguise_payload(
	struct disguise *disguise, const struct rst_layout *layout, uint8_t *payload, size_t n_bytes)
{
	if (layout->hook_bytes) {
		words_disguise(disguise, layout, payload, n_bytes);
		return true;
	}
	if (n_bytes == 0)
		return true;
	uint8_t *clean = array_reach(disguise->clean, &disguise->clean_room, n_bytes, 1);

	if (!clean)
		return false;
	disguise->clean = clean;
	memset(clean, 0, n_bytes);
	for (unsigned i = 0; i < layout->n_fields; i++)
		field_disguise(disguise, &layout->fields[i], clean, payload, n_bytes);
	memcpy(payload, clean, n_bytes);
	return true;
}
