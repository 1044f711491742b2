/* SPDX-License-Identifier: MIT */
#include "cli/pager.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *command_wanted(void)
{
	const char *command = getenv("PAGER"), *term = getenv("TERM");

	if (!term || strcmp(term, "dumb") == 0)
		return NULL;
	if (!command)
		return "less";
	return command[0] && strcmp(command, "cat") != 0 ? command : NULL;
}

/* F: what fits on the screen ends at once, R: colours, X: it stays on the screen. */
static void pager_exec(const char *command, int from)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (setenv("LESS", "FRX", 0) == 0 && setenv("LV", "-c", 0) == 0 && dup2(from, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* Whether the first word of the command can be run: without a pager the report itself must come. */
static bool is_there(const char *command)
{
	char line[256];

	if (command[strcspn(command, " \t")] || strchr(command, '/'))
		return true;
	snprintf(line, sizeof(line), "command -v %.200s >/dev/null 2>&1", command);
	return system(line) == 0;
}

void pager_start(struct pager *pager, int fd)
{
	const char *command = command_wanted();
	int ends[2];

	pager->pid = 0;
	if (!command || fd != STDOUT_FILENO || !isatty(fd) || !is_there(command))
		return;
	if (pipe2(ends, O_CLOEXEC) != 0)
		return;
	pager->pid = fork();
	if (pager->pid == 0)
		pager_exec(command, ends[0]);
	if (pager->pid > 0) {
		if (isatty(STDERR_FILENO))
			dup2(ends[1], STDERR_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		signal(SIGINT, SIG_IGN); /* the pager handles it, and its end causes EPIPE here */
	} else {
		pager->pid = 0;
	}
	close(ends[0]);
	close(ends[1]);
}

void pager_done(struct pager *pager)
{
	int nowhere, status;

	if (!pager->pid)
		return;
	fflush(stderr);
	nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	dup2(nowhere, STDOUT_FILENO);
	dup2(nowhere, STDERR_FILENO);
	while (waitpid(pager->pid, &status, 0) < 0 && kill(pager->pid, 0) == 0)
		continue;
	pager->pid = 0;
}
