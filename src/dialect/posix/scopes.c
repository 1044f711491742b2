/* SPDX-License-Identifier: MIT */
/*
 * Chunks of work and counters, which user events are by their names. <trace_scope_np.h> calls them so; a program may do the
 * same by itself:
 *
 *	render:draw:begin	a piece of work of its thread begins
 *	render:draw:end		it ends
 *	render:end		what the thread began last ends
 *	render:queued:counter	its field "value" is a level
 *
 * Behind that may stand ~2 to ~9: points of one name with other fields.
 */
#include <string.h>

#include "dialect/posix/posix.h"

static const struct ending {
	const char *word;
	enum rst_role_kind role;
} endings[] = { { ":begin", RST_ROLE_BEGIN }, { ":end", RST_ROLE_END }, { ":counter", RST_ROLE_COUNTER } };

static bool has_ending(const char *name, const char *word)
{
	size_t n = strlen(name), n_word = strlen(word);

	if (n > 2 && name[n - 2] == '~' && name[n - 1] >= '2' && name[n - 1] <= '9')
		n -= 2;
	return n >= n_word && memcmp(name + n - n_word, word, n_word) == 0;
}

static enum rst_role_kind role_of(const char *name)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
		if (has_ending(name, endings[i].word))
			return endings[i].role;
	return RST_ROLE_NONE;
}

static int8_t level_of(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_fields; i++) {
		enum rst_field_type type = layout->fields[i].type;

		if (strcmp(layout->fields[i].name, "value") == 0 &&
			(type == RST_SIGNED || type == RST_UNSIGNED || type == RST_REAL))
			return (int8_t)i;
	}
	return RST_NO_FIELD;
}

bool posix_scope_roles(struct model *model, const char *name, struct rst_layout *layout)
{
	struct rst_role role = { layout->n_roles ? RST_ROLE_NONE : role_of(name), RST_NO_FIELD, RST_NO_FIELD,
		RST_NO_FIELD, RST_NO_FIELD };
	struct rst_role *own;

	if (role.kind == RST_ROLE_COUNTER)
		role.value = level_of(layout);
	else
		role.thread = RST_SELF;
	if (role.kind == RST_ROLE_NONE || (role.kind == RST_ROLE_COUNTER && role.value == RST_NO_FIELD))
		return true;
	own = arena_alloc(&model->arena, sizeof(*own));
	if (!own)
		return false;
	*own = role;
	layout->roles = own;
	layout->n_roles = 1;
	return true;
}
