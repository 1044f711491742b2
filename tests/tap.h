/* SPDX-License-Identifier: MIT */
/*
 * The test protocol: each check prints one TAP line, `ok N - sentence`; `return tap_done();` ends main().
 * The linker wraps allocations (malloc, calloc, realloc, asprintf, vasprintf), writes (write, pwrite) and the
 * system calls of enum tap_call in test programs, so that each can be made to fail.
 */
#ifndef TESTS_TAP_H
#define TESTS_TAP_H

#include <stdbool.h>
#include <stddef.h>

/* Prints one line and returns passed. The sentence says what holds, not what the code does. */
bool ok(bool passed, const char *sentence, ...) __attribute__((format(printf, 2, 3)));

/* As ok(), and on failure shows both sides. */
bool is_text(const char *got, const char *expected, const char *sentence);
bool is_number(unsigned long long got, unsigned long long expected, const char *sentence);

/* Prints the plan; the exit status of the program. */
int tap_done(void);

/* The n-th allocation from now (0: the next) and all later ones fail; -1: none. */
void tap_fail_alloc_after(long n);

/* write() and pwrite() take n_bytes more bytes, then fail with ENOSPC; -1: no limit. */
void tap_fail_write_after(long n_bytes);

enum tap_call { TAP_READ, TAP_FSTAT, TAP_FTRUNCATE, TAP_MMAP, TAP_CALLS };

/* The n-th call from now (0: the next) and all later ones fail with error_number; -1: none. */
void tap_fail_call_after(enum tap_call call, long n, int error_number);

/* Whether one has failed since tap_fail_call_after(). */
bool tap_call_has_failed(enum tap_call call);

/*
 * Whether this is a build that checks itself, and so is many times slower than release (BUILD in the
 * environment).
 */
bool tap_is_slow(void);

/* A whole file; the test ends with a diagnosis when it cannot be read. Free with free(). */
unsigned char *tap_slurp(const char *path, size_t *ret_n_bytes);

#endif
