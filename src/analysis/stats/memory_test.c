/* SPDX-License-Identifier: MIT */
#include "analysis/allocations.h"
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_memory;

static const struct rst_type type = { .name = "memory event" };

static void touch(struct rig *rig, enum rst_effect_kind kind, enum rst_phase phase, char thread,
	uint64_t address, uint64_t n_bytes)
{
	static struct rst_object pool = {
		.kind = RST_OBJECT_BYTE_POOL, .name = "P", .name_bytes = 1, .capacity = 100
	};
	const struct rst_effect effect = { .kind = kind, .phase = phase, .unit = RST_UNIT_BYTES };
	struct rst_context context = { .kind = RST_CONTEXT_THREAD,
		.id = (uint64_t)thread,
		.has_name = true,
		.name = strchr("ABC", thread),
		.name_bytes = 1 };

	context.thread = &context;
	rig_effect(rig, 10, &type, &context,
		&(struct rst_effect_facts){ .effect = &effect,
			.phase = phase,
			.thread = &context,
			.object = { .is_there = true,
				.kind = RST_OBJECT_BYTE_POOL,
				.id = 'P',
				.object = &pool },
			.has_value = address != 0,
			.value = address,
			.has_amount = n_bytes != 0,
			.amount = n_bytes });
}

static void check_leaks(void)
{
	struct rig rig = rig_new(&analysis_memory);

	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0x100, 10);
	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0x200, 20);
	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'B', 0x300, 30);
	touch(&rig, RST_EFFECT_FREE, RST_DONE, 'B', 0x100, 0);
	touch(&rig, RST_EFFECT_FREE, RST_DONE, 'B', 0x900, 0);
	touch(&rig, RST_EFFECT_ALLOCATE, RST_GAVE_UP, 'B', 0, 500);
	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0, 5);
	rig_is(&rig, "P",
		"kind byte_pool, thread -, capacity 100, unit bytes, allocations 4, frees 2, failed 1, total "
		"65, "
		"largest 30, leaks 2, leaked 50, unmatched 1, untracked 1",
		"what is not freed is leaked; frees and allocations of unknown addresses are counted apart");
	rig_is(&rig, "A", "kind leak, pool P, thread A, leaks 1, leaked 20",
		"what a thread has not freed is a row");
	rig_is(&rig, "B", "kind leak, pool P, leaks 1, leaked 30",
		"by whichever thread it might have been freed");
	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'B', 0x200, 7);
	rig_is(&rig, "P", "leaks 2, leaked 37", "an address that is allocated again has been freed");
	ok(!rig_row(&rig, "A"), "and who had it before has leaked nothing");
	rig_done(&rig);
}

static void check_levels(void)
{
	struct rst_object pool = { .kind = RST_OBJECT_BLOCK_POOL, .name = "P", .name_bytes = 1 };
	struct rig rig = rig_new(&analysis_memory);
	const struct rst_effect effect = {
		.kind = RST_EFFECT_LEVEL, .is_free = true, .unit = RST_UNIT_COUNT
	};
	struct rst_interval interval = rig_interval(RST_INTERVAL_LEVEL, RST_N_STATES,
		rig_entity("block_pool", 'P'), (struct rst_entity){ 0 }, 0, 100);

	rig_effect(&rig, 0, &type, NULL,
		&(struct rst_effect_facts){ .effect = &effect,
			.has_capacity = true,
			.capacity = 8,
			.object = { .is_there = true,
				.kind = RST_OBJECT_BLOCK_POOL,
				.id = 'P',
				.object = &pool } });
	interval.value = 8;
	rig_give(&rig, &interval);
	interval.value = 3;
	interval.from = 100;
	interval.to = 200;
	rig_give(&rig, &interval);
	interval.value = 5;
	rig_give(&rig, &interval);
	rig_is(&rig, "P", "capacity 8, max_used 5, least_free 3, least_free_at 100",
		"where the level is what is free, the rest of the capacity is used");
	rig_done(&rig);
}

/* A release that names no pool: which one it is of tells the address. */
static void release(struct rig *rig, uint64_t address)
{
	static struct rst_context context = { .kind = RST_CONTEXT_THREAD, .id = 'A', .thread = &context };
	const struct rst_effect effect = { .kind = RST_EFFECT_FREE };

	rig_effect(rig, 20, &type, &context,
		&(struct rst_effect_facts){ .effect = &effect,
			.thread = &context,
			.object = { .is_there = true, .is_unknown = true, .kind = RST_OBJECT_PACKET_POOL },
			.has_value = true,
			.value = address });
}

static void check_unnamed(void)
{
	struct rig rig = rig_new(&analysis_memory);

	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0x100, 10);
	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0x200, 10);
	release(&rig, 0x100);
	rig_is(&rig, "P", "allocations 2, frees 1, leaks 1, leaked 10, unmatched 0",
		"what goes back to a pool that is not named goes back to that which gave the address");
	release(&rig, 0x900);
	release(&rig, 0x100);
	rig_is(&rig, "not known", "kind packet_pool, allocations 0, frees 2, unmatched 2",
		"what no pool is known to have given is freed in none of them");
	rig_done(&rig);
}

static void check_resized(void)
{
	struct rig rig = rig_new(&analysis_memory);

	touch(&rig, RST_EFFECT_ALLOCATE, RST_DONE, 'A', 0x100, 10);
	touch(&rig, RST_EFFECT_FREE, RST_ASKS, 'A', 0x100, 0);
	rig_is(&rig, "P", "frees 0, leaks -, unmatched 0, untracked 1",
		"what becomes of a block that is resized is not known: it is no leak");
	touch(&rig, RST_EFFECT_FREE, RST_DONE, 'A', 0x300, 0);
	rig_is(&rig, "P", "frees 1, unmatched 0", "and what is freed elsewhere may be that block");
	touch(&rig, RST_EFFECT_FREE, RST_DONE, 'A', 0x400, 0);
	rig_is(&rig, "P", "frees 2, unmatched 1", "but not twice");
	rig_done(&rig);
}

/* An effect on limits only: how long a thread would wait says nothing of what the pool holds. */
static void check_unit(void)
{
	struct rst_object pool = { .kind = RST_OBJECT_BLOCK_POOL, .name = "P", .name_bytes = 1 };
	const struct rst_effect asks = { .kind = RST_EFFECT_ALLOCATE,
		.phase = RST_ASKS,
		.unit = RST_UNIT_KERNEL_TICKS,
		.limit = { 1, 0 } };
	const struct rst_effect counts = {
		.kind = RST_EFFECT_ALLOCATE, .unit = RST_UNIT_COUNT, .amount = { RST_FROM_CONSTANT, 1 }
	};
	struct rst_effect_facts facts = { .effect = &asks,
		.phase = RST_ASKS,
		.object = { .is_there = true, .kind = RST_OBJECT_BLOCK_POOL, .id = 'P', .object = &pool } };
	struct rig rig = rig_new(&analysis_memory);

	rig_effect(&rig, 0, &type, NULL, &facts);
	rig_is(&rig, "P", "unit -", "the unit of a time limit is not the unit of a pool");
	facts.effect = &counts;
	facts.phase = RST_DONE;
	rig_effect(&rig, 0, &type, NULL, &facts);
	rig_is(&rig, "P", "unit count", "that of an amount is");
	rig_done(&rig);
}

static void check_bound(void)
{
	struct allocations allocations = { 0 };
	bool has_memory, is_done = true;
	struct rst_effect_facts facts = { .object = { .is_there = true, .id = 1 }, .has_value = true };

	for (facts.value = 1; facts.value <= ALLOCATIONS_MAX; facts.value++)
		is_done &= allocation_take(&allocations, &facts, 0, &has_memory) != NULL;
	facts.value = 7;
	is_done &= allocation_take(&allocations, &facts, 0, &has_memory) != NULL;
	facts.object.id = 2;
	ok(is_done && !allocation_take(&allocations, &facts, 0, &has_memory) && has_memory,
		"of so many addresses is known what is there, of no more");
	allocations_done(&allocations);
}

static void check_runs(void)
{
	struct allocations allocations = { 0 };
	const struct rst_effect_facts facts = {
		.object = { .is_there = true, .id = 1 }, .has_value = true, .value = 9
	};
	struct allocation *allocation;
	bool has_memory;
	int record;

	allocation = allocation_take(&allocations, &facts, 0, &has_memory);
	if (allocation)
		allocation->record = &record;
	ok(allocation && allocation_given_back(&allocations, &facts, 0) == allocation &&
			!allocation_given_back(&allocations, &facts, 1),
		"a target that was started anew gives nothing back of what it had before");
	allocation = allocation_take(&allocations, &facts, 1, &has_memory);
	ok(allocation && !allocation->record, "and what it takes at the same address has nothing to end");
	allocations_done(&allocations);
}

int main(void)
{
	check_leaks();
	check_levels();
	check_unnamed();
	check_resized();
	check_unit();
	check_bound();
	check_runs();
	return tap_done();
}
