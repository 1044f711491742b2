/* SPDX-License-Identifier: MIT */
/*
 * User events whose names make them chunks of work or counters. <trace_scope_np.h> uses such names; a program
 * may do the same by itself:
 *
 *	render:draw:begin	a piece of work of its thread begins
 *	render:draw:end		it ends
 *	render:end		what the thread began last ends
 *	render:queued:counter	its field "value" is a level, in a unit that only the program knows
 *
 * A suffix ~2 to ~9 may follow: it marks points with the same name and other fields. The part of the name
 * before the ending is the name of the span or level; the same name matches an end with its beginning.
 */
#include <stdio.h>
#include <string.h>

#include <rastrum/effect.h>

#include "dialect/posix/posix.h"

static const struct ending {
	const char *word;
	enum rst_effect_kind kind;
} endings[] = { { ":begin", RST_EFFECT_BEGIN }, { ":end", RST_EFFECT_END },
	{ ":counter", RST_EFFECT_LEVEL } };

/* The length of the name without this ending; 0 if the name does not have this ending. */
static size_t bytes_before(const char *name, const char *word)
{
	size_t n = strlen(name), n_word = strlen(word);

	if (n > 2 && name[n - 2] == '~' && name[n - 1] >= '2' && name[n - 1] <= '9')
		n -= 2;
	return n >= n_word && memcmp(name + n - n_word, word, n_word) == 0 ? n - n_word : 0;
}

static int level_of(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_fields; i++) {
		enum rst_field_type type = layout->fields[i].type;

		if (strcmp(layout->fields[i].name, "value") == 0 &&
			(type == RST_SIGNED || type == RST_UNSIGNED || type == RST_REAL))
			return (int)i;
	}
	return RST_NO_FIELD;
}

/* The event "render:end" ends whatever began last, unless "render:begin" occurred. */
static bool ends_any(const struct model *model, const char *name)
{
	char begin[sizeof(((struct log_type *)NULL)->name) * 4 + sizeof(":begin")];

	snprintf(begin, sizeof(begin), "%s:begin", name);
	return !strchr(name, ':') && !model_find_type(model, begin);
}

/* A counter without a level has no effect: ret_effect->kind is RST_EFFECT_NONE then. */
static void effect_of(struct rst_effect *ret_effect, const struct model *model, enum rst_effect_kind kind,
	const char *name, const struct rst_layout *layout)
{
	int level = kind == RST_EFFECT_LEVEL ? level_of(layout) : RST_NO_FIELD;

	*ret_effect = (struct rst_effect){ .kind = kind, .name = name };
	if (kind != RST_EFFECT_LEVEL) {
		ret_effect->thread.from = RST_FROM_SELF;
		ret_effect->is_any = kind == RST_EFFECT_END && ends_any(model, name);
	} else if (level == RST_NO_FIELD) {
		ret_effect->kind = RST_EFFECT_NONE;
	} else {
		ret_effect->object.from = RST_FROM_TYPE;
		ret_effect->value.from = (int16_t)(level + 1);
	}
}

bool posix_scope_effects(struct model *model, const char *name, struct rst_layout *layout)
{
	const struct ending *ending = endings, *end = endings + sizeof(endings) / sizeof(endings[0]);
	struct rst_effect *own;
	char *stem;
	size_t n_stem = 0;

	while (ending < end && !(n_stem = bytes_before(name, ending->word)))
		ending++;
	if (!n_stem)
		return true;
	own = arena_alloc(&model->arena, sizeof(*own));
	stem = arena_copy(&model->arena, name, n_stem);
	if (!own || !stem)
		return false;
	effect_of(own, model, ending->kind, stem, layout);
	layout->effects = own;
	layout->n_effects = own->kind != RST_EFFECT_NONE;
	return true;
}
