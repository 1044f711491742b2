/* SPDX-License-Identifier: MIT */
/*
 * Losses and damages: the events there are unknown, and every answer about that time is uncertain. All of
 * them make one finding.
 */
#include "analysis/explain/explain.h"

enum { EDGES_MAX = FINDING_EVIDENCE_MAX / 2 * 2 };

struct loss_state {
	struct findings *findings;
	uint64_t n_losses, n_damages, n_events; /* that are lost, if the recording has their number */
	bool is_unknown;			/* in some place the number is not known */
	uint64_t from, to;
	uint64_t ticks;		   /* in which something is lost */
	bool has_event;		   /* … */
	uint64_t seq, at;	   /* of the last one */
	bool is_open;		   /* a loss is behind it */
	uint64_t edges[EDGES_MAX]; /* events next to losses */
	size_t n_edges;
};

static void edge_add(struct loss_state *loss, uint64_t seq)
{
	if (loss->n_edges < EDGES_MAX)
		loss->edges[loss->n_edges++] = seq;
}

static bool loss_row(void *state, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct loss_state *loss = state;
	struct findings *findings = loss->findings;
	const struct rst_gap *gap;

	if (batch->type[row]->marker == RST_EVENT) {
		const uint64_t seq = row_seq(findings->scan, batch, row);

		if (loss->is_open) {
			loss->ticks += at - loss->at;
			loss->to = at;
			edge_add(loss, seq);
		}
		loss->is_open = false;
		loss->has_event = true;
		loss->seq = seq;
		loss->at = at;
		return true;
	}
	if (batch->type[row]->marker == RST_RUN)
		return true;
	gap = rst_batch_gap(batch, row);
	if (!loss->n_losses && !loss->n_damages)
		loss->from = loss->has_event ? loss->at : at;
	if (loss->has_event && !loss->is_open)
		edge_add(loss, loss->seq);
	if (!loss->has_event)
		loss->at = at;
	loss->is_open = true;
	loss->to = at;
	loss->n_losses += gap->marker == RST_LOSS;
	loss->n_damages += gap->marker == RST_DAMAGE;
	loss->n_events += gap->n_events;
	loss->is_unknown |= gap->n_events == 0;
	return true;
}

enum { LOSSES, DAMAGES, EVENTS, TICKS, WINDOW };
enum { LOSS_UNKNOWN_NUMBER = 1 };

static bool loss_finish(void *state, const struct scan *scan)
{
	const struct loss_state *loss = state;
	struct findings *findings = loss->findings;
	const uint64_t n = loss->n_losses + loss->n_damages;
	struct finding *finding = n ? finding_add(findings, &finding_loss, n) : NULL;

	if (!finding)
		return true;
	finding->from = loss->from;
	finding->to = loss->to;
	finding->variant = loss->is_unknown ? LOSS_UNKNOWN_NUMBER : 0;
	finding->figures[LOSSES] = (int64_t)loss->n_losses;
	finding->figures[DAMAGES] = (int64_t)loss->n_damages;
	finding->figures[EVENTS] = (int64_t)loss->n_events;
	finding->figures[TICKS] = (int64_t)loss->ticks;
	finding->figures[WINDOW] = (int64_t)(scan->to - scan->from);
	for (size_t i = 0; i < loss->n_edges; i++)
		finding_evidence(finding, loss->edges[i]);
	return true;
}

static void loss_say(const struct finding *finding, struct sentence *sentence)
{
	const uint64_t n_losses = (uint64_t)finding->figures[LOSSES],
		       n_damages = (uint64_t)finding->figures[DAMAGES],
		       n_events = (uint64_t)finding->figures[EVENTS],
		       ticks = (uint64_t)finding->figures[TICKS];
	const double window = (double)finding->figures[WINDOW];

	sentence_words(sentence, "The recording has ");
	if (n_losses)
		sentence_count(sentence, n_losses, "loss", "losses");
	if (n_losses && n_damages)
		sentence_words(sentence, " and ");
	if (n_damages)
		sentence_count(sentence, n_damages, "damage", "damages");
	if (n_events || !finding->variant) {
		sentence_words(sentence, finding->variant ? ", with at least " : ", with ");
		sentence_count(sentence, n_events, "lost event", "lost events");
	}
	if (ticks) {
		sentence_words(sentence, "; what happened in ");
		sentence_time(sentence, ticks);
		sentence_words(sentence, " (%.3g %% of the window) is not known",
			window > 0 ? 100 * (double)ticks / window : 100);
	}
	sentence_words(sentence, ". Answers about that time are uncertain.");
}

const struct finding_kind finding_loss = {
	.observer = {
		.state_bytes = sizeof(struct loss_state),
		.row = loss_row,
		.finish = loss_finish,
	},
	.name = "loss",
	.about = "events are lost or damaged, so that answers are uncertain",
	.threshold = "how many losses and damages",
	.is_count = true,
	.count = 1,
	.say = loss_say,
};
