/* SPDX-License-Identifier: MIT */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

/* The unit of user time. */
#define CLOCK_STEP_NS 1000.0

enum { WATCH_MS = 5 };

struct result {
	double user_ns;
	uint64_t before_kib, most_kib;
	bool is_good;
};

static double user_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)usage.ru_utime.tv_sec * 1e9 + (double)usage.ru_utime.tv_usec * 1e3;
}

/* Memory of a process that is not a file's: the RssAnon line of its status; 0 where there is none. */
static uint64_t anonymous_kib(pid_t process)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *status;

	snprintf(line, sizeof(line), "/proc/%d/status", (int)process);
	status = fopen(line, "r");
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "RssAnon: %llu", &kib) == 1)
			break;
	if (status)
		fclose(status);
	return kib;
}

/* Does the work in the present process, which is a child, and ends it. */
static void child_run(const struct bench_row *row, int out)
{
	struct result result = { .before_kib = anonymous_kib(getpid()) };
	const double start = user_ns();

	result.is_good = row->work(row->context);
	result.user_ns = user_ns() - start;
	if (result.user_ns < CLOCK_STEP_NS) /* so that nothing is divided by 0 */
		result.user_ns = CLOCK_STEP_NS;
	result.most_kib = anonymous_kib(getpid());
	_exit(write(out, &result, sizeof(result)) != (ssize_t)sizeof(result));
}

/* The most memory that a process has, looked at every few milliseconds until there is something to read. */
static uint64_t memory_watch(pid_t process, int in)
{
	struct pollfd end = { .fd = in, .events = POLLIN };
	uint64_t most = 0;

	while (poll(&end, 1, WATCH_MS) == 0) {
		const uint64_t now = anonymous_kib(process);

		most = now > most ? now : most;
	}
	return most;
}

/* One run in a child, so that each starts alike and its memory is its own. */
static struct result run_once(const struct bench_row *row)
{
	struct result result = { 0 };
	int ends[2], status;
	uint64_t most;

	if (pipe(ends) != 0)
		return result;
	fflush(stdout);
	pid_t child = fork();

	if (child == 0)
		child_run(row, ends[1]);
	close(ends[1]);
	most = child > 0 ? memory_watch(child, ends[0]) : 0;
	if (child < 0 || read(ends[0], &result, sizeof(result)) != (ssize_t)sizeof(result))
		result.is_good = false;
	close(ends[0]);
	if (child > 0)
		waitpid(child, &status, 0);
	result.most_kib = most > result.most_kib ? most : result.most_kib;
	return result;
}

bool bench_run(struct bench_row *rows, size_t n_rows, unsigned n_runs)
{
	for (unsigned run = 0; run < n_runs; run++)
		for (size_t i = 0; i < n_rows; i++) {
			struct result result = run_once(&rows[i]);

			if (!result.is_good) {
				fprintf(stderr, "rastrum: the measurement '%s' failed\n", rows[i].name);
				return false;
			}
			rows[i].user_ns[run] = result.user_ns;
			if (result.most_kib > result.before_kib + rows[i].anonymous_kib)
				rows[i].anonymous_kib = result.most_kib - result.before_kib;
		}
	return true;
}

static int by_value(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

void bench_print(struct bench_row *rows, size_t n_rows, unsigned n_runs, uint64_t n_items, FILE *out)
{
	double unit = 0;

	fprintf(out, "%-30s %12s %10s %10s %10s %-9s %7s\n", "name", "bytes", "min", "median", "max", "unit",
		"ratio");
	for (size_t i = 0; i < n_rows; i++) {
		qsort(rows[i].user_ns, n_runs, sizeof(double), by_value);
		if (rows[i].is_unit)
			unit = rows[i].user_ns[n_runs / 2];
	}
	for (size_t i = 0; i < n_rows; i++) {
		const double *sorted = rows[i].user_ns, items = (double)n_items;

		fprintf(out, "%-30s %12llu %10.2f %10.2f %10.2f %-9s %7.2f\n", rows[i].name,
			(unsigned long long)rows[i].n_bytes, sorted[0] / items, sorted[n_runs / 2] / items,
			sorted[n_runs - 1] / items, "ns/event", unit > 0 ? sorted[n_runs / 2] / unit : 0.0);
	}
	for (size_t i = 0; i < n_rows; i++)
		if (!rows[i].is_unit)
			fprintf(out, "ratio %s %.2f\n", rows[i].name,
				unit > 0 ? rows[i].user_ns[n_runs / 2] / unit : 0.0);
}
