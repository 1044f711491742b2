/* SPDX-License-Identifier: MIT */
/* Why a selection chose nothing, or a part of it could choose nothing: mostly a word that is spelled in another way. */
#ifndef REPORT_EXPLAIN_H
#define REPORT_EXPLAIN_H

#include "report/select.h"

struct explain {
	const struct select *select;
	bool has_chosen; /* some event */
	uint64_t first_ticks, last_ticks;
	void (*tell)(void *context, const char *sentence); /* one sentence, without its end */
	void *context;
};

/* Of a trace that was read to its end. Memory that runs out is sentences that are not told. */
void explain_selection(const struct explain *explain);

#endif
