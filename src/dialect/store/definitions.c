/* SPDX-License-Identifier: MIT */
#include "dialect/store/definitions_parts.h"

#include <stdlib.h>
#include <string.h>

#include "dialect/store/records.h"

void definitions_done(struct definitions *definitions)
{
	free(definitions->constants);
	free(definitions->contexts);
	map_done(&definitions->constant_numbers);
	free(definitions->constant_hashes);
	bytes_done(&definitions->facts);
	bytes_done(&definitions->scratch);
	free(definitions->objects);
	free(definitions->context_copies);
	for (size_t i = 0; i < N_NUMBERED; i++)
		free(definitions->numbers[i]);
	map_done(&definitions->process_numbers);
	*definitions = (struct definitions){ 0 };
}

/* --- facts ---------------------------------------------------------------------------------------------- */

struct facts {
	const char *dialect, *target, *noun;
	uint64_t columns, flags, first_ticks, clock_hz, rate_ticks, rate_ns, clock_bits;
	uint64_t counted_kinds, scoped_kinds, thread_mask;
	const struct rst_detail *details;
	size_t n_details;
};

enum {
	FACT_DOWN = 1,
	FACT_SWITCHES = 2,
	FACT_FIRST = 4,
	FACT_BY_KIND = 8,
	FACT_COUNTED = 16,
	FACTS_ALL = 32
};

static void definitions_record_facts(struct codec *codec, struct facts *facts)
{
	static const struct codec_row rows[] = {
		CODEC_ROW(struct facts, dialect, CODEC_NAME, 0),
		CODEC_ROW(struct facts, target, CODEC_TEXT, 0),
		CODEC_ROW(struct facts, noun, CODEC_TEXT, 0),
		CODEC_ROW(struct facts, columns, CODEC_NUMBER, BATCH_THRESHOLD << 1),
		CODEC_ROW(struct facts, flags, CODEC_NUMBER, FACTS_ALL),
		CODEC_ROW(struct facts, first_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, clock_hz, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, rate_ticks, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, rate_ns, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, clock_bits, CODEC_NUMBER, 65),
		CODEC_ROW(struct facts, counted_kinds, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, scoped_kinds, CODEC_NUMBER, 0),
		CODEC_ROW(struct facts, thread_mask, CODEC_NUMBER, 0),
	};

	codec_record(codec, rows, N_CODEC_ROWS(rows), facts);
	record_details(codec, &facts->details, &facts->n_details);
}

/* Details are left out: they contain paths, versions and dates. */
static void facts_disguise(const struct disguise *disguise, struct facts *facts)
{
	facts->target = facts->target ? "host-1" : NULL;
	facts->first_ticks = disguise_ticks(disguise, facts->first_ticks);
	facts->n_details = 0;
}

static bool facts_put(struct definitions *definitions, struct bytes *to)
{
	const struct model *model = definitions->model;
	struct bytes *scratch = &definitions->scratch;
	struct codec codec = { .to = scratch };
	uint64_t item = ITEM_FACTS;
	struct facts facts = {
		.dialect = definitions->manner.dialect,
		.target = model->target,
		.noun = model->contexts.noun,
		.columns = definitions->manner.columns,
		.flags = (model->clock_is_down ? FACT_DOWN : 0) | (model->has_switches ? FACT_SWITCHES : 0) |
			 (model->has_first_ticks ? FACT_FIRST : 0) |
			 (model->objects.is_by_kind ? FACT_BY_KIND : 0) |
			 (model->contexts.is_counted ? FACT_COUNTED : 0),
		.first_ticks = model->first_ticks,
		.clock_hz = model->clock_hz,
		.rate_ticks = model->rate_ticks,
		.rate_ns = model->rate_ns,
		.clock_bits = model->clock_bits,
		.counted_kinds = model->objects.counted_kinds,
		.scoped_kinds = model->objects.scoped_kinds,
		.thread_mask = model->contexts.thread_mask,
		.details = model->details,
		.n_details = model->n_details,
	};

	if (definitions->disguise)
		facts_disguise(definitions->disguise, &facts);
	scratch->n = 0;
	codec_number(&codec, &item, 0);
	definitions_record_facts(&codec, &facts);
	if (!codec_is_good(&codec))
		return false;
	if (scratch->n == definitions->facts.n && memcmp(scratch->at, definitions->facts.at, scratch->n) == 0)
		return true;
	definitions->facts.n = 0;
	return bytes_put(&definitions->facts, scratch->at, scratch->n) &&
	       bytes_put(to, scratch->at, scratch->n);
}

/* If the recording lacks a fact, the model's stays, because the user may have given it. */
static bool facts_take(struct definitions *definitions, struct codec *codec)
{
	struct model *model = definitions->model;
	struct facts facts = { 0 };

	definitions_record_facts(codec, &facts);
	if (!codec_is_good(codec))
		return true;
	definitions->manner = (struct store_manner){ facts.dialect, (unsigned)facts.columns };
	definitions->has_facts = true;
	model->target = facts.target;
	model->contexts.noun = facts.noun;
	model->contexts.thread_mask = facts.thread_mask;
	model->contexts.is_counted = facts.flags & FACT_COUNTED;
	model->objects.counted_kinds = facts.counted_kinds;
	model->objects.scoped_kinds = model->origins.n_all ? UINT64_MAX : facts.scoped_kinds;
	model->objects.is_by_kind = facts.flags & FACT_BY_KIND;
	model->clock_is_down = facts.flags & FACT_DOWN;
	model->has_switches |= (facts.flags & FACT_SWITCHES) != 0;
	model->has_first_ticks = facts.flags & FACT_FIRST;
	model->first_ticks = facts.first_ticks;
	model->clock_hz = facts.clock_hz ? facts.clock_hz : model->clock_hz;
	model->rate_ticks = facts.rate_ticks;
	model->rate_ns = facts.rate_ns;
	model->clock_bits = (unsigned)facts.clock_bits;
	model->n_details = 0;
	for (size_t i = 0; i < facts.n_details; i++)
		if (!model_detail(model, &facts.details[i]))
			return false;
	return true;
}

/* --- pairs and warnings --------------------------------------------------------------------------------- */

static bool rest_put(struct definitions *definitions, struct bytes *to)
{
	const struct model *model = definitions->model;
	struct codec codec = { .to = to };

	/* Warnings are left out because they contain names. */
	if (definitions->disguise) {
		definitions->n_warnings = model->n_warnings;
		if (definitions->disguise->hides_times)
			definitions->n_pairs = model->n_pairs;
	}
	for (; definitions->n_pairs < model->n_pairs; definitions->n_pairs++) {
		uint64_t item = ITEM_PAIR;

		codec_number(&codec, &item, 0);
		codec_size(&codec, &definitions->n_pairs, 0);
		record_pair(&codec, &model->pairs[definitions->n_pairs]);
	}
	for (; definitions->n_warnings < model->n_warnings; definitions->n_warnings++) {
		uint64_t item = ITEM_WARNING;

		codec_number(&codec, &item, 0);
		codec_size(&codec, &definitions->n_warnings, 0);
		codec_text(&codec, &model->warnings[definitions->n_warnings]);
	}
	return codec_is_good(&codec);
}

static bool pair_take(struct definitions *definitions, struct codec *codec)
{
	struct rst_clock_pair pair = { 0 };
	uint64_t index = 0;

	codec_number(codec, &index, definitions->model->n_pairs + 1);
	record_pair(codec, &pair);
	return !codec_is_good(codec) || index < definitions->model->n_pairs ||
	       model_add_pair(definitions->model, &pair);
}

static bool warning_take(struct definitions *definitions, struct codec *codec)
{
	const char *text = NULL;
	uint64_t index = 0;

	codec_number(codec, &index, 0);
	codec_text(codec, &text);
	if (!codec_is_good(codec) || !text || index < definitions->n_warnings)
		return true;
	definitions->n_warnings++;
	return model_warn(definitions->model, "%s", text);
}

/* --- for writers of stores ------------------------------------------------------------------------------ */

bool definitions_put_facts(struct definitions *definitions, struct bytes *to)
{
	return (definitions->has_same_facts || facts_put(definitions, to)) && origins_put(definitions, to) &&
	       rest_put(definitions, to);
}

bool definitions_put(struct definitions *definitions, struct bytes *to)
{
	const struct model *model = definitions->model;

	if (!definitions->origin && !definitions_put_facts(definitions, to))
		return false;
	if (!constants_put_changed(definitions, to))
		return false;
	/* The two markers exist in every model. */
	for (size_t i = definitions->n_layouts < 2 ? 2 : definitions->n_layouts; i < model->n_layouts; i++)
		if (!layout_put(definitions, i, to))
			return false;
	definitions->n_layouts = model->n_layouts;
	return objects_put(definitions, to) && contexts_put(definitions, to);
}

enum rst_status definitions_take(
	struct definitions *definitions, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	static bool (*const takers[N_ITEMS])(struct definitions *, struct codec *) = {
		[ITEM_FACTS] = facts_take,
		[ITEM_CONSTANTS] = constants_take,
		[ITEM_LAYOUT] = layout_take,
		[ITEM_OBJECT] = object_take,
		[ITEM_CONTEXT] = context_take,
		[ITEM_PAIR] = pair_take,
		[ITEM_WARNING] = warning_take,
		[ITEM_ORIGIN] = origin_take,
		[ITEM_PROCESS] = process_take,
		[ITEM_DIALECT] = dialect_take,
		[ITEM_ORIGIN_END] = origin_end_take,
		[ITEM_SAME] = same_take,
	};
	struct codec codec = {
		.is_reading = true, .from = cursor_over(bytes, n_bytes), .arena = &definitions->model->arena
	};

	while (cursor_left(&codec.from)) {
		uint64_t item = 0;

		codec_number(&codec, &item, N_ITEMS);
		codec.is_bad |= item == 0;
		if (codec_is_good(&codec))
			codec.lacks_memory |= !takers[item](definitions, &codec);
		if (codec.lacks_memory)
			return error_nomem(err);
		if (codec.is_bad)
			return error_set(err, RST_E_DAMAGED, RST_NO_OFFSET,
				"names and types of the store cannot be read");
	}
	return RST_OK;
}
