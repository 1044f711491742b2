/* SPDX-License-Identifier: MIT */
#include "cli/template/evaluation.h"

#include <string.h>

#include "tests/tap.h"

static const struct evaluation mutex_get = { .entry = "00100000ffffffff0020000003000000",
	.event = "TX_TRACE_MUTEX_GET" };
static const char mutex_text[] = "# dialect: threadx\nTX_TRACE_MUTEX_GET 1.0 \"@\" $mutex_ptr by $help\n"
				 "help 1.0 \"@\" $owner_thread_ptr\n";

static const struct evaluation timed = {
	.entry = "0109000F", .kind = EVALUATION_LINE, .context = "timer=1:2:3000;now_ns=10000;exec.1=/bin/sh"
};
static const char timed_text[] = "010 1.0 L=APPL \"event\" X2 endtimer(1, 2)\n";

/* The text as a string; "" when it failed or is hidden. */
static const char *text_of(struct evaluation *evaluation, enum rst_status status)
{
	if (status != RST_OK || evaluation->is_hidden)
		return "";
	outbuf_puts(&evaluation->out, " ");
	evaluation->out.at[-1] = '\0';
	return evaluation->out.start;
}

static void expect(
	const struct evaluation *spec, const char *templates, const char *expected, const char *sentence)
{
	struct evaluation evaluation = *spec;
	struct rst_error err;
	struct template_file *file = template_file_of("test", templates, strlen(templates));

	is_text(text_of(&evaluation, evaluate(&evaluation, file, &err)), expected, sentence);
	evaluation_done(&evaluation);
}

static void check_refused(const struct evaluation *spec, const char *sentence)
{
	static const char templates[] = "010 1.0 \"x\"\n";
	struct evaluation evaluation = *spec;
	struct rst_error err;
	struct template_file *file = template_file_of("test", templates, sizeof(templates) - 1);

	is_number((unsigned long long)evaluate(&evaluation, file, &err), (unsigned long long)RST_E_USAGE,
		sentence);
	evaluation_done(&evaluation);
}

static void check_memory(const struct evaluation *spec, const char *templates, const char *sentence)
{
	enum rst_status status = RST_E_NOMEM;

	for (long n = 0; n < 10000 && status == RST_E_NOMEM; n++) {
		struct evaluation evaluation = *spec;
		struct template_file *file = template_file_of("test", templates, strlen(templates));
		struct rst_error err;

		tap_fail_alloc_after(n);
		status = evaluate(&evaluation, file, &err);
		tap_fail_alloc_after(-1);
		evaluation_done(&evaluation);
	}
	is_number(status, RST_OK, sentence);
}

int main(void)
{
	expect(&mutex_get, mutex_text, "0x1000 by 0x2000", "an event reads as its templates say");
	expect(&timed, timed_text, "010    0.000000000       0.000000  event 000F [7 usec]",
		"timers and times come from the context");
	expect(&(struct evaluation){ .entry = "0109"
					      "000F",
		       .is_64 = false },
		"010 1.0 \"@\" $SKIP", "", "what is skipped has no text");
	expect(&(struct evaluation){ .entry = "0109000F" }, "010 1.0 X17", "ERROR",
		"nor has what has errors");
	expect(&(struct evaluation){ .kind = EVALUATION_PARSE }, "010 1.0 X16", "ok",
		"parsing needs no entry");
	expect(&(struct evaluation){ .entry = "0109000F" }, "010 1.0 \"ten\" $RELLINENO\n020 1.0 X17",
		"ten 1", "but an error elsewhere does not matter");
	expect(&(struct evaluation){ .entry = "0109000F" }, "010 1.0 \"ten\" $020\n020 1.0 X17", "ERROR",
		"unless it is called");
	expect(&(struct evaluation){ .kind = EVALUATION_PARSE }, "010 1.0 X16\n020 1.0 X17", "ERROR",
		"and parsing finds every one");
	check_refused(&(struct evaluation){ .entry = "0109000F", .event = "TX_TRACE_MUTEX_GET" },
		"an entry of AIX has no event");
	check_refused(&(struct evaluation){ .entry = "0109000F", .type = "1F" }, "nor a type of two digits");
	check_refused(&(struct evaluation){ .entry = NULL }, "evaluating does");
	check_refused(&(struct evaluation){ .entry = "0109000" }, "half a byte is refused");
	check_refused(&(struct evaluation){ .entry = "0109000F", .context = "a=b" }, "so is an unknown fact");
	check_refused(&(struct evaluation){ .entry = "0109000F", .is_64 = true }, "and half a hook word");
	check_memory(&mutex_get, mutex_text, "whenever memory runs out for an event, this is what is told");
	check_memory(
		&timed, timed_text, "whenever memory runs out for an entry of AIX, this is what is told");
	return tap_done();
}
