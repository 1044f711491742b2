/* SPDX-License-Identifier: MIT */
/*
 * Reading while it happens. The link (src/input/live/) gives a function that waits for bytes; everything
 * above it is as with files: the same dialects, the same batches.
 *
 * Of a file the first 64 KiB are looked at before its dialect is named. A link may never give so many, so dialects are
 * tried again and again while bytes come, until there is a pause or half a second is over, and one of them is sure. Of a
 * link that is no pipe they are tried for ever, on the last 64 KiB; what is older is damage.
 */
#ifndef DIALECT_LIVE_H
#define DIALECT_LIVE_H

#include <rastrum/trace.h>

#include "input/live.h"

/*
 * rst_trace_open() of a link; the input is copied, its context borrowed until rst_trace_free(). Where the link was lost a
 * marker of loss is in the sequence. RST_E_USAGE for a dialect that wants whole inputs, unless it is a pipe.
 */
enum rst_status trace_open_live(struct rst_trace **ret_trace, const struct live_input *live,
	const struct rst_open *how, struct rst_error *err);

/* How much of the bytes of all inputs is read, in percent; -1 when they have no known size, as a pipe or a link. */
int trace_percent(const struct rst_trace *trace);

struct dialect;

/* rst_trace_open_bytes() with a dialect that need not be in the registry: tests have such. */
enum rst_status trace_open_as(struct rst_trace **ret_trace, const struct dialect *dialect, const void *bytes,
	size_t n_bytes, const struct rst_open *how, struct rst_error *err);

#endif
