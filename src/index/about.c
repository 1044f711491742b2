/* SPDX-License-Identifier: MIT */
/*
 * The description of the input in an index: the program that made the index and its options, the mark of the
 * file, and the checksum of each block of the file. Numbers are as in docs/STORE.md. Each checksum has four
 * bytes, low byte first.
 */
#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rastrum/version.h>

#include "base/hash.h"
#include "base/load.h"
#include "index/parts.h"

static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		hash = hash_byte(hash, ((const uint8_t *)bytes)[i]);
	return hash;
}

/* Hashes the notes of the program itself, which is the first object. One of the notes is its build id. */
static int hash_notes(struct dl_phdr_info *object, size_t n_bytes, void *hash)
{
	(void)n_bytes;
	for (size_t i = 0; i < object->dlpi_phnum; i++)
		if (object->dlpi_phdr[i].p_type == PT_NOTE)
			*(uint64_t *)hash = hash_bytes(*(uint64_t *)hash,
				(const void *)(uintptr_t)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr),
				object->dlpi_phdr[i].p_memsz);
	return 1;
}

/* The salt includes the build, because another build may interpret the same bytes differently. */
static uint64_t salt_of(const struct rst_trace *trace)
{
	uint64_t hash = hash_bytes(HASH_EMPTY, rst_version(), strlen(rst_version()));

	dl_iterate_phdr(hash_notes, &hash);
	return hash_bytes(hash, &trace->how_hash, sizeof(trace->how_hash));
}

bool index_input_of(const struct rst_trace *trace, struct index_input *ret)
{
	*ret = (struct index_input){ 0 };
	if (!trace->how_hash || trace->dialect == &dialect_store || trace->tap.done ||
		!source_file(trace->sources[0], &ret->file) || !cache_is_wanted(ret->file.n_bytes) ||
		!source_file_is_quiet(trace->sources[0]))
		return false;
	cache_mark(&ret->mark, &ret->file.about, ret->file.bytes, ret->file.n_bytes);
	ret->salt = salt_of(trace);
	/* The name does not include the program, so that another build replaces the index. */
	cache_name(ret->name, &ret->mark, trace->how_hash, ".rsx");
	return true;
}

/* --- checksums ------------------------------------------------------------------------------------------ */

bool index_sums_init(struct index_sums *sums, size_t n_bytes)
{
	*sums = (struct index_sums){ .n_blocks = (n_bytes + INDEX_BLOCK_BYTES - 1) / INDEX_BLOCK_BYTES };
	sums->crc32c = crc32c_choose();
	sums->crc = calloc(sums->n_blocks + 1, sizeof(*sums->crc));
	return sums->crc != NULL;
}

void index_sums_reach(struct index_sums *sums, const struct source_file *file, uint64_t until)
{
	for (; sums->n < sums->n_blocks; sums->n++) {
		const size_t at = sums->n * INDEX_BLOCK_BYTES, n_left = file->n_bytes - at;
		const size_t n_bytes = n_left < INDEX_BLOCK_BYTES ? n_left : INDEX_BLOCK_BYTES;

		if (at + n_bytes > until)
			return;
		sums->crc[sums->n] = sums->crc32c(0, file->bytes + at, n_bytes);
	}
}

/* --- bytes ---------------------------------------------------------------------------------------------- */

static const struct codec_row mark_rows[] = {
	CODEC_ROW(struct cache_mark, device, CODEC_NUMBER, 0),
	CODEC_ROW(struct cache_mark, inode, CODEC_NUMBER, 0),
	CODEC_ROW(struct cache_mark, n_bytes, CODEC_NUMBER, 0),
	CODEC_ROW(struct cache_mark, changed_ns, CODEC_SIGNED, 0),
	CODEC_ROW(struct cache_mark, modified_ns, CODEC_SIGNED, 0),
	CODEC_ROW(struct cache_mark, samples, CODEC_NUMBER, 0),
};

bool index_about_write(const struct index_input *input, const struct index_sums *sums, struct bytes *to)
{
	struct codec codec = { .to = to };
	struct cache_mark mark = input->mark;
	uint64_t salt = input->salt, n_blocks = sums->n_blocks;

	codec_number(&codec, &salt, 0);
	codec_record(&codec, mark_rows, N_CODEC_ROWS(mark_rows), &mark);
	codec_number(&codec, &n_blocks, 0);
	for (size_t i = 0; i < sums->n_blocks && codec_is_good(&codec); i++) {
		const uint32_t crc = sums->crc[i];
		const uint8_t bytes[] = { (uint8_t)crc, (uint8_t)(crc >> 8), (uint8_t)(crc >> 16),
			(uint8_t)(crc >> 24) };

		codec.lacks_memory |= !bytes_put(to, bytes, sizeof(bytes));
	}
	return codec_is_good(&codec);
}

bool index_about_fits(
	const struct index_input *input, const uint8_t *about, size_t n_bytes, const uint8_t **ret_crcs)
{
	struct codec codec = { .is_reading = true, .from = cursor_over(about, n_bytes) };
	const uint64_t n_wanted = (input->file.n_bytes + INDEX_BLOCK_BYTES - 1) / INDEX_BLOCK_BYTES;
	struct cache_mark mark = { 0 };
	uint64_t salt = 0, n_blocks = 0;

	codec_number(&codec, &salt, 0);
	codec_record(&codec, mark_rows, N_CODEC_ROWS(mark_rows), &mark);
	codec_number(&codec, &n_blocks, 0);
	*ret_crcs = codec.from.at;
	return codec_is_good(&codec) && salt == input->salt && cache_mark_is_same(&mark, &input->mark) &&
	       n_blocks == n_wanted && cursor_left(&codec.from) == n_blocks * sizeof(uint32_t);
}
