/* SPDX-License-Identifier: MIT */
#include "lines/aix_front.h"

enum {
	TEXT_GAP = 2,	 /* columns between the times and the first level */
	TEXT_STEP = 8,	 /* from one level to the next */
	SECOND_LINE = 8, /* where the first level begins on a line of its own */
	PIECE = 32,	 /* bytes that are copied at once, however short a text is */
	NS_PER_US = 1000,
	NS_PER_MS = 1000000,
	US_PER_S = 1000000,
};

/* D20; the width of a file is ours. */
static const struct {
	const char *heading;
	unsigned width;
} fronts[N_AIX_COLUMNS] = {
	[AIX_ID] = { "ID", 4 },
	[AIX_EXEC] = { "PROCESS NAME", 15 },
	[AIX_CPU] = { "CPU", 4 },
	[AIX_PID] = { "PID", 11 },
	[AIX_TID] = { "TID", 11 },
	[AIX_SVC] = { "I/SYSTEM CALL", 16 },
	[AIX_FILE] = { "FILENAME", 20 },
};

/* Headings as wide as their columns, in times and in ticks. The numbers end at the right. */
static const struct {
	const char *headings[2];
	unsigned elapsed, delta; /* widths; 0 if there is no such column */
} stamps[N_AIX_STAMPS] = {
	[AIX_STAMP_BOTH] = { { "  ELAPSED_SEC     DELTA_MSEC ", "  ELAPSED_TICK    DELTA_TICK " }, 14, 15 },
	[AIX_STAMP_ELAPSED] = { { "  ELAPSED_SEC ", "  ELAPSED_TICK" }, 14, 0 },
	[AIX_STAMP_MICRO] = { { "  ELAPSED_USEC    DELTA_USEC ", "  ELAPSED_TICK    DELTA_TICK " }, 14, 15 },
	[AIX_STAMP_NONE] = { { "", "" }, 0, 0 },
	[AIX_STAMP_CLOCK] = { { "                    WALL_CLOCK ", "                    WALL_CLOCK " }, 31,
		0 },
};

static const char levels_heading[] = "  APPL    SYSCALL KERNEL  INTERRUPT\n";

void aix_look_measure(struct aix_look *look)
{
	const unsigned elapsed = stamps[look->stamp].elapsed, delta = stamps[look->stamp].delta;
	unsigned start = 0;

	for (unsigned column = 0; column < N_AIX_COLUMNS; column++) {
		look->starts[column] = start;
		start += aix_look_has(look, (enum aix_column)column) ? fronts[column].width : 0;
	}
	look->elapsed_end = elapsed ? start + elapsed : 0;
	look->delta_end = delta ? start + elapsed + delta : 0;
	look->text = look->has_two_lines ? SECOND_LINE : start + elapsed + delta + TEXT_GAP;
}

unsigned aix_line_margin(const struct aix_look *look, enum level level)
{
	return look->text + TEXT_STEP * (unsigned)level;
}

/* --- the heading ---------------------------------------------------------------------------------------- */

unsigned aix_line_heading_lines(const struct aix_look *look)
{
	return look->has_two_lines ? 2 : 1;
}

static char *aix_line_put_words(char *p, const char *words)
{
	return text_put(p, words, strlen(words));
}

char *aix_line_heading(char *p, const struct aix_look *look, bool counts_ticks)
{
	for (unsigned column = 0; column < N_AIX_COLUMNS; column++)
		if (aix_look_has(look, (enum aix_column)column)) {
			const char *heading = fronts[column].heading;

			p = aix_line_put_words(p, heading);
			p = text_put_fill(p, ' ', fronts[column].width - strlen(heading));
		}
	p = aix_line_put_words(p, stamps[look->stamp].headings[counts_ticks]);
	if (look->has_two_lines) {
		while (p[-1] == ' ')
			p--;
		*p++ = '\n';
		p = text_put_fill(p, ' ', SECOND_LINE - TEXT_GAP);
	}
	return text_put(p, levels_heading, sizeof(levels_heading) - 1);
}

/* --- a line --------------------------------------------------------------------------------------------- */

/* At least one blank between a column and the next, if need be behind where the next should begin. */
static inline void line_reach(struct aix_line *line, unsigned column)
{
	const unsigned n = column > line->used ? column - line->used : line->used > 0;

	memset(line->at, ' ', PIECE);
	if (__builtin_expect(n > PIECE, 0))
		memset(line->at, ' ', n);
	line->at += n;
	line->used += n;
}

void aix_line_put(struct aix_line *line, enum aix_column column, struct text text, unsigned n_columns)
{
	line_reach(line, line->look->starts[column]);
	line->at = text_put(line->at, text.bytes, text.n_bytes);
	line->used += n_columns;
}

/* Text of a piece at the most that ends in a column, or later where it does not fit. */
static inline void put_right(struct aix_line *line, unsigned end, const char bytes[PIECE], size_t n_bytes)
{
	line_reach(line, end > n_bytes ? end - (unsigned)n_bytes : 0);
	memcpy(line->at, bytes, PIECE);
	line->at += n_bytes;
	line->used += (unsigned)n_bytes;
}

/* A distance in units, with so many decimals. */
static char *put_fraction(char *p, uint64_t distance, uint64_t unit, unsigned n_digits)
{
	p = text_put_dec(p, distance / unit);
	*p++ = '.';
	return text_put_digits(p, distance % unit, n_digits);
}

/* Nanoseconds to the nearest microsecond. */
static uint64_t round_us(uint64_t ns)
{
	return ns / NS_PER_US + (ns % NS_PER_US >= NS_PER_US / 2);
}

static char *put_elapsed(char *p, enum aix_stamp stamp, const struct aix_times *times)
{
	if (times->is_ticks)
		return text_put_signed(p, (int64_t)times->elapsed);
	if (stamp == AIX_STAMP_BOTH)
		return text_put_seconds(p, times->elapsed);
	if (stamp == AIX_STAMP_ELAPSED)
		return put_fraction(p, round_us(times->elapsed), US_PER_S, 6);
	return text_put_dec(p, round_us(times->elapsed));
}

static char *put_delta(char *p, enum aix_stamp stamp, const struct aix_times *times)
{
	const uint64_t distance = times->delta < 0 ? -(uint64_t)times->delta : (uint64_t)times->delta;

	if (times->delta < 0)
		*p++ = '-';
	if (times->is_ticks)
		return text_put_dec(p, distance);
	return stamp == AIX_STAMP_MICRO ? text_put_dec(p, round_us(distance))
					: put_fraction(p, distance, NS_PER_MS, 6);
}

static void aix_line_put_any(struct aix_line *line, const struct aix_times *times, enum level level)
{
	const struct aix_look *look = line->look;
	const size_t n_clock = times->clock.n_bytes < PIECE ? times->clock.n_bytes : PIECE;
	char number[PIECE] = "";

	if (look->stamp == AIX_STAMP_CLOCK)
		put_right(line, look->elapsed_end, number,
			(size_t)(text_put(number, times->clock.bytes, n_clock) - number));
	else if (look->elapsed_end)
		put_right(line, look->elapsed_end, number,
			(size_t)(put_elapsed(number, look->stamp, times) - number));
	if (look->delta_end)
		put_right(line, look->delta_end, number,
			(size_t)(put_delta(number, look->stamp, times) - number));
	if (look->has_two_lines) {
		*line->at++ = '\n';
		line->used = 0;
	}
	line_reach(line, aix_line_margin(look, level));
}

/* --- the usual form of times: numbers stored over blanks ------------------------------------------------ */

bool aix_count_move(struct aix_count *count, const struct aix_times *times)
{
	const uint64_t high = times->elapsed / AIX_EIGHT;
	char *const end = count->front + sizeof(count->front);
	unsigned n = 0;

	if (high >= AIX_HIGH_LIMIT)
		return false;
	memset(count->front, ' ', sizeof(count->front));
	if (times->is_ticks && high) {
		n = text_dec_digits(high);
		text_put_digits(end - n, high, n);
	} else if (!times->is_ticks) {
		n = text_dec_digits(high / 10) + 2;
		text_put_digits(end - n, high / 10, n - 2);
		end[-2] = '.';
		end[-1] = (char)('0' + high % 10);
	}
	count->base = high * AIX_EIGHT;
	count->kind = times->is_ticks ? AIX_COUNTS_TICKS : AIX_COUNTS_NS;
	count->has_blanks = times->is_ticks && !high;
	count->width = AIX_EIGHT_DIGITS + (n > AIX_FRONT_WIDTH ? n : AIX_FRONT_WIDTH);
	return true;
}

void aix_put_high(char *end, uint64_t high)
{
	const unsigned n = text_dec_digits(high);

	text_put_digits(end - n, high, n);
}

void aix_line_times(struct aix_line *line, const struct aix_times *times, enum level level)
{
	enum { BLANKS = 96 };
	const struct aix_look *look = line->look;
	const unsigned margin = aix_line_margin(look, level), used = line->used;
	char *const at = line->at;
	struct aix_count once = { .base = 0 };

	if (look->stamp == AIX_STAMP_BOTH && !look->has_two_lines && margin - used <= BLANKS &&
		used < look->elapsed_end) {
		memset(at, ' ', BLANKS);
		if (aix_numbers_put(at + (look->elapsed_end - used), look->elapsed_end - used,
			    at + (look->delta_end - used), line->count ? line->count : &once, times)) {
			line->at = at + (margin - used);
			line->used = margin;
			return;
		}
	}
	aix_line_put_any(line, times, level);
}

/* --- the usual look: all lines of an id and level begin alike ------------------------------------------- */

bool aix_look_is_usual(const struct aix_look *look)
{
	return look->columns == 1U << AIX_ID && look->stamp == AIX_STAMP_BOTH && !look->has_two_lines;
}

unsigned aix_front_make(char *front, const struct aix_look *look, struct text id, enum level level)
{
	memset(front, ' ', AIX_FRONT_BYTES);
	if (id.n_bytes < look->elapsed_end)
		text_put(front, id.bytes, id.n_bytes);
	return aix_line_margin(look, level);
}
