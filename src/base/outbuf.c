/* SPDX-License-Identifier: MIT */
#include "base/outbuf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/check.h"
#include "base/text.h"

bool outbuf_init(struct outbuf *out, int fd)
{
	char *start = malloc(OUTBUF_BYTES);

	*out = (struct outbuf){ .start = start, .at = start, .fd = fd };
	if (!start)
		return false;
	out->end = start + OUTBUF_BYTES;
	return true;
}

void outbuf_done(struct outbuf *out)
{
	free(out->start);
	*out = (struct outbuf){ .fd = OUTBUF_MEMORY };
}

bool outbuf_flush(struct outbuf *out)
{
	const char *p = out->start;

	check(out->start <= out->at && out->at <= out->end);
	if (out->fd == OUTBUF_MEMORY)
		return !out->error;
	while (p < out->at && !out->error) {
		ssize_t n = write(out->fd, p, (size_t)(out->at - p));

		if (n > 0) {
			p += n;
			out->n_written += (uint64_t)n;
		} else if (n == 0 || errno != EINTR) {
			out->error = n ? errno : EIO;
		}
	}
	out->at = out->start;
	return !out->error;
}

bool outbuf_extend(struct outbuf *out, size_t n_bytes)
{
	size_t used = (size_t)(out->at - out->start), size = (size_t)(out->end - out->start);

	if (size - used >= n_bytes)
		return true;
	/* The size is 0 after outbuf_done(). A quarter of all addresses is more than any memory has. */
	while (size - used < n_bytes && size && n_bytes < SIZE_MAX / 4)
		size *= 2;
	char *grown = size - used >= n_bytes ? realloc(out->start, size) : NULL;

	if (!grown) {
		out->error = ENOMEM;
		return false;
	}
	out->start = grown;
	out->at = grown + used;
	out->end = grown + size;
	return true;
}

bool outbuf_reserve_slow(struct outbuf *out, size_t n_bytes)
{
	if (!out->start || out->error)
		return false;
	outbuf_flush(out);
	return !out->error && outbuf_extend(out, n_bytes);
}

bool outbuf_pass(struct outbuf *out, struct outbuf *memory)
{
	const size_t n_bytes = (size_t)(memory->at - memory->start);
	struct outbuf whole = *memory;

	if (!out->error)
		out->error = memory->error;
	memory->at = memory->start;
	if (out->fd == OUTBUF_MEMORY) {
		if (n_bytes && !out->error && outbuf_extend(out, n_bytes))
			out->at = text_put(out->at, whole.start, n_bytes);
		return !out->error;
	}
	if (!outbuf_flush(out))
		return false;
	whole.fd = out->fd;
	outbuf_flush(&whole);
	out->n_written += whole.n_written;
	out->error = whole.error;
	return !out->error;
}

void outbuf_puts(struct outbuf *out, const char *text)
{
	size_t n = strlen(text);

	if (outbuf_reserve(out, n))
		out->at = text_put(out->at, text, n);
}

void outbuf_printf(struct outbuf *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	int n = vsnprintf(NULL, 0, format, args);

	va_end(args);
	if (n < 0 || !outbuf_reserve(out, (size_t)n + 1))
		return;
	va_start(args, format);
	vsnprintf(out->at, (size_t)n + 1, format, args);
	va_end(args);
	out->at += n;
}

void outbuf_clean(struct outbuf *out, const char *text)
{
	size_t n = strlen(text);

	if (outbuf_reserve(out, 4 * n))
		out->at = text_clean(out->at, (const uint8_t *)text, n);
}

void outbuf_xml(struct outbuf *out, const char *text, size_t n_bytes)
{
	if (outbuf_reserve(out, 6 * n_bytes))
		out->at = text_put_xml(out->at, text, n_bytes);
}
