/* SPDX-License-Identifier: MIT */
/*
 * The program that is recorded. Its process is made first and waits at a pipe; when its stream is there, it
 * becomes the program by exec, over which the stream lives on.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/message.h"
#include "cli/record/record.h"

/* --- finding -------------------------------------------------------------------------------------------- */

/* 0, or why this file cannot be run. */
static int file_try(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? EISDIR : EACCES;
	return access(path, X_OK) == 0 ? 0 : errno;
}

static int tell_why(const char *name, int error)
{
	bool is_absent = error == ENOENT || error == ENOTDIR;
	const char *why =
		is_absent && !strchr(name, '/') ? "there is no such program in PATH" : strerror(error);

	message_print("cannot run '%s': %s", name, why);
	return is_absent ? EXIT_NOT_FOUND : EXIT_CANNOT_RUN;
}

/* A file that exists but may not be run is the result only if no later directory has another one. */
static int search_path(const char *name, char *ret_path, size_t path_bytes)
{
	const char *directories = getenv("PATH");
	int why = ENOENT;

	if (!directories)
		directories = "/bin:/usr/bin";
	for (;;) {
		size_t n = strcspn(directories, ":");
		int length =
			snprintf(ret_path, path_bytes, "%.*s%s/%s", (int)n, directories, n ? "" : ".", name);
		int error = length < 0 || (size_t)length >= path_bytes ? ENAMETOOLONG : file_try(ret_path);

		if (error == 0)
			return 0;
		if (error == EACCES)
			why = error;
		if (!directories[n])
			return why;
		directories += n + 1;
	}
}

int program_find(const char *name, char *ret_path, size_t path_bytes)
{
	int error;

	if (!strchr(name, '/'))
		error = name[0] ? search_path(name, ret_path, path_bytes) : ENOENT;
	else if (strlen(name) >= path_bytes)
		error = ENAMETOOLONG;
	else
		error = file_try(strcpy(ret_path, name));
	return error ? tell_why(name, error) : 0;
}

/* --- the process ---------------------------------------------------------------------------------------- */

/* In the new process. The message comes in one write: a byte or more means that the program may start. */
static void become_program(int go_fd, int told_fd, const struct program_start *start)
{
	char variable[PIPE_BUF];
	int error;
	ssize_t n = read(go_fd, variable, sizeof(variable) - 1);

	if (n <= 0)
		_exit(EXIT_NOT_FOUND); /* no process reads it: the recorder has given up, or has ended */
	variable[n] = '\0';
	signal(SIGPIPE, SIG_DFL); /* ours are ignored, and exec would leave them so */
	signal(SIGXFSZ, SIG_DFL);
	sigprocmask(SIG_SETMASK, start->signals, NULL);
	if ((!variable[0] || putenv(variable) == 0) &&
		(!start->preload || setenv("LD_PRELOAD", start->preload, 1) == 0))
		execvp(start->path, start->arguments); /* as a script of sh, if it is nothing else */
	error = errno;
	n = write(told_fd, &error, sizeof(error));
	_exit(n == sizeof(error) ? EXIT_CANNOT_RUN : EXIT_NOT_FOUND);
}

static enum rst_status fail_begin(int error, struct rst_error *err)
{
	return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot begin a process: %s", strerror(error));
}

enum rst_status program_hold(
	struct program *program, const struct program_start *start, struct rst_error *err)
{
	int go[2], told[2], error;

	if (pipe2(go, O_CLOEXEC) != 0)
		return fail_begin(errno, err);
	if (pipe2(told, O_CLOEXEC) != 0) {
		error = errno;
		close(go[0]);
		close(go[1]);
		return fail_begin(error, err);
	}
	*program = (struct program){ .pid = fork(), .go_fd = go[1], .told_fd = told[0] };
	error = errno;
	if (program->pid == 0) {
		close(go[1]); /* else the end of the recorder would not be seen */
		become_program(go[0], told[1], start);
	}
	close(go[0]);
	close(told[1]);
	if (program->pid > 0)
		return RST_OK;
	close(go[1]);
	close(told[0]);
	return fail_begin(error, err);
}

int program_go(struct program *program, const char *path, const char *variable)
{
	int error = 0;
	ssize_t n = write(program->go_fd, variable, strlen(variable) + 1);

	close(program->go_fd);
	if (n < 0)
		error = errno;
	else
		while ((n = read(program->told_fd, &error, sizeof(error))) < 0 && errno == EINTR)
			;
	close(program->told_fd);
	if (error == 0)
		return 0;
	waitpid(program->pid, NULL, 0);
	return tell_why(path, error);
}

void program_drop(struct program *program)
{
	close(program->go_fd);
	close(program->told_fd);
	waitpid(program->pid, NULL, 0);
}

/* Leaves it to be waited for again. */
static bool look_at_end(const struct program *program, siginfo_t *ret_info)
{
	*ret_info = (siginfo_t){ .si_pid = 0 };
	return waitid(P_PID, (id_t)program->pid, ret_info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

bool program_has_ended(const struct program *program)
{
	siginfo_t info;

	return !look_at_end(program, &info) || info.si_pid != 0;
}

int program_killer(const struct program *program)
{
	siginfo_t info;

	if (!look_at_end(program, &info) || info.si_pid == 0)
		return 0;
	return info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED ? info.si_status : 0;
}

int program_exit_status(const struct program *program)
{
	int status;

	while (waitpid(program->pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_NOT_FOUND;
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
