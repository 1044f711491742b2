/* SPDX-License-Identifier: MIT */
/*
 * One pass over all bytes before the first row. Names come late (a state gets its name when its machine
 * starts, after its first use), but in a file they are valid from the beginning. Only frames that begin like
 * a name or a configuration are examined; neither id needs an escape.
 */
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "dialect/rkh/rkh.h"

struct look {
	struct rkh *rkh;
	struct model *model;
	uint8_t *frame; /* unstuffed */
	uint64_t base;
	bool is_before_all; /* names are valid from the beginning of the trace */
};

static unsigned sure_id(const struct rkh *rkh)
{
	return rkh->is_announced ? rkh->bound->layout.te : 0;
}

/* Names are in the framework's group; in wide ids the group is the last byte. */
static bool may_concern(const struct rkh *rkh, const uint8_t *at, size_t n_bytes)
{
	unsigned te = rkh->bound->layout.te;

	if (n_bytes <= te)
		return false;
	return te == 1 ? at[0] / RKH_GROUP_EVENTS == RKH_FWK : at[te - 1] == RKH_FWK;
}

/* Checks the length and the ends as decode.c does, and takes the name. */
static bool look_take_name(const struct look *look, const uint8_t *bytes, size_t n_bytes, uint64_t seq)
{
	const struct rkh_layout *layout = &look->rkh->bound->layout;
	unsigned event = bytes[0] % RKH_GROUP_EVENTS;
	size_t n_head = look->rkh->bound->n_head, n_ends = look->rkh->bound->n_ends, n_args;
	struct rkh_bound *bound = &look->rkh->bound->events[RKH_FWK * RKH_GROUP_EVENTS + event];

	if (bound->state == RKH_NOT_SEEN)
		rkh_event_bind(bound, layout, RKH_FWK * RKH_GROUP_EVENTS + event);
	if (bound->meaning < RKH_NAMES_OBJECT || n_bytes < n_ends)
		return true;
	n_args = n_bytes - n_ends;
	if (n_args <= bound->n_fixed || bytes[n_head + n_args - 1] != 0 ||
		memchr(bytes + n_head + bound->n_fixed, 0, n_args - bound->n_fixed - 1))
		return true;
	return rkh_symbol(look->rkh, look->model, bound, bytes + n_head, n_args, seq);
}

static bool take_frame(const struct look *look, const uint8_t *at, const uint8_t *end, uint64_t seq)
{
	struct rkh *rkh = look->rkh;
	struct rkh_config config;
	uint8_t sum = 0;
	bool is_aborted;
	size_t n_bytes = (size_t)(end - at);

	if (n_bytes > RKH_STUFFED_MAX)
		return true;
	n_bytes = rkh_unstuff(look->frame, at, end, &sum, &is_aborted);
	if (is_aborted || n_bytes > RKH_FRAME_MAX)
		return true;
	if (rkh_config_parse(&config, rkh_config_sure(rkh), look->frame, n_bytes, sum == 0))
		return rkh_config_use(rkh, look->model, &config);
	if (!may_concern(rkh, look->frame, n_bytes) || (rkh->bound->layout.has_checksum && sum != 0))
		return true;
	return look_take_name(look, look->frame, n_bytes, seq);
}

static bool look_all(const struct look *look, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end = bytes + n_bytes, *at = rkh_find_flag(bytes, end), *next;

	for (; at < end; at = next) {
		next = rkh_find_flag(++at, end);
		if (next == end)
			break;
		size_t n = (size_t)(next - at);

		if (n > 2 && (may_concern(look->rkh, at, n) || rkh_config_is_id(at, n, sure_id(look->rkh))))
			if (!take_frame(look, at, next,
				    look->is_before_all ? 0 : look->base + (uint64_t)(at - bytes)))
				return false;
	}
	return true;
}

bool rkh_look(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes, uint64_t base,
	bool keeps_config)
{
	struct look look = { rkh, model, malloc(RKH_STUFFED_MAX), base, keeps_config };
	struct rkh_config config = rkh->config;
	struct rkh_bindings *bound = rkh->bound;
	struct clock clock = rkh->clock;
	bool is_announced = rkh->is_announced, wants_rebase = rkh->wants_rebase, is_good;

	is_good = look.frame && (n_bytes == 0 || look_all(&look, bytes, n_bytes));
	free(look.frame);
	if (!keeps_config) {
		rkh->config = config;
		rkh->bound = bound;
		rkh->is_announced = is_announced;
		rkh->clock = clock;
		rkh->wants_rebase = wants_rebase;
	}
	return is_good;
}
