/* SPDX-License-Identifier: MIT */
/*
 * The JSON of Chrome's trace viewer ("Trace Event Format"), which Perfetto's page and speedscope read, too: complete events (X)
 * for whatever lasts, instants (i) for events, counters (C) for levels, flows (s, f) from what woke a thread to it, metadata (M)
 * for names. Times are microseconds with three decimals. Events stand in the order in which they are known, which readers allow.
 */
#include <inttypes.h>

#include "base/error.h"
#include "export/json.h"

/* Groups of tracks, which the viewers call processes. Real processes are behind them. */
enum group {
	GROUP_CORES = 1,
	GROUP_INTERRUPTS,
	GROUP_THREADS,
	GROUP_SPANS,
	GROUP_LOCKS,
	GROUP_MACHINES,
	N_GROUPS
};

static const char *const group_names[N_GROUPS] = { NULL, "cores", "interrupts", "threads", "spans", "locks",
	"state machines" };

struct chrome_track {
	struct subject subject;
	unsigned number; /* from 1 on; 0: its name is not written yet */
};

struct chrome {
	struct subjects tracks[N_GROUPS];
	bool has_group[N_GROUPS];
	uint64_t n_flows;
	bool has_some;
};

/* --- pieces ------------------------------------------------------------------------------------------------------- */

/* Microseconds since the first event, or ticks where their length is not known. */
static void put_time(struct export *export, uint64_t ticks)
{
	const struct times *times = &export->scan->times;
	const uint64_t ns = times->hz ? times_ns(times, ticks) : 0;

	if (times->hz)
		outbuf_printf(export->out, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
	else
		outbuf_printf(export->out, "%" PRIu64, ticks > times->first ? ticks - times->first : 0);
}

/* The length is the difference of both ends as they are written, so that neighbours neither overlap nor have a gap. */
static void put_length(struct export *export, uint64_t from, uint64_t to)
{
	const struct times *times = &export->scan->times;
	const uint64_t ns = times->hz ? times_ns(times, to) - times_ns(times, from) : 0;

	if (times->hz)
		outbuf_printf(export->out, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
	else
		outbuf_printf(export->out, "%" PRIu64, to - from);
}

static void record_begin(struct export *export, char phase, enum group group, unsigned track)
{
	struct chrome *chrome = export->state;

	outbuf_printf(export->out, "%s{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", chrome->has_some ? ",\n" : "\n",
		phase, group, track);
	chrome->has_some = true;
}

static void put_name_of(struct export *export, enum group group, const struct chrome_track *track)
{
	struct chrome *chrome = export->state;
	const struct rst_entity *entity = &track->subject.entity;

	if (!chrome->has_group[group]) {
		record_begin(export, 'M', group, 0);
		outbuf_printf(export->out, ",\"name\":\"process_name\",\"args\":{\"name\":\"%s\"}}",
			group_names[group]);
	}
	chrome->has_group[group] = true;
	record_begin(export, 'M', group, track->number);
	outbuf_puts(export->out, ",\"name\":\"thread_name\",\"args\":{\"name\":");
	if (track->subject.is_rest)
		outbuf_puts(export->out, "\"(others)\"");
	else
		json_entity(export->out, entity);
	outbuf_puts(export->out, "}}");
}

/* The number of a thing's track, whose name is written when it is met. 0: memory ran out. */
static unsigned track_of(struct export *export, enum group group, const struct rst_entity *entity)
{
	struct chrome *chrome = export->state;
	struct subjects *tracks = &chrome->tracks[group];
	struct chrome_track *track;

	tracks->record_bytes = sizeof(*track);
	track = subject_of(tracks, entity);
	if (!track)
		return 0;
	if (!track->number) {
		track->number = (unsigned)tracks->n;
		put_name_of(export, group, track);
	}
	return track->number;
}

/* --- what lasts --------------------------------------------------------------------------------------------------- */

static void put_state(struct outbuf *out, const struct rst_interval *interval)
{
	outbuf_puts(out, rst_state_name(interval->state));
	if (interval->reason != RST_REASON_NONE)
		outbuf_printf(out, " (%s)", rst_reason_name(interval->reason));
}

/* What a track shows: of cores and locks the thread, of machines the state. */
static void put_what(struct outbuf *out, const struct rst_interval *interval)
{
	const bool shows_object = interval->kind == RST_INTERVAL_CORE ||
				  interval->kind == RST_INTERVAL_LOCK ||
				  interval->kind == RST_INTERVAL_MACHINE;

	if (interval->kind == RST_INTERVAL_SPAN) {
		json_entity(out, &interval->subject);
	} else if (shows_object && interval->object.form != RST_ENTITY_NONE &&
		   (interval->kind == RST_INTERVAL_MACHINE || interval->state != RST_STATE_UNKNOWN)) {
		json_entity(out, &interval->object);
	} else {
		outbuf_puts(out, "\"");
		if (interval->state == RST_N_STATES)
			outbuf_puts(out, rst_interval_kind_name(interval->kind));
		else
			put_state(out, interval);
		outbuf_puts(out, "\"");
	}
}

static void put_word(struct outbuf *out, const char *key, const char *word)
{
	outbuf_printf(out, ",\"%s\":\"%s\"", key, word);
}

static void put_entity(struct outbuf *out, const char *key, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NONE)
		return;
	outbuf_printf(out, ",\"%s\":", key);
	json_entity(out, entity);
}

static void put_args(struct outbuf *out, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	outbuf_printf(out, ",\"args\":{\"certainty\":\"%s\"", rst_certainty_name(interval->certainty));
	if (interval->state != RST_N_STATES)
		put_word(out, "state", rst_state_name(interval->state));
	if (interval->reason != RST_REASON_NONE)
		put_word(out, "reason", rst_reason_name(interval->reason));
	put_entity(out, "object", &interval->object);
	put_entity(out, "by", &interval->by);
	if (interval->core != RST_NO_CORE)
		outbuf_printf(out, ",\"core\":%u", interval->core);
	if (piece->has_begin)
		outbuf_printf(out, ",\"from_seq\":%" PRIu64, interval->from_seq);
	if (piece->has_end)
		outbuf_printf(out, ",\"to_seq\":%" PRIu64, interval->to_seq);
	outbuf_puts(out, "}}");
}

static bool put_complete(
	struct export *export, const struct piece *piece, enum group group, const struct rst_entity *whose)
{
	const struct rst_interval *interval = piece->interval;
	struct outbuf *out = export->out;
	const unsigned track = track_of(export, group, whose);

	if (!track)
		return false;
	record_begin(export, 'X', group, track);
	outbuf_puts(out, ",\"name\":");
	put_what(out, interval);
	outbuf_printf(out, ",\"cat\":\"%s\",\"ts\":", rst_interval_kind_name(interval->kind));
	put_time(export, piece->from);
	outbuf_puts(out, ",\"dur\":");
	put_length(export, piece->from, piece->to);
	put_args(out, piece);
	return true;
}

static bool put_counter(struct export *export, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct outbuf *out = export->out;

	record_begin(export, 'C', GROUP_THREADS, 0);
	outbuf_puts(out, ",\"name\":");
	json_entity(out, &interval->subject);
	outbuf_puts(out, ",\"cat\":\"level\",\"ts\":");
	put_time(export, piece->from);
	if (interval->has_value)
		outbuf_printf(out, ",\"args\":{\"level\":%" PRIu64 "}}", interval->value);
	else
		outbuf_puts(out, ",\"args\":{}}");
	return true;
}

static void put_flow(struct export *export, char phase, unsigned track, uint64_t at)
{
	const struct chrome *chrome = export->state;

	record_begin(export, phase, GROUP_THREADS, track);
	outbuf_printf(export->out,
		",\"name\":\"wakes\",\"cat\":\"wake\",\"id\":%" PRIu64 "%s,\"ts\":", chrome->n_flows,
		phase == 'f' ? ",\"bp\":\"e\"" : "");
	put_time(export, at);
	outbuf_puts(export->out, "}");
}

/* From what woke the thread to it, where both are threads of the trace. */
static bool put_wake(struct export *export, const struct piece *piece)
{
	struct chrome *chrome = export->state;
	const struct rst_interval *interval = piece->interval;
	unsigned waker, woken;

	if (interval->kind != RST_INTERVAL_THREAD || interval->by.form != RST_ENTITY_THING ||
		!piece->has_begin)
		return true;
	waker = track_of(export, GROUP_THREADS, &interval->by);
	woken = track_of(export, GROUP_THREADS, &interval->subject);
	if (!waker || !woken)
		return false;
	chrome->n_flows++;
	put_flow(export, 's', waker, piece->from);
	put_flow(export, 'f', woken, piece->from);
	return true;
}

static bool chrome_piece(struct export *export, const struct piece *piece)
{
	static const enum group groups[RST_N_INTERVAL_KINDS] = {
		[RST_INTERVAL_THREAD] = GROUP_THREADS,
		[RST_INTERVAL_CORE] = GROUP_CORES,
		[RST_INTERVAL_LOCK] = GROUP_LOCKS,
		[RST_INTERVAL_INTERRUPT] = GROUP_INTERRUPTS,
		[RST_INTERVAL_SPAN] = GROUP_SPANS,
		[RST_INTERVAL_MACHINE] = GROUP_MACHINES,
	};
	const struct rst_interval *interval = piece->interval;

	if (interval->kind == RST_INTERVAL_LEVEL)
		return put_counter(export, piece);
	/* Spans of a thread nest in a track of its own, beside that of its states. */
	return put_complete(export, piece, groups[interval->kind],
		       interval->kind == RST_INTERVAL_SPAN ? &interval->object : &interval->subject) &&
	       put_wake(export, piece);
}

/* --- events and losses -------------------------------------------------------------------------------------------- */

static void put_gap(struct export *export, const struct rst_gap *gap, uint64_t at)
{
	struct outbuf *out = export->out;

	record_begin(export, 'i', GROUP_THREADS, 0);
	outbuf_printf(out, ",\"s\":\"g\",\"name\":\"%s\",\"cat\":\"loss\",\"ts\":",
		gap->marker == RST_LOSS ? "LOST" : "DAMAGE");
	put_time(export, at);
	outbuf_puts(out, ",\"args\":{\"reason\":");
	outbuf_json(out, gap->what);
	if (gap->marker == RST_LOSS && gap->n_events)
		outbuf_printf(out, ",\"events\":%" PRIu64, gap->n_events);
	if (gap->marker == RST_DAMAGE)
		outbuf_printf(out, ",\"offset\":%" PRIu64 ",\"bytes\":%" PRIu64, gap->offset, gap->n_bytes);
	outbuf_puts(out, "}}");
}

static bool chrome_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	struct outbuf *out = export->out;
	struct rst_entity who;
	struct text args, text;
	unsigned track;

	if (gap) {
		put_gap(export, gap, at);
		return true;
	}
	who = rst_entity_of_context(batch->context[row]);
	track = track_of(export, GROUP_THREADS, &who);
	if (!track || !sentence_make(&export->sentences, batch, row, &args, &text))
		return false;
	record_begin(export, 'i', GROUP_THREADS, track);
	outbuf_puts(out, ",\"s\":\"t\",\"name\":");
	json_text(out, (struct text){ batch->type[row]->name, batch->type[row]->name_bytes });
	outbuf_puts(out, ",\"cat\":\"event\",\"ts\":");
	put_time(export, at);
	outbuf_printf(out, ",\"args\":{\"seq\":%" PRIu64 ",\"text\":", row_seq(export->scan, batch, row));
	json_text(out, text);
	outbuf_printf(out, ",\"fields\":%.*s}}", (int)args.n_bytes, args.bytes);
	return true;
}

/* --- beginning and end -------------------------------------------------------------------------------------------- */

static enum rst_status chrome_begin(struct export *export, struct rst_error *err)
{
	(void)err;
	outbuf_puts(export->out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return RST_OK;
}

static enum rst_status chrome_end(struct export *export, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	struct outbuf *out = export->out;

	(void)err;
	outbuf_puts(out, "\n],\"otherData\":{\"path\":");
	outbuf_json(out, metadata->path);
	outbuf_printf(out, ",\"dialect\":\"%s\",\"ts\":\"%s\",\"fault\":", metadata->dialect,
		export->scan->is_started && export->scan->times.hz ? "us" : "ticks");
	outbuf_json(out, export->fault);
	outbuf_puts(out, "}}\n");
	return RST_OK;
}

static void chrome_done(struct export *export)
{
	struct chrome *chrome = export->state;

	for (size_t i = 0; i < N_GROUPS; i++)
		subjects_done(&chrome->tracks[i]);
}

const struct export_format export_format_chrome = {
	.name = "chrome",
	.extension = ".json",
	.about = "JSON of Chrome's trace viewer: Perfetto's page, chrome://tracing, speedscope",
	.keeps = "events with fields and sentences, all intervals, levels, what woke what, losses",
	.leaves = "time below 1 ns, wall clock, priorities",
	.wants_texts = true,
	.wants_clock = true,
	.state_bytes = sizeof(struct chrome),
	.intervals = UINT32_MAX,
	.begin = chrome_begin,
	.row = chrome_row,
	.piece = chrome_piece,
	.end = chrome_end,
	.done = chrome_done,
};
