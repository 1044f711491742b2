/* SPDX-License-Identifier: MIT */
/* The events of the made-up system: schedules, and the actions of threads and interrupts. */
#include "bench/story.h"

enum { INTERRUPT_DEPTH_MAX = 3 };

/* Event numbers of tx_trace.h, TX_TRACE_*. */
enum {
	EVENT_RESUME = 1,
	EVENT_SUSPEND = 2,
	EVENT_ISR_ENTER = 3,
	EVENT_ISR_EXIT = 4,
	EVENT_RUNNING = 6,
	EVENT_MUTEX_GET = 52,
	EVENT_MUTEX_PUT = 57,
	EVENT_QUEUE_RECEIVE = 68,
	EVENT_QUEUE_SEND = 69,
	EVENT_SLEEP = 112,
	EVENT_USER_FIRST = 4096,
	N_USER_EVENTS = 32
};

/* tx_api.h */
enum { STATE_READY = 0, STATE_SLEEP = 4, STATE_QUEUE = 5, STATE_MUTEX = 13 };
#define WAIT_FOREVER UINT32_C(0xffffffff)

/* Where things lie in the target's memory, from the start of its RAM. */
enum {
	AT_QUEUES = 0x1000,
	AT_MUTEXES = 0x2000,
	AT_THREADS = 0x10000,
	AT_INTERRUPT_STACKS = 0x1000000,
	AT_THREAD_STACKS = 0x4000000,
	AT_IMAGE = 0x10000000,
	QUEUE_CONTROL_BYTES = 0x40,
	MUTEX_CONTROL_BYTES = 0x40,
	THREAD_CONTROL_BYTES = 0xb0,
	INTERRUPT_STACK_BYTES = 0x1000
};
#define RAM_32 UINT64_C(0x20000000)
#define RAM_64 UINT64_C(0x7f5a00000000)

/* The acting context: a thread, or an interrupt over a thread (NULL: over an idle core). */
struct actor {
	struct thread *thread;
	unsigned core;
	unsigned depth; /* of interrupts; 0: the thread itself */
};

/* SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). */
static uint64_t random_next(struct story *story)
{
	uint64_t z = story->random_state += 0x9e3779b97f4a7c15U;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
	z = (z ^ z >> 27) * 0x94d049bb133111ebU;
	return z ^ z >> 31;
}

static unsigned random_below(struct story *story, unsigned n)
{
	return (unsigned)((random_next(story) >> 32) * n >> 32);
}

static uint64_t thread_address(const struct thread *thread)
{
	return thread ? thread->control : 0;
}

static void event_write(struct story *story, const struct txtb_event *event)
{
	size_t n_bytes = txtb_event_bytes(story->layout);

	if (!outbuf_reserve(story->out, n_bytes))
		return;
	txtb_store_event(story->layout, story->out->at, event);
	story->out->at += n_bytes;
}

static void event_put(struct story *story, const struct actor *actor, uint32_t id, uint64_t info_1,
	uint64_t info_2, uint64_t info_3, uint64_t info_4)
{
	struct txtb_event event = {
		.id = id, .core = (uint8_t)actor->core, .info = { info_1, info_2, info_3, info_4 }
	};

	story->stamp += 20 + random_below(story, 880);
	if (story->n_put >= story->first && story->n_put < story->end) {
		event.stamp = story->stamp & story->stamp_bits;
		event.thread = actor->depth ? TXTB_THREAD_INTERRUPT : actor->thread->control;
		event.priority = actor->depth
					 ? thread_address(actor->thread)
					 : txtb_priority(actor->thread->priority, actor->thread->priority);
		event_write(story, &event);
	}
	story->n_put++;
}

/* The two events with which tx_trace_enable() leaves its mark, called before the first thread runs. */
static void story_put_start(struct story *story)
{
	for (; story->n_put < 2; story->n_put++) {
		story->stamp += 20;
		if (story->n_put >= story->first && story->n_put < story->end)
			event_write(story, &(struct txtb_event){ .thread = TXTB_THREAD_INIT,
						   .id = EVENT_RUNNING,
						   .stamp = story->stamp & story->stamp_bits });
	}
}

static uint64_t interrupt_stack(const struct story *story, const struct actor *actor)
{
	return story->ram + AT_INTERRUPT_STACKS + (uint64_t)(actor->core + 1) * INTERRUPT_STACK_BYTES -
	       256U * actor->depth;
}

static uint64_t actor_stack(struct story *story, const struct actor *actor)
{
	if (actor->depth)
		return interrupt_stack(story, actor) - 64;
	return actor->thread->stack + 900 + random_below(story, 270) * 4U;
}

/* Schedules. */

static bool thread_is_before(const struct thread *a, const struct thread *b)
{
	return !b || a->priority < b->priority ||
	       (a->priority == b->priority && a->ready_since < b->ready_since);
}

static struct thread *core_choose(struct story *story, unsigned core)
{
	struct thread *best = NULL;

	for (unsigned i = core; i < story->how->n_threads; i += story->how->n_cores) {
		struct thread *thread = &story->threads[i];

		if (thread->state == STATE_READY && thread_is_before(thread, best))
			best = thread;
	}
	return best;
}

static void thread_make_ready(struct story *story, struct thread *thread)
{
	thread->state = STATE_READY;
	thread->ready_since = story->n_readied++;
	if (thread_is_before(thread, story->next[thread->core]))
		story->next[thread->core] = thread;
}

static void thread_resume(struct story *story, const struct actor *actor, struct thread *thread)
{
	unsigned previous_state = thread->state;

	thread_make_ready(story, thread);
	event_put(story, actor, EVENT_RESUME, thread->control, previous_state, actor_stack(story, actor),
		thread_address(story->next[actor->core]));
}

/* The last event of a step: the actor cannot go on. */
static void thread_suspend(struct story *story, const struct actor *actor, unsigned state)
{
	actor->thread->state = state;
	story->next[actor->core] = core_choose(story, actor->core);
	event_put(story, actor, EVENT_SUSPEND, actor->thread->control, state, actor_stack(story, actor),
		thread_address(story->next[actor->core]));
}

/* Actions. */

static void user_event_insert(struct story *story, const struct actor *actor)
{
	uint32_t id = EVENT_USER_FIRST + random_below(story, N_USER_EVENTS);
	uint64_t bits = random_next(story);

	event_put(story, actor, id, (uint32_t)bits, bits >> 32, story->n_put, 0);
}

static void thread_sleep(struct story *story, const struct actor *actor)
{
	unsigned n_ticks = 1 + random_below(story, 19);

	event_put(story, actor, EVENT_SLEEP, n_ticks, STATE_READY, actor_stack(story, actor), 0);
	thread_suspend(story, actor, STATE_SLEEP);
}

static void message_send(struct story *story, const struct actor *actor, struct queue *queue, uint64_t wait)
{
	struct thread *receiver = queue->receiver;

	event_put(story, actor, EVENT_QUEUE_SEND, queue->control, actor_stack(story, actor), wait,
		queue->n_messages);
	queue->receiver = NULL;
	if (receiver)
		thread_resume(story, actor, receiver);
	else
		queue->n_messages++;
}

static void message_receive(struct story *story, const struct actor *actor, struct queue *queue)
{
	event_put(story, actor, EVENT_QUEUE_RECEIVE, queue->control, actor_stack(story, actor), WAIT_FOREVER,
		queue->n_messages);
	if (queue->n_messages) {
		queue->n_messages--;
		return;
	}
	queue->receiver = actor->thread;
	thread_suspend(story, actor, STATE_QUEUE);
}

static void queue_send(struct story *story, const struct actor *actor)
{
	struct queue *queue = &story->queues[random_below(story, STORY_QUEUES)];

	if (queue->n_messages < STORY_QUEUE_MESSAGES)
		message_send(story, actor, queue, WAIT_FOREVER);
	else
		message_receive(story, actor, queue);
}

static void queue_receive(struct story *story, const struct actor *actor)
{
	struct queue *queue = &story->queues[random_below(story, STORY_QUEUES)];

	if (queue->receiver)
		message_send(story, actor, queue, WAIT_FOREVER);
	else
		message_receive(story, actor, queue);
}

static void mutex_put(struct story *story, const struct actor *actor)
{
	struct mutex *mutex = actor->thread->held;
	struct thread *waiter = mutex->waiter;

	event_put(story, actor, EVENT_MUTEX_PUT, mutex->control, actor->thread->control, 1,
		actor_stack(story, actor));
	actor->thread->held = NULL;
	mutex->owner = waiter;
	mutex->waiter = NULL;
	if (waiter) {
		waiter->held = mutex;
		thread_resume(story, actor, waiter);
	}
}

static void mutex_get(struct story *story, const struct actor *actor, struct mutex *mutex)
{
	event_put(story, actor, EVENT_MUTEX_GET, mutex->control, WAIT_FOREVER, thread_address(mutex->owner),
		mutex->owner ? 1 : 0);
	if (mutex->owner) {
		mutex->waiter = actor->thread;
		thread_suspend(story, actor, STATE_MUTEX);
	} else {
		mutex->owner = actor->thread;
		actor->thread->held = mutex;
	}
}

static void mutex_use(struct story *story, const struct actor *actor)
{
	struct mutex *mutex = &story->mutexes[random_below(story, STORY_MUTEXES)];

	if (actor->thread->held)
		mutex_put(story, actor);
	else if (mutex->waiter)
		user_event_insert(story, actor);
	else
		mutex_get(story, actor, mutex);
}

/* A sleeping thread among a few neighbours of a random one, or NULL. */
static struct thread *sleeper_find(struct story *story)
{
	unsigned n_threads = story->how->n_threads, i = random_below(story, n_threads);

	for (unsigned n_tries = 0; n_tries < 8; n_tries++, i++) {
		struct thread *thread = &story->threads[i % n_threads];

		if (thread->state == STATE_SLEEP)
			return thread;
	}
	return NULL;
}

static void interrupt_serve(struct story *story, const struct actor *actor)
{
	struct thread *sleeper = sleeper_find(story);
	struct queue *queue = &story->queues[random_below(story, STORY_QUEUES)];

	if (sleeper)
		thread_resume(story, actor, sleeper);
	else if (queue->n_messages < STORY_QUEUE_MESSAGES)
		message_send(story, actor, queue, 0);
}

/* Deeper interrupts are more urgent ones, so they have numbers of their own. */
static void interrupt_take(struct story *story, const struct actor *interrupted)
{
	const struct actor actor = { interrupted->thread, interrupted->core, interrupted->depth + 1 };
	uint64_t stack = interrupt_stack(story, &actor), number = 16 * actor.depth + random_below(story, 16);

	event_put(story, &actor, EVENT_ISR_ENTER, stack, number, actor.depth, 0);
	if (actor.depth < INTERRUPT_DEPTH_MAX && random_below(story, 16) == 0)
		interrupt_take(story, &actor);
	interrupt_serve(story, &actor);
	event_put(story, &actor, EVENT_ISR_EXIT, stack, number, actor.depth, 0);
}

static void story_step(struct story *story)
{
	static const struct {
		unsigned per_cent;
		void (*play)(struct story *story, const struct actor *actor);
	} deeds[] = {
		{ 25, queue_send },
		{ 25, queue_receive },
		{ 20, mutex_use },
		{ 10, interrupt_take },
		{ 10, thread_sleep },
		{ 10, user_event_insert },
	};
	unsigned core = random_below(story, story->how->n_cores), i = 0;
	const struct actor actor = { story->next[core], core, 0 };

	if (!actor.thread) {
		interrupt_take(story, &actor);
		return;
	}
	for (unsigned chance = random_below(story, 100); chance >= deeds[i].per_cent; i++)
		chance -= deeds[i].per_cent;
	deeds[i].play(story, &actor);
}

uint64_t story_ram(const struct gen_threadx *how)
{
	return how->word_bytes == 8 ? RAM_64 : RAM_32;
}

uint64_t story_image(const struct gen_threadx *how)
{
	return story_ram(how) + AT_IMAGE;
}

void story_init(struct story *story, const struct gen_threadx *how, const struct txtb_layout *layout,
	struct outbuf *out)
{
	uint64_t ram = story_ram(how);

	*story = (struct story){ .how = how, .layout = layout, .out = out, .ram = ram };
	story->random_state = how->seed;
	story->stamp = random_next(story) >> 33;
	/*
	 * A narrow time source leaves dirt above its mask, but not above the 32 bits of the register it is
	 * read from.
	 */
	story->stamp_bits = how->timer_mask > TXTB_MASK_32 ? UINT64_MAX : TXTB_MASK_32;
	for (unsigned i = 0; i < STORY_QUEUES; i++)
		story->queues[i].control = ram + AT_QUEUES + i * QUEUE_CONTROL_BYTES;
	for (unsigned i = 0; i < STORY_MUTEXES; i++)
		story->mutexes[i].control = ram + AT_MUTEXES + i * MUTEX_CONTROL_BYTES;
	for (unsigned i = 0; i < how->n_threads; i++) {
		story->threads[i] = (struct thread){ .control = ram + AT_THREADS + i * THREAD_CONTROL_BYTES,
			.stack = ram + AT_THREAD_STACKS + i * STORY_STACK_BYTES,
			.core = i % how->n_cores,
			.priority = (uint16_t)(4 + i % 27) };
		thread_make_ready(story, &story->threads[i]);
	}
}

void story_write(struct story *story, uint64_t first, uint64_t end)
{
	story_init(story, story->how, story->layout, story->out);
	story->first = first;
	story->end = end;
	story_put_start(story);
	while (story->n_put < end && !story->out->error)
		story_step(story);
}
