/* SPDX-License-Identifier: MIT */
/*
 * `rastrum trcrpt`: AIX's report command, with its letters, over traces of every dialect. cli/trcrpt/trcrpt.h
 * names the parts.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/aix/trcrpt.h"
#include "cli/completion.h"
#include "template/set/search.h"

static const struct opt choice_opts[] = {
	{ OPT_LIST, 'd', "hooks", "LIST", offsetof(struct trcrpt_args, hooks),
		.help = "only these hooks: ids of 3 or 4 digits, or names of events",
		.complete = complete_types },
	{ OPT_LIST, 'k', "not-hooks", "LIST", offsetof(struct trcrpt_args, not_hooks),
		.help = "all hooks but these", .complete = complete_types },
	{ OPT_LIST, 'D', "groups", "LIST", offsetof(struct trcrpt_args, groups),
		.help = "only the hooks of these groups; -G lists groups" },
	{ OPT_LIST, 'K', "not-groups", "LIST", offsetof(struct trcrpt_args, not_groups),
		.help = "all hooks but those of these groups" },
	{ OPT_LIST, 'p', "programs", "LIST", offsetof(struct trcrpt_args, programs),
		.help = "only these processes, by number or name", .complete = complete_contexts },
	{ OPT_LIST, 'T', "threads", "LIST", offsetof(struct trcrpt_args, threads),
		.help = "only these threads, by number" },
	{ OPT_LIST, 'C', "cpus", "LIST|all", offsetof(struct trcrpt_args, cores),
		.help = "only entries of these processors" },
	{ OPT_TEXT, 's', "start", "DATE", offsetof(struct trcrpt_args, start),
		.help = "first moment, as mmddhhmmssyy in local time" },
	{ OPT_TEXT, 'e', "end", "DATE", offsetof(struct trcrpt_args, end), .help = "last moment, likewise" },
	{ .kind = OPT_END },
};

static const struct opt look_opts[] = {
	{ OPT_LIST, 'O', "set", "NAME=VALUE", offsetof(struct trcrpt_args, settings),
		.help = "columns and pages: 2line, cpuid, exec, filename, hist, ids, pid, removedups, svc, "
			"tid (on or off), starttime, endtime (seconds), timestamp (0 to 4), pagesize "
			"(lines)" },
	{ OPT_FLAG, 'x', "calls", NULL, offsetof(struct trcrpt_args, wants_calls),
		.help = "columns with the program and the system call" },
	{ OPT_FLAG, 'h', "no-heading", NULL, offsetof(struct trcrpt_args, has_no_heading),
		.help = "no headings" },
	{ OPT_FILES, 't', "templates", "FILE", offsetof(struct trcrpt_args, templates),
		.help = "templates, over those that are there; may be repeated", .complete = complete_files },
	{ OPT_FILES, 'n', "names", "FILE", offsetof(struct trcrpt_args, common.symbols),
		.help = "the program (ELF) that ran, or a list of symbols as of nm or kallsyms: names of "
			"addresses; may be repeated",
		.complete = complete_files },
	{ .kind = OPT_END },
};

static const struct opt output_opts[] = {
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct trcrpt_args, output),
		.help = "write to FILE, not to standard output", .complete = complete_files },
	{ OPT_FLAG, 'r', "raw", NULL, offsetof(struct trcrpt_args, is_raw),
		.help = "the entries themselves, in one stream, in place of a report" },
	{ OPT_FLAG, 'j', "list", NULL, offsetof(struct trcrpt_args, is_list),
		.help = "ids and labels of hooks that have a template, in place of a report" },
	{ OPT_FLAG, 'G', "list-groups", NULL, offsetof(struct trcrpt_args, wants_groups),
		.help = "groups of hooks, in place of a report; `rastrum trcevgrp` makes them" },
	{ OPT_FLAG, 'c', "check", NULL, offsetof(struct trcrpt_args, is_check),
		.help = "errors in templates, in place of a report" },
	{ OPT_FLAG, 'v', "verbose", NULL, offsetof(struct trcrpt_args, is_verbose),
		.help = "the name of each file that is read" },
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct trcrpt_args, is_quiet),
		.help = "no notes about what was guessed" },
	{ .kind = OPT_END },
};

static const struct opt input_opts[] = {
	{ OPT_FLAG, 'm', "merge", NULL, offsetof(struct trcrpt_args, is_merged),
		.help = "all files in one report, in the order of time" },
	{ OPT_TEXT, 0, "dialect", "NAME", offsetof(struct trcrpt_args, common.dialect),
		.help = "read as this dialect (default: found by the content)",
		.complete = complete_dialects },
	{ OPT_PAIRS, 0, "opt", "KEY=VALUE", offsetof(struct trcrpt_args, common.settings),
		.help = "a setting of the dialect; `rastrum info --dialects` lists them",
		.complete = complete_settings },
	{ OPT_RATE, 0, "clock-hz", "N", offsetof(struct trcrpt_args, common.clock_hz),
		.help = "ticks per second, where the recording does not tell: 168MHz, 32.768k, 1e9" },
	{ .kind = OPT_END },
};

/* Named so that they can be refused with a reason. */
static const struct opt absent_opts[] = {
	{ OPT_TEXT, 'l', "components", "LIST", offsetof(struct trcrpt_args, components),
		.help = "buffers of components of AIX's kernel" },
	{ OPT_TEXT, 'M', "memory", "common|rare|all", offsetof(struct trcrpt_args, memory),
		.help = "lightweight memory traces of AIX's kernel" },
	{ OPT_TEXT, '@', "partitions", "LIST", offsetof(struct trcrpt_args, partitions),
		.help = "workload partitions of AIX; use -p" },
	{ .kind = OPT_END },
};

static const struct opt_group trcrpt_groups[] = {
	{ .title = "Which entries", .opts = choice_opts },
	{ .title = "How the report looks", .opts = look_opts },
	{ .title = "Where it goes, and what else can", .opts = output_opts },
	{ .title = "How the input is read", .opts = input_opts },
	{ .title = "Of AIX, refused here", .opts = absent_opts },
	{ .opts = NULL },
};

static const struct example trcrpt_examples[] = {
	{ "rastrum trcrpt dump.trx", "all entries in AIX's columns" },
	{ "rastrum trcrpt -O exec=on,tid=on,timestamp=1 --clock-hz 50M dump.trx",
		"with thread names and numbers, and the elapsed time alone" },
	{ "rastrum trcrpt -h -d 033,034 -p low dump.trx", "two hooks of one thread, without a heading" },
	{ "rastrum trcrpt -O hist=on dump.trx", "and how often each hook was there" },
	{ "rastrum trcrpt -j", "the hooks that have a template" },
	{ NULL, NULL },
};

/* The output must not be a file of templates. It is emptied only after this check. */
static enum rst_status check_output(
	const struct trcrpt_args *args, int n_operands, char **operands, struct rst_error *err)
{
	struct stat output;

	if (!args->output || strcmp(args->output, "-") == 0 || stat(args->output, &output) != 0)
		return RST_OK;
	return template_search_spares(
		&output, (size_t)n_operands, operands, args->templates.n_items, args->templates.items, err);
}

/*
 * As on AIX the log of the last session is what is reported if no other is named: here the one that it has in
 * this folder.
 */
static bool has_session_log(void)
{
	return access(TRACE_LOG, F_OK) == 0;
}

static int trcrpt_run(void *arguments, int n_operands, char **operands)
{
	char *session_log[] = { (char *)(uintptr_t)TRACE_LOG };
	const struct trcrpt_args *args = arguments;
	struct trcrpt_settings settings;
	struct arena arena = { 0 };
	struct rst_error err;
	int fd, exit_status;

	if (n_operands == 0 && has_session_log() && !args->is_list) {
		operands = session_log;
		n_operands = 1;
	}
	if (trcrpt_refuse(args, &err) < 0 || trcrpt_settings_read(&settings, args, &arena, &err) < 0 ||
		common_check_input(&args->templates, n_operands, operands, &err) < 0)
		exit_status = common_fail(&err);
	else if (args->is_check)
		exit_status = trcrpt_check(args);
	else if (args->wants_groups)
		exit_status = trcrpt_list_groups(args);
	else if (args->is_list)
		exit_status = trcrpt_list(args, n_operands, operands);
	else if ((n_operands == 0 && common_lacks(&command_trcrpt, &err) < 0) ||
		 check_output(args, n_operands, operands, &err) < 0 ||
		 common_output(args->output, !args->is_raw, n_operands, operands, &fd, &err) < 0)
		exit_status = common_fail(&err);
	else {
		exit_status = (args->is_raw ? trcrpt_raw : trcrpt_report)(
			args, &settings, fd, n_operands, operands);
		exit_status = outcome_worse(exit_status, common_close(fd));
	}
	arena_done(&arena);
	return exit_status;
}

const struct command command_trcrpt = {
	.name = "trcrpt",
	.usages = { "[options] [FILE...]", "-j [options] [FILE]", "-c [-t FILE]" },
	.summary = "report traces as AIX's trcrpt does, with its options",
	.groups = trcrpt_groups,
	.needs = "a file: there is no trcfile here, the log of `rastrum trace`, to take in its place",
	.complete = complete_files,
	.examples = trcrpt_examples,
	.args_bytes = sizeof(struct trcrpt_args),
	.run = trcrpt_run,
};
