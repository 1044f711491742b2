/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/message.h"

static const char *const order_names[] = { "time", "file" };

const struct opt common_opts[] = {
	{ OPT_TEXT, 'd', "dialect", "NAME", offsetof(struct common_args, dialect),
		.help = "read as this dialect (default: found by the content)",
		.complete = complete_dialects },
	{ OPT_PAIRS, 0, "opt", "KEY=VALUE", offsetof(struct common_args, settings),
		.help = "a setting of the dialect; `rastrum info --dialects` lists them",
		.complete = complete_settings },
	{ OPT_FILES, 0, "symbols", "FILE", offsetof(struct common_args, symbols),
		.help = "the program (ELF) that ran: its symbols name addresses; may be repeated",
		.complete = complete_files },
	{ OPT_RATE, 0, "clock-hz", "N", offsetof(struct common_args, clock_hz),
		.help = "ticks per second, where the recording does not tell: 168MHz, 32.768k, 1e9" },
	{ OPT_FLAG, 'j', "join", NULL, offsetof(struct common_args, is_joined),
		.help = "the files are parts of one trace, in the order of time" },
	{ OPT_CHOICE, 0, "order", "time|file", offsetof(struct common_args, order),
		.help = "events in the order of time (default) or as the file has them",
		.choices = order_names, .n_choices = 2 },
	{ .kind = OPT_END },
};

const char *const common_color_names[3] = { "auto", "always", "never" };

bool common_has_color(enum common_color wanted, int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (wanted != COLOR_AUTO)
		return wanted == COLOR_ALWAYS;
	return isatty(fd) && !(no_color && no_color[0]) && !(term && strcmp(term, "dumb") == 0);
}

size_t common_n_traces(const struct common_args *args, int n_operands)
{
	return args->is_joined || args->live ? 1 : (size_t)n_operands;
}

enum rst_status common_open(struct rst_trace **ret_trace, const struct common_args *args, int n_operands,
	char **operands, size_t n, struct rst_error *err)
{
	struct rst_setting *settings = calloc(args->settings.n_items + 1, sizeof(*settings));
	char **keys = calloc(args->settings.n_items + 1, sizeof(*keys));
	enum rst_status status = settings && keys ? RST_OK : error_nomem(err);
	size_t n_settings = 0;

	for (; status == RST_OK && n_settings < args->settings.n_items; n_settings++) {
		const char *pair = args->settings.items[n_settings], *equals = strchr(pair, '=');

		keys[n_settings] = strndup(pair, (size_t)(equals - pair));
		if (!keys[n_settings])
			status = error_nomem(err);
		settings[n_settings] = (struct rst_setting){ .key = keys[n_settings], .value = equals + 1 };
	}
	if (status == RST_OK) {
		const struct rst_open how = {
			.dialect = args->dialect,
			.n_settings = n_settings,
			.settings = settings,
			.clock_hz = args->clock_hz,
			.in_file_order = args->order == 1,
			.n_joined = args->is_joined && !args->live ? (size_t)n_operands - 1 : 0,
			.joined = (const char *const *)operands + 1,
			.n_symbols = args->symbols.n_items,
			.symbols = args->symbols.items,
		};

		status = args->live ? trace_open_live(ret_trace, args->live, &how, err)
				    : rst_trace_open(ret_trace, operands[n], &how, err);
	}
	for (size_t i = 0; keys && i < n_settings; i++)
		free(keys[i]);
	free(keys);
	free(settings);
	return status;
}

int common_fail(const struct rst_error *err)
{
	char text[640];

	message_print("%s", rst_error_text(err, text, sizeof(text)));
	switch (err->status) {
	case RST_E_USAGE:
		return EXIT_USAGE;
	case RST_E_DAMAGED:
	case RST_E_UNKNOWN:
		return EXIT_DAMAGED;
	case RST_E_UNSUPPORTED:
		return EXIT_UNSUPPORTED;
	case RST_E_IO:
	case RST_E_NOMEM:
	case RST_OK:
	case RST_END:
	case RST_MORE:
		break;
	}
	return EXIT_IO;
}

/* The first of them; the rest as a number. */
static void print_damages(struct rst_trace *trace, enum common_notes notes)
{
	enum { PRINTED_MAX = 10 };
	const struct rst_metadata *metadata = rst_trace_metadata(trace);
	const struct rst_gap *gaps;
	size_t n_kept, n_printed = 0, n_most = notes == NOTES_SUMMED_UP ? 1 : PRINTED_MAX;
	uint64_t n_all = rst_trace_gaps(trace, &gaps, &n_kept);

	for (size_t i = 0; i < n_kept && n_printed < n_most; i++) {
		char size[40] = "";

		if (gaps[i].marker != RST_DAMAGE)
			continue;
		n_printed++;
		if (gaps[i].n_bytes)
			snprintf(size, sizeof(size), " (%" PRIu64 " byte%s)", gaps[i].n_bytes,
				gaps[i].n_bytes == 1 ? "" : "s");
		message_print(
			"%s: byte %" PRIu64 ": %s%s", gaps[i].source, gaps[i].offset, gaps[i].what, size);
	}
	if (n_printed == n_most && n_all > n_printed && notes != NOTES_COUNTED)
		message_print("%s: %" PRIu64 " losses and damages in all%s", metadata->path, n_all,
			notes == NOTES_OF_FILE ? "; `rastrum info` counts them" : "");
}

int common_print_notes(struct rst_trace *trace, bool is_quiet, enum common_notes notes)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);

	for (size_t i = 0; i < metadata->n_warnings && !is_quiet; i++)
		message_print("%s: note: %s", metadata->path, metadata->warnings[i]);
	if (notes != NOTES_NO_DAMAGE)
		print_damages(trace, notes);
	return rst_trace_is_damaged(trace) ? EXIT_DAMAGED : EXIT_GOOD;
}

/* name: NULL if only the kernel knows which file of -o it is. */
static int tell_unwritten(int fd, const char *name, int error)
{
	char link[32], path[PATH_MAX];
	ssize_t n;
	struct rst_error err;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = fd == STDOUT_FILENO ? 0 : readlink(link, path, sizeof(path) - 1);
	path[n > 0 ? n : 0] = '\0';
	error_set(&err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(error));
	error_name(&err, name ? name : path[0] ? path : "standard output");
	return common_fail(&err);
}

int common_finish_as(struct outbuf *out, const char *name)
{
	return outbuf_flush(out) || out->error == EPIPE ? EXIT_GOOD
							: tell_unwritten(out->fd, name, out->error);
}

int common_finish(struct outbuf *out)
{
	return common_finish_as(out, NULL);
}

int common_finish_stdout(void)
{
	bool is_failed = ferror(stdout);

	errno = EIO; /* of a failure that is past */
	return (fflush(stdout) == 0 && !is_failed) || errno == EPIPE
		       ? EXIT_GOOD
		       : tell_unwritten(STDOUT_FILENO, NULL, errno);
}

/* Greater statuses explain better why a result is incomplete; a usage error never comes together with another. */
int common_worse(int a, int b)
{
	return a > b ? a : b;
}

enum rst_status common_check_input(
	const struct text_list *more, int n_operands, char **operands, struct rst_error *err)
{
	size_t n_inputs = 0;

	for (size_t i = 0; i < more->n_items; i++)
		n_inputs += strcmp(more->items[i], "-") == 0;
	for (int i = 0; i < n_operands; i++)
		n_inputs += strcmp(operands[i], "-") == 0;
	if (n_inputs < 2)
		return RST_OK;
	return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"standard input is named %zu times, and can be read only once", n_inputs);
}

/* Calls stat() for the file of an operand; "-" is standard input. */
static int stat_operand(const char *operand, struct stat *st)
{
	return strcmp(operand, "-") == 0 ? fstat(STDIN_FILENO, st) : stat(operand, st);
}

/*
 * The output must not be one of the files to be read, and is only emptied when all of those are there: a recording must
 * not be lost to a slip of the hand.
 */
static enum rst_status check_inputs(
	const struct stat *output, const char *path, int n_operands, char **operands, struct rst_error *err)
{
	for (int i = 0; i < n_operands; i++) {
		struct stat input;
		enum rst_status status = RST_OK;

		if (stat_operand(operands[i], &input) != 0)
			status = error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot open: %s", strerror(errno));
		else if (input.st_dev == output->st_dev && input.st_ino == output->st_ino &&
			 S_ISREG(input.st_mode))
			status = error_set(
				err, RST_E_USAGE, RST_NO_OFFSET, "this is an input; it would be overwritten");
		error_name(err, status == RST_E_IO ? operands[i] : path);
		error_try(status);
	}
	return RST_OK;
}

enum rst_status common_refuse(struct rst_error *err, const char *advice, const char *format, ...)
{
	char what[sizeof(err->what)];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", what);
	if (advice)
		error_advise(err, "%s", advice);
	return RST_E_USAGE;
}

enum rst_status common_lacks(const struct command *command, struct rst_error *err)
{
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s needs %s", command->name, command->needs);
	error_advise(err, "see `rastrum %s --help`", command->name);
	return RST_E_USAGE;
}

/* Nor must another recording become a report so. Other files are written over, as by any program with -o. */
static enum rst_status check_recording(const struct stat *output, const char *path, struct rst_error *err)
{
	const struct rst_open how = { .dialect = NULL };
	struct rst_trace *trace;

	if (!S_ISREG(output->st_mode) || output->st_size == 0 || rst_trace_open(&trace, path, &how, NULL) < 0)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "this is a recording (%s); it would be overwritten",
		rst_trace_metadata(trace)->dialect);
	error_advise(err, "name another file, or remove this one first");
	rst_trace_free(trace);
	return RST_E_USAGE;
}

enum rst_status common_spare_inputs(const char *path, int n_operands, char **operands, struct rst_error *err)
{
	enum rst_status status;
	struct stat st;

	if (strcmp(path, "-") == 0 || stat(path, &st) != 0)
		return RST_OK;
	status = check_inputs(&st, path, n_operands, operands, err);
	if (status < 0)
		error_name(err, path);
	return status;
}

enum rst_status common_check_output(const char *path, int n_operands, char **operands, struct rst_error *err)
{
	struct stat st;
	enum rst_status status;

	if (stat(path, &st) != 0)
		return RST_OK;
	status = check_inputs(&st, path, n_operands, operands, err);
	if (status == RST_OK)
		status = check_recording(&st, path, err);
	if (status < 0)
		error_name(err, path);
	return status;
}

enum rst_status common_output(
	const char *path, bool is_report, int n_operands, char **operands, int *ret_fd, struct rst_error *err)
{
	enum rst_status status = RST_OK;
	struct stat st;

	*ret_fd = STDOUT_FILENO;
	if (!path || strcmp(path, "-") == 0)
		return RST_OK;
	*ret_fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*ret_fd < 0 || fstat(*ret_fd, &st) != 0)
		status = error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(errno));
	else
		status = check_inputs(&st, path, n_operands, operands, err);
	if (status == RST_OK && is_report)
		status = check_recording(&st, path, err);
	if (status == RST_OK && S_ISREG(st.st_mode) && ftruncate(*ret_fd, 0) != 0)
		status = error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(errno));
	if (status < 0) {
		error_name(err, path);
		if (*ret_fd >= 0)
			close(*ret_fd);
	}
	return status;
}

int common_close(int fd)
{
	struct rst_error err;

	if (fd == STDOUT_FILENO || close(fd) == 0)
		return EXIT_GOOD;
	error_set(
		&err, RST_E_IO, RST_NO_OFFSET, "not all of the output could be written: %s", strerror(errno));
	return common_fail(&err);
}
