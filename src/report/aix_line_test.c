/* SPDX-License-Identifier: MIT */
/* The columns of the AIX manner: where numbers end and texts begin. */
#include "report/aix_line.h"

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

static void check_rows(void)
{
	char line[AIX_LINE_ROOM + sizeof("text")];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		is_text(as_line(line, aix_line_head(line, rows[i].id, strlen(rows[i].id), rows[i].elapsed_ns,
					      rows[i].delta_ns, rows[i].level)),
			rows[i].line, rows[i].sentence);
	for (size_t i = 0; i < sizeof(tick_rows) / sizeof(tick_rows[0]); i++)
		is_text(as_line(line, aix_line_head_ticks(line, "010", 3, tick_rows[i].elapsed,
					      tick_rows[i].delta, tick_rows[i].level)),
			tick_rows[i].line, tick_rows[i].sentence);
}

static bool stands_at(const char *heading, const char *word, unsigned column)
{
	const char *found = strstr(heading, word);

	return found && (size_t)(found - heading) == column;
}

static void check_headings(void)
{
	static const char *const words[N_LEVELS] = { "APPL", "SYSCALL", "KERNEL", "INTERRUPT" };

	is_text(aix_line_heading(false),
		"ID    ELAPSED_SEC     DELTA_MSEC   APPL    SYSCALL KERNEL  INTERRUPT\n",
		"the heading is the published one");
	for (unsigned level = 0; level < N_LEVELS; level++)
		ok(stands_at(aix_line_heading(false), words[level], aix_line_margin((enum level)level)) &&
				stands_at(aix_line_heading(true), words[level],
					aix_line_margin((enum level)level)),
			"texts of the level %s stand under its word", words[level]);
}

int main(void)
{
	char line[AIX_LINE_ROOM];
	char id[32];

	check_headings();
	check_rows();
	memset(id, 'F', sizeof(id));
	ok(aix_line_head(line, id, sizeof(id), UINT64_MAX, INT64_MIN, LEVEL_INT) <= line + AIX_LINE_ROOM &&
			aix_line_head_ticks(line, id, sizeof(id), INT64_MIN, INT64_MIN, LEVEL_INT) <=
				line + AIX_LINE_ROOM,
		"no head is longer than is said");
	return tap_done();
}
