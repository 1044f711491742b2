/* SPDX-License-Identifier: MIT */
/* Packed data of every kind: whole, in parts, cut and broken; and bytes that only look like it. */
#include <bzlib.h>
#include <lzma.h>

#include "input/wrapping/packed_test.h"

enum { FIRST_BYTES = 70000, CUT_BYTES = 110000 };

static void blob_add_zstd_checked(struct blob *blob, const void *bytes, size_t n_bytes)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	const size_t room = ZSTD_compressBound(n_bytes);
	uint8_t *packed = malloc(room);

	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	blob_add(blob, packed, ZSTD_compress2(context, packed, room, bytes, n_bytes));
	free(packed);
	ZSTD_freeCCtx(context);
}

static void blob_add_xz(struct blob *blob, const void *bytes, size_t n_bytes)
{
	const size_t room = lzma_stream_buffer_bound(n_bytes);
	uint8_t *packed = malloc(room);
	size_t n_packed = 0;

	if (lzma_easy_buffer_encode(0, LZMA_CHECK_CRC64, NULL, bytes, n_bytes, packed, &n_packed, room) ==
		LZMA_OK)
		blob_add(blob, packed, n_packed);
	free(packed);
}

/* Uses blocks of 100 kB. */
static void blob_add_bzip2(struct blob *blob, const void *bytes, size_t n_bytes)
{
	unsigned n_packed = (unsigned)(n_bytes + n_bytes / 50 + 600);
	char *packed = malloc(n_packed);

	if (BZ2_bzBuffToBuffCompress(
		    packed, &n_packed, (char *)(uintptr_t)bytes, (unsigned)n_bytes, 1, 0, 0) == BZ_OK)
		blob_add(blob, packed, n_packed);
	free(packed);
}

static const struct format {
	const char *name;
	void (*add)(struct blob *, const void *, size_t);
	size_t n_magic;	   /* bytes that identify it */
	size_t n_from_end; /* the place of a checksum */
} formats[] = {
	{ "gzip", blob_add_gzip, 4, 1 }, { "zstd", blob_add_zstd_checked, 4, 1 }, { "xz", blob_add_xz, 6, 1 },
	{ "bzip2", blob_add_bzip2, 4, 3 }, /* its last byte may be padding */
};

enum { N_FORMATS = sizeof(formats) / sizeof(*formats) };

/* Makes three parts, the second one empty. Returns the bytes of the first. */
static size_t pack_parts(const struct format *format, const struct blob *noise, struct blob *packed)
{
	format->add(packed, noise->bytes, FIRST_BYTES);
	const size_t n_first = packed->n_bytes;

	format->add(packed, "", 0);
	format->add(packed, noise->bytes + FIRST_BYTES, noise->n_bytes - FIRST_BYTES);
	return n_first;
}

static void test_packed(const struct format *format)
{
	const char *name = format->name;
	struct blob noise = blob_noise(LONG_BYTES), packed = { NULL, 0 };
	struct outcome got;

	const size_t n_first = pack_parts(format, &noise, &packed);

	got = take_whole(packed.bytes, packed.n_bytes);
	ok(outcome_is(&got, noise.bytes, LONG_BYTES) && !got.n_faults && !strcmp(got.wrappings, name),
		"%s in three parts, one of them empty, gives all bytes", name);
	free(got.bytes);
	got = take_whole(packed.bytes, n_first + CUT_BYTES);
	ok(got.n_bytes > FIRST_BYTES && got.n_bytes < LONG_BYTES &&
			!memcmp(got.bytes, noise.bytes, got.n_bytes) && got.n_faults == 1 &&
			strstr(got.first_what, "is cut here"),
		"%s that is cut gives what came before, and a fault", name);
	is_number(got.first_offset, n_first + CUT_BYTES, "the fault is where the file ends");
	free(got.bytes);
	packed.bytes[n_first - format->n_from_end] ^= 0x40;
	got = take_whole(packed.bytes, packed.n_bytes);
	ok(outcome_is(&got, noise.bytes, FIRST_BYTES) && got.n_faults == 1 &&
			strstr(got.first_what, "corrupt here") &&
			got.n_first_bytes >= packed.n_bytes - n_first,
		"%s with a wrong checksum is a fault, and its bytes are given", name);
	free(got.bytes);
	packed.bytes[n_first - format->n_from_end] ^= 0x40;
	packed.n_bytes = n_first;
	blob_add(&packed, "garbage", 7);
	got = take_whole(packed.bytes, packed.n_bytes);
	ok(outcome_is(&got, noise.bytes, FIRST_BYTES) && got.n_faults == 1 && got.first_offset == n_first &&
			got.n_first_bytes == 7 && strstr(got.first_what, "what follows"),
		"what follows %s data is a fault of known length", name);
	free(got.bytes);
	free(packed.bytes);
	free(noise.bytes);
}

static void test_zstd_blocks(void)
{
	struct blob noise = blob_noise(LONG_BYTES), packed = { NULL, 0 };
	const uint8_t skippable[] = { 0x51, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 'h', 'i' };

	blob_add(&packed, skippable, sizeof(skippable));
	struct outcome got = take_whole(packed.bytes, packed.n_bytes);

	is_text(got.wrappings, "", "a skippable frame alone is not taken for zstd");
	free(got.bytes);
	blob_add_zstd(&packed, noise.bytes, noise.n_bytes);
	got = take_whole(packed.bytes, packed.n_bytes);
	ok(outcome_is(&got, noise.bytes, noise.n_bytes) && !got.n_faults,
		"a skippable frame in front is skipped");
	free(got.bytes);
	/*
	 * The second block's header: noise is stored in raw blocks of 128 KiB behind 9 bytes of frame header.
	 */
	packed.bytes[sizeof(skippable) + 9 + 3 + 128 * 1024] |= 6;
	got = take_whole(packed.bytes, packed.n_bytes);
	ok(got.n_bytes == 128 * 1024 && !memcmp(got.bytes, noise.bytes, got.n_bytes) && got.n_faults == 1,
		"a bad block takes nothing from the block before it");
	free(got.bytes);
	free(packed.bytes);
	free(noise.bytes);
}

/* If the data is too short to give any byte, a look must report the reason at once. */
static void check_cut(const struct format *format)
{
	struct blob packed = { NULL, 0 };
	bool all_told = true;

	format->add(&packed, "no digits, no digits, no zeros", 30);
	for (size_t n = format->n_magic; n < packed.n_bytes; n++) {
		struct source *source;
		struct source_front front = { 0 };
		struct input_item item = { 0 };

		source_open_bytes(&source, packed.bytes, n, "test", NULL);
		source_look(source, &front, NULL);
		source_next(source, INPUT_AS_IT_COMES, &item, NULL);
		all_told &= front.is_whole && item.kind == INPUT_DAMAGE &&
			    strstr(item.what, "data is cut here") && item.offset == n &&
			    !strcmp(source_about(source).wrappings, format->name);
		source_free(source);
	}
	ok(all_told, "%s cut anywhere is damage in front of all bytes", format->name);
	free(packed.bytes);
}

/* Bytes that begin with the magic of zstd. */
static void test_zstd_false(void)
{
	const char *const others[] = {
		"\x28\xb5\x2f\xfd\x08",				       /* a reserved bit */
		"\x28\xb5\x2f\xfd hello, this is a text",	       /* a block of over 128 KiB */
		"\x28\xb5\x2f\xfd\x20\x05\x2f\x01\x01",		       /* a reserved type of block */
		"\x51\x2a\x4d\x18\x01\x01\x01\x01\x28\xb5\x2f\xfd\x08" /* skipped too far */
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		check_text(others[i], others[i], strlen(others[i]), "", 0,
			"what only begins as zstd is given as it is");
}

static void check_padding(const struct format *format)
{
	struct blob packed = { NULL, 0 };

	format->add(&packed, "ABCD", 4);
	blob_add(&packed, "\0\0\0\0", 4);
	format->add(&packed, "EFGH", 4);
	blob_add(&packed, "\0\0\0\0", 4);
	struct outcome got = take_whole(packed.bytes, packed.n_bytes);

	ok(outcome_is(&got, "ABCDEFGH", 8) && !got.n_faults,
		"zeros between and behind the members of %s are padding", format->name);
	free(got.bytes);
	free(packed.bytes);
}

/* Damage in the second block of two: the bytes of the first one are given. */
static void test_bzip2_blocks(void)
{
	struct blob noise = blob_noise(LONG_BYTES), packed = { NULL, 0 };

	blob_add_bzip2(&packed, noise.bytes, noise.n_bytes);
	packed.bytes[150000] ^= 0xff;
	struct outcome got = take_whole(packed.bytes, packed.n_bytes);

	ok(got.n_bytes > 99000 && got.n_bytes < LONG_BYTES && !memcmp(got.bytes, noise.bytes, 99000) &&
			got.n_faults == 1 && strstr(got.first_what, "bzip2 data is corrupt here") &&
			got.first_offset > 100000,
		"a bad block of bzip2 takes nothing from the block before it");
	free(got.bytes);
	free(packed.bytes);
	free(noise.bytes);
}

/* Bytes that only begin as the other formats do. */
static void test_false(void)
{
	const char *const others[] = {
		"BZh9 is the name of a bus",
		"BZh0\x31\x41\x59\x26\x53\x59",
		"BZh9\x31\x41\x59\x26\x53\x58",
	};
	static const char reserved[] = "\xfd"
				       "7zXZ\0\1\4 and so on";

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		check_text(others[i], others[i], strlen(others[i]), "", 0,
			"what only begins as bzip2 is given as it is");
	struct outcome got = take_whole(reserved, sizeof(reserved));

	ok(outcome_is(&got, reserved, sizeof(reserved)) && !got.wrappings[0],
		"what only begins as xz is given as it is");
	free(got.bytes);
}

/* A block whose header needs a larger dictionary than the limit. */
static void test_xz_memory(void)
{
	lzma_options_lzma options;
	const lzma_filter filters[] = { { LZMA_FILTER_LZMA2, &options }, { LZMA_VLI_UNKNOWN, NULL } };
	uint8_t packed[200];
	struct blob two = { NULL, 0 };
	size_t n_packed = 0;

	blob_add_xz(&two, "ABCD", 4);
	const size_t n_first = two.n_bytes;

	lzma_lzma_preset(&options, 0);
	options.dict_size = 256 << 20;
	if (lzma_stream_buffer_encode((lzma_filter *)(uintptr_t)filters, LZMA_CHECK_CRC32, NULL,
		    (const uint8_t *)"EFGH", 4, packed, &n_packed, sizeof(packed)) == LZMA_OK)
		blob_add(&two, packed, n_packed);
	struct outcome got = take_whole(two.bytes, two.n_bytes);

	ok(outcome_is(&got, "ABCD", 4) && got.n_faults == 1 && got.first_offset == n_first &&
			got.n_first_bytes == two.n_bytes - n_first &&
			strstr(got.first_what,
				"needs over 128 MiB of memory to unpack; unpack it with xz -dc first"),
		"a block of xz that needs too much memory is refused, and what came before is given");
	free(got.bytes);
	free(two.bytes);
}

int main(void)
{
	for (size_t i = 0; i < N_FORMATS; i++) {
		test_packed(&formats[i]);
		check_cut(&formats[i]);
		if (strcmp(formats[i].name, "zstd") != 0)
			check_padding(&formats[i]);
	}
	test_zstd_blocks();
	test_zstd_false();
	test_bzip2_blocks();
	test_false();
	test_xz_memory();
	return tap_done();
}
