/* SPDX-License-Identifier: MIT */
/*
 * Tests the effects of POSIX events. Each effect is written as words: which thread runs, what a thread waits
 * for, which thread owns a lock. The events come from the kernel, from the preload library and from streams.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "dialect/posix/posix.h"
#include "model/effect.h"
#include "model/row.h"
#include "tests/tap.h"

enum { PID = 100, SELF_TID = 101, OTHER_TID = 102, DATA_WORDS = 4, LINE_ROOM = 512 };

struct head {
	uint64_t address;
	uint32_t pid, tid;
	uint64_t pthread;
};
_Static_assert(sizeof(struct head) == POSIX_AT_DATA, "a payload begins with the head of its event");

/* One event in a batch of its own. */
struct event {
	struct model model;
	struct batch batch;
	struct {
		struct head head;
		uint64_t data[DATA_WORDS];
	} payload;
};

struct line {
	char text[LINE_ROOM];
	size_t n;
};

static __attribute__((format(printf, 2, 3))) void line_put(struct line *line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	line->n += (size_t)vsnprintf(line->text + line->n, sizeof(line->text) - line->n, format, args);
	va_end(args);
}

static void put_ref(struct line *line, const char *word, const struct rst_ref *ref)
{
	if (ref->is_there)
		line_put(line, " %s%s %" PRIu64, word, rst_object_kind_name(ref->kind), ref->id);
}

static void put_number(struct line *line, const char *word, bool is_there, uint64_t number)
{
	if (is_there)
		line_put(line, " %s %" PRId64, word, (int64_t)number);
}

/* "acquire asks lock mutex 32512 of thread 102 partial", "switch waiting to unknown". */
static void put_facts(struct line *line, const struct rst_effect_facts *facts)
{
	const struct rst_effect *effect = facts->effect;

	line_put(line, "%s%s", line->n ? "; " : "", rst_effect_name(effect->kind));
	if (facts->phase != RST_DONE)
		line_put(line, " %s", rst_phase_name(facts->phase));
	if (facts->state != RST_STATE_UNKNOWN)
		line_put(line, " %s", rst_state_name(facts->state));
	if (facts->reason != RST_REASON_NONE)
		line_put(line, " %s", rst_reason_name(facts->reason));
	put_ref(line, "", &facts->object);
	put_ref(line, "of ", &facts->other);
	if (facts->has_unknown_thread)
		line_put(line, " to unknown");
	else if (facts->thread && facts->thread->id != SELF_TID)
		line_put(line, " to %" PRIu64, facts->thread->id);
	put_number(line, "amount", facts->has_amount, facts->amount);
	put_number(line, "limit", facts->has_limit, facts->limit);
	put_number(line, "key", facts->has_key, facts->key);
	if (effect->unit != RST_UNIT_NONE)
		line_put(line, " %s", rst_unit_name(effect->unit));
	if (effect->name)
		line_put(line, " \"%s\"", effect->name);
	line_put(line, "%s%s", effect->is_shared ? " shared" : "", effect->is_partial ? " partial" : "");
}

static const struct rst_layout *layout_of(const struct model *model, const char *name)
{
	for (size_t i = 0; i < model->n_layouts; i++)
		if (strcmp(model->layouts[i]->type->name, name) == 0)
			return model->layouts[i];
	return NULL;
}

static void event_set(struct event *event, const struct rst_layout *layout, const uint64_t *data)
{
	event->payload.head = (struct head){ .pid = PID, .tid = SELF_TID };
	memcpy(event->payload.data, data, sizeof(event->payload.data));
	event->batch.n_events = 0;
	batch_row(&event->batch, POSIX_COLUMNS,
		&(struct batch_row){
			.layout = layout,
			.context = contexts_thread(&event->model.contexts, &event->model.objects,
				&event->model.arena, SELF_TID, 0),
			.payload = (const uint8_t *)&event->payload,
			.n_payload = sizeof(event->payload),
		});
}

/* All effects that hold, or in brackets the reason why there are no effects. */
static void event_words(struct event *event, struct line *line)
{
	const struct rst_batch *batch = batch_close(&event->batch);
	const struct rst_layout *layout = batch->layout[0];
	struct rst_effect_facts facts;

	*line = (struct line){ .n = 0 };
	for (unsigned i = 0; i < layout->n_effects; i++)
		if (effect_read(&event->model, batch, 0, &layout->effects[i], &facts))
			put_facts(line, &facts);
	if (layout->no_effect)
		line_put(line, "(%s)", layout->no_effect);
}

#define NEGATIVE(n) ((uint64_t) - (n))

static const struct {
	const char *name;
	uint64_t data[DATA_WORDS];
	const char *words;
} rows[] = {
	{ "sched_in", { 0 }, "switch" },
	{ "sched_wait", { 0 }, "switch waiting to unknown" },
	{ "sched_preempt", { 0 }, "switch ready to unknown" },
	{ "sched_exit", { 0 }, "switch ended to unknown; delete thread 101" },
	{ "sys_thread_create", { 1 },
		"(the new thread has no number yet: it has an event of its own when it begins)" },
	{ "sys_thread_begin", { 1, 102 }, "create ready thread 101" },
	{ "sys_thread_exit", { 1 }, "delete asks thread 101" },
	{ "sys_join_begin", { 102 }, "wait asks join thread 102" },
	{ "sys_join_end", { 102, 0 }, "wake join thread 102" },
	{ "sys_join_end", { 102, 110 }, "wake gave_up join thread 102" },
	{ "sys_program_begin", { 0 }, "create process 100" },
	{ "sys_fork", { 200, 0 }, "create process 200" },
	{ "sys_fork", { NEGATIVE(1), 11 }, "" },
	{ "sys_vfork", { 0 }, "wait asks child" },
	{ "sys_process_begin", { 99 }, "create process 100; create ready thread 101" },
	{ "sys_process_exit", { 3 }, "delete asks thread 101; delete asks process 100" },
	{ "sys_process_killed", { 15 }, "delete thread 101; delete process 100" },
	{ "sys_process_killed", { 9 }, "delete thread 101; delete process 100; error" },
	{ "sys_process_killed", { 6 }, "delete thread 101; delete process 100; error" },
	{ "sys_process_killed", { 11 }, "delete thread 101; delete process 100; error" },
	{ "sys_spawn", { 200, 0 }, "create process 200" },
	{ "sys_spawn", { 0, 2 }, "" },
	{ "sys_child_wait_begin", { 200 }, "wait asks child process 200" },
	{ "sys_child_wait_begin", { NEGATIVE(1) }, "wait asks child" },
	{ "sys_child_wait_begin", { 0 }, "wait asks child" },
	{ "sys_child_wait_end", { 200, 200, 0 }, "wake child" },
	{ "sys_child_wait_end", { 200, NEGATIVE(1), 10 }, "wake gave_up child" },
	{ "sys_signal_begin", { 14, 4096, 0 }, "begin function 4096 key 14" },
	{ "sys_signal_end", { 14, 4096 }, "end function 4096 key 14" },
	{ "sys_signal_wait_begin", { 1 }, "wait asks other" },
	{ "sys_mutex_wait", { 32512, 102 },
		"acquire asks lock mutex 32512 of thread 102 partial; wait asks lock mutex 32512" },
	{ "sys_mutex_wait", { 32512, 0 },
		"acquire asks lock mutex 32512 partial; wait asks lock mutex 32512" },
	{ "sys_mutex_acquire", { 32512 }, "acquire mutex 32512 partial; wake lock mutex 32512" },
	{ "sys_mutex_recover", { 32512 }, "acquire mutex 32512 partial; wake lock mutex 32512" },
	{ "sys_mutex_give_up", { 32512, 110 },
		"acquire gave_up mutex 32512 partial; wake gave_up lock mutex 32512" },
	{ "sys_mutex_release", { 32512 }, "release mutex 32512 partial" },
	{ "sys_rwlock_read_wait", { 32512, 102 },
		"acquire asks lock rwlock 32512 of thread 102 shared partial; wait asks lock rwlock 32512" },
	{ "sys_rwlock_read_acquire", { 32512 },
		"acquire rwlock 32512 shared partial; wake lock rwlock 32512" },
	{ "sys_rwlock_write_acquire", { 32512 }, "acquire rwlock 32512 partial; wake lock rwlock 32512" },
	{ "sys_rwlock_release", { 32512 }, "release rwlock 32512 partial" },
	{ "sys_semaphore_wait", { 32512 },
		"receive asks semaphore semaphore 32512 amount 1 count; wait asks semaphore semaphore "
		"32512" },
	{ "sys_semaphore_acquire", { 32512 },
		"receive semaphore 32512 amount 1 count; wake semaphore semaphore 32512" },
	{ "sys_semaphore_give_up", { 32512, 110 },
		"receive gave_up semaphore 32512 amount 1 count; wake gave_up semaphore semaphore 32512" },
	{ "sys_semaphore_post", { 32512 }, "send semaphore 32512 amount 1 count" },
	{ "sys_condition_wait", { 600, 32512 },
		"release mutex 32512 partial; wait asks other condition 600" },
	{ "sys_condition_wake", { 600, 32512, 0 }, "acquire mutex 32512 partial; wake other condition 600" },
	{ "sys_condition_wake", { 600, 32512, 110 },
		"acquire mutex 32512 partial; wake gave_up other condition 600" },
	{ "sys_condition_signal", { 600, 3 }, "send condition 600 amount 1 count" },
	{ "sys_condition_broadcast", { 600, 3 }, "send condition 600 amount 3 count" },
	{ "sys_barrier_begin", { 600 }, "wait asks other barrier 600" },
	{ "sys_barrier_end", { 600 }, "wake other barrier 600" },
	{ "sys_sleep_begin", { 5000 }, "wait asks sleep limit 5000 ns" },
	{ "sys_sleep_end", { 5000, 0, 0 }, "wake sleep" },
	{ "sys_sleep_end", { 5000, NEGATIVE(1), 4 }, "wake gave_up sleep" },
	{ "sys_poll_begin", { 2, 7000 }, "wait asks io limit 7000 ns" },
	{ "sys_poll_begin", { 2, NEGATIVE(1) }, "wait asks io" },
	{ "sys_poll_end", { 2, 1, 0 }, "wake io" },
	{ "sys_poll_end", { 2, 0, 0 }, "wake gave_up io" },
	{ "sys_poll_end", { 2, NEGATIVE(1), 4 }, "wake gave_up io" },
	{ "sys_epoll_begin", { 0, NEGATIVE(1) }, "wait asks io file 0" },
	{ "sys_epoll_end", { 5, 0, 0 }, "wake gave_up io file 5" },
	{ "sys_read_begin", { 3, 4096 }, "receive asks io file 3; wait asks io file 3" },
	{ "sys_read_end", { 3, 17, 0 }, "receive file 3 amount 17 bytes; wake io file 3" },
	{ "sys_read_end", { 3, NEGATIVE(1), 4 }, "receive gave_up file 3; wake gave_up io file 3" },
	{ "sys_write_end", { 3, 17, 0 }, "send file 3 amount 17 bytes; wake io file 3" },
	{ "sys_receive_end", { 3, 17, 0 }, "receive file 3 amount 17 bytes; wake io file 3" },
	{ "sys_send_begin", { 3, 17 }, "send asks io file 3; wait asks io file 3" },
	{ "sys_sync_begin", { 3 }, "wait asks io file 3" },
	{ "sys_file_lock_begin", { 3 }, "wait asks lock file 3" },
	{ "sys_file_lock_end", { 3, 0, 0 }, "acquire file 3 partial; wake lock file 3" },
	{ "sys_file_lock_end", { 3, NEGATIVE(1), 4 }, "wake gave_up lock file 3" },
	{ "sys_accept_end", { 3, 4, 0 }, "wake io file 3" },
	{ "sys_connect_begin", { 3 }, "wait asks io file 3" },
	{ "POSIX_TRACE_STOP", { 0 }, "gap leaves" },
	{ "POSIX_TRACE_START", { 0 }, "gap enters" },
	{ "POSIX_TRACE_FILTER", { 0 }, "gap in" },
	{ "POSIX_TRACE_OVERFLOW", { 0 }, "gap" },
	{ "POSIX_TRACE_RESUME", { 0 }, "gap" },
	{ "POSIX_TRACE_ERROR", { 28 }, "error" },
	{ "POSIX_TRACE_FLUSH_START", { 0 }, "begin \"flush\"" },
	{ "POSIX_TRACE_FLUSH_STOP", { 0 }, "end \"flush\"" },
};

static void check_words(struct event *event)
{
	struct line line;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rst_layout *layout = layout_of(&event->model, rows[i].name);

		line = (struct line){ .text = "no such event" };
		if (layout) {
			event_set(event, layout, rows[i].data);
			event_words(event, &line);
		}
		if (!ok(strcmp(line.text, rows[i].words) == 0, "%s comes to: %s", rows[i].name,
			    *rows[i].words ? rows[i].words : "nothing"))
			printf("# %s\n", line.text);
	}
}

/* Each call that may wait has an end. It wakes for the same reason for which the beginning asks to wait. */
static void check_pairs(const struct model *model)
{
	size_t n_pairs = 0, n_odd = 0;

	for (size_t i = 0; i < model->n_layouts; i++) {
		const struct rst_layout *begin = model->layouts[i], *end;
		const size_t n = begin->type->name_bytes;
		char name[64];

		if (n < 6 || strcmp(begin->type->name + n - 6, "_begin") != 0 || !begin->n_effects ||
			begin->effects[begin->n_effects - 1].kind != RST_EFFECT_WAIT)
			continue;
		snprintf(name, sizeof(name), "%.*s_end", (int)(n - 6), begin->type->name);
		end = layout_of(model, name);
		n_pairs++;
		n_odd += !end || !end->n_effects ||
			 end->effects[end->n_effects - 1].kind != RST_EFFECT_WAKE ||
			 end->effects[end->n_effects - 1].reason !=
				 begin->effects[begin->n_effects - 1].reason;
	}
	ok(n_pairs > 10 && n_odd == 0, "each of %zu calls that may wait ends as it begins", n_pairs);
}

int main(void)
{
	static struct event event;

	ok(model_init(&event.model) && batch_init(&event.batch, POSIX_COLUMNS, 0),
		"a model and a batch can be had");
	model_count_ids(&event.model, 1U << RST_OBJECT_THREAD);
	event.model.objects.is_by_kind = true;
	ok(posix_catalogue(&event.model), "all events that are known beforehand have a layout");
	check_words(&event);
	check_pairs(&event.model);
	batch_done(&event.batch);
	model_done(&event.model);
	return tap_done();
}
