/* SPDX-License-Identifier: MIT */
/* Arguments of `rastrum timeline`, which rastrum-timeline works with. */
#ifndef CLI_ANALYSIS_TIMELINE_H
#define CLI_ANALYSIS_TIMELINE_H

#include "cli/analysis/analysis.h"

struct timeline_args {
	struct analysis_args analysis; /* first, with the common ones in it */
	struct text_list tracks;
	bool is_followed, is_ascii;
	unsigned color;
};

#endif
