/* SPDX-License-Identifier: MIT */
/*
 * Commands for which the system does not do what they ask. Each command line below is run again and again:
 * the first allocation (or call of a kind) fails and all later ones, then the second and all later ones,
 * until none fails. Each run must end with exit status 4 and one sentence, or with the whole right output;
 * and with disks of several sizes that are too small. Begin reading at check_fault().
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/main/main.h"
#include "tests/tap.h"

enum { N_WORDS = 8, N_TRIALS_MAX = 20000, TEXT_MAX = 4000 };

#define INVERSION "tests/data/threadx/priority_inversion.trx"
#define OBJECTS	  "tests/data/threadx/basic_objects.trx"

static char output_path[] = "/tmp/rastrum-commands-XXXXXX";

static const struct job {
	const char *words
		[N_WORDS]; /* the command, and what is behind it; -o is added; "-" is a pipe with a dump */
} jobs[] = {
	{ { "report", INVERSION } },
	{ { "report", "--intervals", "-fjsonl", INVERSION } },
	{ { "report", "-" } },
	{ { "info", INVERSION } },
	{ { "info", "--json", INVERSION } },
	{ { "stats", INVERSION } },
	{ { "stats", "--table=locks", "--per=10000000", "--json", INVERSION } },
	{ { "curt", INVERSION } },
	{ { "splat", INVERSION } },
	{ { "stats", "-" } },
	{ { "explain", INVERSION } },
	{ { "explain", "--json", INVERSION } },
	{ { "check", "--clock-hz=1M", "examples/check/periodic.rules", INVERSION } },
	{ { "diff", OBJECTS, INVERSION } },
	{ { "draw", INVERSION } },
	{ { "trcrpt", "-x", "-Kgka", "-Ohist=on", INVERSION } },
	{ { "trcrpt", "-qn", "tests/data/symbols/list.txt", INVERSION } },
};

struct run {
	int exit_status;
	bool was_refused;
	size_t n_output;
	unsigned char *output;
	char messages[TEXT_MAX];
};

/* --- what fails ----------------------------------------------------------------------------------------- */

static void begin_nothing(long n)
{
	(void)n;
}

static bool end_nothing(void)
{
	return false;
}

static void begin_alloc(long n)
{
	tap_fail_alloc_after(n);
}

/* Whether the limit was met, or nearly so. */
static bool end_alloc(void)
{
	void *volatile more = malloc(1);
	const bool was_refused = !more;

	free(more);
	tap_fail_alloc_after(-1);
	return was_refused;
}

static bool end_call(enum tap_call call)
{
	const bool has_failed = tap_call_has_failed(call);

	tap_fail_call_after(call, -1, 0);
	return has_failed;
}

static void begin_read(long n)
{
	tap_fail_call_after(TAP_READ, n, EIO);
}

static bool end_read(void)
{
	return end_call(TAP_READ);
}

static void begin_fstat(long n)
{
	tap_fail_call_after(TAP_FSTAT, n, EIO);
}

static bool end_fstat(void)
{
	return end_call(TAP_FSTAT);
}

static void begin_mmap(long n)
{
	tap_fail_call_after(TAP_MMAP, n, ENOMEM);
}

static bool end_mmap(void)
{
	return end_call(TAP_MMAP);
}

static void begin_truncate(long n)
{
	tap_fail_call_after(TAP_FTRUNCATE, n, EIO);
}

static bool end_truncate(void)
{
	return end_call(TAP_FTRUNCATE);
}

static void begin_write(long n)
{
	tap_fail_write_after(n);
}

/* Whether the disk is full: all bytes that it took are not enough. */
static bool end_write(void)
{
	const int fd = open(output_path, O_WRONLY | O_APPEND | O_CLOEXEC);
	const bool is_full = write(fd, "", 0) < 0;

	close(fd);
	tap_fail_write_after(-1);
	return is_full;
}

static const struct fault {
	const char *name;
	void (*begin)(long n);
	bool (*end)(void); /* whether it has failed */
} nothing = { "nothing", begin_nothing, end_nothing }, faults[] = {
	{ "memory", begin_alloc, end_alloc },
	{ "read()", begin_read, end_read },
	{ "fstat()", begin_fstat, end_fstat },
	{ "mmap()", begin_mmap, end_mmap },
	{ "ftruncate()", begin_truncate, end_truncate },
	{ "write()", begin_write, end_write },
};

enum { N_FAULTS = sizeof(faults) / sizeof(faults[0]) };

/* --- runs ----------------------------------------------------------------------------------------------- */

static const char *words_text(const struct job *job)
{
	static char text[200];

	text[0] = '\0';
	for (size_t i = 0; i < N_WORDS && job->words[i]; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), i ? " %s" : "%s", job->words[i]);
	return text;
}

/* Standard input is a pipe with a file, which is smaller than a pipe. */
static void pipe_in(const char *path)
{
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(path, &n_bytes);
	int fds[2];

	if (pipe(fds) == 0 && write(fds[1], bytes, n_bytes) == (ssize_t)n_bytes) {
		close(fds[1]);
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
	}
	free(bytes);
}

/* Runs the command as main() does; what it prints on standard error is kept. */
static struct run job_run(const struct job *job, const struct fault *fault, long n)
{
	char words[N_WORDS][80], *argv[N_WORDS + 1] = { NULL };
	const int saved = dup(STDERR_FILENO), messages = (int)memfd_create("messages", MFD_CLOEXEC);
	struct run run = { 0 };
	int argc = 0;

	for (; argc + 1 < N_WORDS && job->words[argc + 1]; argc++)
		snprintf(words[argc], sizeof(words[argc]), "%s", job->words[argc + 1]);
	snprintf(words[argc++], sizeof(words[0]), "-o%s", output_path);
	for (int i = 0; i < argc; i++)
		argv[i] = words[i];
	dup2(messages, STDERR_FILENO);
	if (strcmp(argv[argc - 2], "-") == 0)
		pipe_in(OBJECTS);
	fault->begin(n);
	run.exit_status = command_run(command_find(job->words[0]), argc, argv);
	run.was_refused = fault->end();
	dup2(saved, STDERR_FILENO);
	close(saved);
	if (pread(messages, run.messages, sizeof(run.messages) - 1, 0) < 0)
		run.messages[0] = '\0';
	close(messages);
	run.output = tap_slurp(output_path, &run.n_output);
	return run;
}

static void run_done(struct run *run)
{
	free(run->output);
}

/* One line, "rastrum: …". */
static bool is_sentence(const char *text)
{
	const char *end = strchr(text, '\n');

	return strncmp(text, "rastrum: ", 9) == 0 && end && !end[1];
}

static bool is_same(const struct run *run, const struct run *right)
{
	return run->exit_status == right->exit_status && strcmp(run->messages, right->messages) == 0 &&
	       run->n_output == right->n_output && memcmp(run->output, right->output, run->n_output) == 0;
}

/* As AIX has it, trcrpt ends with 1 for a trace that cannot be opened. */
static bool is_failure(const struct job *job, const struct run *run)
{
	const bool may_be_unusable = strcmp(job->words[0], "trcrpt") == 0 && run->n_output == 0;

	return run->exit_status == EXIT_IO || (may_be_unusable && run->exit_status == EXIT_FOUND);
}

/* How often it failed. */
static unsigned check_fault(const struct job *job, const struct fault *fault, const struct run *right)
{
	const long stride = tap_is_slow() ? 5 : 1;
	/* Of disks, ten sizes. */
	const long step = fault->begin == begin_write ? (long)right->n_output / 10 + 1 : stride;
	unsigned n_failed = 0;

	bool is_good = true, has_failed = true;
	long n = 0;

	for (; is_good && has_failed && n < N_TRIALS_MAX * step; n += step) {
		struct run run = job_run(job, fault, n);

		has_failed = run.was_refused;
		n_failed += has_failed;
		is_good = is_same(&run, right) ||
			  (has_failed && is_failure(job, &run) && is_sentence(run.messages));
		if (!is_good)
			printf("# the %ld.: exit status %d, %zu bytes of %zu, %s\n", n, run.exit_status,
				run.n_output, right->n_output, run.messages);
		run_done(&run);
	}
	ok(is_good && !has_failed,
		"rastrum %s: %s that fails gives one sentence and exit status 4, or no harm", words_text(job),
		fault->name);
	return n_failed;
}

int main(void)
{
	unsigned n_failed[N_FAULTS] = { 0 };

	close(mkstemp(output_path));
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct run right = job_run(&jobs[i], &nothing, 0);

		if (ok(right.exit_status <= EXIT_FOUND && right.n_output, "rastrum %s where nothing fails",
			    words_text(&jobs[i])))
			for (size_t k = 0; k < N_FAULTS; k++)
				n_failed[k] += check_fault(&jobs[i], &faults[k], &right);
		else
			printf("# exit status %d, %s\n", right.exit_status, right.messages);
		run_done(&right);
	}
	for (size_t k = 0; k < N_FAULTS; k++)
		ok(n_failed[k] > 0, "%s has failed", faults[k].name);
	unlink(output_path);
	return tap_done();
}
