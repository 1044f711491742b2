/* SPDX-License-Identifier: MIT */
/* Converts ticks to the time of day, by pairs of clock readings that were taken at the same instant. */
#include "base/array.h"
#include "model/model.h"

__extension__ typedef __int128 wide;

/* The last pair that is not after these ticks, else the first one. Pairs are in the order of their ticks. */
static const struct rst_clock_pair *pair_before(const struct rst_clock *clock, uint64_t ticks)
{
	size_t from = 0, to = clock->n_pairs;

	while (to - from > 1) {
		const size_t middle = from + (to - from) / 2;

		if (clock->pairs[middle].ticks <= ticks)
			from = middle;
		else
			to = middle;
	}
	return &clock->pairs[from];
}

bool rst_clock_wall_ns(const struct rst_clock *clock, uint64_t ticks, int64_t *ret_ns)
{
	const struct rst_clock_pair *pair;
	wide distance, ns;

	if (!clock->n_pairs || !clock->rate_ticks)
		return false;
	pair = pair_before(clock, ticks);
	distance = (wide)ticks - (wide)pair->ticks;
	if (__builtin_mul_overflow(distance, (wide)clock->rate_ns, &ns))
		return false;
	ns = ns / (wide)clock->rate_ticks + pair->realtime_ns;
	*ret_ns = (int64_t)ns;
	return ns >= INT64_MIN && ns <= INT64_MAX;
}

uint64_t rst_clock_error_ns(const struct rst_clock *clock)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < clock->n_pairs; i++) {
		if (!clock->pairs[i].error_ns)
			return 0;
		if (clock->pairs[i].error_ns > largest)
			largest = clock->pairs[i].error_ns;
	}
	return largest;
}

bool model_add_pair(struct model *model, const struct rst_clock_pair *pair)
{
	struct rst_clock_pair *pairs;

	/* A pair that steps back is from another clock, or damaged. */
	if (model->n_pairs == MODEL_PAIRS_MAX ||
		(model->n_pairs && pair->ticks <= model->pairs[model->n_pairs - 1].ticks))
		return true;
	pairs = array_room(model->pairs, model->n_pairs, &model->pairs_room, sizeof(*pairs));
	if (!pairs)
		return false;
	model->pairs = pairs;
	pairs[model->n_pairs++] = *pair;
	return true;
}

struct rst_clock model_clock(const struct model *model)
{
	const bool has_rate = model->rate_ticks != 0;

	return (struct rst_clock){ .rate_ticks = has_rate ? model->rate_ticks : model->clock_hz,
		.rate_ns = has_rate ? model->rate_ns : 1000000000U,
		.n_pairs = model->n_pairs,
		.pairs = model->pairs };
}
