/* SPDX-License-Identifier: MIT */
/*
 * From a path to bytes. A source is a mapped file, a pipe, a link or memory, with its wrappings taken off. A wrapping
 * (gzip, zstd, Intel HEX, S-records, ASCII hex) is recognised by its first bytes, and wrappings may be nested, four deep.
 *
 * A source hands over typed items, one a call, in the order in which they happened:
 *
 *	INPUT_BYTES … INPUT_PAUSE  INPUT_BYTES  INPUT_LOSS  INPUT_BYTES … INPUT_DAMAGE  INPUT_BYTES … INPUT_END
 *
 * What is broken in a wrapping is damage in front of the bytes with which it was found; what could be unwrapped is still
 * given. "Live" is a word of this room only. Of a link whose bytes are not wrapped:
 *
 *	INPUT_PAUSE	it has been silent for SOURCE_PAUSE_MS; once, until there are bytes again
 *	INPUT_LOSS	bytes are missing here, because the link was lost or a sender has dropped them
 *	the front	is looked at again and again, since it may never be 64 KiB long: source_look()
 *
 * A reader above this room treats a file, a pipe and a serial line alike.
 *
 * Known limit: a file that another program shortens while it is mapped raises SIGBUS, as everywhere with mmap
 * (the program ends with that message); give such a file on standard input, which is read.
 */
#ifndef INPUT_SOURCE_H
#define INPUT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limit.h"

struct source;
struct live_input;

enum {
	SOURCE_CHUNK_BYTES =
		64 * 1024,	/* bytes that are read or unwrapped are handed over in runs up to this */
	SOURCE_FAULTS_MAX = 64, /* later damage of wrappings is counted, not handed over */
	SOURCE_PAUSE_MS = 200,
};

/*
 * Most bytes of one run that are kept in memory: a few hundred bytes of zstd are enough for any number. A mapped file is
 * not in memory and has no limit.
 */
#define SOURCE_WHOLE_MAX ((size_t)LIMIT(256 << 10, 96) << 10)

/* --- opening ------------------------------------------------------------------------------------------------- */

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

/*
 * Rates how surely bytes are a trace, 0 (no) to 100, as dialects do. A dump that was printed by words has two orders of
 * bytes; the one is taken that is surer.
 */
struct source_judge {
	unsigned (*score)(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole);
	const void *context;
};

/* Before anything else. Without it words are taken in the order that is usual for their tool. */
void source_set_judge(struct source *source, const struct source_judge *judge);

/* --- the front ----------------------------------------------------------------------------------------------- */

/* The bytes at the front, as many as there are up to 64 KiB: what dialects are recognised by. */
struct source_front {
	const uint8_t *bytes; /* borrowed until the next call for this source */
	size_t n_bytes;
	bool is_whole;	/* there is nothing behind them */
	bool is_middle; /* bytes in front of them were given up: what begins at the beginning is not there */
};

/*
 * Shows the front and consumes nothing; before source_next(). A pipe is waited for until it has given 64 KiB
 * or ended. A link is shown at a pause, or as soon as it has grown enough to be worth it; and when 64 KiB of
 * it were shown, the oldest bytes are given up, and the look slides on. So the caller looks until a dialect
 * recognises what it sees. Returns RST_END if that was the last look; *ret stays as it was.
 */
enum rst_status source_look(struct source *source, struct source_front *ret, struct rst_error *err);

/*
 * The bytes have come by a transfer in text mode (text_mode.h): takes its CRs out from now on, and shows the
 * front again. After a look, and before source_next(); not for a link without end. Returns RST_END if there
 * are too many wrappings already.
 */
enum rst_status source_undo_text_mode(struct source *source, struct source_front *ret, struct rst_error *err);

/* --- items --------------------------------------------------------------------------------------------------- */

enum input_kind {
	INPUT_BYTES,
	INPUT_PAUSE,
	INPUT_LOSS,
	INPUT_DAMAGE,
	INPUT_END, /* also each further time */
};

struct input_item {
	enum input_kind kind;
	/* INPUT_BYTES: borrowed until the next call; with is_whole until source_free(). There may be none in a whole. */
	const uint8_t *bytes;
	bool is_whole;	  /* they are all that the source has */
	size_t n_bytes;	  /* of INPUT_DAMAGE: how many are of no use; 0: none or not known */
	uint64_t offset;  /* of the first byte in what was unwrapped; of INPUT_DAMAGE as `what` states */
	const char *what; /* INPUT_LOSS, INPUT_DAMAGE: a clause that lives as long as the source */
	uint64_t n_more;  /* INPUT_END: how much damage was only counted; 0 each further time */
};

/* How the bytes of a source are wanted; the same in each call. */
enum input_manner {
	INPUT_AS_IT_COMES,
	INPUT_FILES_WHOLE, /* a file in one run, as far as it may be; then, and anything else, as it comes */
	INPUT_WHOLE, /* everything in one run. What is beyond the limit, or beyond memory, is damage and left out */
};

/*
 * The next item. A whole run is the mapping where there is one, else it is gathered in memory up to SOURCE_WHOLE_MAX.
 * RST_OK; RST_E_IO; RST_E_NOMEM when there was no memory for anything: it may be tried again.
 */
enum rst_status source_next(
	struct source *source, enum input_manner manner, struct input_item *ret, struct rst_error *err);

/* --- what is known of it ------------------------------------------------------------------------------------- */

struct source_about {
	const char *name; /* the path as given, "standard input", or what was given to source_open_bytes() */
	const char *
		wrappings; /* taken off, outermost first, "gzip, Intel HEX"; "" for none. Known after the first look */
	uint64_t n_file; /* bytes of the file as given; 0 when it has no size (a pipe) */
	uint64_t n_read; /* how far into it reading is: packed bytes, where it is packed */
	bool is_endless; /* a link without an end, which is never wrapped and never there as a whole */
	bool is_growing; /* a file that is followed: it ends where its recording says so */
};

struct source_about source_about(const struct source *source);

/* A file whose bytes are given out as they are: mapped, and without wrappings. */
struct source_file {
	const uint8_t *bytes; /* until source_free() */
	size_t n_bytes;
	struct stat about; /* when it was opened */
};

/* Returns false if it is none. After the first look. */
bool source_file(const struct source *source, struct source_file *ret);

/*
 * Whether a change of the file would show in its times. Stores into a shared mapping do not set them at once, and on a file system in
 * memory never; so false there, and while any process has the file open for writing. A file of another user cannot be asked about
 * its writers and counts as quiet.
 */
bool source_file_is_quiet(const struct source *source);

/*
 * Of a mapped file the system reads nothing ahead until source_next(), and afterwards all. This one will be read in parts, so
 * that nothing is read ahead then, either. What the system does not do is no error.
 */
void source_read_parts(struct source *source);

/* Of a mapped file's bytes: these will be read from begin to end; these will be looked at next. */
void source_read_ahead(const uint8_t *bytes, size_t n_bytes);
void source_fetch(const uint8_t *bytes, size_t n_bytes);

/* --- a small file, such as one of settings --------------------------------------------------------------------- */

/*
 * Opens it and hands over all of it, up to n_max bytes: ret_bytes is of kind INPUT_BYTES and stays until source_free().
 * *ret_fault: the first damage; of another kind where there is none. On failure nothing is open.
 */
enum rst_status source_open_whole(struct source **ret_source, const char *path, size_t n_max,
	struct input_item *ret_bytes, struct input_item *ret_fault, struct rst_error *err);

#endif
