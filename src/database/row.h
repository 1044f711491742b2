/* SPDX-License-Identifier: MIT */
/* Values of a row on their way into a statement of SQLite, one parameter after the other. */
#ifndef DATABASE_ROW_H
#define DATABASE_ROW_H

#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "database/loading.h"

/* The record of a thing; one that had several names is a row for each. */
struct thing {
	struct subject subject;
	struct thing_row *rows;
};

struct thing_row {
	struct rst_entity entity;
	bool is_rest;
	int64_t number;		 /* from 1 on */
	struct thing_row *other; /* the same thing, of another name */
	struct thing_row *next;	 /* in the order of their numbers */
};

/* A statement whose parameters are bound one after the other. */
struct binding_at {
	const struct sqlite *sqlite;
	sqlite3_stmt *statement;
	int n;
};

static inline void put_number(struct binding_at *at, int64_t number)
{
	at->sqlite->bind_int64(at->statement, ++at->n, number);
}

static inline void put_null(struct binding_at *at)
{
	at->sqlite->bind_null(at->statement, ++at->n);
}

static inline void put_known(struct binding_at *at, bool is_known, uint64_t number)
{
	if (is_known)
		put_number(at, (int64_t)number);
	else
		put_null(at);
}

static inline void put_real(struct binding_at *at, double real)
{
	at->sqlite->bind_double(at->statement, ++at->n, real);
}

/*
 * SQLite's whole numbers end at 2^63 - 1: what is beyond is real, as SQLite reads such a literal. It has no
 * NaN.
 */
static inline void put_any_number(struct binding_at *at, struct number number)
{
	const bool is_large = number.type != RST_SIGNED && number.bits > INT64_MAX;

	if (number_is_nan(number))
		put_null(at);
	else if (number.type == RST_REAL || is_large)
		put_real(at, number_real(number));
	else
		put_number(at, (int64_t)number.bits);
}

/* The bytes stay where they are until the row is in. */
static inline void put_bytes(struct binding_at *at, const char *bytes, size_t n_bytes)
{
	at->sqlite->bind_text(at->statement, ++at->n, bytes, bytes ? (int)n_bytes : 0, SQLITE_STATIC);
}

static inline void put_word(struct binding_at *at, const char *word)
{
	put_bytes(at, word, word ? strlen(word) : 0);
}

enum { ID_ROOM = TEXT_HEX_MAX + 1 };

/* As JSON Lines have it: a number, or "0x…". */
static inline void put_id(struct binding_at *at, bool is_number, uint64_t id, char room[ID_ROOM])
{
	if (is_number)
		put_number(at, (int64_t)id);
	else
		put_bytes(at, room, (size_t)(text_put_hex(room, id) - room));
}

/* Begins a row, whose parameters are put next. */
static inline struct binding_at row_begin(const struct loading *loading, sqlite3_stmt *statement)
{
	return (struct binding_at){ .sqlite = &loading->database->sqlite, .statement = statement };
}

/* The row is in; false if it is not, which is remembered. */
static inline bool row_end(struct loading *loading, const struct binding_at *at)
{
	const bool is_done = at->sqlite->step(at->statement) == SQLITE_DONE;

	at->sqlite->reset(at->statement);
	if (!is_done)
		loading->status = database_fault(loading->database, &loading->err);
	return is_done;
}

/* loading_whole.c: what is known of the trace as a whole, and statistics. */
enum rst_status whole_fill(struct loading *loading, const char *fault, struct rst_error *err);

#endif
