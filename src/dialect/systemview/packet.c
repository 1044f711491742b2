/* SPDX-License-Identifier: MIT */
/*
 * Bytes to packets. A packet is an id, its payload, and the ticks since the packet before. Ids from 24 on
 * have a length; the payload of a lower id is known by the table below. There is neither checksum nor frame
 * mark, so damage shows only where bytes cannot be a packet. Then reading goes on at the next sync, or where
 * 24 packets in a row are plausible, whichever comes first: a chance row of 24 is rare, and a sync is rarer
 * still.
 */
#include <string.h>

#include "base/load.h"
#include "dialect/systemview/systemview.h"

enum { NUMBER_BYTES = 5, ID_BYTES = 10, LONG_TEXT = 255, PLAUSIBLE_ROW = 24 };

/* Payloads of ids without a length: u: number, i: id or address, s: text. */
static const char *const forms[SV_ID_LENGTHS] = { "", "u", "u", "", "i", "", "i", "iu", "i", "ius", "", "",
	"u", "uu", "s", "u", "u", "", "", "i", "", "iuuu", "uus", "uu" };

/* Payloads of ids with a length; more bytes may follow. */
static const char *const long_forms[SV_ID_OWN - SV_ID_LENGTHS] = { "uuuu", "is", "suu", "u", "u", "i", "",
	"u" };

bool sv_number(const uint8_t **at, const uint8_t *end, unsigned n_most, uint64_t *ret)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < n_most && *at + i < end; i++) {
		const uint8_t byte = (*at)[i];

		if (i == ID_BYTES - 1 && byte > 1)
			return false;
		number |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*at += i + 1;
			*ret = number;
			return n_most != NUMBER_BYTES || number <= UINT32_MAX;
		}
	}
	return false;
}

/* The same, and tells a cut number from a long one. */
static enum sv_parse take_number(const uint8_t **at, const uint8_t *end, unsigned n_most, uint64_t *ret)
{
	const uint8_t *stop = end - *at < (ptrdiff_t)n_most ? end : *at + n_most, *byte = *at;

	while (byte < stop && *byte >= 0x80)
		byte++;
	if (byte == end && byte < *at + n_most)
		return SV_CUT;
	return sv_number(at, end, n_most, ret) ? SV_WHOLE : SV_BAD;
}

bool sv_text(const uint8_t **at, const uint8_t *end, struct text *ret)
{
	const uint8_t *from = *at;
	size_t n;

	if (from == end)
		return false;
	n = *from++;
	if (n == LONG_TEXT) {
		if (end - from < 2)
			return false;
		n = load_u16(from, true);
		from += 2;
	}
	if ((size_t)(end - from) < n)
		return false;
	*ret = (struct text){ (const char *)from, n };
	*at = from + n;
	return true;
}

/* Goes over a payload of this form. */
static enum sv_parse pass_form(const char *form, const uint8_t **at, const uint8_t *end)
{
	for (; *form; form++) {
		struct text text;
		uint64_t number;
		enum sv_parse parse;

		if (*form == 's')
			parse = sv_text(at, end, &text) ? SV_WHOLE : SV_CUT;
		else
			parse = take_number(at, end, *form == 'i' ? ID_BYTES : NUMBER_BYTES, &number);
		if (parse != SV_WHOLE)
			return parse;
	}
	return SV_WHOLE;
}

static size_t count_zeros(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *stop = at;

	while (stop < end && *stop == 0)
		stop++;
	return (size_t)(stop - at);
}

/* Zeros at the beginning of a packet: a sync, the beginning of one, or an id that is never recorded. */
static enum sv_parse parse_zeros(
	struct sv_packet *ret, const uint8_t *at, const uint8_t *end, const char **ret_what)
{
	const size_t n_zeros = count_zeros(at, end);

	ret->n_bytes = n_zeros;
	*ret_what = "a packet has the id 0, which is never recorded";
	if (n_zeros >= SV_SYNC_BYTES)
		return SV_SYNC;
	return at + n_zeros == end ? SV_CUT : SV_BAD;
}

/* Takes the length and the payload of an id that has a length. */
static enum sv_parse parse_long(
	struct sv_packet *ret, const uint8_t **at, const uint8_t *end, const char **ret_what)
{
	const uint8_t *inside;
	uint64_t n_bytes;
	enum sv_parse parse = take_number(at, end, 3, &n_bytes);

	*ret_what = "the length of a packet is longer than lengths are";
	if (parse != SV_WHOLE)
		return parse;
	if (n_bytes > UINT16_MAX)
		return SV_BAD;
	ret->payload = inside = *at;
	ret->n_payload = n_bytes;
	if ((size_t)(end - *at) < n_bytes)
		return SV_CUT;
	*at += n_bytes;
	*ret_what = "the payload of a packet is not as long as its length says";
	if (ret->id < SV_ID_OWN && pass_form(long_forms[ret->id - SV_ID_LENGTHS], &inside, *at) != SV_WHOLE)
		return SV_BAD;
	return SV_WHOLE;
}

enum sv_parse sv_parse(struct sv_packet *ret, const uint8_t *at, const uint8_t *end, const char **ret_what)
{
	const uint8_t *const start = at;
	enum sv_parse parse;
	uint64_t id, delta;

	if (at < end && *at == 0)
		return parse_zeros(ret, at, end, ret_what);
	*ret_what = "the id of a packet is longer than ids are";
	parse = take_number(&at, end, NUMBER_BYTES, &id);
	if (parse != SV_WHOLE)
		return parse;
	*ret_what = "a packet has an id that does not exist";
	if (id > SV_ID_MAX || id == SV_FREE_ID)
		return SV_BAD;
	ret->id = (uint32_t)id;
	ret->payload = at;
	if (id < SV_ID_LENGTHS) {
		*ret_what = "a number in a packet is longer than its type";
		parse = pass_form(forms[id], &at, end);
		ret->n_payload = (size_t)(at - ret->payload);
	} else {
		parse = parse_long(ret, &at, end, ret_what);
	}
	if (parse != SV_WHOLE)
		return parse;
	*ret_what = "the time of a packet is longer than times are";
	parse = take_number(&at, end, NUMBER_BYTES, &delta);
	if (parse != SV_WHOLE)
		return parse;
	ret->delta = (uint32_t)delta;
	ret->n_bytes = (size_t)(at - start);
	return SV_WHOLE;
}

bool sv_is_plausible(const uint8_t *at, const uint8_t *end, unsigned n, bool is_end)
{
	struct sv_packet packet;
	const char *what;

	for (unsigned i = 0; i < n; i++) {
		if (at == end)
			return is_end && i > 0;
		switch (sv_parse(&packet, at, end, &what)) {
		case SV_CUT:
		case SV_BAD:
			return false;
		case SV_SYNC:
			return i > 0;
		case SV_WHOLE:
			if (packet.id >= SV_ID_PLAUSIBLE || packet.delta > INT32_MAX)
				return false;
			at += packet.n_bytes;
		}
	}
	return true;
}

const uint8_t *sv_resume(const uint8_t *at, const uint8_t *end, bool is_end)
{
	for (; at < end; at++) {
		if (*at == 0 &&
			count_zeros(at, end < at + SV_SYNC_BYTES ? end : at + SV_SYNC_BYTES) == SV_SYNC_BYTES)
			return at;
		if (*at != 0 && sv_is_plausible(at, end, PLAUSIBLE_ROW, is_end))
			return at;
	}
	return end;
}
