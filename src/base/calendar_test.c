/* SPDX-License-Identifier: MIT */
#include "base/calendar.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/tap.h"

static const char *written(int64_t seconds)
{
	static char text[CALENDAR_MAX + 1];

	*calendar_put(text, seconds) = '\0';
	return text;
}

static const char *iso(int64_t seconds)
{
	static char text[CALENDAR_MAX + 1];

	*calendar_put_iso(text, seconds) = '\0';
	return text;
}

/* Compares with the C library's own text, without its new line. */
static bool is_as_libc(int64_t seconds)
{
	char text[64];
	time_t moment = (time_t)seconds;
	struct tm parts;

	if (!gmtime_r(&moment, &parts) || !asctime_r(&parts, text))
		return false;
	text[strcspn(text, "\n")] = '\0';
	return strcmp(text, written(seconds)) == 0;
}

static bool agrees(int64_t from, int64_t to, int64_t step)
{
	for (int64_t seconds = from; seconds < to; seconds += step)
		if (!is_as_libc(seconds))
			return false;
	return true;
}

static void check_utc(void)
{
	static const struct {
		int64_t seconds;
		uint32_t nanoseconds;
		const char *text, *what;
	} rows[] = {
		{ 0, 0, "1970-01-01T00:00:00.000000000Z", "the epoch" },
		{ 951782400, 1, "2000-02-29T00:00:00.000000001Z", "a leap day of a century" },
		{ 4107542399, 999999999, "2100-02-28T23:59:59.999999999Z",
			"the last moment of a February without one" },
		{ 4107542400, 0, "2100-03-01T00:00:00.000000000Z", "the moment behind it" },
		{ -1, 0, "1969-12-31T23:59:59.000000000Z", "a moment before the epoch" },
		{ 253402300800, 0, "10000-01-01T00:00:00.000000000Z", "a year of five digits" },
		{ INT64_MAX, UINT32_MAX, "292277026596-12-04T15:30:07.294967295Z", "the last moment of all" },
		{ INT64_MIN, 0, "-292277022657-01-27T08:29:52.000000000Z", "the first one" },
	};
	char text[CALENDAR_MAX + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		*calendar_put_utc(text, rows[i].seconds, rows[i].nanoseconds) = '\0';
		ok(strcmp(text, rows[i].text) == 0, "%s has its date (%s)", rows[i].what, text);
	}
	*calendar_put_utc_ns(text, -1) = '\0';
	is_text(text, "1969-12-31T23:59:59.999999999Z", "a nanosecond before the epoch has its date");
}

int main(void)
{
	enum { DAY = 86400 };

	is_text(written(0), "Thu Jan  1 00:00:00 1970", "time begins on a Thursday");
	is_text(written(1000000000), "Sun Sep  9 01:46:40 2001", "a billion seconds are a Sunday in 2001");
	is_text(written(951782400), "Tue Feb 29 00:00:00 2000", "2000 is a leap year");
	is_text(written(-1), "Wed Dec 31 23:59:59 1969", "moments before 1970 count backwards");
	ok(agrees(-150000LL * DAY, 150000LL * DAY, 86399),
		"four hundred years either way are as libc has them");
	is_text(written(INT64_MAX), "Sun Dec  4 15:30:07 292277026596",
		"the last moment has its year in full");
	is_text(written(INT64_MIN), "Sun Jan 27 08:29:52 -292277022657", "so has the first");
	is_text(iso(1000000000), "2001-09-09T01:46:40", "ISO 8601 has the parts in the order of their size");
	is_text(iso(-62135596801), "0000-12-31T23:59:59", "the year 0 has four digits");
	is_text(iso(INT64_MIN), "-292277022657-01-27T08:29:52", "the first moment has its year in full, too");
	check_utc();
	return tap_done();
}
