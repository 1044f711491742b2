/* SPDX-License-Identifier: MIT */
#include "analysis/edges.h"

#include <stdlib.h>

#include "base/array.h"

static enum rst_phase phase_of(const struct rst_layout *layout)
{
	for (unsigned i = 0; i < layout->n_effects; i++)
		if (layout->effects[i].kind == RST_EFFECT_GAP)
			return layout->effects[i].phase;
	return RST_DONE;
}

/* Events of a merged trace come from several recordings, and each has edges of its own. */
static bool *origin_of(struct edges *edges, uint32_t number)
{
	bool *origins = array_reach(edges->origins, &edges->origins_room, number, sizeof(*origins));

	edges->origins = origins ? origins : edges->origins;
	return origins ? &origins[number] : NULL;
}

bool edges_add(struct edges *edges, uint64_t seq)
{
	uint64_t *seqs;

	edges->is_over |= edges->n == EDGES_MAX;
	if (edges->is_over)
		return true;
	seqs = array_room(edges->seqs, edges->n, &edges->room, sizeof(*seqs));
	if (!seqs)
		return false;
	edges->seqs = seqs;
	seqs[edges->n++] = seq;
	return true;
}

bool edges_see(
	struct edges *edges, const struct rst_batch *batch, size_t row, uint64_t seq, struct edge *ret_edge)
{
	const bool is_event = batch->type[row]->marker == RST_EVENT;
	const enum rst_phase phase = is_event ? phase_of(batch->layout[row]) : RST_DONE;
	bool *has_event = is_event ? origin_of(edges, batch->context[row]->origin) : NULL;

	*ret_edge = (struct edge){ .is_edge = phase != RST_DONE, .phase = phase };
	if (!is_event)
		return true;
	if (!has_event)
		return false;
	if (!ret_edge->is_edge) {
		*has_event = true;
		return true;
	}
	edges->is_stopped = phase == RST_LEAVES;
	ret_edge->ends_pause = *has_event && phase != RST_LEAVES;
	edges->n_pauses += ret_edge->ends_pause;
	edges->last_pause = ret_edge->ends_pause ? seq : edges->last_pause;
	return edges_add(edges, seq);
}

static int seq_compare(const void *a, const void *b)
{
	const uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;

	return one < other ? -1 : one > other;
}

bool edges_has(const struct edges *edges, uint64_t seq)
{
	return edges->n && bsearch(&seq, edges->seqs, edges->n, sizeof(*edges->seqs), seq_compare);
}

void edges_done(struct edges *edges)
{
	free(edges->seqs);
	free(edges->origins);
}
