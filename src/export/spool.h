/* SPDX-License-Identifier: MIT */
/*
 * A spool keeps records of one size in a file: for formats whose order, or beginning, is known later than
 * their content. First all records are put, and some are changed; then all are read, once. If the spool has a
 * name, its file lies in the folder that is being written, and no descriptor stays open. Otherwise the file
 * is unnamed, in TMPDIR or /tmp. Memory is one buffer.
 */
#ifndef EXPORT_SPOOL_H
#define EXPORT_SPOOL_H

#include "export/export.h"

enum { SPOOL_BYTES = 32 * 1024 };

struct spool {
	char name[24]; /* of the file, or ""; set before the first use, with record_bytes */
	int fd;	       /* of a file without a name, where has_fd */
	bool has_fd;
	size_t record_bytes;
	uint64_t n, n_in_file;
	uint64_t next; /* to be read */
	size_t n_read; /* records in the buffer, which end before n_in_file */
	uint64_t from; /* the first of them */
	uint8_t *buffer;
};

/* Adds a record. A failure of the file sets the status of the export. Returns false if memory ran out. */
bool spool_put(struct export *export, struct spool *spool, const void *record);

/* Changes a part of a record that has been put. */
void spool_change(struct export *export, struct spool *spool, uint64_t n, size_t offset, const void *bytes,
	size_t n_bytes);

/* Nothing may be put after the first read. Returns NULL if no record is left, or the file cannot be read. */
const void *spool_peek(struct export *export, struct spool *spool);
static inline void spool_take(struct spool *spool)
{
	spool->next++;
}

/* Frees the buffer, removes the file. */
void spool_done(const struct export *export, struct spool *spool);

#endif
