/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_machines;

static void state(struct rig *rig, char machine, char state, uint64_t from, uint64_t to)
{
	const struct rst_interval interval = rig_interval(RST_INTERVAL_MACHINE, RST_N_STATES,
		rig_entity("active_object", machine), rig_entity("state", state), from, to);

	rig_give(rig, &interval);
}

static void span(struct rig *rig, char thread, char name, uint64_t from, uint64_t to)
{
	const struct rst_interval interval = rig_interval(RST_INTERVAL_SPAN, RST_N_STATES,
		rig_entity("span", name), rig_entity("thread", thread), from, to);

	rig_give(rig, &interval);
}

static void loss(struct rig *rig, uint64_t at)
{
	static const struct rst_type type = { .marker = RST_LOSS };
	const struct rst_type *types[] = { &type };
	const struct rst_batch batch = { .n_events = 1, .type = types };

	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

/* "kind state next event count total; …" */
static void rows_are(struct rig *rig, const char *expected, const char *sentence)
{
	static const char *const names[] = { "kind", "machine", "state", "next", "event", "count", "total" };
	char got[RIG_TEXT_MAX] = "";
	FILE *out = fmemopen(got, sizeof(got), "w");

	rig_table(rig);
	for (size_t row = 0; out && row < rig->table.n_rows; row++)
		for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++)
			for (size_t i = 0; i < rig->table.n_columns; i++)
				if (strcmp(rig->table.columns[i].name, names[n]) == 0) {
					fprintf(out, n ? " " : row ? "; " : "");
					rig_put(out, &rig->table.columns[i],
						&rig->table.cells[row * rig->table.n_columns + i]);
				}
	if (out)
		fclose(out);
	is_text(got, expected, sentence);
}

int main(void)
{
	static const struct rst_type type = { .name = "enters" };
	static const struct rst_effect effect = { .kind = RST_EFFECT_STATE };
	struct rig rig = rig_new(&analysis_machines);

	span(&rig, 'T', 'e', 0, 5);
	rig_effect(&rig, 10, &type, NULL, &(struct rst_effect_facts){ .effect = &effect });
	state(&rig, 'M', 'a', 10, 20);
	span(&rig, 'M', 'e', 15, 22);
	span(&rig, 'T', 'e', 15, 29);
	state(&rig, 'M', 'b', 22, 30);
	state(&rig, 'M', 'a', 30, 100);
	loss(&rig, 110);
	state(&rig, 'M', 'b', 120, 130);
	rows_are(&rig,
		"state M a - - 2 80; state M b - - 2 18; transition M a b - 1 -; transition M b a - 1 -; "
		"dispatch M - - e 1 7",
		"visits of states, transitions but not over a loss, and spans of what is a machine");
	rig_done(&rig);
	return tap_done();
}
