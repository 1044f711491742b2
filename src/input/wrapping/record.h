/* SPDX-License-Identifier: MIT */
/*
 * Lines of hexadecimal records, what Intel HEX and Motorola S-records have in common: a mark, a count, an address,
 * data and a checksum to a line. Data is joined in the order of lines; holes between addresses are filled (section.h).
 */
#ifndef INPUT_WRAPPING_RECORD_H
#define INPUT_WRAPPING_RECORD_H

#include "input/wrapping/section.h"

enum {
	RECORD_BYTES_MAX = 260, /* Intel HEX with 255 data bytes: count, address, type, data, checksum */
};

struct record {
	uint8_t bytes[RECORD_BYTES_MAX]; /* behind the mark */
	size_t n_bytes;
	size_t data_start; /* the trace data in bytes; none in a record of another type */
	size_t n_data;
	uint32_t address; /* of the data */
	uint32_t base;	  /* what earlier records of addresses add; kept from line to line */
	bool is_end;	  /* the type that ends the file */
	char fault[80];	  /* "" or what is wrong */
};

struct record_kind {
	char mark;	  /* every record begins with it */
	uint8_t count_at; /* where in a line the two digits of the count are */
	const char *end_name;

	/*
	 * Reads one line without blanks around it. Returns false if it cannot be used. True with a fault set
	 * when only the checksum is wrong.
	 */
	bool (*parse)(struct record *record, const uint8_t *line, size_t n_line);
};

struct record_reader {
	struct line_reader line;
	struct section section;
	bool has_end; /* an end record was seen, perhaps a damaged one */
	bool is_over; /* a whole end record was seen */
	struct record record;
	size_t n_given; /* of the record's data */
};

/* True when one of the first lines is a record of this kind and the first begins as one. */
bool record_probe(const struct record_kind *kind, const uint8_t *bytes, size_t n_bytes, bool is_whole);

enum rst_status record_decode(
	const struct record_kind *kind, struct record_reader *reader, struct wrapping_io *io);

/* For record_kind.parse. Each sets record->fault and returns false when the record cannot be used. */
bool record_take_digits(struct record *record, const uint8_t *line, size_t n_line, size_t first);
bool record_check_count(struct record *record, size_t n_expected);
bool record_refuse(struct record *record, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Sets record->fault when the bytes, the checksum among them, do not add up to sum (modulo 256). */
void record_check_sum(struct record *record, uint8_t sum);

#endif
