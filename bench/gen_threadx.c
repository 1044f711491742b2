/* SPDX-License-Identifier: MIT */
/* The image of a ThreadX trace buffer: header and registry, and a ring of what happens in story.h. */
#include "bench/gen.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "bench/story.h"
#include "embed/threadx/txtb_image.h"

enum { N_SPARE_SLOTS = 4, N_SLOTS_MIN = 16 };

static void object_write(struct story *story, struct txtb_object *object, const char *kind, unsigned number)
{
	size_t n_bytes = txtb_object_bytes(story->layout);
	unsigned n_digits = text_dec_digits(number);
	char name[32], *p = text_put(name, kind, strlen(kind));

	*text_put_digits(p, number, n_digits < 2 ? 2 : n_digits) = '\0';
	object->name = name;
	if (!outbuf_reserve(story->out, n_bytes))
		return;
	txtb_store_object(story->layout, story->out->at, object->address ? object : NULL);
	story->out->at += n_bytes;
}

/*
 * In the order and with the parameters of tx_trace_enable.c: a queue's capacity in bytes, a mutex'
 * inheritance.
 */
static void registry_write(struct story *story)
{
	uint32_t n_written = story->how->n_threads + STORY_QUEUES + STORY_MUTEXES;

	for (unsigned i = 0; i < story->how->n_threads; i++)
		object_write(story,
			&(struct txtb_object){ .type = TXTB_TYPE_THREAD,
				.has_priority = 1,
				.priority = story->threads[i].priority,
				.address = story->threads[i].control,
				.parameter_1 = story->threads[i].stack,
				.parameter_2 = STORY_STACK_BYTES },
			"worker ", i);
	for (unsigned i = 0; i < STORY_QUEUES; i++)
		object_write(story,
			&(struct txtb_object){ .type = TXTB_TYPE_QUEUE,
				.address = story->queues[i].control,
				.parameter_1 = (uint64_t)STORY_QUEUE_MESSAGES * story->how->word_bytes },
			"queue ", i);
	for (unsigned i = 0; i < STORY_MUTEXES; i++)
		object_write(story,
			&(struct txtb_object){
				.type = TXTB_TYPE_MUTEX, .address = story->mutexes[i].control },
			"mutex ", i);
	for (; n_written < story->layout->n_registry; n_written++)
		object_write(story, &(struct txtb_object){ .address = 0 }, "", 0);
}

static void header_write(struct story *story, uint64_t current_index)
{
	size_t n_bytes = txtb_header_bytes(story->layout);

	if (!outbuf_reserve(story->out, n_bytes))
		return;
	txtb_put_header(story->layout, story->out->at, current_index);
	story->out->at += n_bytes;
}

static struct txtb_layout layout_for(const struct gen_threadx *how)
{
	unsigned n_slots = how->n_threads + STORY_QUEUES + STORY_MUTEXES + N_SPARE_SLOTS;

	return (struct txtb_layout){ .word_bytes = (uint8_t)how->word_bytes,
		.is_big_endian = how->is_big_endian,
		.name_bytes = (uint16_t)how->name_bytes,
		.n_registry = n_slots < N_SLOTS_MIN ? N_SLOTS_MIN : n_slots,
		.n_events = how->n_events,
		.base = story_image(how),
		.timer_mask = how->timer_mask };
}

static bool parameters_hold(const struct gen_threadx *how)
{
	uint64_t word_max = how->word_bytes == 4 ? UINT32_MAX : UINT64_MAX;
	struct txtb_layout without_events = layout_for(how);

	if ((how->word_bytes != 4 && how->word_bytes != 8) || !how->timer_mask || how->timer_mask > word_max)
		return false;
	if (!how->n_threads || how->n_threads > GEN_THREADS_MAX || !how->n_cores ||
		how->n_cores > GEN_CORES_MAX)
		return false;
	if (!how->name_bytes || how->name_bytes > UINT16_MAX)
		return false;
	/* The address one past the ring must fit a word. */
	without_events.n_events = 0;
	uint64_t n_left = word_max - without_events.base - txtb_image_bytes(&without_events);

	return how->n_events && how->n_events <= n_left / txtb_event_bytes(&without_events);
}

struct gen_threadx gen_threadx_default(void)
{
	return (struct gen_threadx){ .n_events = 1000000,
		.word_bytes = 4,
		.seed = 1,
		.n_threads = 24,
		.timer_mask = TXTB_MASK_32,
		.n_cores = 1,
		.name_bytes = 32 };
}

bool gen_threadx(struct outbuf *out, const struct gen_threadx *how)
{
	if (!parameters_hold(how)) {
		out->error = EINVAL;
		return false;
	}
	const struct txtb_layout layout = layout_for(how);
	uint64_t n_newest = how->n_wrapped % how->n_events;
	struct story story;

	story_init(&story, how, &layout, out);
	header_write(&story, n_newest);
	registry_write(&story);
	/*
	 * The slots before the current one hold the newest events: run the story once for them, and once more
	 * for the rest.
	 */
	if (n_newest)
		story_write(&story, how->n_events - n_newest, how->n_events);
	story_write(&story, 0, how->n_events - n_newest);
	return outbuf_flush(out);
}
