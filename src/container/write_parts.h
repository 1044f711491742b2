/* SPDX-License-Identifier: MIT */
/* Functions of write.c that the writers of one trace and of several traces share. */
#ifndef STORE_WRITE_PARTS_H
#define STORE_WRITE_PARTS_H

#include "base/outbuf.h"
#include "container/write.h"
#include "dialect/store/directory.h"
#include "dialect/store/store.h"

struct store_writer {
	const char *name; /* of the output, for errors; the caller's */
	struct outbuf out;
	bool has_out;
	uint64_t n_written; /* bytes */
	struct definitions definitions;
	struct bytes items; /* of definitions, for one row */
	struct bytes due;   /* the block DEFINITIONS in front of the present segment */
	struct segment segment;
	struct bytes block;
	uint64_t n_rows, first_row; /* in total; of the segment */
	uint64_t n_gaps, n_damages; /* rows of them */
	struct directory directory;
	struct bytes about; /* in an index: the payload of SOURCE; the caller's */
	bool is_part;	    /* it carries intervals */
	struct rst_carried part;
	struct carried_writer carried;
	uint64_t n_seen; /* events of all batches so far, whether their rows were taken or not */
};

/* The same as store_write_open(), for a model, which is kept, and the columns of its batches. */
enum rst_status writer_open(struct store_writer **ret, int fd, const char *name, const struct model *model,
	const struct store_manner *manner, struct rst_error *err);

/* Puts new definitions in front of the next row. */
enum rst_status writer_put_definitions(
	struct store_writer *writer, struct definitions *definitions, struct rst_error *err);

/* Writes the segment, and the definitions that are due in front of it. */
enum rst_status writer_flush(struct store_writer *writer, struct rst_error *err);
bool writer_has_room(const struct store_writer *writer, size_t n_rows);

/* Adds a row to the segment, which has room. Returns false if memory ran out. */
bool writer_add_row(struct store_writer *writer, const struct rst_batch *batch, size_t row);

/* The same as store_write_finish(), after all definitions. */
enum rst_status writer_finish(
	struct store_writer *writer, const struct rst_error *end, bool is_all, struct rst_error *err);

#endif
