/* SPDX-License-Identifier: MIT */
/*
 * `template test`: a table of cases, one a line, columns between tabs; "#" begins a comment line, and the
 * line that begins with "name" is the heading:
 *
 *	name kind template env hooktype hookid hookdata entry context expected source
 *
 * In the columns template and expected, \n, \t and \\ mean a line end, a tab and a backslash. "-" means that
 * a column is empty. In the column expected, "(none)" means that the entry is not shown, and "ERROR" that the
 * template has errors. A template that begins with a line "# dialect: NAME" is for the event in the column
 * hookid. Each case has its own set of templates.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/template/evaluation.h"
#include "cli/template/template.h"

enum {
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
	COLUMNS_NEEDED, /* what comes behind is for people */
};

struct tally {
	uint64_t n_run, n_failed;
};

static const char hidden[] = "(none)";

/* Undoes the escapes in place; returns the length. */
static size_t undo_escapes(char *text)
{
	static const char escapes[] = "n\nt\t\\\\";
	char *to = text;

	for (const char *from = text; *from; from++) {
		const char *escape = NULL;

		for (size_t i = 0; from[0] == '\\' && from[1] && escapes[i] && !escape; i += 2)
			escape = escapes[i] == from[1] ? &escapes[i] : NULL;
		*to++ = escape ? escape[1] : *from;
		from += escape != NULL;
	}
	*to = '\0';
	return (size_t)(to - text);
}

/* Bytes for a terminal; those in marks are written by their escapes, or behind a backslash. */
static void print_marked(const char *text, size_t n_bytes, const char *marks)
{
	const char *end = text + n_bytes;

	while (text < end) {
		const char *mark = text;

		while (mark < end && !memchr(marks, *mark, strlen(marks)))
			mark++;
		diag_print_bytes(text, (size_t)(mark - text), stdout);
		if (mark < end)
			printf("\\%c", *mark == '\n' ? 'n' : *mark == '\t' ? 't' : *mark);
		text = mark + 1;
	}
}

/* As in the table. */
static void print_escaped(const char *what, const char *text, size_t n_bytes)
{
	printf("# %9s ", what);
	print_marked(text, n_bytes, "\n\t\\");
	putchar('\n');
}

static void print_diags(const struct diags *diags)
{
	for (size_t i = 0; i < diags->n_items; i++) {
		printf("# %s ", diags->items[i].number);
		print_marked(diags->items[i].what, strlen(diags->items[i].what), "");
		putchar('\n');
	}
}

/* In the protocol a # begins a directive, such as one to skip the test. */
static bool tally_line(struct tally *tally, bool has_passed, const char *sentence)
{
	tally->n_run++;
	tally->n_failed += !has_passed;
	printf("%sok %" PRIu64 " - ", has_passed ? "" : "not ", tally->n_run);
	print_marked(sentence, strlen(sentence), "#\\");
	putchar('\n');
	return has_passed;
}

static const char *cell_given(const char *column)
{
	return column[0] && strcmp(column, "-") != 0 ? column : NULL;
}

static enum rst_status read_columns(struct evaluation *evaluation, char **columns, struct rst_error *err)
{
	const char *env = cell_given(columns[COLUMN_ENV]);
	unsigned kind = 0;

	while (kind < N_EVALUATION_KINDS && strcmp(evaluation_kind_names[kind], columns[COLUMN_KIND]) != 0)
		kind++;
	if (kind == N_EVALUATION_KINDS)
		return error_set(
			err, RST_E_USAGE, RST_NO_OFFSET, "there is no kind '%.40s'", columns[COLUMN_KIND]);
	if (env && strcmp(env, "32") != 0 && strcmp(env, "64") != 0)
		return error_set(
			err, RST_E_USAGE, RST_NO_OFFSET, "the bits of a word are 32 or 64, not '%.40s'", env);
	evaluation->kind = (enum evaluation_kind)kind;
	evaluation->is_64 = env && env[0] == '6';
	evaluation->entry = columns[COLUMN_ENTRY];
	evaluation->type = cell_given(columns[COLUMN_TYPE]);
	evaluation->hook = cell_given(columns[COLUMN_HOOK]);
	evaluation->data = cell_given(columns[COLUMN_DATA]);
	evaluation->context = cell_given(columns[COLUMN_CONTEXT]);
	return RST_OK;
}

/* A template that begins with # dialect: NAME is for the event in the column of the hook id. */
static enum rst_status read_event(struct evaluation *evaluation, struct rst_error *err)
{
	if (evaluation->type || evaluation->data || evaluation->is_64)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"an event has neither hook type nor hook data, and words of 32 bits");
	evaluation->event = evaluation->hook;
	evaluation->hook = NULL;
	return RST_OK;
}

static enum rst_status evaluate_case(struct evaluation *evaluation, char **columns, struct rst_error *err)
{
	const size_t n_template = undo_escapes(columns[COLUMN_TEMPLATE]);
	struct template_file *file;
	enum rst_status status;

	error_try(read_columns(evaluation, columns, err));
	file = template_file_of(columns[COLUMN_NAME], columns[COLUMN_TEMPLATE], n_template);
	if (!file)
		return error_nomem(err);
	status = template_file_is_of(file, "aix") ? RST_OK : read_event(evaluation, err);
	if (status == RST_OK)
		return evaluate(evaluation, file, err);
	template_file_free(file);
	return status;
}

static void run_case(struct tally *tally, const struct text_list *below, char **columns)
{
	struct evaluation evaluation = { .n_below = below->n_items, .below = below->items };
	struct rst_error err;
	const enum rst_status status = evaluate_case(&evaluation, columns, &err);
	const size_t n_expected = undo_escapes(columns[COLUMN_EXPECTED]);
	const char *got = hidden;
	size_t n_got = sizeof(hidden) - 1;
	char sentence[640];

	if (status == RST_OK && !evaluation.is_hidden) {
		got = evaluation.out.start;
		n_got = (size_t)(evaluation.out.at - got);
	}
	if (!tally_line(tally,
		    status == RST_OK && n_got == n_expected &&
			    memcmp(got, columns[COLUMN_EXPECTED], n_got) == 0,
		    columns[COLUMN_NAME])) {
		if (status != RST_OK)
			printf("# %s\n", rst_error_text(&err, sentence, sizeof(sentence)));
		print_diags(&evaluation.diags);
		print_escaped("got:", got, n_got);
		print_escaped("expected:", columns[COLUMN_EXPECTED], n_expected);
	}
	evaluation_done(&evaluation);
}

static void run_line(
	struct tally *tally, const struct text_list *below, const char *path, unsigned number, char *line)
{
	char *columns[COLUMNS_NEEDED], *rest = line, sentence[200];
	size_t n_columns = 0;

	if (line[0] == '\0' || line[0] == '#' || strncmp(line, "name\t", 5) == 0)
		return;
	while (n_columns < COLUMNS_NEEDED && (columns[n_columns] = strsep(&rest, "\t")) != NULL)
		n_columns++;
	if (n_columns == COLUMNS_NEEDED) {
		run_case(tally, below, columns);
		return;
	}
	snprintf(sentence, sizeof(sentence), "line %u of %.80s has %zu columns, not %d", number, path,
		n_columns, COLUMNS_NEEDED);
	tally_line(tally, false, sentence);
}

/* A line with a NUL byte would be cut there, and its case pass for another. */
static void fail_line(struct tally *tally, const char *path, unsigned number)
{
	char sentence[200];

	snprintf(sentence, sizeof(sentence), "line %u of %.80s has a NUL byte", number, path);
	tally_line(tally, false, sentence);
}

static enum rst_status run_table(
	struct tally *tally, const struct text_list *below, const char *path, struct rst_error *err)
{
	unsigned number = 1;
	struct template_file *file;
	char *text, *end;

	error_try(template_file_read(&file, path, err));
	const size_t n_bytes = file->n_bytes;

	text = malloc(n_bytes + 1);
	if (text)
		memcpy(text, file->text, n_bytes + 1);
	template_file_free(file);
	if (!text)
		return error_nomem(err);
	end = text + n_bytes;
	for (char *line = text; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line)), *line_end = newline ? newline : end;
		const bool has_nul = memchr(line, '\0', (size_t)(line_end - line)) != NULL;

		*line_end = '\0';
		if (line_end > line && line_end[-1] == '\r')
			line_end[-1] = '\0';
		if (has_nul)
			fail_line(tally, path, number);
		else
			run_line(tally, below, path, number, line);
		line = line_end + 1;
		number++;
	}
	free(text);
	return RST_OK;
}

int template_cases(const struct template_args *args, int n_operands, char **operands)
{
	struct tally tally = { 0 };
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	for (int i = 0; i < n_operands; i++)
		if (run_table(&tally, &args->templates, operands[i], &err) < 0)
			exit_status = outcome_worse(exit_status, common_fail(&err));
	printf("1..%" PRIu64 "\n", tally.n_run);
	if (tally.n_failed)
		printf("# %" PRIu64 " of %" PRIu64 " failed\n", tally.n_failed, tally.n_run);
	return outcome_worse(exit_status, tally.n_failed ? EXIT_FOUND : EXIT_GOOD);
}
