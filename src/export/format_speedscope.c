/* SPDX-License-Identifier: MIT */
/*
 * The JSON of speedscope: an evented profile for each thread and core. Stacks (stacks.h) come in reverse
 * order, from the end of the trace, and the file needs them from its begin. So the edges of frames are kept
 * once more, and read backwards.
 */
#include <inttypes.h>

#include "base/error.h"
#include "export/json.h"
#include "export/stacks.h"

enum { CLOSES, OPENS };

struct speedscope {
	struct stacks stacks;
	struct chain losses;
	/* The profile that is being written. */
	struct pages pages;
	struct chain edges; /* from: when; word: frame; flags: CLOSES or OPENS */
	struct slice later; /* the slice given before, which is later in time */
	bool has_profile;
};

/* --- what opens and closes, backwards ----------------------------------------------------------------------------- */

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

/* --- profiles ----------------------------------------------------------------------------------------------------- */

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
	struct outbuf *out = export->out;
	const struct scan *scan = export->scan;

	outbuf_puts(out, speedscope->has_profile ? ",\n" : "\n");
	outbuf_puts(out, "{\"type\":\"evented\",\"name\":");
	json_text(out, name);
	outbuf_printf(out,
		",\"unit\":\"%s\",\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64 ",\"events\":[",
		scan->times.hz ? "nanoseconds" : "none", scan->is_started ? time_of(export, scan->from) : 0,
		scan->is_started ? time_of(export, scan->to) : 0);
	speedscope->has_profile = true;
}

static void edge_put(struct export *export, const struct kept *edge, bool is_first)
{
	struct outbuf *out = export->out;

	if (!outbuf_reserve(out, 96))
		return;
	if (!is_first)
		*out->at++ = ',';
	out->at = edge->flags == OPENS ? text_put_literal(out->at, "\n{\"type\":\"O\",\"frame\":")
				       : text_put_literal(out->at, "\n{\"type\":\"C\",\"frame\":");
	out->at = text_put_dec(out->at, edge->word);
	out->at = text_put_literal(out->at, ",\"at\":");
	out->at = text_put_dec(out->at, time_of(export, edge->from));
	*out->at++ = '}';
}

static void profile_end(struct export *export)
{
	outbuf_puts(export->out, "]}");
}

static bool profile_put(struct export *export, enum stack_kind kind, size_t n)
{
	struct speedscope *speedscope = export->state;
	const struct slice none = { .n_frames = 0 };
	const struct stack_owner *owner = (const struct stack_owner *)speedscope->stacks.owners[kind].all[n];
	struct text name;
	bool is_first = true;

	speedscope->later = none;
	speedscope->edges = (struct chain){ NULL, NULL };
	if (!stacks_name(&speedscope->stacks, kind, n, &name) ||
		!stacks_walk(owner, slice_take, speedscope) ||
		!slices_part(speedscope, &none, &speedscope->later))
		return false;
	profile_begin(export, name);
	for (struct chain_cursor at = chain_end(&speedscope->edges); chain_at(&at); chain_back(&at)) {
		edge_put(export, chain_at(&at), is_first);
		is_first = false;
	}
	profile_end(export);
	pages_clear(&speedscope->pages);
	return true;
}

/* --- losses: frames that take no time ----------------------------------------------------------------------------- */

static bool speedscope_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct speedscope *speedscope = export->state;
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

static void losses_put(struct export *export)
{
	struct speedscope *speedscope = export->state;
	bool is_first = true;

	if (!speedscope->losses.first)
		return;
	profile_begin(export, (struct text){ "losses and damage", 17 });
	for (struct chain_cursor at = chain_begin(&speedscope->losses); chain_at(&at); chain_forward(&at)) {
		struct kept edge = *chain_at(&at);

		edge.flags = OPENS;
		edge_put(export, &edge, is_first);
		edge.flags = CLOSES;
		edge_put(export, &edge, false);
		is_first = false;
	}
	profile_end(export);
}

/* --- the file ----------------------------------------------------------------------------------------------------- */

static bool speedscope_piece(struct export *export, const struct piece *piece)
{
	struct speedscope *speedscope = export->state;

	return stacks_keep(&speedscope->stacks, piece);
}

static void frames_put(struct export *export)
{
	const struct speedscope *speedscope = export->state;
	const struct words *words = &speedscope->stacks.words;

	outbuf_puts(export->out, "\n],\"shared\":{\"frames\":[");
	for (size_t i = 0; i < words->n; i++) {
		outbuf_puts(export->out, i ? ",\n{\"name\":" : "\n{\"name\":");
		json_text(export->out, words->all[i]->text);
		outbuf_puts(export->out, "}");
	}
	outbuf_puts(export->out, "\n]}}\n");
}

static enum rst_status speedscope_end(struct export *export, struct rst_error *err)
{
	struct speedscope *speedscope = export->state;
	struct outbuf *out = export->out;

	outbuf_puts(out, "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"name\":");
	outbuf_json(out, rst_trace_metadata(export->trace)->path);
	outbuf_printf(
		out, ",\"exporter\":\"rastrum %s\",\"activeProfileIndex\":0,\"profiles\":[", rst_version());
	for (enum stack_kind kind = 0; kind < N_STACK_KINDS; kind++)
		for (size_t i = 0; i < speedscope->stacks.owners[kind].n; i++)
			if (!profile_put(export, kind, i))
				return error_nomem(err);
	losses_put(export);
	/* The viewer refuses a file without a profile. */
	if (!speedscope->has_profile) {
		profile_begin(export, (struct text){ "nothing", 7 });
		profile_end(export);
	}
	frames_put(export);
	return RST_OK;
}

static void speedscope_done(struct export *export)
{
	struct speedscope *speedscope = export->state;

	stacks_done(&speedscope->stacks);
	pages_done(&speedscope->pages);
}

const struct export_format export_format_speedscope = {
	.name = "speedscope",
	.extension = ".speedscope.json",
	.about = "speedscope: threads and cores as flame charts",
	.keeps = "states and spans of each thread, what each core ran, losses and damage",
	.leaves = "events, locks, levels, state machines, what woke what, wall clock",
	.wants_clock = true,
	.state_bytes = sizeof(struct speedscope),
	.intervals = STACK_INTERVALS,
	.row = speedscope_row,
	.piece = speedscope_piece,
	.end = speedscope_end,
	.done = speedscope_done,
};
