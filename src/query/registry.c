/* SPDX-License-Identifier: MIT */
#include "query/metric.h"

const struct metric *const metrics[] = {
	&metric_latency,
	&metric_period,
	&metric_duration,
	&metric_run,
	&metric_ready,
	&metric_wait,
	&metric_hold,
	&metric_level,
	&metric_count,
	&metric_errors,
	&metric_lost,
	&metric_stack_free,
	&metric_none,
	NULL,
};
