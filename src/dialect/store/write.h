/* SPDX-License-Identifier: MIT */
/*
 * Writes a store while a trace is read: in one scan, in memory that does not depend on its length. The descriptor is the caller's,
 * and so is the name that its file gets once it is whole. What is there before is read like a store whose writer was killed.
 *
 *	store_write_open(&writer, fd, "x.rsx", trace, &err)
 *	while (rst_trace_next(trace, &batch, &err) == RST_OK)
 *		store_write_rows(writer, trace, batch, rows, n_rows, &err)
 *	store_write_finish(writer, trace, &end, &err)
 *	writer = store_write_free(writer)
 */
#ifndef STORE_WRITE_H
#define STORE_WRITE_H

#include <rastrum/trace.h>

#include "dialect/store/disguise.h"

struct store_writer;

/* name: of the output, for errors; borrowed. RST_E_IO, RST_E_NOMEM. */
enum rst_status store_write_open(struct store_writer **ret, int fd, const char *name,
	const struct rst_trace *trace, struct rst_error *err);

/*
 * The same, of an index: the payloads of rows that lie in these bytes are not kept, only where they are; source lives until
 * store_write_free().
 */
enum rst_status store_write_open_index(struct store_writer **ret, int fd, const struct rst_trace *trace,
	const void *source, size_t n_source, struct rst_error *err);

/* What an index has of its source, which only its maker reads: borrowed until store_write_finish(). */
void store_write_about(struct store_writer *writer, const void *about, size_t n_bytes);

/* From here on, before the first rows: other names in place of those of the trace. It is borrowed. */
void store_write_disguise(struct store_writer *writer, struct disguise *disguise);

/* What the batch brought, and those of its rows; after each rst_trace_next(), also where no row is wanted. */
enum rst_status store_write_rows(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows, struct rst_error *err);

/*
 * How reading ended (RST_E_…; a status of RST_OK or RST_END: as it should), and the rest. is_all: every row was taken, so that
 * what the source counted beyond its rows counts here, too. All of it is on disk after RST_OK.
 */
enum rst_status store_write_finish(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err);

/* Of the file so far. */
uint64_t store_write_bytes(const struct store_writer *writer);

/* NULL is fine; returns NULL. */
struct store_writer *store_write_free(struct store_writer *writer);

#endif
