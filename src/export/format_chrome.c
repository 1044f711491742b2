/* SPDX-License-Identifier: MIT */
/*
 * The JSON of Chrome's trace viewer ("Trace Event Format"), which Perfetto's page and speedscope read, too.
 * Intervals become complete events (X), events become instants (i), and levels become counters (C). A wake-up
 * becomes a flow (s, f) from the waker to the woken thread. Names are metadata (M). Times are microseconds
 * with three decimals. Events stand in the order in which they become known, which readers allow.
 *
 * The records are written by hand, because the JSON writer takes 130 instructions more for each value: 3 to 6
 * % of an export of threads.
 */
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "export/export.h"

/* Groups of tracks, which the viewers call processes. The numbers of real processes come after them. */
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
	unsigned number; /* from 1 on; 0 if its name is not written yet */
};

struct chrome {
	struct export *export;
	struct json json; /* around the records */
	struct subjects tracks[N_GROUPS];
	bool has_group[N_GROUPS];
	uint64_t n_flows;
	bool has_some;
};

/* --- pieces --------------------------------------------------------------------------------------------- */

enum { RECORD_ROOM = 1024 }; /* of a record but for texts and names */

static char *put_us(char *p, uint64_t ns)
{
	p = text_put_dec(p, ns / 1000);
	*p++ = '.';
	return text_put_digits(p, ns % 1000, 3);
}

/* Puts microseconds since the first event, or ticks if their length is not known. */
static char *put_time(char *p, const struct export *export, uint64_t ticks)
{
	const struct times *times = &export->scan->times;

	if (times->hz)
		return put_us(p, times_ns(times, ticks));
	return text_put_dec(p, ticks > times->first ? ticks - times->first : 0);
}

/*
 * Puts a length: the difference of both ends as written, so that neighbours neither overlap nor have a gap.
 */
static char *put_length(char *p, const struct export *export, uint64_t from, uint64_t to)
{
	const struct times *times = &export->scan->times;

	return times->hz ? put_us(p, times_ns(times, to) - times_ns(times, from))
			 : text_put_dec(p, to - from);
}

/* Puts one of our constant words. */
static char *put_plain(char *p, const char *word)
{
	return text_put(p, word, strlen(word));
}

/*
 * Makes room for a record with so many bytes of texts and names, and puts its begin. Returns NULL if there is
 * no room.
 */
static char *record_begin(struct export *export, size_t n_texts, char phase, enum group group, unsigned track)
{
	struct chrome *chrome = export->state;
	char *p;

	if (!outbuf_reserve(export->out, RECORD_ROOM + 6 * n_texts))
		return NULL;
	p = export->out->at;
	if (chrome->has_some)
		*p++ = ',';
	chrome->has_some = true;
	p = text_put_literal(p, "\n{\"ph\":\"");
	*p++ = phase;
	p = text_put_literal(p, "\",\"pid\":");
	p = text_put_dec(p, group);
	p = text_put_literal(p, ",\"tid\":");
	return text_put_dec(p, track);
}

/* Puts the name of a thing, or its number if it has no name. */
static char *format_chrome_put_entity(char *p, const struct rst_entity *entity)
{
	if (entity->name)
		return text_put_json(p, entity->name, entity->name_bytes);
	*p++ = '"';
	p = (entity->is_number || entity->form == RST_ENTITY_NUMBER ? text_put_dec : text_put_hex)(
		p, entity->id);
	*p++ = '"';
	return p;
}

static void format_chrome_put_name(struct export *export, enum group group, unsigned track, const char *what,
	const struct rst_entity *entity)
{
	char *p = record_begin(export, entity->name_bytes, 'M', group, track);

	if (!p)
		return;
	p = put_plain(text_put_literal(p, ",\"name\":\""), what);
	p = format_chrome_put_entity(text_put_literal(p, "\",\"args\":{\"name\":"), entity);
	export->out->at = text_put_literal(p, "}}");
}

static void put_name_of(struct export *export, enum group group, const struct chrome_track *track)
{
	static const struct rst_entity others = { .name = "(others)", .name_bytes = 8 };
	struct chrome *chrome = export->state;
	const struct rst_entity whole = { .name = group_names[group],
		.name_bytes = strlen(group_names[group]) };

	if (!chrome->has_group[group])
		format_chrome_put_name(export, group, 0, "process_name", &whole);
	chrome->has_group[group] = true;
	format_chrome_put_name(export, group, track->number, "thread_name",
		track->subject.is_rest ? &others : &track->subject.entity);
}

/* The number of a thing's track. The first call for a thing writes its name. Returns 0 if memory ran out. */
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

/* --- what lasts ----------------------------------------------------------------------------------------- */

static char *format_chrome_put_state(char *p, const struct rst_interval *interval)
{
	p = put_plain(p, rst_state_name(interval->state));
	if (interval->reason == RST_REASON_NONE)
		return p;
	p = put_plain(text_put_literal(p, " ("), rst_reason_name(interval->reason));
	*p++ = ')';
	return p;
}

/* Puts the label of an interval: the thread for cores and locks, the state for machines. */
static char *put_what(char *p, const struct rst_interval *interval)
{
	const bool shows_object = interval->kind == RST_INTERVAL_CORE ||
				  interval->kind == RST_INTERVAL_LOCK ||
				  interval->kind == RST_INTERVAL_MACHINE;

	if (interval->kind == RST_INTERVAL_SPAN)
		return format_chrome_put_entity(p, &interval->subject);
	if (shows_object && interval->object.form != RST_ENTITY_NONE &&
		(interval->kind == RST_INTERVAL_MACHINE || interval->state != RST_STATE_UNKNOWN))
		return format_chrome_put_entity(p, &interval->object);
	*p++ = '"';
	p = interval->state == RST_N_STATES ? put_plain(p, rst_interval_kind_name(interval->kind))
					    : format_chrome_put_state(p, interval);
	*p++ = '"';
	return p;
}

/* ,"key":"word" */
static char *format_chrome_put_word(char *p, const char *key, const char *word)
{
	p = put_plain(text_put_literal(p, ",\""), key);
	p = put_plain(text_put_literal(p, "\":\""), word);
	*p++ = '"';
	return p;
}

static char *format_chrome_put_number(char *p, const char *key, uint64_t number)
{
	p = put_plain(text_put_literal(p, ",\""), key);
	return text_put_dec(text_put_literal(p, "\":"), number);
}

static char *format_chrome_put_other(char *p, const char *key, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NONE)
		return p;
	p = put_plain(text_put_literal(p, ",\""), key);
	return format_chrome_put_entity(text_put_literal(p, "\":"), entity);
}

static char *put_args(char *p, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	p = text_put_literal(p, ",\"args\":{\"certainty\":\"");
	p = put_plain(p, rst_certainty_name(interval->certainty));
	*p++ = '"';
	if (interval->state != RST_N_STATES)
		p = format_chrome_put_word(p, "state", rst_state_name(interval->state));
	if (interval->reason != RST_REASON_NONE)
		p = format_chrome_put_word(p, "reason", rst_reason_name(interval->reason));
	p = format_chrome_put_other(p, "object", &interval->object);
	p = format_chrome_put_other(p, "by", &interval->by);
	if (interval->core != RST_NO_CORE)
		p = format_chrome_put_number(p, "core", interval->core);
	if (piece->has_begin)
		p = format_chrome_put_number(p, "from_seq", interval->from_seq);
	if (piece->has_end)
		p = format_chrome_put_number(p, "to_seq", interval->to_seq);
	return text_put_literal(p, "}}");
}

static size_t names_bytes(const struct rst_interval *interval)
{
	return interval->subject.name_bytes + 2 * interval->object.name_bytes + interval->by.name_bytes;
}

static bool put_complete(
	struct export *export, const struct piece *piece, enum group group, const struct rst_entity *whose)
{
	const struct rst_interval *interval = piece->interval;
	const unsigned track = track_of(export, group, whose);
	char *p = track ? record_begin(export, names_bytes(interval), 'X', group, track) : NULL;

	if (!p)
		return track;
	p = put_what(text_put_literal(p, ",\"name\":"), interval);
	p = format_chrome_put_word(p, "cat", rst_interval_kind_name(interval->kind));
	p = put_time(text_put_literal(p, ",\"ts\":"), export, piece->from);
	p = put_length(text_put_literal(p, ",\"dur\":"), export, piece->from, piece->to);
	export->out->at = put_args(p, piece);
	return true;
}

static bool put_counter(struct export *export, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	char *p = record_begin(export, names_bytes(interval), 'C', GROUP_THREADS, 0);

	if (!p)
		return true;
	p = format_chrome_put_entity(text_put_literal(p, ",\"name\":"), &interval->subject);
	p = put_time(text_put_literal(p, ",\"cat\":\"level\",\"ts\":"), export, piece->from);
	p = text_put_literal(p, ",\"args\":{");
	if (interval->has_value)
		p = number_put_json(
			text_put_literal(p, "\"level\":"), number_as(interval->value, interval->value_type));
	export->out->at = text_put_literal(p, "}}");
	return true;
}

static void put_flow(struct export *export, char phase, unsigned track, uint64_t at)
{
	const struct chrome *chrome = export->state;
	char *p = record_begin(export, 0, phase, GROUP_THREADS, track);

	if (!p)
		return;
	p = text_put_literal(p, ",\"name\":\"wakes\",\"cat\":\"wake\"");
	p = format_chrome_put_number(p, "id", chrome->n_flows);
	if (phase == 'f')
		p = format_chrome_put_word(p, "bp", "e");
	p = put_time(text_put_literal(p, ",\"ts\":"), export, at);
	export->out->at = text_put_literal(p, "}");
}

/* Puts a flow from the waker to the woken thread, if both are threads of the trace. */
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

static bool chrome_piece(void *context, const struct piece *piece)
{
	struct export *export = ((struct export_state *)context)->export;
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

/* --- events and losses ---------------------------------------------------------------------------------- */

static void format_chrome_put_gap(struct export *export, const struct rst_gap *gap, uint64_t at)
{
	static const char *const names[] = {
		[RST_LOSS] = "LOST", [RST_DAMAGE] = "DAMAGE", [RST_RUN] = "RUN"
	};
	const char *reason = gap->what ? gap->what : "";
	char *p = record_begin(export, strlen(reason), 'i', GROUP_THREADS, 0);

	if (!p)
		return;
	p = text_put_literal(p, ",\"s\":\"g\"");
	p = format_chrome_put_word(p, "name", names[gap->marker]);
	p = format_chrome_put_word(p, "cat", gap->marker == RST_RUN ? "run" : "loss");
	p = put_time(text_put_literal(p, ",\"ts\":"), export, at);
	p = text_put_json(text_put_literal(p, ",\"args\":{\"reason\":"), reason, strlen(reason));
	if (gap->marker == RST_LOSS && gap->n_events)
		p = format_chrome_put_number(p, "events", gap->n_events);
	if (gap->marker == RST_RUN)
		p = format_chrome_put_number(p, "run", gap->n_events);
	if (gap->marker == RST_DAMAGE)
		p = format_chrome_put_number(
			format_chrome_put_number(p, "offset", gap->offset), "bytes", gap->n_bytes);
	export->out->at = text_put_literal(p, "}}");
}

static char *put_core_and_priority(char *p, const struct rst_batch *batch, size_t row)
{
	const uint16_t core = rst_batch_core(batch, row);
	const int16_t priority = rst_batch_priority(batch, row);

	if (core != RST_NO_CORE)
		p = format_chrome_put_number(p, "core", core);
	if (priority != RST_NO_PRIORITY)
		p = text_put_signed(text_put_literal(p, ",\"prio\":"), priority);
	return p;
}

static bool chrome_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct export *export = ((struct export_state *)context)->export;
	const struct rst_gap *gap = rst_batch_gap(batch, row);
	const struct rst_type *type = batch->type[row];
	struct rst_entity actor;
	struct text args, text;
	unsigned track;
	char *p;

	if (gap) {
		format_chrome_put_gap(export, gap, at);
		return true;
	}
	actor = rst_entity_of_context(batch->context[row]);
	track = track_of(export, GROUP_THREADS, &actor);
	if (!track || !sentence_make(&export->sentences, batch, row, &args, &text))
		return false;
	p = record_begin(export, type->name_bytes + text.n_bytes + args.n_bytes, 'i', GROUP_THREADS, track);
	if (!p)
		return true;
	p = text_put_json(text_put_literal(p, ",\"s\":\"t\",\"name\":"), type->name, type->name_bytes);
	p = put_time(text_put_literal(p, ",\"cat\":\"event\",\"ts\":"), export, at);
	p = text_put_dec(text_put_literal(p, ",\"args\":{\"seq\":"), row_seq(export->scan, batch, row));
	p = put_core_and_priority(p, batch, row);
	p = text_put_json(text_put_literal(p, ",\"text\":"), text.bytes, text.n_bytes);
	p = text_put(text_put_literal(p, ",\"fields\":"), args.bytes, args.n_bytes);
	export->out->at = text_put_literal(p, "}}");
	return true;
}

/* --- beginning and end ---------------------------------------------------------------------------------- */

static enum rst_status chrome_begin(struct export *export, struct rst_error *err)
{
	struct json *json = &((struct chrome *)export->state)->json;

	(void)err;
	*json = (struct json){ .out = export->out };
	json_object(json, NULL);
	json_text(json, "displayTimeUnit", "ns");
	json_array(json, "traceEvents");
	return RST_OK;
}

static enum rst_status chrome_end(struct export *export, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	const bool has_clock = export->scan->is_started && export->scan->times.hz;
	struct json *json = &((struct chrome *)export->state)->json;

	(void)err;
	outbuf_puts(export->out, "\n");
	json_end(json);
	json_object(json, "otherData");
	json_text(json, "path", metadata->path);
	json_text(json, "dialect", metadata->dialect);
	json_text(json, "ts", has_clock ? "us" : "ticks");
	json_text(json, "fault", export->fault);
	json_end(json);
	json_end(json);
	json_line_end(json);
	return RST_OK;
}

static void chrome_done(void *context)
{
	struct chrome *chrome = context;

	for (size_t i = 0; i < N_GROUPS; i++)
		subjects_done(&chrome->tracks[i]);
}

const struct export_format export_format_chrome = {
	.observer = {
		.state_bytes = sizeof(struct chrome),
		.intervals = UINT32_MAX,
		.row = chrome_row,
		.piece = chrome_piece,
		.done = chrome_done,
	},
	.name = "chrome",
	.extension = ".json",
	.about = "JSON of Chrome's trace viewer: Perfetto's page, chrome://tracing, speedscope",
	.keeps = "events with fields and sentences, all intervals, levels, what woke what, losses",
	.leaves = "time below 1 ns, wall clock, thresholds",
	.wants_texts = true,
	.wants_clock = true,
	.begin = chrome_begin,
	.end = chrome_end,
};
