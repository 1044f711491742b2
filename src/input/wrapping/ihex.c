/* SPDX-License-Identifier: MIT */
/*
 * Intel HEX (Intel, "Hexadecimal Object File Format Specification", 1988):
 *
 *      :  count  address address  type  data ...  checksum        two digits each; the sum of all is 0
 *
 * A record of type 02 (segment) or 04 (linear) holds the upper part of the addresses that follow.
 */
#include "base/load.h"
#include "input/wrapping/record.h"

enum {
	IHEX_COUNT_AT = 1, /* in the line; the other positions count in the bytes after the mark */
	IHEX_ADDRESS_AT = 1,
	IHEX_TYPE_AT = 3,
	IHEX_DATA_AT = 4,
	IHEX_AROUND = 5,    /* bytes of a record besides its data */
	IHEX_TYPE_DATA = 0, /* types 3 and 5 give the start of a program, which is of no use here */
	IHEX_TYPE_END = 1,
	IHEX_TYPE_SEGMENT = 2,
	IHEX_TYPE_LINEAR = 4,
	IHEX_BASE_BYTES = 2,
	IHEX_SEGMENT_SHIFT = 4,
	IHEX_LINEAR_SHIFT = 16,
};

static void ihex_take_base(struct record *record, uint8_t type)
{
	if (record->bytes[0] != IHEX_BASE_BYTES)
		return;
	const uint32_t base = load_u16(record->bytes + IHEX_DATA_AT, true);

	if (type == IHEX_TYPE_SEGMENT)
		record->base = base << IHEX_SEGMENT_SHIFT;
	else if (type == IHEX_TYPE_LINEAR)
		record->base = base << IHEX_LINEAR_SHIFT;
}

static bool ihex_parse(struct record *record, const uint8_t *line, size_t n_line)
{
	if (!record_take_digits(record, line, n_line, 1) ||
		!record_check_count(record, (size_t)record->bytes[0] + IHEX_AROUND))
		return false;
	const uint8_t type = record->bytes[IHEX_TYPE_AT];

	record->data_start = IHEX_DATA_AT;
	record->n_data = type == IHEX_TYPE_DATA ? record->bytes[0] : 0;
	record->is_end = type == IHEX_TYPE_END;
	record->address = record->base + load_u16(record->bytes + IHEX_ADDRESS_AT, true);
	record_check_sum(record, 0);
	if (!record->fault[0])
		ihex_take_base(record, type);
	return true;
}

static const struct record_kind ihex_kind = {
	.mark = ':', .count_at = IHEX_COUNT_AT, .end_name = "type 01", .parse = ihex_parse
};

static bool ihex_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	return record_probe(&ihex_kind, bytes, n_bytes, is_whole);
}

static enum rst_status ihex_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	(void)err;
	return record_decode(&ihex_kind, state, io);
}

const struct wrapping wrapping_ihex = {
	.name = "Intel HEX",
	.probe = ihex_probe,
	.state_size = sizeof(struct record_reader),
	.decode = ihex_decode,
};
