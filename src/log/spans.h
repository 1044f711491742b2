/* SPDX-License-Identifier: MIT */
/*
 * Reads the spans behind the end of a log (struct log_span), without trust. For blocks that no reader looks
 * at, the spans are taken as they are. For other blocks, the reader has to compare the spans with the blocks.
 */
#ifndef LOG_SPANS_H
#define LOG_SPANS_H

#include "log/scan.h"

struct log_span_list {
	const unsigned char *bytes; /* borrowed from the log */
	uint32_t n;
	uint64_t end; /* offset of the last block, which is LOG_END */
};

/*
 * bytes are a whole log whose header the scan has just read. Returns false if it has no spans, or invalid
 * ones: they must follow one another from the header on, and together have as many events as the end states.
 */
bool log_spans_find(
	const struct log_scan *scan, const unsigned char *bytes, uint64_t n, struct log_span_list *ret_list);

/* Returns span number i, and the offset where it ends. */
struct log_span log_span_get(const struct log_span_list *list, uint32_t i, uint64_t *ret_end);

#endif
