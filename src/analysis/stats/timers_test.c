/* SPDX-License-Identifier: MIT */
/* The table of timers, from effects whose times are known. */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_timers;

enum { TIMER = 0x10 };

static void touch(struct rig *rig, enum rst_effect_kind kind, enum rst_object_kind of, uint64_t at)
{
	static const struct rst_type type = { .name = "timer" };
	const struct rst_effect effect = { .kind = kind };
	const struct rst_ref timer = { .is_there = true, .kind = of, .id = TIMER };

	rig_effect(rig, at, &type, NULL, &(struct rst_effect_facts){ .effect = &effect, .object = timer });
}

static void start(struct rig *rig, uint64_t delay, uint64_t period, uint64_t at)
{
	static const struct rst_type type = { .name = "start" };
	const struct rst_effect effect = { .kind = RST_EFFECT_ARM, .unit = RST_UNIT_KERNEL_TICKS };
	const struct rst_ref timer = { .is_there = true, .kind = RST_OBJECT_TIMER, .id = TIMER };

	rig_effect(rig, at, &type, NULL,
		&(struct rst_effect_facts){ .effect = &effect,
			.object = timer,
			.limit = delay,
			.has_limit = true,
			.value = period,
			.has_value = true });
}

static void expire(struct rig *rig, uint64_t at)
{
	touch(rig, RST_EFFECT_EXPIRE, RST_OBJECT_TIMER, at);
}

static void loss(struct rig *rig, uint64_t at)
{
	static const struct rst_type type = { .marker = RST_LOSS };
	const struct rst_type *types[] = { &type };
	const struct rst_batch batch = { .n_events = 1, .type = types };

	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

static void check_periods(void)
{
	struct rig rig = rig_new(&analysis_timers);

	start(&rig, 3, 10, 100);
	for (unsigned i = 0; i < 4; i++)
		expire(&rig, 130 + 100 * i + (i == 3 ? 20 : 0));
	rig_is(&rig, "0x10",
		"started 1, stopped 0, expired 4, delay_ticks 3, period_ticks 10, first_mean 30, mean 107, "
		"p50 100, "
		"max 120, max_at 450, jitter 20, late 20",
		"from the start to the first expiry, and from each to the next");
	touch(&rig, RST_EFFECT_DISARM, RST_OBJECT_TIMER, 460);
	start(&rig, 5, 0, 500);
	expire(&rig, 550);
	rig_is(&rig, "0x10",
		"started 2, stopped 1, expired 5, delay_ticks 5, period_ticks 0, first_mean 40, first_max "
		"50, max 120",
		"a stop and a start begin anew");
	touch(&rig, RST_EFFECT_DELETE, RST_OBJECT_TIMER, 560);
	expire(&rig, 600);
	rig_is(&rig, "0x10", "expired 6, first_max 50, max 120", "and so does a deletion");
	rig_done(&rig);
}

static void check_losses(void)
{
	struct rig rig = rig_new(&analysis_timers);

	start(&rig, 3, 10, 100);
	loss(&rig, 120);
	expire(&rig, 130);
	expire(&rig, 230);
	loss(&rig, 240);
	expire(&rig, 330);
	rig_is(&rig, "0x10", "expired 3, first_mean -, mean 100, jitter -, late -",
		"a time with a loss in it does not count, and one time has no jitter");
	rig_done(&rig);
}

static void check_unknown(void)
{
	struct rig rig = rig_new(&analysis_timers);

	touch(&rig, RST_EFFECT_ARM, RST_OBJECT_TIMER, 10);
	touch(&rig, RST_EFFECT_CREATE, RST_OBJECT_QUEUE, 20);
	rig_is(&rig, "0x10", "started 1, stopped 0, expired -, delay_ticks -, period_ticks -, mean -",
		"if no expiry is recorded, their number is not known");
	ok(rig.table.n_rows == 1, "other objects are no timers");
	rig_done(&rig);
}

int main(void)
{
	check_periods();
	check_losses();
	check_unknown();
	return tap_done();
}
