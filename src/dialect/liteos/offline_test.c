/* SPDX-License-Identifier: MIT */
/* Tests buffers whose header has wrong lengths. tests/dialect/fixtures_liteos.t tests good ones. */
#include "dialect/liteos/offline.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/tap.h"

enum { BUFFER_BYTES = LITEOS_BUFFER_HEAD_BYTES + 16 };

/* Reads to the end. Returns false if reading failed with an error other than damage. */
static bool read_buffer(const uint8_t *bytes, size_t n_bytes)
{
	const struct rst_open how = { .dialect = "liteos" };
	const struct rst_batch *batch;
	struct rst_trace *trace;
	enum rst_status status = rst_trace_open_bytes(&trace, bytes, n_bytes, "test", &how, NULL);

	if (status < 0)
		return status == RST_E_DAMAGED;
	do
		status = rst_trace_next(trace, &batch, NULL);
	while (status == RST_OK);
	rst_trace_free(trace);
	return status == RST_END || status == RST_E_DAMAGED;
}

/* Reads with every totalLen and frameOffset, for one frameSize. */
static bool read_all_lengths(uint8_t *bytes, size_t n_bytes, unsigned frame_bytes, bool is_big)
{
	bool is_good = true;

	liteos_store(bytes, 4, is_big, LITEOS_ENDIAN_WORD);
	liteos_store(bytes + 14, 2, is_big, LITEOS_OBJECT_BYTES);
	liteos_store(bytes + 16, 2, is_big, frame_bytes);
	liteos_store(bytes + 18, 2, is_big, LITEOS_BUFFER_HEAD_BYTES);
	for (size_t frames_at = LITEOS_BUFFER_HEAD_BYTES; frames_at <= n_bytes; frames_at++)
		for (size_t total = frames_at; total <= n_bytes; total++) {
			liteos_store(bytes + 12, 2, is_big, total);
			liteos_store(bytes + 20, 2, is_big, frames_at);
			is_good &= read_buffer(bytes, n_bytes);
		}
	return is_good;
}

/* Behind the last byte there is memory that must not be read. */
static void check_lengths(void)
{
	static const unsigned sizes[] = { 0, 1, 2, 3, 4, 7, 8, 23, 24, 25, 32, 0xffff };
	const size_t n_page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *pages = mmap(NULL, 2 * n_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool is_good = pages != MAP_FAILED && mprotect(pages + n_page, n_page, PROT_NONE) == 0;

	for (size_t i = 0; is_good && i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++)
		is_good = read_all_lengths(
			pages + n_page - BUFFER_BYTES, BUFFER_BYTES, sizes[i / 2], i % 2 != 0);
	ok(is_good, "whatever lengths a header claims, nothing behind the buffer is read");
	if (pages != MAP_FAILED)
		munmap(pages, 2 * n_page);
}

int main(void)
{
	check_lengths();
	return tap_done();
}
