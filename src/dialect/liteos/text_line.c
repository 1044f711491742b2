/* SPDX-License-Identifier: MIT */
/*
 * The kernel prints fixed widths, with numbers aligned to the left. A field is taken by its width, so that a
 * missing or an extra character is found. Guides, chats and web pages change the blanks. So, if most rows of
 * a table have other widths, blanks and tabs separate its fields.
 */
#include "dialect/liteos/text.h"

#include <string.h>

enum { INDEX_WIDTH = 7, LOOK_FOR_ROW = 256 };

struct scan {
	const uint8_t *at, *end;
	bool is_free;	  /* blanks separate the fields, whatever their widths */
	const char *what; /* the fault of the first field that could not be taken */
};

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t';
}

/* --- fields --------------------------------------------------------------------------------------------- */

static int digit_value(uint8_t c, unsigned base)
{
	int value = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;

	return value < (int)base ? value : -1;
}

/* Takes up to n_max digits. Returns how many. */
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

/* Takes the blanks that pad a field. At the end of a line there may be fewer or more blanks. */
static bool take_blanks(struct scan *scan, size_t n_expected)
{
	const uint8_t *from = scan->at;

	while (scan->at < scan->end && (*scan->at == ' ' || (scan->is_free && is_space(*scan->at))))
		scan->at++;
	return scan->at == scan->end ||
	       (scan->is_free ? scan->at > from : (size_t)(scan->at - from) == n_expected);
}

/* A field: how it is printed, and where it goes. */
struct field {
	unsigned base, n_digits_max, width, n_blanks; /* n_blanks: behind the field, in any case */
	const char *what;			      /* the fault, if the number is missing */
};

#define NO_NUMBER(column, kind) "in this row, the field " column " is missing or no " kind " number"
#define NO_PLACE		"this row's fields are not at the places of the columns: a character is missing or too many"

static const struct field field_index = { 10, 10, INDEX_WIDTH, 1, NO_NUMBER("Index", "decimal") };
static const struct field field_time = { 16, 16, 15, 1, NO_NUMBER("Time", "hexadecimal") };
static const struct field field_type = { 16, 8, 12, 1, NO_NUMBER("EventType", "hexadecimal") };
static const struct field field_pid = { 16, 8, 7, 1, NO_NUMBER("CurPid", "hexadecimal") };
static const struct field field_task = { 16, 8, 7, 1, NO_NUMBER("CurTask", "hexadecimal") };
static const struct field field_identity = { 16, 8, 11, 1, NO_NUMBER("Identity", "hexadecimal") };
static const struct field fields_core[LITEOS_TEXT_CORE] = {
	{ 10, 10, 11, 1, NO_NUMBER("cpuId", "decimal") },
	{ 10, 10, 11, 1, NO_NUMBER("hwiActive", "decimal") },
	{ 10, 10, 11, 0, NO_NUMBER("taskLockCnt", "decimal") },
};
static const struct field field_count = { 10, 10, 11, 0, NO_NUMBER("eventCount", "decimal") };
static const struct field field_register = { 16, 8, 11, 0, NO_NUMBER("backtrace", "hexadecimal") };
static const struct field field_param = { 16, 8, 11, 0,
	"in this row, one of the params is no hexadecimal number" };
static const struct field field_object_id = { 16, 8, 6, 1, NULL };
static const struct field field_priority = { 10, 10, 10, 1, NULL };

static bool take_field(struct scan *scan, const struct field *field, uint64_t *ret_value)
{
	unsigned n_digits;

	scan->what = field->what;
	if (field->base == 16) {
		if (scan->end - scan->at < 3 || scan->at[0] != '0' || scan->at[1] != 'x')
			return false;
		scan->at += 2;
	}
	n_digits = take_digits(scan, field->base, field->n_digits_max, ret_value);
	if (!n_digits || (scan->at < scan->end && !is_space(*scan->at) && scan->is_free))
		return false;
	scan->what = NO_PLACE;
	return take_blanks(scan, (n_digits < field->width ? field->width - n_digits : 0) + field->n_blanks);
}

/*
 * Finds where a row with the kernel's widths begins: with an index in a column of its own, and a hexadecimal
 * number. Returns NULL if the line is not a row.
 */
static const uint8_t *find_fixed_row(const uint8_t *line, size_t n_bytes)
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

/*
 * Finds where a row with free fields begins: with decimal numbers in front of a hexadecimal one. The first of
 * them is the index, so a field that has lost its 0x is not taken for the index.
 */
static const uint8_t *find_free_row(const uint8_t *line, size_t n_bytes)
{
	const uint8_t *end = line + (n_bytes < LOOK_FOR_ROW ? n_bytes : LOOK_FOR_ROW), *at = line,
		      *index = NULL;

	while (at < end) {
		const uint8_t *from = at;

		while (at < end && digit_value(*at, 10) >= 0)
			at++;
		if (index && end - from >= 2 && from[0] == '0' && from[1] == 'x')
			return index;
		if (at == from || (at < end && !is_space(*at)))
			index = NULL;
		else if (!index)
			index = from;
		while (at < end && !is_space(*at))
			at++;
		while (at < end && is_space(*at))
			at++;
	}
	return NULL;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static bool take_params(struct scan *scan, struct liteos_text_row *row)
{
	row->n_params = 0;
	while (scan->at < scan->end && row->n_params < LITEOS_PARAMS_MAX)
		if (!take_field(scan, &field_param, &row->params[row->n_params++]))
			return false;
	scan->what = "this row has more params than an event can have";
	return scan->at == scan->end;
}

static bool take_core(struct scan *scan, struct liteos_text_row *row)
{
	for (unsigned i = 0; i < LITEOS_TEXT_CORE; i++)
		if (!take_field(scan, &fields_core[i], &row->core[i]))
			return false;
	return true;
}

static bool take_registers(struct scan *scan, struct liteos_text_row *row, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!take_field(scan, &field_register, &row->lr[i]))
			return false;
	return true;
}

static const char *parse_row(struct liteos_text_row *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes, bool is_free)
{
	const uint8_t *from = is_free ? find_free_row(line, n_bytes) : find_fixed_row(line, n_bytes);
	struct scan scan = { from, line + n_bytes, is_free, "this line is none of the dump" };

	*ret = (struct liteos_text_row){ 0 };
	if (scan.at && take_field(&scan, &field_index, &ret->index) &&
		take_field(&scan, &field_time, &ret->time) && take_field(&scan, &field_type, &ret->type) &&
		(!columns->has_pid || take_field(&scan, &field_pid, &ret->pid)) &&
		take_field(&scan, &field_task, &ret->task) &&
		take_field(&scan, &field_identity, &ret->identity) &&
		(!columns->has_core || take_core(&scan, ret)) &&
		(!columns->has_count || take_field(&scan, &field_count, &ret->count)) &&
		take_registers(&scan, ret, columns->n_lr) && take_params(&scan, ret))
		return NULL;
	return scan.what;
}

const char *liteos_text_parse_row(struct liteos_text_row *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes)
{
	const char *what = parse_row(ret, columns, line, n_bytes, false);
	const char *what_free;

	if (!what)
		return NULL;
	what_free = parse_row(ret, columns, line, n_bytes, true);
	return !what_free && !columns->is_free ? NO_PLACE : what_free;
}

static bool parse_object(struct liteos_text_object *ret, const uint8_t *line, size_t n_bytes, bool is_free)
{
	const uint8_t *from = is_free ? find_free_row(line, n_bytes) : find_fixed_row(line, n_bytes);
	struct scan scan = { from, line + n_bytes, is_free, NULL };

	if (!scan.at || !take_field(&scan, &field_index, &ret->index) ||
		!take_field(&scan, &field_object_id, &ret->id) || scan.at == scan.end)
		return false;
	/*
	 * A name may begin with a blank, or be empty: with fixed widths, exactly one blank separates it from
	 * the number.
	 */
	unsigned n_digits = take_digits(&scan, 10, field_priority.n_digits_max, &ret->priority);

	if (is_free && !take_blanks(&scan, 0))
		return false;
	for (unsigned n = n_digits; !is_free && n < field_priority.width + field_priority.n_blanks; n++)
		if (scan.at < scan.end && *scan.at++ != ' ')
			return false;
	ret->name = scan.at;
	ret->name_bytes = (size_t)(scan.end - scan.at);
	while (is_free && ret->name_bytes && is_space(ret->name[ret->name_bytes - 1]))
		ret->name_bytes--;
	return n_digits && ret->name_bytes <= LITEOS_NAME_BYTES;
}

bool liteos_text_parse_object(struct liteos_text_object *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes)
{
	return parse_object(ret, line, n_bytes, false) ||
	       (columns->is_free && parse_object(ret, line, n_bytes, true));
}

/* --- other lines ---------------------------------------------------------------------------------------- */

/*
 * Finds `words`, with at least one blank or tab for each of their blanks. Returns NULL if the line does not
 * have them.
 */
static const uint8_t *find_words(const uint8_t *line, size_t n_bytes, const char *words, size_t *ret_bytes)
{
	const size_t n_first = strcspn(words, " ");
	const uint8_t *end = line + n_bytes, *from;

	while ((from = memmem(line, (size_t)(end - line), words, n_first))) {
		const uint8_t *at = from + n_first;
		const char *word = words + n_first;

		while (*word && at < end && (*word == ' ' ? is_space(*at) : *at == (uint8_t)*word)) {
			while (*word == ' ' && at + 1 < end && is_space(at[1]))
				at++;
			word += *word == ' ' ? strspn(word, " ") : 1;
			at++;
		}
		if (!*word) {
			*ret_bytes = (size_t)(at - from);
			return from;
		}
		line = from + 1;
	}
	return NULL;
}

bool liteos_text_has(const uint8_t *bytes, size_t n_bytes, const char *words)
{
	size_t n_words;

	return find_words(bytes, n_bytes, words, &n_words) != NULL;
}

static bool is_blank(const uint8_t *line, size_t n_bytes, unsigned margin)
{
	for (size_t i = margin; i < n_bytes; i++)
		if (!is_space(line[i]))
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
		{ LINE_OBJECT_TITLE, "Index TaskID TaskPrio TaskName", false },
		{ LINE_EVENT_TITLE, LITEOS_EVENT_TITLE, false },
	};

	if (is_blank(line, n_bytes, margin))
		return LINE_EMPTY;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		size_t n_words;
		const uint8_t *words = find_words(line, n_bytes, lines[i].words, &n_words);
		struct scan scan = { .at = words, .end = line + n_bytes };

		if (!words)
			continue;
		scan.at += n_words;
		if (!lines[i].has_number || (take_digits(&scan, 10, 10, ret_number) && take_blanks(&scan, 0)))
			return lines[i].line;
	}
	return LINE_OTHER;
}

void liteos_text_columns(struct liteos_columns *ret, const uint8_t *title, size_t n_bytes)
{
	size_t n_words;
	const uint8_t *index = find_words(title, n_bytes, "Index", &n_words);

	*ret = (struct liteos_columns){
		.is_known = true,
		.has_pid = liteos_text_has(title, n_bytes, "CurPid"),
		.has_core = liteos_text_has(title, n_bytes, "hwiActive"),
		.has_count = liteos_text_has(title, n_bytes, "eventCount"),
		.n_lr = liteos_text_has(title, n_bytes, "backtrace") ? LITEOS_LR_MAX : 0,
		.margin = index ? (unsigned)(index - title) : 0,
	};
}

bool liteos_text_is_free(const struct liteos_columns *columns, const uint8_t *text, size_t n_bytes)
{
	enum { ROWS = 32 };
	const bool has_events = columns->has_title;
	unsigned n_fixed = 0, n_free = 0;

	for (unsigned n = 0; n < ROWS && n_bytes; n++) {
		const uint8_t *end = memchr(text, '\n', n_bytes);
		size_t n_used = end ? (size_t)(end - text) + 1 : n_bytes, n_line = n_used - (end != NULL);
		struct liteos_text_row row;
		struct liteos_text_object object;
		uint64_t number;
		enum liteos_line kind;
		bool is_fixed, is_free;

		while (n_line && text[n_line - 1] == '\r')
			n_line--;
		kind = liteos_text_line(text, n_line, 0, &number);
		if (kind != LINE_OTHER && kind != LINE_EMPTY)
			break;
		is_fixed = has_events ? !parse_row(&row, columns, text, n_line, false)
				      : parse_object(&object, text, n_line, false);
		is_free = has_events ? !parse_row(&row, columns, text, n_line, true)
				     : parse_object(&object, text, n_line, true);
		n_fixed += is_fixed;
		n_free += is_free && !is_fixed;
		text += n_used;
		n_bytes -= n_used;
	}
	return n_free > n_fixed;
}

/*
 * Every combination puts the fields at other places, so that a row fits only one of them. But link registers
 * look like params: a row has them only if a setting demands it.
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
			!liteos_text_parse_row(&row, &columns, line, n_bytes)) {
			*ret = columns;
			return true;
		}
	}
	return false;
}
