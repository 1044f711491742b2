/* SPDX-License-Identifier: MIT */
/*
 * Streams of other processes: before and after exec, of children that it spawns, and what a hostile target
 * can do.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N_NUMBERS 5
#define N_FORKS	  100

static const struct shape alone = { .size = 65536, .data_size = 64 };
static const struct shape inherited = {
	.size = 65536, .data_size = 64, .inheritance = POSIX_TRACE_INHERITED
};

/* A test runs this program again, to do one of these acts. */

static int act_tick(char **arguments)
{
	trace_event_id_t other, type;

	posix_trace_eventid_open("not known before", &other);
	must(posix_trace_eventid_open("tick", &type), "open");
	for (unsigned int i = 0; i < N_NUMBERS; i++)
		put_number(type, i);
	(void)arguments;
	return 0;
}

static int act_spawn(char **arguments)
{
	char *const child[] = { arguments[0], (char[]){ "tick" }, NULL };
	int status;
	pid_t pid;

	must(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, child, environ), "spawn");
	waitpid(pid, &status, 0);
	return status;
}

/* A target that is in a loop, until it is killed. */
static int act_run(char **arguments)
{
	for (unsigned int i = 0;; i++) {
		put_number(type_open("turn"), i);
		sleep_ms(1);
	}
	(void)arguments;
	return 0;
}

static const struct act {
	const char *name;
	int (*run)(char **arguments);
} acts[] = { { "tick", act_tick }, { "spawn", act_spawn }, { "run", act_run } };

/* A child that waits to be let go, and then is this program with that part to play. */
struct player {
	pid_t pid;
	int go;
};

static struct player player_make(const char *act)
{
	int ends[2];
	struct player player;

	must(pipe(ends), "pipe");
	player.pid = fork();
	if (player.pid == 0) {
		char byte, name[16];

		close(ends[1]);
		if (read(ends[0], &byte, 1) < 0)
			_exit(1);
		put_number(type_open("before exec"), 7);
		snprintf(name, sizeof name, "%s", act);
		execl("/proc/self/exe", "process_test", name, (char *)NULL);
		_exit(1);
	}
	close(ends[0]);
	player.go = ends[1];
	return player;
}

static int player_end(struct player *player)
{
	int status = 0;

	close(player->go);
	waitpid(player->pid, &status, 0);
	return status;
}

static trace_id_t player_stream(const struct player *player, const struct shape *shape)
{
	trace_attr_t attr;
	trace_id_t trid;

	shape_attr(shape, &attr);
	must(posix_trace_create(player->pid, &attr, &trid), "create");
	return trid;
}

static bool has_name(trace_id_t trid, trace_event_id_t type, const char *expected)
{
	char name[TRACE_EVENT_NAME_MAX + 1];

	return posix_trace_eventid_get_name(trid, type, name) == 0 && strcmp(name, expected) == 0;
}

static void test_exec(void)
{
	struct player player = player_make("tick");
	trace_id_t trid = player_stream(&player, &alone);
	trace_event_id_t tick, before;
	struct seen_list list;
	unsigned int first;
	size_t n;

	must(posix_trace_trid_eventid_open(trid, "tick", &tick), "open");
	must(posix_trace_start(trid), "start");
	is_number((unsigned int)player_end(&player), 0, "13 exec: the target runs");
	list = read_all(trid);
	ok(is_run(&list, tick, &first, &n) && n == N_NUMBERS && first == 0,
		"13 exec: a traced process goes on being traced into the same streams");
	ok(list.n > 1 && list.event[1].info.posix_pid == player.pid, "3 create: events have their process");
	ok(list.n > 1 && list.event[0].info.posix_event_id == POSIX_TRACE_START &&
			list.event[0].info.posix_pid == getpid() &&
			list.event[0].info.posix_thread_id == pthread_self(),
		"5 start: of another process's stream, START is of the process that started it");
	ok(count_type(&list, tick) == N_NUMBERS,
		"16.23 exec: a name that the stream has gets the stream's identifier");
	before = list.n > 1 ? list.event[1].info.posix_event_id : 0;
	ok(before != tick && has_name(trid, before, "before exec") && has_name(trid, tick, "tick"),
		"8 exec: the stream keeps the names of the program before, and has those of the new one");
	seen_free(&list);
	must(posix_trace_shutdown(trid), "shutdown");
}

static void test_spawn(const struct shape *shape, size_t expected, const char *sentence)
{
	struct player player = player_make("spawn");
	trace_id_t trid = player_stream(&player, shape);
	trace_event_id_t tick;
	struct seen_list list;

	must(posix_trace_trid_eventid_open(trid, "tick", &tick), "open");
	must(posix_trace_start(trid), "start");
	player_end(&player);
	list = read_all(trid);
	ok(count_type(&list, tick) == expected, "%s", sentence);
	seen_free(&list);
	must(posix_trace_shutdown(trid), "shutdown");
}

static bool has_event(void *trid)
{
	struct seen event = { 0 };

	return read_one(*(trace_id_t *)trid, &event) && event.info.posix_event_id > 64;
}

static void test_attached(void)
{
	struct player player = player_make("run");
	struct seen event = { 0 };
	trace_id_t one, two;
	trace_event_id_t turn;

	close(player.go);
	sleep_ms(50);
	one = player_stream(&player, &alone);
	two = player_stream(&player, &alone);
	must(posix_trace_start(one), "start");
	ok(comes_true(has_event, &one), "3 create: a process that runs is traced from its next event on");
	must(posix_trace_trid_eventid_open(two, "turn", &turn), "open");
	must(posix_trace_start(two), "start");
	ok(comes_true(has_event, &two), "3 create: a second stream of the same process");
	ok(turn > 64, "8 names: the target's names are the stream's");
	must(posix_trace_shutdown(one), "shutdown");
	must(posix_trace_clear(two), "clear");
	ok(comes_true(has_event, &two), "6.3 shutdown: the target's other streams go on");
	kill(player.pid, SIGKILL);
	waitpid(player.pid, &(int){ 0 }, 0);
	while (read_one(two, &event))
		;
	ok(posix_trace_stop(two) == 0, "13 end: the stream of a target that was killed can be controlled");
	must(posix_trace_shutdown(two), "shutdown");
	ok(posix_trace_create(player.pid, NULL, &one) == ESRCH, "3 create: a process that is gone is ESRCH");
}

/*
 * The debugger's way without exec: the child has its parent's names, and makes its page while its controller
 * comes.
 */
static void test_forked(void)
{
	trace_event_id_t type = type_open("of the parent");
	unsigned int n = 0;

	for (unsigned int i = 0; i < N_FORKS; i++) {
		int ends[2];
		trace_id_t trid;
		struct player player;
		struct seen_list list;

		must(pipe(ends), "pipe");
		player = (struct player){ .pid = fork(), .go = ends[1] };
		if (player.pid == 0) {
			char byte;

			close(ends[1]);
			if (read(ends[0], &byte, 1) == 0)
				put_number(type, i);
			_exit(0);
		}
		close(ends[0]);
		trid = player_stream(&player, &alone);
		must(posix_trace_start(trid), "start");
		player_end(&player);
		list = read_all(trid);
		n += count_type(&list, type) == 1;
		seen_free(&list);
		must(posix_trace_shutdown(trid), "shutdown");
	}
	is_number(n, N_FORKS, "13 fork: a child that is traced just after fork() has its parent's names");
}

/* The files in the user's directory whose maker is a process, of one kind, or of all: 0. */
static unsigned int count_files(pid_t maker, char kind)
{
	char path[64], number[32];
	unsigned int n = 0;
	DIR *directory;

	snprintf(path, sizeof path, "/dev/shm/posix-trace-%u", (unsigned int)getuid());
	snprintf(number, sizeof number, "-%d-", (int)maker);
	directory = opendir(path);
	for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
		n += (kind == 0 || entry->d_name[0] == kind) && strstr(entry->d_name, number) != NULL;
	if (directory)
		closedir(directory);
	return n;
}

static bool has_ring(pid_t maker)
{
	return count_files(maker, 'r') > 0;
}

/* A program that stops, and then execs another one: this controller makes its page and names. */
static void test_ended(char *program, const char *sentence)
{
	char self[256] = "", script[] = "kill -STOP $$; exec \"$0\" tick", option[] = "-c", shell[] = "sh";
	char *const arguments[] = { shell, option, script, program ? program : self, NULL };
	unsigned int n_before = count_files(getpid(), 'n');
	struct player stopped = { 0 };
	bool had_names;
	trace_id_t trid;

	must(readlink("/proc/self/exe", self, sizeof self - 1) < 0, "find this program");
	must(posix_spawn(&stopped.pid, "/bin/sh", NULL, NULL, arguments, environ), "spawn");
	waitpid(stopped.pid, NULL, WUNTRACED);
	trid = player_stream(&stopped, &alone);
	must(posix_trace_start(trid), "start");
	had_names = count_files(getpid(), 'n') == n_before + 1;
	kill(stopped.pid, SIGCONT);
	waitpid(stopped.pid, NULL, 0);
	must(posix_trace_shutdown(trid), "shutdown");
	ok(had_names && count_files(getpid(), 'n') == n_before && count_files(stopped.pid, 0) == 0, "%s",
		sentence);
}

struct leaving {
	struct player player;
	pid_t pid;
	bool had_ring;
};
static int controller_leave(void *argument)
{
	struct leaving *leaving = argument;

	must(posix_trace_start(player_stream(&leaving->player, &alone)), "start");
	leaving->pid = getpid();
	leaving->had_ring = has_ring(getpid());
	exit(0);
}

static void test_leaving(void)
{
	struct leaving *leaving = memory_shared(sizeof *leaving);

	leaving->player = player_make("run");
	close(leaving->player.go);
	in_child(controller_leave, leaving);
	ok(leaving->had_ring && !has_ring(leaving->pid), "6.3 exit: a controller leaves no file behind");
	sleep_ms(20);
	ok(waitpid(leaving->player.pid, NULL, WNOHANG) == 0, "6.3 exit: its target goes on");
	kill(leaving->player.pid, SIGKILL);
	waitpid(leaving->player.pid, NULL, 0);
}

/* Runs this program behind a shell that has ended, so that it has no living ancestor; waits for its end. */
static void run_orphan(char *line)
{
	char program[256] = "", byte, *environment[] = { line, NULL };
	int ends[2];

	must(readlink("/proc/self/exe", program, sizeof program - 1) < 0 || pipe(ends), "prepare an orphan");
	if (fork() == 0) {
		close(ends[0]);
		execle("/bin/sh", "sh", "-c", "(/bin/sleep 0.1; exec \"$0\" tick) &", program, (char *)NULL,
			environment);
		_exit(1);
	}
	close(ends[1]);
	while (read(ends[0], &byte, 1) > 0)
		;
	close(ends[0]);
	wait(NULL);
}

static void test_environment(void)
{
	char line[POSIX_TRACE_ENV_MAX_NP];
	trace_id_t trid = stream_run(&inherited), closed = stream_run(&alone);
	trace_event_id_t tick = type_open("tick");
	struct seen_list list;

	is_number((unsigned)posix_trace_getenv_np(trid, line, sizeof line), 0,
		"np getenv: an inherited stream has a line");
	ok(strchr(line, '=') != NULL && strlen(line) < sizeof line, "np getenv: which is NAME=VALUE");
	is_number((unsigned)posix_trace_getenv_np(trid, line, 8), ENOMEM,
		"np getenv: a buffer that is too short is ENOMEM");
	is_number((unsigned)posix_trace_getenv_np(closed, line, sizeof line), EINVAL,
		"np getenv: a stream that is not inherited is EINVAL");
	is_number((unsigned)posix_trace_getenv_np(-1, line, sizeof line), EINVAL,
		"np getenv: a trid that is none is EINVAL");
	run_orphan((char[]){ "NOTHING=" });
	list = read_all(trid);
	is_number(count_type(&list, tick), 0,
		"np getenv: without it a program whose ancestors are gone is not traced");
	seen_free(&list);
	must(posix_trace_getenv_np(trid, line, sizeof line), "get the line");
	run_orphan(line);
	list = read_all(trid);
	is_number(count_type(&list, tick), N_NUMBERS, "np getenv: with it in its environment it is");
	seen_free(&list);
	must(posix_trace_shutdown(trid) || posix_trace_shutdown(closed), "shutdown");
}

static void test_environment_of_other(void)
{
	struct player player = player_make("tick");
	trace_id_t trid = player_stream(&player, &inherited), closed = player_stream(&player, &alone);
	char line[POSIX_TRACE_ENV_MAX_NP];

	ok(posix_trace_getenv_np(trid, line, sizeof line) == 0 &&
			posix_trace_getenv_np(closed, line, sizeof line) == EINVAL,
		"np getenv: of another process's streams those that are inherited have one");
	must(posix_trace_shutdown(trid) || posix_trace_shutdown(closed), "shutdown");
	player_end(&player);
}

static void test_log(void)
{
	struct player player = player_make("tick");
	const struct shape shape = { .size = 65536, .log_size = 1 << 20 };
	int fd = file_without_name();
	trace_attr_t attr;
	trace_id_t trid;
	struct seen_list list;

	shape_attr(&shape, &attr);
	must(posix_trace_create_withlog(player.pid, &attr, fd, &trid), "create");
	must(posix_trace_start(trid), "start");
	player_end(&player);
	must(posix_trace_shutdown(trid), "shutdown");
	list = read_log(fd);
	ok(list.n >= N_NUMBERS + 2 && ends_with_stop(&list, false),
		"12 log: that of another process is complete");
	seen_free(&list);
	close(fd);
}

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof acts / sizeof acts[0]; i++)
		if (strcmp(argv[1], acts[i].name) == 0)
			return acts[i].run(argv);
	fixture_begin();
	test_exec();
	test_spawn(&inherited, N_NUMBERS, "13 posix_spawn: as fork and then exec");
	test_spawn(&alone, 0, "13 posix_spawn: by default a child is not traced");
	test_attached();
	test_forked();
	test_ended(NULL, "6.3 shutdown: nothing is left of a target that has ended");
	test_ended((char[]){ "true" }, "6.3 shutdown: nothing is left of one that never loaded the library");
	test_leaving();
	test_environment();
	test_environment_of_other();
	test_log();
	return tap_done();
}
