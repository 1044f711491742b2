/* SPDX-License-Identifier: MIT */
#include "analysis/stats/requests.h"

struct thread_request {
	struct subject subject;
	bool is_open;
	enum rst_effect_kind kind;
	uint64_t object;
	const struct rst_type *type;
	uint64_t at;
};

/* Whether events of this type ask by an effect of one of the kinds, which are bits. */
static bool type_asks(const struct occurrence *occurrence, uint32_t kinds)
{
	const struct rst_batch *batch = occurrence->batch;
	const struct rst_layout *layout = batch->layout ? batch->layout[occurrence->row] : NULL;

	for (unsigned i = 0; layout && i < layout->n_effects; i++)
		if (kinds & SCAN_BIT(layout->effects[i].kind) && layout->effects[i].phase == RST_ASKS)
			return true;
	return false;
}

enum request_event request_take(struct requests *requests, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_batch *batch = occurrence->batch;
	const enum rst_effect_kind kind = facts->effect->kind;
	struct thread_request *request;
	bool is_its_end;

	requests->threads.record_bytes = sizeof(*request);
	request = subject_of_context(&requests->threads, facts->thread);
	if (!request)
		return REQUEST_NO_MEMORY;
	is_its_end = request->is_open && request->kind == kind && request->object == facts->object.id &&
		     facts->phase != RST_ASKS && !type_asks(occurrence, SCAN_BIT(kind));
	requests->type = request->type;
	requests->at = request->at;
	if (request->kind == kind || facts->phase == RST_ASKS)
		request->is_open = false;
	if (facts->phase == RST_ASKS) {
		request->is_open = true;
		request->kind = kind;
		request->object = facts->object.id;
		request->type = batch->type[occurrence->row];
		request->at = occurrence->at;
		return REQUEST_BEGINS;
	}
	if (facts->phase == RST_GAVE_UP)
		return is_its_end ? REQUEST_GIVES_UP : REQUEST_FAILS;
	return is_its_end ? REQUEST_COMPLETES : REQUEST_SUCCEEDS;
}

bool request_wait(struct requests *requests, const struct occurrence *occurrence, bool *ret_ends)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_batch *batch = occurrence->batch;
	struct thread_request *request;

	*ret_ends = false;
	if (facts->thread != batch->context[occurrence->row])
		return true;
	requests->threads.record_bytes = sizeof(*request);
	request = subject_of_context(&requests->threads, facts->thread);
	if (!request)
		return false;
	*ret_ends = request->is_open && facts->effect->kind == RST_EFFECT_WAKE;
	requests->type = request->type;
	requests->at = request->at;
	request->is_open = facts->effect->kind == RST_EFFECT_WAIT && facts->phase == RST_ASKS &&
			   !type_asks(occurrence, ~SCAN_BIT(RST_EFFECT_WAIT));
	request->type = batch->type[occurrence->row];
	request->at = occurrence->at;
	return true;
}

void requests_done(struct requests *requests)
{
	subjects_done(&requests->threads);
}
