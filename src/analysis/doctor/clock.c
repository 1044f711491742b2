/* SPDX-License-Identifier: MIT */
/*
 * The clock: it is not known how fast it is, it stands, it counts events, or it wraps faster than events
 * come.
 */
#include <inttypes.h>

#include "analysis/doctor/doctor.h"

/* Fewer steps may be equal by chance, or all within one tick of a slow clock. */
enum { STEPS_MIN = 31 };

static bool has_equal_steps(const struct exam *exam)
{
	return exam->n_steps >= STEPS_MIN && exam->least_step == exam->most_step;
}

static bool has_rate(const struct exam *exam)
{
	return exam->metadata->clock_hz || exam->metadata->clock.rate_ticks;
}

static void look_for_rate(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (!exam->n_steps || has_rate(exam) || (has_equal_steps(exam) && exam->metadata->clock_bits))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	if (!exam->metadata->clock_bits) {
		phrase_words(&complaint->wrong, "Events have no time stamps: nothing has a length.");
		phrase_count(&complaint->evidence, exam->n_events, "event without a stamp.",
			"events without stamps.");
		advice_put(exam, ADVICE_NO_STAMPS, 0, 0, complaint);
		return;
	}
	phrase_words(&complaint->wrong, "How fast the clock counts is not recorded: times are in ticks, and "
					"nothing is known of rates.");
	phrase_words(&complaint->evidence, "The recording takes ");
	phrase_time(&complaint->evidence, exam, exam_covered(exam));
	phrase_words(&complaint->evidence, ", of unknown length.");
	advice_put(exam, ADVICE_CLOCK_UNKNOWN, 0, 0, complaint);
}

static void look_whether_it_stands(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (!has_equal_steps(exam) || exam->least_step || !exam->metadata->clock_bits)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_ERROR);
	phrase_words(&complaint->wrong, "The clock stands: all events have the same time stamp.");
	phrase_count(&complaint->evidence, exam->n_events, "event", "events");
	phrase_words(&complaint->evidence, ", all at tick %" PRIu64 ".", exam->last_at);
	advice_put(exam, ADVICE_CLOCK_STANDS, 0, 0, complaint);
}

static void look_whether_it_counts(struct exam *exam, const struct diagnosis *diagnosis)
{
	struct complaint *complaint;

	if (!has_equal_steps(exam) || !exam->least_step || !exam->metadata->clock_bits)
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_ERROR);
	phrase_words(&complaint->wrong,
		"The time stamps count events and not time: the order is right, lengths mean nothing.");
	phrase_words(&complaint->evidence, "Each of %" PRIu64 " stamps is ", exam->n_steps);
	phrase_count(&complaint->evidence, exam->least_step, "tick", "ticks");
	phrase_words(&complaint->evidence, " behind the one before.");
	advice_put(exam, ADVICE_CLOCK_COUNTS, 0, 0, complaint);
}

/* The number of ticks behind which stamps begin anew; 0 if that is beyond 64 bits, or there is no clock. */
static uint64_t clock_period(const struct exam *exam)
{
	const uint64_t wrap = exam_detail_number(exam, "wrap");
	const unsigned bits = exam->metadata->clock_bits;

	return wrap ? wrap : bits && bits < 64 ? UINT64_C(1) << bits : 0;
}

/*
 * A silence of one period more looks the same. Silences that are seen are below a period, so nothing tells
 * their true lengths. From half a period on, one that is twice as long as the longest that is seen would be
 * told wrong.
 */
static void look_whether_it_wraps(struct exam *exam, const struct diagnosis *diagnosis)
{
	const uint64_t period = clock_period(exam);
	struct complaint *complaint;

	if (!period || exam->n_steps < STEPS_MIN || exam->most_step < period / 2 || has_equal_steps(exam))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	phrase_words(&complaint->wrong,
		"The clock begins anew nearly as fast as events come: a silence of one "
		"round more looks the same, and its time is missing.");
	phrase_words(&complaint->evidence, "Stamps wrap after ");
	phrase_time(&complaint->evidence, exam, period);
	phrase_words(&complaint->evidence, "; the longest silence seen is ");
	phrase_time(&complaint->evidence, exam, exam->most_step);
	phrase_words(&complaint->evidence, ", from ");
	phrase_moment(&complaint->evidence, exam, exam->most_step_at);
	phrase_words(&complaint->evidence, " on.");
	complaint_gap(complaint, exam->most_step_seq);
	advice_put(exam, ADVICE_CLOCK_WRAPS, 0, 0, complaint);
}

const struct diagnosis diagnosis_clock_stands = {
	.name = "clock_stands",
	.about = "all stamps are equal: the counter is off",
	.look = look_whether_it_stands,
};

const struct diagnosis diagnosis_clock_counts = {
	.name = "clock_counts",
	.about = "all steps between stamps are equal: events are counted, not time",
	.look = look_whether_it_counts,
};

const struct diagnosis diagnosis_clock_wraps = {
	.name = "clock_wraps",
	.about = "silences of half a round of the clock and more: whole rounds may be missing",
	.look = look_whether_it_wraps,
};

const struct diagnosis diagnosis_clock_unknown = {
	.name = "clock_unknown",
	.about = "how fast the clock counts is not known, or there is no clock",
	.look = look_for_rate,
};
