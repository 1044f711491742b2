/* SPDX-License-Identifier: MIT */
#include "tests/tap.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
	unsigned n_run, n_failed;
	long allocs_left, write_left;
	struct {
		long n_left; /* calls that pass; -1: all */
		int error_number;
		bool has_failed;
	} calls[TAP_CALLS];
} tap = { .allocs_left = -1, .write_left = -1, .calls = { { -1 }, { -1 }, { -1 }, { -1 } } };

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
ssize_t __real_write(int fd, const void *bytes, size_t n);
ssize_t __real_pwrite(int fd, const void *bytes, size_t n, off_t offset);
ssize_t __real_read(int fd, void *bytes, size_t n);
int __real_fstat(int fd, struct stat *status);
int __real_ftruncate(int fd, off_t n_bytes);
void *__real_mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset);
int __real_vasprintf(char **ret, const char *format, va_list args);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
ssize_t __wrap_write(int fd, const void *bytes, size_t n);
ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t offset);
ssize_t __wrap_read(int fd, void *bytes, size_t n);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_ftruncate(int fd, off_t n_bytes);
void *__wrap_mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset);
int __wrap_vasprintf(char **ret, const char *format, va_list args);
int __wrap_asprintf(char **ret, const char *format, ...);
/* _FORTIFY_SOURCE replaces three of them by these. */
ssize_t __wrap___read_chk(int fd, void *bytes, size_t n, size_t room);
int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args);
int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...);

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

int __wrap_vasprintf(char **ret, const char *format, va_list args)
{
	return alloc_may_pass() ? __real_vasprintf(ret, format, args) : -1;
}

int __wrap_asprintf(char **ret, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return n;
}

int __wrap___vasprintf_chk(char **ret, int flag, const char *format, va_list args)
{
	(void)flag;
	return __wrap_vasprintf(ret, format, args);
}

int __wrap___asprintf_chk(char **ret, int flag, const char *format, ...)
{
	va_list args;
	int n;

	(void)flag;
	va_start(args, format);
	n = __wrap_vasprintf(ret, format, args);
	va_end(args);
	return n;
}

/* How many of n bytes may be written; -1: none, with errno. */
static ssize_t write_room(size_t n)
{
	if (tap.write_left < 0)
		return (ssize_t)n;
	if (tap.write_left == 0) {
		errno = ENOSPC;
		return -1;
	}
	if ((long)n > tap.write_left)
		n = (size_t)tap.write_left;
	tap.write_left -= (long)n;
	return (ssize_t)n;
}

ssize_t __wrap_write(int fd, const void *bytes, size_t n)
{
	const ssize_t room = write_room(n);

	return room < 0 ? -1 : __real_write(fd, bytes, (size_t)room);
}

ssize_t __wrap_pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
	const ssize_t room = write_room(n);

	return room < 0 ? -1 : __real_pwrite(fd, bytes, (size_t)room, offset);
}

static bool call_may_pass(enum tap_call call)
{
	if (tap.calls[call].n_left < 0)
		return true;
	if (tap.calls[call].n_left > 0) {
		tap.calls[call].n_left--;
		return true;
	}
	tap.calls[call].has_failed = true;
	errno = tap.calls[call].error_number;
	return false;
}

ssize_t __wrap_read(int fd, void *bytes, size_t n)
{
	return call_may_pass(TAP_READ) ? __real_read(fd, bytes, n) : -1;
}

ssize_t __wrap___read_chk(int fd, void *bytes, size_t n, size_t room)
{
	if (n > room)
		abort();
	return __wrap_read(fd, bytes, n);
}

int __wrap_fstat(int fd, struct stat *status)
{
	return call_may_pass(TAP_FSTAT) ? __real_fstat(fd, status) : -1;
}

int __wrap_ftruncate(int fd, off_t n_bytes)
{
	return call_may_pass(TAP_FTRUNCATE) ? __real_ftruncate(fd, n_bytes) : -1;
}

void *__wrap_mmap(void *address, size_t n, int protection, int flags, int fd, off_t offset)
{
	return call_may_pass(TAP_MMAP) ? __real_mmap(address, n, protection, flags, fd, offset) : MAP_FAILED;
}

void tap_fail_alloc_after(long n)
{
	tap.allocs_left = n;
}

void tap_fail_write_after(long n_bytes)
{
	tap.write_left = n_bytes;
}

void tap_fail_call_after(enum tap_call call, long n, int error_number)
{
	tap.calls[call].n_left = n;
	tap.calls[call].error_number = error_number;
	tap.calls[call].has_failed = false;
}

bool tap_call_has_failed(enum tap_call call)
{
	return tap.calls[call].has_failed;
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

bool tap_is_slow(void)
{
	const char *build = getenv("BUILD");

	return build && strcmp(build, "release") != 0;
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
