/* SPDX-License-Identifier: MIT */
#include "dialect/threadx/image.h"

#include <inttypes.h>
#include <string.h>

#include "base/cursor.h"
#include "base/load.h"

/* TX_TRACE_VALID: "TXTB" as a big-endian target stores it. */
#define TX_ID 0x54585442U

enum {
	HEADER_WORDS = 12,
	ENTRY_WORDS = 8,
	OBJECT_WORDS = 4, /* before the name */
};

/* Index of each word in the header; word 4 holds two 16-bit numbers. */
enum {
	W_ID,
	W_MASK,
	W_BASE,
	W_REGISTRY_START,
	W_NAME,
	W_REGISTRY_END = TX_HEADER_REGISTRY_END,
	W_RING_START,
	W_RING_END,
	W_CURRENT = TX_HEADER_CURRENT,
	W_MARKS,
};

/* How far a candidate got, worst first. From HEADER_READABLE on the events can be read. */
enum verdict { HEADER_NO_ID, HEADER_NO_MASK, HEADER_CUT, HEADER_BROKEN, HEADER_READABLE, HEADER_RIGHT };

static const struct tx_layout layouts[] = { { 4, false }, { 8, false }, { 4, true }, { 8, true } };

static bool layout_is_wanted(struct tx_layout layout, struct tx_wanted wanted)
{
	if (wanted.word && wanted.word != layout.word)
		return false;
	return wanted.endian == TX_ENDIAN_ANY || (wanted.endian == TX_ENDIAN_BIG) == layout.is_big;
}

/* a - b as the target computes it. */
static uint64_t address_minus(const struct tx_image *image, uint64_t a, uint64_t b)
{
	return image->layout.word == 8 ? a - b : (uint32_t)(a - b);
}

/*
 * A range that wraps around the address space is less than half of it; otherwise its ends are in the wrong
 * order.
 */
static bool is_span(const struct tx_image *image, uint64_t from, uint64_t to, size_t unit)
{
	const uint64_t n_bytes = address_minus(image, to, from);

	return (from <= to || n_bytes < (uint64_t)1 << (8 * image->layout.word - 1)) && n_bytes % unit == 0;
}

static void image_load(struct tx_image *image, const uint8_t *at)
{
	unsigned word = image->layout.word;
	const uint8_t *halves = at + (size_t)W_NAME * word;

	image->timer_mask = tx_word(image, at, W_MASK);
	image->base = tx_word(image, at, W_BASE);
	image->registry_start = tx_word(image, at, W_REGISTRY_START);
	image->reserved1 = load_u16(halves, image->layout.is_big);
	image->name_bytes = load_u16(halves + 2, image->layout.is_big);
	image->registry_end = tx_word(image, at, W_REGISTRY_END);
	image->ring_start = tx_word(image, at, W_RING_START);
	image->ring_end = tx_word(image, at, W_RING_END);
	image->current = tx_word(image, at, W_CURRENT);
	for (unsigned i = 0; i < 3; i++)
		image->marks[i] = tx_word(image, at, W_MARKS + i);
	image->header_bytes = (size_t)HEADER_WORDS * word;
	image->entry_bytes = (size_t)ENTRY_WORDS * word;
	image->object_bytes = ((size_t)OBJECT_WORDS * word + image->name_bytes + word - 1) / word * word;
}

/* Reports the fault of the header, at the word that shows it. */
static enum verdict image_broken(const struct tx_image *image, struct rst_error *err, unsigned word_index,
	const char *what, uint64_t value)
{
	error_set(err, RST_E_DAMAGED, image->offset + (uint64_t)word_index * image->layout.word,
		"the trace header (%u-bit words, %s-endian) is wrong: %s (0x%" PRIx64 ")",
		8 * image->layout.word, image->layout.is_big ? "big" : "little", what, value);
	error_advise(err,
		"dump the buffer again, from its first byte, as many bytes as tx_trace_enable was given");
	return HEADER_BROKEN;
}

static enum verdict image_check(struct tx_image *image, struct rst_error *err)
{
	uint64_t ring_from = address_minus(image, image->ring_start, image->registry_start);
	uint64_t ring_bytes = address_minus(image, image->ring_end, image->ring_start);
	uint64_t written = address_minus(image, image->current, image->ring_start);

	if (image->timer_mask == 0) {
		image_broken(image, err, W_MASK, "no bit of the time stamp is valid", 0);
		return HEADER_NO_MASK; /* the zeros behind the id are probably the upper half of a wide id */
	}
	if (address_minus(image, image->registry_start, image->base) != image->header_bytes)
		return image_broken(image, err, W_REGISTRY_START,
			"the registry does not begin behind the header", image->registry_start);
	if (image->name_bytes == 0)
		return image_broken(image, err, W_NAME, "names cannot have this size", image->name_bytes);
	if (!is_span(image, image->registry_start, image->ring_start, image->object_bytes))
		return image_broken(image, err, W_RING_START,
			"the registry in front of the ring is not whole entries", image->ring_start);
	if (ring_bytes == 0 || !is_span(image, image->ring_start, image->ring_end, image->entry_bytes) ||
		!is_span(image, image->registry_start, image->ring_end, 1))
		return image_broken(image, err, W_RING_END, "the ring is not whole entries", image->ring_end);
	image->n_objects = ring_from / image->object_bytes;
	image->n_slots = ring_bytes / image->entry_bytes;
	image->has_registry_end = image->registry_end == image->ring_start;
	image->has_current = written < ring_bytes && written % image->entry_bytes == 0;
	image->current_index = image->has_current ? written / image->entry_bytes : 0;
	return image->has_current && image->has_registry_end ? HEADER_RIGHT : HEADER_READABLE;
}

/* Finds where the parts are in the input, which may be shorter than the header claims. */
static void image_locate(struct tx_image *image)
{
	uint64_t left;

	image->objects_at = image->offset + image->header_bytes;
	image->ring_at = image->objects_at + image->n_objects * image->object_bytes;
	left = image->n_bytes > image->ring_at ? image->n_bytes - image->ring_at : 0;
	image->n_whole = left / image->entry_bytes;
	if (image->n_whole > image->n_slots)
		image->n_whole = image->n_slots;
	image->n_tail = image->n_bytes > tx_image_end(image) ? image->n_bytes - tx_image_end(image) : 0;
}

/* Tries one layout at one offset. */
static enum verdict image_try(struct tx_image *image, struct rst_error *err)
{
	struct cursor c = cursor_over(image->bytes + image->offset, image->n_bytes - image->offset);
	const uint64_t left = cursor_left(&c);
	const uint8_t *id = cursor_take(&c, image->layout.word);
	const uint8_t *rest = cursor_take(&c, (size_t)(HEADER_WORDS - 1) * image->layout.word);
	enum verdict verdict;

	if (!id || tx_word(image, id, W_ID) != TX_ID)
		return HEADER_NO_ID;
	if (!rest) {
		error_set(err, RST_E_DAMAGED, image->offset,
			"the input ends inside the trace header, after %" PRIu64 " bytes", left);
		error_advise(err, "dump as many bytes as tx_trace_enable was given");
		return HEADER_CUT;
	}
	image_load(image, id);
	verdict = image_check(image, err);
	if (verdict >= HEADER_READABLE)
		image_locate(image);
	return verdict;
}

/* Finds the layout at an offset. A little-endian 64-bit header also looks like a 32-bit one with mask 0. */
static enum verdict image_try_layouts(struct tx_image *ret_image, const uint8_t *bytes, uint64_t n_bytes,
	uint64_t offset, struct tx_wanted wanted, struct rst_error *err)
{
	enum verdict best = HEADER_NO_ID;

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		struct tx_image image = {
			.bytes = bytes, .n_bytes = n_bytes, .offset = offset, .layout = layouts[i]
		};
		struct rst_error why;
		enum verdict verdict =
			layout_is_wanted(layouts[i], wanted) ? image_try(&image, &why) : HEADER_NO_ID;

		if (verdict <= best)
			continue;
		best = verdict;
		*ret_image = image;
		if (verdict < HEADER_READABLE)
			*err = why;
	}
	return best;
}

/* Whether the id of any layout may be there: its bytes, or the zeros of a wide one in front of them. */
static bool may_have_id(const uint8_t *bytes, uint64_t left)
{
	if (*bytes == 0)
		return left >= sizeof(uint64_t) && load_u64(bytes, true) == TX_ID;
	return left >= sizeof(uint32_t) &&
	       (load_u32(bytes, true) == TX_ID || load_u32(bytes, false) == TX_ID);
}

enum rst_status tx_image_find(struct tx_image *ret_image, const uint8_t *bytes, uint64_t n_bytes,
	uint64_t from, struct tx_wanted wanted, struct rst_error *err)
{
	enum verdict best = HEADER_NO_ID;
	uint64_t end = n_bytes - from > TX_SEARCH_BYTES ? from + TX_SEARCH_BYTES : n_bytes;
	struct rst_error why;

	for (uint64_t offset = from; offset < end && best < HEADER_RIGHT; offset++) {
		if (!may_have_id(bytes + offset, n_bytes - offset))
			continue;
		struct tx_image image;
		enum verdict verdict = image_try_layouts(&image, bytes, n_bytes, offset, wanted, &why);

		if (verdict <= best)
			continue;
		best = verdict;
		if (verdict >= HEADER_READABLE)
			*ret_image = image;
		else if (err)
			*err = why;
	}
	if (best >= HEADER_READABLE)
		return RST_OK;
	if (best == HEADER_NO_ID) {
		error_set(err, RST_E_DAMAGED, from,
			"there is no trace header (the word 0x%x) in the first %" PRIu64 " bytes", TX_ID,
			end - from);
		error_advise(
			err, wanted.word || wanted.endian != TX_ENDIAN_ANY
				     ? "try without --opt word and endian, or check the address of the dump"
				     : "check the address of the dump: it must begin where tx_trace_enable "
				       "was told to");
	}
	return RST_E_DAMAGED;
}

/* How many bytes at offset are the beginning of the id in the target's byte order, and not only zeros. */
static size_t id_bytes_at(const struct tx_image *image, uint64_t offset)
{
	unsigned word = image->layout.word;
	bool has_letter = false;
	size_t n = 0;

	for (; n < word && offset + n < image->n_bytes; n++) {
		unsigned shift = 8 * (unsigned)(image->layout.is_big ? word - 1 - n : n);
		uint8_t byte = (uint8_t)((uint64_t)TX_ID >> shift);

		if (image->bytes[offset + n] != byte)
			return 0;
		has_letter = has_letter || byte != 0;
	}
	return has_letter ? n : 0;
}

bool tx_image_has_cut_follower(const struct tx_image *image, uint64_t *ret_offset)
{
	uint64_t end = tx_image_end(image), first = end;

	if (image->n_bytes >= end + image->header_bytes)
		first = image->n_bytes - image->header_bytes + 1;
	for (uint64_t offset = first; offset < image->n_bytes; offset++) {
		size_t n = id_bytes_at(image, offset);

		/* A part of the id is proof only at the place where the next dump must be. */
		if (n == image->layout.word || (n && offset == end)) {
			*ret_offset = offset;
			return true;
		}
	}
	return false;
}

unsigned tx_image_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct tx_image image;
	struct rst_error err;
	const struct tx_wanted any = { 0 };

	(void)is_whole;
	if (!n_bytes)
		return 0;
	if (tx_image_find(&image, bytes, n_bytes, 0, any, NULL) == RST_OK)
		return image.offset == 0 && image.has_current ? 100 : 80;
	/* A wrong header still counts as this dialect's, so that its fault can be reported. */
	return image_try_layouts(&image, bytes, n_bytes, 0, any, &err) > HEADER_NO_ID ? 60 : 0;
}

uint64_t tx_image_misfit(const uint8_t *bytes, size_t n_bytes)
{
	struct tx_image image;
	const struct tx_wanted any = { 0 };

	if (!n_bytes || tx_image_find(&image, bytes, n_bytes, 0, any, NULL) < 0)
		return UINT64_MAX;
	if (n_bytes < tx_image_end(&image))
		return tx_image_end(&image) - n_bytes;
	return image.n_tail < image.entry_bytes ? 0 : image.n_tail;
}
