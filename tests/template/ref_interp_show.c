/* SPDX-License-Identifier: MIT */
/* Shows values: format codes, casts, default forms (D6), fields of event types. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/real.h"
#include "base/text.h"
#include "tests/template/ref_interp_parts.h"

/* --- format codes --------------------------------------------------------------------------------------- */

static void show_digits(struct interp_string *out, uint64_t value, unsigned n_bits, unsigned bits_of_digit)
{
	for (unsigned left = n_bits; left > 0; left -= bits_of_digit) {
		uint64_t digit = value >> (left - bits_of_digit) & ((1U << bits_of_digit) - 1);

		string_print(out, "%" PRIX64, digit);
	}
}

/* Sixteen bytes are more than a number holds. */
static void show_hex_bytes(struct ref_interp *interp, unsigned n_bytes)
{
	interp_align(interp);
	size_t n_left = interp_n_left(interp, n_bytes);
	const uint8_t *bytes = interp_take(interp, n_left);

	for (size_t i = 0; i < n_left; i++)
		string_print(&interp->value, "%02X", bytes[i]);
	interp->is_value_short = n_left < n_bytes;
}

/* Up to the first NUL; what is not printable ASCII is a dot. */
static void show_ascii(struct ref_interp *interp, size_t n_bytes)
{
	interp_align(interp);
	size_t n_left = interp_n_left(interp, n_bytes);
	const uint8_t *bytes = interp_take(interp, n_left);

	for (size_t i = 0; i < n_left && bytes[i]; i++)
		string_print(&interp->value, "%c", bytes[i] >= 0x20 && bytes[i] <= 0x7e ? bytes[i] : '.');
	interp->is_value_short = n_left < n_bytes;
}

/* A field that is cut off by the end of the data is not padded, but no wider than it is. */
static void show_ascii_field(struct ref_interp *interp, const struct code *code)
{
	show_ascii(interp, code->n_bytes);
	if (!code->has_part)
		return;
	if (interp->value.n_bytes > code->part)
		interp->value.n_bytes = code->part;
	if (!interp->is_value_short)
		string_fill(&interp->value, ' ', code->part - interp->value.n_bytes);
}

static void show_counted(struct ref_interp *interp, const struct code *code)
{
	show_ascii(interp, interp_read_code(interp, code));
}

/* As ctime(), in GMT, without the newline. The calendar is the same again every 400 years. */
static void show_time(struct interp_string *out, int64_t seconds)
{
	static const char days[7][4] = { "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat" };
	static const char months[12][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep",
		"Oct", "Nov", "Dec" };
	static const int64_t days_of_400_years = 146097, seconds_of_day = 86400;
	const time_t rest = seconds % (days_of_400_years * seconds_of_day);
	const int64_t year = seconds / (days_of_400_years * seconds_of_day) * 400;
	struct tm tm;

	if (!gmtime_r(&rest, &tm))
		abort();
	string_print(out, "%s %s %2d %02d:%02d:%02d %" PRId64, days[tm.tm_wday], months[tm.tm_mon],
		tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, year + tm.tm_year + 1900);
}

static void show_errno(struct interp_string *out, uint64_t value)
{
	const char *name = value && value <= INT32_MAX ? strerrorname_np((int)value) : NULL;

	if (name)
		string_print(out, "%s", name);
	else
		string_print(out, "%" PRIu64, value);
}

static void show_process(struct ref_interp *interp, uint64_t pid)
{
	struct text path = interp->entry->host->process(interp->entry, pid);

	if (path.bytes)
		string_add(&interp->value, path.bytes, path.n_bytes);
	else
		string_print(&interp->value, "%" PRIu64, pid);
}

static void show_float(struct interp_string *out, uint64_t bits, unsigned n_bytes)
{
	uint32_t narrow_bits = (uint32_t)bits;
	float narrow;
	double wide;

	memcpy(&narrow, &narrow_bits, sizeof(narrow));
	memcpy(&wide, &bits, sizeof(wide));
	if (n_bytes == 4)
		string_print(out, "%.4E", (double)narrow);
	else
		string_print(out, "%.8E", wide);
}

/* In units of ten to the power nanoseconds; the most that can be said where they are more. */
static void show_duration(struct interp_string *out, int64_t number, unsigned power)
{
	char text[TEXT_DURATION_MAX + 1];
	__extension__ __int128 ns = number;

	while (power-- > 0)
		ns *= 10;
	if (ns > INT64_MAX || ns < -INT64_MAX)
		ns = number < 0 ? -INT64_MAX : INT64_MAX;
	*text_put_signed_duration(text, (int64_t)ns) = '\0';
	string_print(out, "%s", text);
}

void interp_show_passed(struct ref_interp *interp, int64_t passed)
{
	string_print(&interp->value, "after ");
	if (interp->counts_ticks)
		string_print(&interp->value, "%" PRId64 " ticks", passed);
	else
		show_duration(&interp->value, passed, 0);
}

/* A number as the code X D U B o prints it. */
static void show_number(struct ref_interp *interp, const struct code *code, uint64_t value)
{
	unsigned n_bytes = code_bytes(code, interp->binding->word_bytes);

	if (code->letter == CODE_SIGNED)
		string_print(&interp->value, "%" PRId64, (int64_t)value);
	else if (code->letter == CODE_DURATION)
		show_duration(&interp->value, (int64_t)value, code->part);
	else if (code->letter == CODE_OCTAL)
		string_print(&interp->value, "%" PRIo64, value);
	else if (code->letter == CODE_BITS)
		show_digits(&interp->value, value, 8 * n_bytes + (code->has_part ? code->part : 0), 1);
	else
		string_print(&interp->value, "%" PRIu64, value);
}

static void value_begin(struct ref_interp *interp)
{
	interp->value.n_bytes = 0;
	interp->is_value_tight = interp->is_value_short = false;
}

void interp_show_code(struct ref_interp *interp, const struct code *code)
{
	unsigned n_bytes = code_bytes(code, interp->binding->word_bytes);

	value_begin(interp);
	interp->is_value_tight = code->letter == CODE_HEX_TIGHT || code->letter == CODE_ASCII_TIGHT;
	if (code->letter == CODE_HEX || code->letter == CODE_HEX_TIGHT)
		show_hex_bytes(interp, n_bytes);
	else if (code->letter == CODE_ASCII || code->letter == CODE_ASCII_TIGHT)
		show_ascii_field(interp, code);
	else if (code->letter == CODE_COUNTED)
		show_counted(interp, code);
	else if (code->letter == CODE_FLOAT)
		show_float(&interp->value, interp_read_code(interp, code), n_bytes);
	else if (code->letter == CODE_TIME)
		show_time(&interp->value, (int64_t)interp_read_code(interp, code));
	else if (code->letter == CODE_ERRNO)
		show_errno(&interp->value, interp_read_code(interp, code));
	else if (code->letter == CODE_PROCESS)
		show_process(interp, interp_read_code(interp, code));
	else if (code->letter == CODE_HT)
		string_print(&interp->value, "%" PRIX64, interp_read_code(interp, code));
	else
		show_number(interp, code, interp_read_code(interp, code));
}

/* --- fields of event types ------------------------------------------------------------------------------ */

/*
 * Names are set off from words by quotes, but for the one that begins a line, in backquotes, and to be
 * compared.
 */
static void show_name(struct ref_interp *interp, const char *name, size_t n_bytes, bool is_bare)
{
	bool is_number = strspn(name, "0123456789/") >= n_bytes;
	const char *quote = is_bare || interp->is_bare || is_number || interp->last == LAST_START ? "" : "'";

	string_print(&interp->value, "%s", quote);
	string_add(&interp->value, name, n_bytes);
	string_print(&interp->value, "%s", quote);
}

static void show_object(struct ref_interp *interp, const struct rst_field *field, uint64_t id)
{
	const struct rst_object *object = NULL;

	if (interp->trace)
		object = rst_trace_find_object(
			interp->trace, interp->entry->process, id, field->object_kind, interp->entry->seq);
	if (id == 0 && field->zero_is_none)
		string_print(&interp->value, "none");
	else if (object && object->name_bytes)
		show_name(interp, object->name, object->name_bytes, object->kind == RST_OBJECT_FUNCTION);
	else
		string_print(
			&interp->value, field->is_number && id <= UINT16_MAX ? "%" PRIu64 : "0x%" PRIx64, id);
}

static void show_enum(struct interp_string *out, const struct rst_field *field, uint64_t value)
{
	const char *name = rst_constant_name(field->constants, value);

	if (name)
		string_print(out, "%s", name);
	else
		string_print(out, "%" PRIu64, value);
}

/* A number of the payload's own, byte by byte, as the interpreter reads nothing by the code under test. */
static uint64_t number_at(
	const struct ref_interp *interp, const struct rst_field *field, size_t at, unsigned n_bytes)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n_bytes; i++)
		number =
			number << 8 | interp->entry->bytes[at + (field->is_big_endian ? i : n_bytes - 1 - i)];
	return number;
}

/* From where to where in the payload the elements of a field lie, of one byte each. */
static void find_elements(
	const struct ref_interp *interp, const struct rst_field *field, size_t *ret_from, size_t *ret_end)
{
	const size_t n_payload = interp->entry->n_bytes;
	uint64_t n = field->n_bytes ? field->n_bytes : UINT32_MAX, from = field->offset;

	if (field->extent == RST_EXTENT_COUNTED) {
		n = number_at(interp, field, field->offset, field->n_bytes);
		from += field->n_bytes;
	} else if (field->extent == RST_EXTENT_SPAN) {
		from = number_at(interp, field, field->offset, 4);
		n = number_at(interp, field, field->offset + 4, 4);
	}
	*ret_from = from < n_payload ? (size_t)from : n_payload;
	*ret_end = n < n_payload - *ret_from ? *ret_from + (size_t)n : n_payload;
}

static void show_field(struct ref_interp *interp, const struct rst_field *field);

static void show_sequence(struct ref_interp *interp, const struct rst_field *field)
{
	const struct entry *entry = interp->entry;
	const size_t n = rst_field_length(field, entry->bytes, entry->n_bytes);

	string_print(&interp->value, "[");
	for (size_t i = 0; i < n; i++) {
		const struct rst_field item = rst_field_item(field, entry->bytes, entry->n_bytes, i);

		string_print(&interp->value, "%s", i ? ", " : "");
		show_field(interp, &item);
	}
	string_print(&interp->value, "]");
}

/* Text to its NUL, bytes in hexadecimal; either ends with the payload at the latest. */
static void show_span(struct ref_interp *interp, const struct rst_field *field)
{
	const uint8_t *bytes = interp->entry->bytes;
	size_t from, end, n = 0;
	char clean[4];

	find_elements(interp, field, &from, &end);
	if (field->type == RST_BYTES) {
		for (size_t i = from; i < end; i++)
			string_print(&interp->value, "%02x", bytes[i]);
		return;
	}
	while (from + n < end && bytes[from + n])
		n++;
	char *text = malloc(n * sizeof(clean) + 1);

	if (!text)
		abort();
	const char *quote = n == 0 || interp->is_bare || field->is_words ? "" : "\"";

	string_print(&interp->value, "%s", quote);
	string_add(&interp->value, text, (size_t)(text_clean(text, bytes + from, n) - text));
	string_print(&interp->value, "%s", quote);
	free(text);
}

static void show_real(struct interp_string *out, const struct rst_field *field, uint64_t value)
{
	char text[REAL_MAX + 1];
	uint32_t low = (uint32_t)value;
	double number;
	float shorter;

	memcpy(&number, &value, sizeof(number));
	memcpy(&shorter, &low, sizeof(shorter));
	if (field->n_bytes == sizeof(shorter))
		number = (double)shorter;
	*real_put(text, number, field->n_bytes == sizeof(shorter)) = '\0';
	string_print(out, "%s", text);
}

/* Its sign is the uppermost bit of its bytes. */
static void show_word(struct interp_string *out, uint64_t value, unsigned n_bytes)
{
	uint64_t sign = n_bytes ? (uint64_t)1 << (8 * n_bytes - 1) : 0;

	if (value & sign)
		string_print(out, "-%" PRIu64, (sign - 1 + sign - value) + 1);
	else
		string_print(out, "%" PRIu64, value);
	if (value >= 10)
		string_print(out, " (0x%" PRIx64 ")", value);
}

static void show_field(struct ref_interp *interp, const struct rst_field *field)
{
	uint64_t value = rst_field_number(field, interp->entry->bytes, interp->entry->n_bytes);
	struct interp_string *out = &interp->value;

	switch (field->type) {
	case RST_UNSIGNED:
		string_print(out, "%" PRIu64, value);
		break;
	case RST_SIGNED:
		string_print(out, "%" PRId64, (int64_t)value);
		break;
	case RST_HEX:
	case RST_ADDRESS:
		string_print(out, "0x%" PRIx64, value);
		break;
	case RST_WORD:
		show_word(out, value, field->n_bytes);
		break;
	case RST_OBJECT:
		show_object(interp, field, value);
		break;
	case RST_ENUM:
		show_enum(out, field, value);
		break;
	case RST_IPV4:
		string_print(out, "%u.%u.%u.%u", (unsigned)(value >> 24 & 255), (unsigned)(value >> 16 & 255),
			(unsigned)(value >> 8 & 255), (unsigned)(value & 255));
		break;
	case RST_REAL:
		show_real(out, field, value);
		break;
	case RST_TEXT:
	case RST_BYTES:
		show_span(interp, field);
		break;
	case RST_SEQUENCE:
		show_sequence(interp, field);
		break;
	}
}

/* --- macros --------------------------------------------------------------------------------------------- */

/* The low n bytes, also where a value has fewer. */
static void show_hex(struct interp_string *out, uint64_t value, unsigned n_bytes)
{
	for (; n_bytes > sizeof(value); n_bytes--)
		string_print(out, "00");
	show_digits(out, value, 8 * n_bytes, 4);
}

static void show_cast(struct ref_interp *interp, const struct code *cast, int64_t value)
{
	uint64_t low = (uint64_t)interp_cast(interp, cast, value);

	interp->is_value_tight = cast->letter == CODE_HEX_TIGHT;
	if (cast->letter == CODE_HEX || cast->letter == CODE_HEX_TIGHT)
		show_hex(&interp->value, low, code_bytes(cast, interp->binding->word_bytes));
	else
		show_number(interp, cast, low);
}

/* D6: as short as two bytes, four where the value needs them as a signed or unsigned number, else eight. */
static void show_hex_wide(struct interp_string *out, int64_t value)
{
	unsigned n_bytes = 8;

	if (value >= INT32_MIN && value <= UINT32_MAX)
		n_bytes = 4;
	if (value >= INT16_MIN && value <= UINT16_MAX)
		n_bytes = 2;
	show_hex(out, (uint64_t)value, n_bytes);
}

/* Every path of an AIX entry is bare. */
static void show_path(struct ref_interp *interp)
{
	const struct text path = interp->entry->path;

	if (path.n_bytes)
		show_name(interp, path.bytes, path.n_bytes,
			interp->entry->has_bare_path || !interp->binding->layout);
}

static void show_builtin(struct ref_interp *interp, const struct macro_row *row, int64_t value)
{
	struct interp_string *out = &interp->value;
	struct text text;

	switch (row->form) {
	case MACRO_HEX:
		show_hex_wide(out, value);
		break;
	case MACRO_WORD:
		show_hex(out, (uint64_t)value, interp->binding->word_bytes);
		break;
	case MACRO_LONG:
		show_hex(out, (uint64_t)value, 8);
		break;
	case MACRO_DIGITS:
		string_print(out, "%" PRIX64, (uint64_t)value);
		break;
	case MACRO_ID:
		string_print(out, "%03" PRIX64, (uint64_t)value);
		break;
	case MACRO_DEC:
		string_print(out, "%" PRId64, value);
		break;
	case MACRO_TEXT:
		if (row->id == MACRO_EXECPATH) {
			show_path(interp);
			break;
		}
		text = interp->entry->host->text(interp->entry, row->id);
		if (row->id == MACRO_INTERRUPTED && text.n_bytes)
			show_name(interp, text.bytes, text.n_bytes, !interp->binding->layout);
		else
			string_add(out, text.bytes, text.n_bytes);
		break;
	case MACRO_ACTION:
		break;
	}
}

void interp_show_macro(struct ref_interp *interp, const struct node_macro *macro)
{
	const struct meaning meaning = interp_find_meaning(interp, &macro->name);
	int64_t value = interp_read_macro(interp, &meaning);

	value_begin(interp);
	if (meaning.kind == MEANS_FIELD && !interp_has_field(interp, meaning.field)) {
		interp->is_value_tight = macro->has_cast && macro->cast.letter == CODE_HEX_TIGHT;
		string_print(&interp->value, "?");
	} else if (macro->has_cast)
		show_cast(interp, &macro->cast, value);
	else if (meaning.kind == MEANS_FIELD)
		show_field(interp, meaning.field);
	else if (meaning.kind == MEANS_BUILTIN)
		show_builtin(interp, meaning.builtin, value);
	else if (meaning.kind == MEANS_NUMBER)
		string_print(&interp->value, "%" PRId64, value);
	else
		show_hex_wide(&interp->value, value);
}
