/* SPDX-License-Identifier: MIT */
/*
 * Compresses events of blocks to zstd frames (RFC 8878; LOG_BLOCK_ZSTD in format.h). dlopen() opens the
 * library when it is first needed: programs that are traced, or that read other logs, do not load it.
 */
#ifndef LOG_ZSTD_H
#define LOG_ZSTD_H

#include "log/format.h"
#include <stddef.h>

/*
 * The library with its memory: 1 MiB for a block, and the library's own. Only one thread at a time may use
 * it.
 */
struct log_zstd;

/* Returns 0, ENOTSUP if libzstd.so.1 is not installed, or ENOMEM. */
int log_zstd_open(struct log_zstd **ret_zstd);
void log_zstd_close(struct log_zstd *zstd); /* NULL is fine */

/*
 * Compresses a block of packed events: the result is head, struct log_events and a frame, with the new length
 * in the head. It is not sealed, and valid until the next call. Returns NULL if it would not be shorter.
 */
unsigned char *log_zip(struct log_zstd *zstd, const unsigned char *block);

/*
 * Decompresses a block: if flags have LOG_BLOCK_ZSTD, body and length become those of a block without the
 * frame, which are valid until the next call. Opens *zstd if it is NULL. Returns 0, EINVAL if this is not
 * such a frame or its block is longer than LOG_BLOCK_MAX, or ENOTSUP and ENOMEM as log_zstd_open() does.
 */
int log_unzip(struct log_zstd **zstd, uint32_t flags, const unsigned char **body, size_t *length);

#endif
