/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_stacks;

static const struct rst_detail details[] = {
	{ .name = "stack_start", .type = RST_DETAIL_HEX, .number = 100 },
	{ .name = "stack_size", .type = RST_DETAIL_NUMBER, .number = 50 },
};
static const struct rst_object object = {
	.kind = RST_OBJECT_THREAD, .id = 'A', .name = "A", .name_bytes = 1, .n_details = 2, .details = details
};

/* An event with an address of one byte; of a thread, or of an interrupt over it. */
static void event(struct rig *rig, enum rst_context_kind kind, uint8_t address, uint64_t at)
{
	static const struct rst_field fields[] = {
		{ .name = "pointer", .type = RST_ADDRESS, .n_bytes = 1, .is_stack = true }
	};
	static const struct rst_type type = { .name = "event" };
	const struct rst_layout layout = { .type = &type, .n_fields = 1, .fields = fields };
	struct rst_context context = {
		.kind = kind, .id = 'A', .has_name = true, .name = "A", .name_bytes = 1, .object = &object
	};
	const struct rst_type *types[] = { &type };
	const struct rst_layout *layouts[] = { &layout };
	const struct rst_context *contexts[] = { &context };
	const uint8_t *payloads[] = { &address };
	const uint32_t n_bytes[] = { 1 };
	const struct rst_batch batch = { .n_events = 1,
		.type = types,
		.layout = layouts,
		.context = contexts,
		.payload = payloads,
		.payload_bytes = n_bytes };

	context.thread = &context;
	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

static void level(struct rig *rig, bool is_free, uint64_t value, uint64_t at)
{
	static const struct rst_type type = { .name = "level" };
	const struct rst_effect effect = { .kind = RST_EFFECT_LEVEL, .is_free = is_free };

	rig_effect(rig, at, &type, NULL,
		&(struct rst_effect_facts){ .effect = &effect,
			.has_value = true,
			.value = value,
			.object = { .is_there = true,
				.kind = RST_OBJECT_THREAD,
				.id = 'A',
				.object = &object } });
}

int main(void)
{
	struct rig rig = rig_new(&analysis_stacks);

	event(&rig, RST_CONTEXT_THREAD, 140, 10);
	event(&rig, RST_CONTEXT_THREAD, 120, 20);
	event(&rig, RST_CONTEXT_THREAD, 130, 30);
	event(&rig, RST_CONTEXT_THREAD, 93, 40);
	event(&rig, RST_CONTEXT_THREAD, 151, 50);
	event(&rig, RST_CONTEXT_ISR, 101, 60);
	rig_is(&rig, "A",
		"size 50, least_free 20, max_used 30, share 60%, least_free_at 20, samples 3, outside 2",
		"the lowest address counts; one that is not in the stack, or an interrupt's, does not");
	level(&rig, false, 1, 70);
	level(&rig, true, 5, 80);
	rig_is(&rig, "A", "least_free 5, max_used 45, share 90%, least_free_at 80, samples 4",
		"a level of what is free of a thread is that of its stack");
	event(&rig, RST_CONTEXT_THREAD, 99, 90);
	rig_is(&rig, "A", "least_free 0, max_used 50, share 100%, least_free_at 90, samples 5, outside 2",
		"an address a little below the stack has overflowed it");
	rig_done(&rig);
	return tap_done();
}
