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

static bool type_asks(const struct rst_layout *layout, enum rst_effect_kind kind)
{
	for (unsigned i = 0; layout && i < layout->n_effects; i++)
		if (layout->effects[i].kind == kind && layout->effects[i].phase == RST_ASKS)
			return true;
	return false;
}

enum request_event request_take(struct requests *requests, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_batch *batch = occurrence->batch;
	const struct rst_layout *layout = batch->layout ? batch->layout[occurrence->row] : NULL;
	const enum rst_effect_kind kind = facts->effect->kind;
	struct thread_request *request;
	bool is_its_end;

	requests->threads.record_bytes = sizeof(*request);
	request = subject_of_context(&requests->threads, facts->thread);
	if (!request)
		return REQUEST_NO_MEMORY;
	is_its_end = request->is_open && request->kind == kind && request->object == facts->object.id &&
		     facts->phase != RST_ASKS && !type_asks(layout, kind);
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

void requests_done(struct requests *requests)
{
	subjects_done(&requests->threads);
}
