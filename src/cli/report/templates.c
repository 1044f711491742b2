/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "cli/message.h"
#include "cli/report/report.h"
#include "template/set/search.h"

void templates_print_diag(void *context, const struct diag *diag)
{
	(void)context;
	fputs("rastrum: ", stderr);
	diag_print_sentence(diag, stderr);
}

/* A bad stanza never stops a report: its events read as if it were not there. */
void templates_print_diags(struct dialect_templates *templates, bool is_quiet)
{
	for (const struct diag *diag; (diag = templates_next_diag(templates, is_quiet));)
		templates_print_diag(NULL, diag);
}

/*
 * No `# dialect:` line, an empty folder, a trace in place of a template: no other message is printed about
 * these.
 */
void templates_note_unused(const struct dialect_templates *list, const struct text_list *paths)
{
	for (size_t i = 0; i < paths->n_items && list; i++)
		if (!templates_had_use(list, paths->items[i]))
			message_print(
				"%s: note: no template for these traces is in it; the first line of a file "
				"names the dialect of its events: # dialect: %s",
				strcmp(paths->items[i], "-") == 0 ? template_input_name : paths->items[i],
				list->set->dialect);
}

void templates_note_texts(const struct runner *runner, const char *path)
{
	const struct {
		uint64_t n;
		const char *what;
	} rows[] = {
		{ runner->n_truncated, "*TRUNC*: events hold less than their templates read" },
		{ runner->n_nesting, "<nesting>: templates call each other too deeply" },
		{ runner->n_limit, "loops of templates cut short, or <loop limit>: they go round too often" },
		{ runner->n_div0, "divisions by zero in templates, taken as 0" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].n)
			message_print("%s: note: %" PRIu64 " x %s", path, rows[i].n, rows[i].what);
}
