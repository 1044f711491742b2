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
	{ OPT_TEXT, 'd', "dialect", "NAME", offsetof(struct open_spec, dialect),
		.help = "read as this dialect (default: found by the content)",
		.complete = complete_dialects },
	{ OPT_PAIRS, 0, "opt", "KEY=VALUE", offsetof(struct open_spec, settings),
		.help = "a setting of the dialect; `rastrum info --dialects` lists them",
		.complete = complete_settings },
	{ OPT_FILES, 0, "symbols", "FILE", offsetof(struct open_spec, symbols),
		.help = "the program (ELF) that ran: its symbols name addresses; may be repeated",
		.complete = complete_files },
	{ OPT_RATE, 0, "clock-hz", "N", offsetof(struct open_spec, clock_hz),
		.help = "ticks per second, where the recording does not tell: 168MHz, 32.768k, 1e9" },
	{ OPT_FLAG, 'j', "join", NULL, offsetof(struct open_spec, is_joined),
		.help = "the files are parts of one trace, in the order of time" },
	{ OPT_CHOICE, 0, "order", "time|file", offsetof(struct open_spec, order),
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

int common_fail(const struct rst_error *err)
{
	char text[640];

	message_print("%s", rst_error_text(err, text, sizeof(text)));
	return outcome_of(err);
}

int common_print_notes(struct rst_trace *trace, bool is_quiet, enum notes_kind kind)
{
	return notes_tell(trace, is_quiet, kind, message_tell, NULL);
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
 * The output must not be one of the files to be read, and is only emptied when all of those are there: a
 * recording must not be lost to a slip of the hand.
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

enum rst_status common_parse_duration(const char *text, uint64_t *ret_ns, struct rst_error *err)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "m", 60e9 }, { "h", 3600e9 } };
	char *end = NULL;
	double value = text[0] >= '0' && text[0] <= '9' ? strtod(text, &end) : 0;

	for (size_t i = 0; end && i < sizeof(units) / sizeof(units[0]); i++) {
		double ns = value * units[i].ns;

		if (strcmp(end, units[i].name) == 0 && ns >= 1 && ns < 1e18) {
			*ret_ns = (uint64_t)ns;
			return RST_OK;
		}
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--duration cannot be '%s'", text);
	error_advise(err, "it is a number of seconds, or with ms, s, m or h: 2.5, 500ms, 10m");
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
