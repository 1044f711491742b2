/* SPDX-License-Identifier: MIT */
#include "model/model.h"
#include "tests/tap.h"

#define SECOND INT64_C(1000000000)

static int64_t wall_at(const struct model *model, uint64_t ticks)
{
	const struct rst_clock clock = model_clock(model);
	int64_t ns;

	return rst_clock_wall_ns(&clock, ticks, &ns) ? ns : -1;
}

static bool add(struct model *model, uint64_t ticks, int64_t realtime)
{
	return model_add_pair(model, &(struct rst_clock_pair){ .ticks = ticks, .realtime_ns = realtime });
}

static void check_pairs(struct model *model)
{
	ok(wall_at(model, 5) == -1, "without a pair no time of day is known");
	ok(add(model, 1000, 50 * SECOND) && wall_at(model, 5) == -1, "nor without a frequency");
	model->clock_hz = 1000;
	is_number(
		(uint64_t)wall_at(model, 1000), 50U * (uint64_t)SECOND, "at a pair it is what the pair has");
	is_number((uint64_t)wall_at(model, 2500), 51500000000U, "behind it the distance is added");
	is_number((uint64_t)wall_at(model, 0), 49U * (uint64_t)SECOND, "before the first it is taken away");
	ok(add(model, 3000, 100 * SECOND), "a second pair");
	is_number((uint64_t)wall_at(model, 2999), 51999000000U, "counts from its ticks on …");
	is_number((uint64_t)wall_at(model, 3000), 100U * (uint64_t)SECOND, "… as the clock was set");
	ok(add(model, 2000, 7 * SECOND) && model->n_pairs == 2, "one that steps back is left out");
	for (uint64_t i = 0; i < MODEL_PAIRS_MAX; i++)
		add(model, 4000 + i, 200 * SECOND);
	ok(model->n_pairs == MODEL_PAIRS_MAX, "pairs are bounded");
}

static void check_rates(struct model *model)
{
	model->n_pairs = 0;
	add(model, 0, 0);
	model->rate_ticks = 3;
	model->rate_ns = 10;
	is_number((uint64_t)wall_at(model, 3000000), 10000000, "a rate that is no whole frequency is exact");
	model->rate_ticks = 1;
	model->rate_ns = UINT64_MAX;
	ok(wall_at(model, UINT64_MAX) == -1, "a time that no number holds is not known");
	model->pairs[0].realtime_ns = INT64_MAX;
	model->rate_ns = 1;
	ok(wall_at(model, 0) == INT64_MAX && wall_at(model, 1) == -1, "neither is one behind the last");
}

static void check_error(void)
{
	struct rst_clock_pair pairs[] = { { .error_ns = 40 }, { .error_ns = 90 }, { .error_ns = 60 } };
	struct rst_clock clock = { .n_pairs = 0, .pairs = pairs };

	ok(rst_clock_error_ns(&clock) == 0, "without pairs no error is known");
	clock.n_pairs = 3;
	ok(rst_clock_error_ns(&clock) == 90, "the error of a clock is that of its worst pair");
	pairs[2].error_ns = 0;
	ok(rst_clock_error_ns(&clock) == 0, "nor is it where one pair does not have it");
}

int main(void)
{
	struct model model;

	ok(model_init(&model), "a model begins");
	check_pairs(&model);
	check_rates(&model);
	check_error();
	model_done(&model);
	return tap_done();
}
