/* SPDX-License-Identifier: MIT */
/* The time that the recording covers, and the facts that it has about threads, interrupts and queues. */
#include <inttypes.h>
#include <string.h>

#include "analysis/doctor/doctor.h"

enum {
	FEW_EVENTS = 32, /* what is absent among fewer may be absent by chance */
	WAITS_WANTED = 10,
	UNKNOWN_PART = 5,	   /* of the time; … */
	UNKNOWN_PART_OF_LOSS = 10, /* … where events are missing */
	PARAMS_OF_QUEUES = 6,	   /* QUEUE_RW's; the level is among them */
	KIB = 1024
};

/* A ring that has gone round: older events are overwritten. */
static bool has_wrapped(const struct exam *exam)
{
	return exam->overwritten.n || exam_detail_number(exam, "wrapped") ||
	       exam_detail_number(exam, "earlier_events") || exam_detail_number(exam, "overwritten") ||
	       exam_detail_number(exam, "events_before");
}

/*
 * A wait that takes half of the ring is whole in at most half of the places where it can lie. A second one of
 * its kind does not fit, so the ring cannot show whether the wait was a long one. Ten of them should fit. A
 * recording that is no ring has a begin and an end, and is as long as it should be.
 */
static void look_at_length(struct exam *exam, const struct diagnosis *diagnosis)
{
	const uint64_t covered = exam_covered(exam);
	const struct exam_wait *longest = &exam->longest;
	struct complaint *complaint;
	double bytes;

	if (!longest->ticks || longest->ticks < covered / 2 || !has_wrapped(exam))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	phrase_words(&complaint->wrong, "The buffer is too short for the question: it covers ");
	phrase_time(&complaint->wrong, exam, covered);
	phrase_words(&complaint->wrong, ", and the longest wait seen is ");
	phrase_time(&complaint->wrong, exam, longest->ticks);
	phrase_words(&complaint->wrong, ".");
	phrase_thread(&complaint->evidence, &longest->thread);
	phrase_words(&complaint->evidence,
		longest->state == RST_STATE_READY ? " was ready from " : " waited from ");
	phrase_moment(&complaint->evidence, exam, longest->from);
	phrase_words(&complaint->evidence,
		" on; the buffer has %" PRIu64 " events, older ones are overwritten.", exam->n_events);
	complaint_event(complaint, longest->from_seq);
	complaint_event(complaint, longest->to_seq);
	bytes = (double)exam->n_bytes * WAITS_WANTED * (double)longest->ticks / (double)covered;
	advice_put(exam, ADVICE_BUFFER, ((uint64_t)bytes + KIB - 1) / KIB * KIB,
		exam_detail_number(exam, "registry_capacity"), complaint);
}

/*
 * That two threads have events proves that there were switches; a program among others is preempted by these,
 * too.
 */
static void look_for_switches(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (exam->metadata->has_switches || exam->n_events < FEW_EVENTS ||
		(exam_n_threads(exam) < 2 && dialect_has_whole_cores(exam->metadata->dialect)) ||
		!advice_exists(exam, ADVICE_SWITCHES))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	advice_put(exam, ADVICE_SWITCHES, 0, 0, complaint);
	phrase_words(&complaint->wrong,
		"Switches of threads are not recorded: which thread runs, and for how long, is unknown.");
	phrase_words(&complaint->evidence, "None of %" PRIu64 " events is about it.", exam->n_events);
}

/*
 * Kinds of events that the recorder can record, and has not. Interrupts happen where events come from them,
 * and where sleeps end.
 */
static bool lacks_interrupts(const struct exam *exam)
{
	return !exam->n_effects[RST_EFFECT_INTERRUPT_IN] && exam->n_events >= FEW_EVENTS &&
	       exam->n_of_isr + exam->n_sleeps && advice_exists(exam, ADVICE_INTERRUPTS);
}

static bool lacks_reasons(const struct exam *exam)
{
	return exam->n_waits && !exam->n_asks && exam->n_events >= FEW_EVENTS &&
	       exam->waited_without_reason >= exam->waited / 2 && advice_exists(exam, ADVICE_REASONS);
}

static bool lacks_cores(const struct exam *exam)
{
	const struct rst_detail *core = exam_detail(exam, "core");

	return core && core->type == RST_DETAIL_BOOL && !core->number && advice_exists(exam, ADVICE_CORES);
}

/* Advises to record the kinds of events that are absent. Returns false if there is no such advice. */
static bool advise_known(const struct exam *exam, struct complaint *complaint)
{
	if (exam->losses.n + exam->damages.n)
		return advice_put(exam, ADVICE_MEND_LOSSES, 0, 0, complaint);
	if (lacks_reasons(exam))
		advice_put(exam, ADVICE_REASONS, 0, 0, complaint);
	if (lacks_interrupts(exam))
		advice_put(exam, ADVICE_INTERRUPTS, 0, 0, complaint);
	if (lacks_cores(exam))
		advice_put(exam, ADVICE_CORES, 0, 0, complaint);
	return complaint->change.n_bytes > 0;
}

/*
 * The shares are those of `rastrum stats`. A thread is unknown up to its first event, which is no fault. So
 * only the time behind the recording's first event counts. Healthy simulated kernels leave up to 10 % of that
 * unknown, and up to 12 % of the time of cores if there are several. So a fault begins at a fifth, and at a
 * tenth where events are missing.
 */
static void look_for_unknown(struct exam *exam, const struct diagnosis *diagnosis)
{
	const double threads = stats_unknown(&exam->stats, BASIS_THREADS),
		     cores = stats_unknown(&exam->stats, BASIS_CORES);
	const bool has_cores = dialect_has_whole_cores(exam->metadata->dialect);
	const uint64_t part = exam->losses.n + exam->damages.n ? UNKNOWN_PART_OF_LOSS : UNKNOWN_PART;
	struct complaint *complaint;

	if (!exam->metadata->has_switches || exam->n_events < FEW_EVENTS ||
		!(exam->unknown_later > exam->of_threads / part || (has_cores && cores > 1.0 / (double)part)))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	if (!advise_known(exam, complaint)) {
		complaint->weight = WEIGHT_HINT;
		advice_put(exam, ADVICE_NO_SWITCH, 0, 0, complaint);
	}
	phrase_words(&complaint->wrong, "Much is unknown: ");
	phrase_share(&complaint->wrong, threads, 1);
	phrase_words(&complaint->wrong, " of the time of threads");
	if (has_cores) {
		phrase_words(&complaint->wrong, ", ");
		phrase_share(&complaint->wrong, cores, 1);
		phrase_words(&complaint->wrong, " of that of cores");
	}
	phrase_words(&complaint->wrong, ".");
	if (exam->unknown_later > exam->of_threads / part) {
		phrase_words(&complaint->evidence, "Behind the first event ");
		phrase_time(&complaint->evidence, exam, exam->unknown_later);
		phrase_words(&complaint->evidence, " of ");
		phrase_time(&complaint->evidence, exam, exam->of_threads);
		phrase_words(&complaint->evidence, " of all threads together are unknown");
	} else {
		phrase_words(&complaint->evidence, "No event shows what cores did in that time");
	}
	if (exam->losses.n + exam->damages.n) {
		phrase_words(&complaint->evidence, "; in ");
		phrase_count(&complaint->evidence, exam->losses.n + exam->damages.n, "place", "places");
		phrase_words(&complaint->evidence, " events are missing");
	}
	phrase_words(&complaint->evidence, ".");
}

static void look_for_interrupts(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (!lacks_interrupts(exam))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	advice_put(exam, ADVICE_INTERRUPTS, 0, 0, complaint);
	phrase_words(&complaint->wrong, "Interrupts are not recorded: their time counts as that of the "
					"threads which they interrupt.");
	if (exam->n_of_isr) {
		phrase_count(&complaint->evidence, exam->n_of_isr, "event comes", "events come");
		phrase_words(&complaint->evidence, " from interrupts");
	} else {
		phrase_count(&complaint->evidence, exam->n_sleeps, "sleep ended", "sleeps ended");
		phrase_words(&complaint->evidence, ", by an interrupt of a timer");
	}
	phrase_words(&complaint->evidence, "; none shows where an interrupt begins.");
}

static void look_for_reasons(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (!lacks_reasons(exam))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	advice_put(exam, ADVICE_REASONS, 0, 0, complaint);
	phrase_words(&complaint->wrong, "Why threads wait is not recorded.");
	phrase_time(&complaint->evidence, exam, exam->waited_without_reason);
	phrase_words(&complaint->evidence, " of ");
	phrase_count(&complaint->evidence, exam->n_waits, "wait have", "waits have");
	phrase_words(&complaint->evidence, " no reason; no event asks for anything.");
}

static void look_at_params(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct rst_detail *params = exam_detail(exam, "params");
	const uint64_t n_of_queues = exam->n_effects[RST_EFFECT_SEND] + exam->n_effects[RST_EFFECT_RECEIVE];
	struct complaint *complaint;

	if (!advice_exists(exam, ADVICE_PARAMS) || !params || params->type != RST_DETAIL_NUMBER ||
		params->number >= PARAMS_OF_QUEUES || !n_of_queues)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	phrase_words(&complaint->wrong,
		"Events are cut short: levels of queues and limits of waits are not recorded.");
	phrase_words(&complaint->evidence, "A frame has %" PRIu64 " params; ", params->number);
	phrase_count(&complaint->evidence, n_of_queues, "event is", "events are");
	phrase_words(&complaint->evidence, " about queues, which have %d.", PARAMS_OF_QUEUES);
	advice_put(exam, ADVICE_PARAMS, PARAMS_OF_QUEUES, 0, complaint);
}

const struct diagnosis diagnosis_buffer_short = {
	.name = "buffer_short",
	.about = "a ring covers less than two of the longest waits in it",
	.look = look_at_length,
};

const struct diagnosis diagnosis_no_switches = {
	.name = "no_switches",
	.about = "no event shows which thread runs",
	.look = look_for_switches,
};

const struct diagnosis diagnosis_unknown_share = {
	.name = "unknown_share",
	.about = "what threads or cores did is unknown in a fifth of the time or more",
	.look = look_for_unknown,
};

const struct diagnosis diagnosis_no_interrupts = {
	.name = "no_interrupts",
	.about = "no event shows where an interrupt begins, though there are some",
	.look = look_for_interrupts,
};

const struct diagnosis diagnosis_no_reasons = {
	.name = "no_reasons",
	.about = "no event shows why threads wait",
	.look = look_for_reasons,
};

const struct diagnosis diagnosis_short_events = {
	.name = "short_events",
	.about = "events have too few params for levels of queues",
	.look = look_at_params,
};
