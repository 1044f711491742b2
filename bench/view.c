/* SPDX-License-Identifier: MIT */
/*
 * `rastrum bench view`: what looking at a large trace costs at the server, in its processor time and by the
 * clock. The trace is opened, its first picture fetched at once, then read to its end; windows from the whole
 * to some ticks are fetched, and names are searched for.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/steady.h"
#include "bench/bench.h"
#include "bench/index.h"
#include "bench/verbs.h"
#include "bench/visitor.h"

enum {
	N_WINDOWS = 60,
	N_SEARCHES = 5,
	N_LOOKS = 5,
	N_BUILDS = 3,
	NEAR_TICKS = 1000, /* to the end */
	PICTURE_WIDTH = 1920,
	ZOOM_STEPS = 12,
	LOOK_MS = 50,
	UNIT_EVENTS = 1000000
};

/* A row: processor time of the server and time of the clock, in milliseconds. */
struct figures {
	double cpu[N_WINDOWS], clock[N_WINDOWS];
	size_t n;
};

static void figures_begin(struct figures *figures, const struct visitor *visitor)
{
	figures->cpu[figures->n] = -visitor_server_ms(visitor);
	figures->clock[figures->n] = -(double)steady_ns() / 1e6;
}

static void figures_end(struct figures *figures, const struct visitor *visitor)
{
	figures->cpu[figures->n] += visitor_server_ms(visitor);
	figures->clock[figures->n++] += (double)steady_ns() / 1e6;
}

static int by_value(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static void row_print(
	const char *name, uint64_t n_bytes, double *values, size_t n, const char *unit, double ratio)
{
	qsort(values, n, sizeof(*values), by_value);
	printf("%-30s %12" PRIu64 " %10.2f %10.2f %10.2f %-9s", name, n_bytes, values[0], values[n / 2],
		values[n - 1], unit);
	if (ratio > 0)
		printf(" %7.2f\n", ratio);
	else
		printf(" %7s\n", "-");
}

/* --- what is measured ----------------------------------------------------------------------------------- */

/* From the start of the server to an answer with tiles in it. */
static bool first_picture(struct visitor *visitor, struct figures *figures)
{
	char path[64];
	const char *answer;
	bool is_done = false;

	snprintf(path, sizeof(path), "/api/tiles?width=%d", PICTURE_WIDTH);
	while ((answer = visitor_ask(visitor, path)) && !strstr(answer, "\"state\"") && !is_done)
		is_done = !(answer = visitor_ask(visitor, "/api/info")) || strstr(answer, "\"done\":true");
	figures_end(figures, visitor);
	return answer && strstr(answer, "\"state\"");
}

/* The answer that says that it is done. */
static const char *done_wait(struct visitor *visitor, const char *path)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };
	const char *answer;

	while ((answer = visitor_ask(visitor, path)) && strstr(answer, "\"done\":false"))
		nanosleep(&pause, NULL);
	return answer;
}

/* Waits until a thread of the server has ended its work for the last answer. */
static void thread_wait(const struct visitor *visitor, const char *name)
{
	const struct timespec pause = { .tv_nsec = LOOK_MS * 1000000L };

	while (visitor_thread_ms(visitor, name) > 0)
		nanosleep(&pause, NULL);
}

/*
 * Tracks are there first, findings and tables, which a thread of their own makes of a large file, last; it
 * then opens the file once more, for searches.
 */
static bool whole_read(struct visitor *visitor, struct figures *picture, struct figures *all,
	uint64_t *ret_first, uint64_t *ret_last)
{
	const char *answer = done_wait(visitor, "/api/info");

	figures_end(picture, visitor);
	picture->cpu[0] -= visitor_thread_ms(visitor, "findings");
	if (!answer || !visitor_number(answer, "first_ts", ret_first) ||
		!visitor_number(answer, "last_ts", ret_last))
		return false;
	answer = done_wait(visitor, "/api/findings?limit=1");
	thread_wait(visitor, "findings");
	figures_end(all, visitor);
	return answer != NULL;
}

/* From the whole to a window of some ticks, each at another place. */
static bool windows_fetch(struct visitor *visitor, struct figures *figures, uint64_t first, uint64_t last)
{
	uint64_t seed = 1;
	char path[160];

	for (unsigned i = 0; i < N_WINDOWS; i++) {
		const uint64_t whole = last - first;
		uint64_t length = whole >> (i % ZOOM_STEPS * 2), from;

		seed = seed * 6364136223846793005U + 1442695040888963407U;
		length = length > PICTURE_WIDTH ? length : PICTURE_WIDTH;
		from = first + (whole > length ? (seed >> 11) % (whole - length) : 0);
		snprintf(path, sizeof(path), "/api/tiles?width=%d&from=%" PRIu64 "&to=%" PRIu64,
			PICTURE_WIDTH, from, from + length);
		figures_begin(figures, visitor);
		if (!visitor_ask(visitor, path))
			return false;
		figures_end(figures, visitor);
	}
	return true;
}

/* Events, or those of a text that many lines have, from places all over the trace. */
static bool places_ask(
	struct visitor *visitor, const char *what, struct figures *figures, uint64_t first, uint64_t last)
{
	char path[160];

	for (unsigned i = 0; i < N_SEARCHES; i++) {
		snprintf(path, sizeof(path), "/api/%slimit=50&from=%" PRIu64, what,
			first + (last - first) / N_SEARCHES * i);
		figures_begin(figures, visitor);
		if (!visitor_ask(visitor, path))
			return false;
		figures_end(figures, visitor);
	}
	return true;
}

/* --- the run -------------------------------------------------------------------------------------------- */

/* Nanoseconds of a line that is formatted by hand, which others are compared with. */
static double unit_ns(void)
{
	struct floor_records floor = { 0 };
	struct bench_row row = {
		.name = "line_long", .work = floor_line_long, .context = &floor, .is_unit = true
	};
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	double ns = 0;

	if (null >= 0 && floor_make(&floor, UNIT_EVENTS, null) && bench_run(&row, 1, 5)) {
		qsort(row.user_ns, 5, sizeof(double), by_value);
		ns = row.user_ns[2] / UNIT_EVENTS;
	}
	floor_done(&floor);
	if (null >= 0)
		close(null);
	return ns;
}

/* The server gives back what lies in files every 200 ms. */
static void memory_print(const struct visitor *visitor)
{
	const struct timespec pause = { .tv_nsec = 8 * LOOK_MS * 1000000L };

	nanosleep(&pause, NULL);
	printf("memory server %" PRIu64 " KiB besides files, %" PRIu64 " KiB of files in memory\n",
		visitor_memory(visitor, "RssAnon"),
		visitor_memory(visitor, "RssFile") + visitor_memory(visitor, "RssShmem"));
}

static bool view_measure(
	struct visitor *visitor, struct figures *opening, double unit, uint64_t n_bytes, uint64_t n_events)
{
	struct figures picture = *opening, whole = *opening, windows = { .n = 0 }, searches = { .n = 0 },
		       events = { .n = 0 };
	uint64_t first, last;
	double ns, tracks_ns;

	if (!first_picture(visitor, opening) || !whole_read(visitor, &picture, &whole, &first, &last) ||
		!windows_fetch(visitor, &windows, first, last) ||
		!places_ask(visitor, "search?q=mutex&", &searches, first, last) ||
		!places_ask(visitor, "events?", &events, first, last))
		return false;
	ns = whole.cpu[0] * 1e6 / (double)n_events;
	tracks_ns = picture.cpu[0] * 1e6 / (double)n_events;
	printf("%-30s %12s %10s %10s %10s %-9s %7s\n", "name", "bytes", "min", "median", "max", "unit",
		"ratio");
	row_print("line_long", 0, &(double){ unit }, 1, "ns/event", 1);
	row_print("view_tracks", n_bytes, &tracks_ns, 1, "ns/event", unit > 0 ? tracks_ns / unit : 0);
	row_print("view_read", n_bytes, &ns, 1, "ns/event", unit > 0 ? ns / unit : 0);
	row_print("view_first_picture", n_bytes, opening->cpu, 1, "ms", 0);
	row_print("view_first_picture_clock", n_bytes, opening->clock, 1, "ms", 0);
	row_print("view_whole_picture_clock", n_bytes, picture.clock, 1, "ms", 0);
	row_print("view_window", 0, windows.cpu, windows.n, "ms", 0);
	row_print("view_window_clock", 0, windows.clock, windows.n, "ms", 0);
	row_print("view_search", 0, searches.cpu, searches.n, "ms", 0);
	row_print("view_search_clock", 0, searches.clock, searches.n, "ms", 0);
	row_print("view_events", 0, events.cpu, events.n, "ms", 0);
	row_print("view_events_clock", 0, events.clock, events.n, "ms", 0);
	printf("ratio view_tracks %.2f\n", unit > 0 ? tracks_ns / unit : 0.0);
	printf("ratio view_read %.2f\n", unit > 0 ? ns / unit : 0.0);
	memory_print(visitor);
	return true;
}

/* Processor time of a work that reads all events. */
static bool work_measure(bool (*work)(void *), void *context, uint64_t n_events, double ns[N_BUILDS])
{
	for (size_t i = 0; i < N_BUILDS; i++) {
		ns[i] = -(double)clock() * 1e9 / CLOCKS_PER_SEC;
		if (!work(context))
			return false;
		ns[i] = (ns[i] + (double)clock() * 1e9 / CLOCKS_PER_SEC) / (double)n_events;
	}
	qsort(ns, N_BUILDS, sizeof(*ns), by_value);
	return true;
}

/* By the clock. */
static bool looks_measure(
	const struct index_bench *bench, struct figures *last, struct figures *from, struct figures *info)
{
	uint64_t last_ticks = 0;
	bool is_good = true;

	for (size_t i = 0; i < N_LOOKS && is_good; i++) {
		info->clock[i] = from->clock[i] = last->clock[i] = 0;
		info->clock[i] -= (double)steady_ns() / 1e6;
		is_good = index_info(bench, &last_ticks);
		info->clock[i] += (double)steady_ns() / 1e6;
		from->clock[i] -= (double)steady_ns() / 1e6;
		is_good = is_good && index_from(bench, last_ticks - NEAR_TICKS);
		from->clock[i] += (double)steady_ns() / 1e6;
		last->clock[i] -= (double)steady_ns() / 1e6;
		is_good = is_good && index_last(bench);
		last->clock[i] += (double)steady_ns() / 1e6;
	}
	return is_good;
}

/* Measures report and info with an index, beside the server. */
static bool index_measure(const char *path, double unit, uint64_t n_bytes, uint64_t n_events)
{
	struct figures last = { .n = 0 }, from = { .n = 0 }, info = { .n = 0 };
	double read[N_BUILDS], built[N_BUILDS];
	struct index_bench bench;
	const bool is_good = index_bench_begin(&bench, path) &&
			     work_measure(index_read, &bench, n_events, read) &&
			     work_measure(index_build, &bench, n_events, built) &&
			     looks_measure(&bench, &last, &from, &info);

	if (is_good) {
		const double alone = built[N_BUILDS / 2] - read[N_BUILDS / 2];

		row_print("index_none", n_bytes, read, N_BUILDS, "ns/event",
			unit > 0 ? read[N_BUILDS / 2] / unit : 0);
		row_print("index_build", n_bytes, built, N_BUILDS, "ns/event",
			unit > 0 ? built[N_BUILDS / 2] / unit : 0);
		row_print("index_info_clock", index_bytes(&bench), info.clock, N_LOOKS, "ms", 0);
		row_print("index_from_clock", 0, from.clock, N_LOOKS, "ms", 0);
		row_print("index_last_clock", 0, last.clock, N_LOOKS, "ms", 0);
		printf("ratio index_build without reading %.2f\n", unit > 0 ? alone / unit : 0.0);
		printf("ratio index_bytes %.3f\n", (double)index_bytes(&bench) / (double)n_bytes);
	}
	index_bench_end(&bench);
	return is_good;
}

static int file_measure(const char *path, uint64_t n_events)
{
	const double unit = unit_ns();
	struct figures opening = { .n = 0 };
	struct visitor visitor;
	struct rst_error err;
	struct stat st;
	int exit_status = EXIT_GOOD;

	opening.clock[0] = -(double)steady_ns() / 1e6;
	if (visitor_come(&visitor, path, &err) < 0) {
		exit_status = common_fail(&err);
	} else if (stat(path, &st) != 0 ||
		   !view_measure(&visitor, &opening, unit, (uint64_t)st.st_size, n_events)) {
		fputs("rastrum: the server has given no answer\n", stderr);
		exit_status = EXIT_IO;
	}
	visitor_leave(&visitor);
	if (exit_status == EXIT_GOOD && !index_measure(path, unit, (uint64_t)st.st_size, n_events)) {
		fputs("rastrum: the index could not be measured\n", stderr);
		exit_status = EXIT_IO;
	}
	return exit_status;
}

/* Large ones do not belong into /tmp, which is often memory. */
int verb_view(const struct bench_args *args, char *const *files)
{
	char path[] = "/var/tmp/rastrum-bench-XXXXXX";
	const int fd = mkstemp(path);
	int exit_status;

	(void)files;
	if (fd < 0) {
		perror("rastrum: /var/tmp");
		return EXIT_IO;
	}
	exit_status = generate_events(args, fd);
	close(fd);
	if (exit_status == EXIT_GOOD)
		exit_status = file_measure(path, args->n_events);
	unlink(path);
	return exit_status;
}
