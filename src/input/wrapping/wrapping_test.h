/* SPDX-License-Identifier: MIT */
/* For tests of sources and wrappings: reads all of a source, and checks the result. */
#ifndef INPUT_WRAPPING_WRAPPING_TEST_H
#define INPUT_WRAPPING_WRAPPING_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/source.h"
#include "tests/tap.h"

/* The output of a source: the bytes, and the faults as text. */
struct outcome {
	uint8_t *bytes;
	size_t n_bytes;
	enum rst_status status;
	uint64_t n_faults;
	uint64_t first_offset, n_first_bytes; /* of the first fault, … */
	char first_what[128];		      /* … and its words */
	char wrappings[200];
};

struct blob {
	uint8_t *bytes;
	size_t n_bytes;
};

static inline void blob_add(struct blob *blob, const void *bytes, size_t n_bytes)
{
	blob->bytes = realloc(blob->bytes, blob->n_bytes + n_bytes + 1);
	memcpy(blob->bytes + blob->n_bytes, bytes, n_bytes);
	blob->n_bytes += n_bytes;
}

/* Reads all items of a source as a whole. The bytes and the words stay valid until the source is freed. */
struct taken {
	const uint8_t *bytes;
	size_t n_bytes;
	uint64_t n_faults, n_kept;
	struct input_item first; /* fault */
};

static inline enum rst_status take_items(struct source *source, struct taken *ret, struct rst_error *err)
{
	struct input_item item;
	enum rst_status status;

	*ret = (struct taken){ .n_faults = 0 };
	while ((status = source_next(source, INPUT_WHOLE, &item, err)) == RST_OK && item.kind != INPUT_END) {
		if (item.kind == INPUT_BYTES) {
			ret->bytes = item.bytes;
			ret->n_bytes = item.n_bytes;
		} else if (ret->n_kept++ == 0) {
			ret->first = item;
		}
	}
	ret->n_faults = ret->n_kept + (status == RST_OK ? item.n_more : 0);
	return status;
}

static inline struct outcome take_whole(const void *bytes, size_t n_bytes)
{
	struct outcome got = { .status = RST_E_NOMEM };
	struct source *source = NULL;
	struct taken taken;

	got.status = source_open_bytes(&source, bytes, n_bytes, "test", NULL);
	if (got.status == RST_OK)
		got.status = take_items(source, &taken, NULL);
	if (got.status == RST_OK) {
		got.bytes = malloc(taken.n_bytes + 1);
		got.n_bytes = taken.n_bytes;
		if (taken.n_bytes)
			memcpy(got.bytes, taken.bytes, taken.n_bytes);
		got.n_faults = taken.n_faults;
		got.first_offset = taken.first.offset;
		got.n_first_bytes = taken.first.n_bytes;
		snprintf(got.first_what, sizeof(got.first_what), "%s",
			taken.first.what ? taken.first.what : "");
		snprintf(got.wrappings, sizeof(got.wrappings), "%s", source_about(source).wrappings);
	}
	source_free(source);
	return got;
}

static inline bool outcome_is(const struct outcome *got, const void *bytes, size_t n_bytes)
{
	return got->status == RST_OK && got->n_bytes == n_bytes && memcmp(got->bytes, bytes, n_bytes) == 0;
}

static inline void check_text(const char *text, const void *expected, size_t n_expected,
	const char *wrappings, uint64_t n_faults, const char *sentence)
{
	struct outcome got = take_whole(text, strlen(text));

	ok(outcome_is(&got, expected, n_expected) && got.n_faults == n_faults &&
			strcmp(got.wrappings, wrappings) == 0,
		"%s", sentence);
	if (got.n_faults != n_faults || strcmp(got.wrappings, wrappings) != 0)
		printf("# [%s] %d faults: %s\n", got.wrappings, (int)got.n_faults, got.first_what);
	free(got.bytes);
}

static inline void check_fault(
	const void *bytes, size_t n_bytes, uint64_t offset, const char *words, const char *sentence)
{
	struct outcome got = take_whole(bytes, n_bytes);

	ok(got.n_faults > 0 && got.first_offset == offset && strstr(got.first_what, words), "%s", sentence);
	if (got.first_offset != offset || !strstr(got.first_what, words))
		printf("# byte %d: %s\n", (int)got.first_offset, got.first_what);
	free(got.bytes);
}

#define HEX_END	      ":00000001FF\n"
#define HEX_ONE	      ":0400000041424344F2\n"
#define HEX_3RD	      ":04000800494A4B4CCA\n"
#define HEX_3RD_WRONG ":04000800494A4B4CCB\n"
#define HEX_1ST	      HEX_ONE ":0400040045464748DE\n" HEX_END
#define SREC_END      "S9030000FC\n"
#define SREC_ONE      "S107000041424344EE\n"
#define PLAIN	      "4142434445464748\n"

#endif
