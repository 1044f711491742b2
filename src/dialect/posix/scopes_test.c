/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>

#include <rastrum/effect.h>

#include "dialect/posix/posix.h"
#include "tests/tap.h"

struct said {
	struct log_type type;
	struct log_field fields[1];
};

/*
 * The effect of the rows of a type that a log describes like this; .kind is RST_EFFECT_NONE if they have no
 * effect.
 */
static struct rst_effect effect_of(struct posix *posix, struct model *model, const char *name,
	const struct log_field *field, bool is_shared, bool is_cut)
{
	struct said said = { .type = { .id = 100, .n_fields = field != NULL } };
	const struct rst_layout *layout;

	snprintf(said.type.name, sizeof(said.type.name), "%s", name);
	if (field)
		said.fields[0] = *field;
	if (!posix_describe(posix, model, (const uint8_t *)&said,
		    sizeof(said.type) + said.type.n_fields * sizeof(*field), false))
		return (struct rst_effect){ .kind = RST_N_EFFECTS };
	layout = posix_layout_make(model, posix->types[100], POSIX_AS_DESCRIBED, is_shared, is_cut);
	if (!layout || layout->n_effects > 1)
		return (struct rst_effect){ .kind = RST_N_EFFECTS };
	return layout->n_effects ? layout->effects[0] : (struct rst_effect){ .kind = RST_EFFECT_NONE };
}

static void check_names(struct posix *posix, struct model *model)
{
	static const struct {
		const char *name;
		enum rst_effect_kind kind;
		const char *key;
		bool is_any;
	} rows[] = {
		{ "render:draw:begin", RST_EFFECT_BEGIN, "render:draw", false },
		{ "render:draw:begin~2", RST_EFFECT_BEGIN, "render:draw", false },
		{ "render:draw:end", RST_EFFECT_END, "render:draw", false },
		{ "render:draw:end~9", RST_EFFECT_END, "render:draw", false },
		{ "render:end", RST_EFFECT_END, "render", true },
		{ "job:begin", RST_EFFECT_BEGIN, "job", false },
		{ "job:end", RST_EFFECT_END, "job", false },
		{ "render:queued:counter", RST_EFFECT_LEVEL, "render:queued", false },
		{ "render:begins", RST_EFFECT_NONE, NULL, false },
		{ "render:begin:x", RST_EFFECT_NONE, NULL, false },
		{ "render:end~1", RST_EFFECT_NONE, NULL, false },
		{ "render:end~22", RST_EFFECT_NONE, NULL, false },
		{ ":end", RST_EFFECT_NONE, NULL, false },
		{ "end", RST_EFFECT_NONE, NULL, false },
		{ "~2", RST_EFFECT_NONE, NULL, false },
	};
	static const struct log_field value = { "value", POSIX_TRACE_SIGNED_NP, 8 };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rst_effect is = effect_of(posix, model, rows[i].name, &value, false, false);

		ok(is.kind == rows[i].kind && is.is_any == rows[i].is_any &&
				(rows[i].key ? strcmp(is.name, rows[i].key) == 0 : !is.name),
			"the effect of '%s' is %s%s%s", rows[i].name, rst_effect_name(rows[i].kind),
			rows[i].is_any ? " of any"
			: rows[i].key  ? " of "
				       : "",
			rows[i].is_any || !rows[i].key ? "" : rows[i].key);
	}
}

static void check_parts(struct posix *posix, struct model *model)
{
	static const struct log_field real = { "value", POSIX_TRACE_REAL_NP, 8 },
				      text = { "value", POSIX_TRACE_TEXT_NP, 8 },
				      other = { "level", POSIX_TRACE_SIGNED_NP, 8 };
	struct rst_effect begin = effect_of(posix, model, "a:b:begin", NULL, false, false);

	ok(begin.thread.from == RST_FROM_SELF && begin.object.from == RST_FROM_NOTHING,
		"work is that of the thread of its event");
	ok(effect_of(posix, model, "a:b:counter", &real, false, false).value.from == 3 &&
			effect_of(posix, model, "a:c:counter", &real, true, false).value.from == 3 &&
			effect_of(posix, model, "a:d:counter", &real, true, true).value.from == 4,
		"a counter's level is its value, whatever stands in front of it");
	ok(effect_of(posix, model, "a:e:counter", &text, false, false).kind == RST_EFFECT_NONE &&
			effect_of(posix, model, "a:f:counter", &other, false, false).kind ==
				RST_EFFECT_NONE &&
			effect_of(posix, model, "a:g:counter", NULL, false, false).kind == RST_EFFECT_NONE,
		"what has no number of that name counts nothing");
}

/* Switches as the recorder describes them, and an event of such a name with data. */
static void check_switches(struct posix *posix, struct model *model)
{
	static const struct log_type said = { .id = 100, .name = "sched_exit" };
	const struct rst_layout *layout;

	ok(!model->has_switches, "a log that describes no switches has none");
	ok(posix_describe(posix, model, (const uint8_t *)&said, sizeof(said), false) && model->has_switches,
		"one that describes them has some, before the first");
	layout = posix_layout_make(model, posix->types[100], POSIX_AS_DESCRIBED, true, false);
	ok(layout && layout->n_effects == 2 && layout->effects[0].kind == RST_EFFECT_SWITCH &&
			layout->effects[0].thread.from == RST_FROM_UNKNOWN &&
			layout->effects[0].state == RST_STATE_ENDED &&
			layout->effects[1].kind == RST_EFFECT_DELETE,
		"a thread that ends leaves its processor to one that is not known");
	layout = posix_layout_make(model, posix->types[100], POSIX_BYTES, true, false);
	ok(layout && layout->n_effects == 0,
		"with data it is an event of a program, which does nothing that is known");
}

static void check_catalogue(void)
{
	struct model model;
	bool has_all = true;

	ok(model_init(&model) && posix_catalogue(&model),
		"all events that are known beforehand have a layout");
	for (size_t i = 2; i < model.n_layouts; i++) {
		const struct rst_layout *layout = model.layouts[i];

		if ((layout->n_effects != 0) == (layout->no_effect != NULL))
			printf("# %s\n", layout->type->name);
		has_all &= (layout->n_effects != 0) != (layout->no_effect != NULL);
	}
	ok(has_all, "each of them has effects, or a reason why it has none");
	model_done(&model);
}

int main(void)
{
	struct posix posix = { .types = NULL };
	struct model model;

	ok(model_init(&model), "a model begins");
	check_names(&posix, &model);
	check_parts(&posix, &model);
	check_switches(&posix, &model);
	free(posix.types);
	model_done(&model);
	check_catalogue();
	return tap_done();
}
