/* SPDX-License-Identifier: MIT */
/*
 * `memory`: what was allocated of pools and given back, the least that was free, and what was allocated and
 * not freed, by thread. A leak is what is not freed up to the window's end.
 */
#include "analysis/allocations.h"
#include "analysis/stats/requests.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"
#include "base/number.h"

enum {
	MEMORY_KIND,
	MEMORY_PROCESS,
	MEMORY_POOL,
	MEMORY_THREAD,
	MEMORY_CAPACITY,
	MEMORY_UNIT,
	MEMORY_MAX_USED,
	MEMORY_LEAST_FREE,
	MEMORY_LEAST_FREE_AT,
	MEMORY_ALLOCATIONS,
	MEMORY_FREES,
	MEMORY_FAILED,
	MEMORY_TOTAL,
	MEMORY_LARGEST,
	MEMORY_LEAKS,
	MEMORY_LEAKED,
	MEMORY_UNMATCHED,
	MEMORY_UNTRACKED,
	N_MEMORY_COLUMNS
};

static const struct table_column columns[N_MEMORY_COLUMNS] = {
	[MEMORY_KIND] = { .name = "kind",
		.type = CELL_WORD,
		.rank = 1,
		.help = "of the pool; leak: what a thread has allocated and not freed" },
	[MEMORY_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[MEMORY_POOL] = { .name = "pool", .type = CELL_WORD, .is_subject = true },
	[MEMORY_THREAD] = { .name = "thread", .type = CELL_WORD, .help = "leak: which one allocated it" },
	[MEMORY_CAPACITY] = { .name = "capacity", .type = CELL_COUNT, .rank = 1 },
	[MEMORY_UNIT] = { .name = "unit",
		.type = CELL_WORD,
		.rank = 1,
		.help = "of capacity, levels and sizes: bytes, packets, or blocks (count)" },
	[MEMORY_MAX_USED] = { .name = "max_used",
		.type = CELL_COUNT,
		.help = "most that was allocated at a time" },
	[MEMORY_LEAST_FREE] = { .name = "least_free", .type = CELL_COUNT },
	[MEMORY_LEAST_FREE_AT] = { .name = "least_free_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "since when, the first time" },
	[MEMORY_ALLOCATIONS] = { .name = "allocations", .type = CELL_COUNT },
	[MEMORY_FREES] = { .name = "frees", .type = CELL_COUNT },
	[MEMORY_FAILED] = { .name = "failed",
		.type = CELL_COUNT,
		.help = "allocations that were refused or timed out, where the recording shows it" },
	[MEMORY_TOTAL] = { .name = "total",
		.type = CELL_COUNT,
		.rank = 2,
		.help = "sum of the sizes of all allocations" },
	[MEMORY_LARGEST] = { .name = "largest",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "size of the largest one" },
	[MEMORY_LEAKS] = { .name = "leaks",
		.type = CELL_COUNT,
		.help = "allocations that are not freed up to the window's end" },
	[MEMORY_LEAKED] = { .name = "leaked", .type = CELL_COUNT, .help = "the sum of their sizes" },
	[MEMORY_UNMATCHED] = { .name = "unmatched",
		.type = CELL_COUNT,
		.rank = 3,
		.help = "frees of what was allocated before the window, or is not known" },
	[MEMORY_UNTRACKED] = { .name = "untracked",
		.type = CELL_COUNT,
		.rank = 3,
		.help = "allocations of which it is not known whether they are freed: without an address, or "
			"resized" },
};

/* --- counting ------------------------------------------------------------------------------------------- */

struct pool_record {
	struct subject subject;
	uint32_t number;
	enum rst_unit unit;
	uint64_t capacity;
	bool is_free, has_level;
	uint64_t least, most, least_at, most_at; /* levels as they are recorded */
	uint64_t n_allocated, n_freed, n_failed, n_unmatched, n_untracked, total, largest;
	uint64_t n_resized; /* blocks that may be elsewhere now, and were not freed there yet */
	uint64_t n_leaks, n_leaked;
};

/* The memory that one thread has from one pool. */
struct leak_record {
	struct subject subject; /* by numbers */
	struct pool_record *pool;
	struct rst_entity thread;
	uint64_t n, n_bytes;
};

struct thread_number {
	struct subject subject;
	uint32_t number;
};

struct memory_shared {
	struct requests requests;
	struct allocations allocations;
};

struct memory_state {
	struct memory_shared *shared;
	struct subjects pools, threads, leaks;
};

static struct pool_record *pool_called(struct memory_state *state, const struct rst_entity *entity)
{
	struct pool_record *pool;

	pool = subject_of(&state->pools, entity);
	if (pool && !pool->number)
		pool->number = (uint32_t)state->pools.n;
	return pool;
}

/*
 * If the effect names no pool: an unknown pool if the recording does not have the pool, or else the heap of
 * the process.
 */
static struct rst_entity entity_of_pool(const struct rst_effect_facts *facts)
{
	static const char heap[] = "heap", not_known[] = "not known";
	const struct rst_entity entity = rst_entity_of_ref(&facts->object);
	const char *name = facts->object.is_unknown ? not_known : heap;

	if (entity.form != RST_ENTITY_NONE)
		return entity;
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = facts->object.is_unknown ? rst_object_kind_name(facts->object.kind) : heap,
		.process = rst_entity_of_context(facts->thread).process,
		.name = name,
		.name_bytes = strlen(name) };
}

/* The unit of an effect is the unit of its count. If it counts a wait, the pool's unit stays unknown. */
static enum rst_unit memory_unit_of(const struct rst_effect_facts *facts)
{
	const struct rst_effect *effect = facts->effect;
	const bool is_of_wait = effect->limit.from != RST_FROM_NOTHING &&
				effect->amount.from == RST_FROM_NOTHING && effect->kind != RST_EFFECT_LEVEL;

	return is_of_wait ? RST_UNIT_NONE : effect->unit;
}

static struct pool_record *pool_of(struct memory_state *state, const struct rst_effect_facts *facts)
{
	const struct rst_entity entity = entity_of_pool(facts);
	struct pool_record *pool = pool_called(state, &entity);

	if (!pool)
		return NULL;
	if (facts->has_capacity)
		pool->capacity = facts->capacity;
	else if (!pool->capacity && facts->object.object)
		pool->capacity = facts->object.object->capacity;
	if (!pool->unit)
		pool->unit = memory_unit_of(facts);
	return pool;
}

static struct leak_record *leak_of(
	struct memory_state *state, struct pool_record *pool, const struct rst_entity *entity)
{
	struct thread_number *thread;
	struct leak_record *leak;

	thread = subject_of(&state->threads, entity);
	if (!thread)
		return NULL;
	if (!thread->number)
		thread->number = (uint32_t)state->threads.n;
	leak = subject_of(&state->leaks, &(struct rst_entity){ .form = RST_ENTITY_NUMBER,
						 .id = (uint64_t)pool->number << 32 | thread->number });
	if (leak && !leak->pool) {
		leak->pool = pool;
		leak->thread = *entity;
	}
	return leak;
}

/* Ends an allocation. If its address is allocated again, it was freed without an event. */
static void allocation_end(struct allocation *allocation)
{
	struct leak_record *leak = allocation->record;

	if (!leak)
		return;
	leak->n--;
	leak->n_bytes -= allocation->n_bytes;
	leak->pool->n_leaks--;
	leak->pool->n_leaked -= allocation->n_bytes;
	allocation->record = NULL;
}

static bool allocate_note(
	struct memory_state *state, struct pool_record *pool, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	const struct rst_entity thread = rst_entity_of_context(facts->thread);
	const uint64_t n_bytes = facts->has_amount ? facts->amount : 0;
	struct allocation *allocation;
	struct leak_record *leak;
	bool has_memory;

	pool->n_allocated++;
	pool->total += n_bytes;
	if (n_bytes > pool->largest)
		pool->largest = n_bytes;
	if (!facts->has_value || !facts->value) {
		pool->n_untracked++;
		return true;
	}
	allocation = allocation_take(&state->shared->allocations, facts, occurrence->run, &has_memory);
	if (!allocation) {
		pool->n_untracked++;
		return has_memory;
	}
	allocation_end(allocation);
	leak = leak_of(state, pool, &thread);
	if (!leak)
		return false;
	leak->n++;
	leak->n_bytes += n_bytes;
	pool->n_leaks++;
	pool->n_leaked += n_bytes;
	allocation->record = leak;
	allocation->n_bytes = n_bytes;
	return true;
}

static bool allocate_count(
	struct memory_state *state, struct pool_record *pool, const struct occurrence *occurrence)
{
	switch (request_take(&state->shared->requests, occurrence)) {
	case REQUEST_NO_MEMORY:
		return false;
	case REQUEST_FAILS:
		pool->n_failed++;
		return true;
	case REQUEST_GIVES_UP:
		pool->n_failed++;
		pool->n_allocated -= pool->n_allocated > 0;
		return true;
	case REQUEST_COMPLETES:
		return true;
	case REQUEST_BEGINS:
	case REQUEST_SUCCEEDS:
		break;
	}
	return allocate_note(state, pool, occurrence);
}

/* A block that is resized is freed, moved, or still there: the recording does not have this information. */
static void resize_count(struct pool_record *pool, struct allocation *allocation)
{
	if (allocation) {
		allocation_end(allocation);
		pool->n_untracked++;
	}
	pool->n_resized++;
}

/* Counts a free. A free of an unknown block may be the free of a block that was resized. */
static bool memory_free_count(struct memory_state *state, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct allocation *allocation =
		allocation_given_back(&state->shared->allocations, facts, occurrence->run);
	struct leak_record *leak = allocation ? allocation->record : NULL;
	struct pool_record *pool = leak && facts->object.is_unknown
					   ? pool_called(state, &leak->pool->subject.entity)
					   : pool_of(state, facts);

	if (!pool)
		return false;
	if (!allocation_is_freed(facts)) {
		resize_count(pool, allocation);
		return true;
	}
	pool->n_freed++;
	if (allocation)
		allocation_end(allocation);
	else if (pool->n_resized)
		pool->n_resized--;
	else
		pool->n_unmatched++;
	return true;
}

static bool is_pool(const struct memory_state *state, const struct rst_ref *ref)
{
	if (ref->kind == RST_OBJECT_BLOCK_POOL || ref->kind == RST_OBJECT_BYTE_POOL ||
		ref->kind == RST_OBJECT_PACKET_POOL || ref->kind == RST_OBJECT_EVENT_POOL)
		return true;
	if (!state->pools.n)
		return false;
	const struct rst_entity entity = rst_entity_of_ref(ref);

	return subject_known(&state->pools, &entity);
}

static bool memory_effect(void *context, const struct occurrence *occurrence)
{
	struct memory_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	const bool is_level = facts->effect->kind == RST_EFFECT_LEVEL;
	struct pool_record *pool;

	/* Other things also have levels and creations. */
	if ((is_level || facts->effect->kind == RST_EFFECT_CREATE) && !is_pool(state, &facts->object))
		return true;
	if (facts->effect->kind == RST_EFFECT_FREE)
		return memory_free_count(state, occurrence);
	pool = pool_of(state, facts);
	if (!pool)
		return false;
	pool->is_free |= is_level && facts->effect->is_free;
	return facts->effect->kind != RST_EFFECT_ALLOCATE || allocate_count(state, pool, occurrence);
}

static bool memory_piece(void *context, const struct piece *piece)
{
	struct memory_state *state = context;
	struct pool_record *pool = subject_known(&state->pools, &piece->interval->subject);
	uint64_t value;

	if (!pool || !number_count(number_as(piece->interval->value, piece->interval->value_type), &value))
		return true;
	if (!pool->has_level || value > pool->most) {
		pool->most = value;
		pool->most_at = piece->from;
	}
	if (!pool->has_level || value < pool->least) {
		pool->least = value;
		pool->least_at = piece->from;
	}
	pool->has_level = true;
	return true;
}

/* --- the table ------------------------------------------------------------------------------------------ */

/* If levels count free memory, the used memory needs the capacity, and the other way round. */
static void memory_level_cells(const struct pool_record *pool, struct table_cell *cells)
{
	const uint64_t capacity = pool->capacity;
	const uint64_t extreme = pool->is_free ? pool->least : pool->most;
	const bool has_other = pool->has_level && capacity >= extreme && capacity;
	const struct table_cell mine = cell_if(pool->has_level, cell_count(extreme));
	const struct table_cell other = cell_if(has_other, cell_count(capacity - extreme));

	cells[MEMORY_LEAST_FREE] = pool->is_free ? mine : other;
	cells[MEMORY_MAX_USED] = pool->is_free ? other : mine;
	cells[MEMORY_LEAST_FREE_AT] =
		cell_if(pool->has_level, cell_moment(pool->is_free ? pool->least_at : pool->most_at));
}

static struct table_cell unit_cell(const struct pool_record *pool)
{
	const bool is_of_packets =
		pool->unit == RST_UNIT_COUNT && pool->subject.entity.kind &&
		strcmp(pool->subject.entity.kind, rst_object_kind_name(RST_OBJECT_PACKET_POOL)) == 0;

	return cell_if(pool->unit, cell_word(is_of_packets ? "packets" : rst_unit_name(pool->unit)));
}

static bool pool_row(struct memory_state *state, const struct pool_record *pool, struct table *table)
{
	const struct rst_entity process = entity_of_process(&pool->subject.entity);
	const bool has_sizes = pool->total > 0;
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[MEMORY_PROCESS]) ||
		!subject_name(&state->pools, &pool->subject, table, &cells[MEMORY_POOL]))
		return false;
	cells[MEMORY_KIND] = cell_word(pool->subject.entity.kind);
	cells[MEMORY_CAPACITY] = cell_if(pool->capacity > 0, cell_count(pool->capacity));
	cells[MEMORY_UNIT] = unit_cell(pool);
	memory_level_cells(pool, cells);
	cells[MEMORY_ALLOCATIONS] = cell_count(pool->n_allocated);
	cells[MEMORY_FREES] = cell_count(pool->n_freed);
	cells[MEMORY_FAILED] = cell_count(pool->n_failed);
	cells[MEMORY_TOTAL] = cell_if(has_sizes, cell_count(pool->total));
	cells[MEMORY_LARGEST] = cell_if(has_sizes, cell_count(pool->largest));
	cells[MEMORY_LEAKS] = cell_if(pool->n_allocated > pool->n_untracked, cell_count(pool->n_leaks));
	cells[MEMORY_LEAKED] =
		cell_if(pool->n_allocated > pool->n_untracked && has_sizes, cell_count(pool->n_leaked));
	cells[MEMORY_UNMATCHED] = cell_count(pool->n_unmatched);
	cells[MEMORY_UNTRACKED] = cell_count(pool->n_untracked);
	return true;
}

static bool leak_row(struct memory_state *state, const struct leak_record *leak, struct table *table)
{
	const struct rst_entity process = entity_of_process(&leak->pool->subject.entity);
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[MEMORY_PROCESS]) ||
		!subject_name(&state->pools, &leak->pool->subject, table, &cells[MEMORY_POOL]) ||
		!entity_name(&leak->thread, table, &cells[MEMORY_THREAD]))
		return false;
	cells[MEMORY_KIND] = cell_word("leak");
	cells[MEMORY_UNIT] = unit_cell(leak->pool);
	cells[MEMORY_LEAKS] = cell_count(leak->n);
	cells[MEMORY_LEAKED] = cell_if(leak->n_bytes > 0, cell_count(leak->n_bytes));
	return true;
}

static bool memory_rows(void *context, struct table *table, uint64_t from, uint64_t to)
{
	struct memory_state *state = context;
	const size_t first = table->n_rows;
	size_t behind;

	(void)from;
	(void)to;
	for (size_t i = 0; i < state->pools.n; i++)
		if (!pool_row(state, (const struct pool_record *)state->pools.all[i], table))
			return false;
	if (!table_sort(table, first, table->n_leading + MEMORY_ALLOCATIONS))
		return false;
	behind = table->n_rows;
	for (size_t i = 0; i < state->leaks.n; i++) {
		const struct leak_record *leak = (const struct leak_record *)state->leaks.all[i];

		if (leak->n && !leak_row(state, leak, table))
			return false;
	}
	return table_sort(table, behind, table->n_leading + MEMORY_LEAKS);
}

static void memory_shared_done(void *context)
{
	struct memory_shared *shared = context;

	allocations_done(&shared->allocations);
	requests_done(&shared->requests);
}

const struct analysis analysis_memory = {
	.observer = {
		.state_bytes = sizeof(struct memory_state),
		.shared_bytes = sizeof(struct memory_shared),
		.records = { { offsetof(struct memory_state, pools), sizeof(struct pool_record) },
			{ offsetof(struct memory_state, threads), sizeof(struct thread_number) },
			{ offsetof(struct memory_state, leaks), sizeof(struct leak_record) } },
		.effects = SCAN_BIT(RST_EFFECT_ALLOCATE) | SCAN_BIT(RST_EFFECT_FREE) | SCAN_BIT(RST_EFFECT_CREATE) |
			   SCAN_BIT(RST_EFFECT_LEVEL),
		.intervals = SCAN_BIT(RST_INTERVAL_LEVEL),
		.effect = memory_effect,
		.piece = memory_piece,
		.shared_done = memory_shared_done,
	},
	.name = "memory",
	.about = "what was allocated of pools, the least that was free, and what was not freed",
	.columns = columns,
	.n_columns = N_MEMORY_COLUMNS,
	.order = N_MEMORY_COLUMNS,
	.basis = BASIS_EVENTS,
	.rows = memory_rows,
};
