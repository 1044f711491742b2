/* SPDX-License-Identifier: MIT */
/* Bytes through all wrappings: nothing may crash, hang or give other bytes by chunks than as a whole. */
#include <stdlib.h>
#include <string.h>

#include "input/source.h"

#define FUZZ_MADE_MAX ((size_t)8 << 20) /* bombs are known; time is better spent elsewhere */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void source_require(bool holds)
{
	if (!holds)
		abort();
}

/* Sums of the items of a source. */
struct made {
	size_t n_bytes;
	uint64_t sum, n_kept, n_more;
	bool is_over;
};

static void item_check_damage(const struct source *source, const struct input_item *item)
{
	const bool is_nested = strstr(item->what, "(in the unpacked data)");
	const uint64_t n_file = source_about(source).n_file;

	source_require(item->what[0] && (is_nested || item->offset <= n_file));
	source_require(is_nested || item->n_bytes <= n_file - item->offset);
}

/*
 * No dialect is here to say which order of bytes in words is right: any answer that is always the same will
 * do.
 */
static unsigned source_score(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	(void)context;
	return n_bytes ? bytes[0] % 3 + is_whole : 0;
}

static bool source_is_open(struct source **ret_source, const uint8_t *data, size_t size)
{
	const struct source_judge judge = { .score = source_score };

	if (source_open_bytes(ret_source, data, size, "fuzz", NULL) < 0)
		return false;
	source_set_judge(*ret_source, &judge);
	return true;
}

/* FNV-1a, to compare what came by chunks with the whole. */
static uint64_t source_sum(uint64_t sum, const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3U;
	return sum;
}

/* Takes everything, within the bound. The front must be what the look has shown. */
static struct made source_pull(struct source *source, enum input_manner manner)
{
	struct made made = { .sum = 1 };
	struct source_front front;
	struct input_item item = { 0 };

	source_require(source_look(source, &front, NULL) == RST_OK && front.n_bytes <= SOURCE_CHUNK_BYTES);
	const uint8_t first = front.n_bytes ? front.bytes[0] : 0;

	while (made.n_bytes < FUZZ_MADE_MAX && !made.is_over) {
		source_require(source_next(source, manner, &item, NULL) == RST_OK);
		made.is_over = item.kind == INPUT_END;
		made.n_more += item.kind == INPUT_END ? item.n_more : 0;
		made.n_kept += item.kind == INPUT_DAMAGE;
		if (item.kind == INPUT_DAMAGE)
			item_check_damage(source, &item);
		if (item.kind != INPUT_BYTES)
			continue;
		source_require(item.offset == made.n_bytes && (item.n_bytes || item.is_whole));
		source_require(made.n_bytes ||
			       (item.n_bytes >= front.n_bytes && (!front.n_bytes || item.bytes[0] == first)));
		made.sum = source_sum(made.sum, item.bytes, item.n_bytes);
		made.n_bytes += item.n_bytes;
	}
	source_require(!front.is_whole || made.n_bytes == front.n_bytes);
	source_require(
		made.n_kept <= SOURCE_FAULTS_MAX && (!made.n_more || made.n_kept == SOURCE_FAULTS_MAX));
	return made;
}

static struct made source_make(const uint8_t *data, size_t size, enum input_manner manner)
{
	struct made made = { .is_over = false };
	struct source *source;

	if (source_is_open(&source, data, size)) {
		made = source_pull(source, manner);
		source_free(source);
	}
	return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct made parts = source_make(data, size, INPUT_AS_IT_COMES);

	if (!parts.is_over)
		return 0;
	/* As a whole up to what may be, and the rest as it comes: the same bytes again. */
	const struct made most = source_make(data, size, INPUT_FILES_WHOLE);

	source_require(most.n_bytes == parts.n_bytes && most.sum == parts.sum);
	/* As a whole; what is beyond the limit is damage. */
	const struct made whole = source_make(data, size, INPUT_WHOLE);

	if (whole.n_bytes == parts.n_bytes)
		source_require(whole.sum == parts.sum);
	else
		source_require(
			whole.n_bytes == SOURCE_WHOLE_MAX && whole.n_bytes < parts.n_bytes && whole.n_kept);
	return 0;
}
