/* SPDX-License-Identifier: MIT */
#include "template/compile/bind.h"

#include <string.h>

#include "base/array.h"
#include "template/compile/lower.h"

static bool is_same_field(const struct rst_field *a, const struct rst_field *b)
{
	return a->type == b->type && a->offset == b->offset && a->n_bytes == b->n_bytes &&
	       a->is_big_endian == b->is_big_endian && a->zero_is_none == b->zero_is_none &&
	       a->extent == b->extent && a->item_type == b->item_type && a->item_bytes == b->item_bytes &&
	       a->is_number == b->is_number && a->is_words == b->is_words && a->is_json == b->is_json &&
	       a->shift == b->shift && a->n_bits == b->n_bits && a->columns == b->columns &&
	       a->has_names == b->has_names && a->object_kind == b->object_kind &&
	       a->constants == b->constants && strcmp(a->name, b->name) == 0;
}

static bool has_same_traits(const struct rst_layout *a, const struct rst_layout *b)
{
	size_t i = 0;

	if (a->n_traits != b->n_traits || a->traits == b->traits)
		return a->n_traits == b->n_traits;
	while (i < a->n_traits && a->traits[i].value == b->traits[i].value &&
		strcmp(a->traits[i].name, b->traits[i].name) == 0)
		i++;
	return i == a->n_traits;
}

/* A recording may have any number of user events whose layouts differ in nothing but the name of the type. */
static bool has_same_fields(const struct rst_layout *a, const struct rst_layout *b)
{
	unsigned i = 0;

	if (a == b || !a || !b)
		return a == b;
	if (a->n_fields != b->n_fields || !has_same_traits(a, b))
		return false;
	while (i < a->n_fields && is_same_field(&a->fields[i], &b->fields[i]))
		i++;
	return i == a->n_fields;
}

enum { BIND_ROOM_MAX = 4 << 20 }; /* bytes of text, without what loops and calls repeat */

static bool is_same(const struct binding *a, const struct binding *b)
{
	return a->word_bytes == b->word_bytes && a->errors == b->errors &&
	       has_same_fields(a->layout, b->layout);
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
	unit = units ? arena_alloc(&set->bound, sizeof(*unit)) : NULL;
	if (!unit)
		return NULL;
	*unit = (struct unit){
		.next = stanza->units, .stanza = stanza, .binding = *binding, .is_called = is_called
	};
	stanza->units = unit;
	return set->units[set->n_units++] = unit;
}

/* No event has so much text; a report would need memory for it in each line. */
static bool add_too_long(const struct stanza *stanza, struct diags *diags)
{
	return diag_add(diags, "T14", stanza_location(stanza, stanza->at),
		"the text of an event could have more than %d bytes", (int)BIND_ROOM_MAX);
}

static void unit_compile(struct template_set *set, struct unit *unit, struct diags *diags)
{
	if (unit->code || unit->is_bad)
		return;
	unit->is_bad = unit->stanza->is_bad || !resolve_stanza(set, unit->stanza, &unit->binding, diags);
	if (unit->is_bad)
		return;
	unit->is_bad = !lower_unit(set, unit, false);
	diags->has_no_memory |= unit->is_bad;
	if (!unit->is_bad && unit->room > BIND_ROOM_MAX)
		unit->is_bad = !add_too_long(unit->stanza, diags);
}

static bool unit_calls(const struct unit *unit)
{
	size_t i = 0;

	while (i < unit->n_code && unit->code[i].op != &op_call)
		i++;
	return i < unit->n_code;
}

const struct unit *bind_stanza(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, struct diags *diags)
{
	size_t n_before = set->n_units;
	struct unit *unit = bind_unit(set, stanza, binding, false);
	bool is_new = unit && !unit->code;

	if (!unit) {
		diags->has_no_memory = true;
		return NULL;
	}
	unit_compile(set, unit, diags);
	/* Units that it calls, and those that they call, are added during the loop. */
	for (size_t i = n_before; i < set->n_units; i++)
		unit_compile(set, set->units[i], diags);
	if (is_new && !unit->is_bad && unit_calls(unit)) {
		unit->is_bad = !lower_unit(set, unit, true);
		diags->has_no_memory |= unit->is_bad;
	}
	return unit->is_bad ? NULL : unit;
}

void bind_forget(struct template_set *set)
{
	for (size_t i = 0; i < set->n_units; i++)
		set->units[i]->stanza->units = NULL;
	set->n_units = 0;
	arena_done(&set->bound);
}
