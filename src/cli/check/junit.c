/* SPDX-License-Identifier: MIT */
/* JUnit XML, as Jenkins, GitLab and GitHub read it: a test suite for each trace. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cli/check/verdicts.h"

static void junit_begin(struct outbuf *out, size_t n_verdicts)
{
	outbuf_printf(
		out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites tests=\"%zu\">\n", n_verdicts);
}

static void xml_text(struct outbuf *out, const char *text)
{
	outbuf_xml(out, text, strlen(text));
}

/* Lines end between violations, and nowhere else. */
static void xml_lines(struct outbuf *out, const char *text, const char *end)
{
	for (const char *stop; text < end; text = stop + 1) {
		stop = memchr(text, '\n', (size_t)(end - text));
		if (!stop)
			stop = end;
		outbuf_xml(out, text, (size_t)(stop - text));
		if (stop < end)
			outbuf_puts(out, "\n");
	}
}

/* Made of pieces in memory first, for it goes into an attribute. */
static void words_put(
	struct outbuf *out, const struct verdicts *verdicts, const struct run *run, bool is_long)
{
	struct outbuf words;

	if (!outbuf_init(&words, OUTBUF_MEMORY)) {
		out->error = ENOMEM;
		return;
	}
	broken_put(&words, run);
	outbuf_puts(&words, is_long ? "\n" : run->rule->metric->has_sql ? "; the first: " : "; the worst: ");
	for (size_t i = 0; i < (is_long ? VIOLATIONS_FIRST + 1 : 1) && violation_at(run, i); i++) {
		const struct violation *violation = violation_at(run, i);

		violation_put(&words, verdicts, run, violation);
		if (violation_has_moment(run, violation)) {
			outbuf_puts(&words, ", ");
			when_put(&words, verdicts, violation);
		}
		if (is_long && violation->from_seq != RST_NO_SEQ)
			outbuf_printf(&words, ", event %" PRIu64, violation->from_seq);
		if (is_long && violation->to_seq != RST_NO_SEQ)
			outbuf_printf(&words, ", event %" PRIu64, violation->to_seq);
		outbuf_puts(&words, is_long ? "\n" : "");
	}
	if (words.error)
		out->error = words.error;
	xml_lines(out, words.start, words.at);
	outbuf_done(&words);
}

static void case_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run)
{
	outbuf_puts(out, "    <testcase classname=\"");
	xml_text(out, run->rule->metric->name);
	outbuf_puts(out, "\" name=\"");
	xml_text(out, run->rule->title);
	outbuf_puts(out, run->verdict == VERDICT_PASS ? "\"/>\n" : "\">\n");
	if (run->verdict == VERDICT_FAIL) {
		outbuf_puts(out, "      <failure message=\"");
		words_put(out, verdicts, run, false);
		outbuf_puts(out, "\">");
		xml_text(out, run->rule->text);
		outbuf_puts(out, "\n");
		words_put(out, verdicts, run, true);
		outbuf_puts(out, "</failure>\n");
	}
	if (run->verdict == VERDICT_UNDECIDED) {
		outbuf_puts(out, "      <skipped message=\"undecided: ");
		xml_text(out, run->reason);
		outbuf_puts(out, "\"/>\n");
	}
	if (run->verdict != VERDICT_PASS)
		outbuf_puts(out, "    </testcase>\n");
}

static void junit_put(struct outbuf *out, const struct verdicts *verdicts)
{
	const size_t n = verdicts->check->rules->n;
	size_t n_of[VERDICT_UNDECIDED + 1] = { 0 };

	for (size_t i = 0; i < n; i++)
		n_of[verdicts->check->runs[i].verdict]++;
	outbuf_puts(out, "  <testsuite name=\"");
	xml_text(out, verdicts->path);
	outbuf_printf(out, "\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n", n,
		n_of[VERDICT_FAIL], n_of[VERDICT_UNDECIDED]);
	for (size_t i = 0; i < n; i++)
		case_put(out, verdicts, &verdicts->check->runs[i]);
	outbuf_puts(out, "  </testsuite>\n");
}

static void junit_end(struct outbuf *out, const struct tally *tally)
{
	(void)tally;
	outbuf_puts(out, "</testsuites>\n");
}

const struct verdict_format verdict_format_junit = {
	.name = "junit", .begin = junit_begin, .put = junit_put, .end = junit_end
};
