/* SPDX-License-Identifier: MIT */
/*
 * Gathers lines from chunks of any size, parses each, and gives its data out. Begin with record_decode().
 */
#include "input/wrapping/record.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The probe looks at this many lines: the first one may be damaged. */
enum { RECORD_PROBE_LINES = 4 };

bool record_refuse(struct record *record, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(record->fault, sizeof(record->fault), format, args);
	va_end(args);
	return false;
}

bool record_take_digits(struct record *record, const uint8_t *line, size_t n_line, size_t first)
{
	for (size_t i = first; i < n_line; i++)
		if (wrapping_digit(line[i]) < 0)
			return record_refuse(record,
				"column %zu (0x%02x) is no hexadecimal digit; the record is left out", i + 1,
				line[i]);
	const size_t n_digits = n_line - first;

	if (n_digits / 2 > RECORD_BYTES_MAX)
		return record_refuse(record, "longer than any record; it is left out");
	if (n_digits < 2 || n_digits % 2)
		return record_refuse(
			record, "cut or a digit is missing (%zu digits); the record is left out", n_digits);
	record->n_bytes = n_digits / 2;
	for (size_t i = 0; i < record->n_bytes; i++) {
		const uint8_t *pair = line + first + 2 * i;

		record->bytes[i] = (uint8_t)(wrapping_digit(pair[0]) << 4 | wrapping_digit(pair[1]));
	}
	return true;
}

bool record_check_count(struct record *record, size_t n_expected)
{
	if (record->n_bytes == n_expected)
		return true;
	return record_refuse(record,
		"cut or miscounted: %zu bytes announced, %zu there; the record is left out", n_expected,
		record->n_bytes);
}

void record_check_sum(struct record *record, uint8_t sum)
{
	unsigned total = 0;

	for (size_t i = 0; i < record->n_bytes; i++)
		total += record->bytes[i];
	const uint8_t found = record->bytes[record->n_bytes - 1];
	const uint8_t right = (uint8_t)(found + sum - total);

	if (found != right)
		record_refuse(record, "checksum is %02X, the digits give %02X; %s", found, right,
			record->n_data ? "its data is given all the same" : "the record is left out");
}

static bool record_parse(
	const struct record_kind *kind, struct record *record, const uint8_t *line, size_t n_line)
{
	record->n_bytes = record->n_data = 0;
	record->is_end = false;
	record->fault[0] = '\0';
	if (line[0] != (uint8_t)kind->mark)
		return record_refuse(record, "does not begin with '%c'; it is left out", kind->mark);
	return kind->parse(record, line, n_line);
}

bool record_probe(const struct record_kind *kind, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const uint8_t *at = bytes, *const end = bytes + n_bytes, *line;
	size_t n_line;
	bool is_ended;

	for (unsigned i = 0; i < RECORD_PROBE_LINES && line_split(&at, end, &line, &n_line, &is_ended);) {
		struct record record = { .base = 0 };

		if (!n_line)
			continue;
		if (i++ == 0 && *line != (uint8_t)kind->mark)
			return false;
		if ((is_ended || is_whole) && record_parse(kind, &record, line, n_line))
			return true;
	}
	return false;
}

static void record_note(struct record_reader *reader, struct wrapping_io *io, bool is_dropped)
{
	const struct line_place *line = &reader->line.place;

	wrapping_fault(io, line->offset, is_dropped ? io->offset - line->offset : 0, "line %llu: %s",
		(unsigned long long)line->number, reader->record.fault);
}

/* Returns the most bytes that a record without usable data may have had: its count if that can be read. */
static size_t record_lost_max(const struct record_kind *kind, const uint8_t *line, size_t n_line)
{
	const uint8_t *count = line + kind->count_at;

	if (n_line < (size_t)kind->count_at + 2 || line[0] != (uint8_t)kind->mark ||
		wrapping_digit(count[0]) < 0 || wrapping_digit(count[1]) < 0)
		return UINT8_MAX;
	return (size_t)(wrapping_digit(count[0]) << 4 | wrapping_digit(count[1]));
}

/* Parses the gathered line; its data then waits in reader->record. */
static void record_use_line(
	const struct record_kind *kind, struct record_reader *reader, struct wrapping_io *io)
{
	struct record *record = &reader->record;
	const uint8_t *line = reader->line.bytes;
	size_t n_line = reader->line.n_bytes;
	bool is_used = false;

	line_trim(&line, &n_line);
	reader->n_given = 0;
	record->n_data = 0;
	if (!n_line && !reader->line.is_too_long)
		return;
	if (reader->line.is_too_long)
		record_refuse(record, "longer than any record; it is left out");
	else
		is_used = record_parse(kind, record, line, n_line);
	const bool is_sound = is_used && !record->fault[0];

	if (!is_used)
		record->n_data = 0;
	if (!is_sound)
		record_note(reader, io, !is_used);
	if (record->n_data)
		section_put(
			&reader->section, &reader->line.place, io, record->address, record->n_data, is_sound);
	else if (!is_sound)
		reader->section.n_lost_max += record_lost_max(kind, line, n_line);
	/* A damaged end record may have been another record, so it must not hide later ones. */
	reader->has_end |= is_used && record->is_end;
	reader->is_over |= is_sound && record->is_end;
}

static void record_give(struct record_reader *reader, struct wrapping_io *io)
{
	const struct record *record = &reader->record;

	section_fill(&reader->section, io);
	size_t n = record->n_data - reader->n_given;

	if (n > io->n_out)
		n = io->n_out;
	memcpy(io->out, record->bytes + record->data_start + reader->n_given, n);
	reader->n_given += n;
	wrapping_make(io, n);
}

/* Only the padding of lines and disk blocks may follow the end record. */
static enum rst_status record_finish(struct wrapping_io *io)
{
	while (io->n_in && (wrapping_is_blank(*io->in) || *io->in == 0 || *io->in == 0x1a))
		wrapping_use(io, 1);
	if (!io->n_in)
		return io->is_last ? RST_END : RST_OK;
	wrapping_fault(io, io->offset, wrapping_rest(io, io->offset),
		"something follows the end record; it is left out");
	return RST_END;
}

enum rst_status record_decode(
	const struct record_kind *kind, struct record_reader *reader, struct wrapping_io *io)
{
	reader->section.mask = UINT32_MAX;
	for (;;) {
		record_give(reader, io);
		if (!io->n_out)
			return RST_OK;
		if (reader->is_over)
			return record_finish(io);
		if (!line_gather(&reader->line, io)) {
			if (!io->is_last)
				return RST_OK;
			if (!reader->line.n_bytes)
				break;
		}
		record_use_line(kind, reader, io);
		line_next(&reader->line, io);
	}
	if (!reader->has_end)
		wrapping_fault(io, io->offset, 0, "there is no end record (%s); records may be missing here",
			kind->end_name);
	return RST_END;
}
