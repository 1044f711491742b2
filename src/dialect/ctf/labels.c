/* SPDX-License-Identifier: MIT */
/*
 * Finds the label of a value. An enumeration may have thousands of labels, whose ranges may overlap; the
 * first one that contains a value is its label. So the ranges are cut into pieces once, where any of them
 * begins or ends, and each piece gets the first label that covers it:
 *
 *	labels	A = 2…5, B = 4…9	from	2	6	10
 *					label	A	B	none
 *
 * A value is then found by bisection.
 */
#include <stdlib.h>

#include "dialect/ctf/ctf.h"

/* The same order for signed and unsigned values. */
static uint64_t label_key(bool is_signed, uint64_t number)
{
	return is_signed ? number ^ (uint64_t)1 << 63 : number;
}

static int compare_starts(const void *first, const void *second)
{
	const uint64_t a = *(const uint64_t *)first, b = *(const uint64_t *)second;

	return a < b ? -1 : a > b;
}

/* How many of the starts are not greater. */
static size_t count_starts(const uint64_t *from, size_t n, uint64_t key)
{
	size_t low = 0;

	while (low < n) {
		const size_t middle = low + (n - low) / 2;

		if (from[middle] <= key)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void list_starts(struct ctf_starts *starts, const struct ctf_class *class)
{
	size_t n = 0, n_kept = 0;

	for (size_t i = 0; i < class->n_labels; i++) {
		const uint64_t to = label_key(class->is_signed, class->labels[i].to);

		starts->from[n++] = label_key(class->is_signed, class->labels[i].from);
		if (to < UINT64_MAX)
			starts->from[n++] = to + 1;
	}
	qsort(starts->from, n, sizeof(*starts->from), compare_starts);
	for (size_t i = 0; i < n; i++)
		if (!n_kept || starts->from[i] != starts->from[n_kept - 1])
			starts->from[n_kept++] = starts->from[i];
	starts->n = n_kept;
}

/* The next piece at or behind this one without a label. Pieces that were passed are skipped from then on. */
static size_t next_free(uint32_t *skip, size_t at)
{
	size_t end = at;

	while (skip[end] != end)
		end = skip[end];
	while (skip[at] != end) {
		const size_t next = skip[at];

		skip[at] = (uint32_t)end;
		at = next;
	}
	return end;
}

static void give_label(struct ctf_starts *starts, uint32_t *skip, const struct ctf_class *class, size_t label)
{
	const uint64_t from = label_key(class->is_signed, class->labels[label].from);
	const uint64_t to = label_key(class->is_signed, class->labels[label].to);
	const size_t end = count_starts(starts->from, starts->n, to);

	if (to < from)
		return;
	for (size_t at = next_free(skip, count_starts(starts->from, starts->n, from) - 1); at < end;
		at = next_free(skip, at + 1)) {
		starts->label[at] = (uint32_t)label;
		skip[at] = (uint32_t)at + 1;
	}
}

bool ctf_index_labels(struct arena *arena, const struct ctf_class *class,
	const struct ctf_member *const *is_used, struct ctf_starts *ret)
{
	const size_t n_most = 2 * class->n_labels + 1;
	uint32_t *skip;

	if (!class->n_labels)
		return true;
	ret->from = arena_alloc(arena, n_most * sizeof(*ret->from));
	ret->label = arena_alloc(arena, n_most * sizeof(*ret->label));
	skip = malloc(n_most * sizeof(*skip));
	if (!ret->from || !ret->label || !skip) {
		free(skip);
		return false;
	}
	list_starts(ret, class);
	for (size_t i = 0; i < n_most; i++) {
		ret->label[i] = CTF_NO_LABEL;
		skip[i] = (uint32_t)i;
	}
	for (size_t i = 0; i < class->n_labels; i++)
		if (!is_used || is_used[i])
			give_label(ret, skip, class, i);
	free(skip);
	return true;
}

uint32_t ctf_find_label(const struct ctf_starts *starts, bool is_signed, uint64_t number)
{
	const size_t n = count_starts(starts->from, starts->n, label_key(is_signed, number));

	return n ? starts->label[n - 1] : CTF_NO_LABEL;
}
