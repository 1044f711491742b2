/* SPDX-License-Identifier: MIT */
/* Single lines; tests/dialect/fixtures_liteos_stream.t has whole dumps. */
#include "dialect/liteos/text.h"

#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

#define TITLE_A "Index   Time(cycles)      EventType      CurPid   CurTask   Identity      params    "
#define TITLE_M                                                                                   \
	"Index   Time(cycles)      EventType      CurTask   Identity      cpuId    hwiActive    " \
	"taskLockCnt    eventCount    params    "
#define ROW_A                                                                                                \
	"0       0x1138a219        0x45           0x4       0x9       0x4           0x9          0x2       " \
	"   "
#define ROW_M                                                                                                \
	"11      0xfffffff101aa0a66 0x10003        0x6b      0x60984       0           1           2       " \
	"   "                                                                                                \
	"2597       0x55         0xd6         "

static const char titles_of_objects[] = "Index   TaskID   TaskPrio   TaskName ";

/* Copies the line to memory of its exact size, so that a sanitizer finds a read beyond it. */
static uint8_t *copy_of(const char *line)
{
	uint8_t *copy = malloc(strlen(line) ? strlen(line) : 1);

	if (!copy)
		exit(1);
	memcpy(copy, line, strlen(line));
	return copy;
}

static bool parse(struct liteos_text_row *row, const char *title, const char *line)
{
	uint8_t *copy = copy_of(line);
	struct liteos_columns columns;
	bool is_row;

	liteos_text_columns(&columns, (const uint8_t *)title, strlen(title));
	is_row = !liteos_text_parse_row(row, &columns, copy, strlen(line));
	free(copy);
	return is_row;
}

static void check_rows(void)
{
	struct liteos_text_row row;

	ok(parse(&row, TITLE_A, ROW_A) && row.index == 0 && row.time == 0x1138a219 && row.type == 0x45 &&
			row.pid == 4 && row.task == 9 && row.identity == 4 && row.n_params == 2 &&
			row.params[0] == 9 && row.params[1] == 2,
		"a row of liteos_a has its numbers");
	ok(parse(&row, TITLE_M, ROW_M) && row.index == 11 && row.time == 0xfffffff101aa0a66 &&
			row.core[0] == 0 && row.core[1] == 1 && row.core[2] == 2 && row.count == 2597 &&
			row.n_params == 2 && row.params[1] == 0xd6,
		"a row with core word and count has its numbers");
	ok(parse(&row, TITLE_A, "> [1.5] " ROW_A), "a row may have something in front");
	ok(parse(&row, TITLE_A,
		   "0       0x1138a219        0x45           0xffffffff 0xffffffff 0xffffffff    0xffffffff  "
		   " 0x2"),
		"numbers may be as wide as they can be");
	ok(!parse(&row, TITLE_M, ROW_A), "a row of other columns is none");
	ok(!parse(&row, TITLE_A, ROW_A "x"), "a row with something behind it is none");
	ok(!parse(&row, TITLE_A,
		   "0       0x1138a21        0x45           0x4       0x9       0x4           0x9          "
		   "0x2"),
		"a row that has lost a character is none");
	ok(!parse(&row, TITLE_A, "7 0x1138a219 0x45 0x4 0x9 0x4 0x9"), "a row without its widths is none");
	ok(!parse(&row, TITLE_A, ""), "an empty line is none");
}

static void check_guess(void)
{
	const struct liteos_wanted anything = { 0 }, core = { .core = LITEOS_YES },
				   registers = { .has_lr = true, .n_lr = LITEOS_LR_MAX };
	struct liteos_columns columns;

	ok(liteos_text_guess(&columns, &anything, (const uint8_t *)ROW_A, strlen(ROW_A)) && columns.has_pid &&
			!columns.has_core && !columns.has_count,
		"a row of liteos_a shows its columns by its widths");
	ok(liteos_text_guess(&columns, &anything, (const uint8_t *)ROW_M, strlen(ROW_M)) &&
			!columns.has_pid && columns.has_core && columns.has_count,
		"so does one with core word and count");
	ok(!liteos_text_guess(&columns, &core, (const uint8_t *)ROW_A, strlen(ROW_A)) &&
			liteos_text_guess(&columns, &core, (const uint8_t *)ROW_M, strlen(ROW_M)),
		"where a core word is wanted a row without one is none");
	ok(!liteos_text_guess(&columns, &registers, (const uint8_t *)ROW_A, strlen(ROW_A)),
		"nor is one without link registers where these are wanted");
}

static void check_objects(void)
{
	static const char plain[] = "3       0x100005 22         two words",
			  empty[] = "4       0x0      0          ", narrow[] = "3 0x100005\t22 two words ";
	const struct liteos_columns fixed = { 0 }, free_columns = { .is_free = true };
	struct liteos_text_object object;

	ok(liteos_text_parse_object(&object, &fixed, (const uint8_t *)plain, strlen(plain)) &&
			object.id == 0x100005 && object.priority == 22 && object.name_bytes == 9 &&
			memcmp(object.name, "two words", 9) == 0,
		"a row of the table of objects has id, priority and name");
	ok(liteos_text_parse_object(&object, &fixed, (const uint8_t *)empty, strlen(empty)) &&
			object.name_bytes == 0,
		"a name may be empty");
	ok(!liteos_text_parse_object(&object, &fixed, (const uint8_t *)ROW_A, strlen(ROW_A)),
		"a row of events is none");
	ok(!liteos_text_parse_object(&object, &fixed, (const uint8_t *)narrow, strlen(narrow)),
		"a row of other widths is none");
	ok(liteos_text_parse_object(&object, &free_columns, (const uint8_t *)narrow, strlen(narrow)) &&
			object.id == 0x100005 && object.priority == 22 && object.name_bytes == 9 &&
			memcmp(object.name, "two words", 9) == 0,
		"with free fields it is one");
	ok(!liteos_text_parse_object(&object, &free_columns, (const uint8_t *)"3 0x1 0x45 0x2", 14),
		"but a row of events is none there, either");
}

/* A table of this title with rows of these forms, `n_fixed` of which have the widths of the kernel. */
static bool is_free_table(
	const char *title, const char *fixed, unsigned n_fixed, const char *other, unsigned n_other)
{
	char text[4096] = "";
	struct liteos_columns columns;

	for (unsigned i = 0; i < n_fixed + n_other; i++)
		strcat(strcat(text, i < n_fixed ? fixed : other), i % 2 ? "\r\n" : "\n");
	liteos_text_columns(&columns, (const uint8_t *)title, strlen(title));
	columns.has_title = title != titles_of_objects;
	return liteos_text_is_free(&columns, (const uint8_t *)text, strlen(text));
}

static void check_free(void)
{
	struct liteos_text_row row;
	struct liteos_columns columns;

	liteos_text_columns(&columns, (const uint8_t *)TITLE_M, strlen(TITLE_M));
	columns.is_free = true;
#define PARSE(line) liteos_text_parse_row(&row, &columns, (const uint8_t *)(line), strlen(line))
	ok(!PARSE("12\t0x10 \t0x45\t0x1\t0x2\t1\t0\t2\t7\t0x8\t0x9") && row.index == 12 && row.time == 16 &&
			row.core[2] == 2 && row.count == 7 && row.n_params == 2 && row.params[1] == 9,
		"free fields are what blanks and tabs separate");
	ok(!PARSE("[1.5] 3 0x10 0x45 0x1 0x2 1 0 2 7") && row.index == 3 && row.n_params == 0,
		"such a row may have something in front");
	ok(!PARSE(ROW_M) && row.count == 2597, "a row with the kernel's widths is read by these");
	ok(strstr(PARSE("3 0x10 0x45 1 0x2 1 0 2 7"), "CurTask") &&
			strstr(PARSE("3 0x10 0x45 0x1 0x2 1"), "hwiActive") &&
			strstr(PARSE("3 0x10 0x45 0x1 0x2 1 0 2 7 0x8 x"), "params") &&
			strstr(PARSE("3 0x10 0x45 0x1z 0x2"), "CurTask"),
		"a row that cannot be read names the field that is wrong");
	columns.is_free = false;
	ok(strstr(PARSE("3 0x10 0x45 0x1 0x2 1 0 2 7"), "places of the columns"), "or that the widths are");
	ok(strstr(PARSE("irq storm"), "none of the dump"), "a line that is no row is none of the dump");
#undef PARSE
	ok(is_free_table(TITLE_A, ROW_A, 2, "1 0x10 0x45 0x1 0x2 0x3", 3) &&
			!is_free_table(TITLE_A, ROW_A, 2, "1 0x10 0x45 0x1 0x2 0x3", 2) &&
			!is_free_table(TITLE_A, "irq storm", 3, "", 0),
		"fields are free where more rows have other widths than have the kernel's");
	ok(is_free_table(titles_of_objects, "", 0, "1 0x10 5 name", 1) &&
			!is_free_table(
				titles_of_objects, "3       0x100005 22         name", 1, "1 0x10 5 name", 1),
		"in a table of objects, too");
}

static void check_others(void)
{
	uint64_t n = 0;

#define LINE(text, margin) liteos_text_line((const uint8_t *)(text), strlen(text), (margin), &n)
	ok(LINE("*******TraceInfo begin*******", 0) == LINE_BEGIN, "the first line is known");
	ok(LINE("# *******TraceInfo end*******", 0) == LINE_END,
		"the last line is known with something in front");
	ok(LINE("[7] CurEvtIndex = 105", 0) == LINE_EVENT_INDEX && n == 105, "the write index is read");
	ok(LINE("clockFreq = x", 0) == LINE_OTHER, "a clock without number is none");
	ok(LINE(TITLE_A, 0) == LINE_EVENT_TITLE, "the title of events is known");
	ok(LINE("Index   TaskID   TaskPrio   TaskName ", 0) == LINE_OBJECT_TITLE, "that of objects too");
	ok(LINE("Index TaskID\tTaskPrio  TaskName", 0) == LINE_OBJECT_TITLE &&
			LINE("Index Time(cycles)\tEventType", 0) == LINE_EVENT_TITLE &&
			LINE("Index Index Time(cycles) EventType", 0) == LINE_EVENT_TITLE &&
			LINE("IndexTime(cycles) EventType", 0) == LINE_OTHER &&
			LINE("Index Time(cycles)", 0) == LINE_OTHER,
		"titles are known with any blanks");
	ok(LINE("   ", 0) == LINE_EMPTY && LINE("[7]", 3) == LINE_EMPTY && LINE("[7]", 0) == LINE_OTHER,
		"a line is empty when nothing is behind the margin");
#undef LINE
}

int main(void)
{
	check_rows();
	check_guess();
	check_objects();
	check_free();
	check_others();
	return tap_done();
}
