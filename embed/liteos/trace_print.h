/* SPDX-License-Identifier: MIT */
/* Text goes to RASTRUM_LITEOS_PRINT() a line at a time, where it is not longer than the buffer. */
#ifndef EMBED_LITEOS_TRACE_PRINT_H
#define EMBED_LITEOS_TRACE_PRINT_H

#include "embed/liteos/los_trace_types.h"

struct text {
	CHAR bytes[120];
	UINT32 n_bytes;
};

#ifdef __cplusplus
extern "C" {
#endif

VOID text_words(struct text *text, const CHAR *words);

/* printf's %-*u and 0x%-*llx; the width does not count "0x". */
VOID text_dec(struct text *text, UINT32 number, UINT32 width);
VOID text_hex(struct text *text, UINT64 number, UINT32 width);
VOID text_flush(struct text *text);

#ifdef __cplusplus
}
#endif

#endif
