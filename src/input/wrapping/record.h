/* SPDX-License-Identifier: MIT */
/*
 * Lines of hexadecimal records, the common part of Intel HEX and Motorola S-records. Each line has a mark, a
 * count, an address, data and a checksum. Data is joined in the order of lines; holes between addresses are
 * filled (section.h).
 */
#ifndef INPUT_WRAPPING_RECORD_H
#define INPUT_WRAPPING_RECORD_H

#include "input/wrapping/section.h"

enum {
	RECORD_BYTES_MAX = 260, /* Intel HEX with 255 data bytes: count, address, type, data, checksum */
};

struct record {
	uint8_t bytes[RECORD_BYTES_MAX]; /* those after the mark */
	size_t n_bytes;
	size_t data_start; /* the trace data in bytes; a record of another type has no data */
	size_t n_data;
	uint32_t address; /* of the data */
	uint32_t base;	  /* the offset set by earlier address records; kept from line to line */
	bool is_end;	  /* its type ends the file */
	char fault[80];	  /* what is wrong, or "" */
};

struct record_kind {
	char mark;	  /* every record begins with it */
	uint8_t count_at; /* the position in a line of the two digits of the count */
	const char *end_name;

	/*
	 * Reads one line without blanks around it. Returns false if the line cannot be used. Returns true and
	 * sets the fault if only the checksum is wrong.
	 */
	bool (*parse)(struct record *record, const uint8_t *line, size_t n_line);
};

struct record_reader {
	struct line_reader line;
	struct section section;
	bool has_end; /* an end record was seen, perhaps a damaged one */
	bool is_over; /* an intact end record was seen */
	struct record record;
	size_t n_given; /* of the record's data */
};

/* Returns true if one of the first lines is a record of this kind and the first line begins as one. */
bool record_probe(const struct record_kind *kind, const uint8_t *bytes, size_t n_bytes, bool is_whole);

enum rst_status record_decode(
	const struct record_kind *kind, struct record_reader *reader, struct wrapping_io *io);

/* For record_kind.parse. Each sets record->fault and returns false if the record cannot be used. */
bool record_take_digits(struct record *record, const uint8_t *line, size_t n_line, size_t first);
bool record_check_count(struct record *record, size_t n_expected);
bool record_refuse(struct record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets record->fault if the bytes, including the checksum, do not add up to sum (modulo 256). */
void record_check_sum(struct record *record, uint8_t sum);

#endif
