/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdarg.h>

#include "analysis/doctor/doctor.h"
#include "base/text.h"
#include "model/clock.h"

void phrase_words(struct phrase *phrase, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	phrase->n_bytes = text_print(phrase->text, phrase->n_bytes, sizeof(phrase->text), format, args);
	va_end(args);
}

void phrase_count(struct phrase *phrase, uint64_t n, const char *one, const char *several)
{
	phrase_words(phrase, "%" PRIu64 " %s", n, n == 1 ? one : several);
}

void phrase_time(struct phrase *phrase, const struct exam *exam, uint64_t ticks)
{
	const uint64_t hz = exam->metadata->clock_hz;
	char text[TEXT_DURATION_MAX + 1];

	if (!hz) {
		phrase_count(phrase, ticks, "tick", "ticks");
		return;
	}
	*text_put_duration(text, clock_ns(ticks, hz)) = '\0';
	phrase_words(phrase, "%s", text);
}

void phrase_moment(struct phrase *phrase, const struct exam *exam, uint64_t ticks)
{
	const uint64_t first = exam->metadata->first_ticks;

	if (!exam->metadata->clock_hz) {
		phrase_words(phrase, "tick %" PRIu64, ticks);
		return;
	}
	phrase_time(phrase, exam, ticks > first ? ticks - first : 0);
	phrase_words(phrase, " after the first event");
}

void phrase_thread(struct phrase *phrase, const struct rst_entity *thread)
{
	if (thread->name)
		phrase_words(phrase, "'%.*s'", (int)thread->name_bytes, thread->name);
	else
		phrase_words(phrase, thread->is_number ? "thread %" PRIu64 : "thread 0x%" PRIx64, thread->id);
}

void phrase_share(struct phrase *phrase, double part, double whole)
{
	const double percent = whole > 0 ? 100 * part / whole : 0;

	if (percent < 0.1)
		phrase_words(phrase, "below 0.1 %%");
	else
		phrase_words(phrase, percent < 10 ? "%.1f %%" : "%.0f %%", percent);
}
