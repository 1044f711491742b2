/* SPDX-License-Identifier: MIT */
#include "analysis/stats/stats.h"
#include "base/error.h"
#include "base/similar.h"

extern const struct analysis analysis_load, analysis_threads, analysis_latency, analysis_processes,
	analysis_locks, analysis_interrupts, analysis_spans, analysis_machines, analysis_losses,
	analysis_queues, analysis_memory, analysis_services, analysis_stacks;

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
	&analysis_stacks,
	&analysis_losses,
	NULL,
};

enum rst_status analysis_find(const char *name, const struct analysis **ret_analysis, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char near[SIMILAR_TEXT_MAX];

	for (size_t i = 0; analyses[i]; i++) {
		if (strcmp(analyses[i]->name, name) == 0) {
			*ret_analysis = analyses[i];
			return RST_OK;
		}
		similar_offer(&similar, analyses[i]->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no table '%s'", name);
	error_advise(err, "%s", similar_text(&similar, near) ? near : "see `rastrum stats --list`");
	return RST_E_USAGE;
}
