/* SPDX-License-Identifier: MIT */
/*
 * Joins the rows of a dump (hexdump.h). It holds each row back until it has the next one, which shows whether
 * the row's address can be right, and where the last row really ends:
 *
 *      lines ──► held ──► given ──► out
 *                  "*"      └── repeated up to the address of held
 *
 * A dump has no checksum. If a character in place of a digit is not a digit, its byte is given as 00, because
 * all bytes after it must keep their place (dumps hold addresses of themselves).
 */
#include "input/wrapping/hexdump.h"

#include <stdlib.h>
#include <string.h>

#include "input/wrapping/words.h"

/* The most bytes that one "*" may stand for. The memory of a target is not larger. */
#define HEXDUMP_REPEAT_MAX ((uint64_t)LIMIT(256 << 20, 4096))

enum { QUOTE_MAX = 32 }; /* characters of a line that a fault shows */

struct held_row {
	struct hexdump_row row;
	bool is_there;
	bool is_behind_repeat; /* "*" stands before it */
	uint64_t n_lost;       /* the most bytes in the unusable lines before it */
};

struct hexdump_state {
	struct hexdump_shape shape;
	char name[48];
	struct line_reader line;
	struct section section;
	struct held_row held;
	struct hexdump_row given;
	size_t n_given;
	struct hexdump_row repeated; /* the row before given, … */
	uint64_t n_repeat;	     /* … given until it has made this many bytes, … */
	size_t repeat_at;	     /* … from this byte on */
	bool is_repeat;		     /* "*" was the last line */
	uint64_t n_lost;	     /* the same since the last row */
	bool has_end;		     /* the last row is the end of the dump */
};

/* --- giving --------------------------------------------------------------------------------------------- */

static void give_repeats(struct hexdump_state *dump, struct wrapping_io *io)
{
	const struct hexdump_row *row = &dump->repeated;

	while (dump->n_repeat && io->n_out) {
		size_t n = row->n_bytes - dump->repeat_at;

		if (n > io->n_out)
			n = io->n_out;
		if (n > dump->n_repeat)
			n = (size_t)dump->n_repeat;
		memcpy(io->out, row->bytes + dump->repeat_at, n);
		dump->repeat_at = (dump->repeat_at + n) % row->n_bytes;
		dump->n_repeat -= n;
		wrapping_make(io, n);
	}
}

static void hexdump_give(struct hexdump_state *dump, struct wrapping_io *io)
{
	const struct hexdump_row *row = &dump->given;

	give_repeats(dump, io);
	section_fill(&dump->section, io);
	size_t n = row->n_bytes - dump->n_given;

	if (n > io->n_out)
		n = io->n_out;
	memcpy(io->out, row->bytes + dump->n_given, n);
	dump->n_given += n;
	wrapping_make(io, n);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static void note_row(const struct hexdump_row *row, struct wrapping_io *io)
{
	if (row->fault[0])
		wrapping_fault(io, row->place.offset, 0, "line %llu: %s",
			(unsigned long long)row->place.number, row->fault);
}

/* Repeats the row before, as "*" stands for it, from its end up to this row. */
static void put_repeats(struct hexdump_state *dump, const struct hexdump_row *row, struct wrapping_io *io)
{
	const uint64_t n = section_ahead(&dump->section, row->address);

	if (dump->section.has_next && dump->repeated.n_bytes && n <= HEXDUMP_REPEAT_MAX) {
		dump->n_repeat = n;
		dump->repeat_at = 0;
		dump->section.next = row->address;
		return;
	}
	wrapping_fault(io, row->place.offset, 0,
		"line %llu: how many rows \"*\" stands for is not known: address 0x%llx follows 0x%llx",
		(unsigned long long)row->place.number, (unsigned long long)row->address,
		(unsigned long long)dump->section.next);
}

/* Whether only the address is damaged: the rows before and after it agree. */
static bool is_out_of_place(
	const struct hexdump_state *dump, const struct hexdump_row *row, const struct hexdump_row *next)
{
	const struct section *section = &dump->section;

	return section->has_next && next && row->n_bytes && row->address != section->next &&
	       next->address == section->next + row->n_bytes;
}

static void put_row(struct hexdump_state *dump, const struct hexdump_row *next, struct wrapping_io *io)
{
	struct held_row *held = &dump->held;
	struct hexdump_row *row = &held->row;
	struct section *section = &dump->section;

	section->n_lost_max = held->n_lost;
	if (held->is_behind_repeat)
		put_repeats(dump, row, io);
	if (is_out_of_place(dump, row, next)) {
		wrapping_fault(io, row->place.offset, 0,
			"line %llu: address 0x%llx does not fit the lines around it; 0x%llx is taken",
			(unsigned long long)row->place.number, (unsigned long long)row->address,
			(unsigned long long)section->next);
		row->address = section->next;
	}
	section_put(section, &row->place, io, row->address, row->n_bytes, true);
}

/* Uses the address behind the last row. */
static void put_end(struct hexdump_state *dump, struct wrapping_io *io)
{
	const struct hexdump_row *row = &dump->held.row;
	struct section *section = &dump->section;

	section->n_lost_max = dump->held.n_lost;
	if (dump->held.is_behind_repeat)
		put_repeats(dump, row, io);
	if (section->has_next && section_ahead(section, row->address) > SECTION_FILL_MAX)
		wrapping_fault(io, row->place.offset, 0,
			"line %llu: the dump ends at 0x%llx, its last row at 0x%llx",
			(unsigned long long)row->place.number, (unsigned long long)row->address,
			(unsigned long long)section->next);
	else
		section_put(section, &row->place, io, row->address, 0, true);
	section->has_next = false;
}

/* Gives the held row out. next: the row after it, or NULL if there are no more rows. */
static void hexdump_settle(struct hexdump_state *dump, const struct hexdump_row *next, struct wrapping_io *io)
{
	struct hexdump_row *row = &dump->held.row;

	if (!dump->held.is_there)
		return;
	if (next && next->is_end && next->address > row->address &&
		next->address - row->address < row->n_bytes)
		row->n_bytes = (size_t)(next->address - row->address);
	note_row(row, io);
	dump->repeated = dump->given;
	if (row->is_end)
		put_end(dump, io);
	else
		put_row(dump, next, io);
	dump->given = *row;
	dump->n_given = 0;
	dump->held.is_there = false;
}

static void hexdump_hold(struct hexdump_state *dump, const struct hexdump_row *row, struct wrapping_io *io)
{
	hexdump_settle(dump, row, io);
	dump->held = (struct held_row){
		.row = *row, .is_there = true, .is_behind_repeat = dump->is_repeat, .n_lost = dump->n_lost
	};
	dump->n_lost = row->is_end || !row->fault[0] ? 0 : dump->shape.n_row - row->n_bytes;
	dump->is_repeat = false;
	dump->has_end = row->is_end;
}

/* --- lines ---------------------------------------------------------------------------------------------- */

/*
 * Notes another line, such as a debugger prints in place of a row. Lines before the first row are a greeting.
 */
static void note_other(struct hexdump_state *dump, const uint8_t *line, size_t n_line, struct wrapping_io *io)
{
	char quote[QUOTE_MAX + 1];
	const size_t n = n_line < QUOTE_MAX ? n_line : QUOTE_MAX;

	if (!dump->held.is_there && !dump->given.place.number)
		return;
	for (size_t i = 0; i < n; i++)
		quote[i] = line[i] >= ' ' && line[i] < 0x7f ? (char)line[i] : '?';
	quote[n] = '\0';
	dump->n_lost += dump->shape.n_row;
	wrapping_fault(io, dump->line.place.offset, n_line, "line %llu is no row of the dump: \"%s%s\"",
		(unsigned long long)dump->line.place.number, quote, n < n_line ? "..." : "");
}

static void use_line(struct hexdump_state *dump, struct wrapping_io *io)
{
	struct hexdump_row row = { .place = dump->line.place };
	const uint8_t *line = dump->line.bytes;
	size_t n_line = dump->line.n_bytes;

	line_trim(&line, &n_line);
	const enum hexdump_class class = hexdump_parse(&dump->shape, line, n_line, &row);

	if (class == HEXDUMP_ROW && !dump->line.is_too_long)
		hexdump_hold(dump, &row, io);
	else if (class == HEXDUMP_REPEAT)
		dump->is_repeat = true;
	else if (class != HEXDUMP_TALK)
		note_other(dump, line, n_line, io);
}

/* Notes what is missing at the end of the input. */
static enum rst_status hexdump_finish(struct hexdump_state *dump, struct wrapping_io *io)
{
	if (dump->is_repeat)
		wrapping_fault(io, io->offset, 0,
			"the dump ends with \"*\": how many rows it stands for is not known");
	else if (dump->shape.kind->has_end && !dump->has_end)
		wrapping_fault(io, io->offset, 0,
			"the address behind the last row is not there; rows may be missing here");
	return RST_END;
}

static enum rst_status decode_rows(struct hexdump_state *dump, struct wrapping_io *io)
{
	dump->section.mask = UINT64_MAX;
	for (;;) {
		hexdump_give(dump, io);
		if (!io->n_out)
			return RST_OK;
		const bool is_line = line_gather(&dump->line, io);

		if (!is_line && !io->is_last)
			return RST_OK;
		if (!is_line && !dump->line.n_bytes) {
			if (!dump->held.is_there)
				return hexdump_finish(dump, io);
			hexdump_settle(dump, NULL, io);
			continue;
		}
		use_line(dump, io);
		line_next(&dump->line, io);
	}
}

/* --- the wrapping --------------------------------------------------------------------------------------- */

struct trial {
	const struct wrapping_io *io;
	const struct hexdump_shape *shape;
	struct hexdump_state *dump;
	struct wrapping_faults *faults;
};

static size_t hexdump_make_front(
	const void *context, bool is_reversed, uint8_t *room, size_t n_room, bool *ret_is_whole)
{
	const struct trial *trial = context;
	struct wrapping_io io = *trial->io;

	io.n_in = words_front(trial->io, &io.is_last);
	io.out = room;
	io.n_out = n_room;
	io.faults = trial->faults;
	*trial->faults = (struct wrapping_faults){ .n_kept = 0 };
	*trial->dump = (struct hexdump_state){ .shape = *trial->shape };
	trial->dump->shape.is_reversed = is_reversed;
	*ret_is_whole = decode_rows(trial->dump, &io) == RST_END;
	return n_room - io.n_out;
}

static enum rst_status choose_order(struct hexdump_state *dump, struct wrapping_io *io, struct rst_error *err)
{
	struct hexdump_shape shape = dump->shape;
	struct trial trial = { .io = io,
		.shape = &shape,
		.dump = calloc(1, sizeof(*dump)),
		.faults = calloc(1, sizeof(*io->faults)) };
	enum rst_status status = RST_OK;

	if (trial.dump && trial.faults)
		status = words_choose(
			io, shape.is_reversed, hexdump_make_front, &trial, &dump->shape.is_reversed, err);
	else
		status = error_nomem(err);
	free(trial.dump);
	free(trial.faults);
	return status;
}

static bool is_words(const struct hexdump_shape *shape)
{
	return shape->n_group > 1 && (shape->is_reversed || !shape->kind->is_written);
}

static enum rst_status hexdump_begin(
	struct hexdump_state *dump, struct wrapping_io *io, struct rst_error *err)
{
	struct hexdump_shape shape;
	bool is_whole;
	const size_t n = words_front(io, &is_whole);

	if (!hexdump_learn(&shape, io->in, n, is_whole))
		return RST_END; /* cannot happen: the probe has found a dump */
	dump->shape = shape;
	if (!shape.is_sure) {
		enum rst_status status = choose_order(dump, io, err);

		if (status < 0)
			dump->shape.kind = NULL;
		error_try(status);
	}
	words_name(shape.kind->name, is_words(&dump->shape), dump->shape.is_reversed, dump->name,
		sizeof(dump->name));
	return RST_OK;
}

static bool hexdump_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct hexdump_shape shape;

	return hexdump_learn(&shape, bytes, n_bytes, is_whole);
}

static enum rst_status hexdump_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct hexdump_state *dump = state;

	if (!dump->shape.kind) {
		enum rst_status status = hexdump_begin(dump, io, err);

		if (status != RST_OK)
			return status;
	}
	return decode_rows(dump, io);
}

static const char *hexdump_describe(const void *state)
{
	const struct hexdump_state *dump = state;

	return dump->name;
}

const struct wrapping wrapping_hexdump = {
	.name = "hex dump",
	.probe = hexdump_probe,
	.state_size = sizeof(struct hexdump_state),
	.decode = hexdump_decode,
	.describe = hexdump_describe,
};
