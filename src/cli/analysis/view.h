/* SPDX-License-Identifier: MIT */
/* Arguments of `rastrum view`, which rastrum-view works with. */
#ifndef CLI_ANALYSIS_VIEW_H
#define CLI_ANALYSIS_VIEW_H

#include "cli/analysis/analysis.h"

struct view_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	uint64_t port;
	bool has_no_browser, is_followed;
};

#endif
