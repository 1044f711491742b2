/* SPDX-License-Identifier: MIT */
/*
 * Several traces in one store: the numbers of their items, and the items that state the trace that something
 * came from. Items of all traces are numbered in the order in which they were put.
 */
#include <stdlib.h>

#include "base/array.h"
#include "dialect/store/definitions_parts.h"

/* --- numbers -------------------------------------------------------------------------------------------- */

/*
 * A reader keeps no more than these: rows of further contexts become those of the unknown context, and
 * further objects are not kept.
 */
static const size_t limits[N_NUMBERED] = { [NUMBERED_CONSTANTS] = SIZE_MAX,
	[NUMBERED_LAYOUTS] = SIZE_MAX,
	[NUMBERED_OBJECTS] = OBJECTS_MAX,
	[NUMBERED_CONTEXTS] = CONTEXTS_MAX };

/* The two markers exist in every model, with the same numbers. */
enum { N_MARKERS = 2 };

static bool number_add(struct definitions *definitions, enum numbered kind, size_t local, uint64_t *ret)
{
	struct numbering *numbering = definitions->numbering;
	const size_t n = numbering->n_places[kind];
	struct numbered_place *places = array_room(
		numbering->places[kind], n, &numbering->rooms[kind], sizeof(struct numbered_place));

	if (!places)
		return false;
	numbering->places[kind] = places;
	places[n] = (struct numbered_place){ definitions, local };
	numbering->n_places[kind]++;
	*ret = n + (kind == NUMBERED_LAYOUTS ? N_MARKERS : 0);
	definitions->numbers[kind][local] = *ret + 1;
	return true;
}

bool definitions_number(struct definitions *definitions, enum numbered kind, size_t local, uint64_t *ret)
{
	struct numbering *numbering = definitions->numbering;
	uint64_t *numbers;

	*ret = local;
	if (!numbering || (kind == NUMBERED_LAYOUTS && local < N_MARKERS))
		return true;
	numbers = array_reach(
		definitions->numbers[kind], &definitions->numbers_room[kind], local, sizeof(uint64_t));
	if (!numbers)
		return false;
	definitions->numbers[kind] = numbers;
	if (numbers[local]) {
		*ret = numbers[local] - 1;
		return true;
	}
	if (numbering->n_places[kind] < limits[kind])
		return number_add(definitions, kind, local, ret);
	*ret = kind == NUMBERED_CONTEXTS ? 0 : NUMBERED_NONE;
	return true;
}

void numbering_done(struct numbering *numbering)
{
	for (size_t i = 0; i < N_NUMBERED; i++)
		free(numbering->places[i]);
	*numbering = (struct numbering){ 0 };
}

/* --- origins -------------------------------------------------------------------------------------------- */

/* An origin as it is stored. */
struct origin_record {
	struct origin origin;
	uint64_t flags;
};

enum { ORIGIN_BY_KIND = 1, ORIGIN_COUNTED = 2, ORIGIN_FLAGS = 4 };

static void record_origin(struct codec *codec, struct origin_record *record)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct origin, public.name, CODEC_NAME, 0),
		CODEC_ROW(struct origin, public.dialect, CODEC_NAME, 0),
		CODEC_ROW(struct origin, noun, CODEC_TEXT, 0),
		CODEC_ROW(struct origin, public.process, CODEC_NUMBER, 0),
		CODEC_ROW(struct origin, scoped_kinds, CODEC_NUMBER, 0),
		CODEC_ROW(struct origin, thread_mask, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), &record->origin);
	codec_number(codec, &record->flags, ORIGIN_FLAGS);
}

static void record_process(struct codec *codec, struct origin_process *process, uint64_t *origin)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct origin_process, number, CODEC_NUMBER, 0),
		CODEC_ROW(struct origin_process, own, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), process);
	codec_number(codec, origin, 0);
}

static bool process_put(struct origin_process process, struct bytes *to)
{
	struct codec codec = { .to = to };
	uint64_t item = ITEM_PROCESS, origin = process.origin->number;

	codec_number(&codec, &item, 0);
	record_process(&codec, &process, &origin);
	return codec_is_good(&codec);
}

static bool processes_put(struct definitions *definitions, struct bytes *to)
{
	const struct origins *origins = &definitions->model->origins;
	bool is_good = true;

	for (; definitions->n_processes < origins->n_in_order && is_good; definitions->n_processes++)
		is_good = process_put(*origins->in_order[definitions->n_processes], to);
	return is_good;
}

static bool ends_put(struct definitions *definitions, struct bytes *to)
{
	const struct origins *origins = &definitions->model->origins;
	struct codec codec = { .to = to };

	for (; definitions->n_ends < origins->n_ended; definitions->n_ends++) {
		const struct origin *origin = origins->ended[definitions->n_ends];
		uint64_t item = ITEM_ORIGIN_END, number = origin->number, ticks = origin->public.end_ticks;

		if (definitions->disguise)
			ticks = disguise_ticks(definitions->disguise, ticks);
		codec_number(&codec, &item, 0);
		codec_number(&codec, &number, 0);
		codec_number(&codec, &ticks, 0);
	}
	return codec_is_good(&codec);
}

bool origin_end_take(struct definitions *definitions, struct codec *codec)
{
	struct origins *origins = &definitions->model->origins;
	uint64_t number = 0, ticks = 0;

	codec_number(codec, &number, 0);
	codec_number(codec, &ticks, 0);
	codec->is_bad |= number == 0 || number > origins->n_all;
	return !codec_is_good(codec) || origins_end(origins, (uint32_t)number, ticks);
}

bool origins_put(struct definitions *definitions, struct bytes *to)
{
	const struct origins *origins = &definitions->model->origins;
	struct codec codec = { .to = to };

	for (; definitions->n_origins < origins->n_all; definitions->n_origins++) {
		const struct origin *origin = origins->all[definitions->n_origins];
		struct origin_record record = { .origin = *origin,
			.flags = (origin->is_by_kind ? ORIGIN_BY_KIND : 0) |
				 (origin->is_counted ? ORIGIN_COUNTED : 0) };
		uint64_t item = ITEM_ORIGIN;

		if (definitions->disguise && !name_disguise(definitions->disguise, RST_OBJECT_PROCESS,
						     &record.origin.public.name, NULL))
			return false;
		codec_number(&codec, &item, 0);
		codec_size(&codec, &definitions->n_origins, 0);
		record_origin(&codec, &record);
	}
	return codec_is_good(&codec) && processes_put(definitions, to) && ends_put(definitions, to);
}

bool origin_take(struct definitions *definitions, struct codec *codec)
{
	struct model *model = definitions->model;
	struct origin_record record = { 0 };
	uint64_t index = 0;

	codec_number(codec, &index, model->origins.n_all + 1);
	record_origin(codec, &record);
	codec->is_bad |= index == ORIGINS_MAX || record.origin.public.process == 0;
	if (!codec_is_good(codec) || index < model->origins.n_all)
		return true;
	record.origin.is_by_kind = record.flags & ORIGIN_BY_KIND;
	record.origin.is_counted = record.flags & ORIGIN_COUNTED;
	model->objects.origins = &model->origins;
	model->objects.scoped_kinds = UINT64_MAX;
	return origins_add(&model->origins, codec->arena, &record.origin);
}

/* --- processes ------------------------------------------------------------------------------------------ */

/*
 * Chooses a free number: the process's own, or the same with the origin's number in front, in decimal. The
 * origins themselves have the numbers from 1 on.
 */
static uint64_t number_choose(
	const struct definitions *definitions, const struct origin *origin, uint64_t own)
{
	static const uint64_t factor = 10000000000;
	const struct origins *origins = &definitions->numbering->whole->model->origins;
	uint64_t number = own;

	if (origins_process(origins, number))
		number = origin->number * factor + own % factor;
	while (origins_process(origins, number))
		number++;
	return number;
}

/*
 * If a trace was merged itself, a process belongs to one of its origins. Returns this origin, and the number
 * that the process had there.
 */
static struct origin_process process_before(const struct definitions *definitions, uint64_t own)
{
	const struct origins *origins = &definitions->model->origins;
	const struct origin_process *of = definitions->inner ? origins_process(origins, own) : NULL;

	return (struct origin_process){ .own = of ? of->own : own,
		.origin = of ? definitions->inner[of->origin->number - 1] : definitions->origin };
}

bool process_number(struct definitions *definitions, uint64_t own, struct bytes *to, uint64_t *ret)
{
	struct definitions *whole = definitions->numbering->whole;
	struct origins *origins = &whole->model->origins;
	const struct origin_process *known = map_find(&definitions->process_numbers, own);
	struct origin_process process = process_before(definitions, own);

	*ret = known ? known->number : process.origin->public.process;
	if (known || !process.own || origins->processes.n_used >= ORIGIN_PROCESSES_MAX)
		return true;
	*ret = process.number = number_choose(definitions, process.origin, process.own);
	return origins_add_process(
		       origins, &whole->model->arena, process.origin->number, process.number, process.own) &&
	       map_set(&definitions->process_numbers, own, origins->in_order[origins->n_in_order - 1]) &&
	       processes_put(whole, to);
}

bool process_take(struct definitions *definitions, struct codec *codec)
{
	struct origins *origins = &definitions->model->origins;
	struct origin_process process = { 0 };
	uint64_t origin = 0;

	record_process(codec, &process, &origin);
	codec->is_bad |= origin == 0 || origin > origins->n_all || process.own == 0 || process.number == 0 ||
			 origins->processes.n_used >= ORIGIN_PROCESSES_MAX;
	return !codec_is_good(codec) ||
	       origins_add_process(origins, codec->arena, (uint32_t)origin, process.number, process.own);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

bool definitions_put_merged(struct definitions *merged, struct bytes *to)
{
	static bool (*const put[N_NUMBERED])(struct definitions *, size_t, struct bytes *) = {
		[NUMBERED_CONSTANTS] = constants_write,
		[NUMBERED_LAYOUTS] = layout_put,
		[NUMBERED_OBJECTS] = object_put,
		[NUMBERED_CONTEXTS] = context_put,
	};
	const struct numbering *numbering = merged->numbering;
	struct definitions facts = { .model = merged->model, .manner = merged->manner };
	bool is_good = definitions_put_facts(&facts, to);

	definitions_done(&facts);
	merged->layouts_dialect = NULL;
	for (unsigned kind = 0; kind < N_NUMBERED; kind++)
		for (size_t i = 0; i < numbering->n_places[kind] && is_good; i++)
			is_good = put[kind](
				numbering->places[kind][i].of, numbering->places[kind][i].local, to);
	return is_good;
}
