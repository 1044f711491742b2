/* SPDX-License-Identifier: MIT */
#include "template/language/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "template/language/key.h"

/* The numbers are for tests and searches: they are never given another meaning. */
static const struct diag_row {
	char number[4];
	enum diag_kind kind;
	const char *meaning;
} diag_rows[] = {
	{ "T01", DIAG_ERROR, "hook id or name expected" },
	{ "T02", DIAG_ERROR, "version.release missing or bad" },
	{ "T03", DIAG_ERROR, "unknown level behind L=" },
	{ "T04", DIAG_ERROR, "string not closed" },
	{ "T05", DIAG_ERROR, "braces do not match" },
	{ "T06", DIAG_ERROR, "case of a SWITCH missing or bad" },
	{ "T07", DIAG_ERROR, "bad match value for the selector" },
	{ "T08", DIAG_ERROR, "bad width in a format code" },
	{ "T09", DIAG_ERROR, "unknown directive behind a backslash" },
	{ "T10", DIAG_ERROR, "selector or body of a LOOP missing or bad" },
	{ "T11", DIAG_ERROR, "selector or flag of BITFLAGS missing or bad" },
	{ "T12", DIAG_ERROR, "bad expression" },
	{ "T13", DIAG_ERROR, "macro that cannot be assigned to" },
	{ "T14", DIAG_ERROR, "more than the compiler can hold" },
	{ "T15", DIAG_ERROR, "timer without its two arguments" },
	{ "T16", DIAG_WARNING, "same hook or name twice in one file" },
	{ "T17", DIAG_ERROR, "effect that there is not" },
	{ "T18", DIAG_ERROR, "bad word or value of an effect" },
	{ "T19", DIAG_ERROR, "effect without what it needs" },
	{ "T20", DIAG_ERROR, "phase that the effect does not have" },
	{ "T21", DIAG_ERROR, "field of an effect that the event does not have" },
	{ "T22", DIAG_ERROR, "bad condition of an effect" },
	{ "T23", DIAG_ERROR, "effect without an event" },
	{ "W01", DIAG_WARNING, "call of a template that there is not" },
	{ "W02", DIAG_WARNING, "templates that call each other in a circle" },
	{ "W03", DIAG_WARNING, "match digits taken as decimal" },
	{ "W04", DIAG_WARNING, "directive within quotes, printed as written" },
	{ "W05", DIAG_WARNING, "file of a folder that cannot be read" },
	{ "W06", DIAG_WARNING, "cast that prints as X2" },
	{ "W07", DIAG_WARNING, "key that is probably a misspelt event" },
	{ "A01", DIAG_ADVICE, "macro that is never set" },
	{ "A02", DIAG_ADVICE, "case that is never reached" },
	{ "A03", DIAG_ADVICE, "macro that is never read" },
	{ "A04", DIAG_ADVICE, "label that the text repeats" },
	{ "A05", DIAG_ADVICE, "key that is no event, and that nothing calls" },
	{ "R01", DIAG_WARNING, "end of the entry's data" },
	{ "R02", DIAG_WARNING, "calls nested too deeply" },
	{ "R03", DIAG_WARNING, "too many turns of loops, or too much text" },
	{ "R04", DIAG_WARNING, "division by zero" },
};

static const struct diag_row *find_number(const char *number)
{
	for (size_t i = 0; i < sizeof(diag_rows) / sizeof(*diag_rows); i++)
		if (strcmp(diag_rows[i].number, number) == 0)
			return &diag_rows[i];
	return NULL;
}

const char *diag_meaning(const char *number)
{
	const struct diag_row *row = find_number(number);

	return row ? row->meaning : NULL;
}

/* A report must not lose an error behind a thousand warnings. Returns false if the list is full of errors. */
static bool drop_lesser(struct diags *diags)
{
	size_t n = diags->n_items;

	if (diags->n_kept_errors == n)
		return false;
	while (diags->items[n - 1].kind == DIAG_ERROR)
		n--;
	memmove(&diags->items[n - 1], &diags->items[n], (diags->n_items - n) * sizeof(*diags->items));
	diags->n_items--;
	return true;
}

static struct diag *new_diag(struct diags *diags, enum diag_kind kind)
{
	struct diag *items;

	if (diags->n_items >= DIAGS_MAX && (kind != DIAG_ERROR || !drop_lesser(diags)))
		return NULL;
	items = array_room(diags->items, diags->n_items, &diags->room, sizeof(*items));
	if (!items) {
		diags->has_no_memory = true;
		return NULL;
	}
	diags->items = items;
	diags->n_kept_errors += kind == DIAG_ERROR;
	return &items[diags->n_items++];
}

bool diag_add_list(struct diags *diags, const char *number, struct diag_location location, const char *format,
	va_list args)
{
	const struct diag_row *row = find_number(number);
	enum diag_kind kind = row ? row->kind : DIAG_ERROR;
	struct diag *diag = new_diag(diags, kind);

	diags->n_errors += kind == DIAG_ERROR;
	diags->n_warnings += kind == DIAG_WARNING;
	if (!diag)
		return false;
	*diag = (struct diag){ .kind = kind, .file = location.file, .at = location.at };
	snprintf(diag->number, sizeof(diag->number), "%s", number);
	if (location.key.n_bytes)
		text_put(diag->key, location.key.bytes,
			location.key.n_bytes < sizeof(diag->key) ? location.key.n_bytes
								 : sizeof(diag->key) - 1);
	vsnprintf(diag->what, sizeof(diag->what), format, args);
	return false;
}

bool diag_add(struct diags *diags, const char *number, struct diag_location location, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add_list(diags, number, location, format, args);
	va_end(args);
	return false;
}

/* The first byte of the line that at is in. */
static const char *line_start(const struct template_file *file, const char *at)
{
	const char *newline = at > file->text ? memrchr(file->text, '\n', (size_t)(at - file->text)) : NULL;

	return newline ? newline + 1 : file->text;
}

static const char *line_end(const struct template_file *file, const char *at)
{
	const char *end = file->text + file->n_bytes;
	const char *newline = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;

	end = newline ? newline : end;
	return end > at && end[-1] == '\r' ? end - 1 : end;
}

void diag_position(const struct diag *diag, unsigned *ret_line, unsigned *ret_column)
{
	const char *at = diag->file->text, *newline;
	unsigned line = 1;

	while (at < diag->at && (newline = memchr(at, '\n', (size_t)(diag->at - at)))) {
		line++;
		at = newline + 1;
	}
	*ret_line = line;
	*ret_column = (unsigned)(diag->at - at) + 1;
}

/* --- printing ------------------------------------------------------------------------------------------- */

enum {
	SHOWN_BEFORE = 80, /* bytes of a line */
	SHOWN_MAX = 160,
	PIECE_MAX = 256,
};

/*
 * Bytes of a template are made as safe to show as a recording's; tabs stay. With as_blanks, tabs become tabs
 * and the rest becomes blanks, which move a terminal's cursor as far as the text does.
 */
static void print_safe(const char *bytes, size_t n_bytes, bool as_blanks, FILE *out)
{
	char clean[4 * PIECE_MAX];

	while (n_bytes) {
		const char *tab = memchr(bytes, '\t', n_bytes);
		size_t n = tab ? (size_t)(tab - bytes) : n_bytes, n_clean;

		n = n < PIECE_MAX ? n : PIECE_MAX;
		n_clean = (size_t)(text_clean(clean, (const uint8_t *)bytes, n) - clean);
		if (n == 0)
			putc('\t', out);
		else if (as_blanks)
			fprintf(out, "%*s", (int)text_columns(clean, n_clean), "");
		else
			fwrite(clean, 1, n_clean, out);
		bytes += n ? n : 1;
		n_bytes -= n ? n : 1;
	}
}

void diag_print_bytes(const char *bytes, size_t n_bytes, FILE *out)
{
	print_safe(bytes, n_bytes, false, out);
}

/* Not into the middle of a UTF-8 sequence. */
static const char *to_character(const char *at, const char *end)
{
	while (at < end && ((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

static void print_line(const struct diag *diag, FILE *out)
{
	const char *start = line_start(diag->file, diag->at), *end = line_end(diag->file, diag->at);
	const char *from = start, *to = end;

	if (diag->at - from > SHOWN_BEFORE)
		from = to_character(diag->at - SHOWN_BEFORE, diag->at);
	if (to - from > SHOWN_MAX)
		to = to_character(from + SHOWN_MAX, end);
	fputs(from > start ? "… " : "", out);
	diag_print_bytes(from, (size_t)(to - from), out);
	fputs(to < end ? " …\n" : "\n", out);
	fputs(from > start ? "  " : "", out);
	print_safe(from, (size_t)(diag->at - from), true, out);
	fputs("^\n", out);
}

void diag_print_sentence(const struct diag *diag, FILE *out)
{
	static const char *const kinds[] = { "error", "warning", "advice" };
	unsigned line, column;

	if (diag->file) {
		diag_position(diag, &line, &column);
		diag_print_bytes(diag->file->name, strlen(diag->file->name), out);
		fprintf(out, ":%u:%u: ", line, column);
	}
	fprintf(out, "%s %s: ", kinds[diag->kind], diag->number);
	if (diag->key[0]) {
		fputs(key_is_hook(diag->key, strlen(diag->key)) ? "hook " : "", out);
		diag_print_bytes(diag->key, strlen(diag->key), out);
		fputs(": ", out);
	}
	diag_print_bytes(diag->what, strlen(diag->what), out);
	putc('\n', out);
}

void diag_print(const struct diag *diag, FILE *out)
{
	diag_print_sentence(diag, out);
	if (diag->file)
		print_line(diag, out);
}

bool diag_is_repeated(const struct diags *diags, size_t n)
{
	const struct diag *diag = &diags->items[n];

	for (size_t i = 0; i < n; i++)
		if (diags->items[i].at == diag->at && strcmp(diags->items[i].what, diag->what) == 0)
			return true;
	return false;
}

void diags_done(struct diags *diags)
{
	free(diags->items);
	*diags = (struct diags){ 0 };
}
