/* SPDX-License-Identifier: MIT */
/*
 * Event sets in words: "nothing", the names of their types, or "all events" and those that are not in it.
 * Most numbers have no type (yet), so if a set has most numbers of a kind, the missing ones are named. The
 * payload of an event with sets is put together anew:
 *
 *	slot …  | as recorded, from the address on | words …
 *	where the words lie, and how many bytes they are
 */
#include <string.h>
#include <trace.h>

#include "base/text.h"
#include "dialect/posix/posix.h"
#include "model/field.h"

enum {
	WORDS = POSIX_SET_BYTES / 8,
	IDS = WORDS * 64,
	FIRST_USER = POSIX_TRACE_UNNAMED_USEREVENT,
	NAMED_MAX = 16, /* further types are counted */
	NAME_MAX_BYTES = 4 * 64,
	WORDS_ROOM = (NAMED_MAX + 2) * (NAME_MAX_BYTES + 2) + 64,
};

static const char separator[] = ", ";

static bool has_id(const uint8_t *set, unsigned id)
{
	uint64_t word = load_u64(set + id / 64 * 8, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);

	return word >> id % 64 & 1;
}

/* A kind of events, by their range of numbers, and whether a set has more than half of them. */
struct kind {
	const char *all;
	unsigned from, to;
	bool has_most;
};

static bool has_most(const uint8_t *set, const struct kind *kind)
{
	unsigned n = 0;

	for (unsigned id = kind->from; id < kind->to; id++)
		n += has_id(set, id);
	return 2 * n > kind->to - kind->from;
}

static char *put_item(char *p, const char *start, const char *text)
{
	size_t n = strlen(text);

	if (p > start)
		p = text_put(p, separator, sizeof(separator) - 1);
	return text_put(p, text, n < NAME_MAX_BYTES ? n : NAME_MAX_BYTES);
}

/* The type's name as the log has it. If no event had the id, no type is made for it. */
static char *put_id(const struct posix *posix, char *p, const char *start, unsigned id)
{
	const struct posix_type *type = id < posix->types_room ? posix->types[id] : NULL;
	const char *name = type ? type->name : posix_type_predefined(id);
	char number[POSIX_NUMBER_ROOM];

	return put_item(p, start, name ? name : posix_type_number(number, id));
}

/* Names the events in the set or, if the set has most of the kind, the events that are not in it. */
static char *put_some(
	const struct posix *posix, char *p, const char *start, const uint8_t *set, const struct kind *kind)
{
	unsigned n_more = 0, n = 0;

	for (unsigned id = kind->from; id < kind->to; id++) {
		if (has_id(set, id) == kind->has_most)
			continue;
		if (n++ < NAMED_MAX / 2)
			p = put_id(posix, p, start, id);
		else
			n_more++;
	}
	if (!n_more)
		return p;
	p = put_item(p, start, "");
	p = text_put_dec(p, n_more);
	return text_put_literal(p, " more");
}

static char *put_kind(
	const struct posix *posix, char *p, const char *start, const uint8_t *set, const struct kind *kind)
{
	char *missing, *end;

	if (!kind->has_most)
		return put_some(posix, p, start, set, kind);
	p = put_item(p, start, kind->all);
	missing = text_put_literal(p, " (but ");
	end = put_some(posix, missing, missing, set, kind);
	return end > missing ? text_put_literal(end, ")") : p;
}

/* Bit 0 does not stand for an event. */
static char *put_words(const struct posix *posix, char *p, const uint8_t *set)
{
	struct kind system = { "all system events", 1, FIRST_USER, false },
		    user = { "all user events", FIRST_USER, IDS, false };
	const struct kind both = { "all events", 1, IDS, true };
	const char *start = p;

	system.has_most = has_most(set, &system);
	user.has_most = has_most(set, &user);
	if (system.has_most && user.has_most)
		return put_kind(posix, p, start, set, &both);
	p = put_kind(posix, p, start, set, &system);
	p = put_kind(posix, p, start, set, &user);
	return p > start ? p : text_put_literal(p, "nothing");
}

const uint8_t *posix_put_sets(struct posix *posix, struct batch *batch, const uint8_t *payload,
	unsigned n_sets, uint32_t *ret_n_bytes)
{
	size_t n_slots = n_sets * FIELD_SPAN_BYTES, n_recorded = POSIX_AT_DATA + n_sets * POSIX_SET_BYTES;
	uint8_t *to = batch_scratch(batch, n_slots + n_recorded + n_sets * WORDS_ROOM);
	char *p;

	if (!to)
		return NULL;
	p = (char *)to + n_slots + n_recorded;
	memcpy(to + n_slots, payload, n_recorded);
	for (unsigned i = 0; i < n_sets; i++) {
		char *end = put_words(posix, p, payload + POSIX_AT_DATA + i * POSIX_SET_BYTES);

		field_put_span(to + i * FIELD_SPAN_BYTES, (size_t)(p - (char *)to), (size_t)(end - p));
		p = end;
	}
	*ret_n_bytes = (uint32_t)(p - (char *)to);
	return to;
}
