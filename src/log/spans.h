/* SPDX-License-Identifier: MIT */
/*
 * The spans behind the end of a log (struct log_span), read without trust. What they say of blocks that no reader looks at is
 * taken as it is; what they say of others has to be compared with these.
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
 * bytes are a whole log whose header the scan has just read. Returns false if it has no spans, or some that
 * cannot be: they have to follow one another from the header on, and to have as many events together as the
 * end says.
 */
bool log_spans_find(
	const struct log_scan *scan, const unsigned char *bytes, uint64_t n, struct log_span_list *ret_list);

/* The span number i, and where it ends. */
struct log_span log_span_get(const struct log_span_list *list, uint32_t i, uint64_t *ret_end);

#endif
