/* SPDX-License-Identifier: MIT */
/*
 * Reads values from bits. Little-endian fields begin at the lowest bit of a byte, big-endian ones at the
 * highest. Every read first checks the bits that are left, and nothing is allocated. A value that the model's
 * fields cannot hold, such as a structure, is written as JSON.
 */
#include <string.h>

#include "base/load.h"
#include "base/real.h"
#include "base/text.h"
#include "dialect/ctf/ctf.h"

enum { NUMBER_ROOM = 32 };

static bool at_end(struct ctf_reader *reader)
{
	reader->fault = "the packet ends inside of an event";
	return false;
}

/* --- bits ----------------------------------------------------------------------------------------------- */

bool ctf_align(struct ctf_reader *reader, uint32_t align)
{
	const uint64_t mask = (uint64_t)align - 1, at = (reader->bits.at + mask) & ~mask;

	if (at > reader->bits.end)
		return at_end(reader);
	reader->bits.at = at;
	return true;
}

/* A number whose bits are no whole bytes. */
static uint64_t load_bits(const uint8_t *bytes, uint64_t at, unsigned n_bits, bool is_big)
{
	uint64_t number = 0;

	for (unsigned done = 0; done < n_bits;) {
		const unsigned shift = (unsigned)((at + done) % 8), n_there = 8 - shift;
		const unsigned n = n_there < n_bits - done ? n_there : n_bits - done;
		const uint8_t byte = bytes[(at + done) / 8];
		const uint64_t part = (uint64_t)(byte >> (is_big ? n_there - n : shift)) & ((1U << n) - 1);

		number = is_big ? number << n | part : number | part << done;
		done += n;
	}
	return number;
}

bool ctf_read_number(struct ctf_reader *reader, const struct ctf_class *class, uint64_t *ret)
{
	struct ctf_bits *bits = &reader->bits;
	const unsigned n_bits = class->n_bits;
	uint64_t number;

	if (!ctf_align(reader, class->align))
		return false;
	if (bits->end - bits->at < n_bits)
		return at_end(reader);
	if (bits->at % 8 == 0 && n_bits % 8 == 0)
		number = load_uint(bits->bytes + bits->at / 8, n_bits / 8, class->is_big);
	else
		number = load_bits(bits->bytes, bits->at, n_bits, class->is_big);
	bits->at += n_bits;
	if (class->is_signed && n_bits < 64)
		number = (number ^ (uint64_t)1 << (n_bits - 1)) - ((uint64_t)1 << (n_bits - 1));
	*ret = number;
	return true;
}

bool ctf_read_string(struct ctf_reader *reader, struct ctf_text *ret)
{
	const uint8_t *from, *end;

	if (!ctf_align(reader, 8))
		return false;
	from = reader->bits.bytes + reader->bits.at / 8;
	end = memchr(from, 0, (size_t)((reader->bits.end - reader->bits.at) / 8));
	if (!end)
		return at_end(reader);
	*ret = (struct ctf_text){ (const char *)from, (size_t)(end - from) };
	reader->bits.at += 8 * (ret->n_bytes + 1);
	return true;
}

bool ctf_count_step(struct ctf_reader *reader)
{
	if (++reader->n_steps <= CTF_STEPS_FREE + CTF_STEPS_BIT * (reader->bits.at - reader->from))
		return true;
	reader->fault = "an event has more elements than its bits can hold";
	return false;
}

uint64_t ctf_n_items(const struct ctf_reader *reader, const struct ctf_class *class)
{
	return class->kind == CTF_ARRAY ? class->n_items : reader->kept[class->from];
}

/* --- what is kept --------------------------------------------------------------------------------------- */

/*
 * A stamp of fewer bits than the clock replaces its lowest ones; if they would step back, the clock has
 * wrapped.
 */
static void take_stamp(struct ctf_time *time, uint64_t stamp, unsigned n_bits)
{
	const uint64_t mask = n_bits >= 64 ? UINT64_MAX : ((uint64_t)1 << n_bits) - 1;

	if (n_bits < 64 && (stamp & mask) < (time->ticks & mask))
		time->ticks += mask + 1;
	time->ticks = (time->ticks & ~mask) | (stamp & mask);
	time->is_known = true;
}

void ctf_keep_number(struct ctf_reader *reader, const struct ctf_member *member,
	const struct ctf_class *class, uint64_t number)
{
	if (__builtin_expect(class->clock != NULL, 0) && reader->time)
		take_stamp(reader->time, number, class->n_bits);
	if (!member)
		return;
	if (member->keep >= 0)
		reader->kept[member->keep] = number;
	if (member->role != CTF_PLAIN && reader->roles) {
		reader->roles[member->role] = number;
		reader->has_roles |= (uint64_t)1 << member->role;
		if (member->role == CTF_DISCARDED)
			reader->counter_bits = class->n_bits;
	}
}

/* --- JSON ----------------------------------------------------------------------------------------------- */

static char *out_room(struct ctf_out *out, size_t n_bytes)
{
	if (out->is_full || (size_t)(out->end - out->at) < n_bytes) {
		out->is_full = true;
		return NULL;
	}
	return out->at;
}

static void put_text(struct ctf_out *out, struct ctf_text text)
{
	char *p = out && text.n_bytes < SIZE_MAX / 8 ? out_room(out, 6 * text.n_bytes + 2) : NULL;

	if (p)
		out->at = text_put_json_kept(p, text.bytes, text.n_bytes);
}

static void put_sign(struct ctf_out *out, char sign)
{
	char *p = out ? out_room(out, 1) : NULL;

	if (p) {
		*p = sign;
		out->at = p + 1;
	}
}

static void put_json_number(struct ctf_out *out, uint64_t number, bool is_signed)
{
	char *p = out ? out_room(out, NUMBER_ROOM) : NULL;

	if (p)
		out->at = is_signed ? text_put_signed(p, (int64_t)number) : text_put_dec(p, number);
}

static void put_real(struct ctf_out *out, const struct ctf_class *class, uint64_t bits)
{
	char *p = out ? out_room(out, NUMBER_ROOM * 2) : NULL;
	const uint32_t low = (uint32_t)bits;
	double number;
	float narrow;

	if (!p)
		return;
	memcpy(&number, &bits, sizeof(number));
	memcpy(&narrow, &low, sizeof(narrow));
	if (class->n_bits == 32)
		number = (double)narrow;
	out->at = __builtin_isfinite(number) ? real_put(p, number, class->n_bits == 32)
					     : text_put_literal(p, "null");
}

static void put_label(struct ctf_out *out, const struct ctf_class *class, uint64_t number)
{
	const uint32_t label = ctf_find_label(&class->starts, class->is_signed, number);
	const char *name = label != CTF_NO_LABEL ? class->labels[label].name : NULL;

	if (name)
		put_text(out, (struct ctf_text){ name, strlen(name) });
	else
		put_json_number(out, number, class->is_signed);
}

/* --- values --------------------------------------------------------------------------------------------- */

static bool read_integer(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	uint64_t number;

	if (!ctf_read_number(reader, class, &number))
		return false;
	ctf_keep_number(reader, member, class, number);
	if (!reader->out)
		return true;
	if (class->kind == CTF_ENUMERATION)
		put_label(reader->out, class, number);
	else if (class->kind == CTF_REAL)
		put_real(reader->out, class, number);
	else
		put_json_number(reader->out, number, class->is_signed);
	return true;
}

static bool read_string(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	struct ctf_text text;

	(void)class, (void)member;
	if (!ctf_read_string(reader, &text))
		return false;
	put_text(reader->out, text);
	return true;
}

static bool read_structure(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	(void)member;
	if (!ctf_align(reader, class->align))
		return false;
	put_sign(reader->out, '{');
	for (size_t i = 0; i < class->n_members; i++) {
		const char *name = ctf_bare_name(class->members[i].name);

		if (i)
			put_sign(reader->out, ',');
		put_text(reader->out, (struct ctf_text){ name, strlen(name) });
		put_sign(reader->out, ':');
		if (!ctf_read_value(reader, class->members[i].class, &class->members[i]))
			return false;
	}
	put_sign(reader->out, '}');
	return true;
}

/* Characters in bytes, up to a NUL. */
static bool read_characters(struct ctf_reader *reader, uint64_t n_items)
{
	const char *from;
	size_t n;

	if (n_items > (reader->bits.end - reader->bits.at) / 8)
		return at_end(reader);
	from = (const char *)reader->bits.bytes + reader->bits.at / 8;
	n = strnlen(from, (size_t)n_items);
	put_text(reader->out, (struct ctf_text){ from, n });
	reader->bits.at += 8 * n_items;
	return true;
}

static bool read_array(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	const struct ctf_class *item = class->item;
	const uint64_t n_items = ctf_n_items(reader, class);

	if (!ctf_align(reader, class->align))
		return false;
	if (member && member->role == CTF_UUID && reader->roles) {
		reader->roles[CTF_UUID] = reader->bits.at / 8;
		reader->has_roles |= (uint64_t)1 << CTF_UUID;
	}
	if (item->kind == CTF_INTEGER && item->is_text && item->n_bits == 8 && reader->bits.at % 8 == 0)
		return read_characters(reader, n_items);
	put_sign(reader->out, '[');
	for (uint64_t i = 0; i < n_items; i++) {
		if (i)
			put_sign(reader->out, ',');
		if (!ctf_read_value(reader, item, NULL))
			return false;
		if (reader->out && reader->out->is_full)
			break;
	}
	put_sign(reader->out, ']');
	return true;
}

static bool read_variant(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	const uint32_t label =
		ctf_find_label(&class->starts, class->selector->is_signed, reader->kept[class->from]);

	(void)member;
	if (label != CTF_NO_LABEL)
		return ctf_read_value(reader, class->options[label]->class, class->options[label]);
	reader->fault = "a tag selects no type, so what follows cannot be read";
	return false;
}

bool ctf_read_value(struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member)
{
	static bool (*const readers[])(
		struct ctf_reader *, const struct ctf_class *, const struct ctf_member *) = {
		[CTF_INTEGER] = read_integer,
		[CTF_ENUMERATION] = read_integer,
		[CTF_REAL] = read_integer,
		[CTF_STRING] = read_string,
		[CTF_STRUCTURE] = read_structure,
		[CTF_ARRAY] = read_array,
		[CTF_SEQUENCE] = read_array,
		[CTF_VARIANT] = read_variant,
	};

	return ctf_count_step(reader) && readers[class->kind](reader, class, member);
}
