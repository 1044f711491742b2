/* SPDX-License-Identifier: MIT */
/*
 * Empty recordings, bytes that are damaged, events that are lost, links that are full, targets that were
 * reset.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/doctor/doctor.h"

enum {
	BITS_PER_BYTE_SENT = 10, /* 8N1 */
	KIB = 1024
};

static void look_for_events(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (exam->n_events)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_ERROR);
	phrase_words(&complaint->wrong, "The recording has no event.");
	phrase_count(&complaint->evidence, exam->n_bytes, "byte was read.", "bytes were read.");
	advice_put(exam, ADVICE_EMPTY, 0, 0, complaint);
}

static void look_for_damage(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct exam_gaps *damages = &exam->damages;
	const struct rst_gap *first = &damages->first;
	struct complaint *complaint;

	if (!damages->n)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_ERROR);
	phrase_words(&complaint->wrong, "Bytes of the recording are damaged: events there are missing.");
	phrase_count(&complaint->evidence, damages->n, "place", "places");
	if (damages->n_bytes) {
		phrase_words(&complaint->evidence, " with ");
		phrase_count(&complaint->evidence, damages->n_bytes, "byte", "bytes");
		if (exam->n_bytes) {
			phrase_words(&complaint->evidence, ", ");
			phrase_share(&complaint->evidence, (double)damages->n_bytes, (double)exam->n_bytes);
			phrase_words(&complaint->evidence, " of all");
		}
	}
	phrase_words(
		&complaint->evidence, "; the first at byte %" PRIu64 ": %s.", first->offset, first->what);
	advice_put(exam, ADVICE_DAMAGE, 0, 0, complaint);
}

static uint64_t rounded_up(double n, uint64_t to)
{
	return n < 0x1p62 ? ((uint64_t)n + to - 1) / to * to : UINT64_MAX;
}

/* The bits per second that the busiest time needs on a serial line; 0 if it is not known. */
static double bits_needed(const struct exam *exam)
{
	return exam_events_per_second(exam) * exam_bytes_per_event(exam) * BITS_PER_BYTE_SENT;
}

/* The next usual rate; at least a quarter is left, as a line that is full loses at the next stall. */
static uint64_t usual_rate(double bits)
{
	static const uint64_t rates[] = { 9600, 19200, 38400, 57600, 115200, 230400, 460800, 921600, 1500000,
		2000000, 3000000, 4000000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		if (bits * 1.25 <= (double)rates[i])
			return rates[i];
	return 0;
}

static void advise_rate(struct exam *exam, struct complaint *complaint)
{
	const double bits = bits_needed(exam);
	const uint64_t rate = bits > 0 ? usual_rate(bits) : 0;

	if (rate && (!exam->baud || rate > exam->baud) && advice_put(exam, ADVICE_BAUD, rate, 0, complaint)) {
		phrase_words(&complaint->evidence,
			" All of it would have needed %.3g kbit/s in the busiest time.", bits / 1000);
	}
}

/* Reasons for which the recorder's memory is not to blame. */
static const struct {
	const char *words; /* of the loss */
	enum advice advice;
} other_reasons[] = {
	{ "missing or damaged", ADVICE_DAMAGE },
	{ "the link was lost", ADVICE_LINK },
	{ "the connection was closed", ADVICE_LINK },
	{ "dropped datagrams", ADVICE_DATAGRAMS },
	{ "overrun about here", ADVICE_OVERRUN },
};

static void advise_on_losses(struct exam *exam, struct complaint *complaint)
{
	const struct exam_gaps *losses = &exam->losses;

	for (size_t i = 0; i < sizeof(other_reasons) / sizeof(other_reasons[0]); i++)
		if (strstr(losses->first.what, other_reasons[i].words)) {
			advice_put(exam, other_reasons[i].advice, 0, 0, complaint);
			return;
		}
	advice_put(exam, ADVICE_LOST, rounded_up((double)losses->most * exam_bytes_per_event(exam) + 1, KIB),
		0, complaint);
	advise_rate(exam, complaint);
}

static void look_for_losses(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct exam_gaps *losses = &exam->losses;
	const uint64_t all = exam->n_events + losses->n_events;
	struct complaint *complaint;

	if (!losses->n)
		return;
	/*
	 * Where at most one of a hundred is lost, most answers are right; where their number is not known,
	 * nothing tells.
	 */
	complaint = complaint_add(exam, diagnosis,
		losses->n_uncounted || losses->n_events > all / 100 ? WEIGHT_ERROR : WEIGHT_WARNING);
	phrase_words(&complaint->wrong, "Events are lost: ");
	if (losses->n_events) {
		phrase_words(&complaint->wrong, "%s%" PRIu64 " of %" PRIu64 ", ",
			losses->n_uncounted ? "at least " : "", losses->n_events, all);
		phrase_share(&complaint->wrong, (double)losses->n_events, (double)all);
		phrase_words(&complaint->wrong, ", ");
	}
	phrase_words(&complaint->wrong, "in ");
	phrase_count(&complaint->wrong, losses->n, "place.", "places.");
	if (losses->seq == RST_NO_SEQ) {
		phrase_words(&complaint->evidence, "The first place is in front of the first event");
	} else {
		phrase_words(&complaint->evidence, "The first place is at ");
		phrase_moment(&complaint->evidence, exam, losses->at);
	}
	phrase_words(&complaint->evidence, ": %s.", losses->first.what);
	if (losses->most) {
		phrase_words(&complaint->evidence, " The longest loss is ");
		phrase_count(&complaint->evidence, losses->most, "event", "events");
		phrase_words(&complaint->evidence, "; the recording has %.0f bytes for each event.",
			exam_bytes_per_event(exam));
	}
	complaint_gap(complaint, losses->seq);
	advise_on_losses(exam, complaint);
}

/* From nine tenths on a stall of a tenth of the time is never made up for. */
static void look_at_link(struct exam *exam, const struct diagnosis *diagnosis)
{
	const double bits = bits_needed(exam);
	struct complaint *complaint;

	if (!exam->baud || bits < 0.9 * (double)exam->baud)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	phrase_words(&complaint->wrong, "The serial line is full: the next burst of events loses some.");
	phrase_words(&complaint->evidence, "Its busiest time needs %.3g of %.3g kbit/s.", bits / 1000,
		(double)exam->baud / 1000);
	if (usual_rate(bits))
		advice_put(exam, ADVICE_BAUD, usual_rate(bits), 0, complaint);
}

static void look_for_resets(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct exam_gaps *runs = &exam->runs;
	struct complaint *complaint;

	if (!runs->n)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	phrase_words(&complaint->wrong,
		"The target began anew inside the recording: it was reset, or its tracing was. "
		"How much time is between is not known.");
	phrase_count(&complaint->evidence, runs->n, "new begin", "new begins");
	phrase_words(&complaint->evidence, ", the first behind ");
	phrase_moment(&complaint->evidence, exam, runs->at);
	phrase_words(&complaint->evidence, ": %s.", runs->first.what);
	complaint_gap(complaint, runs->seq);
	advice_put(exam, ADVICE_RESET, 0, 0, complaint);
}

const struct diagnosis diagnosis_empty = {
	.name = "empty",
	.about = "the recording has no event",
	.look = look_for_events,
};

const struct diagnosis diagnosis_damage = {
	.name = "damage",
	.about = "bytes cannot be read",
	.look = look_for_damage,
};

const struct diagnosis diagnosis_lost = {
	.name = "lost",
	.about = "events are lost; an error from one of a hundred on, or where they are not counted",
	.look = look_for_losses,
};

const struct diagnosis diagnosis_link_full = {
	.name = "link_full",
	.about = "a serial line is used to nine tenths and more (--serial)",
	.look = look_at_link,
};

const struct diagnosis diagnosis_reset = {
	.name = "reset",
	.about = "the target or its tracing began anew inside the recording",
	.look = look_for_resets,
};
