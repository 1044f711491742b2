/* SPDX-License-Identifier: MIT */
/*
 * Makes intervals and effects for tests of tables. A thing is a letter, which is its name. The cells of a
 * thing in a table are compared as text, by the names of columns; an absent cell is "-":
 *
 *	rig_is(&rig, "M", "acquisitions 2, max_hold 30, max_hold_thread A", "…");
 */
#ifndef ANALYSIS_STATS_RIG_TEST_H
#define ANALYSIS_STATS_RIG_TEST_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats/stats.h"
#include "tests/tap.h"

enum { RIG_TEXT_MAX = 2000, RIG_WINDOW = 1000 };

struct rig {
	const struct analysis *analysis;
	struct observers observers;
	void *state;
	struct table table;
	bool has_memory;
};

static inline struct rig rig_new(const struct analysis *analysis)
{
	struct rig rig = { .analysis = analysis };

	observers_add_kind(&rig.observers, &analysis->observer, NULL);
	rig.has_memory = observers_begin(&rig.observers);
	rig.state = rig.has_memory ? observers_state(&rig.observers, 0) : NULL;
	return rig;
}

/* '\0': none. */
static inline struct rst_entity rig_entity(const char *kind, char letter)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	if (!letter)
		return (struct rst_entity){ 0 };
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = kind,
		.id = (uint64_t)letter,
		.name = strchr(letters, letter),
		.name_bytes = 1 };
}

/* An interval that an event began and an event ended, unless its sequence numbers are set otherwise. */
static inline struct rst_interval rig_interval(enum rst_interval_kind kind, enum rst_state state,
	struct rst_entity subject, struct rst_entity object, uint64_t from, uint64_t to)
{
	return (struct rst_interval){ .kind = kind,
		.state = state,
		.certainty = state == RST_STATE_UNKNOWN ? RST_CERTAINTY_UNKNOWN : RST_CERTAINTY_EXACT,
		.core = RST_NO_CORE,
		.subject = subject,
		.object = object,
		.from = from,
		.to = to,
		.from_seq = from,
		.to_seq = to };
}

static inline void rig_give(struct rig *rig, const struct rst_interval *interval)
{
	const struct piece piece = { .interval = interval,
		.from = interval->from,
		.begin = interval->from,
		.to = interval->to,
		.has_begin = interval->from_seq != RST_NO_SEQ,
		.has_end = interval->to_seq != RST_NO_SEQ };

	rig->has_memory &= rig->analysis->observer.piece(rig->state, &piece);
}

/* A thread gets a lock. */
static inline void rig_acquire(struct rig *rig, char lock, char thread, uint64_t at)
{
	const struct rst_beginning acquisition = { .kind = RST_INTERVAL_LOCK,
		.subject = rig_entity("mutex", lock),
		.object = rig_entity("thread", thread),
		.at = at,
		.seq = at };

	rig->has_memory &= rig->analysis->observer.beginning(rig->state, &acquisition);
}

/* An interrupt comes. */
static inline void rig_arrive(struct rig *rig, struct rst_entity interrupt, uint64_t at, uint16_t depth)
{
	const struct rst_beginning arrival = {
		.kind = RST_INTERVAL_INTERRUPT, .subject = interrupt, .at = at, .seq = at, .depth = depth
	};

	rig->has_memory &= rig->analysis->observer.beginning(rig->state, &arrival);
}

/* An effect of an event of this type, made by a context. */
static inline void rig_effect(struct rig *rig, uint64_t at, const struct rst_type *type,
	const struct rst_context *context, const struct rst_effect_facts *facts)
{
	const struct rst_batch batch = {
		.n_events = 1, .ticks = &at, .stamp = &at, .seq = &at, .type = &type, .context = &context
	};
	const struct occurrence occurrence = { .batch = &batch, .at = at, .seq = at, .facts = facts };

	rig->has_memory &= rig->analysis->observer.effect(rig->state, &occurrence);
}

static inline void rig_table(struct rig *rig)
{
	table_done(&rig->table);
	rig->table =
		(struct table){ .columns = rig->analysis->columns, .n_columns = rig->analysis->n_columns };
	rig->has_memory &= analysis_rows(rig->analysis, rig->state, &rig->table, 0, RIG_WINDOW);
}

static inline bool rig_cell_is(const struct table_cell *cell, const char *text)
{
	return cell->is_there && cell->text.n_bytes == strlen(text) &&
	       memcmp(cell->text.bytes, text, cell->text.n_bytes) == 0;
}

/* Finds the row whose subject, or else first text, has this name. Returns NULL without such a row. */
static inline const struct table_cell *rig_row(const struct rig *rig, const char *name)
{
	const struct table *table = &rig->table;

	for (size_t row = 0; row < table->n_rows; row++)
		for (size_t i = 0; i < table->n_columns; i++)
			if (table->columns[i].type == CELL_WORD && table->columns[i].rank == 0 &&
				rig_cell_is(&table->cells[row * table->n_columns + i], name))
				return &table->cells[row * table->n_columns];
	return NULL;
}

static inline void rig_put(FILE *out, const struct table_column *column, const struct table_cell *cell)
{
	if (!cell->is_there)
		fprintf(out, "-");
	else if (column->type == CELL_WORD)
		fprintf(out, "%.*s", (int)cell->text.n_bytes, cell->text.bytes);
	else if (column->type == CELL_SHARE)
		fprintf(out, "%.4g%%", cell->real * 100);
	else if (column->type == CELL_REAL)
		fprintf(out, "%.4g", cell->real);
	else
		fprintf(out, "%" PRIu64, cell->number);
}

/* Compares the columns that the text names. */
static inline void rig_is(struct rig *rig, const char *name, const char *expected, const char *sentence)
{
	const struct table_cell *cells;
	char got[RIG_TEXT_MAX] = "";
	FILE *out = fmemopen(got, sizeof(got), "w");

	rig_table(rig);
	cells = rig_row(rig, name);
	for (const char *at = expected; out && cells && *at; at += strcspn(at, ","), at += strspn(at, ", ")) {
		size_t i = 0;

		while (i < rig->table.n_columns &&
			(strlen(rig->table.columns[i].name) != strcspn(at, " ") ||
				strncmp(rig->table.columns[i].name, at, strcspn(at, " ")) != 0))
			i++;
		fprintf(out, "%s%.*s ", at == expected ? "" : ", ", (int)strcspn(at, " "), at);
		if (i < rig->table.n_columns)
			rig_put(out, &rig->table.columns[i], &cells[i]);
	}
	if (out)
		fclose(out);
	is_text(got, expected, sentence);
}

static inline void rig_done(struct rig *rig)
{
	ok(rig->has_memory, "there was memory for all of it");
	observers_done(&rig->observers);
	table_done(&rig->table);
}

/* Intervals of a thread, and what of it concerns a lock. */
static inline void rig_wait(struct rig *rig, char thread, enum rst_reason reason, struct rst_entity object,
	uint64_t from, uint64_t to)
{
	struct rst_interval interval = rig_interval(
		RST_INTERVAL_THREAD, RST_STATE_WAITING, rig_entity("thread", thread), object, from, to);

	interval.reason = reason;
	rig_give(rig, &interval);
}

#endif
