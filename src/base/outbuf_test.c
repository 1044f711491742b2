/* SPDX-License-Identifier: MIT */
#include "base/outbuf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

enum { LINE_BYTES = 1000 };

/* Makes a file without a name; read_back() reads its contents. */
static int scratch(void)
{
	char path[] = "/tmp/rastrum-outbuf-XXXXXX";
	int fd = mkstemp(path);

	unlink(path);
	return fd;
}

static size_t read_back(int fd, char *bytes, size_t room)
{
	ssize_t n = pread(fd, bytes, room, 0);

	return n > 0 ? (size_t)n : 0;
}

static void check_memory(void)
{
	struct outbuf out;

	ok(outbuf_init(&out, OUTBUF_MEMORY), "a buffer in memory can be had");
	outbuf_puts(&out, "");
	ok(out.at == out.start && outbuf_flush(&out), "nothing written leaves nothing, and flushing is good");
	outbuf_printf(&out, "%d and ", 12);
	outbuf_clean(&out, "a \x01");
	ok(outbuf_flush(&out) && outbuf_reserve(&out, 1), "flushing keeps what is in memory");
	*out.at = '\0';
	is_text(out.start, "12 and a \\x01", "words, numbers and clean texts stand one after the other");
	out.at = out.start;
	for (unsigned i = 0; i < 3 * OUTBUF_BYTES / 8; i++)
		outbuf_printf(&out, "%07u\n", i);
	ok((size_t)(out.at - out.start) == (size_t)3 * OUTBUF_BYTES && !out.error,
		"a buffer in memory grows beyond its first size");
	ok(memcmp(out.start, "0000000\n", 8) == 0 && memcmp(out.at - 8, "0098303\n", 8) == 0,
		"and loses nothing at either end");
	ok(out.n_written == 0, "nothing of it was handed to the system");
	outbuf_done(&out);
	ok(!outbuf_reserve(&out, 1), "a buffer that is done gives no room");
	outbuf_puts(&out, "dropped");
	outbuf_done(&out);
	ok(true, "and can be done twice");
}

static void check_file(void)
{
	int fd = scratch();
	struct outbuf out;
	char *line = malloc(2 * OUTBUF_BYTES), *back = malloc(4 * OUTBUF_BYTES);
	size_t n_back;

	outbuf_init(&out, fd);
	outbuf_puts(&out, "first\n");
	is_number(read_back(fd, back, 10), 0, "short output waits in the buffer");
	ok(outbuf_reserve(&out, 2 * OUTBUF_BYTES), "a line longer than the buffer gets its room");
	is_number(read_back(fd, back, 10), 6, "what stood before it was written out");
	memset(line, 'x', 2 * OUTBUF_BYTES);
	memcpy(out.at, line, 2 * OUTBUF_BYTES);
	out.at += 2 * OUTBUF_BYTES;
	ok(outbuf_flush(&out) && out.at == out.start, "flushing empties the buffer");
	n_back = read_back(fd, back, 4 * OUTBUF_BYTES);
	ok(n_back == 6 + 2 * OUTBUF_BYTES && memcmp(back, "first\n", 6) == 0 &&
			memcmp(back + 6, line, 2 * OUTBUF_BYTES) == 0,
		"all of it is in the file, in order");
	is_number(out.n_written, n_back, "and was counted");
	outbuf_puts(&out, "half a line");
	ok(outbuf_extend(&out, 5 * OUTBUF_BYTES) && memcmp(out.start, "half a line", 11) == 0,
		"more room in the middle of a line keeps what stands");
	is_number(read_back(fd, back, 4 * OUTBUF_BYTES), n_back, "and writes nothing out");
	outbuf_done(&out);
	close(fd);
	free(line);
	free(back);
}

/* A pipe takes only a part of the bytes, so writes are short. */
static void check_pipe(void)
{
	int fds[2], status;
	struct outbuf out;

	if (pipe(fds) != 0)
		return;
	pid_t child = fork();

	if (child == 0) {
		unsigned long n_read = 0;
		char bytes[777];
		ssize_t n;

		close(fds[1]);
		while ((n = read(fds[0], bytes, sizeof(bytes))) > 0)
			n_read += (unsigned long)n;
		_exit(n_read == 2 * LINE_BYTES * LINE_BYTES ? 0 : 1);
	}
	close(fds[0]);
	outbuf_init(&out, fds[1]);
	for (int i = 0; i < 2 * LINE_BYTES; i++)
		if (outbuf_reserve(&out, LINE_BYTES)) {
			memset(out.at, '.', LINE_BYTES);
			out.at += LINE_BYTES;
		}
	ok(outbuf_flush(&out), "a slow reader is waited for");
	outbuf_done(&out);
	close(fds[1]);
	waitpid(child, &status, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "and gets every byte, however short the writes");
}

static void check_write_failure(long n_bytes)
{
	int fd = scratch();
	struct outbuf out;
	char back[64];

	outbuf_init(&out, fd);
	tap_fail_write_after(n_bytes);
	outbuf_puts(&out, "0123456789");
	ok(!outbuf_flush(&out) && out.error == ENOSPC,
		"a disk full after %ld bytes is reported and remembered", n_bytes);
	tap_fail_write_after(-1);
	outbuf_puts(&out, "later");
	ok(!outbuf_flush(&out) && out.error == ENOSPC, "later output does not make it good again");
	ok(!outbuf_reserve(&out, 2 * OUTBUF_BYTES), "no room is given that would have to be written out");
	ok(read_back(fd, back, sizeof(back)) == (size_t)n_bytes && out.n_written == (uint64_t)n_bytes,
		"nothing stands behind the hole, and the count is right");
	outbuf_done(&out);
	close(fd);
}

static void check_no_memory(void)
{
	struct outbuf out;

	tap_fail_alloc_after(0);
	ok(!outbuf_init(&out, OUTBUF_MEMORY), "without memory there is no buffer");
	outbuf_puts(&out, "dropped");
	outbuf_done(&out);
	tap_fail_alloc_after(1);
	outbuf_init(&out, OUTBUF_MEMORY);
	outbuf_puts(&out, "kept");
	ok(!outbuf_reserve(&out, OUTBUF_BYTES) && out.error == ENOMEM, "a line without room is an error");
	ok(!outbuf_flush(&out) && memcmp(out.start, "kept", 4) == 0 && out.at == out.start + 4,
		"that is remembered, and the text before it is kept");
	outbuf_done(&out);
	tap_fail_alloc_after(1);
	outbuf_init(&out, OUTBUF_MEMORY);
	ok(!outbuf_extend(&out, OUTBUF_BYTES + 1) && out.error == ENOMEM,
		"a line that cannot be made longer is an error, too: it would be cut without a word");
	tap_fail_alloc_after(-1);
	outbuf_done(&out);
	outbuf_init(&out, OUTBUF_MEMORY);
	ok(!outbuf_extend(&out, SIZE_MAX) && out.error == ENOMEM, "a size that no memory has is refused");
	outbuf_done(&out);
}

/* Passes text that another thread has prepared to a file and to memory. */
static void check_pass(int fd)
{
	struct outbuf out, memory;
	char bytes[64];

	ok(outbuf_init(&out, fd) && outbuf_init(&memory, OUTBUF_MEMORY), "a buffer, and one in memory");
	outbuf_puts(&out, "one ");
	outbuf_puts(&memory, "two ");
	ok(outbuf_pass(&out, &memory) && memory.at == memory.start,
		"what is passed on leaves an empty buffer");
	ok(outbuf_pass(&out, &memory), "from which nothing comes");
	outbuf_puts(&out, "three");
	outbuf_flush(&out);
	if (fd == OUTBUF_MEMORY)
		ok(out.at - out.start == 13 && memcmp(out.start, "one two three", 13) == 0,
			"it stands behind what was there");
	else
		ok(read_back(fd, bytes, sizeof(bytes)) == 13 && memcmp(bytes, "one two three", 13) == 0 &&
				out.n_written == 13,
			"it is written behind what was there, and counted");
	memory.error = ENOMEM;
	outbuf_puts(&memory, "four");
	ok(!outbuf_pass(&out, &memory) && out.error == ENOMEM,
		"what could not be prepared is an error of both");
	ok(!outbuf_pass(&out, &memory) && memory.at == memory.start, "behind which everything is dropped");
	outbuf_done(&out);
	outbuf_done(&memory);
}

static void check_pass_failure(void)
{
	struct outbuf out, memory;

	ok(outbuf_init(&out, scratch()) && outbuf_init(&memory, OUTBUF_MEMORY),
		"a file, and a buffer in memory");
	outbuf_puts(&memory, "lines");
	tap_fail_write_after(0);
	ok(!outbuf_pass(&out, &memory) && out.error == ENOSPC, "a full disk is an error of the output");
	tap_fail_write_after(-1);
	close(out.fd);
	outbuf_done(&out);
	outbuf_done(&memory);
}

int main(void)
{
	check_memory();
	check_file();
	check_pipe();
	check_write_failure(0);
	check_write_failure(1);
	check_write_failure(9);
	check_pass(scratch());
	check_pass(OUTBUF_MEMORY);
	check_pass_failure();
	check_no_memory();
	return tap_done();
}
