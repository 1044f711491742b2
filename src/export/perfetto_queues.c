/* SPDX-License-Identifier: MIT */
/*
 * Flows from the sender of a message in a queue to its receiver. Messages leave a queue in their order. So
 * once the queue's level shows how many messages are in it, a receiver gets the oldest known message. A
 * message from before the recording, or from before a loss, has neither a known sender nor a flow. A message
 * to a thread that waits for it has the flow of the wake-up.
 */
#include "base/number.h"
#include "export/perfetto.h"

enum { QUEUE_PLACES = 64, QUEUES_MAX = LIMIT(4096, 4) };

struct sent {
	uint64_t track, at;
};

struct queue {
	struct sent places[QUEUE_PLACES];
	unsigned first, n;  /* the oldest message whose sender is known, and how many there are */
	uint64_t n_unknown; /* older ones */
	bool is_known;	    /* both are, since a level was recorded */
	uint64_t seq;	    /* of the event that sent last, + 1; 0: none */
};

struct perfetto_queue {
	struct subject subject;
	struct queue *queue;
};

static struct perfetto_queue *queue_of(struct export *export, const struct rst_ref *ref)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_queue *record;

	perfetto->queues.record_bytes = sizeof(*record);
	record = subject_of_ref(&perfetto->queues, ref);
	if (record && !record->queue && perfetto->queues.n <= QUEUES_MAX) {
		record->queue = arena_alloc(&perfetto->queues.arena, sizeof(*record->queue));
		if (record->queue)
			*record->queue = (struct queue){ .n = 0 };
	}
	return record;
}

static bool put_side(struct export *export, const struct perfetto_queue *record, uint64_t track, uint64_t at,
	unsigned fixed, uint64_t flow)
{
	const uint32_t name = name_of_fixed(export, fixed);
	char room[NUMBER_ROOM];
	const struct text queue = name_of_entity(&record->subject.entity, room);
	struct packet packet;
	char *p;

	if (!event_begin(&packet, export, queue.n_bytes, TYPE_INSTANT, track, at))
		return true;
	p = proto_number(export->out->at, EVENT_NAME_IID, name);
	p = proto_number(p, EVENT_CATEGORY_IID, CATEGORY_SEND);
	p = note_text(p, NOTE_OBJECT, queue);
	export->out->at = proto_fixed(p, EVENT_FLOW, flow);
	event_end(&packet);
	return true;
}

static void message_send(struct queue *queue, const struct sent *sent, bool is_front)
{
	if (queue->n == QUEUE_PLACES) {
		queue->n = 0;
		queue->is_known = false;
		return;
	}
	if (is_front && (queue->n_unknown || !queue->is_known)) {
		queue->is_known = false; /* unknown messages would lie between it and the known ones */
		queue->n = 0;
		return;
	}
	if (is_front)
		queue->first = (queue->first + QUEUE_PLACES - 1) % QUEUE_PLACES;
	queue->places[is_front ? queue->first : (queue->first + queue->n) % QUEUE_PLACES] = *sent;
	queue->n++;
}

static bool message_receive(struct export *export, struct perfetto_queue *record, const struct sent *received)
{
	struct perfetto *perfetto = export->state;
	struct queue *queue = record->queue;
	const struct sent *sent = &queue->places[queue->first];

	if (queue->is_known && queue->n_unknown) {
		queue->n_unknown--;
		return true;
	}
	if (!queue->is_known || !queue->n)
		return true;
	queue->first = (queue->first + 1) % QUEUE_PLACES;
	queue->n--;
	perfetto->n_flows++;
	return put_side(export, record, sent->track, sent->at, NAME_SENDS, perfetto->n_flows) &&
	       put_side(export, record, received->track, received->at, NAME_RECEIVES, perfetto->n_flows);
}

/*
 * Takes the number of messages in the queue. If it is less than the number sent, one message went to a
 * waiting thread, or waits with its sender. It is not known which one, so all messages in the queue become
 * unknown.
 */
static void level_set(struct queue *queue, uint64_t level)
{
	if (level < queue->n)
		queue->n = 0;
	queue->n_unknown = level - queue->n;
	queue->is_known = true;
}

bool queue_see(void *context, const struct occurrence *occurrence)
{
	struct export *export = ((struct export_state *)context)->export;
	const struct rst_effect_facts *facts = occurrence->facts;
	struct perfetto_queue *record;
	struct rst_entity actor;
	struct sent side = { .at = occurrence->at };

	if (facts->object.kind != RST_OBJECT_QUEUE || !facts->object.is_there || facts->object.is_unknown ||
		facts->phase == RST_GAVE_UP)
		return true;
	record = queue_of(export, &facts->object);
	if (!record || !record->queue)
		return record;
	if (facts->effect->kind == RST_EFFECT_LEVEL) {
		uint64_t n_messages;

		if (facts->has_value && !facts->effect->is_free && !facts->effect->is_change &&
			number_count(number_as(facts->value, facts->value_type), &n_messages))
			level_set(record->queue, n_messages);
		return true;
	}
	if (facts->effect->kind == RST_EFFECT_RECEIVE && facts->phase != RST_DONE)
		return true;
	actor = rst_entity_of_context(
		facts->thread ? facts->thread : occurrence->batch->context[occurrence->row]);
	side.track = track_of(export, GROUP_THREADS, &actor, 0);
	if (!side.track)
		return false;
	if (facts->effect->kind == RST_EFFECT_RECEIVE)
		return message_receive(export, record, &side);
	/* One event may have both effects: the request to send and its completion. */
	if (record->queue->seq != occurrence->seq + 1)
		message_send(record->queue, &side, facts->effect->is_front);
	record->queue->seq = occurrence->seq + 1;
	return true;
}

void queues_lose(struct export *export)
{
	struct perfetto *perfetto = export->state;

	for (size_t i = 0; i < perfetto->queues.n; i++) {
		/* A subject is the first member of its record. */
		struct queue *queue = ((struct perfetto_queue *)(void *)perfetto->queues.all[i])->queue;

		if (queue)
			queue->n = 0;
		if (queue)
			queue->is_known = false;
	}
}
