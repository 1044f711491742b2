/* SPDX-License-Identifier: MIT */
/*
 * Joins the elements of arrays (array.h), also of several arrays. Numbers are as wide as the declared type,
 * or as the widest number of the front if no type is declared. An array has no checksum: an element that is
 * not a number is given as 00.
 */
#include "input/wrapping/array.h"

#include <stdlib.h>
#include <string.h>

#include "input/wrapping/line.h"
#include "input/wrapping/words.h"

enum {
	ELEMENT_MAX = 8,
	ELEMENTS_MIN = 8, /* fewer are more likely a table than a dump */
	INSIDE_SHARE = 4, /* if a source file holds a table, the table is less than a fourth of it */
	TEXT_BYTES = 256, /* that are searched for bytes that no text has */
};

/* The most bytes that one repeated element may make. The memory of a target is not larger. */
#define REPEAT_BYTES_MAX ((uint64_t)LIMIT(256 << 20, 4096))

struct array_state {
	struct array_lexer lexer;
	size_t n_element; /* 0 until it is known */
	bool is_reversed; /* the last byte of a number is the first in memory */
	char name[48];
	struct line_place line;
	uint8_t line_end;
	uint8_t element[ELEMENT_MAX]; /* the last element, as it is in memory */
	size_t n_given;		      /* bytes given of it */
	uint64_t n_times;	      /* how often it must still be given */
	uint64_t n_array;	      /* bytes of the last array */
	bool is_bad_noted;	      /* one fault per line is enough */
};

static void array_put_number(struct array_state *array, uint64_t number)
{
	for (size_t i = 0; i < array->n_element; i++) {
		const size_t at = array->is_reversed ? i : array->n_element - 1 - i;

		array->element[at] = (uint8_t)(number >> 8 * i);
	}
}

static void array_note(struct array_state *array, struct wrapping_io *io, const char *what)
{
	if (array->is_bad_noted)
		return;
	array->is_bad_noted = true;
	wrapping_fault(io, io->offset, 0, "line %llu: %s", (unsigned long long)array->line.number, what);
}

static bool number_fits(uint64_t number, size_t n_bytes)
{
	const uint64_t above = n_bytes == ELEMENT_MAX ? 0 : number >> 8 * n_bytes;

	return !above || above == UINT64_MAX >> 8 * n_bytes; /* negative */
}

static void take_number(struct array_state *array, struct wrapping_io *io)
{
	uint64_t number = 0;
	size_t n_digits;

	if (!array_number(array->lexer.word, &number, &n_digits)) {
		array_note(array, io, "what is no number stands in the array; it is given as 00");
		number = 0;
	} else if (!number_fits(number, array->n_element)) {
		array_note(array, io, "a number of the array is too large for it; its low bytes are given");
	}
	array_put_number(array, number);
	array->n_times = 1;
	array->n_array += array->n_element;
}

static void take_repeats(struct array_state *array, struct wrapping_io *io)
{
	const uint64_t n = array->lexer.number;

	if (!n || !array->n_array || n > REPEAT_BYTES_MAX / array->n_element) {
		array_note(array, io, "an element cannot be repeated so often; it is given once");
		return;
	}
	array->n_times = n - 1;
	array->n_array += (n - 1) * array->n_element;
}

static void check_length(struct array_state *array, struct wrapping_io *io)
{
	const uint64_t n = array->lexer.number;

	if (n != array->n_array && n != array->n_array / array->n_element)
		wrapping_fault(io, io->offset, 0, "line %llu: the array should have %llu bytes, and has %llu",
			(unsigned long long)array->line.number, (unsigned long long)n,
			(unsigned long long)array->n_array);
}

static void take_event(struct array_state *array, enum array_event event, struct wrapping_io *io)
{
	switch (event) {
	case ARRAY_NOTHING:
	case ARRAY_ENDS:
		break;
	case ARRAY_BEGINS:
		array->n_array = 0;
		break;
	case ARRAY_NUMBER:
		take_number(array, io);
		break;
	case ARRAY_REPEATS:
		take_repeats(array, io);
		break;
	case ARRAY_LEFT_OUT:
		array_note(array, io, "gdb left out the rest; \"set print elements unlimited\" prints all");
		break;
	case ARRAY_LENGTH:
		check_length(array, io);
		break;
	case ARRAY_BAD:
		array_note(array, io, "a character that is no part of an array is passed over");
		break;
	}
}

/* Gives the last element as often as it is due. */
static void array_give(struct array_state *array, struct wrapping_io *io)
{
	while (array->n_times && io->n_out) {
		*io->out = array->element[array->n_given++];
		wrapping_make(io, 1);
		if (array->n_given < array->n_element)
			continue;
		array->n_given = 0;
		array->n_times--;
	}
}

static void count_line(struct array_state *array, const struct wrapping_io *io)
{
	const uint8_t c = *io->in;

	if (!wrapping_is_line_end(c))
		return;
	array->line.number += !(c == '\n' && array->line_end == '\r' && array->line.offset == io->offset);
	array->line_end = c;
	array->line.offset = io->offset + 1;
	array->is_bad_noted = false;
}

static enum rst_status decode_arrays(struct array_state *array, struct wrapping_io *io)
{
	if (!array->line.number)
		array->line.number = 1;
	for (;;) {
		bool is_used;

		array_give(array, io);
		if (!io->n_out)
			return RST_OK;
		if (!io->n_in)
			break;
		take_event(array, array_take(&array->lexer, *io->in, &is_used), io);
		if (is_used) {
			count_line(array, io);
			wrapping_use(io, 1);
		}
	}
	if (!io->is_last)
		return RST_OK;
	if (array->lexer.depth)
		wrapping_fault(io, io->offset, 0, "the array is cut here; what came before is given");
	return RST_END;
}

/* --- the front ------------------------------------------------------------------------------------------ */

/* The properties of the arrays of the front. */
struct array_look {
	size_t n_elements, n_bad;
	size_t n_inside; /* characters within braces */
	size_t n_declared, n_digits_max;
};

static void look_at_number(struct array_look *look, const struct array_lexer *lexer)
{
	uint64_t number;
	size_t n_digits, n_least = 1;

	look->n_elements++;
	if (!array_number(lexer->word, &number, &n_digits)) {
		look->n_bad++;
		return;
	}
	while (n_least < ELEMENT_MAX && !number_fits(number, n_least))
		n_least *= 2;
	if (n_digits < 2 * n_least)
		n_digits = 2 * n_least;
	if (n_digits > look->n_digits_max)
		look->n_digits_max = n_digits;
}

static void array_look_at(struct array_look *look, const uint8_t *bytes, size_t n_bytes)
{
	struct array_lexer lexer = { .depth = 0 };

	for (size_t i = 0; i < n_bytes;) {
		bool is_used;
		const enum array_event event = array_take(&lexer, bytes[i], &is_used);

		if (event == ARRAY_NUMBER)
			look_at_number(look, &lexer);
		look->n_bad += event == ARRAY_BAD;
		look->n_inside += is_used && lexer.depth;
		if (event == ARRAY_BEGINS && !look->n_elements)
			look->n_declared = lexer.n_declared;
		i += is_used;
	}
}

static bool array_is_text(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes && i < TEXT_BYTES; i++)
		if (bytes[i] < ' ' && !wrapping_is_blank(bytes[i]))
			return false;
	return true;
}

static size_t width_of(const struct array_look *look)
{
	size_t n = 1;

	while (n < ELEMENT_MAX && 2 * n < look->n_digits_max)
		n *= 2;
	return look->n_declared ? look->n_declared : n;
}

static bool array_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct array_look look = { .n_elements = 0 };

	(void)is_whole;
	if (!array_is_text(bytes, n_bytes) || !memchr(bytes, '{', n_bytes))
		return false;
	array_look_at(&look, bytes, n_bytes);
	return look.n_elements >= ELEMENTS_MIN && look.n_bad * ELEMENTS_MIN <= look.n_elements &&
	       look.n_inside >= n_bytes / INSIDE_SHARE;
}

/* --- the order of bytes --------------------------------------------------------------------------------- */

struct array_trial {
	const struct wrapping_io *io;
	size_t n_element;
	struct wrapping_faults *faults;
};

static size_t array_make_front(
	const void *context, bool is_reversed, uint8_t *room, size_t n_room, bool *ret_is_whole)
{
	const struct array_trial *trial = context;
	struct array_state array = { .n_element = trial->n_element, .is_reversed = is_reversed };
	struct wrapping_io io = *trial->io;

	io.n_in = words_front(trial->io, &io.is_last);
	io.out = room;
	io.n_out = n_room;
	io.faults = trial->faults;
	*trial->faults = (struct wrapping_faults){ .n_kept = 0 };
	*ret_is_whole = decode_arrays(&array, &io) == RST_END;
	return n_room - io.n_out;
}

static enum rst_status array_begin(struct array_state *array, struct wrapping_io *io, struct rst_error *err)
{
	struct array_look look = { .n_elements = 0 };
	bool is_whole;

	array_look_at(&look, io->in, words_front(io, &is_whole));
	const size_t n_element = width_of(&look);

	if (n_element > 1) {
		struct array_trial trial = {
			.io = io, .n_element = n_element, .faults = calloc(1, sizeof(*io->faults))
		};
		enum rst_status status = trial.faults ? words_choose(io, true, array_make_front, &trial,
								&array->is_reversed, err)
						      : error_nomem(err);

		free(trial.faults);
		error_try(status);
	}
	array->n_element = n_element;
	words_name("C array", n_element > 1, array->is_reversed, array->name, sizeof(array->name));
	return RST_OK;
}

static enum rst_status array_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct array_state *array = state;

	if (!array->n_element)
		error_try(array_begin(array, io, err));
	return decode_arrays(array, io);
}

static const char *array_describe(const void *state)
{
	const struct array_state *array = state;

	return array->name;
}

const struct wrapping wrapping_array = {
	.name = "C array",
	.probe = array_probe,
	.state_size = sizeof(struct array_state),
	.decode = array_decode,
	.describe = array_describe,
};
