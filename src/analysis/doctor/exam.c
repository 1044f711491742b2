/* SPDX-License-Identifier: MIT */
/* The counts that are made during the scan. */
#include <stdlib.h>
#include <string.h>

#include "analysis/doctor/doctor.h"
#include "base/array.h"
#include "trace/live.h"

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Two slices become one, as often as the new moment needs. */
static void pulse_add(struct pulse *pulse, uint64_t at, uint64_t n)
{
	if (!pulse->width) {
		pulse->from = at;
		pulse->width = 1;
	}
	at = at > pulse->from ? at : pulse->from;
	while ((at - pulse->from) / pulse->width >= PULSE_SLICES) {
		for (size_t i = 0; i < PULSE_SLICES / 2; i++)
			pulse->slices[i] = pulse->slices[2 * i] + pulse->slices[2 * i + 1];
		memset(pulse->slices + PULSE_SLICES / 2, 0, sizeof(pulse->slices) / 2);
		pulse->width *= 2;
	}
	pulse->slices[(at - pulse->from) / pulse->width] += n;
}

/* A ring is meant to forget its oldest events: the recorders' words for that. */
static bool is_overwritten(const struct rst_gap *gap)
{
	return gap->marker == RST_LOSS && (strstr(gap->what, "overwritten in the log") ||
						  strstr(gap->what, "later ones took their room"));
}

static void gap_count(struct exam *exam, const struct rst_gap *gap, uint64_t at)
{
	struct exam_gaps *gaps = gap->marker == RST_RUN	     ? &exam->runs
				 : gap->marker == RST_DAMAGE ? &exam->damages
				 : is_overwritten(gap)	     ? &exam->overwritten
							     : &exam->losses;

	if (exam->begins_anywhere && gap->marker == RST_DAMAGE && gap->offset == 0)
		return;
	if (!gaps->n++) {
		gaps->first = *gap;
		gaps->at = at;
		gaps->seq = exam->n_events ? exam->last_seq : RST_NO_SEQ;
	}
	if (gap->marker == RST_RUN)
		return;
	gaps->n_uncounted += gap->n_events == 0;
	gaps->n_events += gap->n_events;
	gaps->n_bytes += gap->n_bytes;
	gaps->last_offset = gap->offset;
	gaps->last_bytes = gap->n_bytes;
	if (gap->n_events > gaps->most)
		gaps->most = gap->n_events;
	if (gaps == &exam->losses && exam->n_events)
		pulse_add(&exam->pulse, at, gap->n_events);
}

static bool context_count(struct exam *exam, uint32_t index)
{
	while (index >= exam->contexts_room) {
		const size_t room = exam->contexts_room ? 2 * exam->contexts_room : 64;
		uint64_t *contexts = realloc(exam->contexts, room * sizeof(*contexts));

		if (!contexts)
			return false;
		memset(contexts + exam->contexts_room, 0, (room - exam->contexts_room) * sizeof(*contexts));
		exam->contexts = contexts;
		exam->contexts_room = room;
	}
	exam->contexts[index]++;
	return true;
}

static void step_count(struct exam *exam, uint64_t step)
{
	if (!exam->n_steps++ || step < exam->least_step)
		exam->least_step = step;
	if (step > exam->most_step) {
		exam->most_step = step;
		exam->most_step_at = exam->last_at;
		exam->most_step_seq = exam->last_seq;
	}
}

/* Numbers of ThreadX's events for which notes.c looks: what they mean depends on the version of NetX. */
static bool is_of_two_netx(const struct rst_type *type)
{
	return type->id == 384 || (type->id >= 441 && type->id <= 448);
}

static bool exam_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct exam *exam = context;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (gap) {
		gap_count(exam, gap, at);
		return true;
	}
	if (exam->n_events && at >= exam->last_at)
		step_count(exam, at - exam->last_at);
	exam->last_seq = row_seq(exam->scan, batch, row);
	exam->last_at = at;
	exam->n_events++;
	exam->n_of_isr += batch->context[row]->kind == RST_CONTEXT_ISR;
	exam->n_of_two_netx += is_of_two_netx(batch->type[row]);
	pulse_add(&exam->pulse, at, 1);
	return context_count(exam, batch->context[row]->index);
}

/* --- effects and intervals ------------------------------------------------------------------------------ */

static bool exam_effect(void *context, const struct occurrence *occurrence)
{
	struct exam *exam = context;
	const struct rst_ref *object = &occurrence->facts->object;

	exam->n_unnamed += object->is_there && !object->is_unknown && !object->is_number &&
			   !(object->object && object->object->name);
	exam->n_effects[occurrence->facts->effect->kind]++;
	exam->n_asks += occurrence->facts->phase == RST_ASKS;
	return true;
}

/* Only a wait with a begin and an end in the recording has a length that is proved. */
static void wait_take(struct exam *exam, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	if (piece_is_whole(piece) && piece_length(piece) > exam->longest.ticks)
		exam->longest = (struct exam_wait){ .ticks = piece_length(piece),
			.from = piece->from,
			.from_seq = interval->from_seq,
			.to_seq = interval->to_seq,
			.state = interval->state,
			.thread = interval->subject };
	if (interval->state != RST_STATE_WAITING)
		return;
	exam->n_waits++;
	exam->n_sleeps += interval->reason == RST_REASON_SLEEP && piece->has_end;
	exam->waited += piece_ticks(piece);
	if (interval->reason == RST_REASON_NONE || interval->reason == RST_REASON_OTHER)
		exam->waited_without_reason += piece_ticks(piece);
}

static bool exam_piece(void *context, const struct piece *piece)
{
	struct exam *exam = context;
	const enum rst_state state = piece->interval->state;

	if (state == RST_STATE_ENDED || state == RST_STATE_CREATED)
		return true;
	exam->of_threads += piece_ticks(piece);
	if (state == RST_STATE_UNKNOWN && piece->from > exam->scan->from)
		exam->unknown_later += piece_ticks(piece);
	if (state == RST_STATE_WAITING || state == RST_STATE_READY)
		wait_take(exam, piece);
	return true;
}

/* --- the run -------------------------------------------------------------------------------------------- */

void exam_init(struct exam *exam, struct scan *scan)
{
	stats_init(&exam->stats, scan);
	exam->scan = scan;
	exam->observer = (struct observer_kind){
		.effects = (SCAN_BIT(RST_N_EFFECTS - 1) - 1) | SCAN_BIT(RST_N_EFFECTS - 1),
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD),
		.row = exam_row,
		.effect = exam_effect,
		.piece = exam_piece,
	};
	observers_add(&scan->observers, &exam->observer, exam);
}

/* The link ended within a frame: that is no damage. */
static void damages_trim(struct exam *exam)
{
	struct exam_gaps *damages = &exam->damages;

	if (!exam->ends_anywhere || !damages->n ||
		damages->last_offset + damages->last_bytes != exam->n_bytes)
		return;
	damages->n--;
	damages->n_bytes -= damages->last_bytes;
}

static int complaint_compare(const void *a, const void *b)
{
	const struct complaint *one = a, *other = b;
	size_t i = 0;

	if (one->weight != other->weight)
		return one->weight > other->weight ? -1 : 1;
	if (one->diagnosis == other->diagnosis)
		return strcmp(one->wrong.text, other->wrong.text);
	while (diagnoses[i] != one->diagnosis && diagnoses[i] != other->diagnosis)
		i++;
	return diagnoses[i] == one->diagnosis ? -1 : 1;
}

bool exam_finish(struct exam *exam, struct rst_trace *trace)
{
	exam->metadata = rst_trace_metadata(trace);
	exam->n_bytes = trace_bytes(trace);
	damages_trim(exam);
	exam->complaints = calloc(COMPLAINTS_MAX + 1, sizeof(*exam->complaints));
	if (!exam->complaints)
		return false;
	for (size_t i = 0; diagnoses[i]; i++)
		diagnoses[i]->look(exam, diagnoses[i]);
	qsort(exam->complaints, exam->n_complaints, sizeof(*exam->complaints), complaint_compare);
	return true;
}

void exam_done(struct exam *exam)
{
	stats_done(&exam->stats);
	free(exam->contexts);
	free(exam->complaints);
}

/* --- for diagnoses -------------------------------------------------------------------------------------- */

struct complaint *complaint_add(struct exam *exam, const struct diagnosis *diagnosis, enum weight weight)
{
	/* The last one is spare: it is overwritten, and not shown. */
	struct complaint *complaint = &exam->complaints[exam->n_complaints];

	if (exam->n_complaints < COMPLAINTS_MAX)
		exam->n_complaints++;
	*complaint = (struct complaint){ .diagnosis = diagnosis, .weight = weight };
	return complaint;
}

void complaint_event(struct complaint *complaint, uint64_t seq)
{
	for (size_t i = 0; i < complaint->n_events; i++)
		if (complaint->events[i] == seq)
			return;
	if (seq != RST_NO_SEQ && complaint->n_events < COMPLAINT_EVENTS)
		complaint->events[complaint->n_events++] = seq;
}

void complaint_gap(struct complaint *complaint, uint64_t seq)
{
	if (seq == RST_NO_SEQ)
		return;
	complaint_event(complaint, seq);
	complaint_event(complaint, seq + 1);
}

static const struct rst_detail *detail_in(const struct rst_detail *details, size_t n, const char *name)
{
	const struct rst_detail *found = NULL;

	for (size_t i = 0; i < n && !found; i++)
		if (strcmp(details[i].name, name) == 0)
			found = &details[i];
		else if (details[i].type == RST_DETAIL_GROUP)
			found = detail_in(details[i].items, details[i].n_items, name);
	return found;
}

const struct rst_detail *exam_detail(const struct exam *exam, const char *name)
{
	return detail_in(exam->metadata->details, exam->metadata->n_details, name);
}

uint64_t exam_detail_number(const struct exam *exam, const char *name)
{
	const struct rst_detail *detail = exam_detail(exam, name);

	return detail && detail->type != RST_DETAIL_NULL ? detail->number : 0;
}

size_t exam_n_threads(const struct exam *exam)
{
	size_t n = 0;

	for (size_t i = 0; i < exam->contexts_room; i++)
		n += exam->contexts[i] && rst_trace_context(exam->scan->trace, i)->kind == RST_CONTEXT_THREAD;
	return n;
}

uint64_t exam_covered(const struct exam *exam)
{
	return exam->scan->to > exam->scan->from ? exam->scan->to - exam->scan->from : 0;
}

double exam_events_per_second(const struct exam *exam)
{
	const struct pulse *pulse = &exam->pulse;
	uint64_t most = 0;

	for (size_t i = 0; i < PULSE_SLICES; i++)
		if (pulse->slices[i] > most)
			most = pulse->slices[i];
	return pulse->width ? (double)most * (double)exam->metadata->clock_hz / (double)pulse->width : 0;
}

double exam_bytes_per_event(const struct exam *exam)
{
	const uint64_t entry = exam_detail_number(exam, "event_entry_size"),
		       frame = exam_detail_number(exam, "frameSize");

	if (entry || frame)
		return (double)(entry ? entry : frame);
	return exam->n_events ? (double)exam->n_bytes / (double)exam->n_events : 0;
}
