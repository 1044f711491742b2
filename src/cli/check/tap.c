/* SPDX-License-Identifier: MIT */
/* TAP version 12, which every runner reads: a line for each verdict, and comments below it. */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "cli/check/verdicts.h"

static void tap_begin(struct outbuf *out, size_t n_verdicts)
{
	outbuf_printf(out, "1..%zu\n", n_verdicts);
}

/* A # would begin a directive. */
static void title_put(struct outbuf *out, const char *title)
{
	for (const char *p = title; *p;) {
		const size_t n = strcspn(p, "#\\");

		if (outbuf_reserve(out, 4 * n + 2))
			out->at = text_clean(out->at, (const uint8_t *)p, n);
		p += n;
		if (*p)
			outbuf_printf(out, "\\%c", *p++);
	}
}

static void lines_put(struct outbuf *out, const struct verdicts *verdicts, uint64_t seq)
{
	struct text text;

	if (seq == RST_NO_SEQ)
		return;
	text = verdicts->evidence ? evidence_find(verdicts->evidence, seq) : (struct text){ NULL, 0 };
	if (!text.n_bytes)
		outbuf_printf(out, "#     event %" PRIu64 "\n", seq);
	while (text.n_bytes) {
		const char *end = memchr(text.bytes, '\n', text.n_bytes);
		const size_t n = end ? (size_t)(end - text.bytes) : text.n_bytes;

		outbuf_printf(out, "#     event %" PRIu64 ": %.*s\n", seq, (int)(n - strspn(text.bytes, " ")),
			text.bytes + strspn(text.bytes, " "));
		text = (struct text){ text.bytes + n + (end != NULL), text.n_bytes - n - (end != NULL) };
	}
}

static void failure_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run)
{
	const struct violation *violation;
	size_t n_shown = 0;

	outbuf_puts(out, "#   ");
	broken_put(out, run);
	outbuf_puts(out, "\n");
	for (; (violation = violation_at(run, n_shown)); n_shown++) {
		outbuf_puts(out, n_shown		      ? "#   also: "
				 : run->rule->metric->has_sql ? "#   row: "
							      : "#   worst: ");
		violation_put(out, verdicts, run, violation);
		outbuf_puts(out, "\n");
		if (violation_has_moment(run, violation)) {
			outbuf_puts(out, "#     ");
			when_put(out, verdicts, violation);
			outbuf_puts(out, "\n");
		}
		lines_put(out, verdicts, violation->from_seq);
		if (violation->to_seq != violation->from_seq)
			lines_put(out, verdicts, violation->to_seq);
	}
	if (run->measured.n_broken > n_shown)
		outbuf_printf(out, "#   and %" PRIu64 " more\n", run->measured.n_broken - n_shown);
}

static void verdict_put(
	struct outbuf *out, const struct verdicts *verdicts, const struct run *run, size_t number)
{
	outbuf_printf(out, "%sok %zu - ", run->verdict == VERDICT_FAIL ? "not " : "", number);
	title_put(out, run->rule->title);
	if (verdicts->has_several) {
		outbuf_puts(out, " (");
		title_put(out, verdicts->path);
		outbuf_puts(out, ")");
	}
	if (run->verdict == VERDICT_UNDECIDED) {
		outbuf_puts(out, " # SKIP undecided: ");
		outbuf_clean(out, run->reason);
	}
	outbuf_puts(out, "\n");
	if (run->verdict == VERDICT_FAIL) {
		outbuf_puts(out, "#   ");
		outbuf_clean(out, verdicts->file);
		outbuf_printf(out, ":%u: ", run->rule->line);
		outbuf_clean(out, run->rule->text);
		outbuf_puts(out, "\n");
		failure_put(out, verdicts, run);
	}
	if (run->measured.n) {
		outbuf_puts(out, "#   ");
		measured_put(out, verdicts, run);
		outbuf_puts(out, "\n");
	}
}

static void tap_put(struct outbuf *out, const struct verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->check->rules->n; i++)
		verdict_put(out, verdicts, &verdicts->check->runs[i], verdicts->n_before + i + 1);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* If a rule is about something that is in no trace, it has no effect and is probably misspelt. */
static void missing_put(struct outbuf *out, const struct tally *tally)
{
	size_t n = 0;

	for (size_t i = 0; i < tally->rules->n; i++)
		n += tally->missing[i].n_traces == tally->n_traces;
	if (!n)
		return;
	outbuf_printf(out, "# %zu rule%s about something that no trace has:\n", n, n == 1 ? " is" : "s are");
	for (size_t i = 0; i < tally->rules->n; i++) {
		if (tally->missing[i].n_traces != tally->n_traces)
			continue;
		outbuf_puts(out, "#   ");
		outbuf_clean(out, tally->file);
		outbuf_printf(out, ":%u: ", tally->rules->all[i].line);
		outbuf_clean(out, tally->missing[i].reason ? tally->missing[i].reason : "memory ran out");
		outbuf_puts(out, "\n");
	}
}

static void tap_end(struct outbuf *out, const struct tally *tally)
{
	const size_t *n_of = tally->n_of;

	outbuf_printf(out, "# %zu rule%s on %zu trace%s: %zu ok, %zu not ok, %zu undecided\n",
		tally->rules->n, plural(tally->rules->n), tally->n_traces, plural(tally->n_traces),
		n_of[VERDICT_PASS], n_of[VERDICT_FAIL], n_of[VERDICT_UNDECIDED]);
	missing_put(out, tally);
}

const struct verdict_format verdict_format_tap = {
	.name = "tap", .wants_evidence = true, .begin = tap_begin, .put = tap_put, .end = tap_end
};
