/* SPDX-License-Identifier: MIT */
/*
 * The contract of a wrapping: a format in which bytes were packed on their way here. Each wrapping is one
 * const struct in its own file and one row in wrapping.c; no other code refers to it by name.
 */
#ifndef INPUT_WRAPPING_WRAPPING_H
#define INPUT_WRAPPING_WRAPPING_H

#include "input/source.h"

/* A broken part of a wrapping; the source hands it over as INPUT_DAMAGE. */
struct wrapping_broken {
	uint64_t offset;  /* in the file as given; for an inner wrapping, in its bytes, as `what` states */
	uint64_t n_bytes; /* the number of useless bytes; 0 if none or unknown */
	char what[128];
};

struct wrapping_faults {
	struct wrapping_broken kept[SOURCE_FAULTS_MAX];
	size_t n_kept;
	uint64_t n_all;
};

/* The two ends of a decoder. A decoder moves both only through wrapping_use() and wrapping_make(). */
struct wrapping_io {
	const uint8_t *in;
	size_t n_in;
	uint64_t offset; /* of in, in the wrapped bytes */
	bool is_last;	 /* no more input follows */
	bool is_nested;	 /* offsets count in the output of another wrapping, not in the file */
	uint8_t *out;
	size_t n_out;
	struct wrapping_faults *faults;
	const struct source_judge *judge; /* NULL if there is no judge */
};

struct wrapping {
	const char *name;

	/*
	 * Whether the bytes at the front, up to 64 KiB, have this wrapping. is_whole: these are all bytes. It
	 * must return false for any bytes that the decoder cannot use, since the dialects never see bytes
	 * that it claims. NULL if the wrapping is not in the table.
	 */
	bool (*probe)(const uint8_t *bytes, size_t n_bytes, bool is_whole);

	size_t state_size; /* zeroed by the caller */

	/* NULL if a zeroed state is enough. */
	enum rst_status (*open)(void *state, struct rst_error *err);

	/*
	 * Called with room for at least one byte. Returns RST_OK if out is full, or if in is used up and is
	 * not the last; RST_END if it makes no more bytes, whatever is left of in. Broken input is a fault
	 * and never a failure; bytes made before the fault stay valid.
	 */
	enum rst_status (*decode)(void *state, struct wrapping_io *io, struct rst_error *err);

	/*
	 * Called after the first decoding. Returns the text that the source shows in place of name. NULL if
	 * name is enough.
	 */
	const char *(*describe)(const void *state);

	/* Also called after a failed open. NULL if there is nothing to undo. */
	void (*close)(void *state);
};

extern const struct wrapping wrapping_gzip;
extern const struct wrapping wrapping_zstd;
extern const struct wrapping wrapping_xz;
extern const struct wrapping wrapping_bzip2;
extern const struct wrapping wrapping_ihex;
extern const struct wrapping wrapping_srec;
extern const struct wrapping wrapping_hexdump;
extern const struct wrapping wrapping_array;
extern const struct wrapping wrapping_hex;
extern const struct wrapping wrapping_text_mode; /* never found by bytes; source_undo_text_mode() adds it */

/* Returns the wrapping that claims the bytes, or NULL. */
const struct wrapping *wrapping_find(const uint8_t *bytes, size_t n_bytes, bool is_whole);

/* Notes a fault at offset of the wrapped bytes. For a nested wrapping, the text states that. */
void wrapping_fault(struct wrapping_io *io, uint64_t offset, uint64_t n_bytes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static inline void wrapping_use(struct wrapping_io *io, size_t n_bytes)
{
	io->in += n_bytes;
	io->n_in -= n_bytes;
	io->offset += n_bytes;
}

static inline void wrapping_make(struct wrapping_io *io, size_t n_bytes)
{
	io->out += n_bytes;
	io->n_out -= n_bytes;
}

/* Returns the wrapped bytes from offset to the end of the input, or 0 if the end is not known yet. */
static inline uint64_t wrapping_rest(const struct wrapping_io *io, uint64_t offset)
{
	return io->is_last ? io->offset + io->n_in - offset : 0;
}

/* Returns 0 to 15, or a negative number if c is not a hexadecimal digit. */
static inline int wrapping_digit(uint8_t c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline bool wrapping_is_line_end(uint8_t c)
{
	return c == '\n' || c == '\r';
}

static inline bool wrapping_is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

#endif
