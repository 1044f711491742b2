/* SPDX-License-Identifier: MIT */
/* The file: low byte first, in words of 32 bits, or of 64. Addresses are those of a block at BASE. */
#include <string.h>

#include "base/error.h"
#include "export/txtb.h"

enum { BASE = 0x10000000, HEADER_WORDS = 12, OBJECT_WORDS = 4 };
#define MAGIC 0x54585442U

static void txtb_write_put_word(struct outbuf *out, unsigned word, uint64_t value)
{
	if (!outbuf_reserve(out, word))
		return;
	for (unsigned i = 0; i < word; i++)
		*out->at++ = (char)(value >> 8 * i & 0xff);
}

/* --- the registry --------------------------------------------------------------------------------------- */

static uint64_t detail_number(const struct rst_object *object, const char *name)
{
	for (size_t i = 0; i < object->n_details; i++)
		if (strcmp(object->details[i].name, name) == 0)
			return object->details[i].type == RST_DETAIL_TEXT ? 0 : object->details[i].number;
	return 0;
}

/* Puts the bytes of a name as they are in the recording, or else the readable name. */
static size_t object_name(const struct rst_object *object, char name[TXTB_NAME_BYTES])
{
	const char *hex = NULL;
	size_t n = 0;

	for (size_t i = 0; i < object->n_details; i++)
		if (strcmp(object->details[i].name, "name_hex") == 0)
			hex = object->details[i].text;
	if (!hex) {
		n = text_whole_bytes(object->name, object->name_bytes, TXTB_NAME_BYTES - 1);
		if (n)
			memcpy(name, object->name, n);
		return n;
	}
	for (; n < TXTB_NAME_BYTES - 1 && hex[2 * n]; n++) {
		static const char digits[] = "0123456789abcdef";

		name[n] = (char)((strchr(digits, hex[2 * n]) - digits) << 4 |
				 (strchr(digits, hex[2 * n + 1]) - digits));
	}
	return n;
}

static void put_slot(struct outbuf *out, unsigned word, const uint8_t head[4], uint64_t address,
	const uint64_t parameter[2], const char *name, size_t n_name)
{
	char field[TXTB_NAME_BYTES] = { 0 };

	if (!outbuf_reserve(out, 4 * word + TXTB_NAME_BYTES))
		return;
	memcpy(field, name, text_whole_bytes(name, n_name, TXTB_NAME_BYTES - 1));
	memset(out->at, 0, word);
	memcpy(out->at, head, 4);
	out->at += word;
	txtb_write_put_word(out, word, address);
	txtb_write_put_word(out, word, parameter[0]);
	txtb_write_put_word(out, word, parameter[1]);
	memcpy(out->at, field, sizeof(field));
	out->at += sizeof(field);
}

/* The first parameter; for a queue the bytes of its messages, from words of the target. */
static uint64_t queue_bytes(const struct rst_object *object, uint64_t message_bytes)
{
	const uint64_t p1 = detail_number(object, "p1");

	return object->kind == RST_OBJECT_QUEUE && p1 / message_bytes != object->capacity
		       ? object->capacity * message_bytes
		       : p1;
}

/*
 * Puts the objects of a registry: they have a detail "type". Objects that only events have shown do not have
 * it.
 */
static uint64_t native_put(struct export *export, struct outbuf *out, unsigned word)
{
	const struct rst_object *object;
	uint64_t n = 0;

	for (size_t i = 0; (object = rst_trace_object(export->trace, i)); i++) {
		const uint64_t type = detail_number(object, "type"),
			       priority = detail_number(object, "priority");
		const uint64_t words = detail_number(object, "p2"), bytes = (words ? words : 1) * word;
		const uint64_t parameter[2] = { queue_bytes(object, bytes), words };
		bool has_priority = false;
		char name[TXTB_NAME_BYTES];
		size_t n_name;

		for (size_t k = 0; k < object->n_details; k++)
			has_priority |= strcmp(object->details[k].name, "priority") == 0 &&
					object->details[k].type != RST_DETAIL_NULL;
		if (!type)
			continue;
		n++;
		if (!out)
			continue;
		n_name = object_name(object, name);
		put_slot(out, word,
			(const uint8_t[4]){ (uint8_t)(detail_number(object, "available") != 0), (uint8_t)type,
				(uint8_t)(has_priority ? 0x80 | (priority >> 8 & 3) : 0),
				(uint8_t)(has_priority ? priority : 0) },
			object->id, parameter, name, n_name);
	}
	return n;
}

/* The capacity of a queue is measured in messages of one word. */
static uint64_t things_put(struct export *export, struct outbuf *out, unsigned word)
{
	enum { QUEUE = 3 };
	struct txtb *txtb = export->state;
	uint64_t n = 0;

	for (size_t i = 0; i < txtb->things.n; i++) {
		const struct txtb_thing *thing = (const void *)txtb->things.all[i];
		const struct rst_entity *entity = &thing->subject.entity;
		const uint64_t parameter[2] = { 0, thing->type == QUEUE };
		char number[32];
		const int n_number = snprintf(number, sizeof(number), entity->is_number ? "%llu" : "0x%llx",
			(unsigned long long)entity->id);
		const char *name = entity->name ? entity->name : number;
		const size_t n_name = entity->name ? entity->name_bytes : (size_t)n_number;

		if (!thing->type || (!entity->name && thing->address == entity->id))
			continue;
		n++;
		txtb->n_names_cut += !out && n_name >= TXTB_NAME_BYTES;
		if (out)
			put_slot(out, word, (const uint8_t[4]){ 0, thing->type, 0, 0 }, thing->address,
				parameter, name, n_name);
	}
	return n;
}

static uint64_t registry_put(struct export *export, struct outbuf *out, unsigned word)
{
	const struct txtb *txtb = export->state;

	return (txtb->has_native ? native_put(export, out, word) : 0) + things_put(export, out, word);
}

/* --- the ring ------------------------------------------------------------------------------------------- */

/*
 * Chosen so that the longest time between two events fits into the counter and does not look like a step
 * back.
 */
static uint64_t divider_of(uint64_t longest)
{
	const uint64_t room = UINT32_MAX - (UINT32_MAX >> 6);
	uint64_t divider = 1;

	for (unsigned step = 0; longest / divider >= room; step++)
		divider = step % 3 == 1 ? divider / 2 * 5 : divider * 2;
	return divider;
}

static void ring_put(struct export *export, unsigned word)
{
	struct txtb *txtb = export->state;
	const uint64_t origin = txtb->divider > 1 || txtb->lowest > UINT32_MAX ? txtb->lowest : 0;
	const struct txtb_entry *entry;

	while ((entry = txtb->entries.n ? spool_peek(export, &txtb->entries) : NULL)) {
		for (unsigned i = 0; i < 3; i++)
			txtb_write_put_word(export->out, word, entry->words[i]);
		txtb_write_put_word(export->out, word, (uint32_t)((entry->ticks - origin) / txtb->divider));
		for (unsigned i = 3; i < TXTB_WORDS; i++)
			txtb_write_put_word(export->out, word, entry->words[i]);
		spool_take(&txtb->entries);
	}
}

enum rst_status txtb_write(struct export *export, struct rst_error *err)
{
	struct txtb *txtb = export->state;
	const unsigned word = export->choices[0] ? 8 : 4;
	const uint64_t n_objects = registry_put(export, NULL, word);
	const uint64_t registry = BASE + (uint64_t)HEADER_WORDS * word;
	const uint64_t ring = registry + n_objects * (OBJECT_WORDS * word + TXTB_NAME_BYTES);
	const uint64_t end = ring + txtb->entries.n * (TXTB_WORDS + 1) * word;
	const uint64_t header[HEADER_WORDS] = { MAGIC, UINT32_MAX, BASE, registry,
		(uint64_t)TXTB_NAME_BYTES << 16, ring, ring, end, ring, 0xaaaaaaaa, 0xbbbbbbbb, 0xcccccccc };

	txtb->divider = divider_of(txtb->longest);
	for (unsigned i = 0; i < HEADER_WORDS; i++)
		txtb_write_put_word(export->out, word, header[i]);
	registry_put(export, export->out, word);
	ring_put(export, word);
	if (export->status < 0)
		*err = export->err;
	return export->status;
}
