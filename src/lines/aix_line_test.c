/* SPDX-License-Identifier: MIT */
/* The columns of the AIX manner: where numbers end and texts begin. */
#include "lines/aix_front.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

static const struct {
	const char *id;
	uint64_t elapsed_ns;
	int64_t delta_ns;
	enum level level;
	const char *line, *sentence;
} rows[] = {
	{ "010", 105984, 105984, LEVEL_APPL, "010    0.000105984       0.105984  text",
		"the published row comes out as published" },
	{ "134", 0, 0, LEVEL_SVC, "134    0.000000000       0.000000          text",
		"a system call's text stands under SYSCALL" },
	{ "0ABC", 1000000000, 1000000000, LEVEL_KERN,
		"0ABC   1.000000000    1000.000000                  text",
		"four digits of an id take no column from the time" },
	{ "010", 9999999999999, -105984, LEVEL_INT,
		"010 9999.999999999      -0.105984                          text",
		"a step back in time is negative" },
	{ "010", 123456123456789, 1, LEVEL_APPL, "010 123456.123456789     0.000001  text",
		"a long time takes blanks of the next column" },
	{ "123456789ABCDEF0", UINT64_MAX, INT64_MIN, LEVEL_APPL,
		"123456789ABCDEF0 18446744073.709551615 -9223372036854.775808 text",
		"where nothing fits, single blanks part the columns" },
};

static const struct {
	int64_t elapsed, delta;
	enum level level;
	const char *line, *sentence;
} tick_rows[] = {
	{ 251686888, 1172, LEVEL_KERN, "010      251686888           1172                  text",
		"ticks end in the same columns" },
	{ -3, -5, LEVEL_APPL, "010             -3             -5  text",
		"ticks before the first event are negative" },
	{ INT64_MAX, INT64_MIN, LEVEL_INT, "010 9223372036854775807 -9223372036854775808               text",
		"a text's column holds as long as there is room" },
};

static const char *as_line(char *line, char *end)
{
	memcpy(end, "text", sizeof("text"));
	return line;
}

static const char *line_of(
	char *line, struct aix_look look, const char *id, const struct aix_times *times, enum level level)
{
	struct aix_count count = { .base = 0 };
	struct aix_line at = { .look = &look, .count = &count, .at = line };

	aix_look_measure(&look);
	aix_line_put(&at, AIX_ID, (struct text){ id, strlen(id) }, (unsigned)strlen(id));
	aix_line_times(&at, times, level);
	return as_line(line, at.at);
}

static const struct aix_look plain = { .columns = 1U << AIX_ID };

/* Numbers of every width, as printf has them. */
static void check_widths(void)
{
	char line[AIX_LINE_ROOM + sizeof("text")], wanted[96];

	for (uint64_t power = 1; power <= 1000000000000; power *= 10) {
		const uint64_t numbers[] = { power - 1, power, 9 * power };

		for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
			const struct aix_times ticks = { .is_ticks = true,
				.elapsed = numbers[i],
				.delta = (int64_t)numbers[i] },
					       times = { .elapsed = numbers[i],
						       .delta = (int64_t)numbers[i] };

			snprintf(wanted, sizeof(wanted), "010 %14" PRIu64 "%15" PRIu64 "  text", numbers[i],
				numbers[i]);
			is_text(line_of(line, plain, "010", &ticks, LEVEL_APPL), wanted,
				"ticks of any width end in their columns");
			snprintf(wanted, sizeof(wanted),
				"010 %4" PRIu64 ".%09" PRIu64 "%8" PRIu64 ".%06" PRIu64 "  text",
				numbers[i] / 1000000000, numbers[i] % 1000000000, numbers[i] / 1000000,
				numbers[i] % 1000000);
			is_text(line_of(line, plain, "010", &times, LEVEL_APPL), wanted,
				"and so do seconds and milliseconds");
		}
	}
}

/* The quick way of the usual look gives the same lines, whichever time was in the line before. */
static void check_fronts(void)
{
	char line[AIX_LINE_ROOM + sizeof("text")], wanted[AIX_LINE_ROOM + sizeof("text")],
		front[AIX_FRONT_BYTES];
	struct aix_look look = plain;
	struct aix_count count = { .base = 0 };
	unsigned n_same = 0, n_quick = 0, n_all = 0;

	aix_look_measure(&look);
	ok(aix_look_is_usual(&look), "the look without options is the usual one");
	for (uint64_t i = 0; i < 60000; i++) {
		static const char *const ids[] = { "010", "0ABC", "123456789ABCDEF0" };
		const struct text id = { ids[i % 7 / 3], strlen(ids[i % 7 / 3]) };
		const enum level level = (enum level)(i % N_LEVELS);
		const uint64_t random = (i + 1) * 0x9e3779b97f4a7c15;
		const struct aix_times times = { .is_ticks = i / 30000,
			.elapsed = i % 3 ? 150000000 * (i % 5) + i : random >> (random & 63),
			.delta = i % 3 ? (int64_t)(random >> (34 + (random & 15)))
				       : (int64_t)(random * 3) >> (random >> 6 & 63) };
		const unsigned margin = aix_front_make(front, &look, id, level);
		const bool is_quick = aix_front_put(
			line, front, look.elapsed_end - (unsigned)id.n_bytes, &look, &count, &times);

		line_of(wanted, plain, id.bytes, &times, level);
		n_quick += is_quick;
		n_same += !is_quick || strcmp(as_line(line, line + margin), wanted) == 0;
		n_all++;
	}
	is_number(n_same, n_all, "lines from a front are those that are put together column by column");
	ok(n_quick > n_all / 2, "and most are quick: %u", n_quick);
}

static void check_rows(void)
{
	char line[AIX_LINE_ROOM + sizeof("text")];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(line_of(line, plain, rows[i].id,
				&(struct aix_times){
					.elapsed = rows[i].elapsed_ns, .delta = rows[i].delta_ns },
				rows[i].level),
			rows[i].line, rows[i].sentence);
	for (size_t i = 0; i < sizeof(tick_rows) / sizeof(tick_rows[0]); i++)
		is_text(line_of(line, plain, "010",
				&(struct aix_times){ .is_ticks = true,
					.elapsed = (uint64_t)tick_rows[i].elapsed,
					.delta = tick_rows[i].delta },
				tick_rows[i].level),
			tick_rows[i].line, tick_rows[i].sentence);
}

/* The five forms of times, and two lines. */
static void check_looks(void)
{
	static const struct {
		struct aix_look look;
		int64_t delta;
		const char *line, *sentence;
	} looks[] = {
		{ { .columns = 1U << AIX_ID, .stamp = AIX_STAMP_ELAPSED }, 0, "010       1.234568  text",
			"the elapsed time alone, rounded to microseconds" },
		{ { .columns = 1U << AIX_ID, .stamp = AIX_STAMP_MICRO }, -1499,
			"010        1234568             -1  text", "both times in whole microseconds" },
		{ { .columns = 1U << AIX_ID, .stamp = AIX_STAMP_MICRO }, 1500,
			"010        1234568              2  text", "half a microsecond is rounded up" },
		{ { .columns = 1U << AIX_ID, .stamp = AIX_STAMP_NONE }, 0, "010   text", "no times" },
		{ { .columns = 1U << AIX_ID, .stamp = AIX_STAMP_CLOCK }, 0,
			"010  2026-11-23T02:59:42.123456789Z  text", "the time of day" },
		{ { .columns = 1U << AIX_ID, .has_two_lines = true }, 0,
			"010    1.234567890       0.000000\n        text", "the text on a line of its own" },
	};
	char line[AIX_LINE_ROOM + sizeof("text")];

	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		is_text(line_of(line, looks[i].look, "010",
				&(struct aix_times){ .elapsed = 1234567890,
					.delta = looks[i].delta,
					.clock = { "2026-11-23T02:59:42.123456789Z", 30 } },
				LEVEL_APPL),
			looks[i].line, looks[i].sentence);
}

static bool stands_at(const char *heading, const char *word, unsigned column)
{
	const char *found = strstr(heading, word);

	return found && (size_t)(found - heading) == column;
}

static void check_headings(void)
{
	static const char *const words[N_LEVELS] = { "APPL", "SYSCALL", "KERNEL", "INTERRUPT" };
	char heading[AIX_HEADING_ROOM + 1];
	struct aix_look look = plain;

	aix_look_measure(&look);
	*aix_line_heading(heading, &look, false) = '\0';
	is_text(heading, "ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n",
		"the heading is the published one");
	look = (struct aix_look){ .columns = (1U << N_AIX_COLUMNS) - 1, .has_two_lines = true };
	aix_look_measure(&look);
	*aix_line_heading(heading, &look, false) = '\0';
	is_text(heading,
		"ID  PROCESS NAME   CPU PID        TID        I/SYSTEM CALL   FILENAME              "
		"ELAPSED_SEC   "
		"  DELTA_MSEC\n        APPL    SYSCALL KERNEL  INTERRUPT\n",
		"all columns have their widths; with two lines the levels stand on the second");
	for (unsigned i = 0; i < 2 * N_AIX_STAMPS * N_LEVELS; i++) {
		const enum level level = (enum level)(i / (2 * N_AIX_STAMPS));

		look = (struct aix_look){ .columns = 1U << AIX_ID | 1U << AIX_PID,
			.stamp = i / 2 % N_AIX_STAMPS };
		aix_look_measure(&look);
		*aix_line_heading(heading, &look, i & 1) = '\0';
		ok(stands_at(heading, words[level], aix_line_margin(&look, level)),
			"texts of the level %s stand under its word, with times of form %u", words[level],
			i / 2 % N_AIX_STAMPS);
	}
}

/* All that a line can have in front of its text, as wide as it comes. */
static void check_room(void)
{
	static const char wide[] = "123456789ABCDEF0123456789ABCDEF0";
	char line[2 * AIX_LINE_ROOM + N_AIX_COLUMNS * sizeof(wide)];
	struct aix_look look = { .columns = (1U << N_AIX_COLUMNS) - 1 };
	struct aix_count count = { .base = 0 };
	struct aix_line at = { .look = &look, .count = &count, .at = line };
	size_t n_texts = 0;

	aix_look_measure(&look);
	for (unsigned column = 0; column < N_AIX_COLUMNS; column++) {
		const size_t n = column % 2 ? strlen(wide) : 0;

		aix_line_put(&at, (enum aix_column)column, (struct text){ wide, n }, (unsigned)n);
		n_texts += n;
	}
	aix_line_times(&at, &(struct aix_times){ .elapsed = UINT64_MAX, .delta = INT64_MIN }, LEVEL_INT);
	ok(at.at <= line + AIX_LINE_ROOM + n_texts, "no line has more in front of its text than is said");
}

int main(void)
{
	check_headings();
	check_rows();
	check_widths();
	check_fronts();
	check_looks();
	check_room();
	return tap_done();
}
