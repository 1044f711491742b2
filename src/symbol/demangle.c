/* SPDX-License-Identifier: MIT */
/*
 * Calls libiberty's demanglers, which return their text in parts. A short symbol may stand for an endless
 * text, because each part of it may refer to earlier parts twice. So longjmp() leaves the demangler after
 * TEXT_MAX_BYTES. The C++ demangler has all its memory on the stack; the Rust demangler may leak the memory
 * of one part. If the demangler finds an error before that limit, the symbol is no mangled name, whatever the
 * room for its text.
 */
#include "symbol/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

enum {
	SYMBOL_MAX_BYTES = 2048, /* for each byte, the demanglers put more than one on the stack */
	TEXT_MAX_BYTES = 16384
};

struct sink {
	char *name;
	size_t n, n_room;
	size_t n_text; /* with the parts that had no room */
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

/* Returns false if the symbol is no mangled name. */
static bool demangle(const char *symbol, struct sink *sink)
{
	if (setjmp(sink->full) != 0)
		return true;
	/* Older Rust symbols look like C++ symbols. */
	if (rust_demangle_callback(symbol, 0, put_part, sink))
		return true;
	sink->n = sink->n_text = 0;
	return cplus_demangle_v3_callback(symbol, DMGL_PARAMS | DMGL_ANSI, put_part, sink);
}

size_t symbol_demangle(const char *symbol, char *name, size_t n_room)
{
	struct sink sink = { .name = name, .n_room = n_room };
	const size_t n_symbol = strnlen(symbol, SYMBOL_MAX_BYTES + 1);
	/* All mangled names begin like this; the demanglers would take other names for types. */
	const bool is_mangled = symbol[0] == '_' && (symbol[1] == 'Z' || symbol[1] == 'R');

	if (!is_mangled || n_symbol > SYMBOL_MAX_BYTES || !demangle(symbol, &sink)) {
		sink.n = n_symbol < n_room ? n_symbol : n_room - 1;
		memcpy(name, symbol, sink.n);
	}
	name[sink.n] = '\0';
	return sink.n;
}
