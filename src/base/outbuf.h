/* SPDX-License-Identifier: MIT */
/*
 * Output in large blocks. A writer reserves room once for a whole line, then stores at `at` without further
 * checks:
 *
 *      start          at                    end
 *      |== text ======|.... room ............|      written out when a reservation does not fit
 *
 * The member error keeps the first failed write; later output is dropped, so callers check only once, at the
 * end. With fd OUTBUF_MEMORY nothing is written and the buffer grows: the text is between start and at.
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
	int error;	    /* errno of the first failure, also ENOMEM; 0 without failure */
	uint64_t n_written; /* bytes handed to the system so far */
};

/* Returns false if memory ran out. The descriptor still belongs to the caller. */
bool outbuf_init(struct outbuf *out, int fd);

/* Frees the buffer; does not flush. */
void outbuf_done(struct outbuf *out);

/* Writes everything out. Returns false if this or an earlier write failed. */
bool outbuf_flush(struct outbuf *out);

bool outbuf_reserve_slow(struct outbuf *out, size_t n_bytes);

/* Makes room for n_bytes at out->at. Returns false if that fails; the caller must then leave out the line. */
static inline bool outbuf_reserve(struct outbuf *out, size_t n_bytes)
{
	check(out->start <= out->at && out->at <= out->end);
	if (__builtin_expect((size_t)(out->end - out->at) >= n_bytes, 1))
		return true;
	return outbuf_reserve_slow(out, n_bytes);
}

/*
 * Makes more room in the middle of a line. It writes nothing out, so the text between start and at stays
 * together, though it may move. If memory ran out, returns false and sets error; the text is then unchanged.
 */
bool outbuf_extend(struct outbuf *out, size_t n_bytes);

/*
 * Appends all text of a buffer in memory to `out`, and empties that buffer. If memory ran out there, that is
 * an error of `out`. Returns false if this or an earlier write failed.
 */
bool outbuf_pass(struct outbuf *out, struct outbuf *memory);

/* These functions are for output that is not on a hot path. */
void outbuf_puts(struct outbuf *out, const char *text);
void outbuf_printf(struct outbuf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void outbuf_xml(struct outbuf *out, const char *text, size_t n_bytes); /* see text_put_xml() */
void outbuf_clean(
	struct outbuf *out, const char *text); /* what cannot be shown becomes \\xNN, see text_clean() */

#endif
