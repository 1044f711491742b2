/* SPDX-License-Identifier: MIT */
/*
 * Writes a store while a trace is read: in one scan, in memory that does not depend on its length. The file has its name once
 * it is whole; until then it is a file beside it, which can be read like one whose writer was killed.
 *
 *	store_write_open(&writer, "x.rsx", trace, &err)
 *	while (rst_trace_next(trace, &batch, &err) == RST_OK)
 *		store_write_rows(writer, trace, batch, rows, n_rows, &err)
 *	store_write_finish(writer, trace, &end, &err)
 *	writer = store_write_free(writer)
 */
#ifndef STORE_WRITE_H
#define STORE_WRITE_H

#include <rastrum/trace.h>

struct store_writer;

/* path: "-" is standard output. The file is as private as umask(2) makes it. RST_E_IO, RST_E_NOMEM. */
enum rst_status store_write_open(
	struct store_writer **ret, const char *path, const struct rst_trace *trace, struct rst_error *err);

/* What the batch brought, and those of its rows; after each rst_trace_next(), also where no row is wanted. */
enum rst_status store_write_rows(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows, struct rst_error *err);

/*
 * How reading ended (RST_E_…; a status of RST_OK or RST_END: as it should), and the rest. is_all: every row was taken, so that
 * what the source counted beyond its rows counts here, too. The file has its name after RST_OK.
 */
enum rst_status store_write_finish(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err);

/* Removes what has no name yet. NULL is fine; returns NULL. */
struct store_writer *store_write_free(struct store_writer *writer);

#endif
