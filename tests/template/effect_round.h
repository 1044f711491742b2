/* SPDX-License-Identifier: MIT */
/* An effect that is printed, read as a line of a template file, and bound again: it must be what it was. */
#ifndef TESTS_TEMPLATE_EFFECT_ROUND_H
#define TESTS_TEMPLATE_EFFECT_ROUND_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/compile/bind.h"
#include "template/language/effects.h"

static inline bool effect_is_same(const struct rst_effect *a, const struct rst_effect *b)
{
	struct rst_effect left = *a, right = *b;
	const bool has_same_name =
		a->name == b->name || (a->name && b->name && strcmp(a->name, b->name) == 0);

	left.name = right.name = NULL;
	for (size_t i = 0; i < RST_CONDITIONS_MAX; i++) /* what self is compared with does not count */
		if (left.when[i].test == RST_TEST_IS_SELF || left.when[i].test == RST_TEST_IS_OTHER)
			left.when[i].value = right.when[i].value = 0;
	return has_same_name && left.kind == right.kind && left.phase == right.phase &&
	       left.state == right.state && left.reason == right.reason && left.unit == right.unit &&
	       left.object_kind == right.object_kind && left.is_free == right.is_free &&
	       left.is_shared == right.is_shared && left.is_counted == right.is_counted &&
	       left.is_any == right.is_any && left.is_handed_over == right.is_handed_over &&
	       memcmp(&left.thread, &right.thread, sizeof(left.thread)) == 0 &&
	       memcmp(&left.object, &right.object, sizeof(left.object)) == 0 &&
	       memcmp(&left.other, &right.other, sizeof(left.other)) == 0 &&
	       memcmp(&left.value, &right.value, sizeof(left.value)) == 0 &&
	       memcmp(&left.amount, &right.amount, sizeof(left.amount)) == 0 &&
	       memcmp(&left.limit, &right.limit, sizeof(left.limit)) == 0 &&
	       memcmp(&left.capacity, &right.capacity, sizeof(left.capacity)) == 0 &&
	       memcmp(&left.key, &right.key, sizeof(left.key)) == 0 &&
	       memcmp(left.when, right.when, sizeof(left.when)) == 0;
}

/* The effects of one line over a layout of the type EVENT. Returns the effect, or NULL. */
static inline const struct rst_effect *effect_of_text(
	struct template_set *set, const char *text, struct rst_layout *layout, struct diags *diags)
{
	struct template_file *file = template_file_of("printed", text, strlen(text));

	layout->n_effects = 0;
	if (!file || template_set_add(set, file, diags) != RST_OK || !bind_effects(set, layout, diags) ||
		layout->n_effects != 1)
		return NULL;
	return layout->effects;
}

/* false: with the line on standard error. */
static inline bool effect_survives(const struct rst_layout *layout, const struct rst_effect *effect)
{
	struct template_set *set = template_set_new("round");
	struct diags diags = { 0 };
	const struct rst_type type = { .name = "EVENT", .label = "", .name_bytes = 5 };
	struct rst_layout own = *layout;
	const struct rst_effect *again = NULL;
	char *text = NULL;
	size_t n_text;
	FILE *out = open_memstream(&text, &n_text);
	bool is_same;

	if (!set || !out)
		abort();
	own.type = &type;
	fputs("# effect: ", out);
	effect_print(out, layout, effect);
	fputs("\nEVENT 1.0 \"@\" x\n", out);
	fclose(out);
	again = effect_of_text(set, text, &own, &diags);
	is_same = again && effect_is_same(effect, again);
	if (!is_same)
		fprintf(stderr, "# not the same again: %s# %s\n", text,
			diags.n_items ? diags.items[0].what : "");
	free(text);
	template_set_free(set);
	diags_done(&diags);
	return is_same;
}

#endif
