/* SPDX-License-Identifier: MIT */
#include "template/bind.h"

#include "base/array.h"
#include "template/lower.h"

static bool is_same(const struct binding *a, const struct binding *b)
{
	return a->word_bytes == b->word_bytes && a->type == b->type;
}

struct unit *bind_unit(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, bool is_called)
{
	struct unit *unit = stanza->units;
	struct unit **units;

	while (unit && (unit->is_called != is_called || !is_same(&unit->binding, binding)))
		unit = unit->next;
	if (unit)
		return unit;
	units = array_room(set->units, set->n_units, &set->units_room, sizeof(*units));
	if (units)
		set->units = units;
	unit = units ? arena_alloc(&set->arena, sizeof(*unit)) : NULL;
	if (!unit)
		return NULL;
	*unit = (struct unit){
		.next = stanza->units, .stanza = stanza, .binding = *binding, .is_called = is_called
	};
	stanza->units = unit;
	return set->units[set->n_units++] = unit;
}

static void compile(struct template_set *set, struct unit *unit, struct diags *diags)
{
	if (unit->code || unit->is_bad)
		return;
	unit->is_bad = unit->stanza->is_bad || !resolve_stanza(set, unit->stanza, &unit->binding, diags) ||
		       !lower_unit(set, unit, diags);
}

const struct unit *bind_stanza(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, struct diags *diags)
{
	size_t n_before = set->n_units;
	struct unit *unit = bind_unit(set, stanza, binding, false);

	if (!unit) {
		diags->has_no_memory = true;
		return NULL;
	}
	compile(set, unit, diags);
	/* What it calls, and what these call: units are added while we go. */
	for (size_t i = n_before; i < set->n_units; i++)
		compile(set, set->units[i], diags);
	return unit->is_bad ? NULL : unit;
}
