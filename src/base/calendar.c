/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include "base/text.h"

struct date {
	int64_t year;
	unsigned month, day; /* month from 0, day from 1 */
};

/*
 * The date of a day since 1 January 1970 in the Gregorian calendar. Years begin at 1 March, so that the leap
 * day comes last. 400 years are an era; all eras have the same number of days.
 */
static struct date date_of(int64_t day)
{
	enum { DAYS_TO_MARCH_0 = 719468, ERA_DAYS = 146097, CENTURY_DAYS = 36524, FOUR_YEARS_DAYS = 1461 };
	int64_t shifted = day + DAYS_TO_MARCH_0;
	int64_t era = (shifted >= 0 ? shifted : shifted - (ERA_DAYS - 1)) / ERA_DAYS;
	unsigned of_era = (unsigned)(shifted - era * ERA_DAYS);
	unsigned year =
		(of_era - of_era / (FOUR_YEARS_DAYS - 1) + of_era / CENTURY_DAYS - of_era / (ERA_DAYS - 1)) /
		365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned month = (5 * of_year + 2) / 153; /* from March */
	struct date date = { .year = 400 * era + year,
		.month = month < 10 ? month + 2 : month - 10,
		.day = of_year - (153 * month + 2) / 5 + 1 };

	date.year += date.month < 2;
	return date;
}

static char *put_two(char *p, unsigned number)
{
	return text_put_digits(p, number, 2);
}

enum { DAY_SECONDS = 86400, THURSDAY = 4 };

static int64_t day_of(int64_t seconds)
{
	return seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);
}

/*
 * The second of its day. It comes from the remainder, because the first day begins before the least value of
 * seconds.
 */
static unsigned second_of_day(int64_t seconds)
{
	const int64_t rest = seconds % DAY_SECONDS;

	return (unsigned)(rest < 0 ? rest + DAY_SECONDS : rest);
}

static char *put_clock(char *p, unsigned of_day)
{
	p = put_two(p, of_day / 3600);
	*p++ = ':';
	p = put_two(p, of_day / 60 % 60);
	*p++ = ':';
	return put_two(p, of_day % 60);
}

char *calendar_put(char *p, int64_t seconds)
{
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec", days[] = "SunMonTueWedThuFriSat";
	int64_t day = day_of(seconds);
	int64_t weekday = (day + THURSDAY) % 7;
	struct date date = date_of(day);

	p = text_put(p, days + 3 * (weekday < 0 ? weekday + 7 : weekday), 3);
	*p++ = ' ';
	p = text_put(p, months + (size_t)3 * date.month, 3);
	*p++ = ' ';
	p = text_put_dec_right(p, date.day, 2);
	*p++ = ' ';
	p = put_clock(p, second_of_day(seconds));
	*p++ = ' ';
	return text_put_signed(p, date.year);
}

char *calendar_put_iso(char *p, int64_t seconds)
{
	int64_t day = day_of(seconds);
	struct date date = date_of(day);
	uint64_t year = date.year < 0 ? (uint64_t)-date.year : (uint64_t)date.year;

	if (date.year < 0)
		*p++ = '-';
	p = text_put_digits(p, year, year < 10000 ? 4 : text_dec_digits(year));
	*p++ = '-';
	p = put_two(p, date.month + 1);
	*p++ = '-';
	p = put_two(p, date.day);
	*p++ = 'T';
	return put_clock(p, second_of_day(seconds));
}

enum { SECOND_NS = 1000000000 };

char *calendar_put_utc(char *p, int64_t seconds, uint32_t nanoseconds)
{
	p = calendar_put_iso(p, seconds);
	*p++ = '.';
	p = text_put_digits(p, nanoseconds % SECOND_NS, 9);
	*p++ = 'Z';
	return p;
}

char *calendar_put_utc_ns(char *p, int64_t nanoseconds)
{
	const int64_t seconds = nanoseconds / SECOND_NS, rest = nanoseconds % SECOND_NS;

	return calendar_put_utc(p, seconds - (rest < 0), (uint32_t)(rest < 0 ? rest + SECOND_NS : rest));
}
