/* SPDX-License-Identifier: MIT */
/*
 * Which user may trace which, as programs see it, and targets that change what they are: users, groups of filters, descriptors,
 * sessions, numbers. What needs root is skipped without.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, SOMEBODY = 64321, N_NUMBERS = 5, N_CHILDREN = 300 };

static const struct shape alone = { .size = 65536, .data_size = 64 };
static const struct shape inherited = {
	.size = 1 << 20, .data_size = 64, .inheritance = POSIX_TRACE_INHERITED
};

/* --- what this program does when a test runs it again ------------------------------------------------------- */

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
	char *const words[] = { (char[]){ "users_test" }, (char[]){ "some" }, NULL };
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

/* --- targets ------------------------------------------------------------------------------------------------ */

static bool user_become(unsigned int uid)
{
	return uid == getuid() || (setgroups(0, NULL) == 0 && setgid(uid) == 0 && setuid(uid) == 0);
}

/* This program again, as a user: it waits until `go` is closed, and then execs itself once more to play its part. */
struct player {
	pid_t pid;
	int go;
};

static void run_again(const char *word, const char *other)
{
	execl("/proc/self/exe", "users_test", word, other, (char *)NULL);
	_exit(1);
}

static struct player player_make(const char *act, unsigned int uid)
{
	struct player player;
	int ends[2], there[2];
	char byte;

	must(pipe2(ends, O_CLOEXEC) || pipe2(there, O_CLOEXEC), "pipe");
	player.pid = fork();
	if (player.pid == 0) {
		if (!user_become(uid) || dup2(ends[0], 0) < 0 || dup2(there[1], 1) < 0)
			_exit(1);
		run_again("wait", act);
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
	run_again(act, NULL);
	return 1;
}

static void player_go(struct player *player)
{
	close(player->go);
}

static void player_end(const struct player *player)
{
	waitpid(player->pid, NULL, 0);
}

static void player_kill(const struct player *player)
{
	kill(player->pid, SIGKILL);
	player_end(player);
}

static trace_id_t stream_of(pid_t pid, const struct shape *shape)
{
	trace_attr_t attr;
	trace_id_t trid;

	shape_attr(shape, &attr);
	must(posix_trace_create(pid, &attr, &trid), "create");
	must(posix_trace_start(trid), "start");
	return trid;
}

static size_t count_numbers(trace_id_t trid)
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

static bool has_numbers(void *trid)
{
	return count_numbers(*(trace_id_t *)trid) > 0;
}

/* What a child that is another user gets when it traces a process. */
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
static int attempt_by(unsigned int uid, pid_t pid)
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
static void fact_await(pid_t pid, const char *line)
{
	struct fact fact = { pid, line };

	must(comes_true(fact_holds, &fact) ? 0 : ETIMEDOUT, line);
}

/* --- two users ---------------------------------------------------------------------------------------------- */

static void test_permission(void)
{
	struct player roots = player_make("on", 0), nobodys = player_make("on", NOBODY);

	player_go(&roots);
	player_go(&nobodys);
	is_number((unsigned)attempt_by(NOBODY, roots.pid), EPERM, "15 users: user nobody may not trace root");
	is_number((unsigned)attempt_by(SOMEBODY, nobodys.pid), EPERM, "15 users: nor one user another");
	is_number((unsigned)attempt_by(0, nobodys.pid), 0, "15 users: root may");
	is_number((unsigned)attempt_by(NOBODY, nobodys.pid), 0, "15 users: a user may trace an own process");
	player_kill(&roots);
	player_kill(&nobodys);
}

static void test_root(void)
{
	struct player player = player_make("some", NOBODY), other = player_make("on", NOBODY);
	trace_id_t trid = stream_of(player.pid, &alone), during, after;

	player_go(&other);
	during = stream_of(other.pid, &alone);
	player_go(&player);
	player_end(&player);
	is_number(count_numbers(trid), N_NUMBERS,
		"15 users: root traces user nobody's process from before its exec");
	ok(comes_true(has_numbers, &during), "15 users: during it");
	after = stream_of(other.pid, &alone);
	ok(comes_true(has_numbers, &after), "15 users: and afterwards");
	player_kill(&other);
	must(posix_trace_shutdown(trid) || posix_trace_shutdown(during) || posix_trace_shutdown(after),
		"shutdown");
}

static int look_as_nobody(void *path)
{
	char file[128];

	if (!user_become(NOBODY))
		return 255;
	snprintf(file, sizeof(file), "%s/c-1-1-1-0", (const char *)path);
	return (open(path, O_RDONLY | O_DIRECTORY) >= 0) | (open(file, O_RDWR | O_CREAT, 0600) >= 0) << 1 |
	       (unlink(file) == 0) << 2 | (rename(path, "/dev/shm/elsewhere") == 0) << 3 |
	       (errno != EPERM && errno != EACCES) << 4;
}

static void test_directory(void)
{
	char mine[64], theirs[64];
	trace_id_t trid = stream_make(&inherited);
	struct player player;
	struct stat metadata;

	snprintf(mine, sizeof(mine), "/dev/shm/posix-trace-%u", (unsigned int)getuid());
	is_number((unsigned)in_child(look_as_nobody, mine), 0,
		"15 users: user nobody can neither read root's directory nor change it");
	must(posix_trace_shutdown(trid), "shutdown");
	/* A folder that was there before its user. */
	snprintf(theirs, sizeof(theirs), "/dev/shm/posix-trace-%u", (unsigned int)SOMEBODY);
	must(mkdir(theirs, 0700) != 0 || chown(theirs, NOBODY, NOBODY) != 0, "squat");
	player = player_make("on", SOMEBODY);
	player_go(&player);
	trid = stream_of(player.pid, &alone);
	ok(comes_true(has_numbers, &trid) && stat(theirs, &metadata) == 0 && metadata.st_nlink == 2,
		"15 users: a directory that another user made before is not used, and blocks no user");
	must(posix_trace_shutdown(trid), "shutdown");
	player_kill(&player);
	rmdir(theirs);
	must(system("rm -r /dev/shm/posix-trace-64321-*"), "remove the other one");
}

/* User nobody puts a link to a file of root's at the place of its page. */
static int plant_as_nobody(void *argument)
{
	const char *const *words = argument;

	return user_become(NOBODY) ? symlink(words[0], words[1]) : 255;
}

static void test_planted(void)
{
	struct player player = player_make("on", NOBODY);
	char page[128], precious[] = "/tmp/precious-XXXXXX", text[16] = "";
	const char *words[] = { precious, page };
	int fd = mkstemp(precious);
	unsigned long long start;
	struct stat metadata;
	trace_id_t trid;
	FILE *file;
	pid_t pid;

	must(write(fd, "precious", 8) != 8, "write a file");
	pid = fork(); /* a process without a page, whose files are user nobody's, unlike this program's */
	if (pid == 0) {
		if (!user_become(NOBODY) || prctl(PR_SET_DUMPABLE, 1) != 0)
			_exit(1);
		execlp("sleep", "sleep", "60", (char *)NULL);
		_exit(1);
	}
	fact_await(pid, "Name:\tsleep");
	snprintf(page, sizeof(page), "/proc/%d/stat", (int)pid);
	file = fopen(page, "re");
	if (!file ||
		fscanf(file,
			"%*d %*s %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d %*d "
			"%llu",
			&start) != 1)
		must(EINVAL, "read when a process began");
	fclose(file);
	must(stat("/proc/self/ns/pid", &metadata) != 0, "find the name space");
	snprintf(page, sizeof(page), "/dev/shm/posix-trace-%u/c-%lu-%d-%llu-0", (unsigned int)NOBODY,
		(unsigned long)metadata.st_ino, (int)pid, start);
	must(in_child(plant_as_nobody, words), "plant a link");
	ok(posix_trace_create(pid, NULL, &trid) == EPERM && pread(fd, text, 15, 0) == 8 &&
			strcmp(text, "precious") == 0,
		"15 users: what user nobody planted in its directory is not followed");
	unlink(page);
	ok(posix_trace_create(pid, NULL, &trid) == 0 && posix_trace_shutdown(trid) == 0,
		"15 users: without it the process may be traced");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(precious);
	close(fd);
	player_go(&player);
	player_kill(&player);
}

/* --- programs that may not be traced ------------------------------------------------------------------------ */

static void test_set_user_id(void)
{
	static const char sentence[] = "15 users: a set-user-ID program is EPERM, and goes on";
	char program[] = "/tmp/users_test-XXXXXX", command[128];
	struct stat metadata;
	trace_id_t trid;
	pid_t pid;
	int fd = mkstemp(program);

	close(fd);
	snprintf(command, sizeof(command), "cp /proc/%d/exe %s && chown %u %s && chmod 4755 %s",
		(int)getpid(), program, (unsigned int)NOBODY, program, program);
	must(system(command), "make a program");
	pid = fork();
	if (pid == 0) {
		if (user_become(SOMEBODY))
			execl(program, "users_test", "on", (char *)NULL);
		_exit(1);
	}
	fact_await(pid, "Name:\tusers_test-");
	snprintf(command, sizeof(command), "/proc/%d", (int)pid);
	if (stat(command, &metadata) == 0 && metadata.st_uid == NOBODY)
		ok(posix_trace_create(pid, NULL, &trid) == EPERM && waitpid(pid, NULL, WNOHANG) == 0,
			sentence);
	else
		skip(sentence, "set-user-ID programs have no effect here");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	unlink(program);
}

static void test_seccomp(void)
{
	struct player player = player_make("confine", getuid());
	trace_id_t trid = stream_of(player.pid, &alone), other;

	player_go(&player);
	ok(comes_true(has_numbers, &trid), "15 seccomp: a program is traced");
	fact_await(player.pid, "Seccomp:\t2");
	count_numbers(trid);
	ok(comes_true(has_numbers, &trid), "15 seccomp: also when it has confined itself");
	is_number((unsigned)posix_trace_create(player.pid, NULL, &other), EPERM,
		"15 seccomp: others may not trace it then");
	must(posix_trace_shutdown(trid), "shutdown");
	sleep_ms(100);
	ok(waitpid(player.pid, NULL, WNOHANG) == 0, "15 seccomp: the end of the stream does it no harm");
	player_kill(&player);
}

/* --- targets that change ------------------------------------------------------------------------------------ */

static void test_acts(void)
{
	static const struct {
		const char *act;
		unsigned int n;
		const char *sentence;
	} parts[] = {
		{ "daemon", N_NUMBERS, "15 targets: a daemon is traced behind its forks" },
		{ "storm", N_CHILDREN, "15 targets: many children, each of which has its event" },
		{ "vfork", N_NUMBERS, "15 targets: what a child of vfork() execs" },
		{ "clone", N_NUMBERS, "15 targets: children in the memory of their parent" },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct player player = player_make(parts[i].act, getuid());
		trace_id_t trid = stream_of(player.pid, &inherited);
		size_t n = 0;

		player_go(&player);
		player_end(&player);
		for (unsigned int waited = 0; n < parts[i].n && waited < 10000; waited += 10) {
			n += count_numbers(trid);
			sleep_ms(10);
		}
		is_number(n, parts[i].n, parts[i].sentence);
		must(posix_trace_shutdown(trid), "shutdown");
	}
}

static void test_close(void)
{
	struct player player = player_make("close", getuid());
	trace_id_t trid = stream_of(player.pid, &alone), later;

	player_go(&player);
	ok(comes_true(has_numbers, &trid), "15 targets: one that closes all descriptors");
	sleep_ms(50); /* now they are closed */
	later = stream_of(player.pid, &alone);
	ok(comes_true(has_numbers, &later), "15 targets: is traced into streams that are made later, too");
	must(posix_trace_shutdown(trid) || posix_trace_shutdown(later), "shutdown");
	player_kill(&player);
}

static void test_setuid(void)
{
	struct player player = player_make("setuid", 0);
	trace_id_t before = stream_of(player.pid, &alone), trid;

	player_go(&player);
	ok(comes_true(has_numbers, &before), "15 setuid: a process that becomes another user is traced on");
	fact_await(player.pid, "Uid:\t65534");
	trid = stream_of(player.pid, &alone);
	ok(comes_true(has_numbers, &trid), "15 setuid: and into streams that root makes later");
	is_number((unsigned)attempt_by(NOBODY, player.pid), EPERM,
		"15 setuid: the other user, which cannot reach it, gets an error");
	must(posix_trace_shutdown(before) || posix_trace_shutdown(trid), "shutdown");
	player_kill(&player);
}

static bool is_hidden(void *player)
{
	struct stat metadata;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)((struct player *)player)->pid);
	return stat(path, &metadata) == 0 && metadata.st_uid == 0;
}

static void test_hidden(void)
{
	struct player player = player_make("hide", NOBODY);
	trace_id_t trid;

	player_go(&player);
	must(comes_true(is_hidden, &player) ? 0 : ETIMEDOUT, "hide");
	is_number((unsigned)attempt_by(NOBODY, player.pid), EPERM,
		"15 users: a process that is not dumpable may not be traced by its user");
	trid = stream_of(player.pid, &alone);
	ok(comes_true(has_numbers, &trid), "15 users: but by root, whose stream that user cannot make");
	must(posix_trace_shutdown(trid), "shutdown");
	player_kill(&player);
}

/* A child with the number of another; -1: we may not choose. */
static pid_t fork_as(pid_t pid)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)(uintptr_t)&pid, .set_tid_size = 1
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static void test_reuse(void)
{
	static const char sentence[] =
		"15 reuse: a process with the number of a dead one has no part in its streams";
	struct player player = player_make("some", getuid());
	trace_id_t old = stream_of(player.pid, &alone), young;
	pid_t pid;

	player_go(&player);
	player_end(&player);
	is_number(count_numbers(old), N_NUMBERS, "15 reuse: a target has ended");
	sleep_ms(20); /* processes that began in the same hundredth of a second cannot be distinguished */
	pid = fork_as(player.pid);
	if (pid == 0)
		run_again("on", NULL);
	if (pid != player.pid) {
		skip(sentence, "the number of a child cannot be chosen here");
	} else {
		young = stream_of(pid, &alone);
		ok(comes_true(has_numbers, &young) && count_numbers(old) == 0, sentence);
		must(posix_trace_shutdown(young), "shutdown");
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	must(posix_trace_shutdown(old), "shutdown");
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "wait") == 0)
		return act_wait(argv[2]);
	if (argc > 1)
		return act_run(argv[1]);
	fixture_begin();
	if (getuid() == 0) {
		test_permission();
		test_root();
		test_directory();
		test_planted();
		test_set_user_id();
		test_setuid();
		test_hidden();
	} else {
		skip("15 users: which user may trace which", "not root");
	}
	test_seccomp();
	test_acts();
	test_close();
	test_reuse();
	return tap_done();
}
