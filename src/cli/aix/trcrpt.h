/* SPDX-License-Identifier: MIT */
/*
 * `rastrum trcrpt`: AIX's report command over every dialect. cmd_trcrpt.c has its options; its parts are
 *
 *	trcrpt_refused.c    options and settings that have no meaning here, and why
 *	trcrpt_settings.c   -O
 *	trcrpt_choice.c     hooks, programs, threads, processors and dates as a filter
 *	trcrpt_hooks.c      events of other dialects as hooks
 *	trcrpt_list.c       -j and -c: templates in place of a trace
 *	trcrpt_session.c    traces to a report, one after the other or merged
 *	trcrpt_preface.c    the lines above the first heading
 *	trcrpt_counts.c     -O hist
 *	trcrpt_raw.c        -r: entries as they were recorded
 */
#ifndef CLI_AIX_TRCRPT_H
#define CLI_AIX_TRCRPT_H

#include "base/arena.h"
#include "cli/report/report.h"

/* As trcrpt has it; other failures have the statuses of all commands. */
enum {
	EXIT_UNUSABLE = 1
}; /* a trace or a file of templates that cannot be used; with -c one with an error */

struct trcrpt_args {
	struct open_spec common; /* first: -n is stored in it */
	struct text_list hooks, not_hooks, groups, not_groups, programs, threads, cores, settings, templates;
	const char *start, *end, *output;
	bool is_check, is_list, is_raw, is_merged, is_verbose, is_quiet, has_no_heading, wants_calls,
		wants_groups;
	/* Only to be refused. */
	const char *components, *memory, *partitions;
};

/* The words of lists and settings, which blanks part, too. */
struct words {
	const char **items;
	size_t n_items, room;
};

/* Appends the words of a list's items, as copies in the arena. Returns false if memory ran out. */
bool words_add(struct words *words, struct arena *arena, const struct text_list *list);

/* --- trcrpt_refused.c ----------------------------------------------------------------------------------- */

/* Returns RST_E_USAGE if an option was given that has no meaning here; err has the reason. */
enum rst_status trcrpt_refuse(const struct trcrpt_args *args, struct rst_error *err);

/* --- trcrpt_settings.c ---------------------------------------------------------------------------------- */

/* The settings of -O. */
struct trcrpt_settings {
	struct aix_look look;
	bool has_counts, removes_duplicates;
	const char *from, *to; /* for filter_spec */
};

/* RST_E_USAGE, RST_E_NOMEM. */
enum rst_status trcrpt_settings_read(struct trcrpt_settings *settings, const struct trcrpt_args *args,
	struct arena *arena, struct rst_error *err);

/* --- trcrpt_choice.c ------------------------------------------------------------------------------------ */

/* The events that the options choose from traces of one dialect. */
struct trcrpt_choice {
	struct filter_spec filter;
	int64_t from_wall, to_wall;
};

/* Everything is in the arena or borrowed from the arguments. RST_E_USAGE, RST_E_NOMEM. */
enum rst_status trcrpt_choice_make(struct trcrpt_choice *choice, const struct trcrpt_args *args,
	const char *dialect, struct arena *arena, struct rst_error *err);

/* --- trcrpt_hooks.c ------------------------------------------------------------------------------------- */

/* For report_input.hook: returns the hook that AIX's trace has for such events, or NULL. */
const struct hook *trcrpt_hook(struct rst_trace *trace, const struct rst_layout *layout);

/* --- trcrpt_session.c ----------------------------------------------------------------------------------- */

/* Reports all traces to the descriptor; returns the exit status. */
int trcrpt_report(const struct trcrpt_args *args, const struct trcrpt_settings *settings, int fd,
	int n_operands, char **operands);

/* --- cmd_trcrpt.c --------------------------------------------------------------------------------------- */

/*
 * Prints it; returns EXIT_UNUSABLE for a trace or file of templates of which nothing could be used, else as
 * common_fail().
 */
int trcrpt_fail(const struct rst_error *err, bool is_unusable);

/* --- trcrpt_list.c, trcrpt_preface.c, trcrpt_counts.c, trcrpt_raw.c ------------------------------------- */

/* Each returns the exit status. */
int trcrpt_list(const struct trcrpt_args *args, int n_operands, char **operands);
int trcrpt_check(const struct trcrpt_args *args);
int trcrpt_list_groups(const struct trcrpt_args *args);
int trcrpt_raw(const struct trcrpt_args *args, const struct trcrpt_settings *settings, int fd, int n_operands,
	char **operands);

/* For report_options.preface. */
void trcrpt_preface(struct outbuf *out, const struct report_input *input);

/*
 * Below the lines of a trace: its hooks, with how often each was shown and its label. Returns false if memory
 * ran out.
 */
bool trcrpt_counts_put(
	struct outbuf *out, const struct type_counts *counts, const struct report_input *input);

#endif
