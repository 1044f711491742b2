/* SPDX-License-Identifier: MIT */
#include "query/sql.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"
#include "query/line.h"

/* --- what is wrong with a question ---------------------------------------------------------------------- */

/* Where byte n of the question stands in its line: \" and \\ are one byte. */
static const char *place_of(const struct rule *rule, int n)
{
	const char *p = rule->sql_at;

	for (; n > 0 && *p; n--)
		p += *p == '\\' && (p[1] == '"' || p[1] == '\\') ? 2 : 1;
	return p;
}

static void fault_add(struct rules *rules, const struct rule *rule, const struct question *question,
	const struct rst_error *why)
{
	struct line line = { .rules = rules, .start = rule->line_start, .number = rule->line };

	line_fault(&line, place_of(rule, question->fault_at), "%s", why->what);
	if (*why->advice)
		line_advise(&line, "%s", why->advice);
}

static int fault_compare(const void *a, const void *b)
{
	const struct rule_fault *one = a, *other = b;

	return one->line < other->line ? -1 : one->line > other->line;
}

enum rst_status rules_prepare_sql(struct rules *rules, const struct rule **ret_rule, struct rst_error *err)
{
	struct database database = { .handle = NULL };
	enum rst_status status = RST_OK;

	for (size_t i = 0; i < rules->n && status == RST_OK; i++) {
		const struct rule *rule = &rules->all[i];
		struct question question = { .statement = NULL };

		if (!rule->metric->has_sql)
			continue;
		*ret_rule = rule;
		if (!database.handle)
			status = database_open(&database, NULL, err);
		if (status == RST_OK)
			status = question_prepare(&question, &database, rule->sql, err);
		if (status == RST_E_USAGE) {
			fault_add(rules, rule, &question, err);
			status = RST_OK;
		}
		question_done(&question);
	}
	database_close(&database);
	if (rules->n_faults)
		qsort(rules->faults, rules->n_faults, sizeof(*rules->faults), fault_compare);
	return status;
}

/* --- limits --------------------------------------------------------------------------------------------- */

enum rst_status sql_parse_timeout(const char *text, uint64_t *ret_ns, struct rst_error *err)
{
	static const uint64_t ns_per_s = 1000000000, ps_per_ns = 1000;
	struct quantity quantity = { .form = QUANTITY_SHARE };
	const char *why, *end = quantity_parse(text, &quantity, &why);
	const bool is_seconds = quantity.form == QUANTITY_COUNT && !quantity.is_negative;

	if (end && *end == '\0' && is_seconds && quantity.value / quantity.parts < INT64_MAX / ns_per_s) {
		const wide ns = (wide)quantity.value * ns_per_s;

		/* a value between 0 and 1 must not become 0 */
		*ret_ns = (uint64_t)((ns + quantity.parts - 1) / quantity.parts);
		return RST_OK;
	}
	if (end && *end == '\0' && quantity.form == QUANTITY_TIME && quantity.value >= ps_per_ns) {
		*ret_ns = quantity.value / ps_per_ns;
		return RST_OK;
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--timeout cannot be '%s'", text);
	error_advise(
		err, "it is a number of seconds, or with ns, us, ms, s or min: 60, 500ms; 0 is no limit");
	return RST_E_USAGE;
}

/* --- one trace ------------------------------------------------------------------------------------------ */

struct asked {
	struct run *run;
	struct question question;
	struct arena arena; /* rows that are shown */
};

/* A question that reads the losses itself has taken them into account. */
enum rst_status sql_begin(struct run *run, struct rst_error *err)
{
	struct asked *asked = run->state;

	error_try(question_prepare(&asked->question, &run->check->database, run->rule->sql, err));
	asked->question.timeout_ns = run->check->timeout_ns;
	run->judges_losses = asked->question.needs & SCHEMA_BIT(SCHEMA_LOSSES);
	return RST_OK;
}

/* A whole number in a column of one of these names. */
static bool number_of(const struct asked *asked, const char *const names[2], uint64_t *ret)
{
	const struct sqlite *sqlite = &asked->question.database->sqlite;

	for (unsigned i = 0; i < asked->question.n_columns; i++) {
		const char *name = question_column(&asked->question, i);

		if ((strcmp(name, names[0]) != 0 && strcmp(name, names[1]) != 0) ||
			sqlite->column_type(asked->question.statement, (int)i) != SQLITE_INTEGER)
			continue;
		*ret = (uint64_t)sqlite->column_int64(asked->question.statement, (int)i);
		return true;
	}
	return false;
}

enum { SHOWN_BYTES = 120 }; /* of one value */

/* "thread high, duration 26528" */
static void row_put_words(struct outbuf *out, const struct asked *asked)
{
	for (unsigned i = 0; i < asked->question.n_columns; i++) {
		int type;
		const struct text value = question_value(&asked->question, i, &type);
		const int n = (int)(value.n_bytes < SHOWN_BYTES ? value.n_bytes : SHOWN_BYTES);

		outbuf_printf(out, "%s%s %.*s", i ? ", " : "", question_column(&asked->question, i),
			value.bytes ? n : 4, value.bytes ? value.bytes : "NULL");
	}
}

/* {"thread":"high","duration":26528} */
static void row_put_json(struct outbuf *out, const struct asked *asked)
{
	struct json json = { .out = out };

	json_object(&json, NULL);
	for (unsigned i = 0; i < asked->question.n_columns; i++)
		question_put_json(&asked->question, i, &json, question_column(&asked->question, i));
	json_end(&json);
}

static const char *row_text(struct asked *asked, void (*put)(struct outbuf *out, const struct asked *asked))
{
	struct outbuf out;
	const char *text = NULL;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return NULL;
	put(&out, asked);
	if (!out.error)
		text = arena_copy(&asked->arena, out.start, (size_t)(out.at - out.start));
	outbuf_done(&out);
	return text;
}

/* Each row breaks the rule. Columns of these names say when, and by which events. */
static bool row_take(struct run *run, const struct scan *scan)
{
	static const char *const ts[] = { "ts", "from_ts" }, *const to_ts[] = { "to_ts", "to_ts" },
				 *const seq[] = { "seq", "from_seq" },
				 *const to_seq[] = { "to_seq", "to_seq" };
	struct asked *asked = run->state;
	struct violation violation = { .from = scan->from,
		.from_seq = RST_NO_SEQ,
		.to_seq = RST_NO_SEQ,
		.value = run->measured.n_broken + 1,
		.by = 1,
		.is_too_much = true };

	if (run->measured.n_broken < VIOLATIONS_FIRST) {
		violation.row = row_text(asked, row_put_words);
		violation.row_json = row_text(asked, row_put_json);
		if (!violation.row || !violation.row_json)
			return false;
	}
	violation.has_moment = number_of(asked, ts, &violation.from);
	violation.to = violation.from;
	if (violation.has_moment)
		number_of(asked, to_ts, &violation.to);
	number_of(asked, seq, &violation.from_seq);
	number_of(asked, to_seq, &violation.to_seq);
	run_break(run, &violation);
	return true;
}

static bool sql_finish(void *context, const struct scan *scan)
{
	struct asked *asked = context;
	struct run *run = asked->run;
	struct rst_error err;
	enum rst_status status;

	while ((status = question_step(&asked->question, &err)) == RST_OK)
		if (!row_take(run, scan))
			return false;
	if (status < 0)
		run_unknown(run, "%s", err.what);
	return status != RST_E_NOMEM;
}

static void sql_done(void *state)
{
	struct asked *asked = state;

	if (asked->question.database)
		question_done(&asked->question);
	arena_done(&asked->arena);
}

const struct metric metric_none = {
	.observer = {
		.state_bytes = sizeof(struct asked),
		.finish = sql_finish,
		.done = sql_done,
	},
	.name = "none",
	.usage = "none \"SQL\"",
	.about = "the answer to the question has no row; see `rastrum query`",
	.has_sql = true,
};
