/* SPDX-License-Identifier: MIT */
#include "tests/tap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
	unsigned n_run, n_failed;
	long allocs_left, write_left;
} tap = { .allocs_left = -1, .write_left = -1 };

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
ssize_t __real_write(int fd, const void *bytes, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);

static bool alloc_may_pass(void)
{
	if (tap.allocs_left > 0)
		tap.allocs_left--;
	else if (tap.allocs_left == 0)
		return false;
	return true;
}

void *__wrap_malloc(size_t n)
{
	return alloc_may_pass() ? __real_malloc(n) : NULL;
}

void *__wrap_calloc(size_t n, size_t size)
{
	return alloc_may_pass() ? __real_calloc(n, size) : NULL;
}

void *__wrap_realloc(void *p, size_t n)
{
	return alloc_may_pass() ? __real_realloc(p, n) : NULL;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	if (tap.write_left < 0)
		return __real_write(fd, bytes, n);
	if (tap.write_left == 0) {
		errno = ENOSPC;
		return -1;
	}
	if ((long)n > tap.write_left)
		n = (size_t)tap.write_left;
	tap.write_left -= (long)n;
	return __real_write(fd, bytes, n);
}

void tap_fail_alloc_after(long n)
{
	tap.allocs_left = n;
}

void tap_fail_write_after(long n_bytes)
{
	tap.write_left = n_bytes;
}

bool ok(bool passed, const char *sentence, ...)
{
	va_list args;

	tap.n_run++;
	tap.n_failed += !passed;
	printf("%sok %u - ", passed ? "" : "not ", tap.n_run);
	va_start(args, sentence);
	vprintf(sentence, args);
	va_end(args);
	putchar('\n');
	fflush(stdout); /* a test may fork, or crash in the next step */
	return passed;
}

bool is_text(const char *got, const char *expected, const char *sentence)
{
	bool same = got && expected ? strcmp(got, expected) == 0 : got == expected;

	ok(same, "%s", sentence);
	if (!same)
		printf("#      got: %s\n# expected: %s\n", got ? got : "(null)",
			expected ? expected : "(null)");
	return same;
}

bool is_number(unsigned long long got, unsigned long long expected, const char *sentence)
{
	ok(got == expected, "%s", sentence);
	if (got != expected)
		printf("#      got: %llu (0x%llx)\n# expected: %llu (0x%llx)\n", got, got, expected,
			expected);
	return got == expected;
}

int tap_done(void)
{
	printf("1..%u\n", tap.n_run);
	fflush(stdout);
	return tap.n_failed != 0;
}

unsigned char *tap_slurp(const char *path, size_t *ret_n_bytes)
{
	FILE *file = fopen(path, "rb");
	size_t n = 0, room = 0;
	unsigned char *bytes = NULL;

	if (!file) {
		printf("Bail out! cannot read %s: %s\n", path, strerror(errno));
		exit(1);
	}
	do {
		if (n == room)
			bytes = __real_realloc(bytes, room = room ? 2 * room : 4096);
		n += fread(bytes + n, 1, room - n, file);
	} while (n == room);
	fclose(file);
	*ret_n_bytes = n;
	return bytes;
}
