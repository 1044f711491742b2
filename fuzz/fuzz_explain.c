/* SPDX-License-Identifier: MIT */
/*
 * Runs all analyses over a recording of any dialect: the findings of `rastrum explain` and the tables of
 * `rastrum stats`, in one scan. Each finding lies within the window, names events of the trace in their order
 * as evidence, and has a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain.h"
#include "analysis/stats/stats.h"
#include "analysis/table/format.h"
#include "fuzz/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_finding(const struct scan *scan, struct findings *findings, const struct finding *finding)
{
	struct sentence sentence;

	require(finding->kind && finding->n_subjects <= FINDING_SUBJECTS_MAX);
	require(finding->from <= finding->to && finding->from >= scan->from && finding->to <= scan->to);
	for (size_t i = 0; i < finding->n_evidence; i++) {
		require(finding->evidence[i] < scan->n_events);
		require(i == 0 || finding->evidence[i - 1] < finding->evidence[i]);
	}
	require(finding_say(findings, finding, &sentence)[0]);
}

static void findings_check(const struct scan *scan, struct findings *findings, struct outbuf *out)
{
	struct json json = { .out = out };

	require(findings_finish(findings));
	for (size_t i = 0; i < findings->n_sorted; i++) {
		check_finding(scan, findings, findings->sorted[i]);
		finding_put_json(findings, findings->sorted[i], -1, &json);
		json_line_end(&json);
	}
}

static void tables_check(struct stats *stats, const struct scan *scan, struct outbuf *out)
{
	struct table_output output = { .out = out, .rank_max = UINT8_MAX };
	struct rst_error err;

	output.times = scan->is_started ? &scan->times : NULL;
	for (size_t i = 0; i < stats->n_analyses; i++) {
		struct table table;

		require(stats_table(stats, i, &table, &err) == RST_OK);
		table_format_json.put(&output, &table);
		table_done(&table);
	}
}

static void trace_analyse(struct rst_trace *trace, struct outbuf *out)
{
	static const struct filter_spec all;
	struct findings *findings = calloc(1, sizeof(*findings));
	struct stats *stats = calloc(1, sizeof(*stats));
	struct scan scan = { .trace = trace, .filter = &all };
	struct rst_error err;

	require(findings && stats && findings_init(findings, &scan));
	while (analyses[stats->n_analyses]) {
		stats->analyses[stats->n_analyses] = analyses[stats->n_analyses];
		stats->n_analyses++;
	}
	stats_init(stats, &scan);
	scan_run(&scan, &err); /* damage at the end or not: what was read counts */
	if (scan.is_started) {
		findings_check(&scan, findings, out);
		tables_check(stats, &scan, out);
	}
	findings_done(findings);
	stats_done(stats);
	scan_done(&scan);
	free(findings);
	free(stats);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rst_trace *trace;
	struct outbuf out;

	if (size > 64 * 1024 || rst_trace_open_bytes(&trace, data, size, "fuzz", NULL, NULL) < 0)
		return 0;
	require(outbuf_init(&out, OUTBUF_MEMORY));
	trace_analyse(trace, &out);
	outbuf_done(&out);
	rst_trace_free(trace);
	return 0;
}
