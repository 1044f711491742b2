/* SPDX-License-Identifier: MIT */
/* Images against the layout tables: every field at its offset, in both word sizes and both byte orders. */
#include "embed/threadx/txtb_image.h"

#include <string.h>

#include "base/load.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096, DIRT = 0xa5 };

struct expected_field {
	const char *name;
	uint8_t at_32, at_64; /* offset in bytes, by word size */
	uint8_t n_bytes;      /* 0 for a word */
	uint64_t value_32, value_64;
};

/* The four ways a target may write the same things. */
static const struct {
	const char *name;
	uint8_t word_bytes, is_big_endian;
	uint8_t first_bytes[8];
} layouts[] = {
	{ "little-endian, 32 bits", 4, 0, { 0x42, 0x54, 0x58, 0x54, 0xff, 0xff, 0, 0 } },
	{ "big-endian, 32 bits", 4, 1, { 0x54, 0x58, 0x54, 0x42, 0, 0, 0xff, 0xff } },
	{ "little-endian, 64 bits", 8, 0, { 0x42, 0x54, 0x58, 0x54, 0, 0, 0, 0 } },
	{ "big-endian, 64 bits", 8, 1, { 0, 0, 0, 0, 0x54, 0x58, 0x54, 0x42 } },
};

enum { N_LAYOUTS = sizeof(layouts) / sizeof(layouts[0]) };

static struct txtb_layout layout_of(unsigned i)
{
	return (struct txtb_layout){ .word_bytes = layouts[i].word_bytes,
		.is_big_endian = layouts[i].is_big_endian,
		.name_bytes = 32,
		.n_registry = 3,
		.n_events = 5,
		.base = 0x712340000000,
		.timer_mask = 0xffff };
}

static uint64_t field_load(
	const struct txtb_layout *layout, const uint8_t *bytes, const struct expected_field *field)
{
	unsigned n_bytes = field->n_bytes ? field->n_bytes : layout->word_bytes;

	return load_uint(bytes + (layout->word_bytes == 8 ? field->at_64 : field->at_32), n_bytes,
		layout->is_big_endian);
}

static bool fields_hold(const struct txtb_layout *layout, const uint8_t *bytes,
	const struct expected_field *fields, size_t n_fields, const char *layout_name)
{
	bool all_hold = true;

	for (size_t i = 0; i < n_fields; i++) {
		uint64_t got = field_load(layout, bytes, &fields[i]);
		uint64_t expected = layout->word_bytes == 8 ? fields[i].value_64 : fields[i].value_32;

		if (got != expected)
			all_hold = ok(false, "%s: %s is 0x%llx, not 0x%llx", layout_name, fields[i].name,
				(unsigned long long)got, (unsigned long long)expected);
	}
	return all_hold;
}

/* 3 objects of 48 (64) bytes and 5 events of 32 (64) at 0x7123_4000_0000, whose low word is 0x40000000. */
static void check_header(unsigned i)
{
	static const struct expected_field fields[] = {
		{ "id", 0, 0, 0, 0x54585442, 0x54585442 },
		{ "timer mask", 4, 8, 0, 0xffff, 0xffff },
		{ "base", 8, 16, 0, 0x40000000, 0x712340000000 },
		{ "registry start", 12, 24, 0, 0x40000030, 0x712340000060 },
		{ "reserved 1", 16, 32, 2, 0, 0 },
		{ "name size", 18, 34, 2, 32, 32 },
		{ "registry end", 20, 40, 0, 0x400000c0, 0x712340000120 },
		{ "ring start", 24, 48, 0, 0x400000c0, 0x712340000120 },
		{ "ring end", 28, 56, 0, 0x40000160, 0x712340000260 },
		{ "ring current", 32, 64, 0, 0x40000100, 0x7123400001a0 },
		{ "reserved 2", 36, 72, 0, 0xaaaaaaaa, 0xaaaaaaaa },
		{ "reserved 3", 40, 80, 0, 0xbbbbbbbb, 0xbbbbbbbb },
		{ "reserved 4", 44, 88, 0, 0xcccccccc, 0xcccccccc },
	};
	struct txtb_layout layout = layout_of(i);
	uint8_t image[IMAGE_ROOM];
	size_t n_bytes = layout.word_bytes == 8 ? 96 : 48;
	static const uint8_t zeros[4];

	memset(image, DIRT, sizeof(image));
	txtb_put_header(&layout, image, 2);
	ok(fields_hold(&layout, image, fields, sizeof(fields) / sizeof(fields[0]), layouts[i].name),
		"%s: every header field stands at its offset", layouts[i].name);
	ok(memcmp(image, layouts[i].first_bytes, 8) == 0, "%s: the first eight bytes give the layout",
		layouts[i].name);
	ok(txtb_header_bytes(&layout) == n_bytes && image[n_bytes - 1] != DIRT && image[n_bytes] == DIRT,
		"%s: the header has %zu bytes and writes no more", layouts[i].name, n_bytes);
	if (layout.word_bytes == 8)
		ok(memcmp(image + 36, zeros, 4) == 0, "%s: the padding of the header is zero",
			layouts[i].name);
}

static void check_object(unsigned i)
{
	static const struct expected_field fields[] = {
		{ "available", 0, 0, 1, 0, 0 },
		{ "type", 1, 1, 1, 1, 1 },
		{ "priority mark and high bits", 2, 2, 1, 0x83, 0x83 },
		{ "priority low bits", 3, 3, 1, 0xe8, 0xe8 },
		{ "pointer", 4, 8, 0, 0x34567890, 0x7f1234567890 },
		{ "parameter 1", 8, 16, 0, 0x89abcdef, 0x0123456789abcdef },
		{ "parameter 2", 12, 24, 0, 2048, 2048 },
	};
	static const struct txtb_object object = { .type = TXTB_TYPE_THREAD,
		.has_priority = 1,
		.priority = 1000,
		.address = 0x7f1234567890,
		.parameter_1 = 0x0123456789abcdef,
		.parameter_2 = 2048,
		.name = "a thread" };
	struct txtb_layout layout = layout_of(i);
	uint8_t image[IMAGE_ROOM];
	size_t n_bytes = layout.word_bytes == 8 ? 64 : 48;
	uint8_t *entry = image + txtb_header_bytes(&layout) + n_bytes;
	const char *name = (const char *)entry + (layout.word_bytes == 8 ? 32 : 16);
	static const uint8_t zeros[32];

	memset(image, DIRT, sizeof(image));
	txtb_put_object(&layout, image, 1, &object);
	ok(fields_hold(&layout, entry, fields, sizeof(fields) / sizeof(fields[0]), layouts[i].name),
		"%s: every object field stands at its offset", layouts[i].name);
	ok(memcmp(name, "a thread", 8) == 0 && memcmp(name + 8, zeros, 24) == 0,
		"%s: the name is followed by zeros", layouts[i].name);
	ok(layout.word_bytes == 4 || memcmp(entry + 4, zeros, 4) == 0, "%s: no padding keeps old bytes",
		layouts[i].name);
	ok(txtb_object_bytes(&layout) == n_bytes && entry[-1] == DIRT && entry[n_bytes] == DIRT,
		"%s: an object has %zu bytes and touches no neighbour", layouts[i].name, n_bytes);
}

static void check_event(unsigned i)
{
	static const struct expected_field fields[] = {
		{ "thread", 0, 0, 0, 0x34567890, 0x7f1234567890 },
		{ "priority", 4, 8, 0, 0x80030007, 0x80030007 },
		{ "core and id", 8, 16, 0, 0x05000045, 0x05000045 },
		{ "stamp", 12, 24, 0, 0xdeadbeef, 0x1deadbeef },
		{ "information 1", 16, 32, 0, 1, 1 },
		{ "information 2", 20, 40, 0, 0xffffffff, 0xffffffff },
		{ "information 3", 24, 48, 0, 0x55667788, 0x1122334455667788 },
		{ "information 4", 28, 56, 0, 4, 4 },
	};
	const struct txtb_event event = { .thread = 0x7f1234567890,
		.priority = txtb_priority(7, 3),
		.id = 69,
		.core = 5,
		.stamp = 0x1deadbeef,
		.info = { 1, 0xffffffff, 0x1122334455667788, 4 } };
	struct txtb_layout layout = layout_of(i);
	uint8_t image[IMAGE_ROOM];
	size_t n_bytes = layout.word_bytes == 8 ? 64 : 32;
	uint8_t *entry = image + (layout.word_bytes == 8 ? 96 + 3 * 64 : 48 + 3 * 48) + 4 * n_bytes;

	memset(image, DIRT, sizeof(image));
	txtb_put_event(&layout, image, 4, &event);
	ok(fields_hold(&layout, entry, fields, sizeof(fields) / sizeof(fields[0]), layouts[i].name),
		"%s: every event field stands at its offset", layouts[i].name);
	ok(txtb_event_bytes(&layout) == n_bytes && entry[-1] == DIRT && entry[n_bytes] == DIRT,
		"%s: an event has %zu bytes and touches no neighbour", layouts[i].name, n_bytes);
	is_number(txtb_image_bytes(&layout), (uint64_t)(entry + n_bytes - image),
		"the image ends with the last event");
}

/* An image filled slot by slot is what streaming piece by piece gives. */
static void check_streaming(unsigned i)
{
	const struct txtb_object object = { .type = TXTB_TYPE_QUEUE, .address = 0x1000, .name = "queue" };
	const struct txtb_event event = { .thread = TXTB_THREAD_INTERRUPT, .id = 3, .stamp = 99 };
	struct txtb_layout layout = layout_of(i);
	uint8_t image[IMAGE_ROOM] = { 0 }, stream[IMAGE_ROOM] = { 0 };
	uint8_t *at = stream;

	for (uint32_t slot = layout.n_registry; slot-- > 0;)
		txtb_put_object(&layout, image, slot, slot ? NULL : &object);
	for (uint64_t slot = layout.n_events; slot-- > 0;)
		txtb_put_event(&layout, image, slot, slot % 2 ? NULL : &event);
	txtb_put_header(&layout, image, 4);

	txtb_put_header(&layout, at, 4);
	at += txtb_header_bytes(&layout);
	for (uint32_t slot = 0; slot < layout.n_registry; slot++, at += txtb_object_bytes(&layout))
		txtb_store_object(&layout, at, slot ? NULL : &object);
	for (uint64_t slot = 0; slot < layout.n_events; slot++, at += txtb_event_bytes(&layout))
		txtb_store_event(&layout, at, slot % 2 ? NULL : &event);

	ok((uint64_t)(at - stream) == txtb_image_bytes(&layout) && memcmp(image, stream, IMAGE_ROOM) == 0,
		"%s: pieces streamed in order make the same image as slots filled backwards",
		layouts[i].name);
}

static void check_names(void)
{
	static const char long_name[] = "seventeen letters and more";
	struct txtb_layout layout = layout_of(0);
	uint8_t entry[64];

	layout.name_bytes = 18;
	memset(entry, DIRT, sizeof(entry));
	txtb_store_object(
		&layout, entry, &(struct txtb_object){ .type = 3, .address = 1, .name = long_name });
	is_number(txtb_object_bytes(&layout), 36, "a name size of 18 makes entries of 36 bytes, not 34");
	ok(memcmp(entry + 16, "seventeen letters\0\0\0", 20) == 0 && entry[36] == DIRT,
		"a long name is cut to one byte less than its field, and the padding is zero");
	layout.word_bytes = 8;
	is_number(txtb_object_bytes(&layout), 56,
		"with 64-bit words a name size of 18 makes entries of 56 bytes");
	layout.name_bytes = 0;
	memset(entry, DIRT, sizeof(entry));
	txtb_store_object(
		&layout, entry, &(struct txtb_object){ .type = 3, .address = 1, .name = long_name });
	ok(txtb_object_bytes(&layout) == 32 && entry[32] == DIRT, "a name size of 0 leaves no name");

	layout = layout_of(0);
	static const char name_32[] = "0123456789abcdef0123456789ABCDEF";

	txtb_store_object(&layout, entry, &(struct txtb_object){ .type = 3, .address = 1, .name = name_32 });
	ok(memcmp(entry + 16, name_32, 31) == 0 && entry[47] == 0,
		"the default name field keeps 31 characters and a NUL");
	txtb_store_object(&layout, entry, &(struct txtb_object){ .type = 3, .address = 1 });
	is_number(entry[16], 0, "an object without a name has an empty one");
}

static void check_slots(void)
{
	static const uint8_t unused[48] = { 1 };
	static const struct txtb_object deleted = { .is_free = 1, .type = TXTB_TYPE_MUTEX, .address = 16 };
	struct txtb_layout layout = layout_of(0);
	uint8_t entry[48];

	txtb_store_object(&layout, entry, NULL);
	ok(memcmp(entry, unused, sizeof(unused)) == 0, "an unused slot is available and otherwise zero");
	txtb_store_object(&layout, entry, &deleted);
	ok(entry[0] == 1 && entry[1] == 5 && entry[4] == 16,
		"a deleted object is available and still listed");
	ok(entry[2] == 0 && entry[3] == 0, "an object without a known priority has no priority mark");
	txtb_store_event(&layout, entry, NULL);
	is_number(load_u32(entry, false), 0, "an entry that was never written has thread 0");
	txtb_store_event(&layout, entry, &(struct txtb_event){ .thread = TXTB_THREAD_INIT, .id = 6 });
	is_number(load_u32(entry, false), 0xf0f0f0f0, "initialisation has its mark in place of a thread");
}

static void check_priorities(void)
{
	is_number(txtb_priority(0, 0), 0x80000000, "bit 31 is set even for priority 0");
	is_number(
		txtb_priority(1023, 5), 0x800503ff, "priority is in bits 0 to 9, threshold in bits 16 to 25");
	is_number(txtb_priority(1024, 1024), 0x80000000,
		"what exceeds ten bits does not leak into other fields");
}

int main(void)
{
	for (unsigned i = 0; i < N_LAYOUTS; i++) {
		check_header(i);
		check_object(i);
		check_event(i);
		check_streaming(i);
	}
	check_names();
	check_slots();
	check_priorities();
	return tap_done();
}
