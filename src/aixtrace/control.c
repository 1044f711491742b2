/* SPDX-License-Identifier: MIT */
/*
 * The functions of <sys/trcctl.h>. A session is a separate process, which the command `rastrum trace` makes.
 */
#include "aixtrace/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/trcctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ARGUMENTS_MAX = 64, EXIT_USAGE = 2, CHANNEL_MASK = 0xff };

/*
 * Splits a text into words at blanks, in place. Quotes of either kind keep blanks and are removed. Returns -1
 * if there are too many words.
 */
static int words_split(char *text, char **words, int n_room)
{
	int n = 0;
	char *to = text, quote = 0;

	for (char *at = text;;) {
		while (*at == ' ' || *at == '\t' || *at == '\n')
			at++;
		if (!*at)
			return n;
		if (n == n_room)
			return -1;
		words[n++] = to;
		while (*at && (quote || !strchr(" \t\n", *at))) {
			if (*at == quote)
				quote = 0;
			else if (!quote && (*at == '"' || *at == '\''))
				quote = *at;
			else
				*to++ = *at;
			at++;
		}
		if (*at)
			at++;
		*to++ = '\0';
	}
}

/*
 * The installed program, unless the environment names another one. A program with more rights than its user
 * ignores the environment.
 */
static const char *program_path(void)
{
	const char *path = secure_getenv("RASTRUM");

	return path && *path ? path : RASTRUM_PROGRAM;
}

static int status_error(int status)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE)
		return EINVAL;
	return WIFEXITED(status) && WEXITSTATUS(status) == 127 ? ENOENT : EIO;
}

/* Runs the command. It returns when its session records in the background, and prints the channel of -g. */
static int session_run(char **arguments, char *output, size_t n_output)
{
	posix_spawn_file_actions_t actions;
	int ends[2], status = 0, error;
	pid_t pid;
	ssize_t n = 0;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return errno;
	error = posix_spawn_file_actions_init(&actions);
	if (!error) {
		error = posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
		if (!error)
			error = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments, environ);
		posix_spawn_file_actions_destroy(&actions);
	}
	close(ends[1]);
	if (!error)
		n = read(ends[0], output, n_output - 1);
	output[n > 0 ? n : 0] = '\0';
	close(ends[0]);
	if (error)
		return error;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EIO; /* the program waits for all its children elsewhere */
	return status_error(status);
}

/*
 * Whether the first word has -a, perhaps with other letters that take no value. Other words are not checked,
 * because they may be values: -a may then be given twice, which does no harm.
 */
static bool is_background(const char *word)
{
	return word && word[0] == '-' && word[1 + strspn(word + 1, "cdfgls")] == 'a';
}

int trcstart(const char *args)
{
	char *arguments[ARGUMENTS_MAX + 4] = { (char *)(uintptr_t)program_path(),
		(char *)(uintptr_t) "trace" };
	char *text = strdup(args ? args : ""), output[16];
	int error = 0, n;

	if (!text) {
		errno = ENOMEM;
		return -1;
	}
	n = words_split(text, arguments + 2, ARGUMENTS_MAX);
	if (n >= 0 && !is_background(arguments[2])) {
		memmove(arguments + 3, arguments + 2, (size_t)n * sizeof(*arguments));
		arguments[2] = (char *)(uintptr_t) "-a";
	}
	if (n < 0)
		error = EINVAL;
	else
		error = session_run(arguments, output, sizeof(output));
	free(text);
	if (error == EIO && channel_is_taken(0))
		error = EBUSY;
	if (error) {
		errno = error;
		return -1;
	}
	return (int)strtol(output, NULL, 10);
}

static int channel_do(int channel, enum channel_request request)
{
	const int error = channel_ask(channel, request);

	if (!error)
		return 0;
	errno = error;
	return -1;
}

int trcon(int channel)
{
	return channel_do(channel, CHANNEL_ON);
}

int trcoff(int channel)
{
	return channel_do(channel, CHANNEL_OFF);
}

int trcstop(int channel)
{
	return channel_do(channel & CHANNEL_MASK,
		channel >= 0 && channel & TRCSTOP_DISCARD ? CHANNEL_DISCARD : CHANNEL_STOP);
}
