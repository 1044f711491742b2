/* SPDX-License-Identifier: MIT */
/*
 * The ring of bytes. Frames go in whole or not at all: when there is no room for one, it is dropped and
 * counted, and what is in the ring stays. The drain needs no lock, but there may be only one at a time.
 */
#ifndef EMBED_RKH_RKHTRC_STREAM_H
#define EMBED_RKH_RKHTRC_STREAM_H

#include "embed/rkh/rkhtrc_define.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Empties the ring and puts a flag; forgets the count of lost frames. Within the lock, and while nothing
 * drains.
 */
void rkh_trcStream_init(void);

/*
 * A byte as it is, neither stuffed nor added up. Within a frame it is part of it; outside it can be taken at
 * once, and when there is no room for it, it is dropped and counted as a frame is.
 */
void rkh_trc_put(rui8_t b);

/*
 * The oldest byte, and up to *nget of the oldest bytes in one piece. Return NULL if the ring is empty. The
 * bytes are removed at the next call of one of the three functions; until then the recorder leaves them
 * alone. *nget becomes the number of bytes: fewer than wanted at the end of the ring's memory; then call
 * again.
 */
rui8_t *rkh_trc_get(void);
rui8_t *rkh_trc_get_block(TRCQTY_T *nget);

/* Copies up to nElem bytes and takes them out at once; returns how many. */
TRCQTY_T rkh_trc_getWholeBlock(rui8_t *destBlock, TRCQTY_T nElem);

/* Ours: how many frames were dropped since rkh_trc_init(). Each has used up its sequence number. */
rui32_t rkh_trc_lost(void);

#ifdef __cplusplus
}
#endif

#endif
