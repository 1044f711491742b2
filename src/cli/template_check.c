/* SPDX-License-Identifier: MIT */
/*
 * `template check`: every stanza of a file through all passes, for all that it can be run over. The file stands above
 * the templates that a report would find, so it may call what these have; only its own faults are told.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/catalogue.h"
#include "cli/template.h"

struct check {
	const struct template_args *args;
	struct template_set *set;
	struct catalogue catalogue;
	struct template_file *file; /* the set's, once it was added */
	struct diags diags;
};

/* --- stanzas that nothing will ever run ------------------------------------------------------------------------ */

static void mark_nodes(const struct template_set *set, const struct node *node, bool *is_used);

static void mark_name(const struct template_set *set, struct text name, bool *is_used)
{
	const struct stanza *stanza = template_set_find(set, name.bytes, name.n_bytes);

	if (stanza)
		is_used[stanza->index] = true;
}

static void mark_cases(const struct template_set *set, const struct switch_case *match, bool *is_used)
{
	for (; match; match = match->next)
		mark_nodes(set, match->body, is_used);
}

static void mark_node(const struct template_set *set, const struct node *node, bool *is_used)
{
	switch (node->kind) {
	case NODE_MACRO:
		mark_name(set, node->macro.name, is_used);
		break;
	case NODE_QUOTED:
		mark_nodes(set, node->pieces, is_used);
		break;
	case NODE_SWITCH:
		mark_cases(set, node->select.cases, is_used);
		break;
	case NODE_LOOP:
		mark_nodes(set, node->loop.body, is_used);
		break;
	case NODE_TEXT:
	case NODE_CODE:
	case NODE_NEWLINE:
	case NODE_TAB:
	case NODE_BITFLAGS:
	case NODE_ASSIGN:
	case NODE_TIMER:
	case NODE_NUMBER:
	case NODE_NEGATE:
	case NODE_BINARY:
		break; /* calls nothing */
	}
}

static void mark_nodes(const struct template_set *set, const struct node *node, bool *is_used)
{
	for (; node; node = node->next)
		mark_node(set, node, is_used);
}

static void mark_all(const struct check *check, bool *is_used)
{
	const struct model *model = &check->catalogue.model;

	for (size_t i = 0; i < model->n_types; i++) {
		const struct stanza *stanza = template_set_find_event(
			check->set, model->types[i]->name, model->types[i]->name_bytes);

		if (stanza)
			is_used[stanza->index] = true;
	}
	for (size_t i = 0; i < check->set->n_stanzas; i++)
		mark_nodes(check->set, check->set->stanzas[i]->body, is_used);
}

/* Most often the name of the event is misspelt. */
static void advise_unused(struct check *check)
{
	bool *is_used = calloc(check->set->n_stanzas + 1, sizeof(*is_used));

	if (!is_used) {
		check->diags.has_no_memory = true;
		return;
	}
	mark_all(check, is_used);
	for (size_t i = 0; i < check->set->n_stanzas; i++) {
		const struct stanza *stanza = check->set->stanzas[i];
		const struct text key = stanza->written_key;

		if (stanza->file == check->file && !stanza->is_bad && !is_used[stanza->index])
			diag_add(&check->diags, "A05", stanza->file, stanza->at, key.bytes, key.n_bytes,
				"the dialect %s has no event of this name, and no template calls it",
				check->set->dialect);
	}
	free(is_used);
}

/* --- one file --------------------------------------------------------------------------------------------------- */

/* What the file stands on; its faults are told when it is checked itself. */
static enum rst_status load_below(struct check *check, struct rst_error *err)
{
	const struct opt_list *paths = &check->args->templates;
	struct diags ignored = { 0 };
	enum rst_status status = template_search(check->set, paths->n_items, paths->items, &ignored, err);

	diags_done(&ignored);
	return status;
}

static enum rst_status load(struct check *check, const char *dialect, struct rst_error *err)
{
	error_try(catalogue_init(&check->catalogue, dialect, err));
	check->set = template_set_new(dialect);
	if (!check->set)
		return error_nomem(err);
	return load_below(check, err);
}

static void run_passes(struct check *check)
{
	static const unsigned aix_words[] = { 4, 8 };
	const size_t n_words = check->set->is_aix ? 2 : 1;

	for (size_t i = 0; i < n_words; i++)
		catalogue_bind(&check->catalogue, check->set, check->file, aix_words[i], &check->diags);
	check_set(check->set, check->args->wants_advice, &check->diags);
	if (check->args->wants_advice && check->catalogue.has_events)
		advise_unused(check);
}

static void print_count(const char *between, unsigned n, const char *what)
{
	if (n)
		printf("%s%u %s%s", between, n, what, n > 1 && what[0] != 'a' ? "s" : "");
}

static int summarize(const struct check *check)
{
	const struct template_told told = template_tell(&check->diags, check->file);
	const bool has_more = check->diags.n_items == DIAGS_MAX;
	size_t n_templates = 0;

	for (size_t i = 0; i < check->set->n_stanzas; i++)
		n_templates += check->set->stanzas[i]->file == check->file;
	printf("%s: %s", check->file->name, told.n_errors ? "" : "ok, ");
	print_count("", told.n_errors, "error");
	printf("%s%zu template%s", told.n_errors ? " in " : "", n_templates, n_templates == 1 ? "" : "s");
	print_count(", ", told.n_warnings, "warning");
	print_count(", ", told.n_advice, "advice");
	printf("%s\n", has_more ? "; and more that is not told" : "");
	if (check->diags.has_no_memory)
		return EXIT_IO;
	return told.n_errors || (has_more && check->diags.n_errors) ? EXIT_FOUND : EXIT_GOOD;
}

/* --- dumps ------------------------------------------------------------------------------------------------------ */

static const struct dump_pass *find_pass(const char *name, struct rst_error *err)
{
	char names[80] = "";

	for (const struct dump_pass *pass = dump_passes; pass->name; pass++) {
		size_t n = strlen(names);

		if (strcmp(pass->name, name) == 0)
			return pass;
		snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", pass->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--dump cannot be '%.40s'", name);
	error_advise(err, "it is one of %s", names);
	return NULL;
}

static enum rst_status dump(struct check *check, struct rst_error *err)
{
	const struct template_args *args = check->args;
	const struct dump_pass *pass = find_pass(args->dump, err);
	struct binding binding = { .word_bytes = args->env == ENV_64 ? 8 : 4 };

	if (!pass)
		return RST_E_USAGE;
	if (args->event)
		binding.type = catalogue_find(&check->catalogue, args->event, 0);
	if (args->event && !binding.type)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the dialect %s has no event '%.80s'",
			check->set->dialect, args->event);
	pass->file(check->set, check->file, &binding, stdout);
	return RST_OK;
}

/* --- all -------------------------------------------------------------------------------------------------------- */

static int check_in(struct check *check, const char *dialect)
{
	struct rst_error err;
	enum rst_status status = load(check, dialect, &err);
	int exit_status = EXIT_GOOD;

	if (status < 0) {
		template_file_free(check->file);
		return common_fail(&err);
	}
	if (template_set_add(check->set, check->file, &check->diags) < 0) {
		error_nomem(&err);
		return common_fail(&err);
	}
	run_passes(check);
	if (!check->args->dump)
		return summarize(check);
	if (template_tell(&check->diags, check->file).n_errors)
		exit_status = EXIT_FOUND;
	return dump(check, &err) < 0 ? common_fail(&err) : exit_status;
}

static int check_path(const struct template_args *args, const char *path)
{
	struct check check = { .args = args };
	struct rst_error err;
	const char *dialect;
	int exit_status;

	if (template_file_read(&check.file, path, &err) < 0)
		return common_fail(&err);
	dialect = catalogue_dialect(template_file_dialect(check.file), &err);
	if (!dialect) {
		error_name(&err, path);
		common_fail(&err);
		template_file_free(check.file);
		return EXIT_FOUND;
	}
	exit_status = check_in(&check, dialect);
	template_set_free(check.set);
	catalogue_done(&check.catalogue);
	diags_done(&check.diags);
	return exit_status;
}

int template_check(const struct template_args *args, int n_operands, char **operands)
{
	int exit_status = EXIT_GOOD;

	for (int i = 0; i < n_operands; i++)
		exit_status = common_worse(exit_status, check_path(args, operands[i]));
	return exit_status;
}
