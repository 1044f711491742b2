/* SPDX-License-Identifier: MIT */
/*
 * Reading while it happens. The link (src/input/live/) gives a function that waits for bytes; everything
 * above it works as with files: the same dialects, the same batches.
 *
 * For a file, dialects look at the first 64 KiB. A link may never give so many bytes, so dialects are tried
 * again while bytes come, until one of them is sure and either a pause comes or half a second is over. For a
 * link that is not a pipe they are tried for ever, on the last 64 KiB; older bytes count as damage.
 */
#ifndef TRACE_LIVE_H
#define TRACE_LIVE_H

#include <rastrum/trace.h>

#include "input/live.h"

/*
 * rst_trace_open() for a link. It copies the input and borrows its context until rst_trace_free(). The
 * sequence has a marker of loss where the link was lost. Returns RST_E_USAGE for a dialect that needs whole
 * inputs, unless the link is a pipe.
 */
enum rst_status trace_open_live(struct rst_trace **ret_trace, const struct live_input *live,
	const struct rst_open *how, struct rst_error *err);

/*
 * How much of the bytes of all inputs is read, in percent. Returns -1 if an input has no known size, as a
 * pipe or a link.
 */
int trace_percent(const struct rst_trace *trace);

/* The bytes that were read so far of all inputs, without their wrappings. */
uint64_t trace_bytes(const struct rst_trace *trace);

struct dialect;

/* rst_trace_open_bytes() with a dialect that need not be in the registry, as tests use it. */
enum rst_status trace_open_as(struct rst_trace **ret_trace, const struct dialect *dialect, const void *bytes,
	size_t n_bytes, const struct rst_open *how, struct rst_error *err);

#endif
