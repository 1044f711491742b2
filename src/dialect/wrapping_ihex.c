/* SPDX-License-Identifier: MIT */
/*
 * Intel HEX (Intel, "Hexadecimal Object File Format Specification", 1988):
 *
 *      :  count  address address  type  data ...  checksum        two digits each; the sum of all is 0
 */
#include "dialect/wrapping_record.h"

enum {
	IHEX_TYPE_AT = 3,
	IHEX_DATA_AT = 4,
	IHEX_AROUND = 5,    /* bytes of a record besides its data */
	IHEX_TYPE_DATA = 0, /* types 2 to 5 say addresses, which are of no use here */
	IHEX_TYPE_END = 1,
};

static bool ihex_parse(struct record *record, const uint8_t *line, size_t n_line)
{
	if (!record_take_digits(record, line, n_line, 1) ||
		!record_check_count(record, (size_t)record->bytes[0] + IHEX_AROUND))
		return false;
	const uint8_t type = record->bytes[IHEX_TYPE_AT];

	record->data_start = IHEX_DATA_AT;
	record->n_data = type == IHEX_TYPE_DATA ? record->bytes[0] : 0;
	record->is_end = type == IHEX_TYPE_END;
	record_check_sum(record, 0);
	return true;
}

static const struct record_kind ihex_kind = { .mark = ':', .end_name = "type 01", .parse = ihex_parse };

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
