/* SPDX-License-Identifier: MIT */
/*
 * `template check`: every stanza of a file through all passes, for every kind of entry it can be run over.
 * The file overrides the templates that a report would find, so it may call theirs; only its own faults are
 * reported.
 */
#include <stdlib.h>
#include <string.h>

#include "base/similar.h"
#include "cli/template/template.h"
#include "job/catalogue.h"
#include "template/dump/dump.h"
#include "template/update/update.h"

struct check {
	const struct template_args *args;
	struct template_set *set;
	struct catalogue catalogue;
	struct template_file *file; /* the set's, once it was added */
	struct diags diags;
};

/* --- one file ------------------------------------------------------------------------------------------- */

/* The templates below the file; their faults are reported when they are checked themselves. */
static enum rst_status check_load_below(struct check *check, struct rst_error *err)
{
	const struct text_list *paths = &check->args->templates;
	struct diags ignored = { 0 };
	enum rst_status status =
		template_search(check->set, NULL, paths->n_items, paths->items, &ignored, err);

	diags_done(&ignored);
	return status;
}

static enum rst_status check_load(struct check *check, const char *dialect, struct rst_error *err)
{
	error_try(catalogue_init(&check->catalogue, dialect, err));
	check->set = template_set_new(dialect);
	if (!check->set)
		return error_nomem(err);
	return check_load_below(check, err);
}

static void run_passes(struct check *check)
{
	static const unsigned aix_words[] = { 4, 8 };
	const size_t n_words = check->set->is_aix ? 2 : 1;

	for (size_t i = 0; i < n_words; i++)
		catalogue_bind(&check->catalogue, check->set, check->file, aix_words[i], &check->diags);
	check_set(check->set, check->args->wants_advice, &check->diags);
	catalogue_report_unused(
		&check->catalogue, check->set, check->file, check->args->wants_advice, &check->diags);
}

static void print_count(const char *between, unsigned n, const char *one, const char *many)
{
	if (n)
		printf("%s%u %s", between, n, n > 1 ? many : one);
}

static int fail_memory(const struct check *check)
{
	struct rst_error err;

	error_nomem(&err);
	error_name(&err, check->file->name);
	return common_fail(&err);
}

/* If there are too many diagnoses, errors are the last to be left out. */
static int check_summarize(const struct check *check)
{
	const struct diags *diags = &check->diags;
	const struct template_reported told = template_report(diags, check->file);
	const bool has_more_errors = diags->n_errors > diags->n_kept_errors;
	const bool has_more = diags->n_items == DIAGS_MAX && !has_more_errors;
	size_t n_templates = 0;

	for (size_t i = 0; i < check->set->n_stanzas; i++)
		n_templates += check->set->stanzas[i]->file == check->file;
	printf("%s: %s", check->file->name, told.n_errors ? "" : "ok, ");
	print_count("", told.n_errors, "error", "errors");
	printf("%s%s%zu template%s", has_more_errors ? " or more" : "", told.n_errors ? " in " : "",
		n_templates, n_templates == 1 ? "" : "s");
	print_count(", ", told.n_warnings, "warning", "warnings");
	print_count(", ", told.n_advice, "advice", "advice");
	printf("%s\n", has_more ? "; and more that is not told" : "");
	return told.n_errors ? EXIT_FOUND : EXIT_GOOD;
}

/* --- dumps ---------------------------------------------------------------------------------------------- */

static const struct dump_pass *find_pass(const char *name, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char advice[SIMILAR_TEXT_MAX];

	for (const struct dump_pass *pass = dump_passes; pass->name; pass++) {
		if (strcmp(pass->name, name) == 0)
			return pass;
		similar_offer(&similar, pass->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--dump cannot be '%.40s'", name);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return NULL;
}

static enum rst_status pass_dump(struct check *check, struct rst_error *err)
{
	const struct template_args *args = check->args;
	const struct dump_pass *pass = find_pass(args->dump, err);
	struct binding binding = { .word_bytes = args->env == ENV_64 ? 8 : 4 };

	if (!pass)
		return RST_E_USAGE;
	if (args->event)
		binding.layout = catalogue_event(&check->catalogue, check->set->dialect, args->event, err);
	if (args->event && !binding.layout)
		return RST_E_USAGE;
	pass->file(check->set, check->file, &binding, stdout);
	return RST_OK;
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* One that changes another has signs in front of its lines. */
static enum rst_status add_file(struct check *check, struct rst_error *err)
{
	struct update update = { .set = check->set };
	enum rst_status status;

	if (!update_is_file(check->file))
		return template_set_add(check->set, check->file, &check->diags) < 0 ? error_nomem(err)
										    : RST_OK;
	status = update_read_input(&update, check->file, &check->diags, err);
	update.set = NULL;
	update_done(&update);
	return status;
}

static int check_in(struct check *check, const char *dialect)
{
	struct rst_error err;
	enum rst_status status = check_load(check, dialect, &err);
	int exit_status = EXIT_GOOD;

	if (status < 0) {
		template_file_free(check->file);
		return common_fail(&err);
	}
	if (add_file(check, &err) < 0)
		return common_fail(&err);
	run_passes(check);
	if (check->diags.has_no_memory) {
		template_report(&check->diags, check->file);
		return fail_memory(check);
	}
	if (!check->args->dump)
		return check_summarize(check);
	if (template_report(&check->diags, check->file).n_errors)
		exit_status = EXIT_FOUND;
	return pass_dump(check, &err) < 0 ? common_fail(&err) : exit_status;
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
		exit_status = outcome_worse(exit_status, check_path(args, operands[i]));
	return exit_status;
}
