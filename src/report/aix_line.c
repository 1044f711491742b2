/* SPDX-License-Identifier: MIT */
#include "report/aix_line.h"

#include "base/text.h"

enum {
	ELAPSED_END = 18, /* columns behind the last digit */
	DELTA_END = 33,
	TEXT_START = 35,
	TEXT_STEP = 8, /* from one level to the next */
	NUMBER_ROOM = TEXT_DEC_MAX + 8,
	NS_PER_MS = 1000000,
};

const char *aix_line_heading(bool counts_ticks)
{
	return counts_ticks ? "ID    ELAPSED_TICK    DELTA_TICK   APPL    SYSCALL KERNEL  INTERRUPT\n"
			    : "ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n";
}

unsigned aix_line_margin(enum level level)
{
	return TEXT_START + TEXT_STEP * (unsigned)level;
}

/* Text that ends in a column, or later where it does not fit; always a blank in front. */
static char *put_right(char *p, unsigned *used, unsigned end, struct text text)
{
	size_t needed = *used + 1 + text.n_bytes, n_blanks = 1 + (needed < end ? end - needed : 0);

	p = text_put_fill(p, ' ', n_blanks);
	*used += (unsigned)(n_blanks + text.n_bytes);
	return text_put(p, text.bytes, text.n_bytes);
}

static char *put_columns(
	char *p, struct aix_front front, struct text elapsed, struct text delta, enum level level)
{
	unsigned used = front.columns;

	p = put_right(p, &used, ELAPSED_END + front.shift, elapsed);
	p = put_right(p, &used, DELTA_END + front.shift, delta);
	return put_right(p, &used, aix_line_margin(level) + front.shift, (struct text){ "", 0 });
}

/* Milliseconds with six decimals. */
static char *put_ms(char *p, int64_t ns)
{
	uint64_t distance = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;

	if (ns < 0)
		*p++ = '-';
	p = text_put_dec(p, distance / NS_PER_MS);
	*p++ = '.';
	return text_put_digits(p, distance % NS_PER_MS, 6);
}

char *aix_line_times(char *p, struct aix_front front, uint64_t elapsed_ns, int64_t delta_ns, enum level level)
{
	char elapsed[NUMBER_ROOM], delta[NUMBER_ROOM];
	const struct text elapsed_text = { elapsed,
		(size_t)(text_put_seconds(elapsed, elapsed_ns) - elapsed) },
			  delta_text = { delta, (size_t)(put_ms(delta, delta_ns) - delta) };

	return put_columns(p, front, elapsed_text, delta_text, level);
}

char *aix_line_ticks(
	char *p, struct aix_front front, int64_t elapsed_ticks, int64_t delta_ticks, enum level level)
{
	char elapsed[NUMBER_ROOM], delta[NUMBER_ROOM];
	const struct text elapsed_text = { elapsed,
		(size_t)(text_put_signed(elapsed, elapsed_ticks) - elapsed) },
			  delta_text = { delta, (size_t)(text_put_signed(delta, delta_ticks) - delta) };

	return put_columns(p, front, elapsed_text, delta_text, level);
}

char *aix_line_head(
	char *p, const char *id, size_t n_id, uint64_t elapsed_ns, int64_t delta_ns, enum level level)
{
	return aix_line_times(
		text_put(p, id, n_id), (struct aix_front){ (unsigned)n_id, 0 }, elapsed_ns, delta_ns, level);
}

char *aix_line_head_ticks(
	char *p, const char *id, size_t n_id, int64_t elapsed_ticks, int64_t delta_ticks, enum level level)
{
	return aix_line_ticks(text_put(p, id, n_id), (struct aix_front){ (unsigned)n_id, 0 }, elapsed_ticks,
		delta_ticks, level);
}
