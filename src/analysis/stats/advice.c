/* SPDX-License-Identifier: MIT */
#include "analysis/stats/advice.h"

#define NOTABLE 0.05 /* of the time of threads or cores */

enum cause {
	CAUSE_LOSS,	   /* events are lost, or damaged */
	CAUSE_NO_SWITCHES, /* the recording does not show which thread runs */
	CAUSE_ANY
};

/* The first row that fits is the advice. */
static const struct {
	const char *dialect; /* NULL: any */
	enum cause cause;
	const char *text;
} advices[] = {
	{ "posix", CAUSE_NO_SWITCHES, "rastrum record --system --sched" },
	{ NULL, CAUSE_LOSS, "record without losses: a larger buffer, a faster link, fewer types" },
	{ "liteos", CAUSE_ANY, "TASK_SWITCH in the recorder's mask; a larger buffer, earlier start" },
	{ "threadx", CAUSE_NO_SWITCHES, "internal events, which the filter of tracing leaves out" },
	{ "aix", CAUSE_ANY, "templates with `# effect:` lines, which say what hooks do" },
	{ "compact", CAUSE_ANY, "TASK_SWITCH events; a larger buffer, or an earlier start" },
	{ "rkh", CAUSE_ANY, NULL }, /* it has no threads */
	{ NULL, CAUSE_ANY, "a larger buffer, or an earlier start of the recording" },
};

static bool has_cause(enum cause cause, const struct stats *stats, const struct rst_metadata *metadata)
{
	const struct overview *overview = &stats->overview;

	return cause == CAUSE_ANY || (cause == CAUSE_LOSS && (overview->n_losses || overview->n_damages)) ||
	       (cause == CAUSE_NO_SWITCHES && !metadata->has_switches);
}

const char *advice_for(const struct stats *stats, const struct rst_metadata *metadata)
{
	if (!stats->overview.n_events || (stats_unknown(stats, BASIS_THREADS) < NOTABLE &&
						 stats_unknown(stats, BASIS_CORES) < NOTABLE))
		return NULL;
	for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++)
		if ((!advices[i].dialect || strcmp(advices[i].dialect, metadata->dialect) == 0) &&
			has_cause(advices[i].cause, stats, metadata))
			return advices[i].text;
	return NULL;
}
