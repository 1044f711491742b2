/* SPDX-License-Identifier: MIT */
/*
 * Tests the stream with all cuts into chunks, and without memory. tests/dialect/fixtures_liteos_stream.t
 * tests the facts.
 */
#include "dialect/liteos/stream.h"

#include <stdlib.h>

#include "tests/dialect/feed.h"
#include "tests/tap.h"

/* The results: times and counts of events, places and lengths of gaps. */
struct heard {
	uint64_t words[8192];
	size_t n_words;
	uint64_t n_lost;
	enum rst_status status;
};

static void hear_rows(struct heard *heard, const struct batch *batch)
{
	for (size_t i = 0; i < batch->n_events && heard->n_words + 2 <= 8192; i++) {
		const struct rst_gap *gap = rst_batch_gap(&batch->view, i);

		if (gap && gap->marker == RST_LOSS) {
			heard->n_lost += gap->n_events;
			continue;
		}
		heard->words[heard->n_words++] = gap ? gap->offset : batch->stamp[i];
		heard->words[heard->n_words++] = gap ? gap->n_bytes : batch->type[i]->id;
	}
}

struct hearing {
	struct heard *heard;
	struct liteos *liteos;
	struct model *model;
	struct batch *batch;
};

static bool hear_chunk(void *context, struct chunk *chunk)
{
	struct hearing *hearing = context;
	enum rst_status status;

	do {
		batch_clear(hearing->batch);
		status = dialect_liteos.read(hearing->liteos, hearing->model, chunk, hearing->batch, NULL);
		batch_close(hearing->batch);
		hear_rows(hearing->heard, hearing->batch);
	} while (status == RST_OK);
	hearing->heard->status = status;
	return status == RST_MORE;
}

/* Reads bytes in chunks of n_chunk. */
static void hear(struct heard *heard, const uint8_t *bytes, size_t n_bytes, size_t n_chunk)
{
	static struct batch batch;
	static struct liteos liteos;
	struct model model;
	struct rst_error err;
	const struct rst_open how = { .clock_hz = 0 };
	struct hearing hearing = { heard, &liteos, &model, &batch };
	struct feed feed = { .read = hear_chunk, .context = &hearing };
	bool is_good = model_init(&model),
	     is_batch = batch_init(&batch, dialect_liteos.columns, dialect_liteos.scratch_bytes);

	*heard = (struct heard){ .status = RST_E_NOMEM };
	liteos = (struct liteos){ 0 };
	if (is_good && is_batch)
		heard->status = dialect_liteos.open(&liteos, &model, &how, &err);
	if (heard->status == RST_OK && !feed_stream(&feed, bytes, n_bytes, n_chunk) &&
		heard->status == RST_MORE)
		heard->status = RST_E_NOMEM; /* of the carrier */
	dialect_liteos.close(&liteos);
	chunk_carrier_done(&feed.carrier);
	if (is_batch)
		batch_done(&batch);
	model_done(&model);
}

static bool is_same(const struct heard *a, const struct heard *b)
{
	return a->status == b->status && a->n_words == b->n_words && a->n_lost == b->n_lost &&
	       memcmp(a->words, b->words, a->n_words * sizeof(a->words[0])) == 0;
}

static void check_chunks(const char *path)
{
	static const size_t sizes[] = { 1, 2, 3, 5, 6, 7, 64, 81, 82, 83, LITEOS_MESSAGE_MAX - 1,
		LITEOS_MESSAGE_MAX, LITEOS_MESSAGE_MAX + 1, 4000 };
	static struct heard whole, parts;
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(path, &n_bytes);

	if (n_bytes > 20000)
		n_bytes = 20000;
	hear(&whole, bytes, n_bytes, n_bytes);
	ok(whole.status == RST_END && whole.n_words > 300, "%s is read in one piece", path);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		hear(&parts, bytes, n_bytes, sizes[i]);
		ok(is_same(&whole, &parts), "%s gives the same in chunks of %zu bytes", path, sizes[i]);
	}
	free(bytes);
}

/* Tests every cut of some messages into two chunks. */
static void check_cuts(const char *path)
{
	static struct heard whole, parts;
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(path, &n_bytes);
	unsigned n_wrong = 0;

	n_bytes = n_bytes < 1500 ? n_bytes : 1500;
	hear(&whole, bytes, n_bytes, n_bytes);
	for (size_t cut = n_bytes / 2; cut < n_bytes; cut++) {
		hear(&parts, bytes, n_bytes, cut);
		n_wrong += !is_same(&whole, &parts);
	}
	is_number(n_wrong, 0, "a stream gives the same wherever it is cut in two");
	free(bytes);
}

static void check_memory(const char *path, size_t n_max)
{
	size_t n_bytes;
	unsigned char *bytes = tap_slurp(path, &n_bytes);
	struct rst_trace *trace;
	const struct rst_batch *batch;
	enum rst_status status = RST_E_NOMEM;
	bool is_clean = true;
	long n = 0;

	n_bytes = n_bytes < n_max ? n_bytes : n_max;
	for (; status != RST_END && n < 5000; n++) {
		tap_fail_alloc_after(n);
		status = rst_trace_open_bytes(&trace, bytes, n_bytes, "test", NULL, NULL);
		if (status == RST_OK) {
			do
				status = rst_trace_next(trace, &batch, NULL);
			while (status == RST_OK);
			rst_trace_free(trace);
		}
		tap_fail_alloc_after(-1);
		is_clean &= status == RST_END || status == RST_E_NOMEM;
	}
	ok(is_clean && status == RST_END && n > 5, "%s fails cleanly whenever memory runs out", path);
	free(bytes);
}

int main(void)
{
	check_chunks("tests/data/liteos/corrupt/a_be32_core_count_bitflip.tlv");
	check_chunks("tests/data/liteos/corrupt/m_arm32_full_agent_burst.tlv");
	check_chunks("tests/data/liteos/corrupt/a_arm32_smp4_core_count_noise.tlv");
	check_chunks("tests/data/liteos/m_arm32_default/online.tlv");
	check_cuts("tests/data/liteos/corrupt/a_be32_core_count_burst.tlv");
	check_memory("tests/data/liteos/corrupt/a_be32_core_count_bitflip.tlv", 8000);
	check_memory("tests/data/liteos/hw_arm32_userbuf/dump.txt", 8000);
	return tap_done();
}
