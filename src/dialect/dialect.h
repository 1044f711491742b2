/* SPDX-License-Identifier: MIT */
/*
 * The contract of a dialect: one const struct, one row in registry.c. Bytes go in by chunks, batches of events come
 * out, everything else that is known goes into the model. A reader never trusts a byte.
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "dialect/chunk.h"
#include "input/set.h"
#include "input/source.h"
#include "model/hook.h"
#include "model/model.h"
#include "model/passed.h"
#include "model/row.h"

struct symbol_names;

/* A setting of a dialect, given as --opt key=value. */
struct dialect_option {
	const char *key;    /* NULL ends the list */
	const char *values; /* "N", "up|down", "FILE": as help shows it */
	const char *what;   /* one line */
};

enum { DIALECT_PLACE_MAX = 512 };

enum dialect_chunks {
	CHUNKS_AS_THEY_COME, /* a stream; with look(), files come whole */
	CHUNKS_WHOLE,	     /* a memory dump, which makes no sense in parts */
};

/* Rows between two moments, both included, and of all events only so many at the end: those of one of both are what is wanted. */
struct dialect_window {
	uint64_t from, to; /* ticks */
	uint64_t n_last;   /* UINT64_MAX: all */
};

struct dialect {
	const char *name;		      /* as --dialect takes it */
	const char *summary;		      /* one line for people */
	const struct dialect_option *options; /* never NULL, may be empty */

	/*
	 * CHUNKS_WHOLE: each chunk is one whole input, whose bytes stay until close(); the dialect uses all of it. Then an
	 * empty chunk with CHUNK_ENDS.
	 *
	 * CHUNKS_AS_THEY_COME: bytes stay until the batch whose rows point into them has been used, because RST_MORE with rows
	 * in the batch lets these out first. What read() leaves at RST_MORE is shown again, with more bytes or with the news
	 * that there are none for now, in this input, or at all (chunk.h). With CHUNK_ENDS it uses what there is.
	 */
	enum dialect_chunks chunks;

	/* Which of the columns that may be absent its rows have: BATCH_CORE and so on. */
	unsigned columns;

	/* Bytes of batch_scratch() that it uses; 0: none. */
	size_t scratch_bytes;

	/* Size of the state, which is zeroed before open(). */
	size_t state_bytes;

	/* How surely these first bytes are of this dialect: 0 (no) to 100 (certain). Looks, never consumes. */
	unsigned (*probe)(const uint8_t *bytes, size_t n_bytes, bool is_whole);

	/*
	 * Of a dump that is there as a whole: how many bytes it is longer or shorter than its header says, as
	 * far as that would be an entry. UINT64_MAX: the header does not say it. Returns NULL if nothing
	 * does, or what is wrong with a recording shows as damage.
	 */
	uint64_t (*misfit)(const uint8_t *bytes, size_t n_bytes);

	/*
	 * Of a container: the name of the dialect of the trace in it, by its first bytes; NULL if it is not
	 * known. Returns NULL if it is none.
	 */
	const char *(*recorded_as)(const uint8_t *bytes, size_t n_bytes);

	/*
	 * For a dialect whose addresses are those of processes, so that it must know what lies where in them:
	 * the programs that the user gave, borrowed until close(), before open(). NULL: an address
	 * is what it is in the program's file.
	 */
	void (*take_symbols)(void *state, struct symbol_names *names);

	/* Whether fields have the byte order of the machine that was recorded; otherwise it is not known. */
	bool has_machine_order;

	/*
	 * How surely the files of a directory are one recording, 0 to 100, by their names and by the front of
	 * the first one; then each is an input of its own, in the order of the set. Returns NULL if they are
	 * if their names are those of parts (input_set_is_sequence()), as surely as probe() is of the first
	 * one.
	 */
	unsigned (*probe_set)(const struct input_set *set, const struct source_front *front);

	/* Takes the settings; keys have been checked against options. RST_E_USAGE with the reason for a bad value. */
	enum rst_status (*open)(
		void *state, struct model *model, const struct rst_open *how, struct rst_error *err);

	/*
	 * Looks ahead in a file that is there as a whole: chunk is all of it, and stays until close(). Called
	 * before anything of it is read, and not for inputs that come by and by. Returns NULL if it never
	 * does, and files come by and by, too.
	 */
	enum rst_status (*look)(
		void *state, struct model *model, const struct chunk *whole, struct rst_error *err);

	/*
	 * Reads on, from chunk->n_used. Returns RST_OK if the batch has rows. RST_MORE: what is left cannot
	 * be read without what is behind it. RST_END: all is read, after CHUNK_ENDS only. RST_E_DAMAGED:
	 * nothing can be read at all, and why; damage with something beyond it is a model_put_gap() instead.
	 * The batch may hold marker rows already; rows go behind them.
	 */
	enum rst_status (*read)(void *state, struct model *model, struct chunk *chunk, struct batch *batch,
		struct rst_error *err);

	/*
	 * Whether the recording has marked its end, so that a file that grows and is quiet for 200 ms need
	 * not be waited for any longer. Returns NULL if no recording of this dialect has such a mark.
	 */
	bool (*is_finished)(const void *state);

	/*
	 * How much of a file that is there as a whole has become rows, from 0 to 1; of CHUNKS_WHOLE, at the end: of all chunks.
	 * NULL: as much as is used.
	 */
	double (*share)(const void *state, const struct chunk *chunk);

	/*
	 * Places between two batches, so that a file need not be read from its begin for what lies far behind
	 * it. A place is place_bytes, at most DIALECT_PLACE_MAX, without pointers: it holds for any trace of
	 * the same input with the same settings. place_go() NULL: the begin. false if there is none yet. 0
	 * and NULL: such a dialect is read from its begin.
	 */
	size_t place_bytes;
	bool (*place_take)(const void *state, void *ret_place);
	bool (*place_go)(void *state, const void *place);

	/*
	 * Reading a part of a file that is there as a whole. survey(), before look(), or read() with
	 * CHUNKS_WHOLE, which will get the same chunk: the first event's ticks, from which a user may count;
	 * false if such a part cannot be read without the rest. Asked again it answers the same. narrow(),
	 * then: what is wanted of it; read() may then leave out all rows that change nothing in how these are
	 * shown. take_passed(): what was left out, as model/passed.h has it. NULL, all three: this dialect
	 * reads all.
	 */
	bool (*survey)(
		void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks);
	void (*narrow)(void *state, const struct dialect_window *window);
	const struct passed *(*take_passed)(void *state);

	/* Frees what the state owns (not the state); also after a failed open(). NULL: nothing to free. */
	void (*close)(void *state);

	/*
	 * Adds every event type that the dialect knows, with fields as its commonest layout has them, so that
	 * templates can be checked and described without a recording. One type of a family of numbered ones
	 * will do: NAME+0. false when memory ran out. Returns NULL if no event is known beforehand.
	 */
	bool (*catalogue)(struct model *model);

	/*
	 * The dialect whose templates entries with hook words read by, where that is another one; NULL if it
	 * has none of them.
	 */
	const char *hook_dialect;

	/*
	 * The hook of AIX's trace for events of a type, static; NULL if there is none. Returns NULL if no
	 * event has one.
	 */
	const struct hook *(*hook)(const struct rst_type *type);
};

/* All dialects; NULL ends the list. */
extern const struct dialect *const dialects[];

/* NULL when there is none of that name. */
const struct dialect *dialect_find(const char *name);

/* The hook of AIX's trace for events of a type of the dialect of that name; NULL if there is none. */
const struct hook *dialect_hook(const char *name, const struct rst_type *type);

/* The value of a setting, or NULL. The last one given wins. */
const char *dialect_setting(const struct rst_open *how, const char *key);

/* RST_E_USAGE, in the words of every bad setting: which, what it was, what would do. */
enum rst_status dialect_bad_setting(
	const struct dialect *dialect, const char *key, const char *value, struct rst_error *err);

#endif
