/* SPDX-License-Identifier: MIT */
/*
 * Writes a store while a trace is read: in one scan, in memory that does not depend on its length. The caller
 * has the descriptor, and gives the file its name when it is whole. Before that, the file can be read like a
 * store whose writer was killed.
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

/* name is the output's name, for errors; it is borrowed. May return RST_E_IO or RST_E_NOMEM. */
enum rst_status store_write_open(struct store_writer **ret, int fd, const char *name,
	const struct rst_trace *trace, struct rst_error *err);

/*
 * The same for an index: if a payload lies in the source's bytes, only its offset is kept. source must live
 * until store_write_free().
 */
enum rst_status store_write_open_index(struct store_writer **ret, int fd, const struct rst_trace *trace,
	const void *source, size_t n_source, struct rst_error *err);

/*
 * Sets what an index states about its source, which only the index's maker reads. It is borrowed until
 * store_write_finish().
 */
void store_write_about(struct store_writer *writer, const void *about, size_t n_bytes);

/* Replaces the names of the trace. Must be called before the first rows. The disguise is borrowed. */
void store_write_disguise(struct store_writer *writer, struct disguise *disguise);

/*
 * Writes the definitions that the batch brought, and the given rows of it. Must be called after each
 * rst_trace_next(), also if no row is wanted.
 */
enum rst_status store_write_rows(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows, struct rst_error *err);

/*
 * Makes the store a part of a recording, which carries intervals. Must be called before the first rows. The
 * part is read by store_write_finish(): until then the caller fills in its numbers.
 */
struct rst_carried *store_write_part(struct store_writer *writer);

/*
 * Takes intervals and beginnings that come out behind the last row that was written. They are in the order of
 * the state engine. May return RST_E_NOMEM.
 */
enum rst_status store_write_carried(
	struct store_writer *writer, const struct rst_carried *carried, struct rst_error *err);

/*
 * Writes the rest, and how reading ended: RST_E_…, or RST_OK or RST_END without an error. If is_all, every
 * row was taken, so that the source's counts beyond its rows count here, too. After RST_OK, the whole store
 * is on disk.
 */
enum rst_status store_write_finish(struct store_writer *writer, struct rst_trace *trace,
	const struct rst_error *end, bool is_all, struct rst_error *err);

/* The length of the file so far. */
uint64_t store_write_bytes(const struct store_writer *writer);

/* NULL is fine; returns NULL. */
struct store_writer *store_write_free(struct store_writer *writer);

#endif
