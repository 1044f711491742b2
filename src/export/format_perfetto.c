/* SPDX-License-Identifier: MIT */
/* Perfetto's protobuf: its beginning and end, the clock, losses. perfetto.h has the whole. */
#include <stdlib.h>

#include "base/error.h"
#include "export/perfetto.h"

/* --- the clock ------------------------------------------------------------------------------------------ */

static char *put_clock(char *p, unsigned id, uint64_t ns)
{
	char *const start = p = proto_begin(p, CLOCKS_CLOCK, PROTO_LENGTH_SHORT);

	p = proto_number(proto_number(p, CLOCK_ID, id), CLOCK_TIMESTAMP, ns);
	proto_end(start, p, PROTO_LENGTH_SHORT);
	return p;
}

/* The time of day, and of the clock that is never set, at these ticks, by a pair of the recording. */
static void clock_write(struct export *export, const struct rst_clock_pair *pair, uint64_t ticks)
{
	const int64_t behind = times_distance_ns(&export->scan->times, pair->ticks, ticks);
	struct packet packet;
	char *start, *p;

	if (pair->realtime_ns + behind < 0 || !packet_begin(&packet, export, 0, 0))
		return;
	start = p = proto_begin(export->out->at, PACKET_CLOCKS, PROTO_LENGTH);
	p = put_clock(p, CLOCK_BOOT_ID, perfetto_time(export, ticks));
	p = put_clock(p, CLOCK_REALTIME_ID, (uint64_t)(pair->realtime_ns + behind));
	if (pair->monotonic_ns + behind > 0)
		p = put_clock(p, CLOCK_MONOTONIC_ID, (uint64_t)(pair->monotonic_ns + behind));
	proto_end(start, p, PROTO_LENGTH);
	export->out->at = p;
	packet_end(&packet);
}

/*
 * Writes the pairs of clock values that are new since the last call. Pairs before the first event give the
 * clock at its time.
 */
static __attribute__((noinline)) void pairs_write(struct export *export)
{
	struct perfetto *perfetto = export->state;
	const struct times *times = &export->scan->times;
	const struct rst_clock *clock = &times->clock;
	size_t i = perfetto->n_pairs;

	perfetto->n_pairs = clock->n_pairs;
	if (!times->hz)
		return;
	if (!perfetto->has_clock) {
		while (i + 1 < clock->n_pairs && clock->pairs[i + 1].ticks <= times->first)
			i++;
		clock_write(export, &clock->pairs[i], times->first);
		i += clock->pairs[i].ticks <= times->first;
		perfetto->has_clock = true;
	}
	for (; i < clock->n_pairs; i++)
		clock_write(export, &clock->pairs[i], clock->pairs[i].ticks);
}

/* --- losses --------------------------------------------------------------------------------------------- */

static bool put_mark(struct export *export, const struct rst_gap *gap, uint64_t track, uint64_t at)
{
	static const enum fixed_name names[] = {
		[RST_LOSS] = NAME_LOST, [RST_DAMAGE] = NAME_DAMAGE, [RST_RUN] = NAME_RUN
	};
	const uint32_t name = name_of_fixed(export, names[gap->marker]);
	const char *reason = gap->what ? gap->what : "";
	struct packet packet;
	char *p;

	if (!event_begin(&packet, export, strlen(reason), TYPE_INSTANT, track, at))
		return true;
	p = proto_number(export->out->at, EVENT_NAME_IID, name);
	p = proto_number(p, EVENT_CATEGORY_IID, gap->marker == RST_RUN ? CATEGORY_RUN : CATEGORY_LOSS);
	p = note_text(p, NOTE_REASON, (struct text){ reason, strlen(reason) });
	if (gap->n_events && gap->marker == RST_LOSS)
		p = note_number(p, NOTE_EVENTS, ANNOTATION_UINT, gap->n_events);
	if (gap->marker == RST_DAMAGE) {
		p = note_number(p, NOTE_OFFSET, ANNOTATION_UINT, gap->offset);
		p = note_number(p, NOTE_BYTES, ANNOTATION_UINT, gap->n_bytes);
	}
	export->out->at = p;
	event_end(&packet);
	return true;
}

/*
 * Perfetto counts lost packets and lost events of cores itself; a mark shows where and why. A new run is not
 * a loss.
 */
static bool format_perfetto_put_gap(
	struct export *export, const struct rst_gap *gap, uint16_t core, uint64_t at)
{
	static const struct rst_entity losses = {
		.form = RST_ENTITY_THING, .kind = "losses", .name = "Losses", .name_bytes = 6
	};
	uint64_t track;

	names_begin(export, gap->marker != RST_RUN);
	queues_lose(export);
	track = track_of(export, GROUP_THREADS, &losses, 0);
	return track && (gap->marker == RST_RUN || sched_lose(export, core)) &&
	       put_mark(export, gap, track, at);
}

/* --- the format ----------------------------------------------------------------------------------------- */

static bool perfetto_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct perfetto *perfetto = context;
	struct export *export = perfetto->export;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (export->scan->times.clock.n_pairs != perfetto->n_pairs)
		pairs_write(export);
	return gap ? format_perfetto_put_gap(export, gap, rst_batch_core(batch, row), at)
		   : event_put(export, batch, row, at);
}

static bool perfetto_piece(void *context, const struct piece *piece)
{
	struct export *export = ((struct export_state *)context)->export;
	static const enum group groups[RST_N_INTERVAL_KINDS] = {
		[RST_INTERVAL_THREAD] = GROUP_THREADS,
		[RST_INTERVAL_CORE] = GROUP_CORES,
		[RST_INTERVAL_LOCK] = GROUP_LOCKS,
		[RST_INTERVAL_INTERRUPT] = GROUP_INTERRUPTS,
		[RST_INTERVAL_SPAN] = GROUP_SPANS,
		[RST_INTERVAL_LEVEL] = GROUP_LEVELS,
		[RST_INTERVAL_MACHINE] = GROUP_MACHINES,
	};
	const struct rst_interval *interval = piece->interval;
	struct placed placed = { .piece = piece, .group = groups[interval->kind] };

	placed.track = track_reach(export, placed.group,
		interval->kind == RST_INTERVAL_SPAN ? &interval->object : &interval->subject);
	if (!placed.track)
		return false;
	if (interval->kind == RST_INTERVAL_THREAD && interval->by.form == RST_ENTITY_THING &&
		piece->has_begin) {
		placed.waker = track_reach(export, GROUP_THREADS, &interval->by);
		if (!placed.waker)
			return false;
	}
	return slice_put(export, &placed) && sched_see(export, &placed);
}

static enum rst_status perfetto_begin(struct export *export, struct rst_error *err)
{
	enum { NS_PER_S = 1000000000 };
	struct perfetto *perfetto = export->state;
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	const uint64_t hz = metadata->clock.rate_ticks ? metadata->clock_hz : 0;

	if (!outbuf_init(&perfetto->bundle, OUTBUF_MEMORY))
		return error_nomem(err);
	/* The most frequent clocks; other clocks need a division for each event. */
	perfetto->ns_per_tick = !hz ? 1 : NS_PER_S % hz == 0 ? NS_PER_S / hz : 0;
	names_begin(export, false);
	if (!export->choices[0])
		return RST_OK;
	export->has_sentences = true;
	return sentences_init(&export->sentences, export->trace, export->templates, export->diags, err);
}

static enum rst_status perfetto_end(struct export *export, struct rst_error *err)
{
	return sched_end(export) ? RST_OK : error_nomem(err);
}

static void perfetto_done(void *context)
{
	struct perfetto *perfetto = context;

	for (size_t i = 0; i < N_GROUPS; i++)
		subjects_done(&perfetto->tracks[i]);
	subjects_done(&perfetto->names);
	subjects_done(&perfetto->queues);
	free(perfetto->types);
	free(perfetto->plans);
	free(perfetto->cores);
	arena_done(&perfetto->arena);
	if (perfetto->bundle.start)
		outbuf_done(&perfetto->bundle);
}

static const char *const no_yes[] = { "no", "yes", NULL };

static const struct export_option perfetto_options[] = {
	{ "sentences", "no|yes: what templates say of each event, too", no_yes },
	{ .key = NULL },
};

const struct export_format export_format_perfetto = {
	.observer = {
		.state_bytes = sizeof(struct perfetto),
		.effects = SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) | SCAN_BIT(RST_EFFECT_LEVEL),
		.intervals = UINT32_MAX,
		.row = perfetto_row,
		.effect = queue_see,
		.piece = perfetto_piece,
		.done = perfetto_done,
	},
	.name = "perfetto",
	.extension = ".pftrace",
	.about = "Perfetto's protobuf: ui.perfetto.dev, trace_processor",
	.keeps = "events with fields, all intervals, scheduling, levels, what woke what, what received from "
		 "what, "
		 "the time of day, losses",
	.leaves = "time below 1 ns, thresholds; sentences unless asked for",
	.wants_clock = true,
	.options = perfetto_options,
	.begin = perfetto_begin,
	.end = perfetto_end,
};
