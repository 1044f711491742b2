/* SPDX-License-Identifier: MIT */
#include "cli/aix/letters.h"

#include <string.h>

#include "cli/completion.h"

static const char *const order_names[] = { "time", "file" };

const struct opt letters_input_opts[] = {
	{ OPT_FILES, 'i', "input", "FILE", offsetof(struct letters_args, inputs),
		.help = "a recording, as FILE without a letter; may be repeated",
		.complete = complete_files },
	{ OPT_FILES, 'n', "symbols", "FILE", offsetof(struct open_spec, symbols),
		.help = "the program (ELF) that ran, or a list of symbols as of nm: names of addresses; may "
			"be repeated",
		.complete = complete_files },
	{ OPT_TEXT, 0, "dialect", "NAME", offsetof(struct open_spec, dialect),
		.help = "read as this dialect (default: found by the content)",
		.complete = complete_dialects },
	{ OPT_PAIRS, 0, "opt", "KEY=VALUE", offsetof(struct open_spec, settings),
		.help = "a setting of the dialect; `rastrum info --dialects` lists them",
		.complete = complete_settings },
	{ OPT_RATE, 0, "clock-hz", "N", offsetof(struct open_spec, clock_hz),
		.help = "ticks per second, where the recording does not tell: 168MHz, 32.768k, 1e9" },
	{ OPT_FLAG, 0, "join", NULL, offsetof(struct open_spec, is_joined),
		.help = "the files are parts of one trace, in the order of time" },
	{ OPT_CHOICE, 0, "order", "time|file", offsetof(struct open_spec, order),
		.help = "events in the order of time (default) or as the file has them",
		.choices = order_names, .n_choices = 2 },
	{ .kind = OPT_END },
};

enum rst_status letters_refuse(
	const void *args, const struct letters_refused *rows, size_t n_rows, struct rst_error *err)
{
	for (size_t i = 0; i < n_rows; i++) {
		const void *at = (const char *)args + rows[i].offset;

		if (rows[i].is_flag ? *(const bool *)at : *(const char *const *)at != NULL)
			return common_refuse(err, rows[i].advice, "-%c: %s", rows[i].letter, rows[i].why);
	}
	return RST_OK;
}

/* Seconds of the trace's time. */
static enum rst_status letters_read_moment(
	char letter, const char *seconds, struct arena *arena, const char **ret_moment, struct rst_error *err)
{
	const size_t n = seconds ? strlen(seconds) : 0;
	char *moment;

	if (!seconds)
		return RST_OK;
	if (n == 0 || strspn(seconds, "0123456789.") != n || seconds[0] == '.' ||
		strchr(seconds, '.') != strrchr(seconds, '.'))
		return common_refuse(err, "--from and --to take other moments",
			"-%c is a number of seconds, such as 1.5, not '%.40s'", letter, seconds);
	moment = arena_alloc(arena, n + 2);
	if (!moment)
		return error_nomem(err);
	memcpy(text_put(moment, seconds, n), "s", 2);
	*ret_moment = moment;
	return RST_OK;
}

enum rst_status letters_read(struct letters *letters, const struct command *command,
	const struct letters_args *args, const char moments[2], int n_operands, char **operands,
	struct arena *arena, struct rst_error *err)
{
	const size_t n_inputs = args->inputs.n_items, n_all = n_inputs + (size_t)n_operands;
	char **all = arena_alloc(arena, (n_all + 1) * sizeof(*all));

	if (!n_all)
		return common_lacks(command, err);
	if (!all)
		return error_nomem(err);
	for (size_t i = 0; i < n_all; i++)
		all[i] = i < n_inputs ? (char *)(uintptr_t)args->inputs.items[i] : operands[i - n_inputs];
	*letters = (struct letters){ .analysis = args->analysis, .n_operands = (int)n_all, .operands = all };
	error_try(letters_read_moment(moments[0], args->start, arena, &letters->analysis.job.from, err));
	return letters_read_moment(moments[1], args->stop, arena, &letters->analysis.job.to, err);
}
