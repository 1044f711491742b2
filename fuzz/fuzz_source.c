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

static void source_check_faults(const struct source *source)
{
	size_t n_kept;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_kept, &n_all);

	source_require(n_kept <= SOURCE_FAULTS_MAX && n_kept <= n_all);
	for (size_t i = 0; i < n_kept; i++) {
		const bool is_nested = strstr(faults[i].what, "(in the unpacked data)");

		source_require(faults[i].what[0] && memchr(faults[i].what, 0, sizeof(faults[i].what)));
		source_require(is_nested || faults[i].offset <= source_file_bytes(source));
		source_require(
			is_nested || faults[i].n_bytes <= source_file_bytes(source) - faults[i].offset);
	}
}

/* No dialect is here to say which order of bytes in words is right: any answer that is always the same will do. */
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

/* Pulls everything; true when that was within the bound. The front must be what the peek has shown. */
static bool source_pull(struct source *source, size_t *ret_n_made, uint64_t *ret_sum)
{
	const uint8_t *bytes;
	size_t n_front, n_made = 0, n;
	bool is_whole;
	uint64_t sum = 1;
	enum rst_status status = source_peek(source, &bytes, &n_front, &is_whole, NULL);
	uint8_t first = status == RST_OK && n_front ? bytes[0] : 0;

	source_require(status == RST_OK && n_front <= SOURCE_CHUNK_BYTES);
	while (n_made < FUZZ_MADE_MAX && (status = source_next(source, &bytes, &n, NULL)) == RST_OK) {
		source_require(n > 0 && (n_made > 0 || (n >= n_front && bytes[0] == first)));
		sum = source_sum(sum, bytes, n);
		n_made += n;
	}
	source_require(status == RST_OK || status == RST_END);
	source_require(!is_whole || n_made == n_front);
	*ret_n_made = n_made;
	*ret_sum = sum;
	return status == RST_END;
}

/* As a whole up to what may be, and the rest by chunks: the same bytes again. */
static void source_check_most(struct source *source, size_t n_made, uint64_t sum_made)
{
	const uint8_t *bytes;
	size_t n = 0, n_all;
	bool is_all;

	source_require(source_most(source, &bytes, &n, &is_all, NULL) == RST_OK);
	source_require(is_all ? n == n_made : n == SOURCE_WHOLE_MAX && n < n_made);
	uint64_t sum = source_sum(1, bytes, n);

	for (n_all = n; source_next(source, &bytes, &n, NULL) == RST_OK; n_all += n) {
		source_require(!is_all);
		sum = source_sum(sum, bytes, n);
	}
	source_require(n_all == n_made && sum == sum_made);
}

/* As a whole; what is beyond the limit is a fault. */
static void source_check_whole(struct source *source, size_t n_made, uint64_t sum_made)
{
	const uint8_t *bytes;
	size_t n_whole, n_kept;
	uint64_t n_faults;

	source_require(source_whole(source, &bytes, &n_whole, NULL) == RST_OK);
	source_faults(source, &n_kept, &n_faults);
	if (n_whole == n_made)
		source_require(source_sum(1, bytes, n_whole) == sum_made);
	else
		source_require(n_whole == SOURCE_WHOLE_MAX && n_whole < n_made && n_faults);
	source_require(source_next(source, &bytes, &n_made, NULL) == RST_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct source *source;
	size_t n_made;
	uint64_t sum;

	if (!source_is_open(&source, data, size))
		return 0;
	const bool is_all = source_pull(source, &n_made, &sum);

	source_check_faults(source);
	source_free(source);
	if (!is_all || !source_is_open(&source, data, size))
		return 0;
	source_check_whole(source, n_made, sum);
	source_free(source);
	if (!source_is_open(&source, data, size))
		return 0;
	source_check_most(source, n_made, sum);
	source_free(source);
	return 0;
}
