/* SPDX-License-Identifier: MIT */
#include "lines/columns.h"

#include "base/choice.h"
#include "base/error.h"

const char *const column_names[N_COLUMNS] = {
	[COLUMN_TIME] = "time",
	[COLUMN_DELTA] = "delta",
	[COLUMN_CORE] = "core",
	[COLUMN_THREAD] = "thread",
	[COLUMN_PRIORITY] = "priority",
	[COLUMN_EVENT] = "event",
	[COLUMN_TEXT] = "text",
};

enum { ALL = (1U << N_COLUMNS) - 1 };

static const char *column_name(size_t i)
{
	return i < N_COLUMNS ? column_names[i] : NULL;
}

enum rst_status columns_parse(struct columns_spec *spec, const char *word, struct rst_error *err)
{
	const struct choice choice = { .kind = "column", .name = column_name };
	const char *name = word + (*word == '+' || *word == '-');
	size_t column;

	error_try(choice_find(&choice, name, &column, err));
	/* Bare names are the whole list and replace the default. */
	if (name == word)
		spec->hidden |= ALL;
	if (*word == '-') {
		spec->shown &= ~(1U << column);
		spec->hidden |= 1U << column;
	} else {
		spec->shown |= 1U << column;
	}
	return RST_OK;
}

unsigned columns_apply(const struct columns_spec *spec, unsigned columns)
{
	return (columns & ~spec->hidden) | spec->shown;
}
