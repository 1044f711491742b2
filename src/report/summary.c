/* SPDX-License-Identifier: MIT */
#include "report/summary.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"

static bool reach(uint64_t **counts, size_t *room, size_t index)
{
	uint64_t *reached = array_reach(*counts, room, index, sizeof(uint64_t));

	if (reached)
		*counts = reached;
	return reached != NULL;
}

static void count_gap(struct summary *summary, const struct rst_gap *gap)
{
	if (gap->marker != RST_LOSS)
		return;
	summary->n_gaps++;
	summary->n_lost += gap->n_events;
}

static bool count_batch(struct summary *summary, const struct rst_batch *batch)
{
	for (size_t i = 0; i < batch->n_events; i++) {
		const struct rst_type *type = batch->type[i];
		uint32_t context = batch->context[i]->index;

		if (type->marker != RST_EVENT) {
			count_gap(summary, rst_batch_gap(batch, i));
			continue;
		}
		if ((type->index >= summary->types_room &&
			    !reach(&summary->types, &summary->types_room, type->index)) ||
			(context >= summary->contexts_room &&
				!reach(&summary->contexts, &summary->contexts_room, context)))
			return false;
		summary->types[type->index]++;
		summary->contexts[context]++;
		if (batch->core[i] < 256)
			summary->cores[batch->core[i]]++;
		if (summary->n_events++ == 0)
			summary->first_ticks = batch->ticks[i];
		summary->last_ticks = batch->ticks[i];
	}
	return true;
}

enum rst_status summary_read(struct summary *summary, struct rst_trace *trace,
	void (*progress)(void *context, uint64_t n_events), void *progress_context, struct rst_error *err)
{
	const struct rst_batch *batch;
	enum rst_status status;

	*summary = (struct summary){ .trace = trace };
	while ((status = rst_trace_next(trace, &batch, &summary->failure)) == RST_OK) {
		if (!count_batch(summary, batch)) {
			status = error_nomem(&summary->failure);
			break;
		}
		if (progress)
			progress(progress_context, summary->n_events);
	}
	if (status == RST_END)
		return RST_OK;
	if (err)
		*err = summary->failure;
	return status;
}

void summary_done(struct summary *summary)
{
	free(summary->types);
	free(summary->contexts);
	summary->types = summary->contexts = NULL;
}
