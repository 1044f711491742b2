/* SPDX-License-Identifier: MIT */
#include "cli/aix/trcrpt.h"
#include "dialect/dialect.h"

const struct hook *trcrpt_hook(struct rst_trace *trace, const struct rst_layout *layout)
{
	const char *dialect = layout->dialect ? layout->dialect : rst_trace_metadata(trace)->dialect;

	return dialect_hook(dialect, layout->type);
}
