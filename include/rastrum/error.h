/* SPDX-License-Identifier: MIT */
/*
 * Outcomes and errors.
 *
 * Zero and positive values are outcomes that a caller expects; negative ones are failures to pass up
 * unchanged. The error object belongs to the caller, has a fixed size (so that "no memory" can be reported,
 * too) and names the byte of the input where the problem is. The library does not print or exit. It stores
 * errors only in the caller's object.
 */
#ifndef RASTRUM_ERROR_H
#define RASTRUM_ERROR_H

#include <stddef.h>
#include <stdint.h>

#include <rastrum/export.h>

#ifdef __cplusplus
extern "C" {
#endif

enum rst_status {
	RST_OK = 0,		/* done; results are set */
	RST_END = 1,		/* nothing more to come */
	RST_MORE = 2,		/* between a dialect and its source only: give the next chunk of input */
	RST_E_NOMEM = -1,	/* memory ran out */
	RST_E_IO = -2,		/* the system refused to open, read or write */
	RST_E_USAGE = -3,	/* an option or argument cannot be used */
	RST_E_DAMAGED = -4,	/* the input is not what it claims to be */
	RST_E_UNKNOWN = -5,	/* no dialect recognises the input */
	RST_E_UNSUPPORTED = -6, /* understood, but not built in */
};

#define RST_NO_OFFSET UINT64_MAX

struct rst_error {
	enum rst_status status;
	uint64_t offset;  /* first bad byte of the input, or RST_NO_OFFSET */
	char source[128]; /* name of the input, or "" */
	char what[224];	  /* what is wrong, one clause without a full stop */
	char advice[160]; /* what to try, one clause, or "" */
};

/*
 * Writes the whole error as one sentence, "SOURCE: byte OFFSET: WHAT; ADVICE", into text (always terminated,
 * cut to text_bytes when text_bytes > 0), with control bytes and broken UTF-8 as \xNN. Returns text. Any
 * thread.
 */
RST_PUBLIC const char *rst_error_text(const struct rst_error *err, char *text, size_t text_bytes);

#ifdef __cplusplus
}
#endif
#endif
