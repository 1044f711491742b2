/* SPDX-License-Identifier: MIT */
/*
 * The reference interpreter is checked by the cases of the language (tests/data/aix/cases.tsv): it must give
 * each one's text, or find the error in it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"
#include "tests/template/ref_interp.h"

#define CASES "tests/data/aix/cases.tsv"

enum column {
	COLUMN_NAME,
	COLUMN_KIND,
	COLUMN_TEMPLATE,
	COLUMN_ENV,
	COLUMN_TYPE,
	COLUMN_HOOK,
	COLUMN_DATA,
	COLUMN_ENTRY,
	COLUMN_CONTEXT,
	COLUMN_EXPECTED,
	COLUMN_DOC,
	N_COLUMNS
};

enum {
	N_CASES = 237,
	ENTRY_MAX = 256,
	TEXT_COLUMN = 35,  /* of the default report, at L=APPL … */
	LEVEL_COLUMNS = 8, /* … and each further level is that much to the right */
};

/* --- what the context column says ----------------------------------------------------------------------- */

/* The value of NAME=VALUE; in a list, NULL when it has not the name. Ends with ; or NUL. */
static const char *context_find(const char *context, const char *name)
{
	const size_t n_name = strlen(name);

	for (const char *at = context; at; at = strchr(at, ';')) {
		at += *at == ';';
		if (strncmp(at, name, n_name) == 0 && at[n_name] == '=')
			return at + n_name + 1;
	}
	return NULL;
}

static int64_t context_number(const struct entry *entry, enum macro_id macro)
{
	static const struct {
		enum macro_id macro;
		const char *name;
	} rows[] = { { MACRO_PID, "pid" }, { MACRO_TID, "tid" }, { MACRO_CPUID, "cpuid" },
		{ MACRO_NOW, "now_ns" }, { MACRO_TRACEID, "hookid" } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *value =
			rows[i].macro == macro ? context_find(entry->host_data, rows[i].name) : NULL;

		if (value)
			return strtoll(value, NULL, 0);
	}
	return 0;
}

static struct text context_text_of(const struct entry *entry, const char *name)
{
	const char *value = context_find(entry->host_data, name);

	return (struct text){ value, value ? strcspn(value, ";") : 0 };
}

static struct text context_text(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	(void)macro;
	return (struct text){ "", 0 };
}

static struct text context_process(const struct entry *entry, uint64_t pid)
{
	char name[40];

	snprintf(name, sizeof(name), "exec.%" PRIu64, pid);
	return context_text_of(entry, name);
}

static const struct entry_host context_host = { context_number, context_text, context_process };

/* timer=A:B:START */
static void context_timer(struct ref_interp *interp, const char *context)
{
	const char *at = context_find(context, "timer");
	char *end;

	if (!at)
		return;
	int64_t first = strtoll(at, &end, 0), second = strtoll(end + 1, &end, 0);

	interp_start_timer(interp, first, second, strtoll(end + 1, NULL, 0));
}

/* --- cases ---------------------------------------------------------------------------------------------- */

static void undo_escapes(char *text)
{
	static const char escapes[][2] = { { 'n', '\n' }, { 't', '\t' }, { '\\', '\\' } };
	char *to = text;

	for (; *text; text++) {
		char c = *text;

		for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]) && *text == '\\'; i++)
			if (text[1] == escapes[i][0])
				c = escapes[i][1];
		text += *text == '\\' && (c != '\\' || text[1] == '\\');
		*to++ = c;
	}
	*to = 0;
}

/* Cuts a line at its tabs. false: it has not all columns. */
static bool cut_columns(char *line, char *columns[N_COLUMNS])
{
	for (unsigned i = 0; i < N_COLUMNS; i++) {
		columns[i] = line;
		line += strcspn(line, "\t");
		if (!*line && i + 1 < N_COLUMNS)
			return false;
		if (*line)
			*line++ = 0;
	}
	undo_escapes(columns[COLUMN_TEMPLATE]);
	undo_escapes(columns[COLUMN_EXPECTED]);
	return true;
}

static size_t read_hex(const char *text, uint8_t bytes[ENTRY_MAX])
{
	size_t n = 0;

	for (; text[0] && text[1] && n < ENTRY_MAX; text += 2)
		bytes[n++] = (uint8_t)strtoul((char[]){ text[0], text[1], 0 }, NULL, 16);
	return n;
}

/* Hook word and data as an entry: section "trace hook words" of "trcfmt File Format". */
static struct entry entry_of(char *const columns[N_COLUMNS], const uint8_t *bytes, size_t n_bytes)
{
	bool is_64 = strcmp(columns[COLUMN_ENV], "64") == 0;
	unsigned type = (unsigned)strtoul(columns[COLUMN_TYPE], NULL, 16);
	unsigned data = (unsigned)strtoul(columns[COLUMN_DATA], NULL, 16);
	bool is_generic = is_64 ? type & 0x4000 : (type & 7) == 0;
	static const unsigned lengths[8] = { [1] = 0, [2] = 4, [6] = 20 };
	unsigned length = is_64 ? (unsigned)bytes[2] << 8 | bytes[3] : is_generic ? data : lengths[type & 7];

	return (struct entry){ .bytes = bytes,
		.n_bytes = n_bytes,
		.start = is_64	      ? 6
			 : is_generic ? 4
				      : 2,
		.host = &context_host,
		.is_generic = is_generic,
		.hook_type = (uint16_t)(is_64 ? type & 0xc000 : type),
		.hook_data = (uint16_t)data,
		.hook_bytes = length,
		.n_variable = is_generic ? length : 0 };
}

/* The text of the report's lines that belong to an entry. */
static const char *expected_text(char *const columns[N_COLUMNS], unsigned margin)
{
	const char *expected = columns[COLUMN_EXPECTED];

	return strcmp(columns[COLUMN_KIND], "line") == 0 && strlen(expected) >= margin ? expected + margin
										       : expected;
}

static bool is_kind(char *const columns[N_COLUMNS], const char *kind)
{
	return strcmp(columns[COLUMN_KIND], kind) == 0;
}

/* Runs the stanza of the case's hook; the result is interp->out. */
static const char *interp_case(
	struct ref_interp *interp, char *const columns[N_COLUMNS], const struct stanza *stanza)
{
	uint8_t bytes[ENTRY_MAX];
	char context[256];
	size_t n_bytes = read_hex(columns[COLUMN_ENTRY], bytes), n_text;
	struct entry entry = entry_of(columns, bytes, n_bytes);
	const char *text;

	snprintf(context, sizeof(context), "%s;hookid=0x%.*s", columns[COLUMN_CONTEXT],
		(int)stanza->key.n_bytes, stanza->key.bytes);
	entry.host_data = context;
	entry.path = context_text_of(&entry, "execpath");
	context_timer(interp, context);
	if (is_kind(columns, "line"))
		interp->margin = TEXT_COLUMN + LEVEL_COLUMNS * stanza->level;
	return interp_run(interp, stanza, &entry, &text, &n_text) == RUN_SKIP ? "(none)" : text;
}

static void check_case(char *const columns[N_COLUMNS])
{
	struct binding binding = { .word_bytes = strcmp(columns[COLUMN_ENV], "64") == 0 ? 8 : 4 };
	struct template_set *set = template_set_new("aix");
	struct ref_interp interp = { .set = set, .binding = &binding };
	struct diags diags = { 0 };
	const char *text = columns[COLUMN_TEMPLATE];
	char key[8];
	size_t n_key = key_normalise(key, columns[COLUMN_HOOK], strlen(columns[COLUMN_HOOK]));

	template_set_add(set, template_file_of(columns[COLUMN_NAME], text, strlen(text)), &diags);
	const struct stanza *stanza = template_set_find(set, key, n_key);

	if (diags.n_errors || !stanza || !interp_accepts(&interp, stanza))
		text = "ERROR";
	else if (is_kind(columns, "parse"))
		text = "ok";
	else
		text = interp_case(&interp, columns, stanza);
	is_text(text, expected_text(columns, interp.margin), columns[COLUMN_NAME]);
	interp_done(&interp);
	diags_done(&diags);
	template_set_free(set);
}

int main(void)
{
	size_t n_bytes;
	char *cases = (char *)tap_slurp(CASES, &n_bytes), *end = cases + n_bytes, *columns[N_COLUMNS];
	unsigned n_cases = 0;

	for (char *line = cases, *next; line < end; line = next) {
		next = memchr(line, '\n', (size_t)(end - line));
		if (!next)
			break;
		*next++ = 0;
		if (line[0] == '#' || strncmp(line, "name\t", 5) == 0)
			continue;
		if (cut_columns(line, columns)) {
			check_case(columns);
			n_cases++;
		}
	}
	is_number(n_cases, N_CASES, "all cases of the language were run");
	free(cases);
	return tap_done();
}
