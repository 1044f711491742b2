/* SPDX-License-Identifier: MIT */
/* Advice: a setting of the recorder that leaves less time unknown. */
#ifndef ANALYSIS_STATS_ADVICE_H
#define ANALYSIS_STATS_ADVICE_H

#include "analysis/stats/stats.h"

/*
 * Returns a clause for people, static; NULL if nearly all is known, or if nothing that could be recorded
 * would tell more.
 */
const char *advice_for(const struct stats *stats, const struct rst_metadata *metadata);

#endif
