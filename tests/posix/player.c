/* SPDX-License-Identifier: MIT */
#include "tests/posix/player.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

const struct shape player_alone = { .size = 65536, .data_size = 64 };
const struct shape player_inherited = {
	.size = 1 << 20, .data_size = 64, .inheritance = POSIX_TRACE_INHERITED
};

/* --- what this program does when a test runs it again --------------------------------------------------- */

static void put_some(void)
{
	trace_event_id_t type = type_open("number");

	for (unsigned int i = 0; i < N_NUMBERS; i++)
		put_number(type, i);
}

static void go_on(void)
{
	trace_event_id_t type = type_open("number");

	alarm(60);
	for (unsigned int i = 0;; i++) {
		put_number(type, i);
		sleep_ms(1);
	}
}

static void act_some(void)
{
	put_some();
}

static void act_close(void)
{
	put_some();
	close_range(0, ~0u, 0);
	go_on();
}

static void act_daemon(void)
{
	if (fork() != 0)
		_exit(0);
	setsid();
	if (fork() != 0)
		_exit(0);
	put_some();
}

static void act_storm(void)
{
	trace_event_id_t type = type_open("number");

	signal(SIGCHLD, SIG_IGN);
	for (unsigned int i = 0; i < N_CHILDREN; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			put_number(type, i);
			_exit(0);
		}
		if (pid < 0)
			sleep_ms(10);
	}
	while (wait(NULL) > 0)
		continue;
}

static void act_vfork(void)
{
	char *const words[] = { (char[]){ "player" }, (char[]){ "some" }, NULL };
	pid_t pid = vfork();

	if (pid == 0) {
		execv("/proc/self/exe", words);
		_exit(1);
	}
	waitpid(pid, NULL, 0);
}

static int put_in_clone(void *type)
{
	put_number(*(trace_event_id_t *)type, 0);
	return 0;
}

/* Children that have their parent's memory, as posix_spawn() makes them. */
static void act_clone(void)
{
	static _Alignas(64) unsigned char stack[262144];
	trace_event_id_t type = type_open("number");

	for (unsigned int i = 0; i < N_NUMBERS; i++) {
#ifdef __SANITIZE_THREAD__ /* it cannot bear them */
		put_in_clone(&type);
		(void)stack;
#else
		waitpid(clone(put_in_clone, stack + sizeof(stack), CLONE_VM | SIGCHLD, &type), NULL, 0);
#endif
	}
}

/* Becomes another user after it was loaded. */
static void act_setuid(void)
{
	put_some();
	if (setgroups(0, NULL) != 0 || setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		_exit(3);
	prctl(PR_SET_DUMPABLE, 1);
	go_on();
}

/* As agents do that keep secrets. */
static void act_hide(void)
{
	prctl(PR_SET_DUMPABLE, 0);
	go_on();
}

/* Every other system call ends it. (Strict mode would take the time stamp counter from it as well.) */
static void process_confine(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_nanosleep, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	must(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
		"confine");
}

/* While it is traced. */
static void act_confine(void)
{
	trace_event_id_t type = type_open("number");

	for (unsigned int i = 0; i < 200; i++) {
		put_number(type, i);
		sleep_ms(1);
	}
	process_confine();
	for (unsigned int i = 200;; i++) {
		put_number(type, i);
		sleep_ms(1);
	}
}

static const struct act {
	const char *name;
	void (*run)(void);
} acts[] = {
	{ "some", act_some },
	{ "on", go_on },
	{ "close", act_close },
	{ "daemon", act_daemon },
	{ "storm", act_storm },
	{ "vfork", act_vfork },
	{ "clone", act_clone },
	{ "setuid", act_setuid },
	{ "hide", act_hide },
	{ "confine", act_confine },
};

static int act_run(const char *name)
{
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		if (strcmp(name, acts[i].name) == 0)
			acts[i].run();
	return 0;
}

/* --- targets -------------------------------------------------------------------------------------------- */

bool user_become(unsigned int uid)
{
	return uid == getuid() || (setgroups(0, NULL) == 0 && setgid(uid) == 0 && setuid(uid) == 0);
}

void player_again(const char *word, const char *other)
{
	execl("/proc/self/exe", "player", word, other, (char *)NULL);
	_exit(1);
}

struct player player_make(const char *act, unsigned int uid)
{
	struct player player;
	int ends[2], there[2];
	char byte;

	must(pipe2(ends, O_CLOEXEC) || pipe2(there, O_CLOEXEC), "pipe");
	player.pid = fork();
	if (player.pid == 0) {
		if (!user_become(uid) || dup2(ends[0], 0) < 0 || dup2(there[1], 1) < 0)
			_exit(1);
		player_again("wait", act);
	}
	close(ends[0]);
	close(there[1]);
	must(read(there[0], &byte, 1) != 1, "run a target");
	close(there[0]);
	player.go = ends[1];
	return player;
}

static int act_wait(const char *act)
{
	char byte;

	if (write(1, "t", 1) != 1 || read(0, &byte, 1) < 0 || dup2(2, 1) < 0)
		return 1;
	player_again(act, NULL);
	return 1;
}

void player_go(struct player *player)
{
	close(player->go);
}

void player_end(const struct player *player)
{
	waitpid(player->pid, NULL, 0);
}

void player_kill(const struct player *player)
{
	kill(player->pid, SIGKILL);
	player_end(player);
}

trace_id_t stream_of(pid_t pid, const struct shape *shape)
{
	trace_attr_t attr;
	trace_id_t trid;

	shape_attr(shape, &attr);
	must(posix_trace_create(pid, &attr, &trid), "create");
	must(posix_trace_start(trid), "start");
	return trid;
}

size_t count_numbers(trace_id_t trid)
{
	struct seen_list list;
	trace_event_id_t type;
	size_t n;

	must(posix_trace_trid_eventid_open(trid, "number", &type), "open");
	list = read_all(trid);
	n = count_type(&list, type);
	seen_free(&list);
	return n;
}

bool has_numbers(void *trid)
{
	return count_numbers(*(trace_id_t *)trid) > 0;
}

/* A child that is another user tries to trace a process, and reports the result. */
struct attempt {
	unsigned int uid;
	pid_t pid;
};
static int attempt_make(void *argument)
{
	const struct attempt *attempt = argument;
	trace_id_t trid;

	return user_become(attempt->uid) ? posix_trace_create(attempt->pid, NULL, &trid) : 255;
}
int attempt_by(unsigned int uid, pid_t pid)
{
	struct attempt attempt = { uid, pid };

	return WEXITSTATUS(in_child(attempt_make, &attempt));
}

/* Whether a line of a process's status begins with a text. */
struct fact {
	pid_t pid;
	const char *line;
};
static bool fact_holds(void *argument)
{
	const struct fact *fact = argument;
	char text[64], line[128];
	bool holds = false;
	FILE *file;

	snprintf(text, sizeof(text), "/proc/%d/status", (int)fact->pid);
	file = fopen(text, "re");
	while (file && !holds && fgets(line, sizeof(line), file))
		holds = strncmp(line, fact->line, strlen(fact->line)) == 0;
	if (file)
		fclose(file);
	return holds;
}
void fact_await(pid_t pid, const char *line)
{
	struct fact fact = { pid, line };

	must(comes_true(fact_holds, &fact) ? 0 : ETIMEDOUT, line);
}

bool player_main(int argc, char **argv, int *ret_status)
{
	if (argc > 2 && strcmp(argv[1], "wait") == 0)
		*ret_status = act_wait(argv[2]);
	else if (argc > 1)
		*ret_status = act_run(argv[1]);
	return argc > 1;
}
