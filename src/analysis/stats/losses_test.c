/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_losses;

static void row(struct rig *rig, enum rst_marker marker, const char *what, uint64_t n, uint64_t at)
{
	const struct rst_type type = { .marker = marker };
	const struct rst_type *types[] = { &type };
	const struct rst_gap gap = { .marker = marker,
		.n_events = marker == RST_LOSS ? n : 0,
		.n_bytes = marker == RST_DAMAGE ? n : 0,
		.what = what };
	const uint8_t *payloads[] = { (const uint8_t *)&gap };
	const struct rst_batch batch = { .n_events = 1, .type = types, .payload = payloads };

	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

static void event(struct rig *rig, uint64_t at)
{
	row(rig, RST_EVENT, NULL, 0, at);
}

int main(void)
{
	struct rig rig = rig_new(&analysis_losses);

	event(&rig, 0);
	row(&rig, RST_LOSS, "overrun", 3, 10);
	row(&rig, RST_DAMAGE, "checksum", 8, 10);
	event(&rig, 30);
	row(&rig, RST_LOSS, "overrun", 0, 40);
	event(&rig, 45);
	row(&rig, RST_LOSS, NULL, 7, 900);
	rig_is(&rig, "overrun",
		"kind loss, count 2, events 3, uncounted 1, damaged -, uncertain 25, share 2.5%, max 20, "
		"max_at 10, "
		"first 10, last 40",
		"places of one reason are one row; the time up to the next event is uncertain");
	rig_is(&rig, "checksum", "kind damage, count 1, events -, damaged 8, uncertain 0, max_at -",
		"of two reasons at one place the first has the time");
	rig_is(&rig, "events are missing", "count 1, events 7, uncertain 0",
		"a loss without words has some; behind the last event no time is known");
	rig_done(&rig);
	return tap_done();
}
