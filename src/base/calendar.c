/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include "base/text.h"

struct date {
	int64_t year;
	unsigned month, day; /* month from 0, day from 1 */
};

/*
 * The date of a day since 1 January 1970 in the Gregorian calendar. Years are counted from 1 March, so that the odd day
 * comes last, and in eras of 400 of them, which all have the same number of days.
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

char *calendar_put(char *p, int64_t seconds)
{
	enum { DAY_SECONDS = 86400, THURSDAY = 4 };
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec", days[] = "SunMonTueWedThuFriSat";
	int64_t day = seconds / DAY_SECONDS - (seconds % DAY_SECONDS < 0);
	unsigned of_day = (unsigned)(seconds - day * DAY_SECONDS);
	int64_t weekday = (day + THURSDAY) % 7;
	struct date date = date_of(day);

	p = text_put(p, days + 3 * (weekday < 0 ? weekday + 7 : weekday), 3);
	*p++ = ' ';
	p = text_put(p, months + (size_t)3 * date.month, 3);
	*p++ = ' ';
	p = text_put_dec_right(p, date.day, 2);
	*p++ = ' ';
	p = put_two(p, of_day / 3600);
	*p++ = ':';
	p = put_two(p, of_day / 60 % 60);
	*p++ = ':';
	p = put_two(p, of_day % 60);
	*p++ = ' ';
	return text_put_signed(p, date.year);
}
