/* SPDX-License-Identifier: MIT */
#include "analysis/stats/stats.h"
#include "base/choice.h"
#include "base/error.h"

extern const struct analysis analysis_load, analysis_threads, analysis_latency, analysis_processes,
	analysis_locks, analysis_interrupts, analysis_spans, analysis_machines, analysis_losses,
	analysis_queues, analysis_memory, analysis_services, analysis_stacks, analysis_timers;

const struct analysis *const analyses[] = {
	&analysis_load,
	&analysis_threads,
	&analysis_latency,
	&analysis_processes,
	&analysis_locks,
	&analysis_queues,
	&analysis_memory,
	&analysis_interrupts,
	&analysis_services,
	&analysis_spans,
	&analysis_machines,
	&analysis_timers,
	&analysis_stacks,
	&analysis_losses,
	NULL,
};

static const char *table_name(size_t i)
{
	return analyses[i] ? analyses[i]->name : NULL;
}

enum rst_status analysis_find(const char *name, const struct analysis **ret_analysis, struct rst_error *err)
{
	const struct choice choice = {
		.kind = "table", .name = table_name, .see = "see `rastrum stats --list`"
	};
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_analysis = analyses[index];
	return RST_OK;
}
