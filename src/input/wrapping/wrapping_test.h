/* SPDX-License-Identifier: MIT */
/* What tests of sources and wrappings share: what came out of some bytes, and whether that is right. */
#ifndef INPUT_WRAPPING_WRAPPING_TEST_H
#define INPUT_WRAPPING_WRAPPING_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input/source.h"
#include "tests/tap.h"

/* What came out of a source: the bytes, and the faults as text. */
struct outcome {
	uint8_t *bytes;
	size_t n_bytes;
	enum rst_status status;
	uint64_t n_faults;
	struct source_fault first;
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

static inline void outcome_note(struct outcome *ret, const struct source *source)
{
	size_t n_kept;
	const struct source_fault *faults = source_faults(source, &n_kept, &ret->n_faults);

	if (n_kept)
		ret->first = faults[0];
	snprintf(ret->wrappings, sizeof(ret->wrappings), "%s", source_wrappings(source));
}

static inline struct outcome take_whole(const void *bytes, size_t n_bytes)
{
	struct outcome got = { .status = RST_E_NOMEM };
	struct source *source = NULL;
	const uint8_t *run;

	got.status = source_open_bytes(&source, bytes, n_bytes, "test", NULL);
	if (got.status == RST_OK)
		got.status = source_whole(source, &run, &got.n_bytes, NULL);
	if (got.status == RST_OK) {
		got.bytes = malloc(got.n_bytes + 1);
		if (got.n_bytes)
			memcpy(got.bytes, run, got.n_bytes);
		outcome_note(&got, source);
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
		printf("# [%s] %d faults: %s\n", got.wrappings, (int)got.n_faults, got.first.what);
	free(got.bytes);
}

static inline void check_fault(
	const void *bytes, size_t n_bytes, uint64_t offset, const char *words, const char *sentence)
{
	struct outcome got = take_whole(bytes, n_bytes);

	ok(got.n_faults > 0 && got.first.offset == offset && strstr(got.first.what, words), "%s", sentence);
	if (got.first.offset != offset || !strstr(got.first.what, words))
		printf("# byte %d: %s\n", (int)got.first.offset, got.first.what);
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
