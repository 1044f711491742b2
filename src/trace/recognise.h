/* SPDX-License-Identifier: MIT */
/* Which dialect an input is of. */
#ifndef TRACE_RECOGNISE_H
#define TRACE_RECOGNISE_H

#include "dialect/dialect.h"
#include "input/source.h"

struct recognised {
	const struct dialect *dialect;
	struct source_front front;
	const char *note; /* about how the bytes came here, or NULL. A constant text */
};

/*
 * Finds the dialect that `how` names, or, if it names none, the one that is surest of the source's first
 * bytes. If a transfer in text mode has changed these, the source undoes it from now on. Returns RST_E_USAGE,
 * RST_E_UNKNOWN, RST_E_IO or RST_E_NOMEM on failure.
 */
enum rst_status recognise(
	struct source *source, const struct rst_open *how, struct recognised *ret, struct rst_error *err);

/* The same for the files of a directory; `first` is the first file. */
enum rst_status recognise_set(const struct input_set *set, struct source *first, const char *name,
	const struct dialect **ret_dialect, struct rst_error *err);

/* The dialect that is surest of the first bytes of something, or NULL. */
const struct dialect *recognise_surest(const struct source_front *front);

/* Makes this dialect choose the order of bytes in a dump of words; NULL: all dialects choose. */
void recognise_judge(struct source *source, const struct dialect *dialect);

#endif
