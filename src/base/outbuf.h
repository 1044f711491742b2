/* SPDX-License-Identifier: MIT */
/*
 * Output in large blocks. A writer reserves room once for a whole line, then stores at `at` without further checks:
 *
 *      start          at                    end
 *      |== text ======|.... room ............|      written out when a reservation does not fit
 *
 * The first failed write is remembered in error; later output is dropped, so callers check once, at the end.
 * With fd OUTBUF_MEMORY nothing is written and the buffer grows: the text is between start and at.
 */
#ifndef BASE_OUTBUF_H
#define BASE_OUTBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

enum { OUTBUF_MEMORY = -1, OUTBUF_BYTES = 256 * 1024 };

struct outbuf {
	char *start;
	char *at;
	char *end;
	int fd;
	int error;	    /* errno of the first failure, ENOMEM included; 0: none */
	uint64_t n_written; /* bytes handed to the system so far */
};

/* false when memory ran out. The descriptor stays the caller's. */
bool outbuf_init(struct outbuf *out, int fd);

/* Frees the buffer; does not flush. */
void outbuf_done(struct outbuf *out);

/* Writes everything out. false when this or an earlier write failed. */
bool outbuf_flush(struct outbuf *out);

bool outbuf_reserve_slow(struct outbuf *out, size_t n_bytes);

/* Room for n_bytes at out->at. false when there cannot be any: the line must be left out. */
static inline bool outbuf_reserve(struct outbuf *out, size_t n_bytes)
{
	check(out->start <= out->at && out->at <= out->end);
	if (__builtin_expect((size_t)(out->end - out->at) >= n_bytes, 1))
		return true;
	return outbuf_reserve_slow(out, n_bytes);
}

/*
 * More room in the middle of a line: nothing is written out, so what stands between start and at stays together,
 * though it may move. false when memory ran out, which is remembered in error; the text is as before.
 */
bool outbuf_extend(struct outbuf *out, size_t n_bytes);

/*
 * Behind what `out` has, writes all of a buffer in memory, which is empty then; what could not be had for want of memory there is an
 * error here. false when this or an earlier write failed.
 */
bool outbuf_pass(struct outbuf *out, struct outbuf *memory);

/* For output that is not hot. */
void outbuf_puts(struct outbuf *out, const char *text);
void outbuf_printf(struct outbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void outbuf_xml(struct outbuf *out, const char *text, size_t n_bytes); /* see text_put_xml() */
void outbuf_clean(
	struct outbuf *out, const char *text); /* what cannot be shown becomes \\xNN, see text_clean() */
void outbuf_json(struct outbuf *out, const char *text); /* a JSON string, or null for NULL */

#endif
