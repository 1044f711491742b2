/* SPDX-License-Identifier: MIT */
/*
 * Limits what SQL of users can do. A question or a rule may come from anywhere: a supplier, a pull request, a
 * web page. So it can use only tables and functions from a list; everything else is refused. Its memory is
 * limited and, if the caller wants, its time.
 *
 *	tables      tables of the schema, sqlite_master, json_each, json_tree, and pragmas that only read
 *	functions   functions of SQLite that compute a value from their arguments: cage.c lists them;
 *	            our own of tables.h and aggregates.h
 *	limits      docs/LIMITS.md
 */
#ifndef DATABASE_CAGE_H
#define DATABASE_CAGE_H

#include "base/limit.h"
#include "base/similar.h"
#include "database/database.h"

enum {
	CAGE_VALUE_BYTES = LIMIT(1 << 20, 1 << 16),  /* of one value or row inside of SQLite */
	CAGE_SQL_BYTES = 1 << 20,		     /* of a question */
	CAGE_ROW_BYTES = LIMIT(16 << 20, 1 << 18),   /* of texts in a row of the answer */
	CAGE_HEAP_BYTES = LIMIT(128 << 20, 8 << 20), /* of all that SQLite has in memory in this process */
	CAGE_STEPS = 1000, /* instructions of SQLite between two looks at the clock */
};

/*
 * Restricts a connection that has just been opened: no extensions, no virtual tables except json_each and
 * json_tree, strict quotes.
 */
void cage_close(struct database *database);

/* Around each call that prepares or steps a statement of a user: the lists and limits hold in between. */
void cage_enter(struct database *database);
void cage_leave(struct database *database);

/*
 * The authorizer of SQLite; context is the database. It notes in database->refused what it refused in the
 * cage.
 */
int cage_allow(void *context, int action, const char *first, const char *second, const char *schema,
	const char *view);

/* Whether the memory of SQLite is so near to its limit that the limit explains a failed allocation. */
bool cage_is_full(const struct database *database);

/* Offers each function that questions may use. */
void cage_offer_functions(struct similar *similar);

#endif
