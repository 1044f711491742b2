/* SPDX-License-Identifier: MIT */
#include "bench/callgrind.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int spawn_counted(const char *const *arguments, int out)
{
	char program[4096];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);
	const char *command[CALLGRIND_ARGUMENTS_MAX + 5] = { "valgrind", "--tool=callgrind",
		"--callgrind-out-file=/dev/null", program };
	char *words[sizeof(command) / sizeof(command[0])];
	pid_t child;

	if (n <= 0)
		return -1;
	program[n] = 0;
	for (size_t i = 0; i < CALLGRIND_ARGUMENTS_MAX && arguments[i]; i++)
		command[4 + i] = arguments[i];
	memcpy(words, command, sizeof(words)); /* execvp() changes none of them */
	child = fork();
	if (child != 0)
		return child;
	if (dup2(out, STDERR_FILENO) >= 0)
		execvp("valgrind", words);
	_exit(127);
}

/* The count of the whole process is in callgrind's last lines. */
bool callgrind_count(const char *const *arguments, double *ret_count)
{
	unsigned long long count = 0;
	bool is_counted = false;
	int ends[2], status;
	char line[512];
	FILE *output;
	int child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return false;
	child = spawn_counted(arguments, ends[1]);
	close(ends[1]);
	output = fdopen(ends[0], "r");
	while (output && fgets(line, sizeof(line), output))
		is_counted |= sscanf(line, "==%*d== Collected : %llu", &count) == 1;
	if (output)
		fclose(output);
	if (child > 0)
		waitpid(child, &status, 0);
	*ret_count = (double)count;
	return is_counted && child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
