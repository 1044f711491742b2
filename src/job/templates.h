/* SPDX-License-Identifier: MIT */
/* The templates of each dialect that a job meets: loaded once, checked, and given to its traces. */
#ifndef JOB_TEMPLATES_H
#define JOB_TEMPLATES_H

#include "base/text_list.h"
#include "template/set/set.h"

/* The templates of a dialect in one project, loaded once, however many traces there are of it. A list. */
struct dialect_templates {
	struct dialect_templates *next;
	struct template_set *set;
	char *project; /* the folder; "": none */
	struct diags diags;
	bool is_complete; /* everything was loaded and checked */
};

/*
 * The templates of a dialect: those of the program and of the user, overridden by those beside the trace of
 * this path (NULL: none), and by the files and folders of `paths`. In the list, which owns them, until
 * templates_free(). RST_E_NOMEM, RST_E_IO, RST_E_USAGE.
 */
enum rst_status templates_load(struct dialect_templates **list, const char *dialect, const char *trace,
	const struct text_list *paths, struct dialect_templates **ret_templates, struct rst_error *err);
struct dialect_templates *templates_free(struct dialect_templates *list);

/*
 * Gives the layouts of a trace of this dialect the effects of the templates, which must live as long as the
 * trace is read. RST_E_NOMEM.
 */
enum rst_status templates_give_effects(
	struct dialect_templates *templates, struct rst_trace *trace, struct rst_error *err);

/*
 * Returns the next diagnosis that a user has to see, and marks it as told: errors; warnings about files of
 * the user, unless is_quiet. Returns NULL behind the last one.
 */
const struct diag *templates_next_diag(struct dialect_templates *templates, bool is_quiet);

/*
 * Returns whether a file or folder of --templates had a template for a dialect of the list. A list that is
 * not complete has another error already.
 */
bool templates_had_use(const struct dialect_templates *list, const char *path);

#endif
