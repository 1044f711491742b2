/* SPDX-License-Identifier: MIT */
/*
 * Reads the bytes behind a path. A source is a mapped file, a pipe, a link or memory, with its wrappings
 * taken off. The first bytes identify a wrapping (gzip, zstd, Intel HEX, S-records, ASCII hex). Wrappings may
 * be nested four deep.
 *
 * A source hands over typed items, one per call, in the order in which they happened:
 *
 *	INPUT_BYTES … INPUT_PAUSE  INPUT_BYTES  INPUT_LOSS  INPUT_BYTES … INPUT_DAMAGE  INPUT_BYTES … INPUT_END
 *
 * The source reports a broken part of a wrapping as damage, in front of the bytes with which it found it; it
 * still gives whatever it could unwrap. Only this room uses the word "live". For a link whose bytes are not
 * wrapped:
 *
 *	INPUT_PAUSE	the link has been silent for SOURCE_PAUSE_MS; reported once, until bytes come again.
 *	INPUT_LOSS	bytes are missing here, because the link was lost or a sender dropped them.
 *	the front	the caller looks at it repeatedly, since it may never reach 64 KiB: source_look()
 *
 * A reader above this room treats a file, a pipe and a serial line alike.
 *
 * Known limit: if another program shortens a file while it is mapped, the system raises SIGBUS, as everywhere
 * with mmap (the program ends with that message). Give such a file on standard input, which the source reads
 * and does not map.
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
	SOURCE_CHUNK_BYTES = 64 * 1024, /* the longest run of bytes that were read or unwrapped */
	SOURCE_FAULTS_MAX = 64,		/* the source only counts later damage of wrappings */
	SOURCE_PAUSE_MS = 200,
};

/*
 * The most bytes of one run that the source keeps in memory: a few hundred bytes of zstd can unpack to any
 * number. A mapped file takes no such memory, so it has no limit.
 */
#define SOURCE_WHOLE_MAX ((size_t)LIMIT(256 << 10, 96) << 10)

/* --- opening -------------------------------------------------------------------------------------------- */

/*
 * Opens a path; "-" is standard input. Returns RST_E_IO with the system's reason if the path cannot be
 * opened.
 */
enum rst_status source_open(struct source **ret_source, const char *path, struct rst_error *err);

/* Opens memory, which is borrowed until source_free(). */
enum rst_status source_open_bytes(struct source **ret_source, const void *bytes, size_t n_bytes,
	const char *name, struct rst_error *err);

/* Opens a link. Copies *live, and borrows its context and name until source_free(). */
enum rst_status source_open_live(
	struct source **ret_source, const struct live_input *live, struct rst_error *err);

/* Accepts NULL. Returns NULL. */
struct source *source_free(struct source *source);

/*
 * Rates how surely bytes are a trace, from 0 (no) to 100, as dialects do. A dump that was printed by words
 * has two possible orders of bytes; the source takes the one with the higher score.
 */
struct source_judge {
	unsigned (*score)(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole);
	const void *context;
};

/*
 * Call it before anything else. Without a judge, the source takes words in the order that is usual for their
 * tool.
 */
void source_set_judge(struct source *source, const struct source_judge *judge);

/*
 * Takes the bytes as they are, without looking for a wrapping. Call it before anything else, for a file whose
 * kind is known from elsewhere.
 */
void source_take_bare(struct source *source);

/* --- the front ------------------------------------------------------------------------------------------ */

/* The bytes at the front, up to 64 KiB. Dialects are recognised by them. */
struct source_front {
	const uint8_t *bytes; /* borrowed until the next call for this source */
	size_t n_bytes;
	bool is_whole;	/* nothing follows them */
	bool is_middle; /* earlier bytes were given up, so the beginning is missing */
};

/*
 * Shows the front and consumes nothing. Call it before source_next(). For a pipe, it waits until 64 KiB have
 * come or the pipe ends. For a link, it returns at a pause, or as soon as the front has grown enough. Once it
 * has shown 64 KiB of a link, it gives up the oldest bytes, and the front slides on. So the caller looks
 * until a dialect recognises the front. Returns RST_END if the look before was the last one; *ret stays as it
 * was.
 */
enum rst_status source_look(struct source *source, struct source_front *ret, struct rst_error *err);

/*
 * Undoes a transfer in text mode (text_mode.h): takes its CRs out from now on, and shows the front again.
 * Call it after source_look() and before source_next(), and never for an endless link. Returns RST_END if
 * there are too many wrappings already.
 */
enum rst_status source_undo_text_mode(struct source *source, struct source_front *ret, struct rst_error *err);

/* --- items ---------------------------------------------------------------------------------------------- */

enum input_kind {
	INPUT_BYTES,
	INPUT_PAUSE,
	INPUT_LOSS,
	INPUT_DAMAGE,
	INPUT_END, /* also in each later call */
};

struct input_item {
	enum input_kind kind;
	/*
	 * INPUT_BYTES: borrowed until the next call, or until source_free() if is_whole. A whole may be
	 * empty.
	 */
	const uint8_t *bytes;
	bool is_whole;	  /* they are all that the source has */
	size_t n_bytes;	  /* INPUT_DAMAGE: the number of useless bytes; 0 if none or unknown */
	uint64_t offset;  /* of the first byte, after unwrapping; INPUT_DAMAGE: as `what` states */
	const char *what; /* INPUT_LOSS, INPUT_DAMAGE: a clause that lives as long as the source */
	uint64_t n_more;  /* INPUT_END: the number of damages only counted; 0 in each later call */
};

/* How the caller wants the bytes of a source. Pass the same manner in each call. */
enum input_manner {
	INPUT_AS_IT_COMES,
	INPUT_FILES_WHOLE, /* a file in one run, up to the limit; all other bytes as they come */
	INPUT_WHOLE, /* all in one run; bytes beyond the limit or beyond memory are left out, as damage */
};

/*
 * Gives the next item. A whole run is the mapping if there is one; otherwise source_next() gathers it in
 * memory, up to SOURCE_WHOLE_MAX. Returns RST_OK, RST_E_IO, or RST_E_NOMEM if there was no memory for any
 * byte; the caller may try again.
 */
enum rst_status source_next(
	struct source *source, enum input_manner manner, struct input_item *ret, struct rst_error *err);

/* --- facts about a source ------------------------------------------------------------------------------- */

struct source_about {
	const char *name; /* the path as given, "standard input", or what was given to source_open_bytes() */
	/*
	 * Those taken off, outermost first ("gzip, Intel HEX"); "" if the source is not wrapped. Known after
	 * the first look.
	 */
	const char *wrappings;
	uint64_t n_file; /* bytes of the file as given; 0 if it has no size (a pipe) */
	uint64_t n_read; /* bytes read of it so far; packed bytes if it is packed */
	bool is_endless; /* a link without an end; never wrapped, never complete */
	bool is_growing; /* a file that is followed; its recording says where it ends */
};

struct source_about source_about(const struct source *source);

/* A file whose bytes are handed over as they are: it is mapped and has no wrappings. */
struct source_file {
	const uint8_t *bytes; /* valid until source_free() */
	size_t n_bytes;
	struct stat about; /* its state when it was opened */
};

/* Returns false if the source is not a mapped file, or has wrappings. Call it after the first look. */
bool source_file(const struct source *source, struct source_file *ret);

/*
 * Whether a change of the file would show in its times. Stores into a shared mapping do not set the times at
 * once, and on a file system in memory they never do. So it returns false on such a file system, and while
 * any process has the file open for writing. The system does not report the writers of another user's file;
 * such a file counts as quiet.
 */
bool source_file_is_quiet(const struct source *source);

/*
 * Keeps the system from reading ahead, because the caller will read the mapped file in parts. Without this
 * call, the system reads nothing ahead before source_next(), and everything from then on. It is no error if
 * the system ignores the advice.
 */
void source_read_parts(struct source *source);

/*
 * Advise the system about bytes of a mapped file: they will be read from begin to end, or they are needed
 * next.
 */
void source_read_ahead(const uint8_t *bytes, size_t n_bytes);
void source_fetch(const uint8_t *bytes, size_t n_bytes);

/* --- a small file, such as one of settings -------------------------------------------------------------- */

/*
 * Opens a path and hands over all its bytes, up to n_max: *ret_bytes is INPUT_BYTES and stays valid until
 * source_free().
 * *ret_fault is the first damage; its kind is INPUT_END for an intact file. On failure nothing stays open.
 */
enum rst_status source_open_whole(struct source **ret_source, const char *path, size_t n_max,
	struct input_item *ret_bytes, struct input_item *ret_fault, struct rst_error *err);

#endif
