/* SPDX-License-Identifier: MIT */
#include "select/times.h"

#include <string.h>

#include "tests/tap.h"

#define MAX UINT64_MAX
#define GHZ 1000000000U

static struct rst_metadata facts_of(uint64_t hz, uint64_t first_ticks)
{
	return (struct rst_metadata){ .clock_hz = hz, .has_first_ticks = true, .first_ticks = first_ticks };
}

static const char *put(struct times *times, char text[TIMES_ROOM + 1], uint64_t ticks)
{
	memset(text, '?', TIMES_ROOM);
	*times_put(times, text, ticks) = '\0';
	return text;
}

static void check_forms(void)
{
	static const struct {
		enum time_form form;
		uint64_t hz, first, ticks;
		const char *expected;
	} rows[] = {
		{ TIME_AUTO, 0, 5, 0, "        0" },
		{ TIME_AUTO, 0, 5, 999999, "   999999" },
		{ TIME_AUTO, 0, 5, 1000000, "  1000000" },
		{ TIME_AUTO, 0, 5, MAX, "18446744073709551615" },
		{ TIME_AUTO, GHZ, 5, 5, "  0.000000000" },
		{ TIME_AUTO, GHZ, 5, 4, "  0.000000000" },
		{ TIME_AUTO, GHZ, 0, MAX, "18446744073.709551615" },
		{ TIME_REL, 0, 1000, 1500, "      500" },
		{ TIME_REL, 0, 1000, 999, "       -1" },
		{ TIME_REL, 10000, 0, 80, "  0.0080" },
		{ TIME_REL, 10001, 0, 10001, "  1.00000" },
		{ TIME_REL, 10, 0, 15, "  1.5" },
		{ TIME_REL, 1, 0, 15, " 15" },
		{ TIME_NS, 1000, 1000, 1001, "     1000000" },
		{ TIME_NS, 1, 0, MAX, "18446744073709551615" },
		{ TIME_CLOCK, GHZ, 1, 1, "00:00:00.000000000" },
		{ TIME_CLOCK, 1, 0, 86399, "23:59:59" },
		{ TIME_CLOCK, 1, 0, 360000, "100:00:00" },
		{ TIME_CLOCK, GHZ, 0, MAX, "5124095:34:33.709551615" },
		{ TIME_TICKS, GHZ, 77, 77, "       77" },
	};
	char text[TIMES_ROOM + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rst_metadata metadata = facts_of(rows[i].hz, rows[i].first);
		struct times times;

		ok(times_init(&times, rows[i].form, &metadata, NULL) == RST_OK, "time form %d can be had",
			(int)rows[i].form);
		is_text(put(&times, text, rows[i].ticks), rows[i].expected, "a time fills its column");
	}
}

static void check_frequency(void)
{
	const struct rst_metadata metadata = facts_of(0, 0);
	struct rst_error err;
	struct times times;

	ok(times_init(&times, TIME_NS, &metadata, &err) == RST_E_USAGE && strstr(err.what, "--time ns") &&
			strstr(err.advice, "--clock-hz"),
		"nanoseconds need a frequency, and the error says how to give it");
	ok(times_init(&times, TIME_CLOCK, &metadata, &err) == RST_E_USAGE, "so does the time of day");
	ok(times_init(&times, TIME_REL, &metadata, &err) == RST_OK, "ticks since the first event do not");
}

/* The front of a number of ticks is kept as text: whatever came before, a time must not depend on it. */
static void check_width(void)
{
	static const struct {
		uint64_t ticks;
		const char *expected;
	} rows[] = {
		{ 123456789, "123456789" },
		{ 123000000, "123000000" },
		{ 122999999, "122999999" },
		{ 1, "        1" },
		{ 122999998, "122999998" },
		{ 999999999999, "999999999999" },
		{ 1000000000000, "1000000000000" },
		{ 999999999999, " 999999999999" },
		{ 5, "            5" },
		{ 122999998, "    122999998" },
		{ MAX, "18446744073709551615" },
		{ MAX - 551615, "18446744073709000000" },
		{ 0, "                   0" },
		{ 1000000, "             1000000" },
	};
	const struct rst_metadata metadata = facts_of(0, 0);
	char text[TIMES_ROOM + 1];
	struct times times;

	times_init(&times, TIME_TICKS, &metadata, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(put(&times, text, rows[i].ticks), rows[i].expected,
			"a column that has grown stays as wide, and stamps may step back");
}

static void check_deltas(void)
{
	static const struct {
		enum time_form form;
		uint64_t hz, from, to;
		const char *expected;
	} rows[] = {
		{ TIME_TICKS, 0, 7, 7, "        +0" },
		{ TIME_TICKS, 0, 7, 6, "        -1" },
		{ TIME_TICKS, 0, 0, 99999999, " +99999999" },
		{ TIME_TICKS, 0, 0, 999999999, "+999999999" },
		{ TIME_TICKS, 0, 0, 1000000000, "+1000000000" },
		{ TIME_TICKS, 0, 0, MAX, "+18446744073709551615" },
		{ TIME_TICKS, 0, MAX, 0, "-18446744073709551615" },
		{ TIME_REL, 0, 1, 3, "        +2" },
		{ TIME_TICKS, GHZ, 1, 3, "        +2" },
		{ TIME_NS, 1000, 1, 3, "  +2000000" },
		{ TIME_REL, 1000, 1, 3, "    +0.002" },
		{ TIME_REL, 1000, 3, 1, "    -0.002" },
		{ TIME_CLOCK, GHZ, 0, MAX, "+18446744073.709551615" },
	};
	char text[TIMES_ROOM + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rst_metadata metadata = facts_of(rows[i].hz, 0);
		struct times times;

		times_init(&times, rows[i].form, &metadata, NULL);
		times.delta_width = 10;

		*times_put_delta(&times, text, rows[i].from, rows[i].to) = '\0';
		is_text(text, rows[i].expected, "a distance has its sign and ten columns or what it needs");
	}
}

/* Without the way that has no divisions, and without what was kept. */
static struct times slow_times(const struct times *times)
{
	struct times slow = *times;

	slow.is_quick = false;
	slow.limit = 0;
	return slow;
}

static unsigned count_wrong(struct times *times, uint64_t ticks, uint64_t before)
{
	char quick[TIMES_ROOM + 1], plain[TIMES_ROOM + 1];
	struct times slow = slow_times(times);
	unsigned n_wrong;

	put(times, quick, ticks);
	n_wrong = strcmp(quick, put(&slow, plain, ticks)) != 0;
	*times_put_delta(times, quick, before, ticks) = '\0';
	*times_put_delta(&slow, plain, before, ticks) = '\0';
	n_wrong += times_ns(times, ticks) != times_ns(&slow, ticks);
	n_wrong += times_distance_ns(times, before, ticks) != times_distance_ns(&slow, before, ticks);
	return n_wrong + (strcmp(quick, plain) != 0);
}

/* Clocks of every speed, moments and distances of every size, and those next to a second. */
static void check_divisions(void)
{
	static const uint64_t clocks[] = { 1, 2, 3, 7, 10, 60, 1000, 32768, 999999, 1000000, 16777215,
		33333333, 168000000, 999999937, GHZ - 1, GHZ, GHZ + 1, 2593993000U, 4294967295U, 9999999967U,
		17179869183U, 17179869184U, 17179869185U, MAX };
	uint64_t seed = 88172645463325252U, before = 0;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		const uint64_t hz = clocks[i];
		const struct rst_metadata metadata = facts_of(hz, 1000);
		unsigned n_wrong = 0;
		struct times times;

		times_init(&times, TIME_REL, &metadata, NULL);
		for (unsigned n = 0; n < 20000; n++) {
			seed ^= seed << 13;
			seed ^= seed >> 7;
			seed ^= seed << 17;
			const uint64_t any = seed >> (n % 64), second = any / hz * hz + 1000;
			const uint64_t ticks = n % 4 == 0   ? any
					       : n % 4 == 1 ? second
					       : n % 4 == 2 ? second - 1
							    : before + any % hz;

			n_wrong += count_wrong(&times, ticks, before);
			before = ticks;
		}
		ok(n_wrong == 0, "times and distances of a clock of %llu Hz are those of its divisions",
			(unsigned long long)hz);
	}
}

static void check_distances(void)
{
	const struct times slow = { .hz = 1000 };

	ok(times_distance_ns(&slow, 1, 3) == 2000000 && times_distance_ns(&slow, 3, 1) == -2000000,
		"a distance in nanoseconds has its sign");
	ok(times_distance_ns(&slow, 0, MAX) == INT64_MAX && times_distance_ns(&slow, MAX, 0) == -INT64_MAX,
		"one of centuries is the longest there is");
}

static void check_moments(void)
{
	static const struct {
		const char *text;
		uint64_t hz, ticks; /* since first event 1000 */
	} good[] = {
		{ "0", 0, 0 },
		{ "18446744073709551615", 0, MAX },
		{ "0x10", 0, 16 },
		{ "5k", 0, 5000 },
		{ "+0", 0, 1000 },
		{ "+5000", 0, 6000 },
		{ "+18446744073709551615", 0, MAX },
		{ "0s", 1000, 1000 },
		{ "+0s", 1000, 1000 },
		{ "1.5s", 1000, 2500 },
		{ "1.s", 1000, 2000 },
		{ "250us", 1000000, 1250 },
		{ "999999ns", 1000, 1000 },
		{ "1ms", 1000, 1001 },
		{ "1.9999999999ns", GHZ, 1001 },
		{ "0.000000001s", GHZ, 1001 },
		{ "18446744073.709551615s", GHZ, MAX },
	};
	static const char *const bad[] = { "", "+", "-1", "+-1", "s", "+s", ".5s", "1..5s", "1.5.s", "1 s",
		"1.5", "1h", "1S", "18446744074s", "99999999999999999999ns", "18446744073709551616", "++1" };
	struct rst_error err;
	uint64_t ticks;

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct rst_metadata metadata = facts_of(good[i].hz, 1000);

		ok(times_parse(good[i].text, &metadata, &ticks, &err) == RST_OK && ticks == good[i].ticks,
			"'%s' is a moment", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct rst_metadata metadata = facts_of(GHZ, 1000);

		ok(times_parse(bad[i], &metadata, &ticks, &err) == RST_E_USAGE && err.advice[0],
			"'%s' is none", bad[i]);
	}
	const struct rst_metadata unknown = facts_of(0, 1000);

	ok(times_parse("1ms", &unknown, &ticks, &err) == RST_E_USAGE && strstr(err.advice, "--clock-hz"),
		"a time in seconds needs a frequency, and the error says how to give it");
}

static void check_utc(void)
{
	static const struct rst_clock_pair pairs[] = { { .ticks = 100, .realtime_ns = 1795254232000000000 },
		{ .ticks = 900, .realtime_ns = 1795254233500000000 } };
	struct rst_metadata metadata = facts_of(1000, 100);
	char text[TIMES_ROOM + 1];
	struct times times;
	struct rst_error err;

	ok(times_init(&times, TIME_WALL, &metadata, &err) == RST_E_USAGE,
		"without a pair of clocks there is no time of day");
	is_text(err.what, "--time utc needs the time of day, which is not recorded",
		"and a sentence says so");
	metadata.clock =
		(struct rst_clock){ .rate_ticks = 1000, .rate_ns = GHZ, .n_pairs = 1, .pairs = pairs };
	ok(times_init(&times, TIME_WALL, &metadata, NULL) == RST_OK, "with one there is");
	is_text(times_unit(&times), "utc", "the column says what it is");
	is_text(put(&times, text, 1000), "2026-11-21T09:43:52.900000000Z", "ticks behind the pair");
	is_text(put(&times, text, 0), "2026-11-21T09:43:51.900000000Z", "ticks before it");
	metadata.clock.n_pairs = 2;
	times_refresh(&times, &metadata);
	is_text(put(&times, text, 1000), "2026-11-21T09:43:53.600000000Z",
		"a later pair holds from its ticks on");
	is_text(put(&times, text, 899), "2026-11-21T09:43:52.799000000Z", "and no sooner");
	metadata.clock.rate_ns = UINT64_MAX;
	times_refresh(&times, &metadata);
	is_text(put(&times, text, MAX), "                             -",
		"what no calendar has is not shown");
}

int main(void)
{
	check_forms();
	check_frequency();
	check_width();
	check_deltas();
	check_divisions();
	check_distances();
	check_moments();
	check_utc();
	return tap_done();
}
