/* SPDX-License-Identifier: MIT */
/*
 * Why a selection chose nothing, or a part of it could choose nothing: mostly a word that is spelled in
 * another way.
 */
#ifndef LINES_EXPLAIN_H
#define LINES_EXPLAIN_H

#include "select/select.h"

struct explain {
	const struct select *select;
	bool has_chosen; /* some event */
	uint64_t first_ticks, last_ticks;
	void (*tell)(void *context, const char *sentence); /* one sentence, without its end */
	void *context;
};

/* For a trace that was read to its end. When memory runs out, sentences are left out. */
void explain_selection(const struct explain *explain);

#endif
