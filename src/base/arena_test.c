/* SPDX-License-Identifier: MIT */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

#include "tests/tap.h"

enum { N_PIECES = 3000 };

static bool is_zero(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i])
			return false;
	return true;
}

static void check_pieces(void)
{
	struct arena arena = { 0 };
	char *pieces[N_PIECES];
	bool is_aligned = true, is_zeroed = true, is_apart = true;

	/* Sizes from 0 up, so that pieces reach the end of a chunk in every way. */
	for (size_t i = 0; i < N_PIECES; i++) {
		pieces[i] = arena_alloc(&arena, i % 100);
		is_aligned &= (uintptr_t)pieces[i] % alignof(max_align_t) == 0;
		is_zeroed &= is_zero(pieces[i], i % 100);
		memset(pieces[i], (int)(i % 251 + 1), i % 100);
	}
	for (size_t i = 0; i < N_PIECES; i++)
		for (size_t k = 0; k < i % 100; k++)
			is_apart &= pieces[i][k] == (char)(i % 251 + 1);
	ok(is_aligned, "pieces are aligned for any type");
	ok(is_zeroed, "pieces are zero");
	ok(is_apart, "no piece shares a byte with another");
	arena_done(&arena);
}

static void check_sizes(void)
{
	struct arena arena = { 0 };
	char *large, *small;

	ok(arena_alloc(&arena, 0) != NULL, "nothing of an empty arena is a piece, not a failure");
	small = arena_alloc(&arena, 1);
	large = arena_alloc(&arena, (size_t)1 << 20);
	ok(small && large && is_zero(large, (size_t)1 << 20), "a piece may be larger than a chunk");
	memset(large, 1, (size_t)1 << 20);
	ok(*small == 0 && arena_alloc(&arena, 1) != NULL, "small pieces go on behind a large one");
	ok(arena_alloc(&arena, SIZE_MAX) == NULL && arena_alloc(&arena, SIZE_MAX / 2 + 1) == NULL,
		"a size that no memory has is refused, without overflow");
	arena_done(&arena);
	ok(!arena.chunks && !arena.n_left, "an arena that is done is an empty one");
	is_text(arena_copy(&arena, "again", 5), "again", "and can be used again");
	arena_done(&arena);
	arena_done(&arena);
	ok(true, "an arena can be done twice");
}

static void check_copies(void)
{
	struct arena arena = { 0 };
	char *copy = arena_copy(&arena, "a\0b", 3);

	ok(memcmp(copy, "a\0b", 4) == 0, "a copy keeps NULs and is terminated");
	is_text(arena_copy(&arena, NULL, 0), "", "a copy of nothing is an empty text");
	arena_done(&arena);
}

static void check_no_memory(void)
{
	struct arena arena = { 0 };
	char *kept;

	tap_fail_alloc_after(0);
	ok(!arena_alloc(&arena, 1) && !arena_copy(&arena, "x", 1), "without memory there is no piece");
	tap_fail_alloc_after(1);
	kept = arena_copy(&arena, "kept", 4);
	ok(arena_alloc(&arena, 100000) == NULL, "a chunk that cannot be had is reported");
	is_text(kept, "kept", "and leaves the other pieces as they are");
	ok(arena_alloc(&arena, 100) != NULL, "what fits into the old chunk can still be had");
	tap_fail_alloc_after(-1);
	arena_done(&arena);
}

static void check_most(void)
{
	struct arena arena = { .n_max = 20000 };

	ok(arena_alloc(&arena, 1000) && !arena.is_spent && arena_used(&arena) >= 1000,
		"below its limit an arena has memory");
	ok(!arena_alloc(&arena, 19000) && arena.is_spent, "beyond it none, and the reason is set");
	ok(arena_alloc(&arena, 1000), "what is there is still given");
	arena_done(&arena);
	ok(arena_used(&arena) == 0, "when it is done nothing is used");
}

int main(void)
{
	check_most();
	check_pieces();
	check_sizes();
	check_copies();
	check_no_memory();
	return tap_done();
}
