/* SPDX-License-Identifier: MIT */
/* Which user may trace which, as programs see it. What needs root is skipped without. */
#include "tests/posix/player.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- two users ------------------------------------------------------------------------------------------ */

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
	trace_id_t trid = stream_of(player.pid, &player_alone), during, after;

	player_go(&other);
	during = stream_of(other.pid, &player_alone);
	player_go(&player);
	player_end(&player);
	is_number(count_numbers(trid), N_NUMBERS,
		"15 users: root traces user nobody's process from before its exec");
	ok(comes_true(has_numbers, &during), "15 users: during it");
	after = stream_of(other.pid, &player_alone);
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
	trace_id_t trid = stream_make(&player_inherited);
	struct player player;
	struct stat metadata;

	snprintf(mine, sizeof(mine), "/dev/shm/posix-trace-%u", (unsigned int)getuid());
	is_number((unsigned)in_child(look_as_nobody, mine), 0,
		"15 users: user nobody can neither read root's directory nor change it");
	must(posix_trace_shutdown(trid), "shutdown");
	/*
	 * A folder that was there before its user, and not the one that a run of this test left when it was
	 * killed.
	 */
	must(system("rm -rf /dev/shm/posix-trace-64321*"), "remove what an earlier run left");
	snprintf(theirs, sizeof(theirs), "/dev/shm/posix-trace-%u", (unsigned int)SOMEBODY);
	must(mkdir(theirs, 0700) != 0 || chown(theirs, NOBODY, NOBODY) != 0, "squat");
	player = player_make("on", SOMEBODY);
	player_go(&player);
	trid = stream_of(player.pid, &player_alone);
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

/* --- programs that may not be traced -------------------------------------------------------------------- */

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

static void test_setuid(void)
{
	struct player player = player_make("setuid", 0);
	trace_id_t before = stream_of(player.pid, &player_alone), trid;

	player_go(&player);
	ok(comes_true(has_numbers, &before), "15 setuid: a process that becomes another user is traced on");
	fact_await(player.pid, "Uid:\t65534");
	trid = stream_of(player.pid, &player_alone);
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
	trid = stream_of(player.pid, &player_alone);
	ok(comes_true(has_numbers, &trid), "15 users: but by root, whose stream that user cannot make");
	must(posix_trace_shutdown(trid), "shutdown");
	player_kill(&player);
}

int main(int argc, char **argv)
{
	int status;

	if (player_main(argc, argv, &status))
		return status;
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
	return tap_done();
}
