/* SPDX-License-Identifier: MIT */
/*
 * The findings as a table: a row for each, the gravest first. Its columns have the names that JSON gives
 * them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "analysis/explain/explain.h"

enum {
	FINDINGS_FINDING,
	FINDINGS_SEVERITY,
	FINDINGS_FROM,
	FINDINGS_TO,
	FINDINGS_SUBJECTS,
	FINDINGS_TEXT,
	FINDINGS_EVIDENCE,
	FINDINGS_CERTAIN,
	N_FINDINGS_COLUMNS
};

static const struct table_column columns[N_FINDINGS_COLUMNS] = {
	[FINDINGS_FINDING] = { .name = "finding",
		.type = CELL_WORD,
		.help = "its kind, as `rastrum explain --list` has it" },
	[FINDINGS_SEVERITY] = { .name = "severity", .type = CELL_WORD, .help = "error, warning or note" },
	[FINDINGS_FROM] = { .name = "from", .type = CELL_MOMENT },
	[FINDINGS_TO] = { .name = "to", .type = CELL_MOMENT },
	[FINDINGS_SUBJECTS] = { .name = "subjects",
		.type = CELL_WORD,
		.is_subject = true,
		.help = "threads and objects, with commas between them" },
	[FINDINGS_TEXT] = { .name = "text", .type = CELL_WORD, .help = "the sentence" },
	[FINDINGS_EVIDENCE] = { .name = "evidence",
		.type = CELL_WORD,
		.help = "the numbers of the events that prove it, with commas between them" },
	[FINDINGS_CERTAIN] = { .name = "certain",
		.type = CELL_COUNT,
		.help = "1, or 0 if the recording does not show all of it" },
};

/* Room for the names of all subjects, and for the numbers of all events; what does not fit is cut. */
enum { LIST_ROOM = 1024 };

struct list {
	char text[LIST_ROOM];
	size_t n;
};

static void list_add(struct list *list, const char *bytes, size_t n_bytes)
{
	const size_t room = sizeof(list->text) - list->n;
	const int n =
		snprintf(list->text + list->n, room, "%s%.*s", list->n ? ", " : "", (int)n_bytes, bytes);

	list->n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static bool subjects_cell(struct findings *findings, const struct finding *finding, struct table *table,
	struct table_cell *ret_cell)
{
	struct list list = { 0 };

	for (size_t i = 0; i < finding->n_subjects; i++) {
		const struct text name = party_name(findings, finding->subjects[i]);

		list_add(&list, name.bytes, name.n_bytes);
	}
	ret_cell->is_there = finding->n_subjects > 0;
	return table_copy(table, list.text, list.n, &ret_cell->text);
}

static bool evidence_cell(const struct finding *finding, struct table *table, struct table_cell *ret_cell)
{
	struct list list = { 0 };

	for (size_t i = 0; i < finding->n_evidence; i++) {
		char number[24];

		list_add(&list, number,
			(size_t)snprintf(number, sizeof(number), "%" PRIu64, finding->evidence[i]));
	}
	ret_cell->is_there = finding->n_evidence > 0;
	return table_copy(table, list.text, list.n, &ret_cell->text);
}

bool findings_table(struct findings *findings, struct table *ret_table)
{
	const struct scan *scan = findings->scan;

	*ret_table = (struct table){ .name = "findings",
		.columns = columns,
		.n_columns = N_FINDINGS_COLUMNS,
		.from = scan->from,
		.to = scan->to,
		.has_window = scan->is_started };
	for (size_t i = 0; i < findings->n_sorted; i++) {
		const struct finding *finding = findings->sorted[i];
		struct table_cell *cells = table_row(ret_table);
		struct sentence sentence;
		const char *text = finding_say(findings, finding, &sentence);

		if (!cells || !table_copy(ret_table, text, strlen(text), &cells[FINDINGS_TEXT].text) ||
			!subjects_cell(findings, finding, ret_table, &cells[FINDINGS_SUBJECTS]) ||
			!evidence_cell(finding, ret_table, &cells[FINDINGS_EVIDENCE]))
			return false;
		cells[FINDINGS_TEXT].is_there = true;
		cells[FINDINGS_FINDING] = cell_word(finding->kind->name);
		cells[FINDINGS_SEVERITY] = cell_word(severity_names[finding->severity]);
		cells[FINDINGS_FROM] = cell_moment(finding->from);
		cells[FINDINGS_TO] = cell_moment(finding->to);
		cells[FINDINGS_CERTAIN] = cell_count(finding->is_certain);
	}
	return !findings->lacks_names;
}
