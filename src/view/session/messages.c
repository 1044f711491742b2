/* SPDX-License-Identifier: MIT */
#include "view/session/messages.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/number.h"

/* A message that was not received yet. */
struct sent {
	uint64_t at, seq;
	uint32_t sender;
};

struct queue {
	struct queue *same; /* another one of the same key */
	struct rst_entity entity;
	uint32_t number; /* of the entity */
	struct sent *ring;
	size_t first, n_sent, room; /* room is a power of two */
	uint64_t n_unseen;	    /* that were in it before the first one of the ring */
	uint64_t level, level_seq;  /* what an event said that it holds; not taken up yet … */
	bool has_level;		    /* … if there is one */
	uint64_t n_losses;	    /* as many had come when it was used last */
};

/* --- queues --------------------------------------------------------------------------------------------- */

static bool is_queue(const struct rst_ref *object)
{
	return object->is_there && !object->is_unknown &&
	       (object->kind == RST_OBJECT_QUEUE || object->kind == RST_OBJECT_ACTIVE_OBJECT);
}

/* Sets *ret_queue to NULL if there are too many queues. Returns false if memory ran out. */
static bool queue_reach(struct messages *messages, const struct rst_ref *object, struct queue **ret_queue)
{
	const struct rst_entity entity = rst_entity_of_ref(object);
	const uint64_t key =
		(entity.id * messages->factor + entity.process) * messages->factor + object->kind;
	struct queue *first = map_find(&messages->queues, key), *queue = first;

	while (queue && (queue->entity.id != entity.id || queue->entity.process != entity.process ||
				queue->entity.kind != entity.kind))
		queue = queue->same;
	*ret_queue = queue;
	if (queue || messages->n_queues == MESSAGES_QUEUES_MAX)
		return true;
	queue = arena_alloc(&messages->arena, sizeof(*queue));
	if (!queue || !tracks_entity_number(messages->tracks, &entity, 0, &queue->number))
		return false;
	queue->entity = *tracks_entity(messages->tracks, queue->number);
	queue->same = first;
	messages->n_queues++;
	*ret_queue = queue;
	return map_set(&messages->queues, key, queue);
}

static void queue_drop(struct queue *queue, size_t n)
{
	queue->first = (queue->first + n) & (queue->room - 1);
	queue->n_sent -= n;
}

/*
 * Applies the level after an earlier event. If the level is above the messages seen, the others were there
 * before; if it is below, some were taken unseen.
 */
static void queue_settle(struct messages *messages, struct queue *queue, uint64_t seq)
{
	if (queue->n_losses != messages->n_losses) {
		queue->n_losses = messages->n_losses;
		queue->n_sent = 0;
		queue->n_unseen = 0;
		queue->has_level = false;
	}
	if (!queue->has_level || queue->level_seq == seq)
		return;
	queue->has_level = false;
	if (queue->level < queue->n_sent)
		queue_drop(queue, queue->n_sent - (size_t)queue->level);
	queue->n_unseen = queue->level - queue->n_sent;
}

static bool queue_send(struct messages *messages, struct queue *queue, const struct occurrence *occurrence,
	const struct rst_entity *sender)
{
	struct sent sent = { .at = occurrence->at, .seq = occurrence->seq };

	if (!tracks_entity_number(messages->tracks, sender, 0, &sent.sender))
		return false;
	if (queue->n_sent == queue->room && queue->room < MESSAGES_PENDING_MAX) {
		const size_t room = queue->room ? queue->room * 2 : 4;
		struct sent *ring = malloc(room * sizeof(*ring));

		if (!ring)
			return false;
		for (size_t i = 0; i < queue->n_sent; i++)
			ring[i] = queue->ring[(queue->first + i) & (queue->room - 1)];
		free(queue->ring);
		queue->ring = ring;
		queue->room = room;
		queue->first = 0;
	}
	if (queue->n_sent == queue->room) {
		queue_drop(queue, 1);
		queue->n_unseen++;
	}
	queue->ring[(queue->first + queue->n_sent++) & (queue->room - 1)] = sent;
	return true;
}

/* --- messages ------------------------------------------------------------------------------------------- */

static bool message_add(struct messages *messages, const struct message *message)
{
	if (messages->n == messages->n_blocks * MESSAGES_BLOCK) {
		struct message **blocks = array_room(
			messages->blocks, messages->n_blocks, &messages->room, sizeof(*messages->blocks));

		if (!blocks)
			return false;
		messages->blocks = blocks;
		blocks[messages->n_blocks] =
			pages_alloc(&messages->tracks->store.fine, MESSAGES_BLOCK * sizeof(struct message));
		if (!blocks[messages->n_blocks])
			return false;
		messages->n_blocks++;
	}
	messages->blocks[messages->n / MESSAGES_BLOCK][messages->n % MESSAGES_BLOCK] = *message;
	messages->n++;
	return true;
}

static bool queue_receive(struct messages *messages, struct queue *queue, const struct occurrence *occurrence,
	const struct rst_entity *receiver)
{
	const struct sent *sent;
	struct message message;

	if (queue->n_unseen) {
		queue->n_unseen--;
		return true;
	}
	if (!queue->n_sent)
		return true;
	sent = &queue->ring[queue->first];
	message = (struct message){ .sent = sent->at,
		.received = occurrence->at,
		.sent_seq = sent->seq,
		.received_seq = occurrence->seq,
		.sender = sent->sender,
		.queue = queue->number };
	queue_drop(queue, 1);
	return tracks_entity_number(messages->tracks, receiver, 0, &message.receiver) &&
	       message_add(messages, &message);
}

/* Levels count where they tell what is used, as a number of messages. */
static void queue_level(struct queue *queue, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;

	if (!facts->has_value || facts->effect->is_free || facts->effect->is_change ||
		facts->effect->is_handed_over || facts->effect->unit == RST_UNIT_BYTES ||
		!number_count(number_as(facts->value, facts->value_type), &queue->level))
		return;
	queue->level_seq = occurrence->seq;
	queue->has_level = true;
}

static bool take_effect(void *context, const struct occurrence *occurrence)
{
	struct messages *messages = context;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct rst_entity thread;
	struct queue *queue;

	if (!is_queue(&facts->object) || facts->phase != RST_DONE)
		return true;
	if (!queue_reach(messages, &facts->object, &queue))
		return false;
	if (!queue)
		return true;
	queue_settle(messages, queue, occurrence->seq);
	if (facts->effect->kind == RST_EFFECT_LEVEL) {
		queue_level(queue, occurrence);
		return true;
	}
	thread = rst_entity_of_context(
		facts->thread ? facts->thread : occurrence->batch->context[occurrence->row]);
	if (facts->effect->kind == RST_EFFECT_SEND)
		return queue_send(messages, queue, occurrence, &thread);
	return queue_receive(messages, queue, occurrence, &thread);
}

static const struct observer_kind messages_observer = {
	.effects = SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) | SCAN_BIT(RST_EFFECT_LEVEL),
	.effect = take_effect,
};

void messages_init(struct messages *messages, struct scan *scan, struct tracks *tracks)
{
	messages->tracks = tracks;
	messages->factor = map_factor();
	observers_add(&scan->observers, &messages_observer, messages);
}

void messages_forget(struct messages *messages)
{
	messages->n_losses++;
}

void messages_done(struct messages *messages)
{
	for (size_t i = 0; messages->queues.n_used && i <= messages->queues.mask; i++)
		for (struct queue *queue = messages->queues.slots[i].value; queue; queue = queue->same)
			free(queue->ring);
	map_done(&messages->queues);
	arena_done(&messages->arena);
	free(messages->blocks);
}

/* --- asking --------------------------------------------------------------------------------------------- */

const struct message *messages_at(const struct messages *messages, uint64_t n)
{
	return &messages->blocks[n / MESSAGES_BLOCK][n % MESSAGES_BLOCK];
}

uint64_t messages_find(const struct messages *messages, uint64_t ticks)
{
	uint64_t low = 0, high = messages->n;

	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;

		if (messages_at(messages, middle)->received >= ticks)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}
