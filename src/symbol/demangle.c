/* SPDX-License-Identifier: MIT */
/*
 * libiberty's demanglers, which hand out their text in parts. A short symbol may stand for a text without end: each part of
 * it may refer to earlier ones twice. So behind TEXT_MAX_BYTES longjmp() leaves them; the one of C++ has all its memory on
 * the stack, that of Rust may lose the memory of one part. A symbol that turns out to be wrong before that is no mangled
 * name, whatever the room for its text.
 */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum {
	SYMBOL_MAX_BYTES = 2048, /* the demanglers put more than that on the stack for each */
	TEXT_MAX_BYTES = 16384
};

struct sink {
	char *name;
	size_t n, n_room;
	size_t n_text; /* with what there was no room for */
	jmp_buf full;
};

static void put_part(const char *part, size_t n, void *opaque)
{
	struct sink *sink = opaque;
	const size_t n_left = sink->n_room - 1 - sink->n, n_put = n < n_left ? n : n_left;

	if (n_put) /* an empty part may be NULL */
		memcpy(sink->name + sink->n, part, n_put);
	sink->n += n_put;
	sink->n_text += n;
	if (sink->n_text > TEXT_MAX_BYTES)
		longjmp(sink->full, 1);
}

/* Returns false if it is no mangled name. */
static bool demangle(const char *symbol, struct sink *sink)
{
	if (setjmp(sink->full) != 0)
		return true;
	/* Older symbols of Rust look as those of C++ do. */
	if (rust_demangle_callback(symbol, 0, put_part, sink))
		return true;
	sink->n = sink->n_text = 0;
	return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI, put_part, sink);
}

size_t symbol_demangle(const char *symbol, char *name, size_t n_room)
{
	struct sink sink = { .name = name, .n_room = n_room };
	const size_t n_symbol = strnlen(symbol, SYMBOL_MAX_BYTES + 1);
	/* All mangled names begin so; the demanglers would take others for types. */
	const bool is_mangled = symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');

	if (!is_mangled || n_symbol > SYMBOL_MAX_BYTES || !demangle(symbol, &sink)) {
		sink.n = n_symbol < n_room ? n_symbol : n_room - 1;
		memcpy(name, symbol, sink.n);
	}
	name[sink.n] = '\0';
	return sink.n;
}
