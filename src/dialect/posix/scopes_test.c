/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <trace.h>

#include "dialect/posix/posix.h"
#include "tests/tap.h"

struct said {
	struct log_type type;
	struct log_field fields[1];
};

/* The role of the rows of a type that a log describes so; .kind is RST_ROLE_NONE where there is none. */
static struct rst_role role_of(struct posix *posix, struct model *model, const char *name,
	const struct log_field *field, bool is_shared, bool is_cut)
{
	struct said said = { .type = { .id = 100, .n_fields = field != NULL } };
	const struct rst_layout *layout;

	snprintf(said.type.name, sizeof(said.type.name), "%s", name);
	if (field)
		said.fields[0] = *field;
	if (!posix_describe(posix, model, (const uint8_t *)&said,
		    sizeof(said.type) + said.type.n_fields * sizeof(*field), false))
		return (struct rst_role){ .kind = RST_N_ROLES };
	layout = posix_layout_make(model, posix->types[100], POSIX_AS_DESCRIBED, is_shared, is_cut);
	if (!layout || layout->n_roles > 1)
		return (struct rst_role){ .kind = RST_N_ROLES };
	return layout->n_roles ? layout->roles[0] : (struct rst_role){ .kind = RST_ROLE_NONE };
}

static void check_names(struct posix *posix, struct model *model)
{
	static const struct {
		const char *name;
		enum rst_role_kind kind;
	} rows[] = {
		{ "render:draw:begin", RST_ROLE_BEGIN },
		{ "render:draw:begin~2", RST_ROLE_BEGIN },
		{ "render:draw:end", RST_ROLE_END },
		{ "render:end", RST_ROLE_END },
		{ "render:end~9", RST_ROLE_END },
		{ "render:queued:counter", RST_ROLE_COUNTER },
		{ "render:begins", RST_ROLE_NONE },
		{ "render:begin:x", RST_ROLE_NONE },
		{ "render:end~1", RST_ROLE_NONE },
		{ "render:end~22", RST_ROLE_NONE },
		{ "end", RST_ROLE_NONE },
		{ "~2", RST_ROLE_NONE },
	};
	static const struct log_field value = { "value", POSIX_TRACE_SIGNED_NP, 8 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(role_of(posix, model, rows[i].name, &value, false, false).kind == rows[i].kind,
			"the role of '%s' is %s", rows[i].name, rst_role_name(rows[i].kind));
}

static void check_parts(struct posix *posix, struct model *model)
{
	static const struct log_field real = { "value", POSIX_TRACE_REAL_NP, 8 },
				      text = { "value", POSIX_TRACE_TEXT_NP, 8 },
				      other = { "level", POSIX_TRACE_SIGNED_NP, 8 };
	struct rst_role begin = role_of(posix, model, "a:b:begin", NULL, false, false);

	ok(begin.kind == RST_ROLE_BEGIN && begin.thread == RST_SELF && begin.object == RST_NO_FIELD,
		"work is that of the thread of its event");
	ok(role_of(posix, model, "a:b:counter", &real, false, false).value == 2 &&
			role_of(posix, model, "a:c:counter", &real, true, false).value == 2 &&
			role_of(posix, model, "a:d:counter", &real, true, true).value == 3,
		"a counter's level is its value, whatever stands in front of it");
	ok(role_of(posix, model, "a:e:counter", &text, false, false).kind == RST_ROLE_NONE &&
			role_of(posix, model, "a:f:counter", &other, false, false).kind == RST_ROLE_NONE &&
			role_of(posix, model, "a:g:counter", NULL, false, false).kind == RST_ROLE_NONE,
		"what has no number of that name counts nothing");
}

int main(void)
{
	struct posix posix = { .types = NULL };
	struct model model;

	ok(model_init(&model), "a model begins");
	check_names(&posix, &model);
	check_parts(&posix, &model);
	free(posix.types);
	model_done(&model);
	return tap_done();
}
