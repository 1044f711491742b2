/* SPDX-License-Identifier: MIT */
/*
 * `queues`: the traffic of queues, semaphores, event flags and the like. The figures are how much goes in and
 * out, how full they were, how long messages lay there, and which threads waited.
 */
#include "analysis/stats/ages.h"
#include "analysis/stats/cuts.h"
#include "analysis/stats/lengths.h"
#include "analysis/stats/requests.h"
#include "analysis/stats/stats.h"
#include "analysis/subjects.h"
#include "base/number.h"

enum {
	QUEUES_KIND,
	QUEUES_PROCESS,
	QUEUES_QUEUE,
	QUEUES_SENDS,
	QUEUES_RECEIVES,
	QUEUES_FAILED,
	QUEUES_MAX_LEVEL,
	QUEUES_MAX_LEVEL_AT,
	QUEUES_MEAN_LEVEL,
	QUEUES_CAPACITY,
	QUEUES_FULL,
	QUEUES_FULL_SHARE,
	QUEUES_EMPTY,
	QUEUES_EMPTY_SHARE,
	QUEUES_TOTAL_WAIT,
	QUEUES_WAITS,
	QUEUES_MAX_WAIT,
	QUEUES_MAX_WAIT_THREAD,
	QUEUES_MAX_WAIT_AT,
	QUEUES_AGE_P50,
	QUEUES_MAX_AGE,
	QUEUES_MAX_AGE_AT,
	QUEUES_AGES,
	N_QUEUES_COLUMNS
};

static const struct table_column columns[N_QUEUES_COLUMNS] = {
	[QUEUES_KIND] = { .name = "kind", .type = CELL_WORD, .rank = 1, .help = "queue, semaphore, …" },
	[QUEUES_PROCESS] = { .name = "process", .type = CELL_WORD, .is_subject = true },
	[QUEUES_QUEUE] = { .name = "queue", .type = CELL_WORD, .is_subject = true },
	[QUEUES_SENDS] = { .name = "sends",
		.type = CELL_COUNT,
		.help = "messages, tokens, settings of flags; without those that are known to have failed" },
	[QUEUES_RECEIVES] = { .name = "receives", .type = CELL_COUNT, .help = "likewise" },
	[QUEUES_FAILED] = { .name = "failed",
		.type = CELL_COUNT,
		.rank = 1,
		.help = "of either, refused or timed out, where the recording shows it" },
	[QUEUES_MAX_LEVEL] = { .name = "max_level", .type = CELL_COUNT, .help = "most that was in it" },
	[QUEUES_MAX_LEVEL_AT] = { .name = "max_level_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "since when, the first time" },
	[QUEUES_MEAN_LEVEL] = { .name = "mean_level",
		.type = CELL_REAL,
		.rank = 2,
		.help = "weighted by time, as long as it is known" },
	[QUEUES_CAPACITY] = { .name = "capacity", .type = CELL_COUNT, .rank = 1, .help = "how much fits in" },
	[QUEUES_FULL] = { .name = "full",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 1,
		.help = "how long it was full" },
	[QUEUES_FULL_SHARE] = { .name = "full_share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.rank = 3,
		.help = "of the window" },
	[QUEUES_EMPTY] = { .name = "empty",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 2,
		.help = "how long it was empty" },
	[QUEUES_EMPTY_SHARE] = { .name = "empty_share",
		.type = CELL_SHARE,
		.is_bounded = true,
		.rank = 3,
		.help = "of the window" },
	[QUEUES_TOTAL_WAIT] = { .name = "total_wait",
		.type = CELL_TIME,
		.is_bounded = true,
		.help = "of all threads, for a message or for room" },
	[QUEUES_WAITS] = { .name = "waits",
		.type = CELL_COUNT,
		.rank = 3,
		.help = "how often a thread began to wait" },
	[QUEUES_MAX_WAIT] = { .name = "max_wait",
		.type = CELL_TIME,
		.is_bounded = true,
		.rank = 1,
		.help = "the longest wait" },
	[QUEUES_MAX_WAIT_THREAD] = { .name = "max_wait_thread",
		.type = CELL_WORD,
		.rank = 2,
		.help = "which thread waited so long" },
	[QUEUES_MAX_WAIT_AT] = { .name = "max_wait_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that wait ended" },
	[QUEUES_AGE_P50] = { .name = "age_p50",
		.type = CELL_TIME,
		.rank = 2,
		.help = "how long a message lay in it: the median" },
	[QUEUES_MAX_AGE] = { .name = "max_age", .type = CELL_TIME, .rank = 1, .help = "the longest" },
	[QUEUES_MAX_AGE_AT] = { .name = "max_age_at",
		.type = CELL_MOMENT,
		.rank = 4,
		.help = "when that one was taken out" },
	[QUEUES_AGES] = { .name = "ages", .type = CELL_HISTOGRAM },
};

/* --- counting ------------------------------------------------------------------------------------------- */

struct queue_record {
	struct subject subject;
	uint64_t n_sent, n_received, n_failed, n_waits;
	uint64_t capacity;
	bool is_free; /* levels count what is free */
	bool has_level;
	uint64_t most, most_at, full, empty, known; /* ticks, but for the level */
	double weighted;			    /* sum of level and ticks */
	struct lengths waits;
	struct histogram ages;
};

/* Shared by all parts: the content of each queue. */
struct queue_content {
	struct subject subject;
	uint64_t seen; /* the last event that concerns it */
	struct ages ages;
};

struct queues_shared {
	struct requests requests;
	struct subjects contents;
	struct cuts cuts;
};

struct queues_state {
	struct queues_shared *shared;
	struct subjects queues;
	uint64_t unknown; /* ticks of threads in which they may have waited for any queue */
};

static const bool is_queue[] = {
	[RST_OBJECT_QUEUE] = true,
	[RST_OBJECT_SEMAPHORE] = true,
	[RST_OBJECT_CONDITION] = true,
	[RST_OBJECT_EVENT_FLAGS] = true,
	[RST_OBJECT_ACTIVE_OBJECT] = true,
};

static bool is_of_queue(const struct rst_ref *ref)
{
	return ref->is_there && !ref->is_unknown && ref->kind < sizeof(is_queue) / sizeof(is_queue[0]) &&
	       is_queue[ref->kind];
}

static bool queues_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct queues_state *state = context;

	(void)batch;
	(void)row;
	cuts_add(&state->shared->cuts, at);
	return true;
}

static struct queue_content *content_of(
	struct queues_shared *shared, const struct rst_ref *queue, uint64_t at)
{
	struct queue_content *content;

	shared->contents.record_bytes = sizeof(*content);
	content = subject_of_ref(&shared->contents, queue);
	if (content && cuts_between(&shared->cuts, content->seen, at))
		ages_forget(&content->ages);
	if (content)
		content->seen = at;
	return content;
}

static bool send_count(struct queue_record *record, struct queue_content *content, uint64_t at)
{
	record->n_sent++;
	return ages_send(&content->ages, at);
}

static bool receive_count(struct queue_record *record, struct queue_content *content, uint64_t at)
{
	uint64_t age;

	record->n_received++;
	return !ages_receive(&content->ages, at, &age) || histogram_add(&record->ages, age, at);
}

/* A receiver that asks waits if the queue is empty: the next message is handed to it. */
static bool request_count(struct queues_state *state, const struct occurrence *occurrence,
	struct queue_record *record, struct queue_content *content)
{
	const bool is_send = occurrence->facts->effect->kind == RST_EFFECT_SEND;
	const bool is_empty = !content->ages.n && !content->ages.n_unknown;
	uint64_t *count = is_send ? &record->n_sent : &record->n_received;

	switch (request_take(&state->shared->requests, occurrence)) {
	case REQUEST_NO_MEMORY:
		return false;
	case REQUEST_FAILS:
		record->n_failed++;
		return true;
	case REQUEST_GIVES_UP:
		record->n_failed++;
		*count -= *count > 0;
		if (!is_send && content->ages.n_waiting)
			content->ages.n_waiting--;
		return true;
	case REQUEST_COMPLETES:
		return true;
	case REQUEST_BEGINS:
		if (!is_send && is_empty) {
			ages_wait(&content->ages);
			record->n_received++;
			return true;
		}
		break;
	case REQUEST_SUCCEEDS:
		break;
	}
	return is_send ? send_count(record, content, occurrence->at)
		       : receive_count(record, content, occurrence->at);
}

/*
 * Takes the level in an event. While receivers wait, messages that the kernel is about to hand over do not
 * count.
 */
static void level_note(
	struct queue_record *record, struct queue_content *content, const struct rst_effect_facts *facts)
{
	const struct rst_effect *effect = facts->effect;
	uint64_t level;

	record->is_free |= effect->is_free;
	if (facts->has_value && !effect->is_change && !effect->is_free &&
		number_count(number_as(facts->value, facts->value_type), &level) &&
		!(effect->is_handed_over && content->ages.n + 1 == level))
		ages_level(&content->ages, level);
}

static bool queues_effect(void *context, const struct occurrence *occurrence)
{
	struct queues_state *state = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct queue_record *record;
	struct queue_content *content;

	if (!is_of_queue(&facts->object))
		return true;
	record = subject_of_ref(&state->queues, &facts->object);
	content = record ? content_of(state->shared, &facts->object, occurrence->at) : NULL;
	if (!content)
		return false;
	if (facts->has_capacity)
		record->capacity = facts->capacity;
	else if (!record->capacity && facts->object.object)
		record->capacity = facts->object.object->capacity;
	if (facts->effect->kind == RST_EFFECT_LEVEL)
		level_note(record, content, facts);
	else if (facts->effect->kind != RST_EFFECT_CREATE)
		return request_count(state, occurrence, record, content);
	return true;
}

static void level_count(struct queue_record *record, const struct piece *piece)
{
	const uint64_t capacity = record->capacity, ticks = piece_ticks(piece);
	uint64_t value, level;

	/* A value that is not a count, such as a temperature, is not the level of a queue. */
	if (!number_count(number_as(piece->interval->value, piece->interval->value_type), &value))
		return;
	level = !record->is_free ? value : capacity > value ? capacity - value : 0;
	if (!record->has_level || level > record->most) {
		record->most = level;
		record->most_at = piece->from;
	}
	record->has_level = true;
	record->known += ticks;
	record->weighted += (double)level * (double)ticks;
	if (capacity && level >= capacity)
		record->full += ticks;
	if (!level)
		record->empty += ticks;
}

static bool queues_piece(void *context, const struct piece *piece)
{
	struct queues_state *state = context;
	const struct rst_interval *interval = piece->interval;
	const bool is_wait = interval->kind == RST_INTERVAL_THREAD;
	struct queue_record *record;

	if (is_wait && piece_may_be_wait(piece))
		state->unknown += piece_ticks(piece);
	if (is_wait && interval->state != RST_STATE_WAITING)
		return true;
	record = subject_known(&state->queues, is_wait ? &interval->object : &interval->subject);
	if (!record)
		return true;
	if (!is_wait) {
		level_count(record, piece);
		return true;
	}
	record->n_waits += piece_begins(piece);
	return lengths_take(&record->waits, piece, &interval->subject);
}

/* --- the table ------------------------------------------------------------------------------------------ */

static void queue_level_cells(const struct queue_record *record, struct table_cell *cells, uint64_t window)
{
	const bool has_full = record->has_level && record->capacity;
	const uint64_t unknown = window > record->known ? window - record->known : 0; /* its level */

	cells[QUEUES_MAX_LEVEL] = cell_if(record->has_level, cell_count(record->most));
	cells[QUEUES_MAX_LEVEL_AT] = cell_if(record->has_level, cell_moment(record->most_at));
	cells[QUEUES_MEAN_LEVEL] = cell_if(
		record->known > 0, cell_real(record->weighted / (double)(record->known + !record->known)));
	cells[QUEUES_CAPACITY] = cell_if(record->capacity > 0, cell_count(record->capacity));
	cells[QUEUES_FULL] = cell_if(has_full, cell_time_between(record->full, record->full + unknown));
	cells[QUEUES_FULL_SHARE] = cell_if(has_full,
		cell_share_between((double)record->full, (double)(record->full + unknown), (double)window));
	cells[QUEUES_EMPTY] =
		cell_if(record->has_level, cell_time_between(record->empty, record->empty + unknown));
	cells[QUEUES_EMPTY_SHARE] = cell_if(record->has_level,
		cell_share_between((double)record->empty, (double)(record->empty + unknown), (double)window));
}

static bool queue_record_row(void *context, const void *subject, struct table *table, uint64_t window)
{
	struct queues_state *state = context;
	const struct queue_record *record = subject;
	const struct rst_entity process = entity_of_process(&record->subject.entity);
	const struct histogram *waits = &record->waits.histogram, *ages = &record->ages;
	struct table_cell *cells = table_row(table);

	if (!cells || !entity_name(&process, table, &cells[QUEUES_PROCESS]) ||
		!subject_name(&state->queues, &record->subject, table, &cells[QUEUES_QUEUE]) ||
		!entity_name(&record->waits.longest_of, table, &cells[QUEUES_MAX_WAIT_THREAD]))
		return false;
	cells[QUEUES_KIND] = cell_word(record->subject.entity.kind);
	cells[QUEUES_SENDS] = cell_count(record->n_sent);
	cells[QUEUES_RECEIVES] = cell_count(record->n_received);
	cells[QUEUES_FAILED] = cell_count(record->n_failed);
	queue_level_cells(record, cells, window);
	cells[QUEUES_TOTAL_WAIT] =
		cell_time_between(record->waits.total, record->waits.total + state->unknown);
	cells[QUEUES_WAITS] = cell_count(record->n_waits);
	cells[QUEUES_MAX_WAIT] = longest_cell(waits, state->unknown, window);
	cells[QUEUES_MAX_WAIT_AT] = cell_if(waits->n > 0, cell_moment(waits->most_at));
	cells[QUEUES_AGE_P50] = cell_if(ages->n > 0, cell_time(histogram_at(ages, 0.5)));
	cells[QUEUES_MAX_AGE] = cell_if(ages->n > 0, cell_time(ages->most));
	cells[QUEUES_MAX_AGE_AT] = cell_if(ages->n > 0, cell_moment(ages->most_at));
	cells[QUEUES_AGES] = cell_histogram(ages->n ? ages : NULL);
	return true;
}

static void queue_record_done(void *subject)
{
	struct queue_record *record = subject;

	histogram_done(&record->waits.histogram);
	histogram_done(&record->ages);
}

static void queues_shared_done(void *context)
{
	struct queues_shared *shared = context;

	for (size_t i = 0; i < shared->contents.n; i++)
		ages_done(&((struct queue_content *)shared->contents.all[i])->ages);
	subjects_done(&shared->contents);
	requests_done(&shared->requests);
}

const struct analysis analysis_queues = {
	.observer = {
		.state_bytes = sizeof(struct queues_state),
		.shared_bytes = sizeof(struct queues_shared),
		.records = { { offsetof(struct queues_state, queues), sizeof(struct queue_record), queue_record_done } },
		.effects = SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) | SCAN_BIT(RST_EFFECT_LEVEL) |
			   SCAN_BIT(RST_EFFECT_CREATE),
		.intervals = SCAN_BIT(RST_INTERVAL_LEVEL) | SCAN_BIT(RST_INTERVAL_THREAD),
		.rows_wanted = ROWS_GAPS,
		.row = queues_row,
		.effect = queues_effect,
		.piece = queues_piece,
		.shared_done = queues_shared_done,
	},
	.name = "queues",
	.about = "traffic and levels of queues, semaphores and event flags, and who waited",
	.columns = columns,
	.n_columns = N_QUEUES_COLUMNS,
	.order = QUEUES_SENDS,
	.basis = BASIS_EVENTS,
	.record = queue_record_row,
};
