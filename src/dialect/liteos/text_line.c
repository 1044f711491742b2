/* SPDX-License-Identifier: MIT */
/*
 * Lines are printed with fixed widths, a number to the left of its column. A field is taken by its width and not only
 * up to a blank: one that has lost or got a character, or that touches its neighbour, shows so.
 */
#include "dialect/liteos/text.h"

#include <string.h>

enum { INDEX_WIDTH = 7, LOOK_FOR_ROW = 256 };

struct scan {
	const uint8_t *at, *end;
};

/* --- fields ------------------------------------------------------------------------------------------------- */

static int digit_value(uint8_t c, unsigned base)
{
	int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

	return value < (int)base ? value : -1;
}

/* Up to n_max digits. Returns how many. */
static unsigned take_digits(struct scan *scan, unsigned base, unsigned n_max, uint64_t *ret_value)
{
	unsigned n = 0;
	int digit;

	*ret_value = 0;
	while (n < n_max && scan->at < scan->end && (digit = digit_value(*scan->at, base)) >= 0) {
		*ret_value = *ret_value * base + (unsigned)digit;
		scan->at++;
		n++;
	}
	return n;
}

/* The blanks that fill a field up. Those at the end of the line may have been cut off or be more. */
static bool take_blanks(struct scan *scan, size_t n_expected)
{
	const uint8_t *from = scan->at;

	while (scan->at < scan->end && *scan->at == ' ')
		scan->at++;
	return scan->at == scan->end || (size_t)(scan->at - from) == n_expected;
}

/* A field: how it is printed, and where it goes. */
struct field {
	unsigned base, n_digits_max, width, n_blanks; /* n_blanks: behind the field, whatever it is */
};

static const struct field field_index = { 10, 10, INDEX_WIDTH, 1 };
static const struct field field_time = { 16, 16, 15, 1 };
static const struct field field_type = { 16, 8, 12, 1 };
static const struct field field_task = { 16, 8, 7, 1 };
static const struct field field_identity = { 16, 8, 11, 1 };
static const struct field field_core = { 10, 10, 11, 1 };
static const struct field field_count = { 10, 10, 11, 0 };
static const struct field field_word = { 16, 8, 11, 0 };
static const struct field field_object_id = { 16, 8, 6, 1 };
static const struct field field_priority = { 10, 10, 10, 1 };

static bool take_field(struct scan *scan, const struct field *field, uint64_t *ret_value)
{
	unsigned n_digits;

	if (field->base == 16) {
		if (scan->end - scan->at < 3 || scan->at[0] != '0' || scan->at[1] != 'x')
			return false;
		scan->at += 2;
	}
	n_digits = take_digits(scan, field->base, field->n_digits_max, ret_value);
	return n_digits &&
	       take_blanks(scan, (n_digits < field->width ? field->width - n_digits : 0) + field->n_blanks);
}

/* Where a row begins: with an index in a column of its own, and a hexadecimal number. NULL: nowhere. */
static const uint8_t *find_row(const uint8_t *line, size_t n_bytes)
{
	const size_t n_looked = n_bytes < LOOK_FOR_ROW ? n_bytes : LOOK_FOR_ROW;

	for (size_t i = INDEX_WIDTH + 1; i + 1 < n_looked; i++) {
		size_t at = i, from = i - (INDEX_WIDTH + 1);

		if (line[i] != '0' || line[i + 1] != 'x')
			continue;
		while (at > from && line[at - 1] == ' ')
			at--;
		if (at == i || at == from)
			continue;
		while (at > from && digit_value(line[at - 1], 10) >= 0)
			at--;
		if (at == from && (from == 0 || digit_value(line[from - 1], 10) < 0))
			return line + from;
	}
	return NULL;
}

/* --- rows --------------------------------------------------------------------------------------------------- */

static bool take_params(struct scan *scan, struct liteos_text_row *row)
{
	row->n_params = 0;
	while (scan->at < scan->end && row->n_params < LITEOS_PARAMS_MAX)
		if (!take_field(scan, &field_word, &row->params[row->n_params++]))
			return false;
	return scan->at == scan->end;
}

static bool take_core(struct scan *scan, struct liteos_text_row *row)
{
	return take_field(scan, &field_core, &row->core[0]) && take_field(scan, &field_core, &row->core[1]) &&
	       take_field(scan, &field_count, &row->core[2]);
}

bool liteos_text_parse_row(struct liteos_text_row *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes)
{
	struct scan scan = { find_row(line, n_bytes), line + n_bytes };

	*ret = (struct liteos_text_row){ 0 };
	if (!scan.at || !take_field(&scan, &field_index, &ret->index) ||
		!take_field(&scan, &field_time, &ret->time) || !take_field(&scan, &field_type, &ret->type) ||
		(columns->has_pid && !take_field(&scan, &field_task, &ret->pid)) ||
		!take_field(&scan, &field_task, &ret->task) ||
		!take_field(&scan, &field_identity, &ret->identity) ||
		(columns->has_core && !take_core(&scan, ret)) ||
		(columns->has_count && !take_field(&scan, &field_count, &ret->count)))
		return false;
	for (unsigned i = 0; i < columns->n_lr; i++)
		if (!take_field(&scan, &field_word, &ret->lr[i]))
			return false;
	return take_params(&scan, ret);
}

bool liteos_text_parse_object(struct liteos_text_object *ret, const uint8_t *line, size_t n_bytes)
{
	struct scan scan = { find_row(line, n_bytes), line + n_bytes };

	if (!scan.at || !take_field(&scan, &field_index, &ret->index) ||
		!take_field(&scan, &field_object_id, &ret->id) || scan.at == scan.end)
		return false;
	/* A name may begin with a blank, or be none: just one blank parts it from the number. */
	unsigned n_digits = take_digits(&scan, 10, field_priority.n_digits_max, &ret->priority);

	for (unsigned n = n_digits; n < field_priority.width + field_priority.n_blanks; n++)
		if (scan.at < scan.end && *scan.at++ != ' ')
			return false;
	ret->name = scan.at;
	ret->name_bytes = (size_t)(scan.end - scan.at);
	return n_digits && ret->name_bytes <= LITEOS_NAME_BYTES;
}

/* --- other lines -------------------------------------------------------------------------------------------- */

static const uint8_t *find_words(const uint8_t *line, size_t n_bytes, const char *words)
{
	return memmem(line, n_bytes, words, strlen(words));
}

static bool is_blank(const uint8_t *line, size_t n_bytes, unsigned margin)
{
	for (size_t i = margin; i < n_bytes; i++)
		if (line[i] != ' ')
			return false;
	return true;
}

enum liteos_line liteos_text_line(const uint8_t *line, size_t n_bytes, unsigned margin, uint64_t *ret_number)
{
	static const struct {
		enum liteos_line line;
		const char *words;
		bool has_number;
	} lines[] = {
		{ LINE_BEGIN, "*TraceInfo begin*", false },
		{ LINE_END, "*TraceInfo end*", false },
		{ LINE_CLOCK, "clockFreq = ", true },
		{ LINE_OBJECT_INDEX, "CurObjIndex = ", true },
		{ LINE_EVENT_INDEX, "CurEvtIndex = ", true },
		{ LINE_OBJECT_TITLE, "Index   TaskID   TaskPrio   TaskName", false },
		{ LINE_EVENT_TITLE, "Index   Time(cycles)      EventType", false },
	};

	if (is_blank(line, n_bytes, margin))
		return LINE_EMPTY;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const uint8_t *words = find_words(line, n_bytes, lines[i].words);
		struct scan scan = { words, line + n_bytes };

		if (!words)
			continue;
		scan.at += strlen(lines[i].words);
		if (!lines[i].has_number || (take_digits(&scan, 10, 10, ret_number) && take_blanks(&scan, 0)))
			return lines[i].line;
	}
	return LINE_OTHER;
}

void liteos_text_columns(struct liteos_columns *ret, const uint8_t *title, size_t n_bytes)
{
	const uint8_t *index = find_words(title, n_bytes, "Index");

	*ret = (struct liteos_columns){
		.is_known = true,
		.has_pid = find_words(title, n_bytes, "CurPid") != NULL,
		.has_core = find_words(title, n_bytes, "hwiActive") != NULL,
		.has_count = find_words(title, n_bytes, "eventCount") != NULL,
		.n_lr = find_words(title, n_bytes, "backtrace") ? LITEOS_LR_MAX : 0,
		.margin = index ? (unsigned)(index - title) : 0,
	};
}

/*
 * Every combination puts the fields at other places, so that a row fits one of them. Only link registers look as params do:
 * they are there when a setting demands it.
 */
bool liteos_text_guess(
	struct liteos_columns *ret, const struct liteos_wanted *wanted, const uint8_t *line, size_t n_bytes)
{
	enum { PID = 1, COUNT = 2, CORE = 4, N_COMBINATIONS = 8 };
	struct liteos_text_row row;

	for (unsigned n = 0; n < N_COMBINATIONS; n++) {
		const struct liteos_columns columns = {
			.is_known = true,
			.has_pid = n & PID,
			.has_count = n & COUNT,
			.has_core = n & CORE,
			.n_lr = wanted->n_lr,
		};

		if (liteos_choice_allows(wanted->core, columns.has_core) &&
			liteos_choice_allows(wanted->count, columns.has_count) &&
			liteos_text_parse_row(&row, &columns, line, n_bytes)) {
			*ret = columns;
			return true;
		}
	}
	return false;
}
