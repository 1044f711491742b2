/* SPDX-License-Identifier: MIT */
/*
 * Long inputs out of short ones, and what reading them may cost. A fuzzer's inputs are some hundred bytes:
 * what a reader keeps without end, or does again and again, does not show in them. So an input may ask to be
 * grown: a window of it is repeated up to a mebibyte, and a number in it counts up, so that ids, names and
 * types differ from copy to copy. The last bytes of the input say so:
 *
 *	... | from u16 | length u16 | counter at u8 | 0xb0 + log2 of the size's last steps
 *
 * Fuzzers are built with small limits (base/limit.h). So memory and time beyond the budget are no matter of
 * numbers: they are kept, or spent, without limit.
 */
#ifndef FUZZ_GROW_H
#define FUZZ_GROW_H

#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- growing -------------------------------------------------------------------------------------------- */

enum { GROW_TAIL = 6, GROW_MARK = 0xb0, GROW_MARK_BITS = 0xf0, GROW_LEAST = 128 << 10, GROW_WINDOW = 4096 };

static inline unsigned grow_u16(const uint8_t *at)
{
	return at[0] | (unsigned)at[1] << 8;
}

/* Whether the input asks to be grown. */
static inline bool grow_is_wanted(const uint8_t *data, size_t size)
{
	return size > GROW_TAIL && (data[size - 1] & GROW_MARK_BITS) == GROW_MARK;
}

/* Memory of its own, of just the size that it has then: grown or not. NULL when there is none. */
static inline uint8_t *grow(const uint8_t *data, size_t size, size_t *ret_size)
{
	const uint8_t *tail;
	size_t from, n, n_copies, at;
	uint8_t *grown;

	if (!grow_is_wanted(data, size)) {
		*ret_size = size;
		grown = calloc(1, size + !size);
		return grown && size ? memcpy(grown, data, size) : grown;
	}
	tail = data + (size -= GROW_TAIL);
	from = grow_u16(tail) % size;
	n = 1 + grow_u16(tail + 2) % GROW_WINDOW;
	n = n < size - from ? n : size - from;
	n_copies = ((size_t)GROW_LEAST << (tail[5] & 3)) / n;
	*ret_size = size - n + n * n_copies;
	grown = malloc(*ret_size);
	if (!grown)
		return NULL;
	memcpy(grown, data, from);
	for (size_t i = 0; i < n_copies; i++) {
		at = from + i * n;
		memcpy(grown + at, data + from, n);
		for (size_t k = 0, number = i; k < 4 && (tail[4] + k) < n; k++, number >>= 8)
			grown[at + tail[4] + k] = (uint8_t)(grown[at + tail[4] + k] + number);
	}
	memcpy(grown + from + n_copies * n, data + from + n, size - from - n);
	return grown;
}

/* --- the budget ----------------------------------------------------------------------------------------- */

struct budget {
	size_t n_bytes;	     /* of the input */
	size_t n_kept_bytes; /* of it that the reader may keep */
	size_t n_before;     /* bytes of the heap in use */
	size_t n_types;	     /* that the format itself has a limit for */
	uint64_t began_ns;
	size_t n_used; /* the most that budget_look() has seen */
};

size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static inline size_t budget_heap(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
}

static inline uint64_t budget_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static inline struct budget budget_begin(size_t n_bytes)
{
	return (struct budget){ .n_bytes = n_bytes,
		.n_kept_bytes = n_bytes,
		.n_before = budget_heap(),
		.began_ns = budget_now() };
}

/* Looks at the memory in use. Call it while the trace is open. */
static inline void budget_look(struct budget *budget)
{
	size_t n = budget_heap();

	if (n > budget->n_before && n - budget->n_before > budget->n_used)
		budget->n_used = n - budget->n_before;
}

/*
 * Memory: what an open trace and its report take by themselves, and what is gathered of the input; whatever
 * grows with it otherwise is kept without a limit. Time: with a sanitizer about a third of a microsecond for
 * a byte and some for a row.
 */
#ifdef RST_SMALL_LIMITS
enum { BUDGET_BYTES_FREE = 2 << 20, BUDGET_BYTES_EACH = 2 };
#else
enum { BUDGET_BYTES_FREE = 96 << 20, BUDGET_BYTES_EACH = 64 };
#endif
enum { BUDGET_BYTES_TYPE = 512, BUDGET_NS_FREE = 300000000, BUDGET_NS_BYTE = 500, BUDGET_NS_ROW = 8000 };

/* The thread sanitizer makes some rows ten times as dear as others: under it time says nothing. */
#ifdef __SANITIZE_THREAD__
enum { BUDGET_HAS_TIME = false };
#else
enum { BUDGET_HAS_TIME = true };
#endif

/* false: it took too long; the same again says whether that was the machine. */
static inline bool budget_check(const struct budget *budget, uint64_t n_rows)
{
	uint64_t ns = budget_now() - budget->began_ns;
	uint64_t ns_most = BUDGET_NS_FREE + budget->n_bytes * BUDGET_NS_BYTE + n_rows * BUDGET_NS_ROW;

	if (budget->n_used > BUDGET_BYTES_FREE + budget->n_kept_bytes * BUDGET_BYTES_EACH +
				     budget->n_types * BUDGET_BYTES_TYPE) {
		fprintf(stderr, "budget: %zu bytes of memory for %zu bytes of input\n", budget->n_used,
			budget->n_bytes);
		abort();
	}
	if (!BUDGET_HAS_TIME || ns <= ns_most)
		return true;
	fprintf(stderr, "budget: %llu ms for %zu bytes of input and %llu rows\n",
		(unsigned long long)ns / 1000000, budget->n_bytes, (unsigned long long)n_rows);
	return false;
}

#endif
