/* SPDX-License-Identifier: MIT */
/* Compares the sums of random windows with sums that a plain loop over all segments finds. */
#include "tracks/tree.h"

#include <string.h>

#include "tests/tap.h"
#include "tracks/segment_test.h"

enum { N_SEGMENTS = 50000, N_WINDOWS = 3000 };

static struct segment segments[N_SEGMENTS];

/* The test has its own generator, to get the same numbers on every platform. */
static uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005U + 1442695040888963407U;
	return *state >> 33;
}

/* Signed and unsigned integers, real numbers, and numbers that no axis can show. */
static struct number value_make(uint64_t *state)
{
	const uint64_t random = next_random(state);

	switch (random % 8) {
	case 0:
		return number_of_real(random % 3 ? __builtin_nan("") : -__builtin_inf());
	case 1:
	case 2:
		return number_as((uint64_t) - (int64_t)(random % 1000), RST_SIGNED);
	case 3:
	case 4:
		return number_of_real((double)(random % 1000) / 16 - 30);
	default:
		return number_as(random % 1000, RST_UNSIGNED);
	}
}

static void segments_make(void)
{
	uint64_t state = 1, at = 1000;

	for (size_t i = 0; i < N_SEGMENTS; i++) {
		const struct number value = value_make(&state);

		at += next_random(&state) % 4 ? 0 : next_random(&state) % 50;
		segments[i] = (struct segment){ .from = at,
			.to = at + 1 + next_random(&state) % 200,
			.from_seq = next_random(&state) % 9 ? i : RST_NO_SEQ,
			.to_seq = next_random(&state) % 9 ? i + next_random(&state) % 1000 : RST_NO_SEQ,
			.value = value.bits,
			.value_type = (uint8_t)value.type,
			.object = (uint32_t)(next_random(&state) % 50),
			.by = next_random(&state) % 5 ? 0 : (uint32_t)next_random(&state) << 2,
			.core = (uint16_t)(next_random(&state) % 3),
			.state = (uint8_t)(next_random(&state) % RST_N_STATES),
			.reason = (uint8_t)(next_random(&state) % RST_N_REASONS),
			.certainty = (uint8_t)(next_random(&state) % 3),
			.class = (uint8_t)(next_random(&state) % N_CLASSES) };
		at = segments[i].to;
	}
}

static struct summary sum_plainly(size_t n, uint64_t from, uint64_t to)
{
	struct summary sum = { .n_segments = 0 };

	for (size_t i = 0; i < n; i++) {
		const uint64_t begin = segments[i].from > from ? segments[i].from : from;
		const uint64_t end = segments[i].to < to ? segments[i].to : to;

		if (begin >= end)
			continue;
		const struct number value = segment_value(&segments[i]);

		if (number_is_finite(value) && (!sum.has_values || number_compare(value, sum.least) < 0))
			sum.least = value;
		if (number_is_finite(value) && (!sum.has_values || number_compare(value, sum.most) > 0))
			sum.most = value;
		sum.has_values |= number_is_finite(value);
		sum.from = sum.n_segments ? sum.from : begin;
		sum.to = end;
		sum.ticks[segments[i].class] += end - begin;
		sum.n_segments++;
	}
	return sum;
}

static bool is_same(const struct summary *a, const struct summary *b)
{
	return a->n_segments == b->n_segments && a->from == b->from && a->to == b->to &&
	       a->has_values == b->has_values &&
	       (!a->has_values || (number_is_same(a->least, b->least) && number_is_same(a->most, b->most))) &&
	       memcmp(a->ticks, b->ticks, sizeof(a->ticks)) == 0;
}

static bool windows_agree(const struct tree *tree, size_t n, size_t n_windows)
{
	const uint64_t first = segments[0].from, length = segments[n - 1].to - first;
	uint64_t state = n;
	bool agrees = true;

	for (size_t i = 0; i < n_windows && agrees; i++) {
		const uint64_t from = first - 20 + next_random(&state) % (length + 40);
		const uint64_t to = from + 1 + next_random(&state) % (i % 2 ? length + 100 : 500);
		const struct summary plain = sum_plainly(n, from, to), sum = tree_sum(tree, from, to);

		agrees = is_same(&plain, &sum);
	}
	return agrees;
}

/* A column may count a segment that reaches into its neighbour; the neighbour then does not count it. */
static bool columns_agree(const struct tree *tree)
{
	const uint64_t from = segments[0].from, to = segments[N_SEGMENTS - 1].to;
	const struct summary whole = tree_sum(tree, from, to);
	bool agrees = true;

	for (unsigned width = 1; width < 2000; width = width * 3 + 1)
		for (uint64_t blur = 0; blur < to - from; blur = blur * 7 + 100) {
			uint64_t sums[N_CLASSES] = { 0 };

			for (unsigned i = 0; i < width; i++) {
				const struct summary sum =
					tree_sum_about(tree, from + (to - from) * i / width,
						from + (to - from) * (i + 1) / width, blur);

				for (unsigned class = 0; class < N_CLASSES; class ++)
					sums[class] += sum.ticks[class];
			}
			agrees &= memcmp(sums, whole.ticks, sizeof(sums)) == 0;
		}
	return agrees;
}

static void check_sums(void)
{
	struct tree_store store = { .opened = NULL };
	struct tree tree = { .n_open = 0 };
	bool is_added = true, agrees = true, is_found = true;

	ok(tree_sum(&tree, 0, UINT64_MAX).n_segments == 0 && tree_find(&tree, 0) == 0,
		"an empty tree has nothing");
	for (size_t i = 0; i < N_SEGMENTS; i++) {
		is_added &= tree_add(&tree, &store, &segments[i]);
		/* At each size up to some chunks, and at the edges of levels. */
		if (i < 300 || i % (TREE_CHUNK * TREE_FAN) < 2)
			agrees &= windows_agree(&tree, i + 1, 5);
	}
	ok(is_added && tree_n(&tree) == N_SEGMENTS, "segments can be added one by one");
	ok(agrees, "at any size, the sum of a window is that of its segments");
	ok(windows_agree(&tree, N_SEGMENTS, N_WINDOWS), "and for many windows of a large tree");
	ok(columns_agree(&tree), "columns whose edges are blurred have all time together, whatever the blur");
	for (size_t i = 0; i < N_SEGMENTS; i += 7) {
		const struct segment segment = tree_segment(&tree, i);

		is_found &= tree_find(&tree, segment.to - 1) == i && segment_is(&segment, &segments[i]);
	}
	ok(is_found && tree_find(&tree, segments[N_SEGMENTS - 1].to) == N_SEGMENTS,
		"each segment is found by any moment of it");
	tree_done(&tree);
	tree_store_done(&store);
}

static void check_most(void)
{
	struct summary sum = { .ticks = { [2] = 5, [4] = 9, [7] = 9 } };

	ok(summary_most(&sum) == 4, "the class with the most time counts, of equal ones the first");
}

static void check_memory(void)
{
	struct tree_store store = { .opened = NULL };
	bool has_failed = false, goes_on = true;

	for (long n = 0; n < 4; n++) {
		struct tree tree = { .n_open = 0 };

		tap_fail_alloc_after(n);
		for (size_t i = 0; i < 2000 && !has_failed; i++)
			has_failed = !tree_add(&tree, &store, &segments[i]);
		tap_fail_alloc_after(-1);
		goes_on &= tree_sum(&tree, 0, UINT64_MAX).n_segments <= tree_n(&tree);
		tree_done(&tree);
	}
	ok(has_failed && goes_on, "without memory a segment is refused, and what is there can be asked for");
	tree_store_done(&store);
}

int main(void)
{
	segments_make();
	check_sums();
	check_most();
	check_memory();
	return tap_done();
}
