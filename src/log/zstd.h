/* SPDX-License-Identifier: MIT */
/*
 * Events of blocks as zstd frames (RFC 8878; LOG_BLOCK_ZSTD in format.h). The library is opened by dlopen() when it is first needed:
 * programs that are traced, or that read other logs, do not load it.
 */
#ifndef LOG_ZSTD_H
#define LOG_ZSTD_H

#include "log/format.h"
#include <stddef.h>

/* The library with its memory: 1 MiB for a block, and what it takes itself. For one thread at a time. */
struct log_zstd;

/* 0; ENOTSUP: libzstd.so.1 is not installed; ENOMEM. */
int log_zstd_open(struct log_zstd **ret_zstd);
void log_zstd_close(struct log_zstd *zstd); /* NULL is fine */

/*
 * A block of packed events as one whose events are a frame: head, struct log_events and the frame, with the
 * new length in the head, and not sealed. It is good until the next call. Returns NULL if it would be no
 * shorter.
 */
unsigned char *log_zip(struct log_zstd *zstd, const unsigned char *block);

/*
 * The other way: if flags have LOG_BLOCK_ZSTD, body and length become those of a block without the frame, which are good until the
 * next call. Opens *zstd if it is NULL. 0; EINVAL: no such frame, or one of a block longer than LOG_BLOCK_MAX; ENOTSUP and
 * ENOMEM as log_zstd_open().
 */
int log_unzip(struct log_zstd **zstd, uint32_t flags, const unsigned char **body, size_t *length);

#endif
