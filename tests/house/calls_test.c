/* SPDX-License-Identifier: MIT */
/*
 * System calls that fail. Each job below is run again and again: the first call of a kind fails and all later
 * ones, then the second and all later ones, until no call fails. Each run must either report the failure or
 * give the whole right output. Logs are also written to disks of every size that is too small.
 */
#include <rastrum/rastrum.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "log/log_test.h"
#include "template/set/set.h"
#include "tests/tap.h"

enum { N_LOG_EVENTS = 600, DATA_MAX = 100, DISK_STEP = 331, N_TRIALS_MAX = 1000 };

static const char dump_path[] = "tests/data/threadx/basic_objects.trx";
static const char template_path[] = "templates/threadx.trcfmt";

struct outcome {
	bool has_reported; /* the failure: a negative status with a sentence, or an error number */
	uint64_t digest;   /* of the output, where nothing was reported */
};

static uint64_t mix(uint64_t digest, const void *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes;

	for (size_t i = 0; i < n_bytes; i++)
		digest = (digest ^ at[i]) * 0x100000001b3U; /* FNV-1a */
	return digest;
}

/* --- reading -------------------------------------------------------------------------------------------- */

static struct outcome read_trace(const char *path)
{
	struct rst_error err = { .what = "" };
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;
	struct outcome outcome = { 0 };
	enum rst_status status = rst_trace_open(&trace, path, NULL, &err);

	while (status == RST_OK) {
		status = rst_trace_next(trace, &batch, &err);
		for (size_t row = 0; status == RST_OK && row < batch->n_events; row++) {
			outcome.digest = mix(outcome.digest, &batch->ticks[row], sizeof(batch->ticks[row]));
			outcome.digest = mix(outcome.digest, batch->payload[row], batch->payload_bytes[row]);
		}
	}
	outcome.has_reported = status < 0 && err.what[0];
	rst_trace_free(trace);
	return outcome;
}

static struct outcome read_mapped(void)
{
	return read_trace(dump_path);
}

/* Standard input is a pipe with a dump, which is smaller than a pipe. */
static struct outcome read_pipe(void)
{
	int saved = dup(STDIN_FILENO), fds[2];
	struct outcome outcome = { 0 };
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(dump_path, &n_bytes);

	if (pipe(fds) == 0 && write(fds[1], bytes, n_bytes) == (ssize_t)n_bytes) {
		close(fds[1]);
		dup2(fds[0], STDIN_FILENO);
		close(fds[0]);
		outcome = read_trace("-");
	}
	dup2(saved, STDIN_FILENO);
	close(saved);
	free(bytes);
	return outcome;
}

/* The parts of a recording, which are put there while no call fails. */
static char parts_path[] = "/tmp/rastrum-calls-XXXXXX";
enum { N_PARTS = 3 };

static void path_of_part(char *path, size_t room, size_t i)
{
	snprintf(path, room, "%s/part%zu", parts_path, i);
}

static bool write_parts(void)
{
	size_t n_bytes;
	unsigned char *bytes = tap_slurp("tests/data/rkh/r1_default.bin", &n_bytes);
	size_t n_each = n_bytes / N_PARTS + 1;
	bool is_good = mkdtemp(parts_path) != NULL;

	for (size_t i = 0; i < N_PARTS && is_good; i++) {
		size_t at = i * n_each, n = n_bytes - at < n_each ? n_bytes - at : n_each;
		char path[64];

		path_of_part(path, sizeof(path), i);
		int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

		is_good = fd >= 0 && write(fd, bytes + at, n) == (ssize_t)n;
		close(fd);
	}
	free(bytes);
	return is_good;
}

static void remove_parts(void)
{
	char path[64];

	for (size_t i = 0; i < N_PARTS; i++) {
		path_of_part(path, sizeof(path), i);
		unlink(path);
	}
	rmdir(parts_path);
}

static struct outcome read_parts(void)
{
	return read_trace(parts_path);
}

static struct outcome read_template(void)
{
	struct rst_error err = { .what = "" };
	struct template_file *file = NULL;
	enum rst_status status = template_file_read(&file, template_path, &err);
	struct outcome outcome = { .has_reported = status < 0 && err.what[0], .digest = 1 };

	template_file_free(file);
	return outcome;
}

/* --- writing -------------------------------------------------------------------------------------------- */

/* The file is looked at by calls that do not fail. */
static uint64_t file_digest(int fd)
{
	uint64_t digest = 0;
	uint8_t bytes[4096];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), at)) > 0) {
		digest = mix(digest, bytes, (size_t)n);
		at += n;
	}
	return digest;
}

static struct outcome write_log(int policy, int flags)
{
	const struct log_start start =
		sample_start(policy, policy == POSIX_TRACE_LOOP ? 1 << 16 : 0, DATA_MAX);
	int fd = (int)memfd_create("log", MFD_CLOEXEC), error;
	struct sample sample;
	struct outcome outcome = { 0 };

	fcntl(fd, F_SETFL, flags);
	error = sample_begin(&sample, fd, &start);
	for (unsigned i = 0; i < N_LOG_EVENTS && !error; i++)
		error = sample_event(&sample, DATA_MAX);
	if (!error)
		error = sample_finish(&sample);
	outcome.has_reported = error != 0;
	outcome.digest = file_digest(fd);
	sample_done(&sample);
	close(fd);
	return outcome;
}

static struct outcome write_log_in_place(void)
{
	return write_log(POSIX_TRACE_APPEND, 0);
}

static struct outcome write_log_at_end(void)
{
	return write_log(POSIX_TRACE_APPEND, O_APPEND);
}

static struct outcome write_log_of_ring(void)
{
	return write_log(POSIX_TRACE_LOOP, 0);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

enum { READ = 1 << TAP_READ, FSTAT = 1 << TAP_FSTAT, FTRUNCATE = 1 << TAP_FTRUNCATE, MMAP = 1 << TAP_MMAP };

static const struct job {
	const char *name;
	struct outcome (*run)(void);
	unsigned calls; /* that it makes */
	bool is_log;
} jobs[] = {
	{ "a dump in a file is read", read_mapped, FSTAT | MMAP, false },
	{ "a dump from a pipe is read", read_pipe, READ, false },
	{ "the parts in a directory are read", read_parts, FSTAT | MMAP, false },
	{ "templates are read", read_template, READ, false },
	{ "a log is written", write_log_in_place, FSTAT | FTRUNCATE, true },
	{ "a log is written with O_APPEND", write_log_at_end, FSTAT | FTRUNCATE, true },
	{ "a log of policy LOOP is written", write_log_of_ring, FSTAT | FTRUNCATE, true },
};

static const struct {
	const char *name;
	int error_number;
} calls[TAP_CALLS] = {
	[TAP_READ] = { "read()", EIO },
	[TAP_FSTAT] = { "fstat()", EIO },
	[TAP_FTRUNCATE] = { "ftruncate()", EIO },
	[TAP_MMAP] = { "mmap()", ENOMEM },
};

static void check_call(const struct job *job, enum tap_call call, const struct outcome *right)
{
	bool has_failed = true, is_good = true;
	long n = 0;

	for (; has_failed && is_good && n < N_TRIALS_MAX; n++) {
		struct outcome outcome;

		tap_fail_call_after(call, n, calls[call].error_number);
		outcome = job->run();
		has_failed = tap_call_has_failed(call);
		tap_fail_call_after(call, -1, 0);
		is_good = (has_failed && outcome.has_reported) ||
			  (!outcome.has_reported && outcome.digest == right->digest);
	}
	/* The last run met no failure, so that there was one before it if the job makes the call at all. */
	ok(is_good && !has_failed && n > 1, "%s, or it is reported that %s fails", job->name,
		calls[call].name);
	if (!is_good)
		printf("# the %ld. call\n", n);
}

/* Growing disks; the last one is large enough. */
static void check_disk(const struct job *job, const struct outcome *right)
{
	bool is_good = true, is_enough = false;
	size_t n_bytes = 0;

	for (; is_good && !is_enough && n_bytes < (size_t)N_TRIALS_MAX * DISK_STEP; n_bytes += DISK_STEP) {
		struct outcome outcome;

		tap_fail_write_after((long)n_bytes);
		outcome = job->run();
		tap_fail_write_after(-1);
		is_enough = !outcome.has_reported;
		is_good = outcome.has_reported || outcome.digest == right->digest;
	}
	ok(is_good && is_enough && n_bytes > (size_t)8 * DISK_STEP,
		"%s, or it is reported that the disk is full", job->name);
}

int main(void)
{
	ok(write_parts(), "a recording is cut into files");
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
		struct outcome right = jobs[i].run();

		if (!ok(!right.has_reported && right.digest, "%s when no call fails", jobs[i].name))
			continue;
		for (int call = 0; call < TAP_CALLS; call++)
			if (jobs[i].calls & 1U << call)
				check_call(&jobs[i], (enum tap_call)call, &right);
		if (jobs[i].is_log)
			check_disk(&jobs[i], &right);
	}
	remove_parts();
	return tap_done();
}
