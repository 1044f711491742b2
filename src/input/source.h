/* SPDX-License-Identifier: MIT */
/*
 * Where bytes come from: a mapped file, a pipe or memory, with its wrappings taken off. A wrapping (gzip, zstd,
 * Intel HEX, S-records, ASCII hex) is recognised by its first bytes, and wrappings may be nested, four deep.
 *
 * A source gives chunks: the whole file at once when it is mapped and unwrapped, else chunks as they come, so a
 * file, a pipe and a serial line look alike. What is broken in a wrapping is noted as a fault, and what could be
 * unwrapped is still given.
 *
 * Known limit: a file that another program shortens while it is mapped raises SIGBUS, as everywhere with mmap
 * (the program ends with that message); give such a file on standard input, which is read.
 */
#ifndef INPUT_SOURCE_H
#define INPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/limit.h"

struct source;
struct live_input;

struct source_fault {
	uint64_t offset;  /* in the file as given; for an inner wrapping in its own bytes, as `what` states */
	uint64_t n_bytes; /* how many bytes there are of no use; 0: none or not known */
	char what[128];
};

/*
 * Rates how surely bytes are a trace, 0 (no) to 100, as dialects do. A dump that was printed by words has two orders of
 * bytes; the one is taken that is surer.
 */
struct source_judge {
	unsigned (*score)(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole);
	const void *context;
};

enum {
	SOURCE_CHUNK_BYTES = 64 * 1024, /* chunks that are read or unwrapped are no longer than this */
	SOURCE_FAULTS_MAX = 64,		/* later faults are counted, not kept */
};

/*
 * Most bytes that source_whole() keeps in memory: a few hundred bytes of zstd are enough for any number. A mapped file is
 * not in memory and has no limit.
 */
#define SOURCE_WHOLE_MAX ((size_t)LIMIT(256 << 10, 96) << 10)

/* Opens a path, "-" for standard input. RST_E_IO with the system's reason. */
enum rst_status source_open(struct source **ret_source, const char *path, struct rst_error *err);

/* The same over memory, which is borrowed until source_free(). */
enum rst_status source_open_bytes(struct source **ret_source, const void *bytes, size_t n_bytes,
	const char *name, struct rst_error *err);

/* The same over a link; the input is copied, its context and name are borrowed until source_free(). */
enum rst_status source_open_live(
	struct source **ret_source, const struct live_input *live, struct rst_error *err);

/* NULL is fine; returns NULL. */
struct source *source_free(struct source *source);

/* Before anything else. Without it words are taken in the order that is usual for their tool. */
void source_set_judge(struct source *source, const struct source_judge *judge);

/*
 * The bytes at the front without consuming them, as many as there are up to 64 KiB: what dialects are recognised by.
 * *ret_is_whole: there is nothing behind them. Borrowed until the next call. A pipe is waited for until it
 * has given 64 KiB or ended, as also by the first call of the two below; what source_open_live() opened, never.
 */
enum rst_status source_peek(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_whole, struct rst_error *err);

/*
 * The next chunk, borrowed until the next call. RST_END when there is no more. RST_MORE: there is none, but something is
 * missing here; source_missing() has the reason.
 */
enum rst_status source_next(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err);

/*
 * All the bytes in one run, borrowed until source_free(): the mapping where there is one, else gathered in memory
 * up to SOURCE_WHOLE_MAX or as far as memory lasts: beyond it is a fault and the rest is left out. RST_E_NOMEM when
 * there was no memory for anything. In place of source_next(), which has nothing more to give afterwards; a further
 * call gives the same run.
 */
enum rst_status source_whole(
	struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, struct rst_error *err);

/* Before source_whole(): another number in place of SOURCE_WHOLE_MAX, for files of settings. */
void source_set_max(struct source *source, size_t n_bytes);

/*
 * The same, but what is beyond SOURCE_WHOLE_MAX is no fault: *ret_is_all is false, and source_next() goes on behind it.
 */
enum rst_status source_most(struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes,
	bool *ret_is_all, struct rst_error *err);

/* The link that it reads, or NULL. */
const struct live_input *source_live(const struct source *source);

/* Of a link, before anything is taken: adds what comes within wait_ms to the front, which has room for 64 KiB. */
enum rst_status source_await(struct source *source, int wait_ms, struct rst_error *err);

/*
 * Of a link that is not wrapped, between chunks: waits for the next one. *ret_is_pause: wait_ms went by without any. The last
 * chunk is gone.
 */
enum rst_status source_pause(struct source *source, int wait_ms, bool *ret_is_pause, struct rst_error *err);

/* What RST_MORE was about: a clause that lives as long as the link's input. */
const char *source_missing(const struct source *source);

/* Of a link, before anything is taken: gives up the first n_bytes of the front, which no dialect knows. */
void source_drop(struct source *source, size_t n_bytes);

/* How many bytes were given up. Once it is known that there will not be more, they are a fault. */
uint64_t source_dropped(const struct source *source);
void source_note_dropped(struct source *source);

/* The front as it is now, as source_peek() gives it, but without waiting or taking anything off. */
void source_front(
	const struct source *source, const uint8_t **ret_bytes, size_t *ret_n_bytes, bool *ret_is_whole);

/* Whether the front as it is now would be unwrapped. */
bool source_is_wrapped(const struct source *source);

/* true: the input is a file or memory, which has an end that does not move; false: a pipe, a device, a link. */
bool source_is_file(const struct source *source);

/* The path as given, "standard input", or the name given to source_open_bytes(). */
const char *source_name(const struct source *source);

/* The wrappings taken off, outermost first, "gzip, Intel HEX"; "" for none. Known after the first peek. */
const char *source_wrappings(const struct source *source);

/* How far into the file as given the outermost reader is: packed bytes, where it is packed. */
uint64_t source_position(const struct source *source);

/* Bytes of the file as given; 0 when it has no size (a pipe). */
uint64_t source_file_bytes(const struct source *source);

/* Faults so far; *ret_n_all counts also those that were not kept. */
const struct source_fault *source_faults(
	const struct source *source, size_t *ret_n_kept, uint64_t *ret_n_all);

#endif
