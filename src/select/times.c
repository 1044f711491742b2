/* SPDX-License-Identifier: MIT */
#include "select/times.h"

#include <string.h>

#include "base/calendar.h"
#include "base/error.h"
#include "base/text.h"
#include "model/clock.h"

enum {
	TIME_WIDTH = 9, /* of ticks, which begin anywhere … */
	TIME_WIDTH_NS = 12,
	TIME_WIDTH_REL = 3, /* … of seconds, before the decimals */
	TIME_WIDTH_CLOCK = 8,
	TIME_WIDTH_WALL = 30, /* 2026-11-21T09:43:52.000000001Z */
	DELTA_WIDTH = 10,
	DELTA_WIDTH_SECONDS = 2, /* before the decimals */
	DECIMALS_MAX = 9,
	TAIL_VALUE = 1000000
};

#define NS_PER_SECOND ((uint32_t)TIMES_NS_PER_SECOND)
#define QUICK_HZ_MAX \
	((uint64_t)1 << 34) /* less than that many ticks, times the nanoseconds of a second, fit 64 bits */

const char *const time_form_names[N_TIME_FORMS] = {
	[TIME_TICKS] = "ticks",
	[TIME_NS] = "ns",
	[TIME_REL] = "rel",
	[TIME_CLOCK] = "clock",
	[TIME_WALL] = "utc",
};

/* As many as distinguish one tick from the next: four for 10 kHz. */
static unsigned decimals_of(uint64_t hz)
{
	unsigned n = 0;

	for (uint64_t power = 1; n < DECIMALS_MAX && power < hz; power *= 10)
		n++;
	return n;
}

static unsigned width_of(const struct times *times, uint64_t first)
{
	unsigned n_decimals = times->n_decimals + (times->n_decimals > 0), n_digits = text_dec_digits(first);

	if (times->form == TIME_NS)
		return TIME_WIDTH_NS;
	if (times->form == TIME_CLOCK)
		return TIME_WIDTH_CLOCK + n_decimals;
	if (times->form == TIME_WALL)
		return TIME_WIDTH_WALL;
	if (times->form == TIME_REL && times->hz)
		return TIME_WIDTH_REL + n_decimals;
	return times->form == TIME_TICKS && n_digits > TIME_WIDTH ? n_digits : TIME_WIDTH;
}

__extension__ typedef unsigned __int128 wide;

/*
 * Nanoseconds of a tick, in 64.64 bits, rounded down; and how many ticks are surely less than 2^64
 * nanoseconds.
 */
static void times_prepare(struct times *times)
{
	const uint64_t seconds_max = UINT64_MAX / NS_PER_SECOND;

	times->is_quick = true;
	times->tick_ns = NS_PER_SECOND / times->hz;
	times->tick_part = (uint64_t)(((wide)(NS_PER_SECOND % times->hz) << 64) / times->hz);
	times->quick_max = times->hz > UINT64_MAX / seconds_max ? UINT64_MAX : seconds_max * times->hz;
}

/* The nanoseconds of a time below one second. */
static uint32_t fraction_ns(const struct times *times, uint64_t ticks)
{
	return (uint32_t)times_quick_ns(times, ticks);
}

static inline uint64_t span_ns(const struct times *times, uint64_t ticks)
{
	return __builtin_expect(times->is_quick && ticks <= times->quick_max, 1)
		       ? times_quick_ns(times, ticks)
		       : clock_ns(ticks, times->hz);
}

enum rst_status times_init(
	struct times *times, enum time_form form, const struct rst_metadata *metadata, struct rst_error *err)
{
	*times = (struct times){ .form = form, .hz = metadata->clock_hz, .first = metadata->first_ticks };
	times_refresh(times, metadata);
	if (form == TIME_AUTO)
		times->form = times->hz ? TIME_REL : TIME_TICKS;
	times->n_decimals = decimals_of(times->hz);
	if (times->hz && times->hz <= QUICK_HZ_MAX)
		times_prepare(times);
	times->width = width_of(times, times->first);
	times->delta_width = DELTA_WIDTH;
	if (times->hz && times->form >= TIME_REL)
		times->delta_width = DELTA_WIDTH_SECONDS + (times->n_decimals ? 1 + times->n_decimals : 0);
	if (form == TIME_WALL && !times->clock.n_pairs) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"--time utc needs the time of day, which is not recorded");
		error_advise(err, "use --time rel or --time ticks");
		return RST_E_USAGE;
	}
	if (times->hz || (form != TIME_NS && form != TIME_CLOCK && form != TIME_WALL))
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"--time %s needs the frequency of the clock, which is not recorded", time_form_names[form]);
	error_advise(err, "give it with --clock-hz N, or use --time ticks");
	return RST_E_USAGE;
}

const char *times_unit(const struct times *times)
{
	if (times->form == TIME_NS)
		return "ns";
	if (times->form == TIME_CLOCK)
		return "time";
	if (times->form == TIME_WALL)
		return "utc";
	return times->form == TIME_REL && times->hz ? "seconds" : "ticks";
}

uint64_t times_ns(const struct times *times, uint64_t ticks)
{
	return ticks > times->first ? span_ns(times, ticks - times->first) : 0;
}

int64_t times_distance_ns(const struct times *times, uint64_t from, uint64_t to)
{
	uint64_t ns = span_ns(times, to >= from ? to - from : from - to);
	int64_t distance = ns < INT64_MAX ? (int64_t)ns : INT64_MAX;

	return to >= from ? distance : -distance;
}

/* As many decimals of a second as the clock needs; the others are written, too, and then over. */
static char *put_decimals(const struct times *times, char *p, uint32_t ns)
{
	text_put_digits(p, ns, DECIMALS_MAX);
	return p + times->n_decimals;
}

static char *put_fraction(const struct times *times, char *p, uint32_t ns)
{
	if (!times->n_decimals)
		return p;
	*p++ = '.';
	return put_decimals(times, p, ns);
}

static char *put_seconds(const struct times *times, char *p, uint64_t ns)
{
	p = text_put_dec(p, ns / NS_PER_SECOND);
	return put_fraction(times, p, (uint32_t)(ns % NS_PER_SECOND));
}

static char *put_clock(const struct times *times, char *p, uint64_t ns)
{
	uint64_t seconds = ns / NS_PER_SECOND;

	p = text_put_digits(p, seconds / 3600, seconds / 3600 < 100 ? 2 : text_dec_digits(seconds / 3600));
	*p++ = ':';
	p = text_put_digits(p, seconds / 60 % 60, 2);
	*p++ = ':';
	p = text_put_digits(p, seconds % 60, 2);
	return put_fraction(times, p, (uint32_t)(ns % NS_PER_SECOND));
}

/* A time that no number holds is "-". */
static char *put_utc(const struct times *times, char *p, uint64_t ticks)
{
	int64_t ns;

	if (!rst_clock_wall_ns(&times->clock, ticks, &ns))
		return text_put_literal(p, "-");
	return calendar_put_utc_ns(p, ns);
}

static char *put_bare(const struct times *times, char *p, uint64_t ticks)
{
	if (times->form == TIME_TICKS)
		return text_put_dec(p, ticks);
	if (times->form == TIME_REL && !times->hz)
		return text_put_signed(p, (int64_t)(ticks - times->first));
	if (times->form == TIME_WALL)
		return put_utc(times, p, ticks);
	uint64_t ns = times_ns(times, ticks);

	if (times->form == TIME_NS)
		return text_put_dec(p, ns);
	return times->form == TIME_REL ? put_seconds(times, p, ns) : put_clock(times, p, ns);
}

static char *put_right(struct times *times, char *p, const char *text, unsigned n)
{
	if (n < times->width)
		p = text_put_fill(p, ' ', times->width - n);
	else
		times->width = n;
	return text_put(p, text, n);
}

static char *put_whole(struct times *times, char *p, uint64_t ticks)
{
	char bare[TIMES_ROOM];

	return put_right(times, p, bare, (unsigned)(put_bare(times, bare, ticks) - bare));
}

/* The text of ticks holds for so many from head on, but not beyond the end of time. */
static void keep_head(struct times *times, const char *text, unsigned n_head, uint64_t head, uint64_t n_ticks)
{
	times->head = head;
	times->limit = UINT64_MAX - head < n_ticks ? UINT64_MAX - head : n_ticks;
	times->n_head = n_head;
	memcpy(times->head_text, text, n_head);
}

/* Keeps all digits of ticks but the last six, with their padding: the next event has the same digits. */
static char *put_new_head(struct times *times, char *p, uint64_t ticks)
{
	char *end = put_whole(times, p, ticks);

	times->is_tail = true;
	keep_head(times, p, (unsigned)(end - p) - TIMES_TAIL, ticks - ticks % TAIL_VALUE, TAIL_VALUE);
	return end;
}

/* Keeps a time in seconds without its decimals. A second that ends behind the end of time is not kept. */
static char *put_new_second(struct times *times, char *p, uint64_t ticks)
{
	const uint64_t seconds = ticks > times->first ? (ticks - times->first) / times->hz : 0;
	char *end = put_whole(times, p, ticks);

	if (seconds < UINT64_MAX / NS_PER_SECOND)
		keep_head(times, p, (unsigned)(end - p) - times->n_decimals,
			times->first + seconds * times->hz, times->hz);
	return end;
}

char *times_put_anew(struct times *times, char *p, uint64_t ticks)
{
	times->limit = 0; /* the column may become wider */
	if (times->form == TIME_REL && times->is_quick)
		return put_new_second(times, p, ticks);
	return times->form == TIME_TICKS && ticks >= TAIL_VALUE ? put_new_head(times, p, ticks)
								: put_whole(times, p, ticks);
}

/* A distance below a second, which fills its column as times_init() made it. */
static char *put_short_delta(const struct times *times, char *p, char sign, uint64_t distance)
{
	const unsigned n = DELTA_WIDTH_SECONDS + times->n_decimals + (times->n_decimals > 0);

	if (__builtin_expect(n < times->delta_width, 0))
		p = text_put_fill(p, ' ', times->delta_width - n);
	*p++ = sign;
	*p++ = '0';
	return put_fraction(times, p, fraction_ns(times, distance));
}

char *times_put_delta(const struct times *times, char *p, uint64_t from, uint64_t to)
{
	char bare[TIMES_ROOM], *end = bare;
	uint64_t distance = to >= from ? to - from : from - to;

	if (!times->hz || times->form == TIME_TICKS) {
		unsigned n_digits = text_dec_digits(distance);

		if (n_digits + 1 < times->delta_width)
			p = text_put_fill(p, ' ', times->delta_width - 1 - n_digits);
		*p++ = to >= from ? '+' : '-';
		return text_put_digits(p, distance, n_digits);
	}
	if (times->form != TIME_NS && times->is_quick && distance < times->hz)
		return put_short_delta(times, p, to >= from ? '+' : '-', distance);
	*end++ = to >= from ? '+' : '-';
	if (times->form == TIME_NS)
		end = text_put_dec(end, clock_ns(distance, times->hz));
	else
		end = put_seconds(times, end, clock_ns(distance, times->hz));
	size_t n = (size_t)(end - bare);

	if (n < times->delta_width)
		p = text_put_fill(p, ' ', times->delta_width - n);
	return text_put(p, bare, n);
}

/* "12.5" with a unit of so many nanoseconds; digits beyond the nanosecond are dropped. */
static bool parse_decimal(const char *text, size_t n_text, uint64_t unit_ns, uint64_t *ret_ns)
{
	uint64_t whole = 0, fraction = 0, unit = unit_ns;
	size_t i = 0;

	for (; i < n_text && text_is_digit(text[i]); i++)
		if (__builtin_mul_overflow(whole, 10U, &whole) ||
			__builtin_add_overflow(whole, (uint64_t)(text[i] - '0'), &whole))
			return false;
	if (i == 0)
		return false;
	if (i < n_text && text[i] == '.')
		for (i++; i < n_text && text_is_digit(text[i]); i++) {
			unit /= 10;
			fraction += unit * (uint64_t)(text[i] - '0');
		}
	return i == n_text && !__builtin_mul_overflow(whole, unit_ns, ret_ns) &&
	       !__builtin_add_overflow(*ret_ns, fraction, ret_ns);
}

static bool parse_duration(const char *text, uint64_t *ret_ns)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", NS_PER_SECOND } };
	size_t n = strlen(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t n_suffix = strlen(units[i].suffix);

		if (n > n_suffix && strcmp(text + n - n_suffix, units[i].suffix) == 0)
			return parse_decimal(text, n - n_suffix, units[i].ns, ret_ns);
	}
	return false;
}

/* A moment beyond the end of time is the end of time. */
static uint64_t ticks_later(uint64_t ticks, uint64_t distance)
{
	uint64_t sum;

	return __builtin_add_overflow(ticks, distance, &sum) ? UINT64_MAX : sum;
}

enum rst_status times_parse(
	const char *text, const struct rst_metadata *metadata, uint64_t *ret_ticks, struct rst_error *err)
{
	bool is_since = text[0] == '+';
	uint64_t ns = 0;

	if (text_parse_u64(text + is_since, ret_ticks)) {
		if (is_since)
			*ret_ticks = ticks_later(metadata->first_ticks, *ret_ticks);
		return RST_OK;
	}
	if (!parse_duration(text + is_since, &ns)) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%s' is no moment", text);
		error_advise(err, "write ticks as the report shows them (123456), ticks since the first "
				  "event (+5000), or a "
				  "time since it (250us, 1.5s)");
		return RST_E_USAGE;
	}
	if (!metadata->clock_hz) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"'%s' needs the frequency of the clock, which is not recorded", text);
		error_advise(err, "give it with --clock-hz N");
		return RST_E_USAGE;
	}
	*ret_ticks = ticks_later(metadata->first_ticks, clock_ticks_of_ns(ns, metadata->clock_hz));
	return RST_OK;
}
