/* SPDX-License-Identifier: MIT */
#include "select/select.h"

#include <fnmatch.h>
#include <rastrum/field.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text.h"
#include "select/times.h"

enum { UNDECIDED, TAKEN, LEFT };

/* A name copied from a report means itself, whatever it has of [ and \. */
static bool matches_name(const char *pattern, const char *name)
{
	return name && (strcasecmp(pattern, name) == 0 || fnmatch(pattern, name, FNM_CASEFOLD) == 0);
}

static bool matches_number(const char *pattern, uint64_t number)
{
	uint64_t wanted;

	return text_parse_u64(pattern, &wanted) && wanted == number;
}

bool select_takes_name(const struct select_list *list, const char *name)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (matches_name(list->items[i], name))
			return true;
	return false;
}

/* The id of a hook is its name, and no decimal number. */
static bool matches_type(const char *pattern, const void *what)
{
	const struct rst_layout *layout = what;
	const struct rst_type *type = layout->type;

	return matches_name(pattern, type->name) || matches_name(pattern, type->label) ||
	       matches_name(pattern, type->other_name) ||
	       (!layout->hook_bytes && matches_number(pattern, layout->id));
}

/* "worker" of "worker/204": threads of one name are told apart by their number. */
static bool matches_bare_name(const char *pattern, const char *name, size_t n_name)
{
	char bare[256];
	size_t n = n_name;

	while (n && text_is_digit(name[n - 1]))
		n--;
	if (n < 2 || n == n_name || name[n - 1] != '/' || n > sizeof(bare))
		return false;
	memcpy(bare, name, n - 1);
	bare[n - 1] = '\0';
	return matches_name(pattern, bare);
}

/* "worker/200" of the thread 200 that is called worker alone. */
static bool matches_full_name(const char *pattern, const struct rst_context *context)
{
	size_t n = context->name_bytes;

	return context->is_number && strncasecmp(pattern, context->name, n) == 0 && pattern[n] == '/' &&
	       matches_number(pattern + n + 1, context->id);
}

static bool matches_context(const char *pattern, const void *what)
{
	const struct rst_context *context = what;

	return matches_name(pattern, context->name) ||
	       strcasecmp(pattern, rst_context_kind_name(context->kind)) == 0 ||
	       matches_number(pattern, context->id) ||
	       matches_bare_name(pattern, context->name, context->name_bytes) ||
	       matches_full_name(pattern, context);
}

/*
 * As `rastrum record --filter` has it: all, if nothing is wanted; what has a ! in front is left out in any
 * case.
 */
static bool list_takes(const struct select_list *list, bool (*matches)(const char *pattern, const void *what),
	const void *what)
{
	bool has_wanted = false, is_wanted = false;

	for (size_t i = 0; i < list->n_items; i++) {
		bool is_left_out = list->items[i][0] == '!';

		if (!matches(list->items[i] + is_left_out, what)) {
			has_wanted |= !is_left_out;
			continue;
		}
		if (is_left_out)
			return false;
		has_wanted = is_wanted = true;
	}
	return is_wanted || !has_wanted;
}

bool select_takes_layout(const struct select_list *list, const struct rst_layout *layout)
{
	return list_takes(list, matches_type, layout);
}

bool select_takes_context(const struct select_list *list, const struct rst_context *context)
{
	return list_takes(list, matches_context, context);
}

/* By its name; decided once for each object. */
static bool takes_object(struct select *select, const struct rst_object *object)
{
	void *const taken = select, *const left = &select->objects; /* two addresses to remember by */
	const struct select_list *list = &select->spec->objects;
	uint64_t key = (uint64_t)(uintptr_t)object;
	const void *known = map_find(&select->objects, key);
	bool matches = known == taken;

	if (known)
		return matches;
	for (size_t i = 0; i < list->n_items && !matches; i++)
		matches = matches_name(list->items[i], object->name);
	map_set(&select->objects, key, matches ? taken : left); /* without memory it is decided again */
	return matches;
}

static bool takes_id(const struct select *select, uint64_t id)
{
	for (size_t i = 0; i < select->n_ids; i++)
		if (select->ids[i] == id)
			return true;
	return false;
}

/* Whether some field of the event means a wanted object. */
static bool takes_fields(struct select *select, const struct rst_batch *batch, size_t row)
{
	const struct rst_layout *layout = batch->layout[row];

	for (unsigned i = 0; i < layout->n_fields; i++) {
		const struct rst_field *field = &layout->fields[i];

		if (field->type != RST_OBJECT && field->type != RST_ADDRESS)
			continue;
		uint64_t id = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);
		const struct rst_object *object = rst_trace_find_object(
			select->trace, batch->context[row]->process, id, field->object_kind, batch->seq[row]);

		if (!object && field->type == RST_ADDRESS)
			object = rst_trace_find_symbol(select->trace, id);
		if (takes_id(select, id) || (object && takes_object(select, object)))
			return true;
	}
	return false;
}

/*
 * The remembered decision of an index, or where to remember it; NULL when memory ran out (then decide each
 * time).
 */
static uint8_t *decision_at(uint8_t **table, size_t *room, size_t index)
{
	uint8_t *reached = array_reach(*table, room, index, 1);

	if (!reached)
		return NULL;
	*table = reached;
	return &reached[index];
}

static bool takes_layout(struct select *select, const struct rst_layout *layout)
{
	const struct filter_spec *spec = select->spec;
	const struct hook *hook = spec->hook ? spec->hook(select->trace, layout) : NULL;
	struct rst_layout shown = *layout;

	shown.id = hook ? hook->id : layout->id;
	return select_takes_layout(&spec->types, &shown);
}

static bool is_layout_taken(struct select *select, const struct rst_layout *layout)
{
	uint8_t *known = decision_at(&select->layouts, &select->layouts_room, layout->index);

	if (known && *known != UNDECIDED)
		return *known == TAKEN;
	bool taken = takes_layout(select, layout);

	if (known)
		*known = taken ? TAKEN : LEFT;
	return taken;
}

static bool matches_program(struct rst_trace *trace, const char *pattern, const struct rst_context *context)
{
	const struct rst_object *process =
		context->process
			? rst_trace_find_object(trace, 0, context->process, RST_OBJECT_PROCESS, UINT64_MAX)
			: NULL;

	return (context->process && matches_number(pattern, context->process)) ||
	       (context->kind != RST_CONTEXT_UNKNOWN && matches_name(pattern, context->name)) ||
	       matches_bare_name(pattern, context->name, context->name_bytes) ||
	       (process && matches_name(pattern, process->name));
}

static bool takes_process(
	const struct select_list *list, struct rst_trace *trace, const struct rst_context *context)
{
	bool is_taken = list->n_items == 0;

	for (size_t i = 0; i < list->n_items && !is_taken; i++)
		is_taken = matches_program(trace, list->items[i], context);
	return is_taken;
}

static bool takes_thread(const struct select_list *list, const struct rst_context *context)
{
	bool is_taken = list->n_items == 0;

	for (size_t i = 0; i < list->n_items && !is_taken; i++)
		is_taken = context->kind == RST_CONTEXT_THREAD && matches_number(list->items[i], context->id);
	return is_taken;
}

static bool is_context_taken(struct select *select, const struct rst_context *context)
{
	uint8_t *known = decision_at(&select->contexts, &select->contexts_room, context->index);
	const struct filter_spec *spec = select->spec;

	if (known && *known != UNDECIDED)
		return *known == TAKEN;
	bool taken = select_takes_context(&spec->contexts, context) &&
		     takes_process(&spec->processes, select->trace, context) &&
		     takes_thread(&spec->threads, context);

	if (known)
		*known = taken ? TAKEN : LEFT;
	return taken;
}

static bool is_core_taken(const struct select *select, uint16_t core)
{
	return select->spec->cores.n_items == 0 ||
	       (core != RST_NO_CORE && (select->cores[core / 64] >> core % 64 & 1));
}

static int seq_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

static bool is_seq_taken(const struct filter_spec *spec, uint64_t seq)
{
	return !spec->n_seqs ||
	       bsearch(&seq, spec->seqs, spec->n_seqs, sizeof(*spec->seqs), seq_compare) != NULL;
}

/* A moment with an unknown time of day lies outside every range. */
static bool is_wall_taken(const struct select *select, uint64_t ticks)
{
	const struct filter_spec *spec = select->spec;
	int64_t wall;

	if (!spec->from_wall && !spec->to_wall)
		return true;
	return rst_clock_wall_ns(&select->clock, ticks, &wall) &&
	       (!spec->from_wall || wall >= *spec->from_wall) && (!spec->to_wall || wall <= *spec->to_wall);
}

/* The number of an event; in a part of a recording, as in the recording. */
static uint64_t number_of(struct select *select, size_t row)
{
	const struct rst_carried *carried = rst_trace_carried(select->trace);

	select->n_events++;
	return carried ? carried->seqs[row] : select->n_events - 1;
}

static bool is_row_taken(struct select *select, const struct rst_batch *batch, size_t row)
{
	bool is_in_time = batch->ticks[row] >= select->from && batch->ticks[row] <= select->to &&
			  is_wall_taken(select, batch->ticks[row]);

	/*
	 * Loss and damage concern everything: only its time can exclude a loss; damage has no time and always
	 * stays.
	 */
	if (batch->type[row]->marker != RST_EVENT)
		return !select->spec->n_seqs && (is_in_time || batch->type[row]->marker == RST_DAMAGE);
	if (!is_seq_taken(select->spec, number_of(select, row)) || !is_in_time)
		return false;
	return is_layout_taken(select, batch->layout[row]) && is_context_taken(select, batch->context[row]) &&
	       is_core_taken(select, rst_batch_core(batch, row)) &&
	       (select->spec->objects.n_items == 0 || takes_fields(select, batch, row));
}

size_t select_rows(struct select *select, const struct rst_batch *batch, uint16_t *rows)
{
	size_t n = 0;

	if (select->takes_all) {
		for (; n < batch->n_events; n++)
			rows[n] = (uint16_t)n;
		return n;
	}
	select->clock = rst_trace_metadata(select->trace)->clock;
	for (size_t row = 0; row < batch->n_events; row++)
		if (is_row_taken(select, batch, row))
			rows[n++] = (uint16_t)row;
	return n;
}

/* --- intervals ------------------------------------------------------------------------------------------ */

bool select_takes_entity(const struct select_list *list, const struct rst_entity *entity)
{
	char number[TEXT_HEX_MAX + 1];
	const struct rst_context as_context = { .kind = RST_CONTEXT_THREAD,
		.id = entity->id,
		.is_number = entity->is_number,
		.has_name = entity->name != NULL,
		.name = entity->name ? entity->name : number,
		.name_bytes = entity->name_bytes };

	*text_put_hex(number, entity->id) = '\0';
	return entity->form == RST_ENTITY_THING && select_takes_context(list, &as_context);
}

static bool takes_one_of(const struct select_list *list, const struct rst_interval *interval)
{
	return list->n_items == 0 || select_takes_entity(list, &interval->subject) ||
	       select_takes_entity(list, &interval->object);
}

bool select_takes_interval(const struct select *select, const struct rst_interval *interval)
{
	const struct filter_spec *spec = select->spec;
	const uint16_t core = interval->core;

	if (interval->to < select->from || interval->from > select->to)
		return false;
	if (spec->cores.n_items && (core == RST_NO_CORE || !(select->cores[core / 64] >> core % 64 & 1)))
		return false;
	return takes_one_of(&spec->contexts, interval) && takes_one_of(&spec->objects, interval);
}

bool select_takes_beginning(const struct select *select, const struct rst_beginning *beginning)
{
	const struct rst_interval interval = { .kind = beginning->kind,
		.core = beginning->core,
		.subject = beginning->subject,
		.object = beginning->object,
		.from = beginning->at,
		.to = beginning->at };

	return select_takes_interval(select, &interval);
}

/* --- binding to a trace --------------------------------------------------------------------------------- */

/* A word for an object that can be read as a number is an id as well as a name. */
static enum rst_status select_ids(struct select *select, struct rst_error *err)
{
	const struct select_list *objects = &select->spec->objects;

	select->ids = calloc(objects->n_items + 1, sizeof(*select->ids));
	if (!select->ids)
		return error_nomem(err);
	for (size_t i = 0; i < objects->n_items; i++)
		select->n_ids += text_parse_u64(objects->items[i], &select->ids[select->n_ids]);
	return RST_OK;
}

static enum rst_status select_cores(struct select *select, struct rst_error *err)
{
	const struct select_list *cores = &select->spec->cores;

	for (size_t i = 0; i < cores->n_items; i++) {
		uint64_t core;

		if (!text_parse_u64(cores->items[i], &core) || core >= RST_NO_CORE) {
			error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%s' is no core", cores->items[i]);
			error_advise(err, "cores are numbers from 0 to 65534");
			return RST_E_USAGE;
		}
		select->cores[core / 64] |= (uint64_t)1 << core % 64;
	}
	return RST_OK;
}

/* Whether it leaves nothing out. */
static bool select_is_all(const struct filter_spec *spec)
{
	return !spec->from && !spec->to && !spec->from_wall && !spec->to_wall && !spec->types.n_items &&
	       !spec->processes.n_items && !spec->threads.n_items && !spec->contexts.n_items &&
	       !spec->objects.n_items && !spec->cores.n_items && !spec->n_seqs;
}

enum rst_status select_init(
	struct select *select, const struct filter_spec *spec, struct rst_trace *trace, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);

	*select = (struct select){ .spec = spec, .trace = trace, .to = UINT64_MAX };
	if (spec->from)
		error_try(times_parse(spec->from, metadata, &select->from, err));
	if (spec->to)
		error_try(times_parse(spec->to, metadata, &select->to, err));
	select->takes_all = select_is_all(spec);
	if ((spec->from_wall || spec->to_wall) && !metadata->clock.n_pairs) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"events are to be chosen by the time of day, which is not recorded");
		return RST_E_USAGE;
	}
	error_try(select_cores(select, err));
	return select_ids(select, err);
}

void select_done(struct select *select)
{
	free(select->layouts);
	free(select->ids);
	map_done(&select->objects);
	free(select->contexts);
	select->layouts = select->contexts = NULL;
	select->ids = NULL;
}
