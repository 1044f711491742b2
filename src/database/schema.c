/* SPDX-License-Identifier: MIT */
/*
 * Rows are kept short: numbers of types, contexts and things stand in them, and the views events and
 * intervals show the names. Questions are put to the views.
 */
#include "database/schema.h"

#include <string.h>

#include "database/tables.h"

const char *const schema_tables[] = {
	"CREATE TABLE traces (\n"
	"  source INTEGER PRIMARY KEY, path TEXT, dialect TEXT, target TEXT,\n"
	"  clock_hz INTEGER,           -- NULL: not known\n"
	"  unit TEXT,                  -- of every duration: ns, or ticks\n"
	"  from_ts INTEGER, to_ts INTEGER,\n"
	"  first_seq INTEGER,          -- number of its first event\n"
	"  events INTEGER,             -- that were read, selected or not\n"
	"  unknown REAL,               -- share of the time in which events are lost\n"
	"  fault TEXT                  -- why it could not be read to its end\n"
	")",
	"CREATE TABLE types (type INTEGER PRIMARY KEY, source INTEGER, id INTEGER,\n"
	"  name TEXT, label TEXT)",
	"CREATE TABLE contexts (context INTEGER PRIMARY KEY, source INTEGER,\n"
	"  kind TEXT, id, name TEXT, process INTEGER)",
	"CREATE TABLE objects (source INTEGER, kind TEXT, id, name TEXT,\n"
	"  process INTEGER, capacity INTEGER,\n"
	"  from_position INTEGER       -- it holds from there on in the recording\n"
	")",
	"CREATE TABLE things (thing INTEGER PRIMARY KEY, source INTEGER,\n"
	"  kind TEXT, id, name TEXT, process INTEGER)",
	"CREATE TABLE event_rows (seq INTEGER PRIMARY KEY, ts INTEGER, ns INTEGER,\n"
	"  wall_ns INTEGER, type INTEGER, context INTEGER, interrupted INTEGER,\n"
	"  core INTEGER, depth INTEGER, priority INTEGER, threshold INTEGER,\n"
	"  args TEXT,                  -- fields, as JSON: args ->> 'name'\n"
	"  text TEXT                   -- the sentence of its template\n"
	")",
	"CREATE TABLE interval_rows (source INTEGER, kind TEXT, subject INTEGER,\n"
	"  object INTEGER, state TEXT, reason TEXT, core INTEGER, depth INTEGER,\n"
	"  from_ts INTEGER, to_ts INTEGER, from_ns INTEGER, to_ns INTEGER,\n"
	"  duration INTEGER,           -- ns, or ticks: traces.unit\n"
	"  from_seq INTEGER, to_seq INTEGER, by INTEGER, certainty TEXT,\n"
	"  value                       -- of a level: INTEGER or REAL; NULL: NaN\n"
	")",
	"CREATE TABLE losses (source INTEGER,\n"
	"  seq INTEGER,                -- of the event behind it\n"
	"  ts INTEGER, ns INTEGER,     -- of the event before it\n"
	"  kind TEXT,                  -- loss, or damage\n"
	"  events INTEGER,             -- that are lost; NULL: not known\n"
	"  offset INTEGER, bytes INTEGER, reason TEXT, input TEXT\n"
	")",
	"-- What went wrong: `rastrum explain`, with its usual thresholds\n"
	"CREATE TABLE findings (source INTEGER, finding TEXT, severity TEXT,\n"
	"  from_ts INTEGER, to_ts INTEGER,\n"
	"  subjects TEXT,              -- names or numbers of interrupts, as JSON\n"
	"  text TEXT, certain INTEGER)",
	"CREATE TABLE stats_tables (source INTEGER, name TEXT,\n"
	"  unknown REAL                -- share of the time that is not known\n"
	")",
	NULL,
};

/* One view for each of the questions that come first. */
const char *const schema_views[] = {
	"CREATE VIEW events AS SELECT seq, t.source, ts, ns, wall_ns, t.name, t.label,\n"
	"  c.name AS context, c.kind AS context_kind, c.id AS context_id, c.process,\n"
	"  i.name AS interrupted, core, depth, priority, threshold, args, text\n"
	"  FROM event_rows e JOIN types t ON t.type = e.type\n"
	"  LEFT JOIN contexts c ON c.context = e.context\n"
	"  LEFT JOIN contexts i ON i.context = e.interrupted",
	"CREATE VIEW intervals AS SELECT r.source, r.kind, s.name AS subject,\n"
	"  s.kind AS subject_kind, s.id AS subject_id, o.name AS object,\n"
	"  o.kind AS object_kind, o.id AS object_id, state, reason, core, depth,\n"
	"  from_ts, to_ts, from_ns, to_ns, duration, from_seq, to_seq,\n"
	"  b.name AS by, certainty, value\n"
	"  FROM interval_rows r LEFT JOIN things s ON s.thing = r.subject\n"
	"  LEFT JOIN things o ON o.thing = r.object\n"
	"  LEFT JOIN things b ON b.thing = r.by",
	"-- What happens, and how often?\n"
	"CREATE VIEW event_counts AS SELECT t.source, t.name, count(*) AS count,\n"
	"  min(ts) AS first_ts, max(ts) AS last_ts FROM event_rows e\n"
	"  JOIN types t ON t.type = e.type GROUP BY e.type ORDER BY 3 DESC",
	"-- What used the processor?\n"
	"CREATE VIEW running AS SELECT r.source, t.name AS thread,\n"
	"  count(*) FILTER (WHERE state = 'running') AS runs,\n"
	"  sum(duration) FILTER (WHERE state = 'running') AS running,\n"
	"  sum(duration) AS running_max,\n"
	"  max(duration) FILTER (WHERE state = 'running') AS longest,\n"
	"  100.0 * sum(r.to_ts - r.from_ts) FILTER (WHERE state = 'running')\n"
	"    / (w.to_ts - w.from_ts) AS share,\n"
	"  100.0 * sum(r.to_ts - r.from_ts) / (w.to_ts - w.from_ts) AS share_max\n"
	"  FROM interval_rows r JOIN things t ON t.thing = r.subject\n"
	"  JOIN traces w ON w.source = r.source\n"
	"  WHERE r.kind = 'thread' AND state IN ('running', 'unknown')\n"
	"  GROUP BY r.subject HAVING runs > 0 ORDER BY 4 DESC",
	"-- What kept threads waiting, and how long?\n"
	"CREATE VIEW waits AS SELECT source, subject AS thread, reason, object,\n"
	"  duration, from_ts, to_ts, from_seq, to_seq, certainty FROM intervals\n"
	"  WHERE kind = 'thread' AND state = 'waiting' ORDER BY duration DESC",
	"-- What woke a thread, and when did it run?\n"
	"CREATE VIEW wakeups AS SELECT source, subject AS thread, by, duration,\n"
	"  from_ts, to_ts, from_seq, to_seq, certainty FROM intervals\n"
	"  WHERE kind = 'thread' AND state = 'ready' AND by IS NOT NULL\n"
	"  ORDER BY duration DESC",
	"-- When did a thread that could run have to stop?\n"
	"CREATE VIEW preemptions AS SELECT source, subject AS thread, duration,\n"
	"  from_ts, to_ts, from_seq, to_seq, certainty FROM intervals\n"
	"  WHERE kind = 'thread' AND state = 'ready' AND by IS NULL\n"
	"  ORDER BY duration DESC",
	"-- What held a lock, and how long?\n"
	"CREATE VIEW holds AS SELECT source, subject AS lock, object AS owner,\n"
	"  duration, from_ts, to_ts, from_seq, to_seq, certainty FROM intervals\n"
	"  WHERE kind = 'lock' AND state = 'held' ORDER BY duration DESC",
	"-- For which locks do threads wait?\n"
	"CREATE VIEW contention AS SELECT source, object AS lock, count(*) AS waits,\n"
	"  sum(duration) AS waited, max(duration) AS longest FROM intervals\n"
	"  WHERE kind = 'thread' AND state = 'waiting' AND reason = 'lock'\n"
	"  GROUP BY source, object_kind, object_id, object ORDER BY 4 DESC",
	"-- Which interrupts come, and how long do they take?\n"
	"CREATE VIEW interrupts AS SELECT source, subject_id AS interrupt, core,\n"
	"  count(*) AS count, sum(duration) AS total, max(duration) AS longest\n"
	"  FROM intervals WHERE kind = 'interrupt'\n"
	"  GROUP BY source, subject_id, core ORDER BY 5 DESC",
	"-- How long does each piece of work take?\n"
	"CREATE VIEW spans AS SELECT source, subject AS span, count(*) AS count,\n"
	"  sum(duration) AS total, avg(duration) AS mean, max(duration) AS longest\n"
	"  FROM intervals WHERE kind = 'span' GROUP BY source, subject ORDER BY 4 DESC",
	"-- How full did queues and pools get?\n"
	"CREATE VIEW levels AS SELECT source, subject AS object,\n"
	"  subject_kind AS kind, min(value) AS least, max(value) AS most,\n"
	"  count(*) AS changes FROM intervals WHERE kind = 'level'\n"
	"  GROUP BY source, subject_kind, subject_id, subject",
	"-- When is it not known what a thread or core did?\n"
	"CREATE VIEW unknown_times AS SELECT source, kind, subject, duration,\n"
	"  from_ts, to_ts FROM intervals WHERE state = 'unknown'\n"
	"  ORDER BY duration DESC",
	NULL,
};

const char *const schema_indexes[] = {
	"CREATE INDEX types_name ON types (name)",
	"CREATE INDEX contexts_name ON contexts (name)",
	"CREATE INDEX things_name ON things (name)",
	"CREATE INDEX objects_id ON objects (id)",
	"CREATE INDEX events_type ON event_rows (type)",
	"CREATE INDEX events_context ON event_rows (context)",
	"CREATE INDEX events_ts ON event_rows (ts)",
	"CREATE INDEX intervals_subject ON interval_rows (subject, from_ts)",
	"CREATE INDEX intervals_from ON interval_rows (from_ts)",
	NULL,
};

const char schema_insert_event[] = "INSERT INTO event_rows VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)",
	   schema_insert_interval[] =
		   "INSERT INTO interval_rows VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
	   schema_insert_thing[] = "INSERT INTO things VALUES (?,?,?,?,?,?)",
	   schema_insert_type[] = "INSERT INTO types VALUES (?,?,?,?,?)",
	   schema_insert_context[] = "INSERT INTO contexts VALUES (?,?,?,?,?,?)",
	   schema_insert_object[] = "INSERT INTO objects VALUES (?,?,?,?,?,?,?)",
	   schema_insert_loss[] = "INSERT INTO losses VALUES (?,?,?,?,?,?,?,?,?,?)",
	   schema_insert_finding[] = "INSERT INTO findings VALUES (?,?,?,?,?,?,?,?)",
	   schema_insert_trace[] = "INSERT INTO traces VALUES (?,?,?,?,?,?,?,?,?,?,?,?)";

/* --- tables of statistics ------------------------------------------------------------------------------- */

static const char *type_of(const struct table_column *column)
{
	static const char *const types[] = {
		[CELL_WORD] = "TEXT",
		[CELL_COUNT] = "INTEGER",
		[CELL_NUMBER] = "INTEGER",
		[CELL_TIME] = "INTEGER",
		[CELL_MOMENT] = "INTEGER",
		[CELL_SHARE] = "REAL",
		[CELL_REAL] = "REAL",
	};

	return types[column->type];
}

/* A bounded column has one more for the most. */
static unsigned n_columns_of(const struct table_column *column)
{
	return column->type == CELL_HISTOGRAM ? 0 : 1 + column->is_bounded;
}

void schema_put_stats(struct outbuf *out, const struct analysis *analysis)
{
	outbuf_printf(out, "CREATE TABLE stats_%s (source INTEGER", analysis->name);
	for (size_t i = 0; i < analysis->n_columns; i++) {
		const struct table_column *column = &analysis->columns[i];

		for (unsigned most = 0; most < n_columns_of(column); most++)
			outbuf_printf(
				out, ",\n  \"%s%s\" %s", column->name, most ? "_max" : "", type_of(column));
	}
	outbuf_puts(out, ")");
}

void schema_put_insert_stats(struct outbuf *out, const struct analysis *analysis)
{
	outbuf_printf(out, "INSERT INTO stats_%s VALUES (?", analysis->name);
	for (size_t i = 0; i < analysis->n_columns; i++)
		for (unsigned n = n_columns_of(&analysis->columns[i]); n; n--)
			outbuf_puts(out, ",?");
	outbuf_puts(out, ")");
}

void schema_put(struct outbuf *out)
{
	for (size_t i = 0; schema_tables[i]; i++)
		outbuf_printf(out, "%s;\n", schema_tables[i]);
	for (size_t i = 0; analyses[i]; i++) {
		outbuf_printf(out, "-- %s\n", analyses[i]->about);
		schema_put_stats(out, analyses[i]);
		outbuf_puts(out, ";\n");
	}
	for (size_t i = 0; schema_views[i]; i++)
		outbuf_printf(out, "%s;\n", schema_views[i]);
	tables_put(out);
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* Whether a statement makes the table or view of this name; it may have a comment in front. */
static bool is_made(const char *statement, const char *name)
{
	static const char *const words[] = { "CREATE TABLE ", "CREATE VIEW " };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const char *at = strstr(statement, words[i]);

		if (at && strncmp(at + strlen(words[i]), name, strlen(name)) == 0 &&
			at[strlen(words[i]) + strlen(name)] == ' ')
			return true;
	}
	return false;
}

bool schema_has(const char *name)
{
	static const char prefix[] = "stats_";

	for (size_t i = 0; schema_tables[i]; i++)
		if (is_made(schema_tables[i], name))
			return true;
	for (size_t i = 0; schema_views[i]; i++)
		if (is_made(schema_views[i], name))
			return true;
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	for (size_t i = 0; analyses[i]; i++)
		if (strcmp(name + strlen(prefix), analyses[i]->name) == 0)
			return true;
	return false;
}

/* --- what a statement needs ----------------------------------------------------------------------------- */

static uint32_t needs_stats(const char *table)
{
	static const char prefix[] = "stats_";
	uint32_t all = 0;

	if (strncmp(table, prefix, strlen(prefix)) != 0)
		return 0;
	for (unsigned i = 0; analyses[i]; i++) {
		all |= SCHEMA_BIT(SCHEMA_STATS + i);
		if (strcmp(table + strlen(prefix), analyses[i]->name) == 0)
			return SCHEMA_BIT(SCHEMA_STATS + i);
	}
	return all; /* stats_tables */
}

/*
 * A view reads all columns of its tables, even those that the statement does not use. So the expensive
 * columns count only if they are read from the table itself, or if something other than the view events reads
 * them from that view.
 */
uint32_t schema_needs(const char *table, const char *column, const char *view)
{
	const bool is_view = strcmp(table, "events") == 0;
	const bool is_used = is_view || !view || strcmp(view, "events") != 0;

	if (is_view || strcmp(table, "event_rows") == 0)
		return SCHEMA_BIT(SCHEMA_EVENTS) |
		       (is_used && strcmp(column, "args") == 0 ? SCHEMA_BIT(SCHEMA_ARGS) : 0) |
		       (is_used && strcmp(column, "text") == 0 ? SCHEMA_BIT(SCHEMA_TEXT) : 0);
	if (strcmp(table, "interval_rows") == 0 || strcmp(table, "things") == 0)
		return SCHEMA_BIT(SCHEMA_INTERVALS);
	if (strcmp(table, "losses") == 0)
		return SCHEMA_BIT(SCHEMA_LOSSES);
	if (strcmp(table, "findings") == 0)
		return SCHEMA_BIT(SCHEMA_FINDINGS);
	return needs_stats(table);
}
