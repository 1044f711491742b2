/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_queues;

static const struct rst_type type = { .name = "queue event" };

static struct rst_ref queue(char letter)
{
	static struct rst_object object = {
		.kind = RST_OBJECT_QUEUE, .name = "Q", .name_bytes = 1, .capacity = 2
	};

	return (struct rst_ref){
		.is_there = true, .kind = RST_OBJECT_QUEUE, .id = (uint64_t)letter, .object = &object
	};
}

static void put(struct rig *rig, uint64_t at, enum rst_effect_kind kind, enum rst_phase phase)
{
	const struct rst_effect effect = { .kind = kind, .phase = phase };

	rig_effect(rig, at, &type, NULL,
		&(struct rst_effect_facts){ .effect = &effect, .phase = phase, .object = queue('Q') });
}

static void level(struct rig *rig, uint64_t value, uint64_t from, uint64_t to)
{
	struct rst_interval interval = rig_interval(RST_INTERVAL_LEVEL, RST_N_STATES,
		rig_entity("queue", 'Q'), (struct rst_entity){ 0 }, from, to);

	interval.has_value = true;
	interval.value = value;
	rig_give(rig, &interval);
}

static void loss(struct rig *rig, uint64_t at)
{
	static const struct rst_type marker = { .marker = RST_LOSS };
	const struct rst_type *types[] = { &marker };
	const struct rst_batch batch = { .n_events = 1, .type = types };

	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

int main(void)
{
	struct rig rig = rig_new(&analysis_queues);

	put(&rig, 100, RST_EFFECT_SEND, RST_DONE);
	put(&rig, 200, RST_EFFECT_SEND, RST_DONE);
	put(&rig, 250, RST_EFFECT_SEND, RST_GAVE_UP);
	put(&rig, 300, RST_EFFECT_RECEIVE, RST_DONE);
	put(&rig, 500, RST_EFFECT_RECEIVE, RST_DONE);
	level(&rig, 0, 0, 100);
	level(&rig, 1, 100, 200);
	level(&rig, 2, 200, 300);
	level(&rig, 1, 300, 500);
	rig_wait(&rig, 'A', RST_REASON_QUEUE, rig_entity("queue", 'Q'), 20, 60);
	rig_wait(&rig, 'A', RST_REASON_QUEUE, rig_entity("queue", 'R'), 70, 80);
	rig_is(&rig, "Q",
		"kind queue, sends 2, receives 2, failed 1, max_level 2, max_level_at 200, mean_level 1, "
		"capacity 2, "
		"full 100, full_share 10%, empty 100, empty_share 10%, total_wait 40, waits 1, max_wait 40, "
		"max_wait_thread A, max_wait_at 60, age_p50 200, max_age 300, max_age_at 500",
		"traffic, levels by time, ages and waits of one queue");
	put(&rig, 600, RST_EFFECT_SEND, RST_DONE);
	loss(&rig, 650);
	put(&rig, 900, RST_EFFECT_RECEIVE, RST_DONE);
	rig_is(&rig, "Q", "sends 3, receives 3, max_age 300", "what was sent before a loss has no age");
	rig_done(&rig);

	rig = rig_new(&analysis_queues);
	put(&rig, 100, RST_EFFECT_RECEIVE, RST_ASKS);
	put(&rig, 150, RST_EFFECT_RECEIVE, RST_GAVE_UP);
	put(&rig, 200, RST_EFFECT_RECEIVE, RST_ASKS);
	put(&rig, 250, RST_EFFECT_RECEIVE, RST_DONE);
	rig_is(&rig, "Q", "sends 0, receives 1, failed 1, max_level -, mean_level -, full -, max_age -",
		"a call with an event for its begin and one for its end counts once, where it fails as "
		"failed");
	rig_done(&rig);
	return tap_done();
}
