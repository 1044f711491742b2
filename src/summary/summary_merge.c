/* SPDX-License-Identifier: MIT */
/*
 * Counts by index become rows that are shown: contexts get distinct names. By sorting: a hostile trace has as
 * many contexts as its reader takes.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "summary/summary_merge.h"

static int compare_contexts(const struct rst_context *x, const struct rst_context *y)
{
	int order = strcmp(x->name, y->name);

	if (!order)
		order = (x->id > y->id) - (x->id < y->id);
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static int compare_rows(const void *a, const void *b)
{
	const struct summary_context *const *x = a, *const *y = b;
	int order = compare_contexts((*x)->context, (*y)->context);

	return order ? order : (*x > *y) - (*x < *y);
}

static int compare_names(const void *a, const void *b)
{
	const struct summary_context *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	return order ? order : (*x > *y) - (*x < *y);
}

static bool rename_row(struct summary *summary, struct summary_context *row, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool rename_row(struct summary *summary, struct summary_context *row, const char *format, ...)
{
	char *name;
	va_list args;
	int n;

	va_start(args, format);
	n = vasprintf(&name, format, args);
	va_end(args);
	if (n < 0)
		return false;
	row->name = arena_copy(&summary->names, name, (size_t)n);
	free(name);
	return row->name != NULL;
}

/*
 * Rows of equal name: of equal id and kind they are one, else the id is appended. sorted by compare_rows().
 */
static bool merge_rows(struct summary *summary, struct summary_context **sorted, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		const char *name = sorted[i]->context->name;
		size_t n_own = 0;

		for (end = i; end < n && strcmp(sorted[end]->context->name, name) == 0; end++) {
			if (n_own &&
				!compare_contexts(sorted[end]->context, sorted[i + n_own - 1]->context)) {
				sorted[i + n_own - 1]->count += sorted[end]->count;
				sorted[end]->count = 0;
				continue;
			}
			sorted[i + n_own++] = sorted[end];
		}
		for (size_t k = i; n_own > 1 && k < i + n_own; k++)
			if (!rename_row(summary, sorted[k],
				    sorted[k]->context->is_number ? "%s (%" PRIu64 ")" : "%s (0x%" PRIx64 ")",
				    name, sorted[k]->context->id))
				return false;
		for (size_t k = i + n_own; k < end; k++)
			sorted[k] = NULL;
	}
	return true;
}

/*
 * Two kinds may share an id, and a name may look like another one with its id: a number is appended to equal
 * names, and again where that name is taken, too. Each round makes names longer.
 */
static bool number_rows(struct summary *summary, struct summary_context **rows, size_t n)
{
	for (bool is_alike = true; is_alike;) {
		is_alike = false;
		qsort(rows, n, sizeof(*rows), compare_names);
		for (size_t i = 0, end; i < n; i = end) {
			const char *name = rows[i]->name;

			for (end = i + 1; end < n && strcmp(rows[end]->name, name) == 0; end++)
				if (!rename_row(summary, rows[end], "%s #%zu", name, end - i + 1))
					return false;
			is_alike |= end > i + 1;
		}
	}
	return true;
}

/* The rows that still have events, in front and in the order in which they were met. */
static void keep_rows(struct summary *summary)
{
	size_t n = 0;

	for (size_t i = 0; i < summary->n_rows; i++)
		if (summary->rows[i].count)
			summary->rows[n++] = summary->rows[i];
	summary->n_rows = n;
}

bool summary_name_contexts(struct summary *summary)
{
	struct summary_context **sorted = calloc(summary->contexts_room + 1, sizeof(*sorted));
	const struct rst_context *context;
	bool is_good;
	size_t n = 0;

	summary->rows = calloc(summary->contexts_room + 1, sizeof(*summary->rows));
	if (!sorted || !summary->rows) {
		free(sorted);
		return false;
	}
	for (size_t i = 0;
		i < summary->contexts_room && (context = rst_trace_context(summary->trace, i)) != NULL; i++) {
		if (!summary->contexts[i])
			continue;
		summary->rows[n] = (struct summary_context){ context, context->name, summary->contexts[i] };
		sorted[n] = &summary->rows[n];
		n++;
	}
	summary->n_rows = n;
	qsort(sorted, n, sizeof(*sorted), compare_rows);
	is_good = merge_rows(summary, sorted, n);
	for (size_t i = n = 0; i < summary->n_rows; i++)
		if (sorted[i])
			sorted[n++] = sorted[i];
	is_good = is_good && number_rows(summary, sorted, n);
	keep_rows(summary);
	free(sorted);
	return is_good;
}
