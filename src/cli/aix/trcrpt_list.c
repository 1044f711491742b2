/* SPDX-License-Identifier: MIT */
/*
 * In place of a report: -j lists the hooks that have a template, -c looks for errors in templates, -G lists
 * groups of hooks.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/aix/trcrpt.h"
#include "cli/hook_groups.h"
#include "cli/template/template.h"
#include "job/catalogue.h"
#include "template/set/search.h"

/* --- -j ------------------------------------------------------------------------------------------------- */

/* A later template of the same hook is in force, not this one. */
static bool is_in_force(const struct template_set *set, const struct stanza *stanza)
{
	return !stanza->is_bad && template_set_find(set, stanza->key.bytes, stanza->key.n_bytes) == stanza;
}

/* Whether events of the dialect are shown as the hook of this id. */
static bool is_hook(const struct catalogue *catalogue, const char *id)
{
	char own[TEXT_HEX_MAX];

	for (size_t i = 0; i < catalogue->model.n_types; i++) {
		const struct hook *hook = catalogue_hook(catalogue, catalogue->model.types[i]);

		if (hook) {
			*run_put_id(own, hook->id) = '\0';
			if (strcmp(own, id) == 0)
				return true;
		}
	}
	return false;
}

/* Writes its id as reports print it. A subroutine has no id. */
static size_t put_id(char *id, const struct catalogue *catalogue, const struct stanza *stanza)
{
	char name[96];
	const struct rst_layout *layout;

	if (!catalogue->has_events || stanza->key.n_bytes >= sizeof(name))
		return (size_t)(text_put(id, stanza->key.bytes, stanza->key.n_bytes) - id);
	*text_put(name, stanza->key.bytes, stanza->key.n_bytes) = '\0';
	if (is_hook(catalogue, name))
		return (size_t)(text_put(id, name, stanza->key.n_bytes) - id);
	layout = catalogue_find(catalogue, name, 0);
	if (layout && catalogue_hook(catalogue, layout->type))
		return 0; /* it is shown as that hook */
	return layout ? (size_t)(run_put_id(id, layout->id) - id) : 0;
}

static void list_stanza(struct outbuf *out, const struct catalogue *catalogue, const struct stanza *stanza)
{
	const struct text label = stanza->label.n_bytes ? stanza->label : stanza->key;
	char *id = malloc(stanza->key.n_bytes + TEXT_HEX_MAX);
	const size_t n_id = id ? put_id(id, catalogue, stanza) : 0;

	if (n_id && outbuf_reserve(out, n_id + 8 + 4 * label.n_bytes)) {
		out->at = text_put(out->at, id, n_id);
		out->at = text_put_fill(out->at, ' ', n_id < 5 ? 6 - n_id : 1);
		out->at = text_clean(out->at, (const uint8_t *)label.bytes, label.n_bytes);
		*out->at++ = '\n';
	}
	free(id);
}

/* Finds the dialect of the trace, if there is one; else of -t, in AIX's own files. */
static enum rst_status find_dialect(const struct trcrpt_args *args, int n_operands, char **operands,
	const char **ret_dialect, struct rst_error *err)
{
	struct rst_trace *trace = NULL;

	*ret_dialect = "aix";
	if (n_operands == 0 && !args->common.dialect)
		return RST_OK;
	if (n_operands == 0) {
		*ret_dialect = catalogue_dialect(
			(struct text){ args->common.dialect, strlen(args->common.dialect) }, err);
		return *ret_dialect ? RST_OK : RST_E_USAGE;
	}
	error_try(open_nth_trace(&trace, &args->common, n_operands, operands, 0, err));
	*ret_dialect = catalogue_dialect((struct text){ rst_trace_metadata(trace)->dialect,
						 strlen(rst_trace_metadata(trace)->dialect) },
		err);
	rst_trace_free(trace);
	return *ret_dialect ? RST_OK : RST_E_USAGE;
}

static int list_dialect(
	const struct trcrpt_args *args, const char *dialect, const char *trace, struct outbuf *out)
{
	struct dialect_templates *list = NULL, *templates;
	struct catalogue catalogue;
	struct rst_error err;
	enum rst_status status = templates_load(&list, dialect, trace, &args->templates, &templates, &err);
	int exit_status = EXIT_GOOD;

	if (status < 0)
		exit_status = trcrpt_fail(&err, true);
	else
		templates_print_diags(templates, args->is_quiet);
	status = status < 0 ? status : catalogue_init(&catalogue, dialect, &err);
	if (status == RST_OK) {
		for (size_t i = 0; i < templates->set->n_stanzas; i++)
			if (is_in_force(templates->set, templates->set->stanzas[i]))
				list_stanza(out, &catalogue, templates->set->stanzas[i]);
		catalogue_done(&catalogue);
	}
	templates_free(list);
	return exit_status;
}

int trcrpt_list(const struct trcrpt_args *args, int n_operands, char **operands)
{
	struct rst_error err;
	struct outbuf out;
	const char *dialect;
	int fd, exit_status;

	if (find_dialect(args, n_operands, operands, &dialect, &err) < 0)
		return trcrpt_fail(&err, true);
	if (common_output(args->output, true, n_operands, operands, &fd, &err) < 0)
		return common_fail(&err);
	if (outbuf_init(&out, fd)) {
		exit_status = list_dialect(args, dialect, n_operands ? operands[0] : NULL, &out);
		exit_status = outcome_worse(exit_status, common_finish(&out));
		outbuf_done(&out);
	} else {
		error_nomem(&err);
		exit_status = common_fail(&err);
	}
	return outcome_worse(exit_status, common_close(fd));
}

/* --- -c ------------------------------------------------------------------------------------------------- */

/* Each file in words, as `rastrum template check` has it. */
static int check_files(size_t n_files, char **files)
{
	const struct template_args args = { .dialect = NULL };
	int exit_status = template_check(&args, (int)n_files, files);

	return exit_status == EXIT_IO ? EXIT_UNUSABLE : exit_status;
}

/* Without -t all files of AIX's hooks that a report would find, but for the program's own. */
static int check_found(const struct trcrpt_args *args)
{
	struct dialect_templates *list = NULL, *templates;
	struct rst_error err;
	int exit_status = EXIT_GOOD;
	size_t n_files = 0;

	if (templates_load(&list, "aix", NULL, &args->templates, &templates, &err) < 0) {
		templates_free(list);
		return trcrpt_fail(&err, true);
	}
	for (size_t i = 0; i < templates->set->n_files; i++) {
		const struct template_file *file = templates->set->files[i];
		char *path = (char *)(uintptr_t)file->name;

		if (file->is_builtin)
			continue;
		n_files++;
		exit_status = outcome_worse(exit_status, check_files(1, &path));
	}
	if (n_files == 0)
		puts("only the program's own templates are there; -t FILE checks a file");
	templates_free(list);
	return exit_status;
}

int trcrpt_check(const struct trcrpt_args *args)
{
	return args->templates.n_items
		       ? check_files(args->templates.n_items, (char **)(uintptr_t)args->templates.items)
		       : check_found(args);
}

/* --- -G ------------------------------------------------------------------------------------------------- */

int trcrpt_list_groups(const struct trcrpt_args *args)
{
	struct hook_groups groups;
	struct rst_error err;
	struct outbuf out;
	int fd, exit_status;

	if (common_output(args->output, true, 0, NULL, &fd, &err) < 0)
		return common_fail(&err);
	if (hook_groups_load(&groups, &err) < 0) {
		exit_status = common_fail(&err);
	} else if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		exit_status = common_fail(&err);
	} else {
		for (size_t i = 0; i < groups.n_items; i++)
			hook_group_put(&out, &groups.items[i]);
		exit_status = common_finish(&out);
		outbuf_done(&out);
	}
	hook_groups_done(&groups);
	return outcome_worse(exit_status, common_close(fd));
}
