/* SPDX-License-Identifier: MIT */
#include "dialect/rkh/rkh.h"

#include <stdlib.h>

static const char *const stat_names[RKH_N_STATS] = {
	[RKH_FRAMES] = "frames",
	[RKH_VALID] = "valid",
	[RKH_BAD_CHECKSUM] = "bad_checksum",
	[RKH_UNKNOWN_ID] = "unknown_id",
	[RKH_MALFORMED] = "malformed",
	[RKH_ABORTED_ESCAPE] = "aborted_escape",
	[RKH_EMPTY] = "empty",
	[RKH_PREFIX_BYTES] = "prefix_bytes",
	[RKH_TRAILING_BYTES] = "trailing_bytes",
	[RKH_GAPS] = "gaps",
	[RKH_LOST] = "lost",
	[RKH_DUPLICATES] = "duplicates",
	[RKH_TCFG] = "tcfg",
};

/* Pools have these numbers until they have names; a static event has no pool. */
static const char *const pool_names[RKH_POOLS] = { "none", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10",
	"11", "12", "13", "14", "15", "16" };

/* Opens details whose numbers go on changing; the model has a pointer to them. */
static bool open_details(struct rkh *rkh, struct model *model)
{
	struct rst_detail stats = { .name = "stats", .type = RST_DETAIL_GROUP, .n_items = RKH_N_STATS };
	struct rst_detail users = { .name = "user_events", .type = RST_DETAIL_GROUP };

	rkh->stats = arena_alloc(&model->arena, RKH_N_STATS * sizeof(*rkh->stats));
	rkh->user_details = arena_alloc(&model->arena, RKH_GROUP_EVENTS * sizeof(*rkh->user_details));
	if (!rkh->stats || !rkh->user_details)
		return false;
	for (size_t i = 0; i < RKH_N_STATS; i++)
		rkh->stats[i] = (struct rst_detail){ .name = stat_names[i], .type = RST_DETAIL_NUMBER };
	stats.items = rkh->stats;
	users.items = rkh->user_details;
	if (!model_detail(model, &stats))
		return false;
	rkh->config_detail = model->n_details;
	rkh->user_detail = model->n_details + 1;
	return model_detail(model, &(struct rst_detail){ .name = "config", .type = RST_DETAIL_NULL }) &&
	       model_detail(model, &users);
}

static void open_pools(struct rkh *rkh)
{
	for (size_t i = 0; i < RKH_POOLS; i++)
		rkh->pool_rows[i] = (struct rst_constant){ i, pool_names[i] };
	rkh->pools = (struct rst_constants){ "event_pool", RKH_POOLS, rkh->pool_rows };
}

static enum rst_status rkh_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct rkh *rkh = state;
	const char *symbols = dialect_setting(how, "symbols");

	error_try(rkh_config_open(rkh, how, err));
	open_pools(rkh);
	rkh->wanted_hz = how->clock_hz;
	model->contexts.naming.kind = RST_OBJECT_ACTIVE_OBJECT;
	rkh->config.layout = rkh_default_layout;
	rkh_config_override(rkh, &rkh->config.layout);
	if (!open_details(rkh, model) || !rkh_bind_layout(rkh, model, &rkh->config.layout))
		return error_nomem(err);
	rkh_config_clock(rkh, model);
	return symbols ? rkh_symbols_load(rkh, model, symbols, err) : RST_OK;
}

static void rkh_close(void *state)
{
	struct rkh *rkh = state;

	free(rkh->last_copy);
	map_done(&rkh->shapes);
	map_done(&rkh->actors);
	map_done(&rkh->owners);
}

const struct dialect dialect_rkh = {
	.name = "rkh",
	.summary = "RKH trace stream (Trazer's), with user events",
	.options = rkh_options,
	.scratch_bytes = RKH_SCRATCH_BYTES,
	.state_bytes = sizeof(struct rkh),
	.probe = rkh_probe,
	.open = rkh_open,
	.look = rkh_look_ahead,
	.read = rkh_read,
	.close = rkh_close,
	.catalogue = rkh_catalogue,
};
