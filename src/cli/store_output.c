/* SPDX-License-Identifier: MIT */
#include "cli/store_output.h"

#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char ending[] = ".rsx";

/* A device or pipe has the name that it has. */
static bool is_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool ends_as_store(const char *path)
{
	const size_t n = strlen(path), n_ending = sizeof(ending) - 1;

	return n > n_ending && path[n - n_ending - 1] != '/' && strcmp(path + n - n_ending, ending) == 0;
}

enum rst_status store_output_check(const struct command *command, const char *output, int n_operands,
	char **operands, struct rst_error *err)
{
	if (!output)
		return common_refuse(err, "name it: -o all.rsx", "%s needs a file to write", command->name);
	if (strcmp(output, "-") != 0 && !ends_as_store(output) && !is_device(output))
		return common_refuse(err, "name it so: -o all.rsx; `rastrum convert` writes other formats",
			"%s: %s writes stores, whose names end in .rsx", output, command->name);
	return common_spare_inputs(output, n_operands, operands, err);
}

enum rst_status store_output_open(struct destination *destination, const char *output, int n_operands,
	char **operands, const char **ret_name, struct rst_error *err)
{
	const bool is_standard = strcmp(output, "-") == 0;

	*ret_name = is_standard ? "standard output" : output;
	return destination_open(
		destination, is_standard ? NULL : output, DESTINATION_STORE, n_operands, operands, err);
}

static bool reader_is_gone(void)
{
	struct pollfd output = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&output, 1, 0) > 0 && (output.revents & POLLERR);
}

int store_output_fail(const char *output, const struct rst_error *err)
{
	const bool is_unread = err->status == RST_E_IO && strcmp(output, "-") == 0 && reader_is_gone();

	return is_unread ? EXIT_GOOD : common_fail(err);
}

int store_output_end(struct destination *destination, bool is_written, int exit_status)
{
	struct rst_error err;

	if (is_written && destination_commit(destination, &err) < 0)
		exit_status = outcome_worse(exit_status, common_fail(&err));
	destination_done(destination);
	return exit_status;
}
