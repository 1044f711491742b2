/* SPDX-License-Identifier: MIT */
/* `rastrum splat`: locks in the layout of AIX's tool of this name, and with its letters. */
#include <errno.h>
#include <stdlib.h>

#include "analysis/stats/splat.h"
#include "cli/aix/letters.h"
#include "cli/completion.h"

struct splat_args {
	struct letters_args letters; /* first */
	const char *details, *address, *class_name, *sort;
	uint64_t n_max; /* UINT64_MAX: not given */
	/* Only to be refused. */
	const char *n_cores;
	bool uses_register;
};

static const struct opt splat_opts[] = {
	{ OPT_TEXT, 'd', "detail", "b|f|t|a", offsetof(struct splat_args, details),
		.help = "b: each lock; t: and by thread; a: all there is (default); f, by function, is "
			"refused" },
	{ OPT_TEXT, 'l', "address", "ADDRESS", offsetof(struct splat_args, address),
		.help = "only the lock of this address, in hexadecimal" },
	{ OPT_TEXT, 'c', "class", "KIND", offsetof(struct splat_args, class_name),
		.help = "only locks of this kind: mutex, rwlock" },
	{ OPT_TEXT, 's', "sort", "a|e|l|m", offsetof(struct splat_args, sort),
		.help = "by acquisitions (default), time held, address or misses; c, s and S are refused" },
	{ OPT_NUMBER, 'S', "most", "N", offsetof(struct splat_args, n_max),
		.help = "no more locks and threads of one lock than N" },
	{ OPT_TEXT, 't', "start", "SECONDS", offsetof(struct splat_args, letters.start),
		.help = "first moment that counts" },
	{ OPT_TEXT, 'T', "stop", "SECONDS", offsetof(struct splat_args, letters.stop),
		.help = "last moment that counts" },
	{ .kind = OPT_END },
};

/* Named so that they can be refused with a reason. */
static const struct opt absent_opts[] = {
	{ OPT_TEXT, 'C', "cpus", "N", offsetof(struct splat_args, n_cores),
		.help = "how many processors there were, which recordings know" },
	{ OPT_FLAG, 'p', "register", NULL, offsetof(struct splat_args, uses_register),
		.help = "times by a register of AIX's processors" },
	{ .kind = OPT_END },
};

static const struct letters_refused refused[] = {
	{ 'C', false, offsetof(struct splat_args, n_cores),
		"recordings here know on how many processors they were made", "leave it out" },
	{ 'p', true, offsetof(struct splat_args, uses_register),
		"recordings here have no register that counts the processor's resources", "leave it out" },
};

static const struct opt_group splat_groups[] = {
	{ .title = "As on AIX", .opts = splat_opts },
	{ .title = "What counts", .opts = analysis_select_bare_opts },
	{ .title = "Where it goes", .opts = analysis_output_opts },
	{ .title = "How the input is read", .opts = letters_input_opts },
	{ .title = "Of AIX, refused here", .opts = absent_opts },
	{ .opts = NULL },
};

static void splat_defaults(void *arguments)
{
	struct splat_args *args = arguments;

	args->n_max = UINT64_MAX;
}

/* The letters of -d and -s; those that have a reason are refused. */
static const struct letter {
	char option, letter;
	unsigned value;
	const char *why;
} letters[] = {
	{ 'd', 'b', 0, NULL },
	{ 'd', 't', true, NULL },
	{ 'd', 'a', true, NULL },
	{ 'd', 'f', 0, "recordings here do not have the functions that take locks; -d t has the threads" },
	{ 's', 'a', SPLAT_BY_ACQUISITIONS, NULL },
	{ 's', 'e', SPLAT_BY_HELD, NULL },
	{ 's', 'l', SPLAT_BY_ADDRESS, NULL },
	{ 's', 'm', SPLAT_BY_MISSES, NULL },
	{ 's', 'c', 0,
		"recordings here do not have the processor time in which a lock was held; -s e has the "
		"time" },
	{ 's', 's', 0, "recordings here do not have spinning; -s m has the misses" },
	{ 's', 'S', 0, "recordings here do not have spinning; -s m has the misses" },
};

static enum rst_status read_letter(char option, const char *word, unsigned *ret_value, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		if (letters[i].option != option || word[0] != letters[i].letter || word[1])
			continue;
		*ret_value = letters[i].value;
		return letters[i].why
			       ? common_refuse(err, NULL, "-%c %c: %s", option, word[0], letters[i].why)
			       : RST_OK;
	}
	return common_refuse(
		err, option == 'd' ? "b, t or a" : "a, e, l or m", "-%c cannot be '%.40s'", option, word);
}

static enum rst_status read_address(const char *word, uint64_t *ret_address, struct rst_error *err)
{
	char *end;

	errno = 0;
	*ret_address = strtoull(word, &end, 16);
	return *word && !*end && !errno ? RST_OK
					: common_refuse(err, "for instance 0x7f001000",
						  "-l is an address in hexadecimal, not '%.40s'", word);
}

static enum rst_status choice_read(
	struct splat_choice *choice, const struct splat_args *args, struct rst_error *err)
{
	unsigned value = true;

	*choice = (struct splat_choice){ .kind = args->class_name,
		.has_address = args->address != NULL,
		.n_max = args->n_max < SIZE_MAX ? (size_t)args->n_max : SIZE_MAX };
	if (args->details)
		error_try(read_letter('d', args->details, &value, err));
	choice->has_threads = value != 0;
	value = SPLAT_BY_ACQUISITIONS;
	if (args->sort)
		error_try(read_letter('s', args->sort, &value, err));
	choice->order = (enum splat_order)value;
	return args->address ? read_address(args->address, &choice->address, err) : RST_OK;
}

static const struct example splat_examples[] = {
	{ "rastrum splat dump.trx", "locks, who had them and who waited" },
	{ "rastrum splat --clock-hz 50M --from 1s --to 2s dump.trx", "one second of it, in milliseconds" },
	{ "rastrum splat -i dump.trx -o report.txt -d b -s m -S 10", "the ten locks that were missed most" },
	{ "rastrum splat --object 'resource (plain)' dump.trx", "one lock" },
	{ NULL, NULL },
};

/* One run of the command. */
struct session {
	struct survey survey;
	struct splat_choice choice;
	struct table_output output;
};

static int splat_of(void *context, struct rst_trace *trace, size_t n)
{
	struct session *session = context;
	struct survey *survey = &session->survey;
	struct table_output *output = &session->output;
	struct locks *locks;
	struct scan scan = { 0 };
	struct rst_error err;
	int exit_status;

	(void)n;
	observers_add_kind(&scan.observers, &analysis_locks.observer, NULL);
	exit_status = survey_scan(survey, trace, &scan);
	output->times = scan.is_started ? &scan.times : NULL;
	locks = survey->job.is_over ? NULL : observers_state(&scan.observers, 0);
	if (!survey->job.is_over && !locks)
		error_nomem(&err);
	if (!survey->job.is_over && (!locks || splat_put(locks, &scan, &session->choice, output, &err) < 0))
		exit_status = outcome_worse(exit_status, common_fail(&err));
	output->n_begun++;
	scan_done(&scan);
	return exit_status;
}

static int splat_run(void *arguments, int n_operands, char **operands)
{
	const struct splat_args *args = arguments;
	struct arena arena = { 0 };
	struct letters read;
	struct session session = {
		.survey = { .args = &read.analysis, .job.spec = &read.analysis.job },
		.output = { .out = &session.survey.out },
	};
	struct rst_error err;
	int exit_status;

	if (letters_refuse(args, refused, sizeof(refused) / sizeof(refused[0]), &err) < 0 ||
		choice_read(&session.choice, args, &err) < 0 ||
		letters_read(&read, &command_splat, &args->letters, "tT", n_operands, operands, &arena,
			&err) < 0) {
		arena_done(&arena);
		return common_fail(&err);
	}
	session.survey.job.n_paths = read.n_operands;
	session.survey.job.paths = read.operands;
	if (survey_begin(&session.survey, &err) < 0) {
		exit_status = common_fail(&err);
	} else {
		exit_status = survey_each(&session.survey, splat_of, &session);
		exit_status = outcome_worse(exit_status, survey_done(&session.survey));
	}
	arena_done(&arena);
	return exit_status;
}

const struct command command_splat = {
	.name = "splat",
	.usages = { "[options] FILE...", "-i FILE [options]" },
	.summary = "show the use of locks in the layout of AIX's splat",
	.needs = "a file",
	.groups = splat_groups,
	.complete = complete_files,
	.examples = splat_examples,
	.args_bytes = sizeof(struct splat_args),
	.defaults = splat_defaults,
	.run = splat_run,
};
