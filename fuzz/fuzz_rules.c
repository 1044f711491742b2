/* SPDX-License-Identifier: MIT */
/*
 * Files of rules (`rastrum check`): the input is such a file. A rule is whole, its text alone is the same
 * rule again, and what is wrong is somewhere in the file. Ranges have the same numbers in them as their
 * limits say.
 *
 * Rules in SQL are asked, and so is an input that is a question itself: whatever it is, it ends in time,
 * SQLite keeps to its memory, and the database is afterwards as it was.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "database/cage.h"
#include "query/metric.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static bool is_same_quantity(const struct quantity *a, const struct quantity *b)
{
	return a->form == b->form && a->is_negative == b->is_negative && a->value == b->value &&
	       a->parts == b->parts;
}

static bool is_same_range(const struct range *a, const struct range *b)
{
	return a->has_least == b->has_least && a->has_most == b->has_most &&
	       a->is_least_out == b->is_least_out && a->is_most_out == b->is_most_out &&
	       is_same_quantity(&a->least, &b->least) && is_same_quantity(&a->most, &b->most);
}

static bool is_same_selector(const struct selector *a, const struct selector *b)
{
	bool is_same = strcmp(a->name, b->name) == 0 && a->n_fields == b->n_fields;

	for (size_t i = 0; is_same && i < a->n_fields; i++)
		is_same = strcmp(a->fields[i].name, b->fields[i].name) == 0 &&
			  strcmp(a->fields[i].text, b->fields[i].text) == 0;
	return is_same;
}

/* The text of a rule has no title; where a part of it could be one, it would be another rule. */
static void check_again(const struct rule *rule)
{
	struct rules again = { 0 };

	require(rules_parse(&again, rule->text, strlen(rule->text)));
	require(again.n == 1 && !again.n_faults && again.all[0].metric == rule->metric);
	require(again.all[0].n_selectors == rule->n_selectors);
	require(strcmp(again.all[0].title, rule->text) == 0 && strcmp(again.all[0].text, rule->text) == 0);
	for (size_t i = 0; i < rule->n_selectors; i++)
		require(is_same_selector(&again.all[0].selectors[i], &rule->selectors[i]));
	require(is_same_range(&again.all[0].range, &rule->range));
	rules_done(&again);
}

/* Limits of whole numbers: each is in the range or not, as the comparison says. */
static void check_bounds(const struct rule *rule)
{
	const struct range *range = &rule->range;
	const struct bounds bounds = range_bounds(range, (struct worth){ 1, 1 });
	const uint64_t least = range->least.value, most = range->most.value;

	require(bounds.is_empty || bounds.least <= bounds.most);
	if (bounds.is_empty)
		return;
	require(!range->has_least || bounds.least == least + range->is_least_out || least == UINT64_MAX);
	require(!range->has_most || bounds.most == most - range->is_most_out);
}

/* Limits of any numbers: a double, and the whole numbers around it, lie in the same order to them. */
static void check_sides(const struct rule *rule)
{
	static const double reals[] = { -1e300, -1e19, -305.25, -1, -0.1, 0, 0.1, 0.5, 1, 30.5, 1e6, 1e19,
		1e300 };
	enum rst_field_type type;
	int last = -1;

	for (size_t i = 0; i < sizeof(reals) / sizeof(reals[0]); i++) {
		uint64_t bits;
		int side;

		memcpy(&bits, &reals[i], sizeof(bits));
		side = range_side(&rule->range, bits, RST_REAL);
		require(side >= last);
		last = side;
		require((range_distance(&rule->range, bits, RST_REAL, &type) == 0) <=
			(side == 0 || type == RST_REAL));
	}
	require(range_side(&rule->range, (uint64_t)-1, RST_SIGNED) <=
		range_side(&rule->range, 1, RST_UNSIGNED));
}

static void check_rule(const struct rule *rule)
{
	const struct metric *metric = rule->metric;

	require(rule->line && rule->column && *rule->title && *rule->text);
	require(rule->n_selectors >= metric->n_selectors && rule->n_selectors <= metric->n_selectors_max);
	require(metric->has_sql == (rule->sql != NULL));
	for (size_t i = 0; i < rule->n_selectors; i++)
		require(rule->selectors[i].kind && *rule->selectors[i].name);
	require(!rule->has_per || (metric->takes_per && rule->per.value));
	check_again(rule);
	if (metric->takes_numbers)
		check_sides(rule);
	else if (!metric->has_sql)
		check_bounds(rule);
}

/* --- questions ------------------------------------------------------------------------------------------ */

enum { ROWS_MAX = 1000, TIMEOUT_NS = 20000000, FINGERPRINT_ROOM = 256 };

static const char *const rows[] = {
	"INSERT INTO traces VALUES (0, 'a.trx', 'threadx', NULL, 1000, 'ns', 0, 90, 0, 3, 0.0, NULL)",
	"INSERT INTO types VALUES (1, 0, 7, 'TICK', 'a tick'), (2, 0, 8, 'TOCK', NULL)",
	"INSERT INTO contexts VALUES (1, 0, 'thread', 5, 'main', NULL)",
	"INSERT INTO event_rows VALUES (0, 0, 0, 0, 1, 1, NULL, 0, 0, 3, NULL, '{\"n\":1}', 'ticks'), "
	"(1, 30, 30, 30, 2, 1, NULL, 0, 0, 3, NULL, '{}', NULL), (2, 90, 90, 90, 1, 1, 1, 1, 1, 4, 4, NULL, "
	"'')",
};

/* Describes the contents of the database in words. */
static void fingerprint_put(struct database *database, char text[FINGERPRINT_ROOM])
{
	static const char sql[] = "SELECT (SELECT group_concat(name || length(sql)) FROM sqlite_master WHERE "
				  "name LIKE 'e%') || ' ' || "
				  "(SELECT count(*) FROM sqlite_master) || ' ' || (SELECT sum(seq * ts + "
				  "length(args)) FROM event_rows) "
				  "|| (SELECT group_concat(path) FROM traces)";
	sqlite3_stmt *statement = NULL;
	struct rst_error err;

	require(database_prepare(database, sql, &statement, &err) == RST_OK);
	require(database->sqlite.step(statement) == SQLITE_ROW);
	snprintf(text, FINGERPRINT_ROOM, "%s", (const char *)database->sqlite.column_text(statement, 0));
	database->sqlite.finalize(statement);
}

/* Nothing but wrong SQL is refused before it runs, and nothing but limits ends it. */
static void question_ask(struct database *database, const char *sql)
{
	struct question question;
	struct rst_error err;
	enum rst_status status = question_prepare(&question, database, sql, &err);

	require(status == RST_OK || status == RST_E_USAGE);
	question.timeout_ns = TIMEOUT_NS;
	for (int i = 0; i < ROWS_MAX && status == RST_OK; i++) {
		status = question_step(&question, &err);
		require(status == RST_OK || status == RST_END || status == RST_E_USAGE || status == RST_E_IO);
	}
	require(status >= 0 || err.what[0]);
	question_done(&question);
	require(database->sqlite.memory_highwater(false) <= CAGE_HEAP_BYTES);
}

static void check_question(const char *sql)
{
	char before[FINGERPRINT_ROOM], behind[FINGERPRINT_ROOM];
	struct database database;
	struct rst_error err;

	require(database_open(&database, NULL, &err) == RST_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		require(database_run(&database, rows[i], &err) == RST_OK);
	fingerprint_put(&database, before);
	question_ask(&database, sql);
	fingerprint_put(&database, behind);
	require(strcmp(before, behind) == 0);
	database_close(&database);
}

static void check_input(const uint8_t *data, size_t size)
{
	char *sql = strndup((const char *)data, size);

	require(sql != NULL);
	if (strncasecmp(sql, "SELECT", 6) == 0 || strncasecmp(sql, "WITH", 4) == 0)
		check_question(sql);
	free(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rules rules = { 0 };

	if (size > 64 * 1024)
		return -1;
	require(rules_parse(&rules, (const char *)data, size));
	for (size_t i = 0; i < rules.n; i++) {
		check_rule(&rules.all[i]);
		if (rules.all[i].sql)
			check_question(rules.all[i].sql);
	}
	check_input(data, size);
	for (size_t i = 0; i < rules.n_faults; i++) {
		const struct rule_fault *fault = &rules.faults[i];

		require(fault->line && fault->line <= size && fault->column && fault->column <= size + 1);
		require(fault->text[0]);
	}
	rules_done(&rules);
	return 0;
}
