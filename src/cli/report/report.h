/* SPDX-License-Identifier: MIT */
/*
 * The parts of `rastrum report`, which cmd_report.c puts together:
 *
 *	templates.c   the templates of each dialect, and messages about them
 *	output.c      from the report to the output: pager, --last, progress, flushing for live inputs
 *	tail.c        the last lines of an output
 *	narrow.c      finds the events that need not be read
 *	threads.c     opens the same trace for further threads
 *	end_line.c    the last line about a trace: its events, loss and damage
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "cli/cli.h"
#include "cli/live.h"
#include "cli/pager.h"
#include "index/index.h"
#include "job/templates.h"
#include "lines/report.h"

/* --- templates.c ---------------------------------------------------------------------------------------- */

/* Prints a diagnosis; a function that sessions give theirs to. */
void templates_print_diag(void *context, const struct diag *diag);

/*
 * Prints diagnoses that were not printed before: errors; warnings about files of the user, unless is_quiet.
 */
void templates_print_diags(struct dialect_templates *templates, bool is_quiet);

/* Prints a note for each of the paths that had no template for any of the dialects. */
void templates_note_unused(const struct dialect_templates *list, const struct text_list *paths);

/* Prints notes about what went wrong while the texts of a trace were made. */
void templates_note_texts(const struct runner *runner, const char *path);

/* --- narrow.c ------------------------------------------------------------------------------------------- */

/*
 * Finds the purposes for which the report needs an index. n_last: as in --last. is_only: there is no other
 * trace.
 */
struct index_wish report_wish(
	const struct report *report, const struct template_set *set, uint64_t n_last, bool is_only);

/* --- tail.c --------------------------------------------------------------------------------------------- */

/* Keeps only the last lines that are written to a buffer, for --last; memory grows with those lines only. */
struct tail {
	struct outbuf *memory; /* OUTBUF_MEMORY */
	size_t *starts;	       /* offsets of the last lines */
	uint64_t n_lines;      /* as many are wanted */
	size_t n_kept, room, next;
	size_t n_seen;	 /* bytes of memory that were searched for line ends */
	bool has_quotes; /* a line end between quotes ends no line: CSV */
};

void tail_init(struct tail *tail, struct outbuf *memory, uint64_t n_lines, bool has_quotes);

/* Takes in what was written since the last call. false when memory ran out, which ends the report, too. */
bool tail_update(struct tail *tail);
void tail_write(const struct tail *tail, struct outbuf *out);
void tail_done(struct tail *tail);

/* --- output.c ------------------------------------------------------------------------------------------- */

/* Everything between a report and its output. */
struct output {
	/* Set by the caller. */
	int fd;
	uint64_t n_last;   /* lines of --last; UINT64_MAX: all */
	struct link *link; /* NULL if files are read */
	bool wants_pager;

	struct report *report;
	struct rst_trace *trace; /* that is being reported, or NULL */
	struct outbuf out;
	struct outbuf memory; /* with --last: what the report writes to */
	struct tail tail;
	struct progress progress;
	struct pager pager;
	bool has_out, has_tail;
};

/*
 * Begins the output of a report, and sets the report's members for it. RST_E_NOMEM; output_done() is due
 * then, too.
 */
enum rst_status output_begin(struct output *output, struct report *report, struct rst_error *err);

/* This trace is reported from here on, or none for NULL. */
void output_trace(struct output *output, struct rst_trace *trace);

/* Writes what is left; returns the exit status. */
int output_finish(struct output *output);

/* Waits until the user has left the pager. */
void output_done(struct output *output);

/* --- threads.c ------------------------------------------------------------------------------------------ */

/* The data that is needed to open the traces of a report once more. */
struct threads {
	/* Set by the caller. */
	const struct open_spec *common;
	const struct text_list *templates;
	int n_operands;
	char **operands;

	struct report_opener opener;
};

#define THREADS_HELP "threads that format, 0: one for each processor (default: 1)"

/*
 * Has the report use as many threads as --threads has it (0: one for each processor), where its input can be
 * read several times.
 */
void threads_set_up(struct threads *threads, struct report *report, uint64_t n_threads);

/* --- end_line.c ----------------------------------------------------------------------------------------- */

/*
 * Prints the last line about a trace that was read to its end: its events, how many of them were shown, loss
 * and damage.
 */
void end_line_print(struct rst_trace *trace, uint64_t n_events, uint64_t n_shown);

#endif
