/* SPDX-License-Identifier: MIT */
/*
 * A target that scribbles over all that it shares with its controller, writes false words into it, and takes
 * the memory away, while it is read, controlled, and its log written. Where root runs the test, the target is
 * another user's. It may spoil its own stream; the controller and the consumer live on, nothing takes long,
 * and other streams are whole. Arguments: rounds (24), seed.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	NOBODY = 65534,
	AREAS_MAX = 64,
	HEAD_BYTES = 32768, /* of a ring: how it stands, cursors, states of blocks */
	TYPES_MAX = 1200,   /* more than any map of names has */
	SLOW_MS = 5000,
	/*
	 * Names and page are spoilt later: a reader that finds them so refuses them, and would not look at
	 * the pools.
	 */
	GENTLE_MS = 40,
};

static uint64_t random_state;

static uint64_t random_next(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static unsigned int random_below(unsigned int n)
{
	return (unsigned int)(random_next() >> 33) % n;
}

/* --- the target ----------------------------------------------------------------------------------------- */

/* The memory that it shares with others. */
struct area {
	unsigned char *memory;
	size_t n_bytes;
	char path[160];
};

static unsigned int areas_find(struct area areas[AREAS_MAX])
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned int n = 0;
	char line[512];

	while (file && n < AREAS_MAX && fgets(line, sizeof(line), file)) {
		unsigned long begin, end;
		char *path = strstr(line, "/dev/shm/posix-trace-");

		if (!path || sscanf(line, "%lx-%lx", &begin, &end) != 2)
			continue;
		areas[n] = (struct area){ .memory = (unsigned char *)begin, .n_bytes = end - begin };
		snprintf(areas[n].path, sizeof(areas[n].path), "%.*s", (int)strcspn(path, " \n"), path);
		n++;
	}
	if (file)
		fclose(file);
	return n;
}

static uint64_t word_lie(const struct area *area, uint64_t truth)
{
	uint64_t other;

	memcpy(&other, area->memory + random_below((unsigned int)area->n_bytes / 8) * 8, sizeof(other));
	const uint64_t lies[] = {
		random_next(),
		0,
		UINT64_MAX,
		other,
		truth + random_below(64),
		truth - random_below(64),
		truth ^ 1ull << random_below(64),
		1ull << random_below(64),
		random_below(256),
		truth ^ random_next() >> 48,
	};

	return lies[random_below(sizeof(lies) / sizeof(lies[0]))];
}

/* Of a ring: how it stands, or its events, or both. */
enum scope { HEAD, EVENTS, ALL };

static void area_scribble(const struct area *area, enum scope scope)
{
	size_t head = area->n_bytes > HEAD_BYTES ? HEAD_BYTES : area->n_bytes;
	size_t most = scope == HEAD || (scope == ALL && random_below(2)) ? head : area->n_bytes;
	size_t least = scope == EVENTS && head < most ? head : 0;
	unsigned char *at = area->memory + least + random_below((unsigned int)(most - least) / 8) * 8;
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	word = word_lie(area, word);
	memcpy(at, &word, random_below(4) ? sizeof(word) : 4);
}

static void take_away(const struct area *area)
{
	if (truncate(area->path, random_below(2) ? 0 : random_below((unsigned int)area->n_bytes)) != 0)
		_exit(2);
}

static _Noreturn void end_quietly(int number)
{
	(void)number;
	_exit(0);
}

static void events_put(trace_event_id_t type, unsigned int n)
{
	unsigned char data[64] = { 0 };

	for (unsigned int i = 0; i < n; i++)
		posix_trace_event(type, data, random_below(sizeof(data)));
}

/* Waits for a ring, then does its worst until it is killed, or has hurt itself. */
static int act_scribble(char **arguments)
{
	const bool takes_away = strcmp(arguments[3], "truncate") == 0;
	struct area areas[AREAS_MAX];
	trace_event_id_t type = type_open("hostile");
	unsigned int n = 0, take_away_ms, n_scribbles;
	enum scope scope;
	int64_t begin;

	random_state = strtoull(arguments[2], NULL, 10);
	take_away_ms = random_below(60);
	n_scribbles = 1u << random_below(8);
	scope = random_below(3);
	signal(SIGBUS, end_quietly);
	signal(SIGSEGV, end_quietly);
	signal(SIGALRM, SIG_DFL);
	alarm(60);
	for (bool has_ring = false; !has_ring; sleep_ms(1)) {
		events_put(type, 10);
		n = areas_find(areas);
		for (unsigned int i = 0; i < n; i++)
			has_ring |= strstr(areas[i].path, "/r-") != NULL;
	}
	begin = now_ns(CLOCK_MONOTONIC);
	for (unsigned int turn = 0;; turn++) {
		int64_t ms = (now_ns(CLOCK_MONOTONIC) - begin) / 1000000;

		events_put(type, random_below(100));
		if (turn % 8 == 0)
			n = areas_find(areas);
		for (unsigned int i = random_below(n_scribbles); i > 0; i--) {
			const struct area *area = &areas[random_below(n)];

			if (strstr(area->path, "/r-") || ms > GENTLE_MS)
				area_scribble(area, scope);
		}
		if (takes_away && ms > (int64_t)take_away_ms && random_below(20) == 0)
			take_away(&areas[random_below(n)]);
		if (turn % 16 == 15)
			usleep(200);
	}
	return 0;
}

/* A target that does no harm. */
static int act_honest(char **arguments)
{
	trace_event_id_t type = type_open("honest");

	alarm(60);
	for (unsigned int i = 0;; i++) {
		put_number(type, i);
		usleep(500);
	}
	(void)arguments;
	return 0;
}

static const struct act {
	const char *name;
	int (*run)(char **arguments);
} acts[] = { { "scribble", act_scribble }, { "honest", act_honest } };

/* This program again, as another user where the test may. */
static pid_t act_begin(const char *name, const char *how)
{
	char seed[24];
	pid_t pid;

	snprintf(seed, sizeof(seed), "%llu", (unsigned long long)random_next());
	pid = fork();
	if (pid == 0) {
		if (getuid() == 0 && (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0))
			_exit(3);
		execl("/proc/self/exe", "hostile_test", name, seed, how, (char *)NULL);
		_exit(4);
	}
	return pid;
}

/* The program must be there: before exec it is still this one, with this one's user. */
static bool act_is_there(void *argument)
{
	pid_t pid = *(pid_t *)argument;
	char path[64], name[64] = "";
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	if (read(fd, name, sizeof(name) - 1) < 0)
		name[0] = '\0';
	close(fd);
	return strcmp(name, "hostile_test") == 0;
}

static void act_end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* --- what a controller does with it meanwhile ----------------------------------------------------------- */

static void do_read(trace_id_t trid)
{
	struct posix_trace_event_info info;
	unsigned char data[128];
	int unavailable = 0;
	size_t n;

	for (unsigned int i = 0; i < 3000 && !unavailable; i++)
		if (posix_trace_trygetnext_event(trid, &info, data, sizeof(data), &n, &unavailable) != 0)
			return;
}

static void do_read_many(trace_id_t trid)
{
	_Alignas(8) unsigned char buffer[65536];
	size_t n;

	posix_trace_getevents_np(trid, buffer, sizeof(buffer), &n);
}

static void do_status(trace_id_t trid)
{
	struct posix_trace_status_info status;
	trace_attr_t attr;

	posix_trace_get_status(trid, &status);
	posix_trace_get_attr(trid, &attr);
}

static void do_filter(trace_id_t trid)
{
	trace_event_set_t set;

	posix_trace_eventset_empty(&set);
	posix_trace_eventset_add(POSIX_TRACE_START + random_below(8), &set);
	posix_trace_set_filter(trid, &set, (int)random_below(3));
	posix_trace_get_filter(trid, &set);
}

static void do_clear(trace_id_t trid)
{
	posix_trace_clear(trid);
}

static void do_restart(trace_id_t trid)
{
	posix_trace_stop(trid);
	posix_trace_start(trid);
}

static unsigned int most_types;

static void do_names(trace_id_t trid)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	unsigned int n = 0;
	trace_event_id_t id;
	int unavailable = 0;

	snprintf(name, sizeof(name), "of the controller %u", random_below(100));
	posix_trace_trid_eventid_open(trid, name, &id);
	posix_trace_eventtypelist_rewind(trid);
	while (posix_trace_eventtypelist_getnext_id(trid, &id, &unavailable) == 0 && !unavailable &&
		n < 2 * TYPES_MAX) {
		posix_trace_eventid_get_name(trid, id, name);
		n++;
	}
	most_types = n > most_types ? n : most_types;
}

static void do_snapshot(trace_id_t trid)
{
	int fd = memfd_create("snapshot", MFD_CLOEXEC);

	posix_trace_snapshot_np(trid, fd);
	close(fd);
}

static void do_flush(trace_id_t trid)
{
	posix_trace_flush(trid);
}

static const struct deed {
	const char *name;
	void (*run)(trace_id_t trid);
	unsigned int weight;
} deeds[] = {
	{ "reading", do_read, 10 },
	{ "reading many", do_read_many, 5 },
	{ "status", do_status, 3 },
	{ "filter", do_filter, 1 },
	{ "clear", do_clear, 1 },
	{ "stop and start", do_restart, 3 },
	{ "names", do_names, 2 },
	{ "snapshot", do_snapshot, 1 },
	{ "flush", do_flush, 3 },
};

static struct {
	const char *name;
	int64_t ns;
} slowest;

static void deed_time(const char *name, int64_t begin)
{
	int64_t took = now_ns(CLOCK_MONOTONIC) - begin;

	if (took > slowest.ns) {
		slowest.ns = took;
		slowest.name = name;
	}
}

static void deed_do(trace_id_t trid)
{
	int64_t begin = now_ns(CLOCK_MONOTONIC);
	unsigned int n = random_below(29), i = 0;

	while (n >= deeds[i].weight)
		n -= deeds[i++].weight;
	deeds[i].run(trid);
	deed_time(deeds[i].name, begin);
}

/* --- rounds --------------------------------------------------------------------------------------------- */

static struct {
	unsigned int n_streams, n_refused, n_unfinished, n_unopened, n_disturbed;
	unsigned long long n_log_events, n_honest;
	struct seen_list honest;
} verdict;

static struct shape random_shape(bool has_log)
{
	static const int policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH };
	static const int log_policies[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL };
	struct shape shape = {
		.size = 16384u << random_below(4),
		.data_size = 64,
		.policy = policies[random_below(has_log ? 3 : 2)],
		.inheritance = random_below(2) ? POSIX_TRACE_INHERITED : POSIX_TRACE_CLOSE_FOR_CHILD,
	};

	if (has_log) {
		shape.log_policy = log_policies[random_below(2)];
		shape.log_size = 1 << 20;
	}
	return shape;
}

/* EAGAIN and EPERM: the target has spoilt page or names already. */
static bool stream_begin(pid_t pid, const struct shape *shape, int fd, trace_id_t *ret_trid)
{
	trace_attr_t attr;
	int error;

	shape_attr(shape, &attr);
	error = fd < 0 ? posix_trace_create(pid, &attr, ret_trid)
		       : posix_trace_create_withlog(pid, &attr, fd, ret_trid);
	if (error == 0)
		posix_trace_start(*ret_trid);
	else if (error != EAGAIN && error != EPERM && error != ESRCH)
		must(error, "create a stream of a hostile target");
	verdict.n_refused += error != 0;
	verdict.n_streams += error == 0;
	return error == 0;
}

static void stream_end(trace_id_t trid, int fd)
{
	int64_t begin = now_ns(CLOCK_MONOTONIC);
	struct seen_list list;

	verdict.n_unfinished += posix_trace_shutdown(trid) != 0;
	deed_time("shutdown", begin);
	if (fd < 0)
		return;
	if (posix_trace_open(fd, &trid) != 0) {
		verdict.n_unopened++;
		return;
	}
	list = read_rest(trid);
	posix_trace_close(trid);
	verdict.n_log_events += list.n;
	seen_free(&list);
}

static void round_run(const char *how, trace_id_t honest)
{
	const bool has_log = random_below(2);
	const struct shape shapes[] = { random_shape(has_log), random_shape(false) };
	pid_t pid = act_begin("scribble", how);
	trace_id_t trid[2];
	bool is_there[2];
	int fd = has_log ? file_without_name() : -1;

	if (!comes_true(act_is_there, &pid))
		must(ESRCH, "run a target");
	is_there[0] = stream_begin(pid, &shapes[0], fd, &trid[0]);
	for (int64_t end = now_ns(CLOCK_MONOTONIC) + 30000000; now_ns(CLOCK_MONOTONIC) < end;)
		if (is_there[0])
			deed_do(trid[0]);
	is_there[1] = stream_begin(pid, &shapes[1], -1, &trid[1]);
	for (int64_t end = now_ns(CLOCK_MONOTONIC) + 50000000; now_ns(CLOCK_MONOTONIC) < end;) {
		for (unsigned int i = 0; i < 2; i++)
			if (is_there[i])
				deed_do(trid[i]);
		put_numbers(0, 1); /* our own stream's */
		do_status(honest);
	}
	if (random_below(2))
		act_end(pid);
	for (unsigned int i = 0; i < 2; i++)
		if (is_there[i])
			stream_end(trid[i], i == 0 ? fd : -1);
	act_end(pid);
	if (fd >= 0)
		close(fd);
}

static void rounds_run(unsigned int n_rounds)
{
	const struct shape shape = { .size = 1 << 20, .data_size = 64 };
	pid_t pid = act_begin("honest", "");
	trace_id_t honest, own;
	trace_event_id_t type;
	struct seen_list list;
	unsigned int first;
	bool is_good;
	size_t n;

	if (!comes_true(act_is_there, &pid))
		must(ESRCH, "run a target");
	sleep_ms(50);
	if (!stream_begin(pid, &shape, -1, &honest))
		must(EAGAIN, "trace an honest target");
	must(posix_trace_trid_eventid_open(honest, "honest", &type), "open a name");
	own = stream_run(&shape);
	for (unsigned int i = 0; i < n_rounds; i++) {
		alarm(120);
		round_run(i % 3 == 2 ? "truncate" : "scribble", honest);
	}
	must(posix_trace_stop(honest), "stop");
	list = read_all(honest);
	is_good = is_run(&list, type, &first, &n) && is_ordered(&list);
	ok(is_good && n > 10 * n_rounds, "15 hostile: the stream of another target is whole (%zu events)", n);
	seen_free(&list);
	list = read_all(own);
	ok(count_type(&list, POSIX_TRACE_UNNAMED_USEREVENT) > 0 && is_ordered(&list),
		"15 hostile: the controller's own stream is whole");
	seen_free(&list);
	must(posix_trace_shutdown(honest), "shutdown");
	must(posix_trace_shutdown(own), "shutdown");
	act_end(pid);
}

int main(int argc, char **argv)
{
	unsigned int n_rounds = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 24;

	for (size_t i = 0; argc > 3 && i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(argv[1], acts[i].name) == 0)
			return acts[i].run(argv);
	fixture_begin();
	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)now_ns(CLOCK_REALTIME);
	printf("# seed %llu, the target is of %s\n", (unsigned long long)random_state,
		getuid() == 0 ? "user nobody" : "the same user");
	rounds_run(n_rounds);
	printf("# %u streams, %u refused, %llu events in logs, slowest: %s, %lld us\n", verdict.n_streams,
		verdict.n_refused, verdict.n_log_events, slowest.name, (long long)slowest.ns / 1000);
	ok(verdict.n_streams >= n_rounds / 2, "15 hostile: a target that scribbles is traced");
	is_number(verdict.n_unfinished, 0, "15 hostile: its streams are shut down, by their consumers, too");
	is_number(verdict.n_unopened, 0, "15 hostile: its logs are complete, and can be read");
	ok(most_types < TYPES_MAX, "15 hostile: its names are not endless");
	ok(slowest.ns / 1000000 < SLOW_MS,
		"15 hostile: no function waits for what it would have one wait for");
	return tap_done();
}
