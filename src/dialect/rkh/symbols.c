/* SPDX-License-Identifier: MIT */
/*
 * Names. Addresses of every kind share one table, in which a definition is valid from its own frame on.
 * Signals, event pools and user events each have numbers of their own. Targets send their names again and
 * again, so a known name changes nothing.
 */
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "dialect/rkh/rkh.h"
#include "input/source.h"

static const enum rst_object_kind kinds[] = {
	[RKH_NAMES_OBJECT] = RST_OBJECT_MEMORY,
	[RKH_NAMES_FUNCTION] = RST_OBJECT_FUNCTION,
	[RKH_NAMES_TIMER] = RST_OBJECT_TIMER,
	[RKH_NAMES_QUEUE] = RST_OBJECT_QUEUE,
	[RKH_NAMES_ACTOR] = RST_OBJECT_MEMORY,
	[RKH_NAMES_AO] = RST_OBJECT_ACTIVE_OBJECT,
	[RKH_NAMES_STATE] = RST_OBJECT_STATE,
	[RKH_NAMES_PSTATE] = RST_OBJECT_PSEUDOSTATE,
	[RKH_NAMES_SIGNAL] = RST_OBJECT_SIGNAL,
	[RKH_NAMES_POOL] = RST_OBJECT_EVENT_POOL,
};

bool rkh_strips(unsigned meaning)
{
	return meaning >= RKH_NAMES_OBJECT && meaning != RKH_NAMES_SIGNAL && meaning != RKH_NAMES_USER;
}

static void name_strip(const uint8_t **name, size_t *n_name)
{
	if (*n_name && **name == '&') {
		++*name;
		--*n_name;
	}
}

/* Beyond the limits no more names are kept; one warning states it. */
static bool symbols_are_full(struct rkh *rkh, struct model *model, size_t n_name, bool *ret_has_memory)
{
	bool is_full = rkh->n_symbols >= RKH_SYMBOLS_MAX || rkh->n_name_bytes + n_name > RKH_NAME_BYTES;

	*ret_has_memory = true;
	if (is_full && rkh->n_symbols <= RKH_SYMBOLS_MAX) {
		rkh->n_symbols = RKH_SYMBOLS_MAX + 1;
		*ret_has_memory =
			model_warn(model, "the target gives so many names that later ones are not kept");
	}
	return is_full;
}

static bool is_named(
	const struct rst_object *object, enum rst_object_kind kind, const uint8_t *name, size_t n_name)
{
	enum { SHORT = 256 };
	char clean[4 * SHORT];

	if (!object || object->kind != kind || !object->name || n_name > SHORT)
		return false;
	size_t n_clean = (size_t)(text_keep(clean, name, n_name) - clean);

	return n_clean == object->name_bytes && memcmp(clean, object->name, n_clean) == 0;
}

/* A name of an object, from this place of the sequence on. */
struct symbol {
	uint64_t id, seq;
	enum rst_object_kind kind;
	const uint8_t *name;
	size_t n_name;
};

/* *ret_name is the name in a form that can be shown, or NULL if it is not kept. */
static bool symbol_define(
	struct rkh *rkh, struct model *model, const struct symbol *symbol, const char **ret_name)
{
	struct rst_object *object = objects_latest(&model->objects, 0, symbol->id, symbol->kind);
	bool has_memory;

	*ret_name = NULL;
	if (is_named(object, symbol->kind, symbol->name, symbol->n_name)) {
		*ret_name = object->name;
		return true;
	}
	if (symbols_are_full(rkh, model, symbol->n_name, &has_memory))
		return has_memory;
	rkh->n_symbols++;
	rkh->n_name_bytes += symbol->n_name;
	object = objects_add(&model->objects, &model->arena, 0, symbol->id, symbol->kind, symbol->seq);
	if (!object || !objects_name(&model->objects, &model->arena, object, symbol->name, symbol->n_name))
		return false;
	*ret_name = object->name;
	return true;
}

static void name_pool(struct rkh *rkh, uint64_t pool, const char *name)
{
	if (name && pool + 1 < RKH_POOLS)
		rkh->pool_rows[pool + 1].name = name;
}

/* Adds a detail for each user event that has a name, in the order of their first names. */
static void show_user_name(struct rkh *rkh, struct model *model, unsigned event, const char *name)
{
	static const char *const numbers[RKH_GROUP_EVENTS] = { "0", "1", "2", "3", "4", "5", "6", "7", "8",
		"9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20", "21", "22", "23", "24",
		"25", "26", "27", "28", "29", "30", "31" };
	struct rst_detail *group = &model->details[rkh->user_detail];
	size_t i = 0;

	while (i < group->n_items && rkh->user_details[i].name != numbers[event])
		i++;
	rkh->user_details[i] =
		(struct rst_detail){ .name = numbers[event], .type = RST_DETAIL_TEXT, .text = name };
	if (i == group->n_items)
		group->n_items++;
}

static bool name_user_event(
	struct rkh *rkh, struct model *model, uint64_t event, const uint8_t *name, size_t n_name)
{
	bool has_memory;
	char *clean;

	if (event >= RKH_GROUP_EVENTS || symbols_are_full(rkh, model, n_name, &has_memory))
		return event >= RKH_GROUP_EVENTS || has_memory;
	clean = arena_alloc(&model->arena, 4 * n_name + 1);
	if (!clean)
		return false;
	text_keep(clean, name, n_name);
	if (rkh->user_names[event] && strcmp(rkh->user_names[event], clean) == 0)
		return true;
	rkh->n_symbols++;
	rkh->n_name_bytes += n_name;
	rkh->user_names[event] = clean;
	show_user_name(rkh, model, (unsigned)event, clean);
	return true;
}

bool rkh_symbol(struct rkh *rkh, struct model *model, const struct rkh_bound *bound, const uint8_t *args,
	size_t n_args, uint64_t seq)
{
	struct symbol symbol = {
		.id = load_uint(args + bound->key_at, bound->key_bytes, false),
		.seq = seq,
		.name = args + bound->n_fixed,
		.n_name = n_args - bound->n_fixed - 1,
	};
	const char *shown;

	if (bound->meaning == RKH_NAMES_USER)
		return name_user_event(rkh, model, symbol.id, symbol.name, symbol.n_name);
	if (rkh_strips(bound->meaning))
		name_strip(&symbol.name, &symbol.n_name);
	symbol.kind = kinds[bound->meaning];
	if (!symbol_define(rkh, model, &symbol, &shown))
		return false;
	if (bound->meaning == RKH_NAMES_POOL)
		name_pool(rkh, symbol.id, shown);
	return true;
}

/* --- from a file of their own --------------------------------------------------------------------------- */

enum rst_status rkh_symbols_load(
	struct rkh *rkh, struct model *model, const char *path, struct rst_error *err)
{
	enum { SYMBOLS_BYTES_MAX = 64 << 20 };
	struct input_item all, fault;
	size_t n_before = rkh->n_symbols;
	struct source *source;
	enum rst_status status = RST_OK;

	error_try(source_open_whole(&source, path, SYMBOLS_BYTES_MAX, &all, &fault, err));
	if (fault.kind == INPUT_DAMAGE && !model_warn(model, "%s: %s", path, fault.what))
		status = error_nomem(err);
	if (status == RST_OK && !rkh_look(rkh, model, all.bytes, all.n_bytes, 0, true))
		status = error_nomem(err);
	if (status >= 0 && rkh->n_symbols == n_before &&
		!model_warn(model, "%s gives no names: it should be a stream with symbol events", path))
		status = error_nomem(err);
	source_free(source);
	return status;
}
