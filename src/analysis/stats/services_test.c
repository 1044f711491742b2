/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_services;

static const struct rst_type ask_type = { .name = "get", .index = 0 },
			     done_type = { .name = "got", .index = 1 },
			     poll_type = { .name = "poll", .index = 2 },
			     polled_type = { .name = "polled", .index = 3 };

static void take(struct rig *rig, uint64_t at, const struct rst_type *type, enum rst_effect_kind kind,
	enum rst_phase phase)
{
	static struct rst_context context = {
		.kind = RST_CONTEXT_THREAD, .id = 'A', .has_name = true, .name = "A", .name_bytes = 1
	};
	static const struct rst_context *const contexts[] = { &context };
	const struct rst_effect effect = { .kind = kind, .phase = phase };
	const struct rst_batch batch = { .n_events = 1, .type = &type, .context = contexts };

	context.thread = &context;
	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
	rig_effect(rig, at, type, &context,
		&(struct rst_effect_facts){ .effect = &effect,
			.phase = phase,
			.reason = RST_REASON_SEMAPHORE,
			.thread = &context });
}

static void call(struct rig *rig, uint64_t at, const struct rst_type *type, enum rst_phase phase)
{
	take(rig, at, type, RST_EFFECT_RECEIVE, phase);
}

static void wait_for(struct rig *rig, enum rst_reason reason, uint64_t from, uint64_t to)
{
	rig_wait(rig, 'A', reason, (struct rst_entity){ 0 }, from, to);
}

int main(void)
{
	struct rig rig = rig_new(&analysis_services);
	struct rst_interval span = rig_interval(
		RST_INTERVAL_SPAN, RST_N_STATES, rig_entity("span", 's'), rig_entity("thread", 'A'), 10, 30);

	call(&rig, 100, &ask_type, RST_ASKS);
	call(&rig, 160, &done_type, RST_DONE);
	call(&rig, 200, &ask_type, RST_ASKS);
	call(&rig, 250, &done_type, RST_GAVE_UP);
	call(&rig, 300, &ask_type, RST_ASKS);
	call(&rig, 400, &done_type, RST_GAVE_UP);
	call(&rig, 500, &done_type, RST_GAVE_UP);
	wait_for(&rig, RST_REASON_SEMAPHORE, 110, 120);
	wait_for(&rig, RST_REASON_SEMAPHORE, 130, 160);
	wait_for(&rig, RST_REASON_SUSPENDED, 260, 290);
	wait_for(&rig, RST_REASON_SEMAPHORE, 310, 400);
	rig_give(&rig, &span);
	rig_is(&rig, "get",
		"kind event, calls 3, share 42.86%, failed 2, blocked 2, total_wait 130, max_wait 90, "
		"max_wait_thread A, "
		"max_wait_at 400, total 210, mean 70, p50 60, max 100, max_at 400",
		"waits belong to the call that asked, and each call that waited counts once; its end is an "
		"event of another type");
	rig_is(&rig, "got", "calls 4, failed 1, blocked 0, total_wait 0, total -",
		"what nothing asked for fails by itself");
	rig_is(&rig, "s", "kind span, calls 1, share -, failed -, total 20, max 20, max_thread A",
		"spans are services, too");
	take(&rig, 600, &poll_type, RST_EFFECT_WAIT, RST_ASKS);
	take(&rig, 640, &polled_type, RST_EFFECT_WAKE, RST_DONE);
	take(&rig, 650, &polled_type, RST_EFFECT_WAKE, RST_DONE);
	take(&rig, 700, &poll_type, RST_EFFECT_WAIT, RST_ASKS);
	take(&rig, 710, &polled_type, RST_EFFECT_WAKE, RST_GAVE_UP);
	rig_is(&rig, "poll", "calls 2, failed 1, total 50, mean 25, max 40",
		"a call that only waits lasts until its thread wakes itself, once");
	rig_done(&rig);
	return tap_done();
}
