/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include <string.h>

#include "base/error.h"
#include "base/similar.h"

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

enum rst_status columns_parse(struct columns_spec *spec, const char *word, struct rst_error *err)
{
	const char *name = word + (*word == '+' || *word == '-');
	struct similar similar = similar_to(name);
	char advice[SIMILAR_TEXT_MAX];
	unsigned column = 0;

	for (; column < N_COLUMNS && strcmp(name, column_names[column]) != 0; column++)
		similar_offer(&similar, column_names[column]);
	if (column == N_COLUMNS) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no column '%s'", name);
		error_advise(err, "%s", similar_or_all(&similar, advice));
		return RST_E_USAGE;
	}
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
