/* SPDX-License-Identifier: MIT */
/* Live sources and traces over a scripted link. Real ones are in tests/cli/live.t. */
#include "trace/live.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "input/source.h"
#include "tests/tap.h"

#define BASIC "tests/data/threadx/basic_objects.trx"

/* Gives n_step bytes a call, and now and then reports what a link may report. */
struct script {
	const uint8_t *bytes;
	size_t n_bytes, at, n_step;
	size_t lost_at, fails_at; /* SIZE_MAX: never */
	unsigned n_calls, quiet_every, n_unknown;
};

static enum rst_status script_read(
	void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes, struct rst_error *err)
{
	struct script *script = context;
	size_t n = script->n_bytes - script->at;

	*ret_n_bytes = 0;
	script->n_calls++;
	if (wait_ms != LIVE_FOREVER && script->quiet_every && script->n_calls % script->quiet_every == 0)
		return RST_OK;
	if (script->at >= script->fails_at)
		return error_set(err, RST_E_IO, script->at, "the wire is cut");
	if (script->at >= script->lost_at) {
		script->lost_at = SIZE_MAX;
		return RST_MORE;
	}
	n = n < script->n_step ? n : script->n_step;
	n = n < n_room ? n : n_room;
	memcpy(room, script->bytes + script->at, n);
	script->at += n;
	*ret_n_bytes = n;
	return n ? RST_OK : RST_END;
}

static struct script script_of(const void *bytes, size_t n_bytes, size_t n_step)
{
	return (struct script){ .bytes = bytes,
		.n_bytes = n_bytes,
		.n_step = n_step,
		.lost_at = SIZE_MAX,
		.fails_at = SIZE_MAX };
}

static void script_unknown(void *context, uint64_t n_bytes)
{
	struct script *script = context;

	script->n_unknown += n_bytes == SOURCE_CHUNK_BYTES;
}

static struct live_input input_of(struct script *script, bool is_pipe)
{
	return (struct live_input){ .name = "wire",
		.is_pipe = is_pipe,
		.context = script,
		.read = script_read,
		.unknown = script_unknown };
}

/* --- sources -------------------------------------------------------------------------------------------- */

/*
 * Writes what a source hands over: bytes as they are, "|" for missing bytes, "~" for a pause, "." for the
 * end.
 */
static void drain(struct source *source, char *text)
{
	static const char marks[] = {
		[INPUT_PAUSE] = '~', [INPUT_LOSS] = '|', [INPUT_DAMAGE] = '?', [INPUT_END] = '.'
	};
	struct input_item item = { 0 };
	enum rst_status status = RST_OK;

	while (status == RST_OK && item.kind != INPUT_END) {
		status = source_next(source, INPUT_AS_IT_COMES, &item, NULL);
		if (status != RST_OK) {
			*text++ = '!';
		} else if (item.kind == INPUT_BYTES) {
			memcpy(text, item.bytes, item.n_bytes);
			text += item.n_bytes;
		} else {
			*text++ = marks[item.kind];
		}
	}
	*text = '\0';
}

static void test_sources(void)
{
	struct script script = script_of("ABCDEF", 6, 2);
	struct live_input live = input_of(&script, false);
	struct source_front front;
	struct source *source = NULL;
	char text[40];

	script.lost_at = 4;
	ok(source_open_live(&source, &live, NULL) == RST_OK && source_about(source).is_endless,
		"a link has no end");
	drain(source, text);
	is_text(text, "ABCD|EF.", "a loss stands between the bytes before and behind it");
	source_free(source);

	script = script_of("ABCDEF", 6, 4);
	script.lost_at = 4;
	source_open_live(&source, &live, NULL);
	while (source_look(source, &front, NULL) == RST_OK)
		continue;
	drain(source, text);
	is_text(text, "|ABCDEF.", "a loss while the front is looked at stands before it");
	source_free(source);

	script = script_of("ABCDEF", 6, 1);
	script.fails_at = 3;
	source_open_live(&source, &live, NULL);
	drain(source, text);
	is_text(text, "ABC!", "a link that fails has given what came before");
	source_free(source);

	script = script_of("ABCD", 4, 2);
	script.quiet_every = 2;
	source_open_live(&source, &live, NULL);
	drain(source, text);
	is_text(text, "AB~CD~.", "a pause stands between bytes, once");
	source_free(source);
}

/* --- traces --------------------------------------------------------------------------------------------- */

static uint64_t count_events(struct rst_trace *trace)
{
	const struct rst_batch *batch;
	uint64_t n_events = 0;

	while (rst_trace_next(trace, &batch, NULL) == RST_OK)
		n_events += batch->n_events;
	return n_events;
}

static uint64_t count_file(void)
{
	struct rst_trace *trace = NULL;

	rst_trace_open(&trace, BASIC, NULL, NULL);
	const uint64_t n_events = trace ? count_events(trace) : 0;

	rst_trace_free(trace);
	return n_events;
}

/* Counts the events of a pipe that gives n_step bytes a time. */
static uint64_t count_pipe(const void *bytes, size_t n_bytes, size_t n_step, const char *dialect)
{
	struct script script = script_of(bytes, n_bytes, n_step);
	struct live_input live = input_of(&script, true);
	const struct rst_open how = { .dialect = dialect };
	struct rst_trace *trace = NULL;

	script.quiet_every = 7;
	if (trace_open_live(&trace, &live, &how, NULL) != RST_OK)
		return 0;
	const uint64_t n_events = count_events(trace);

	rst_trace_free(trace);
	return n_events;
}

static void test_pipes(void)
{
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(BASIC, &n_bytes);
	const uint64_t n_events = count_file();
	uLong n_packed = compressBound((uLong)n_bytes) + 18;
	Bytef *packed = malloc(n_packed);
	z_stream z = {
		.next_in = bytes, .avail_in = (uInt)n_bytes, .next_out = packed, .avail_out = (uInt)n_packed
	};

	deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	deflateEnd(&z);
	is_number(count_pipe(bytes, n_bytes, 100, NULL), n_events,
		"a dump that a pipe gives slowly is recognised");
	is_number(
		count_pipe(bytes, n_bytes, 1 << 20, NULL), n_events, "a dump that a pipe gives at once, too");
	is_number(count_pipe(packed, z.total_out, 50, NULL), n_events, "a slow pipe may be wrapped");
	is_number(count_pipe(packed, z.total_out, 50, "threadx"), n_events, "also when its dialect is named");
	free(packed);
	free(bytes);
}

static enum rst_status open_script(
	struct script *script, bool is_pipe, const char *dialect, struct rst_error *err)
{
	struct live_input live = input_of(script, is_pipe);
	const struct rst_open how = { .dialect = dialect };
	struct rst_trace *trace = NULL;
	enum rst_status status = trace_open_live(&trace, &live, &how, err);

	rst_trace_free(trace);
	return status;
}

static void test_refused(void)
{
	static const uint8_t zeros[200000];
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(BASIC, &n_bytes);
	struct script script = script_of(bytes, n_bytes, 1000);
	struct rst_error err;

	ok(open_script(&script, false, NULL, &err) == RST_E_USAGE && strstr(err.what, "as a whole"),
		"a dump is no live input");
	ok(open_script(&script, false, "threadx", &err) == RST_E_USAGE && strstr(err.what, "threadx"),
		"nor when its dialect is named");
	script = script_of(zeros, sizeof(zeros), 3);
	ok(open_script(&script, true, NULL, &err) == RST_E_UNKNOWN && script.at <= SOURCE_CHUNK_BYTES + 3,
		"64 KiB of a pipe that no dialect knows are refused");
	script = script_of(zeros, sizeof(zeros), 3);
	ok(open_script(&script, false, NULL, &err) == RST_E_UNKNOWN && script.at == sizeof(zeros),
		"a link that no dialect knows is read to its end");
	ok(script.n_unknown == 1, "and the user is warned once");
	script = script_of("", 0, 1);
	ok(open_script(&script, true, NULL, &err) == RST_E_UNKNOWN && strstr(err.what, "empty"),
		"a pipe that gives nothing is empty");
	script = script_of("AB", 2, 1);
	script.fails_at = 1;
	ok(open_script(&script, false, NULL, &err) == RST_E_IO && strcmp(err.source, "wire") == 0,
		"a link that fails at the front is reported by its name");
	free(bytes);
}

static void test_memory(void)
{
	enum rst_status status = RST_E_NOMEM;
	long n;

	for (n = 0; status == RST_E_NOMEM && n < 50; n++) {
		struct script script = script_of("ABCD", 4, 1);

		tap_fail_alloc_after(n);
		status = open_script(&script, false, NULL, NULL);
		tap_fail_alloc_after(-1);
	}
	ok(status == RST_E_UNKNOWN && n > 3, "each allocation that fails is reported");
}

int main(void)
{
	test_sources();
	test_pipes();
	test_refused();
	test_memory();
	return tap_done();
}
