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
	struct taken taken;

	blob_add(&text, HEX_ONE, strlen(HEX_ONE));
	for (unsigned i = 0; i < 1000; i++)
		blob_add(&text, ":\n", 2);
	source_open_bytes(&source, text.bytes, text.n_bytes, "test", NULL);
	take_items(source, &taken, NULL);
	ok(taken.n_kept == SOURCE_FAULTS_MAX && taken.n_faults == 1001,
		"damage beyond the first 64 is counted");
	source_free(source);
	free(text.bytes);
}

/* A front of exactly n bytes, unpacked. */
static void check_peek(size_t n_bytes, bool is_whole, const char *sentence)
{
	struct blob noise = blob_noise(n_bytes), packed = { NULL, 0 };
	struct source *source;
	struct source_front front = { .is_whole = !is_whole }, again = { 0 };
	struct input_item item;
	size_t n_made = 0;
	bool is_same;

	blob_add_gzip(&packed, noise.bytes, n_bytes);
	source_open_bytes(&source, packed.bytes, packed.n_bytes, "test", NULL);
	source_look(source, &front, NULL);
	is_same = source_look(source, &again, NULL) == RST_END;
	while (source_next(source, INPUT_AS_IT_COMES, &item, NULL) == RST_OK && item.kind == INPUT_BYTES) {
		is_same &= item.n_bytes <= SOURCE_CHUNK_BYTES && item.offset == n_made &&
			   !memcmp(item.bytes, noise.bytes + n_made, item.n_bytes);
		n_made += item.n_bytes;
	}
	ok(front.n_bytes == (n_bytes < SOURCE_CHUNK_BYTES ? n_bytes : SOURCE_CHUNK_BYTES) &&
			front.is_whole == is_whole && is_same && n_made == n_bytes && item.kind == INPUT_END,
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
	struct source_front front = { 0 };
	struct input_item item = { 0 };

	source_open(&source, path, &err);
	ok(source_look(source, &front, &err) == RST_OK && front.n_bytes == 0 && front.is_whole,
		"an empty file shows no bytes");
	ok(source_next(source, INPUT_AS_IT_COMES, &item, &err) == RST_OK && item.kind == INPUT_END,
		"an empty file ends at once");
	source_free(source);
	struct blob noise = blob_noise(LONG_BYTES);

	ok(write(fd, noise.bytes, noise.n_bytes) == LONG_BYTES, "a file is written for this test");
	for (enum input_manner manner = INPUT_AS_IT_COMES; manner <= INPUT_WHOLE; manner++) {
		source_open(&source, path, &err);
		ok(source_next(source, manner, &item, &err) == RST_OK && item.n_bytes == LONG_BYTES &&
				item.is_whole == (manner != INPUT_AS_IT_COMES) &&
				!memcmp(item.bytes, noise.bytes, LONG_BYTES),
			"a mapped file comes in one piece, in manner %d", manner);
		ok(source_next(source, manner, &item, &err) == RST_OK && item.kind == INPUT_END,
			"and ends behind it");
		if (manner != INPUT_WHOLE)
			source_free(source);
	}
	is_number(source_about(source).n_file, LONG_BYTES, "a file has its size");
	is_text(source_about(source).name, path, "a source has its path as name");
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
	struct taken taken;
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
	take_items(source, &taken, NULL);
	ok(taken.n_bytes == LONG_BYTES && !memcmp(taken.bytes, noise.bytes, LONG_BYTES),
		"a pipe is unpacked like a file, whatever its steps and signals");
	is_text(source_about(source).name, "standard input", "a dash means standard input");
	is_number(source_about(source).n_file, 0, "a pipe has no size");
	source_free(source);
	waitpid(feeder, NULL, 0);
	ok(dup2(stdin_before, STDIN_FILENO) == STDIN_FILENO, "standard input stays open");
	close(stdin_before);
	free(packed.bytes);
	free(noise.bytes);
}

/* If memory runs out: a beginning of the whole, and one fault with its length. */
static bool taken_is_partial(const struct taken *taken)
{
	char words[64];

	snprintf(
		words, sizeof(words), "memory for what was unpacked ran out after %zu bytes", taken->n_bytes);
	return taken->bytes && taken->n_bytes > 0 && taken->n_faults == 1 && strstr(taken->first.what, words);
}

/* With memory again: the failed call is tried again; bytes already given do not come again. */
static bool source_goes_on(struct source *source, enum rst_status before, const struct blob *noise)
{
	struct taken again;

	if (take_items(source, &again, NULL) != RST_OK)
		return false;
	if (before == RST_OK)
		return again.n_bytes == 0 && again.n_faults == 0;
	return again.n_bytes == noise->n_bytes && memcmp(again.bytes, noise->bytes, again.n_bytes) == 0;
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
		struct taken taken = { 0 };

		tap_fail_alloc_after(n);
		enum rst_status status = source_open_bytes(&source, twice.bytes, twice.n_bytes, "test", &err);
		if (status == RST_OK)
			status = take_items(source, &taken, &err);
		tap_fail_alloc_after(-1);
		is_all = status == RST_OK && taken.n_bytes == noise.n_bytes;
		n_failed += status != RST_OK;
		n_partial += status == RST_OK && !is_all;
		all_clean &= err.status == status && (status == RST_OK || status == RST_E_NOMEM);
		if (status == RST_OK && !is_all)
			all_clean &= taken_is_partial(&taken);
		all_clean &= !source || source_goes_on(source, status, &noise);
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

/* A cut anywhere gives a beginning of the whole. Each cut is reported, except between records. */
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
