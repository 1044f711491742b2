/* SPDX-License-Identifier: MIT */
#include "job/templates.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dialect/store/store.h"
#include "job/catalogue.h"
#include "template/set/search.h"

struct dialect_templates *templates_free(struct dialect_templates *list)
{
	while (list) {
		struct dialect_templates *next = list->next;

		template_set_free(list->set);
		free(list->project);
		diags_done(&list->diags);
		free(list);
		list = next;
	}
	return NULL;
}

/* Those of the list, or new ones at its beginning, still empty. NULL when memory ran out. */
static struct dialect_templates *templates_of(
	struct dialect_templates **list, const char *dialect, const char *trace)
{
	struct dialect_templates *templates = *list;
	char project[PATH_MAX] = "";

	template_search_project(trace, project);
	while (templates &&
		(strcmp(templates->set->dialect, dialect) != 0 || strcmp(templates->project, project) != 0))
		templates = templates->next;
	if (templates)
		return templates;
	templates = calloc(1, sizeof(*templates));
	if (!templates)
		return NULL;
	templates->set = template_set_new(dialect);
	templates->project = strdup(project);
	if (!templates->set || !templates->project)
		return templates_free(templates);
	templates->next = *list;
	*list = templates;
	return templates;
}

/* Names of events in templates of the user, not in the program's own. */
static enum rst_status templates_check_names(struct dialect_templates *templates, struct rst_error *err)
{
	struct catalogue catalogue;
	enum rst_status status = catalogue_init(&catalogue, templates->set->dialect, err);

	if (status == RST_OK)
		catalogue_report_unused(&catalogue, templates->set, NULL, false, &templates->diags);
	catalogue_done(&catalogue);
	return status;
}

/* A trace that was merged of several dialects has events of any of them. */
static enum rst_status templates_load_all(struct dialect_templates **list, const char *trace,
	const struct text_list *paths, struct dialect_templates *templates, struct rst_error *err)
{
	struct dialect_templates *others;

	for (size_t i = 0; dialects[i]; i++) {
		if (dialects[i] == &dialect_store)
			continue;
		error_try(templates_load(list, dialects[i]->name, trace, paths, &others, err));
		if (!template_set_join(templates->set, others->set))
			return error_nomem(err);
		templates->set->has_effects |= others->set->has_effects;
	}
	templates->is_complete = true;
	return RST_OK;
}

/* Events that a program recorded as entries with hook words read as those of that dialect do. */
static enum rst_status templates_load_hooks(struct dialect_templates **list, const char *trace,
	const struct text_list *paths, struct dialect_templates *templates, struct rst_error *err)
{
	const struct dialect *dialect = dialect_find(templates->set->dialect);
	struct dialect_templates *others;

	if (!dialect || !dialect_rare(dialect)->hook_dialect)
		return RST_OK;
	error_try(templates_load(list, dialect_rare(dialect)->hook_dialect, trace, paths, &others, err));
	return template_set_join(templates->set, others->set) ? RST_OK : error_nomem(err);
}

enum rst_status templates_load(struct dialect_templates **list, const char *dialect, const char *trace,
	const struct text_list *paths, struct dialect_templates **ret_templates, struct rst_error *err)
{
	struct dialect_templates *templates = *ret_templates = templates_of(list, dialect, trace);

	if (!templates)
		return error_nomem(err);
	if (templates->is_complete)
		return RST_OK;
	if (strcmp(dialect, dialect_store.name) == 0)
		return templates_load_all(list, trace, paths, templates, err);
	error_try(
		template_search(templates->set, trace, paths->n_items, paths->items, &templates->diags, err));
	templates->is_complete = true;
	error_try(templates_check_names(templates, err));
	return templates_load_hooks(list, trace, paths, templates, err);
}

static bool give_effects(void *context, struct rst_layout *layout)
{
	struct dialect_templates *templates = context;

	return bind_effects(template_set_of(templates->set, layout->dialect), layout, &templates->diags);
}

enum rst_status templates_give_effects(
	struct dialect_templates *templates, struct rst_trace *trace, struct rst_error *err)
{
	return templates->set->has_effects ? rst_trace_give_effects(trace, give_effects, templates, err)
					   : RST_OK;
}

/*
 * The program's own templates name fields that only some targets record, and rely on 0 for the others.
 * Warnings about them are for `rastrum template check`, which knows all fields.
 */
static bool diag_is_wanted(const struct diag *diag, bool is_quiet)
{
	bool is_ours = diag->file && diag->file->is_builtin;

	return diag->kind == DIAG_ERROR || (diag->kind == DIAG_WARNING && !is_quiet && !is_ours);
}

const struct diag *templates_next_diag(struct dialect_templates *templates, bool is_quiet)
{
	struct diags *diags = &templates->diags;

	for (size_t i = 0; i < diags->n_items; i++) {
		struct diag *diag = &diags->items[i];

		if (diag->is_told || !diag_is_wanted(diag, is_quiet) || diag_is_repeated(diags, i))
			continue;
		diag->is_told = true;
		return diag;
	}
	return NULL;
}

bool templates_had_use(const struct dialect_templates *list, const char *path)
{
	bool is_used = false;

	for (; list; list = list->next)
		is_used |= !list->is_complete || template_search_gave(list->set, path);
	return is_used;
}
