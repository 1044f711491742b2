/* SPDX-License-Identifier: MIT */
/*
 * The contract of a dialect: one const struct, one row in registry.c. A dialect reads chunks of bytes and
 * writes batches of events; it puts all other facts into the model. A reader never trusts a byte.
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

enum { DIALECT_PLACE_MAX = 512, DIALECT_NAME_ROOM = 16 };

enum dialect_chunks {
	CHUNKS_AS_THEY_COME, /* a stream; with look(), files come whole */
	CHUNKS_WHOLE,	     /* a memory dump, which makes no sense in parts */
};

/*
 * The rows that are wanted: those from `from` to `to`, both included, that are also among the last n_last
 * events.
 */
struct dialect_window {
	uint64_t from, to; /* ticks */
	uint64_t n_last;   /* UINT64_MAX: all */
};

/* The abilities that few dialects have. A pointer is NULL if the dialect lacks the ability. */
struct dialect_rare {
	/*
	 * Compares a complete dump with the length in its header: returns how many bytes it is longer or
	 * shorter, as far as that would be an entry. Returns UINT64_MAX if the header states no length. A
	 * dialect whose damage shows a wrong length does not have it.
	 */
	uint64_t (*misfit)(const uint8_t *bytes, size_t n_bytes);

	/*
	 * For a container: writes the name of the dialect that recorded the trace in it, which its first
	 * bytes have, or an empty name if there are too few bytes.
	 */
	void (*recorded_as)(const uint8_t *bytes, size_t n_bytes, char ret_name[DIALECT_NAME_ROOM]);

	/*
	 * For a dialect whose addresses belong to processes, so that it must know which module lies at which
	 * address: takes the user's programs, borrowed until close(). Called before open(). Without it, an
	 * address in the trace is the same as in the program's file.
	 */
	void (*take_symbols)(void *state, struct symbol_names *names);

	/*
	 * Whether the recording has marked its end, so that the reader need not wait any longer for a growing
	 * file that is quiet for 200 ms.
	 */
	bool (*is_finished)(const void *state);

	/*
	 * Places between two batches, so that a reader can go to a later part of a file without reading from
	 * its beginning. A place has at most DIALECT_PLACE_MAX bytes, and no pointers: it is valid in any
	 * trace of the same input with the same settings. place_go() with NULL goes to the beginning. Both
	 * return false if the trace has no place yet. A dialect without places is read from the beginning.
	 */
	bool (*place_take)(const void *state, void *ret_place);
	bool (*place_go)(void *state, const void *place);

	/*
	 * Reading a part of a complete file. survey() is called before look(), or before read() with
	 * CHUNKS_WHOLE, which will get the same chunk. It returns the ticks of the first event, from which a
	 * user may count, or false if a part cannot be read without the rest. A second call gives the same
	 * answer. narrow() follows and gives the window that is wanted. Then read() may leave out all rows
	 * that do not change how the wanted ones are shown. take_passed() returns what was left out
	 * (model/passed.h), and NULL if nothing was left out since the last call. A container has only
	 * take_passed(): its index says what is read.
	 */
	bool (*survey)(
		void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks);
	void (*narrow)(void *state, const struct dialect_window *window);
	const struct passed *(*take_passed)(void *state);

	/* The name of the other dialect whose templates describe entries with hook words. */
	const char *hook_dialect;

	/*
	 * It reads folders with metadata (input/set.h), and the files of all folders below as one recording:
	 * each file is a chunk. probe() gets the first file, which is one with the name metadata.
	 */
	bool reads_folders;

	/* Returns the hook of AIX's trace for events of a type, static, or NULL if the type has no hook. */
	const struct hook *(*hook)(const struct rst_type *type);
};

struct dialect {
	const char *name;		      /* as --dialect takes it */
	const char *summary;		      /* one line for people */
	const struct dialect_option *options; /* never NULL, may be empty */

	/*
	 * CHUNKS_WHOLE: each chunk is one whole input, whose bytes stay until close(); the dialect uses all
	 * of it. Then an empty chunk with CHUNK_ENDS.
	 *
	 * CHUNKS_AS_THEY_COME: bytes stay until the caller has used the batch whose rows point into them,
	 * because the caller gives out these rows first when read() returns RST_MORE. The bytes that read()
	 * leaves at RST_MORE come again, with more bytes, or with the news that no byte follows for now, in
	 * this input, or at all (chunk.h). With CHUNK_ENDS it uses all bytes that it has.
	 */
	enum dialect_chunks chunks;

	/* Which of the optional columns its rows have: BATCH_CORE and so on. */
	unsigned columns;

	/* Bytes of batch_scratch() that it uses; 0: none. */
	size_t scratch_bytes;

	/* Size of the state, which is zeroed before open(). */
	size_t state_bytes;

	/* How sure the dialect is that these first bytes are its own: 0 (no) to 100 (certain). */
	unsigned (*probe)(const uint8_t *bytes, size_t n_bytes, bool is_whole);

	/* Whether fields have the byte order of the recorded machine; if not, that order is not known. */
	bool has_machine_order;

	/*
	 * Takes the settings; their keys have been checked against options. Returns RST_E_USAGE with the
	 * reason for a bad value.
	 */
	enum rst_status (*open)(
		void *state, struct model *model, const struct rst_open *how, struct rst_error *err);

	/*
	 * Looks ahead in a complete file: chunk is the whole file, and stays until close(). Called before any
	 * byte of it is read, and not for inputs that come in pieces. The pointer is NULL if the dialect
	 * never looks ahead; then files come in pieces, too.
	 */
	enum rst_status (*look)(
		void *state, struct model *model, const struct chunk *whole, struct rst_error *err);

	/*
	 * Reads on, from chunk->n_used. Returns RST_OK if the batch has rows. Returns RST_MORE if it cannot
	 * read the bytes that are left without those behind them. Returns RST_END if all is read, after
	 * CHUNK_ENDS only. Returns RST_E_DAMAGED with the reason if it cannot read on at all; for damage with
	 * readable bytes behind it, it calls model_put_gap() instead. The batch may hold marker rows already;
	 * rows go behind them.
	 */
	enum rst_status (*read)(void *state, struct model *model, struct chunk *chunk, struct batch *batch,
		struct rst_error *err);

	/*
	 * How much of a complete file has become rows, from 0 to 1. With CHUNKS_WHOLE, at the end, it covers
	 * all chunks. The pointer is NULL if all used bytes have become rows.
	 */
	double (*share)(const void *state, const struct chunk *chunk);

	/*
	 * Frees what the state owns (not the state); also after a failed open(). NULL if nothing is to be
	 * freed.
	 */
	void (*close)(void *state);

	/*
	 * Adds every event type of the dialect, with the fields of its commonest layout, so that templates
	 * can be checked and described without a recording. NAME+0 stands for a whole family of numbered
	 * types. Returns false if memory ran out. The pointer is NULL if no event is known beforehand.
	 */
	bool (*catalogue)(struct model *model);

	const struct dialect_rare *rare; /* or NULL; read it by dialect_rare() */
};

/* Returns the rare abilities of the dialect; never NULL. */
static inline const struct dialect_rare *dialect_rare(const struct dialect *dialect)
{
	static const struct dialect_rare nothing = { 0 };

	return dialect->rare ? dialect->rare : &nothing;
}

/* All dialects; NULL ends the list. */
extern const struct dialect *const dialects[];

/* Returns NULL if no dialect has that name. */
const struct dialect *dialect_find(const char *name);

/* Returns the hook of AIX's trace for a type of the named dialect, or NULL if the type has no hook. */
const struct hook *dialect_hook(const char *name, const struct rst_type *type);

/* The value of a setting, or NULL. The last one given wins. */
const char *dialect_setting(const struct rst_open *how, const char *key);

/* Returns RST_E_USAGE with the usual words for a bad setting: its key, its value, and the possible values. */
enum rst_status dialect_bad_setting(
	const struct dialect *dialect, const char *key, const char *value, struct rst_error *err);

#endif
