/* SPDX-License-Identifier: MIT */
/*
 * The program: main.c finds a row of the command table, and command.c runs it. A command is one const struct
 * in commands[], with its tables of options; what several commands share (how to open a trace, messages, exit
 * statuses) is in common.c.
 */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <rastrum/rastrum.h>

#include "base/outbuf.h"
#include "cli/opt.h"
#include "job/notes.h"
#include "job/open.h"
#include "job/outcome.h"

/* A subcommand: the first operand of some commands. */
struct subcommand {
	const char *name;
	const char *operands; /* as help shows them, and with them an option that it needs */
	const char *summary;
	int n_operands_min, n_operands_max; /* behind its name */
	void (*complete)(
		struct completion *completion); /* offers an operand; NULL if there is nothing to offer */
};

/* A command line that runs as it stands, and what comes of it. */
struct example {
	const char *command, *what;
};

enum { COMMAND_USAGES = 3 };

struct command {
	const char *name;
	const char
		*usages[COMMAND_USAGES]; /* operands and options, behind "rastrum NAME": one for each way */
	const char *summary;		 /* one line */
	const struct opt_group *groups;
	const struct subcommand *subcommands; /* one without a name ends the list; NULL: no subcommands */
	const struct example *examples;	      /* one without a command ends the list; NULL: no examples */
	size_t args_bytes;		      /* of the struct of arguments, which is zeroed first */
	int n_operands_min;
	const char *needs; /* what is lacking when there are fewer: "a file" */
	bool has_program;  /* the operands are a program and its arguments, behind all options */
	void (*complete)(
		struct completion *completion); /* offers an operand, where there are no subcommands */
	void (*defaults)(void *args);		/* what is not zero; NULL if all is */

	/*
	 * Runs with the parsed arguments; returns the exit status. A subcommand is known, and has its number
	 * of operands.
	 */
	int (*run)(void *args, int n_operands, char **operands);
	const char *
		/* that does it instead, with the words behind the command as its arguments; NULL: none */
		program;
};

/* The log of a session of `rastrum trace` that has no -o, in the folder in which it was started. */
#define TRACE_LOG "trcfile"

/* --- cmd_*.c -------------------------------------------------------------------------------------------- */

extern const struct command command_report, command_info, command_stats, command_explain, command_doctor,
	command_check, command_diff, command_query, command_convert, command_curt, command_splat,
	command_trcrpt, command_trcevgrp, command_trace, command_trcon, command_trcoff, command_trcstop,
	command_draw, command_cut, command_merge, command_anonymise, command_view, command_timeline,
	command_template, command_record, command_bench, command_completion;

/* --- command.c ------------------------------------------------------------------------------------------ */

/* Standard descriptors and signals, before anything else. */
void command_begin(void);

/*
 * Parses the words behind the command's name and runs it; returns the exit status. argv gets another order.
 */
int command_run(const struct command *command, int argc, char **argv);

/*
 * The main() of a program of its own that does the work of a command: it runs the words behind its name with
 * `run`, after `defaults`, which may be NULL. Returns the exit status.
 */
int command_main(const struct command *command, void (*defaults)(void *args),
	int (*run)(void *args, int n_operands, char **operands), int argc, char **argv);

/* Returns the index of a subcommand, or a number below 0 if the command has no subcommand of that name. */
int command_subcommand(const struct command *command, const char *name);

/* Whether the options of a group are for this subcommand. */
bool command_has_options(const struct opt_group *group, int subcommand);

/* Returns RST_E_USAGE if there is no such subcommand. The error has one that is spelled nearly so, or all. */
enum rst_status command_unknown(const struct command *command, const char *name, struct rst_error *err);

/* --- common.c ------------------------------------------------------------------------------------------- */

/* They store in a struct open_spec, the first member of the arguments of every command that reads a trace. */
extern const struct opt common_opts[];

enum common_color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
extern const char *const common_color_names[3];

/* Whether to colour what goes to this descriptor: a terminal, NO_COLOR unset, TERM not "dumb". */
bool common_has_color(enum common_color wanted, int fd);

/* Prints "rastrum: SENTENCE" to stderr; returns the exit status that goes with it. */
int common_fail(const struct rst_error *err);

/* Prints on stderr what was guessed and what was damaged; returns EXIT_GOOD or EXIT_DAMAGED. */
int common_print_notes(struct rst_trace *trace, bool is_quiet, enum notes_kind kind);

/* Flushes; prints the error of a full disk or the like. A reader that closed its end (EPIPE) is no error. */
int common_finish(struct outbuf *out);
/* The same for a file that has no name yet; the error calls it so. NULL: as common_finish(). */
int common_finish_as(struct outbuf *out, const char *name);

/* The same of what was printed with stdio; returns the exit status. */
int common_finish_stdout(void);

/* "-" must be among the operands and the paths of an option once at the most. RST_E_USAGE. */
enum rst_status common_check_input(
	const struct text_list *more, int n_operands, char **operands, struct rst_error *err);

/* Sets the error of a wrong command line, with advice (may be NULL). Returns RST_E_USAGE. */
enum rst_status common_refuse(struct rst_error *err, const char *advice, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Returns RST_E_USAGE if a command without what it needs. */
enum rst_status common_lacks(const struct command *command, struct rst_error *err);

/* The value of --duration: seconds, or a number with ms, s, m or h. RST_E_USAGE. */
enum rst_status common_parse_duration(const char *text, uint64_t *ret_ns, struct rst_error *err);

/* The file that is to be written must not be one of the inputs; it is not touched. RST_E_USAGE, RST_E_IO. */
enum rst_status common_spare_inputs(const char *path, int n_operands, char **operands, struct rst_error *err);

/*
 * Standard output, or the file of -o, emptied; one of the operands is refused, and so is any recording where
 * a report is to be written. RST_E_IO, RST_E_USAGE.
 */
enum rst_status common_output(const char *path, bool is_report, int n_operands, char **operands, int *ret_fd,
	struct rst_error *err);

/*
 * For a file that is written under another name first: one of the operands, or a recording, is refused.
 * RST_E_USAGE, RST_E_IO.
 */
enum rst_status common_check_output(const char *path, int n_operands, char **operands, struct rst_error *err);

/* Closes it, and prints an error when that shows that not everything was written. */
int common_close(int fd);

/* --- progress.c ----------------------------------------------------------------------------------------- */

struct progress {
	bool is_wanted; /* stderr is a terminal, and standard output is not the same one */
	bool is_shown;
	uint64_t start_ns, shown_ns, trace_ns; /* trace_ns: when the present trace was begun */
	const struct rst_trace *trace;	       /* NULL: none yet */
};

void progress_start(struct progress *progress, int out_fd);
void progress_trace(struct progress *progress, const struct rst_trace *trace); /* which is read next */
void progress_update(void *progress, uint64_t n_events); /* a callback of report and summary */
void progress_end(struct progress *progress);

#endif
