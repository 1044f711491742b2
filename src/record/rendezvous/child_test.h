/* SPDX-License-Identifier: MIT */
/* Shared by tests of this room: children in a certain state, and folders of their own. */
#ifndef RENDEZVOUS_CHILD_TEST_H
#define RENDEZVOUS_CHILD_TEST_H

#include "record/rendezvous/identity.h"
#include "tests/tap.h"
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534u

static inline bool child_become(unsigned int uid, unsigned int gid)
{
	return setgroups(0, NULL) == 0 && setresgid(gid, gid, gid) == 0 && setresuid(uid, uid, uid) == 0;
}

/* The child gets ready, and then waits until child_end(); 0 if it could not. */
static inline pid_t child_begin(bool (*get_ready)(void))
{
	int ready[2];
	char byte;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (!get_ready() || write(ready[1], "r", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	if (pid > 0 && read(ready[0], &byte, 1) != 1) {
		waitpid(pid, NULL, 0);
		pid = 0;
	}
	close(ready[0]);
	return pid;
}

static inline void child_end(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A child does it: its exit status, or 256 and the signal that ended it. */
static inline int child_do(int (*what)(void))
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what());
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 256 + WTERMSIG(status);
}

static inline bool child_is_nothing(void)
{
	return true;
}

/* A process that has been. */
static inline struct identity child_dead(void)
{
	struct identity identity = { 0 };
	pid_t pid = child_begin(child_is_nothing);

	identity_of((uint32_t)pid, &identity);
	child_end(pid);
	return identity;
}

static inline void skip(const char *why, const char *sentence)
{
	ok(true, "%s # SKIP %s", sentence, why);
}

#endif
