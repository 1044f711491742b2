/* SPDX-License-Identifier: MIT */
/*
 * The contract of a dialect: one const struct, one row in registry.c. Bytes go in by chunks, batches of events come
 * out, everything else that is known goes into the model. A reader never trusts a byte.
 */
#ifndef DIALECT_DIALECT_H
#define DIALECT_DIALECT_H

#include "model/model.h"

struct symbol_names;

/* A setting of a dialect, given as --opt key=value. */
struct dialect_option {
	const char *key;    /* NULL ends the list */
	const char *values; /* "N", "up|down", "FILE": as help shows it */
	const char *what;   /* one line */
};

/*
 * A run of input. A dialect whose batch is full before the chunk is used up gets the same chunk again; a frame that
 * goes on in the next chunk is kept in the dialect's state.
 */
struct chunk {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t offset;    /* of bytes[0] in its input */
	const char *source; /* name of the input, for messages */
	size_t n_used;	    /* the dialect's own: 0 for a new chunk, then as the dialect leaves it */
	bool is_end;	    /* nothing comes after this chunk (which may be empty) */
	bool is_whole;	    /* it is all of its input */
	bool is_pause;	    /* it is empty: a link is silent for now, and the dialect keeps something back */
};

enum dialect_chunks {
	CHUNKS_AS_THEY_COME, /* a stream */
	CHUNKS_WHOLE,	     /* a memory dump, which makes no sense in parts */
	CHUNKS_WHOLE_FILES, /* a stream that knows more (names that come late) when it can look ahead: files whole, others not */
};

struct dialect {
	const char *name;		      /* as --dialect takes it */
	const char *summary;		      /* one line for people */
	const struct dialect_option *options; /* never NULL, may be empty */

	/*
	 * Whether each chunk is one whole input, whose bytes stay until close(), with an empty chunk with is_end behind the
	 * last; or chunks come as they are there, and their bytes stay until the batch whose rows point into them has been
	 * used, because RST_MORE with rows in the batch lets these out first.
	 */
	enum dialect_chunks chunks;

	/* Bytes of batch_scratch() that it uses; 0: none. */
	size_t scratch_bytes;

	/* Size of the state, which is zeroed before open(). */
	size_t state_bytes;

	/* How surely these first bytes are of this dialect: 0 (no) to 100 (certain). Looks, never consumes. */
	unsigned (*probe)(const uint8_t *bytes, size_t n_bytes, bool is_whole);

	/*
	 * For a dialect whose addresses are those of processes, so that it must know what lies where in them: the programs that
	 * the user gave, borrowed until close(), before open(). NULL: an address is what it is in the program's file.
	 */
	void (*take_symbols)(void *state, const struct symbol_names *names);

	/* Whether fields have the byte order of the machine that was recorded; otherwise it is not known. */
	bool has_machine_order;

	/* Takes the settings; keys have been checked against options. RST_E_USAGE with the reason for a bad value. */
	enum rst_status (*open)(
		void *state, struct model *model, const struct rst_open *how, struct rst_error *err);

	/*
	 * Reads on. RST_OK: the batch has rows. RST_MORE: the chunk is used up. RST_END: all is read.
	 * RST_E_DAMAGED: nothing can be read at all, and why; damage with something beyond it is a marker row and a
	 * model_gap() instead. The batch may hold marker rows already; rows go behind them.
	 */
	enum rst_status (*read)(void *state, struct model *model, struct chunk *chunk, struct batch *batch,
		struct rst_error *err);

	/*
	 * Whether it keeps bytes back that would be rows by now, until more come: then a link that is silent for 200 ms gives
	 * an empty chunk with is_pause. NULL: it never does.
	 */
	bool (*keeps_back)(const void *state);

	/*
	 * Whether the recording has marked its end, so that a file that grows and is quiet for 200 ms need not be waited for any
	 * longer. NULL: no recording of this dialect has such a mark.
	 */
	bool (*is_finished)(const void *state);

	/*
	 * How much of the present chunk has become rows, from 0 to 1; of CHUNKS_WHOLE, at the end: of all chunks. NULL: as much
	 * as n_used counts.
	 */
	double (*share)(const void *state, const struct chunk *chunk);

	/* Frees what the state owns (not the state); also after a failed open(). NULL: nothing to free. */
	void (*close)(void *state);

	/*
	 * Adds every event type that the dialect knows, with fields as its commonest layout has them, so that templates
	 * can be checked and described without a recording. One type of a family of numbered ones will do: NAME+0.
	 * false when memory ran out. NULL: no event is known beforehand.
	 */
	bool (*catalogue)(struct model *model);
};

/* All dialects; NULL ends the list. */
extern const struct dialect *const dialects[];

/* NULL when there is none of that name. */
const struct dialect *dialect_find(const char *name);

/* The value of a setting, or NULL. The last one given wins. */
const char *dialect_setting(const struct rst_open *how, const char *key);

/* RST_E_USAGE, in the words of every bad setting: which, what it was, what would do. */
enum rst_status dialect_bad_setting(
	const struct dialect *dialect, const char *key, const char *value, struct rst_error *err);

#endif
