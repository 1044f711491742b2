/* SPDX-License-Identifier: MIT */
/* How a report shows time, and how a user writes one. */
#ifndef SELECT_TIMES_H
#define SELECT_TIMES_H

#include <rastrum/trace.h>

#include "base/text.h"

enum time_form {
	TIME_AUTO,  /* rel where the clock's frequency is known, else ticks */
	TIME_TICKS, /* unwrapped ticks, as in JSON `ts` */
	TIME_NS,    /* nanoseconds since the first event, as in JSON `ns` */
	TIME_REL,   /* since the first event: seconds, or ticks without a frequency */
	TIME_CLOCK, /* hours, minutes, seconds */
	TIME_WALL,  /* the time of day after ISO 8601 */
	N_TIME_FORMS
};

/* The words of --time, by form; NULL for TIME_AUTO. */
extern const char *const time_form_names[N_TIME_FORMS];

struct times {
	enum time_form form;
	uint64_t hz;	/* 0 if it is not known */
	uint64_t first; /* ticks of the first event */
	struct rst_clock clock;
	unsigned n_decimals; /* of seconds: what the clock's frequency needs */
	unsigned width;	     /* of the column; grows with what it has to hold */
	unsigned delta_width;

	/*
	 * For clocks up to 17 GHz, instead of divisions: nanoseconds of a tick, and the rest in units of
	 * 2^-64.
	 */
	bool is_quick;
	uint64_t tick_ns, tick_part, quick_max;

	/*
	 * The text in front of the last six digits, or of the decimals of a second, seldom changes and is
	 * kept.
	 */
	uint64_t head;	/* ticks at which those digits are all 0 */
	uint64_t limit; /* for less than so many ticks from there on the text holds; 0 if nothing is kept */
	bool is_tail;	/* digits of ticks follow it; else decimals of a second */
	unsigned n_head;
	char head_text[32];
};

enum {
	TIMES_ROOM = 64, /* bytes that one time or delta can take */
	TIMES_TAIL = 6,	 /* digits of ticks that are not kept */
	TIMES_NS_PER_SECOND = 1000000000
};

/* Returns RST_E_USAGE if the form needs a frequency or the time of day, and the trace lacks it. */
enum rst_status times_init(
	struct times *times, enum time_form form, const struct rst_metadata *metadata, struct rst_error *err);

/* Updates the clock. It is due behind each rst_trace_next(). */
static inline void times_refresh(struct times *times, const struct rst_metadata *metadata)
{
	times->clock = metadata->clock;
}

/* Returns the unit of the column: "ticks", "ns", "seconds", "time". The text is static. */
const char *times_unit(const struct times *times);

/* times_put() if the kept text is not valid for this time. */
char *times_put_anew(struct times *times, char *p, uint64_t ticks);

/*
 * Nanoseconds of at most quick_max ticks, without a division. The product is right or one too small. The
 * remainder is below 2 * hz, so its lowest 64 bits hold all of it.
 */
static inline uint64_t times_quick_ns(const struct times *times, uint64_t ticks)
{
	const uint64_t parts = (uint64_t)(__extension__(unsigned __int128) ticks * times->tick_part >> 64);
	const uint64_t ns = ticks * times->tick_ns + parts;

	return ns + (ticks * TIMES_NS_PER_SECOND - ns * times->hz >= times->hz);
}

/* Right-aligned in the column. */
static inline char *times_put(struct times *times, char *p, uint64_t ticks)
{
	const uint64_t behind = ticks - times->head;
	uint64_t digits;

	if (__builtin_expect(behind >= times->limit, 0))
		return times_put_anew(times, p, ticks);
	memcpy(p, times->head_text, sizeof(times->head_text));
	p += times->n_head;
	/* More digits are written than count; the caller overwrites the others. */
	if (times->is_tail) {
		digits = htole64(text_eight((uint32_t)behind) >> (64 - 8 * TIMES_TAIL));
		memcpy(p, &digits, sizeof(digits));
		return p + TIMES_TAIL;
	}
	text_put_digits(p, times_quick_ns(times, behind), 9);
	return p + times->n_decimals;
}

/* The distance from one event to the next, signed, right-aligned in its column. */
char *times_put_delta(const struct times *times, char *p, uint64_t from, uint64_t to);

/* Nanoseconds since the first event; events before it (they exist: stamps step back) count as 0. */
uint64_t times_ns(const struct times *times, uint64_t ticks);

/* Nanoseconds from one moment to another, which may be the earlier one; where the frequency is known. */
int64_t times_distance_ns(const struct times *times, uint64_t from, uint64_t to);

/*
 * Parses a moment: N (ticks, as shown), +N (ticks since the first event), or a decimal number with ns, us, ms
 * or s (time since the first event). Returns RST_E_USAGE with the reason.
 */
enum rst_status times_parse(
	const char *text, const struct rst_metadata *metadata, uint64_t *ret_ticks, struct rst_error *err);

#endif
