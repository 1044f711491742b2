/* SPDX-License-Identifier: MIT */
/*
 * The JSON of speedscope: an evented profile for each thread and core. Stacks (stacks.h) come in reverse
 * order, from the end of the trace, and the file needs them from its begin. So the edges of frames are kept
 * once more, and read backwards.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "base/json.h"
#include "export/export.h"
#include "export/stacks.h"

enum { CLOSES, OPENS };

struct speedscope {
	struct export *export;
	struct stacks stacks;
	struct chain losses;
	/* The profile that is being written. */
	struct pages pages;
	struct chain edges; /* from: when; word: frame; flags: CLOSES or OPENS */
	struct json json;
	struct slice later; /* the slice given before, which is later in time */
	bool has_profile;
};

/* --- what opens and closes, backwards ------------------------------------------------------------------- */

static bool edge_add(struct speedscope *speedscope, uint64_t at, uint32_t word, unsigned what)
{
	const struct kept edge = { .from = at, .to = at, .word = word, .flags = what };

	return chain_add(&speedscope->edges, &speedscope->pages, &edge);
}

/* Frames that go on from one slice to the next. */
static unsigned count_shared(const struct slice *one, const struct slice *other)
{
	unsigned n = 0;

	if (one->to != other->from)
		return 0;
	while (n < one->n_frames && n < other->n_frames && one->frames[n].word == other->frames[n].word &&
		one->frames[n].from == other->frames[n].from)
		n++;
	return n;
}

/*
 * Adds the edges between two slices: the later one opens frames (inner ones first), then the earlier one
 * closes frames (outer ones first).
 */
static bool slices_part(struct speedscope *speedscope, const struct slice *earlier, const struct slice *later)
{
	const unsigned n_shared = count_shared(earlier, later);
	bool is_good = true;

	for (unsigned i = later->n_frames; i-- > n_shared && is_good;)
		is_good = edge_add(speedscope, later->from, later->frames[i].word, OPENS);
	for (unsigned i = n_shared; i < earlier->n_frames && is_good; i++)
		is_good = edge_add(speedscope, earlier->to, earlier->frames[i].word, CLOSES);
	return is_good;
}

static bool slice_take(void *context, const struct slice *slice)
{
	struct speedscope *speedscope = context;

	if (!slices_part(speedscope, slice, &speedscope->later))
		return false;
	speedscope->later = *slice;
	return true;
}

/* --- profiles ------------------------------------------------------------------------------------------- */

/* Nanoseconds since the first event, or ticks if their length is not known. */
static uint64_t time_of(const struct export *export, uint64_t ticks)
{
	const struct times *times = &export->scan->times;

	if (times->hz)
		return times_ns(times, ticks);
	return ticks > times->first ? ticks - times->first : 0;
}

static void profile_begin(struct export *export, struct text name)
{
	struct speedscope *speedscope = export->state;
	struct json *json = &speedscope->json;
	const struct scan *scan = export->scan;

	json_line_begin(json);
	json_object(json, NULL);
	json_text(json, "type", "evented");
	json_bytes(json, "name", name);
	json_text(json, "unit", scan->times.hz ? "nanoseconds" : "none");
	json_unsigned(json, "startValue", scan->is_started ? time_of(export, scan->from) : 0);
	json_unsigned(json, "endValue", scan->is_started ? time_of(export, scan->to) : 0);
	json_array(json, "events");
	speedscope->has_profile = true;
}

static void edge_put(struct export *export, const struct kept *edge)
{
	struct json *json = &((struct speedscope *)export->state)->json;

	json_line_begin(json);
	json_object(json, NULL);
	json_text(json, "type", edge->flags == OPENS ? "O" : "C");
	json_unsigned(json, "frame", edge->word);
	json_unsigned(json, "at", time_of(export, edge->from));
	json_end(json);
}

static void profile_end(struct export *export)
{
	struct speedscope *speedscope = export->state;

	json_end(&speedscope->json);
	json_end(&speedscope->json);
}

static bool profile_put(struct export *export, enum stack_kind kind, size_t n)
{
	struct speedscope *speedscope = export->state;
	const struct slice none = { .n_frames = 0 };
	const struct stack_owner *owner = (const struct stack_owner *)speedscope->stacks.owners[kind].all[n];
	struct text name;

	speedscope->later = none;
	speedscope->edges = (struct chain){ NULL, NULL };
	if (!stacks_name(&speedscope->stacks, kind, n, &name) ||
		!stacks_walk(owner, slice_take, speedscope) ||
		!slices_part(speedscope, &none, &speedscope->later))
		return false;
	profile_begin(export, name);
	for (struct chain_cursor at = chain_end(&speedscope->edges); chain_at(&at); chain_back(&at))
		edge_put(export, chain_at(&at));
	profile_end(export);
	pages_clear(&speedscope->pages);
	return true;
}

/* --- losses: frames that take no time ------------------------------------------------------------------- */

static bool speedscope_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct speedscope *speedscope = context;
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	const struct word *word;
	char label[64];
	int n;

	if (!gap)
		return true;
	if (gap->marker == RST_RUN)
		n = snprintf(label, sizeof(label), "RUN %" PRIu64, gap->n_events);
	else if (gap->marker == RST_DAMAGE)
		n = snprintf(label, sizeof(label), "DAMAGE at byte %" PRIu64, gap->offset);
	else if (gap->n_events)
		n = snprintf(label, sizeof(label), "LOST %" PRIu64 " events", gap->n_events);
	else
		n = snprintf(label, sizeof(label), "LOST an unknown number of events");
	word = word_of(&speedscope->stacks.words, (struct text){ label, (size_t)n });
	return word && chain_add(&speedscope->losses, &speedscope->stacks.pages,
			       &(struct kept){ .from = at, .to = at, .word = word->number });
}

static void format_speedscope_losses_put(struct export *export)
{
	struct speedscope *speedscope = export->state;

	if (!speedscope->losses.first)
		return;
	profile_begin(export, (struct text){ "losses and damage", 17 });
	for (struct chain_cursor at = chain_begin(&speedscope->losses); chain_at(&at); chain_forward(&at)) {
		struct kept edge = *chain_at(&at);

		edge.flags = OPENS;
		edge_put(export, &edge);
		edge.flags = CLOSES;
		edge_put(export, &edge);
	}
	profile_end(export);
}

/* --- the file ------------------------------------------------------------------------------------------- */

static bool speedscope_piece(void *context, const struct piece *piece)
{
	struct speedscope *speedscope = context;

	return stacks_keep(&speedscope->stacks, piece);
}

static void frames_put(struct json *json, const struct words *words)
{
	json_object(json, "shared");
	json_array(json, "frames");
	for (size_t i = 0; i < words->n; i++) {
		json_line_begin(json);
		json_object(json, NULL);
		json_bytes(json, "name", words->all[i]->text);
		json_end(json);
	}
	outbuf_puts(json->out, "\n");
	json_end(json);
	json_end(json);
}

static enum rst_status speedscope_end(struct export *export, struct rst_error *err)
{
	struct speedscope *speedscope = export->state;
	struct json *json = &speedscope->json;
	char exporter[64];

	snprintf(exporter, sizeof(exporter), "rastrum %s", rst_version());
	*json = (struct json){ .out = export->out };
	json_object(json, NULL);
	json_text(json, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_text(json, "name", rst_trace_metadata(export->trace)->path);
	json_text(json, "exporter", exporter);
	json_unsigned(json, "activeProfileIndex", 0);
	json_array(json, "profiles");
	for (enum stack_kind kind = 0; kind < N_STACK_KINDS; kind++)
		for (size_t i = 0; i < speedscope->stacks.owners[kind].n; i++)
			if (!profile_put(export, kind, i))
				return error_nomem(err);
	format_speedscope_losses_put(export);
	/* The viewer refuses a file without a profile. */
	if (!speedscope->has_profile) {
		profile_begin(export, (struct text){ "nothing", 7 });
		profile_end(export);
	}
	outbuf_puts(export->out, "\n");
	json_end(json);
	frames_put(json, &speedscope->stacks.words);
	json_end(json);
	json_line_end(json);
	return RST_OK;
}

static void speedscope_done(void *context)
{
	struct speedscope *speedscope = context;

	stacks_done(&speedscope->stacks);
	pages_done(&speedscope->pages);
}

const struct export_format export_format_speedscope = {
	.observer = {
		.state_bytes = sizeof(struct speedscope),
		.intervals = STACK_INTERVALS,
		.row = speedscope_row,
		.piece = speedscope_piece,
		.done = speedscope_done,
	},
	.name = "speedscope",
	.extension = ".speedscope.json",
	.about = "speedscope: threads and cores as flame charts",
	.keeps = "states and spans of each thread, what each core ran, losses and damage",
	.leaves = "events, locks, levels, state machines, what woke what, wall clock",
	.wants_clock = true,
	.end = speedscope_end,
};
