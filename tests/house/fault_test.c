/* SPDX-License-Identifier: MIT */
/*
 * Tries how jobs end when the system refuses. Each is run again and again with one allocation more that is
 * granted, until none is refused: every run must either say that memory ran out, or give the whole right
 * output. Then the disk is full after so many bytes: what was written is a prefix of the right output, and
 * the failure is reported.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "embed/threadx/txtb_image.h"
#include "lines/format.h"
#include "summary/summary.h"
#include "tests/tap.h"

enum { N_FEW = 64, N_MANY = 16384, LONG_LABEL = 60000, SLOT_EMPTY = 9 };

struct world {
	uint8_t *few, *many; /* images */
	size_t few_bytes, many_bytes;
	char custom[32], dump[32], output[32]; /* paths */
};

struct result {
	enum rst_status status;
	struct rst_error err;
	struct outbuf out;
	bool was_refused; /* some allocation */
};

/* --- the trace ------------------------------------------------------------------------------------------ */

/*
 * Threads, queues, an address used twice, user events with and without a definition, interrupts, an empty
 * slot.
 */
static struct txtb_event event_at(uint64_t i)
{
	static const struct txtb_event cycle[] = {
		{ .thread = TXTB_THREAD_INIT, .id = 100, .info = { 0x1000, 5, 0x9000, 512 } },
		{ .thread = 0x1000, .id = 60, .info = { 0x3000, 1, 0x9100, 16 } },
		{ .thread = 0x1000, .id = 69, .info = { 0x3000, 0x9000, 0xffffffff, 1 } },
		{ .thread = 0x1000, .id = 61, .info = { 0x3000, 0x9000 } },
		{ .thread = 0x2000, .id = 100, .info = { 0x3000, 9, 0x9200, 512 } },
		{ .thread = 0x3000, .id = 4096, .info = { 1, 2, 3, 4 } },
		{ .thread = 0x3000, .id = 4097, .info = { 1, 2, 3, 4 } },
		{ .thread = TXTB_THREAD_INTERRUPT, .priority = 0x3000, .id = 3, .info = { 0x9000, 7, 2 } },
		{ .thread = TXTB_THREAD_INTERRUPT, .priority = 0x3000, .id = 4, .info = { 0x9000, 7, 1 } },
		{ .thread = TXTB_THREAD_INTERRUPT, .priority = 0, .id = 4, .info = { 0x9000, 7, 1 } },
		{ .thread = 0x7000, .id = 68, .info = { 0x4000, 0x9000, 0, 2 } },
	};
	enum { N_CYCLE = sizeof(cycle) / sizeof(cycle[0]), ID_RUNNING = 6 };
	struct txtb_event event = cycle[i % N_CYCLE];

	/* Lives begin and end in the first batch only: from then on nothing is new. */
	if (i >= N_FEW && (event.id == 60 || event.id == 61 || event.id == 100))
		event.id = ID_RUNNING;
	event.core = (uint8_t)(i % 3);
	event.stamp = 1000 * i;
	return event;
}

static uint8_t *make_image(uint64_t n_events, size_t *ret_n_bytes)
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "worker" },
		{ .type = TXTB_TYPE_THREAD, .address = 0x2000, .name = "worker" },
		{ .type = TXTB_TYPE_QUEUE,
			.address = 0x4000,
			.name = n_events == N_FEW ? "queue \"two\"" : "queue two" },
	};
	const struct txtb_layout layout = { .word_bytes = 4,
		.name_bytes = 32,
		.n_registry = 3,
		.n_events = n_events,
		.base = 0x20000000,
		.timer_mask = TXTB_MASK_32 };
	size_t n_bytes = (size_t)txtb_image_bytes(&layout);
	uint8_t *image = calloc(1, n_bytes);

	txtb_put_header(&layout, image, 0);
	for (uint32_t i = 0; i < layout.n_registry; i++)
		txtb_put_object(&layout, image, i, &objects[i]);
	for (uint64_t i = 0; i < n_events; i++) {
		const struct txtb_event event = event_at(i);

		txtb_put_event(&layout, image, i, i == SLOT_EMPTY ? NULL : &event);
	}
	*ret_n_bytes = n_bytes;
	return image;
}

static FILE *create(char path[32], const char *name)
{
	snprintf(path, 32, "/tmp/rastrum-%s-XXXXXX", name);
	return fdopen(mkstemp(path), "w");
}

static void build(struct world *world)
{
	FILE *custom = create(world->custom, "custom"), *dump = create(world->dump, "dump");

	world->few = make_image(N_FEW, &world->few_bytes);
	world->many = make_image(N_MANY, &world->many_bytes);
	fputs("Start\n4096, motor \"step\", MS, (1,2,3), (4,5,6), axis, position, speed, \"", custom);
	for (size_t i = 0; i < LONG_LABEL; i++)
		fputc('l', custom);
	fputs("\"\nEnd\n", custom);
	fwrite(world->few, 1, world->few_bytes, dump);
	fclose(dump);
	fclose(custom);
	fclose(create(world->output, "out"));
}

static void demolish(struct world *world)
{
	unlink(world->custom);
	unlink(world->dump);
	unlink(world->output);
	free(world->few);
	free(world->many);
}

/* --- jobs ----------------------------------------------------------------------------------------------- */

static enum rst_status open_few(
	struct rst_trace **ret_trace, const struct world *world, struct rst_error *err)
{
	const struct rst_setting setting = { "custom", world->custom };
	const char *const joined[] = { world->dump };
	const struct rst_open how = {
		.n_settings = 1, .settings = &setting, .clock_hz = 1000000, .n_joined = 1, .joined = joined
	};

	return rst_trace_open_bytes(ret_trace, world->few, world->few_bytes, "few", &how, err);
}

static void report_as(const struct report_format *format, const struct world *world, struct result *result)
{
	const char *contexts[] = { "work*", "isr", "0x3000", "0x7000" },
		   *objects[] = { "queue*", "0x3000", "none" };
	const struct filter_spec spec = { .contexts = { contexts, 4 }, .objects = { objects, 2 } },
				 all = { 0 };
	struct rst_trace *trace = NULL;
	struct report report = {
		.options = { .format = format, .has_color = true }, .out = &result->out, .n_left = UINT64_MAX
	};

	/* All of it, and then a selection. */
	for (int i = 0; i < 2 && result->status == RST_OK; i++) {
		struct report_input input = { 0 };

		report.options.filter = i ? &spec : &all;
		result->status = open_few(&trace, world, &result->err);
		input.trace = trace;
		if (result->status == RST_OK)
			result->status = report_trace(&report, &input, &result->err);
		trace = rst_trace_free(trace);
	}
}

static void report_text(const struct world *world, struct result *result)
{
	report_as(&report_format_text, world, result);
}

static void report_jsonl(const struct world *world, struct result *result)
{
	report_as(&report_format_jsonl, world, result);
}

static void report_csv(const struct world *world, struct result *result)
{
	report_as(&report_format_csv, world, result);
}

static void summarize(const struct world *world, struct result *result)
{
	struct rst_trace *trace = NULL;
	struct summary summary = { .trace = NULL };

	result->status = open_few(&trace, world, &result->err);
	if (result->status == RST_OK)
		result->status = summary_read(&summary, trace, NULL, NULL, &result->err);
	if (result->status == RST_OK) {
		summary_words(&summary, &result->out);
		summary_json(&summary, &result->out);
	}
	summary_done(&summary);
	rst_trace_free(trace);
}

/* Whether the limit on allocations was met, or nearly so; it is off afterwards. */
static bool was_refused(void)
{
	void *volatile more = malloc(1);
	bool refused = !more;

	free(more);
	tap_fail_alloc_after(-1);
	return refused;
}

/* Messages are not what is tested here, but those of a sanitizer must come through: so only for a while. */
static int stderr_off(void)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);

	dup2(null, STDERR_FILENO);
	close(null);
	return saved;
}

static void stderr_on(int saved)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
}

/* A command as main() runs it; its output file becomes the result's text. */
static void run_command(const struct command *command, int n_words, char **words, const struct world *world,
	struct result *result)
{
	void *args = calloc(1, command->args_bytes);
	int exit_status = EXIT_IO, saved = stderr_off();
	struct opt_parsed parsed;
	FILE *file;

	if (args && command->defaults)
		command->defaults(args);
	if (args && opt_parse(command->groups, false, args, n_words, words, &parsed, &result->err) == RST_OK)
		exit_status = command->run(args, parsed.n_operands, words);
	if (args)
		opt_done(command->groups, args);
	free(args);
	result->status = exit_status == EXIT_GOOD ? RST_OK
			 : exit_status == EXIT_IO ? RST_E_NOMEM
						  : RST_E_DAMAGED;
	result->err.status = result->status;
	result->was_refused = was_refused();
	stderr_on(saved);
	file = fopen(world->output, "r");
	for (int c; (c = fgetc(file)) != EOF;)
		if (outbuf_reserve(&result->out, 1))
			*result->out.at++ = (char)c;
	fclose(file);
}

static void command_last(const struct world *world, struct result *result)
{
	char setting[64], output[48], dump[32];
	char *words[] = { setting, output, (char[]){ "--last=5" }, (char[]){ "-tTX*,motor*" }, dump };

	snprintf(setting, sizeof(setting), "--opt=custom=%s", world->custom);
	snprintf(output, sizeof(output), "-o%s", world->output);
	snprintf(dump, sizeof(dump), "%s", world->dump);
	run_command(&command_report, 5, words, world, result);
}

static void command_info_json(const struct world *world, struct result *result)
{
	char output[48], dump[32];
	char *words[] = { output, (char[]){ "--json" }, dump };

	snprintf(output, sizeof(output), "-o%s", world->output);
	snprintf(dump, sizeof(dump), "%s", world->dump);
	run_command(&command_info, 3, words, world, result);
}

static const struct job {
	const char *name;
	void (*run)(const struct world *world, struct result *result);
} jobs[] = {
	{ "report as text", report_text },
	{ "report as JSON Lines", report_jsonl },
	{ "report as CSV", report_csv },
	{ "summary", summarize },
	{ "rastrum report --last", command_last },
	{ "rastrum info --json", command_info_json },
};

/* --- memory --------------------------------------------------------------------------------------------- */

static bool is_told(const struct result *result)
{
	return (result->status == RST_E_NOMEM && result->err.status == RST_E_NOMEM) ||
	       (result->status >= 0 && result->out.error == ENOMEM);
}

static bool is_same(const struct result *result, const struct result *right)
{
	size_t n = (size_t)(result->out.at - result->out.start);

	return result->status == RST_OK && !result->out.error &&
	       n == (size_t)(right->out.at - right->out.start) &&
	       memcmp(result->out.start, right->out.start, n) == 0;
}

static void run_with(const struct job *job, const struct world *world, long n_allocs, struct result *ret)
{
	*ret = (struct result){ .status = RST_OK };
	outbuf_init(&ret->out, OUTBUF_MEMORY);
	tap_fail_alloc_after(n_allocs);
	job->run(world, ret);
	ret->was_refused |= was_refused();
}

static void check_job(const struct job *job, const struct world *world)
{
	struct result right, result;
	bool is_right = true, is_done = false;
	long n = 0;

	run_with(job, world, -1, &right);
	is_right = ok(
		right.status == RST_OK && right.out.at > right.out.start, "%s: good with memory", job->name);
	while (is_right && !is_done) {
		run_with(job, world, n, &result);
		is_done = !result.was_refused;
		if (!is_told(&result) && !is_same(&result, &right))
			is_right = ok(false,
				"%s: refusing allocation %ld and all later ones is reported (status %d)",
				job->name, n, (int)result.status);
		outbuf_done(&result.out);
		n += is_right && !is_done;
	}
	ok(is_right && n > 5, "%s: each of its %ld allocations may be refused", job->name, n);
	outbuf_done(&right.out);
}

/* --- disk ----------------------------------------------------------------------------------------------- */

/* A consumer of batches that takes all memory away behind the first one. */
static void starve(void *n_seen, uint64_t n_events)
{
	*(uint64_t *)n_seen = n_events;
	tap_fail_alloc_after(0);
}

static void count_events(void *n_seen, uint64_t n_events)
{
	*(uint64_t *)n_seen = n_events;
}

static enum rst_status report_many(const struct world *world, struct outbuf *out,
	const struct report_format *format, void (*progress)(void *, uint64_t), uint64_t *n_seen)
{
	static const struct filter_spec all;
	struct report_input input = { 0 };
	struct report report = { .options = { .format = format, .filter = &all },
		.out = out,
		.n_left = UINT64_MAX,
		.progress = progress,
		.progress_context = n_seen };
	struct rst_trace *trace = NULL;
	enum rst_status status =
		rst_trace_open_bytes(&trace, world->many, world->many_bytes, "many", NULL, NULL);

	*n_seen = 0;
	input.trace = trace;
	if (status == RST_OK)
		status = report_trace(&report, &input, NULL);
	rst_trace_free(trace);
	return status;
}

static void check_disk(const struct world *world, const struct outbuf *right, size_t n_room)
{
	size_t n_all = (size_t)(right->at - right->start), n_back;
	int fd = open(world->output, O_RDWR | O_TRUNC);
	unsigned char *back;
	struct outbuf out;
	uint64_t n_seen;

	outbuf_init(&out, fd);
	tap_fail_write_after((long)n_room);
	enum rst_status status = report_many(world, &out, &report_format_text, count_events, &n_seen);
	int saved = stderr_off(), exit_status = common_finish(&out);

	stderr_on(saved);
	tap_fail_write_after(-1);
	back = tap_slurp(world->output, &n_back);
	if (n_room < n_all)
		ok(out.error == ENOSPC && exit_status == EXIT_IO, "a disk full after %zu bytes is reported",
			n_room);
	else
		ok(!out.error && exit_status == EXIT_GOOD, "a disk of %zu bytes is enough for %zu", n_room,
			n_all);
	ok(n_back == (n_room < n_all ? n_room : n_all) && memcmp(back, right->start, n_back) == 0,
		"what is on it is the beginning of the right output");
	if (n_room <= OUTBUF_BYTES)
		ok(status == RST_END && n_seen < N_MANY / 2, "the report ends once its output has failed");
	free(back);
	outbuf_done(&out);
	close(fd);
}

static void check_disks(const struct world *world)
{
	struct outbuf right;
	uint64_t n_seen;

	outbuf_init(&right, OUTBUF_MEMORY);
	report_many(world, &right, &report_format_text, count_events, &n_seen);
	size_t n_all = (size_t)(right.at - right.start);
	const size_t rooms[] = { 0, 1, 4096, OUTBUF_BYTES - 4096, 2 * OUTBUF_BYTES + 1, n_all - 1, n_all,
		n_all + 1 };

	ok(n_all > 3 * OUTBUF_BYTES && n_seen == N_MANY - 1, "the report is longer than three buffers");
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++)
		check_disk(world, &right, rooms[i]);
	outbuf_done(&right);
}

static void check_closed_pipe(const struct world *world)
{
	struct outbuf out;
	uint64_t n_seen;
	int fds[2];

	if (pipe(fds) != 0)
		return;
	close(fds[0]);
	outbuf_init(&out, fds[1]);
	ok(report_many(world, &out, &report_format_text, count_events, &n_seen) == RST_END &&
			out.error == EPIPE && n_seen < N_MANY / 2,
		"a reader that went away ends the report");
	is_number((unsigned)common_finish(&out), EXIT_GOOD, "and is no error");
	outbuf_done(&out);
	close(fds[1]);
}

/* Known contexts, types and names cost no memory, nor does nesting that changes all the time. */
static void check_steady(const struct world *world)
{
	for (size_t i = 0; report_formats[i]; i++) {
		int fd = open("/dev/null", O_WRONLY);
		struct outbuf out;
		uint64_t n_seen;

		outbuf_init(&out, fd);
		enum rst_status status = report_many(world, &out, report_formats[i], starve, &n_seen);

		tap_fail_alloc_after(-1);
		ok(status == RST_OK && outbuf_flush(&out) && n_seen == N_MANY - 1,
			"%s allocates nothing after the first batch", report_formats[i]->name);
		outbuf_done(&out);
		close(fd);
	}
}

int main(void)
{
	struct world world;

	signal(SIGPIPE, SIG_IGN);
	build(&world);
	for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++)
		check_job(&jobs[i], &world);
	check_steady(&world);
	check_disks(&world);
	check_closed_pipe(&world);
	demolish(&world);
	return tap_done();
}
