/* SPDX-License-Identifier: MIT */
/* One trace on its way into a database: observers of a scan that put in what is wanted. */
#ifndef DATABASE_LOADING_H
#define DATABASE_LOADING_H

#include "analysis/explain/explain.h"
#include "analysis/subjects.h"
#include "database/database.h"
#include "lines/sentence.h"

struct loading {
	struct database *database;
	uint32_t needs;
	const struct scan *scan;
	unsigned source;
	struct observer_kind observer;
	struct sentences sentences; /* with SCHEMA_ARGS or SCHEMA_TEXT */
	bool has_sentences;
	struct stats stats;	  /* always, for what is not known */
	struct findings findings; /* with SCHEMA_FINDINGS */
	bool has_findings;
	struct subjects things;
	struct thing_row *first_row, *last_row;
	int64_t n_things;
	sqlite3_stmt *event, *interval, *loss;
	int64_t first_seq, first_type, first_context, first_thing;
	enum rst_status status; /* nothing is put in behind a failure */
	struct rst_error err;
};

/*
 * Becomes an observer of a scan that is about to run: needs are bits of enum schema_table. Templates may be
 * NULL. loading_done() is due in any case. RST_E_NOMEM, RST_E_IO.
 */
enum rst_status loading_begin(struct loading *loading, struct database *database, uint32_t needs,
	struct scan *scan, struct template_set *templates, struct diags *diags, struct rst_trace *trace,
	struct rst_error *err);

/*
 * After the scan: what is known of the trace as a whole. fault: why it could not be read to its end; or NULL.
 */
enum rst_status loading_finish(struct loading *loading, const char *fault, struct rst_error *err);
void loading_done(struct loading *loading);

#endif
