/* SPDX-License-Identifier: MIT */
/*
 * Motorola S-records (M68000 Family Programmer's Reference Manual, appendix C):
 *
 *      S type  count  address ...  data ...  checksum        two digits each; count is of what follows it,
 *                                                            and the sum of all behind the type is 0xff
 */
#include "base/load.h"
#include "input/wrapping/record.h"

enum { SREC_DIGITS_AT = 2, SREC_SUM = 0xff };

/* Indexed by the type digit. S4 is reserved, S0 is a header, S5 and S6 count records. */
static const struct srec_type {
	uint8_t n_address;
	bool is_data, is_end;
} srec_types[10] = {
	[0] = { .n_address = 2 },
	[1] = { .n_address = 2, .is_data = true },
	[2] = { .n_address = 3, .is_data = true },
	[3] = { .n_address = 4, .is_data = true },
	[4] = { .n_address = 0 },
	[5] = { .n_address = 2 },
	[6] = { .n_address = 3 },
	[7] = { .n_address = 4, .is_end = true },
	[8] = { .n_address = 3, .is_end = true },
	[9] = { .n_address = 2, .is_end = true },
};

static bool srec_parse(struct record *record, const uint8_t *line, size_t n_line)
{
	if (n_line < SREC_DIGITS_AT || line[1] < '0' || line[1] > '9')
		return record_refuse(record, "has no type digit behind the S; the record is left out");
	const struct srec_type *type = &srec_types[line[1] - '0'];

	if (!record_take_digits(record, line, n_line, SREC_DIGITS_AT) ||
		!record_check_count(record, (size_t)record->bytes[0] + 1))
		return false;
	const size_t n_around = (size_t)type->n_address + 2; /* count, address, checksum */

	if (record->n_bytes < n_around)
		return record_refuse(
			record, "too short for the address of an S%c; the record is left out", line[1]);
	record->data_start = (size_t)type->n_address + 1;
	record->n_data = type->is_data ? record->n_bytes - n_around : 0;
	record->address = (uint32_t)load_uint(record->bytes + 1, type->n_address, true);
	record->is_end = type->is_end;
	record_check_sum(record, SREC_SUM);
	return true;
}

static const struct record_kind srec_kind = {
	.mark = 'S', .count_at = SREC_DIGITS_AT, .end_name = "S7, S8 or S9", .parse = srec_parse
};

static bool srec_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	return record_probe(&srec_kind, bytes, n_bytes, is_whole);
}

static enum rst_status srec_decode(void *state, struct wrapping_io *io, struct rst_error *err)
{
	(void)err;
	return record_decode(&srec_kind, state, io);
}

const struct wrapping wrapping_srec = {
	.name = "S-records",
	.probe = srec_probe,
	.state_size = sizeof(struct record_reader),
	.decode = srec_decode,
};
