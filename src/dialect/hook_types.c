/* SPDX-License-Identifier: MIT */
/* Types of hooks: one for each hook id, named as it; and its layouts, one for each shape of entry. */
#include "dialect/hook_word.h"

#include "base/limit.h"
#include "model/hook.h"

enum { LAYOUTS_MAX = LIMIT(16384, 32), NAME_BYTES = 5 };

#define DATA_FIELD(word_bytes)                                                           \
	{                                                                                \
		.name = "data", .type = RST_HEX, .offset = (word_bytes)-2, .n_bytes = 2, \
		.is_big_endian = true                                                    \
	}
#define WORD_FIELD(field, number, word_bytes)                                        \
	{                                                                            \
		.name = (field), .type = RST_HEX, .offset = (number) * (word_bytes), \
		.n_bytes = (word_bytes), .is_big_endian = true                       \
	}
#define PLAIN_FIELDS(word_bytes)                                                                          \
	{                                                                                                 \
		DATA_FIELD(word_bytes), WORD_FIELD("d1", 1, word_bytes), WORD_FIELD("d2", 2, word_bytes), \
			WORD_FIELD("d3", 3, word_bytes), WORD_FIELD("d4", 4, word_bytes),                 \
			WORD_FIELD("d5", 5, word_bytes)                                                   \
	}
#define GENERIC_FIELDS(word_bytes)                                                     \
	{                                                                              \
		DATA_FIELD(word_bytes), WORD_FIELD("d1", 1, word_bytes),               \
		{                                                                      \
			.name = "bytes", .type = RST_BYTES, .offset = 2 * (word_bytes) \
		}                                                                      \
	}

/* By the size of a word. An entry with n words has the first n + 1 plain fields. */
static const struct rst_field plain[2][1 + HOOK_WORDS_MAX] = { PLAIN_FIELDS(4), PLAIN_FIELDS(8) };
static const struct rst_field generic[2][3] = { GENERIC_FIELDS(4), GENERIC_FIELDS(8) };

static const struct rst_constant of_aix = { 1, HOOK_NATIVE };

/* Writes three digits, or four if the last is not 0. Returns the number that they form. */
static uint32_t put_name(char *name, uint16_t id)
{
	static const char digits[] = "0123456789ABCDEF";
	uint32_t number = id & 0xf ? id : id >> 4;
	unsigned n_digits = id & 0xf ? 4 : 3;

	for (unsigned i = 0; i < n_digits; i++)
		name[i] = digits[number >> 4 * (n_digits - 1 - i) & 0xf];
	name[n_digits] = '\0';
	return number;
}

static const struct rst_layout *layout_add(struct model *model, const struct hook_word *hook, bool is_known)
{
	bool is_64 = hook->word_bytes == 8;
	struct rst_type type = { .name = "other", .label = "" };
	struct rst_layout layout = { .hook_bytes = hook->word_bytes, .dialect = HOOK_DIALECT };
	char *name = arena_alloc(&model->arena, NAME_BYTES);

	if (!name)
		return NULL;
	if (is_known) {
		type.id = put_name(name, hook->id);
		type.name = name;
	}
	if (hook->is_of_aix) {
		layout.n_traits = 1;
		layout.traits = &of_aix;
	}
	/*
	 * In a generic entry the length stands in place of hook data; the bytes field shows it, so there is
	 * no data field.
	 */
	if (hook->is_generic) {
		layout.fields = generic[is_64] + !is_64;
		layout.n_fields = 2 + is_64;
	} else {
		layout.fields = plain[is_64];
		layout.n_fields = 1U + hook->n_words;
	}
	return model_add_layout(model, &type, &layout);
}

static const struct rst_layout *find_layout(
	struct hook_types *types, struct model *model, const struct hook_word *hook, uint64_t key)
{
	const struct rst_layout *layout = map_find(&types->layouts, key);
	bool is_known = types->layouts.n_used < LAYOUTS_MAX;

	if (layout)
		return layout;
	if (!is_known)
		key = (key & ~(uint64_t)UINT16_MAX) | 1 << 16;
	layout = is_known ? NULL : map_find(&types->layouts, key);
	if (layout)
		return layout;
	if (types->layouts.n_used == LAYOUTS_MAX &&
		!model_warn(model, "there are so many hooks that later ones are not distinguished"))
		return NULL;
	layout = layout_add(model, hook, is_known);
	return layout && map_set(&types->layouts, key, (void *)(uintptr_t)layout) ? layout : NULL;
}

const struct rst_layout *hook_layout_anew(
	struct hook_types *types, struct model *model, const struct hook_word *hook, uint64_t key)
{
	const struct rst_layout *layout = find_layout(types, model, hook, key);

	types->recent[key * 0x9e3779b97f4a7c15U >> (64 - HOOK_RECENT_BITS)] =
		(struct hook_recent){ key, layout };
	return layout;
}

void hook_types_done(struct hook_types *types)
{
	map_done(&types->layouts);
}
