/* SPDX-License-Identifier: MIT */
/*
 * latency and period: from one moment to another. Moments are events, interrupts and spans that begin, and
 * threads that begin to run. The begin of a run is known only at the end of the run, so moments wait until no
 * earlier one can come:
 *
 *	moments   ....A...B..A    A         B   fresh, sorted when they are taken
 *	                          |
 *	                          mark: all that begins before it is known
 */
#include <stdlib.h>

#include "base/array.h"
#include "query/check.h"

enum { MOMENTS_MAX = LIMIT(65536, 64) }; /* that wait, and As that wait for their B; of one rule */

enum { FROM = 1, TO = 2, GAP = 4, EDGE = 8, STOP = 16, RUN = 32 };

struct moment {
	uint64_t at, seq;
	/*
	 * Bits; a pending A: GAP where events were lost behind it, EDGE where the recording stopped, RUN
	 * where its run has ended.
	 */
	unsigned is;
};

/* A thread that a selector means. */
struct meant_thread {
	struct subject subject;
	uint64_t to; /* all that it began before is known */
	bool is_running;
};

struct moments {
	struct run *run;
	struct moment *fresh, *open;
	size_t n_fresh, fresh_room, n_open, open_room;
	struct moment last; /* of a period */
	uint64_t n_from, n_to;
	bool is_over; /* some found no room */
	struct subjects threads[RULE_SELECTORS];
};

static bool is_period(const struct run *run)
{
	return run->rule->n_selectors == 1;
}

static bool moment_add(struct run *run, unsigned is, uint64_t at, uint64_t seq)
{
	struct moments *moments = run->state;
	struct moment *fresh;

	if (moments->n_fresh == MOMENTS_MAX) {
		moments->is_over = true;
		return true;
	}
	fresh = array_room(moments->fresh, moments->n_fresh, &moments->fresh_room, sizeof(*fresh));
	if (!fresh)
		return false;
	moments->fresh = fresh;
	fresh[moments->n_fresh++] = (struct moment){ at, seq, is };
	return true;
}

/* --- where moments come from ---------------------------------------------------------------------------- */

static bool moments_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rule *rule = run->rule;
	const uint64_t seq = row_seq(run->check->scan, batch, row);
	const struct edge *edge = &run->check->row_edge;
	unsigned is = 0;

	if (batch->type[row]->marker != RST_EVENT)
		return moment_add(run, batch->type[row]->marker == RST_RUN ? RUN : GAP, at, seq);
	if (edge->is_edge && !moment_add(run, edge->phase == RST_ENTERS ? EDGE : EDGE | STOP, at, seq))
		return false;
	for (size_t n = 0; n < rule->n_selectors; n++)
		if (rule->selectors[n].form == SELECTOR_EVENT && run_takes_event(run, n, batch, row))
			is |= (unsigned)FROM << n;
	return !is || moment_add(run, is, at, seq);
}

/* The name of a span, as the state engine has it. */
static struct rst_entity span_of(const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_type *type = occurrence->batch->type[occurrence->row];
	struct rst_entity span = rst_entity_of_ref(&facts->object);
	const char *name = facts->effect->name	    ? facts->effect->name
			   : facts->object.is_there ? NULL
						    : type->name;

	span.form = RST_ENTITY_THING;
	span.kind = "span";
	if (name) {
		span.name = name;
		span.name_bytes = strlen(name);
	}
	if (!facts->object.is_there)
		span.id = type->id;
	return span;
}

static bool moments_effect(void *context, const struct occurrence *occurrence)
{
	struct run *run = ((struct metric_state *)context)->run;
	const struct rule *rule = run->rule;
	const struct rst_effect_facts *facts = occurrence->facts;
	const uint64_t seq = occurrence->seq;
	const bool is_irq = facts->effect->kind == RST_EFFECT_INTERRUPT_IN;
	const struct rst_entity entity =
		is_irq ? (struct rst_entity){ .form = facts->has_value ? RST_ENTITY_NUMBER : RST_ENTITY_NONE,
			.is_number = true,
			.id = facts->value }
		       : span_of(occurrence);
	unsigned is = 0;

	if (facts->effect->kind == RST_EFFECT_GAP)
		return facts->phase != RST_DONE || moment_add(run, GAP, occurrence->at, seq);
	for (size_t n = 0; n < rule->n_selectors; n++)
		if (rule->selectors[n].form == (is_irq ? SELECTOR_IRQ : SELECTOR_SPAN) &&
			run_takes_entity(run, n, &entity))
			is |= (unsigned)FROM << n;
	return !is || moment_add(run, is, occurrence->at, seq);
}

static bool moments_piece(void *context, const struct piece *piece)
{
	struct moments *moments = context;
	struct run *run = moments->run;
	const struct rst_interval *interval = piece->interval;
	const bool runs = interval->state == RST_STATE_RUNNING;
	bool is_done = true;

	for (size_t n = 0; n < run->rule->n_selectors && is_done; n++) {
		struct meant_thread *thread;

		if (run->rule->selectors[n].form != SELECTOR_THREAD ||
			!run_takes_entity(run, n, &interval->subject))
			continue;
		thread = subject_of(&moments->threads[n], &interval->subject);
		if (!thread)
			return false;
		/* It goes on behind an interrupt. */
		if (runs && !thread->is_running && piece->has_begin)
			is_done = moment_add(run, FROM << n, piece->begin, interval->from_seq);
		thread->is_running = runs || interval->state == RST_STATE_INTERRUPTED;
		thread->to = piece->to;
	}
	return is_done;
}

/* --- from one to the other ------------------------------------------------------------------------------ */

static void distance_measure(struct run *run, const struct moment *from, const struct moment *to)
{
	const struct violation sample = { .from = from->at,
		.to = to->at,
		.from_seq = from->seq,
		.to_seq = to->seq,
		.value = to->at - from->at };

	/* A lost event between them may be the nearer end. */
	if (!(from->is & (GAP | EDGE)) || sample.value < run->bounds.least)
		run_measure(run, &sample, 1);
	else
		run_unknown(run, from->is & GAP ? "events are lost between two that belong together"
						: "the recording pauses between two that belong together");
}

static bool is_before(const struct moment *a, const struct moment *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

static bool open_add(struct run *run, const struct moment *moment)
{
	struct moments *moments = run->state;
	struct moment *open;

	if (moments->n_open == MOMENTS_MAX) {
		moments->is_over = true;
		return true;
	}
	open = array_room(moments->open, moments->n_open, &moments->open_room, sizeof(*open));
	if (!open)
		return false;
	moments->open = open;
	open[moments->n_open++] = *moment;
	return true;
}

/* Each A that is before it has found its B. */
static void open_close(struct run *run, const struct moment *to)
{
	struct moments *moments = run->state;
	size_t n_left = 0;

	for (size_t i = 0; i < moments->n_open; i++)
		if (is_before(&moments->open[i], to))
			distance_measure(run, &moments->open[i], to);
		else
			moments->open[n_left++] = moments->open[i];
	moments->n_open = n_left;
}

/* An A without a B until then counts only if it has already waited too long. */
static bool open_is_late(struct run *run, const struct moment *from, uint64_t until)
{
	const struct violation sample = { .from = from->at,
		.to = until,
		.from_seq = from->seq,
		.to_seq = RST_NO_SEQ,
		.value = until - from->at,
		.has_not_ended = true };

	if (from->is & (GAP | EDGE) || sample.value <= run->bounds.most)
		return false;
	run_measure(run, &sample, 1);
	return true;
}

/* At an edge: everything is known until the recording stops, and nothing about the time until it goes on. */
static void open_cut(struct run *run, const struct moment *edge)
{
	struct moments *moments = run->state;
	size_t n_left = 0;

	for (size_t i = 0; i < moments->n_open; i++) {
		if (edge->is & STOP && open_is_late(run, &moments->open[i], edge->at))
			continue;
		moments->open[n_left] = moments->open[i];
		moments->open[n_left++].is |= EDGE;
	}
	moments->n_open = n_left;
	moments->last.is |= EDGE;
}

static bool moment_take(struct run *run, const struct moment *moment)
{
	struct moments *moments = run->state;

	if (moment->is & EDGE) {
		open_cut(run, moment);
		return true;
	}
	if (moment->is & GAP) {
		for (size_t i = 0; i < moments->n_open; i++)
			moments->open[i].is |= GAP;
		moments->last.is |= GAP;
		return true;
	}
	if (moment->is & RUN) { /* no time lies between two runs that could be measured */
		moments->n_open = 0;
		moments->last.is |= RUN;
		return true;
	}
	moments->n_from += moment->is & FROM ? 1 : 0;
	moments->n_to += moment->is & TO ? 1 : 0;
	if (is_period(run)) {
		if (moments->n_from > 1 && !(moments->last.is & RUN))
			distance_measure(run, &moments->last, moment);
		moments->last = *moment;
		return true;
	}
	if (moment->is & TO)
		open_close(run, moment);
	return !(moment->is & FROM) || open_add(run, moment);
}

/* --- the order of time ---------------------------------------------------------------------------------- */

/*
 * The order of moments at one event: first losses, the end of the previous run and the begin of its
 * recording, then the event itself, then the stop of its recording.
 */
static int moment_rank(const struct moment *moment)
{
	return moment->is & STOP ? 2 : !(moment->is & (GAP | EDGE | RUN));
}

static int moment_compare(const void *a, const void *b)
{
	const struct moment *one = a, *other = b;

	if (is_before(one, other) || is_before(other, one))
		return is_before(one, other) ? -1 : 1;
	return moment_rank(one) - moment_rank(other);
}

static uint64_t moments_mark(const struct run *run)
{
	const struct moments *moments = run->state;
	uint64_t mark = UINT64_MAX;

	for (size_t n = 0; n < run->rule->n_selectors; n++)
		for (size_t i = 0; i < moments->threads[n].n; i++) {
			const struct meant_thread *thread =
				(const struct meant_thread *)moments->threads[n].all[i];

			mark = thread->to < mark ? thread->to : mark;
		}
	return mark;
}

static bool moments_reach(struct run *run, uint64_t mark)
{
	struct moments *moments = run->state;
	size_t n_taken = 0;

	for (size_t i = 1; i < moments->n_fresh; i++)
		if (moment_compare(&moments->fresh[i - 1], &moments->fresh[i]) > 0) {
			qsort(moments->fresh, moments->n_fresh, sizeof(*moments->fresh), moment_compare);
			break;
		}
	for (; n_taken < moments->n_fresh && moments->fresh[n_taken].at < mark; n_taken++)
		if (!moment_take(run, &moments->fresh[n_taken]))
			return false;
	moments->n_fresh -= n_taken;
	if (n_taken && moments->n_fresh)
		memmove(moments->fresh, moments->fresh + n_taken, moments->n_fresh * sizeof(*moments->fresh));
	return true;
}

static bool moments_step(void *context, const struct scan *scan)
{
	struct run *run = ((struct metric_state *)context)->run;
	(void)scan;
	return moments_reach(run, moments_mark(run));
}

static void open_finish(struct run *run, const struct scan *scan)
{
	const struct moments *moments = run->state;

	for (size_t i = 0; i < moments->n_open; i++)
		open_is_late(run, &moments->open[i], scan->to);
}

static bool moments_finish(void *context, const struct scan *scan)
{
	struct moments *moments = context;
	struct run *run = moments->run;

	if (!moments_reach(run, UINT64_MAX))
		return false;
	open_finish(run, scan);
	run->has_match = moments->n_from > 0;
	run_explain_absence(run, scan);
	if (moments->is_over)
		run_unknown(run, "more than %d moments wait for others, so that some are not measured",
			MOMENTS_MAX);
	if (!run->measured.n && !run->measured.n_broken)
		run_unknown(run, is_period(run)
					 ? "it occurs once only"
					 : "the trace ends before what is to follow, and within the limit");
	return true;
}

static void moments_done(void *state)
{
	struct moments *moments = state;

	free(moments->fresh);
	free(moments->open);
}

#define MOMENTS                                                                                    \
	(SELECTOR_BIT(SELECTOR_EVENT) | SELECTOR_BIT(SELECTOR_IRQ) | SELECTOR_BIT(SELECTOR_SPAN) | \
		SELECTOR_BIT(SELECTOR_THREAD))
/* clang-format off */
#define MOMENTS_OBSERVER \
	{ \
		.state_bytes = sizeof(struct moments), \
		.records = { { offsetof(struct moments, threads[0]), sizeof(struct meant_thread) }, \
			{ offsetof(struct moments, threads[1]), sizeof(struct meant_thread) } }, \
		.effects = SCAN_BIT(RST_EFFECT_INTERRUPT_IN) | SCAN_BIT(RST_EFFECT_BEGIN) | SCAN_BIT(RST_EFFECT_GAP), \
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD), \
		.row = moments_row, \
		.effect = moments_effect, \
		.piece = moments_piece, \
		.step = moments_step, \
		.finish = moments_finish, \
		.done = moments_done, \
	}
/* clang-format on */

const struct metric metric_latency = {
	.observer = MOMENTS_OBSERVER,
	.name = "latency",
	.usage = "latency(event A -> event B) < 2ms",
	.about = "from each A to the first B behind it",
	.n_selectors = 2,
	.n_selectors_max = 2,
	.has_arrow = true,
	.takes_fields = true,
	.takes = { MOMENTS, MOMENTS },
	.quantities = QUANTITY_BIT(QUANTITY_TIME) | QUANTITY_BIT(QUANTITY_TICKS),
};

const struct metric metric_period = {
	.observer = MOMENTS_OBSERVER,
	.name = "period",
	.usage = "period(event A) 9.5ms..10.5ms",
	.about = "from each A to the next one",
	.n_selectors = 1,
	.n_selectors_max = 1,
	.takes_fields = true,
	.takes = { MOMENTS },
	.quantities = QUANTITY_BIT(QUANTITY_TIME) | QUANTITY_BIT(QUANTITY_TICKS),
};
