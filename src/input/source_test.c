/* SPDX-License-Identifier: MIT */
/* Sources: files, pipes and memory, packed and plain. Single wrappings have their tests beside them. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/wrapping/packed_test.h"

static void test_nesting(void)
{
	struct blob once = { NULL, 0 }, twice = { NULL, 0 }, five[6] = { { NULL, 0 } };
	const char *wrong = HEX_ONE ":0400040045464748DF\n" HEX_END;
	struct outcome got;

	blob_add_gzip(&once, wrong, strlen(wrong));
	blob_add_zstd(&twice, once.bytes, once.n_bytes);
	got = take_whole(twice.bytes, twice.n_bytes);
	is_text(got.wrappings, "zstd, gzip, Intel HEX", "wrappings are named from the outermost");
	ok(outcome_is(&got, "ABCDEFGH", 8), "nested wrappings all come off");
	free(got.bytes);
	check_fault(twice.bytes, twice.n_bytes, 20, "(in the unpacked data)",
		"a fault inside an unpacked file names the offset that it has there");
	blob_add(&five[0], "core", 4);
	for (unsigned i = 0; i < 5; i++)
		blob_add_gzip(&five[i + 1], five[i].bytes, five[i].n_bytes);
	got = take_whole(five[4].bytes, five[4].n_bytes);
	ok(outcome_is(&got, "core", 4) && !got.n_faults, "four wrappings come off");
	free(got.bytes);
	got = take_whole(five[5].bytes, five[5].n_bytes);
	ok(outcome_is(&got, five[1].bytes, five[1].n_bytes) && got.n_faults == 1,
		"a fifth wrapping stays on and is a fault");
	free(got.bytes);
	for (unsigned i = 0; i < 6; i++)
		free(five[i].bytes);
	free(once.bytes);
	free(twice.bytes);
}

static void test_many_faults(void)
{
	struct blob text = { NULL, 0 };
	struct source *source;
	const uint8_t *bytes;
	size_t n_bytes, n_kept;
	uint64_t n_all;

	blob_add(&text, HEX_ONE, strlen(HEX_ONE));
	for (unsigned i = 0; i < 1000; i++)
		blob_add(&text, ":\n", 2);
	source_open_bytes(&source, text.bytes, text.n_bytes, "test", NULL);
	source_whole(source, &bytes, &n_bytes, NULL);
	source_faults(source, &n_kept, &n_all);
	ok(n_kept == SOURCE_FAULTS_MAX && n_all == 1001, "faults beyond the first 64 are counted");
	source_free(source);
	free(text.bytes);
}

/* A front of exactly n bytes, unpacked. */
static void check_peek(size_t n_bytes, bool is_whole, const char *sentence)
{
	struct blob noise = blob_noise(n_bytes), packed = { NULL, 0 };
	struct source *source;
	const uint8_t *bytes;
	size_t n_seen = 0, n_again = 0, n_made = 0;
	bool is_seen_whole = !is_whole, is_same = true;

	blob_add_gzip(&packed, noise.bytes, n_bytes);
	source_open_bytes(&source, packed.bytes, packed.n_bytes, "test", NULL);
	source_peek(source, &bytes, &n_seen, &is_seen_whole, NULL);
	source_peek(source, &bytes, &n_again, &is_seen_whole, NULL);
	while (source_next(source, &bytes, &n_again, NULL) == RST_OK) {
		is_same &= n_again <= SOURCE_CHUNK_BYTES && !memcmp(bytes, noise.bytes + n_made, n_again);
		n_made += n_again;
	}
	ok(n_seen == (n_bytes < SOURCE_CHUNK_BYTES ? n_bytes : SOURCE_CHUNK_BYTES) &&
			is_seen_whole == is_whole && is_same && n_made == n_bytes,
		"%s", sentence);
	source_free(source);
	free(packed.bytes);
	free(noise.bytes);
}

static void test_peek(void)
{
	check_peek(1000, true, "a look at a short source shows all of it");
	check_peek(SOURCE_CHUNK_BYTES, true, "a look at exactly 64 KiB knows that they are all");
	check_peek(SOURCE_CHUNK_BYTES + 1, false, "a look knows of a single byte behind 64 KiB");
	check_peek(LONG_BYTES, false, "a look takes nothing away from the chunks");
}

static void test_file(void)
{
	char path[] = "/tmp/rastrum-source-XXXXXX";
	const int fd = mkstemp(path);
	struct source *source = NULL;
	struct rst_error err = { 0 };
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_whole = false;

	source_open(&source, path, &err);
	ok(source_peek(source, &bytes, &n_bytes, &is_whole, &err) == RST_OK && n_bytes == 0 && is_whole,
		"an empty file shows no bytes");
	ok(source_next(source, &bytes, &n_bytes, &err) == RST_END, "an empty file ends at once");
	source_free(source);
	struct blob noise = blob_noise(LONG_BYTES);

	ok(write(fd, noise.bytes, noise.n_bytes) == LONG_BYTES, "a file is written for this test");
	source_open(&source, path, &err);
	ok(source_next(source, &bytes, &n_bytes, &err) == RST_OK && n_bytes == LONG_BYTES &&
			!memcmp(bytes, noise.bytes, LONG_BYTES),
		"a mapped file comes in one piece");
	is_number(source_file_bytes(source), LONG_BYTES, "a file has its size");
	is_text(source_name(source), path, "a source has its path as name");
	source_free(source);
	close(fd);
	unlink(path);
	ok(source_open(&source, path, &err) == RST_E_IO && strstr(err.what, "No such file") &&
			!strcmp(err.source, path),
		"a missing file is an error with the system's reason and the file's name");
	ok(source_open(&source, "/tmp", &err) == RST_E_IO && strstr(err.what, "directory"),
		"a directory is an error");
	free(noise.bytes);
}

static void signal_ignore(int number)
{
	(void)number;
}

/* Writes to the pipe in odd steps and disturbs its reader by signals. */
static void pipe_feed(int fd, pid_t reader, const struct blob *blob)
{
	for (size_t at = 0; at < blob->n_bytes;) {
		const size_t left = blob->n_bytes - at, n = left < 4999 ? left : 4999;

		kill(reader, SIGUSR1);
		if (write(fd, blob->bytes + at, n) != (ssize_t)n)
			break;
		at += n;
	}
	_exit(0);
}

static void test_pipe(void)
{
	struct blob noise = blob_noise(LONG_BYTES), packed = { NULL, 0 };
	const struct sigaction action = { .sa_handler =
						  signal_ignore }; /* no SA_RESTART: reads are interrupted */
	const pid_t reader = getpid();
	const int stdin_before = dup(STDIN_FILENO);
	struct source *source;
	const uint8_t *bytes = NULL;
	size_t n_bytes = 0;
	int ends[2];

	fflush(stdout);
	blob_add_gzip(&packed, noise.bytes, noise.n_bytes);
	sigaction(SIGUSR1, &action, NULL);
	if (pipe(ends))
		return;
	const pid_t feeder = fork();

	if (!feeder) {
		close(ends[0]);
		pipe_feed(ends[1], reader, &packed);
	}
	close(ends[1]);
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	source_open(&source, "-", NULL);
	source_whole(source, &bytes, &n_bytes, NULL);
	ok(n_bytes == LONG_BYTES && !memcmp(bytes, noise.bytes, n_bytes),
		"a pipe is unpacked like a file, whatever its steps and signals");
	is_text(source_name(source), "standard input", "a dash means standard input");
	is_number(source_file_bytes(source), 0, "a pipe has no size");
	source_free(source);
	waitpid(feeder, NULL, 0);
	ok(dup2(stdin_before, STDIN_FILENO) == STDIN_FILENO, "standard input stays open");
	close(stdin_before);
	free(packed.bytes);
	free(noise.bytes);
}

/* What memory was not enough for: a beginning of the whole, and one fault with its length. */
static bool source_is_partial(const struct source *source, const uint8_t *bytes, size_t n_bytes)
{
	char words[64];
	size_t n_kept;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_kept, &n_all);

	snprintf(words, sizeof(words), "memory for what was unpacked ran out after %zu bytes", n_bytes);
	return bytes && n_bytes > 0 && n_all == 1 && strstr(faults[0].what, words);
}

/* With memory again: what failed is tried again, what was given stays. */
static bool source_is_same_again(
	struct source *source, enum rst_status before, const struct blob *noise, size_t n_before)
{
	const uint8_t *bytes;
	size_t n_bytes, n_more;

	if (source_whole(source, &bytes, &n_bytes, NULL) != RST_OK ||
		source_next(source, &bytes, &n_more, NULL) != RST_END ||
		source_whole(source, &bytes, &n_more, NULL) != RST_OK || n_more != n_bytes)
		return false;
	return n_bytes == (before == RST_OK ? n_before : noise->n_bytes) &&
	       memcmp(bytes, noise->bytes, n_bytes) == 0;
}

/* Every allocation and all later ones fail; one trace through all kinds of layers. */
static void test_allocations(void)
{
	struct blob noise = blob_noise(8 * LONG_BYTES), once = { NULL, 0 }, twice = { NULL, 0 };
	bool all_clean = true, is_all = false;
	long n = 0, n_failed = 0, n_partial = 0;

	blob_add_gzip(&once, noise.bytes, noise.n_bytes);
	blob_add_zstd(&twice, once.bytes, once.n_bytes);
	for (; n < 100 && !is_all; n++) {
		struct rst_error err = { 0 };
		struct source *source = NULL;
		const uint8_t *bytes = NULL;
		size_t n_bytes = 0;

		tap_fail_alloc_after(n);
		enum rst_status status = source_open_bytes(&source, twice.bytes, twice.n_bytes, "test", &err);
		if (status == RST_OK)
			status = source_whole(source, &bytes, &n_bytes, &err);
		tap_fail_alloc_after(-1);
		is_all = status == RST_OK && n_bytes == noise.n_bytes;
		n_failed += status != RST_OK;
		n_partial += status == RST_OK && !is_all;
		all_clean &= err.status == status && (status == RST_OK || status == RST_E_NOMEM);
		if (status == RST_OK && !is_all)
			all_clean &= source_is_partial(source, bytes, n_bytes);
		all_clean &= !source || source_is_same_again(source, status, &noise, n_bytes);
		source_free(source);
	}
	ok(all_clean && is_all && n_failed > 5,
		"each of %ld allocations that fail before anything is gathered fails cleanly and may be "
		"tried again",
		n_failed);
	ok(all_clean && n_partial > 1, "each of %ld that fail later leaves what was gathered, and a fault",
		n_partial);
	free(noise.bytes);
	free(once.bytes);
	free(twice.bytes);
}

/* A cut anywhere gives a beginning of the whole, and no cut is silent except between records. */
static void test_cuts(void)
{
	const char *text = HEX_1ST;
	bool all_fine = true;

	for (size_t n = 20; n < strlen(text) - 1; n++) {
		struct outcome got = take_whole(text, n);

		all_fine &=
			got.n_bytes <= 8 && !memcmp(got.bytes, "ABCDEFGH", got.n_bytes) && got.n_faults > 0;
		free(got.bytes);
	}
	ok(all_fine, "Intel HEX cut anywhere gives a beginning and a fault");
}

int main(void)
{
	test_nesting();
	test_many_faults();
	test_peek();
	test_file();
	test_pipe();
	test_allocations();
	test_cuts();
	return tap_done();
}
