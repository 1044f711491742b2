/* SPDX-License-Identifier: MIT */
/*
 * A message is an arrow from the sending thread to the queue, and another arrow from the queue to the
 * receiving thread. So no sender has to be guessed.
 *
 *	participant P1 as sender
 *	participant P2 as queue one (queue)
 *	P1->>P2: sends
 *	P3-->>P2: asks to receive
 *	P2->>P3: receives
 *	P1-xP2: does not send
 *
 * A thread that asks may have to wait. A message that it asks to send counts as sent, unless the recording
 * has an event that it gave up. A message that it asks to receive counts as received once an event completes
 * the request or wakes the thread for it.
 */
#include <inttypes.h>
#include <string.h>

#include "export/mermaid.h"

/*
 * A thread and the objects of its protocol stack often have the same name, so the kind of an object stands
 * behind its name.
 */
static void put_participant(struct outbuf *out, const struct rst_entity *entity)
{
	mermaid_put_name(out, entity);
	if (entity->name && entity->kind && strcmp(entity->kind, "thread") != 0)
		outbuf_printf(out, " (%s)", entity->kind);
}

/* The number of a participant. The first call declares it in the diagram. Returns 0 if memory ran out. */
static unsigned participant_of(struct export *export, const struct rst_entity *entity)
{
	struct mermaid *mermaid = export->state;
	struct mermaid_participant *participant;

	mermaid->participants.record_bytes = sizeof(*participant);
	participant = subject_of(&mermaid->participants, entity);
	if (participant && !participant->number) {
		participant->number = ++mermaid->n_participants;
		outbuf_printf(export->out, "    participant P%u as ", participant->number);
		if (participant->subject.is_rest)
			outbuf_puts(export->out, "(others)");
		else
			put_participant(export->out, entity);
		outbuf_puts(export->out, "\n");
	}
	return participant ? participant->number : 0;
}

/* The verb for sending to or receiving from objects of a kind; the caller may add an "s". */
static const char *verb_of(enum rst_object_kind kind, bool is_send)
{
	if (kind == RST_OBJECT_SEMAPHORE)
		return is_send ? "put" : "get";
	if (kind == RST_OBJECT_EVENT_FLAGS)
		return is_send ? "set" : "get";
	return is_send ? "send" : "receive";
}

static void put_label(struct outbuf *out, const struct mermaid_message *message)
{
	const char *verb = verb_of(message->kind, message->is_send);

	if (message->has_failed)
		outbuf_printf(out, ": does not %s", verb);
	else if (message->is_asked)
		outbuf_printf(out, ": asks to %s", verb);
	else
		outbuf_printf(out, ": %ss", verb);
	if (message->amount > 1)
		outbuf_printf(out, " %" PRIu64, message->amount);
	if (!message->has_signal)
		return;
	outbuf_puts(out, " ");
	if (message->signal_name.bytes)
		mermaid_put_text(out, message->signal_name);
	else
		outbuf_printf(out, "%" PRIu64, message->signal);
}

static bool message_put(struct export *export, const struct mermaid_message *message)
{
	struct mermaid *mermaid = export->state;
	const bool goes_in = message->is_send || message->has_failed || message->is_asked;
	const char *arrow = message->has_failed ? "-x" : message->is_asked ? "-->>" : "->>";
	struct outbuf *out = export->out;
	unsigned thread, through;

	if (mermaid->n_messages == mermaid_limit(export)) {
		mermaid->n_left_out++;
		return true;
	}
	mermaid->n_messages++;
	thread = participant_of(export, &message->thread);
	through = participant_of(export, &message->through);
	outbuf_printf(out, "    P%u%sP%u", goes_in ? thread : through, arrow, goes_in ? through : thread);
	put_label(out, message);
	outbuf_puts(out, "\n");
	return thread && through;
}

static bool held_put(struct export *export)
{
	struct mermaid *mermaid = export->state;
	const bool has_held = mermaid->has_held;

	mermaid->has_held = false;
	return !has_held || message_put(export, &mermaid->held);
}

/* --- from events ---------------------------------------------------------------------------------------- */

/* Sets the signal that is the message, if the event has one. */
static void message_set_signal(
	struct export *export, const struct occurrence *occurrence, struct mermaid_message *message)
{
	const struct rst_batch *batch = occurrence->batch;
	const size_t row = occurrence->row;
	const struct rst_layout *layout = batch->layout[row];

	for (unsigned i = 0; i < layout->n_fields && !message->has_signal; i++) {
		const struct rst_field *field = &layout->fields[i];
		const struct rst_object *signal;

		if (field->type != RST_OBJECT || field->object_kind != RST_OBJECT_SIGNAL ||
			!rst_field_is_there(field, batch->payload_bytes[row]))
			continue;
		message->has_signal = true;
		message->signal = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);
		signal = rst_trace_find_object(export->trace, batch->context[row]->process, message->signal,
			RST_OBJECT_SIGNAL, batch->seq[row]);
		if (signal && signal->name_bytes)
			message->signal_name = (struct text){ signal->name, signal->name_bytes };
	}
}

/* An active object is a thread, whose events it takes. */
static struct rst_entity entity_of(const struct rst_ref *ref)
{
	struct rst_entity entity = rst_entity_of_ref(ref);

	if (ref->kind == RST_OBJECT_ACTIVE_OBJECT)
		entity.kind = rst_context_kind_name(RST_CONTEXT_THREAD);
	return entity;
}

static struct mermaid_message message_of(struct export *export, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct mermaid_message message = { .seq = occurrence->seq,
		.through = entity_of(&facts->object),
		.kind = facts->object.kind,
		.is_send = facts->effect->kind == RST_EFFECT_SEND,
		.has_failed = facts->phase == RST_GAVE_UP,
		.amount = facts->has_amount ? facts->amount : 0 };

	if (message.is_send && facts->other.is_there)
		message.thread = entity_of(&facts->other);
	else
		message.thread = rst_entity_of_context(
			facts->thread ? facts->thread : occurrence->batch->context[occurrence->row]);
	message_set_signal(export, occurrence, &message);
	return message;
}

/* Draws the message that is held back, unless this message replaces it. */
static bool message_hold(struct export *export, const struct mermaid_message *message)
{
	struct mermaid *mermaid = export->state;
	const struct mermaid_message *held = &mermaid->held;

	/* One event may have both effects: the request of a thread and its completion. */
	if (mermaid->has_held && held->seq == message->seq && (!held->is_asked || message->is_asked))
		return true;
	/* A framework may record what happens to the queue of an active object in the event before. */
	if (mermaid->has_held && (held->seq == message->seq || (message->kind == RST_OBJECT_ACTIVE_OBJECT &&
								       held->kind == RST_OBJECT_QUEUE &&
								       held->seq + 1 == message->seq)))
		mermaid->has_held = false;
	if (!held_put(export))
		return false;
	mermaid->held = *message;
	mermaid->has_held = true;
	return true;
}

/* Ends the request of a thread: it was fulfilled, or the thread gave up. */
static bool ask_end(struct export *export, struct mermaid_asker *asker, uint64_t seq, bool has_failed)
{
	struct mermaid_message message = asker->message;

	asker->is_open = false;
	if (message.is_send && !has_failed)
		return true;
	message.seq = seq;
	message.is_asked = false;
	message.has_failed = has_failed;
	return message_hold(export, &message);
}

/* A wake-up for the reason for which the thread waits. */
static bool wake_see(struct export *export, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct mermaid *mermaid = export->state;
	struct mermaid_asker *asker;

	mermaid->askers.record_bytes = sizeof(*asker);
	if (!facts->thread)
		return true;
	asker = subject_of_context(&mermaid->askers, facts->thread);
	if (!asker || !asker->is_open || asker->subject.is_rest || facts->reason != asker->reason)
		return asker;
	return ask_end(export, asker, occurrence->seq, facts->phase == RST_GAVE_UP);
}

static bool request_see(struct export *export, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;
	struct mermaid *mermaid = export->state;
	const struct rst_context *thread =
		facts->thread ? facts->thread : occurrence->batch->context[occurrence->row];
	struct mermaid_message message = message_of(export, occurrence);
	struct mermaid_asker *asker;
	bool was_open;

	mermaid->askers.record_bytes = sizeof(*asker);
	asker = subject_of_context(&mermaid->askers, thread);
	if (!asker)
		return false;
	was_open = asker->is_open;
	asker->is_open = false;
	switch (request_take(&mermaid->requests, occurrence)) {
	case REQUEST_NO_MEMORY:
		return false;
	case REQUEST_BEGINS:
		asker->is_open = true;
		asker->reason = facts->reason;
		message.is_asked = !message.is_send;
		asker->message = message;
		break;
	case REQUEST_COMPLETES:
	case REQUEST_GIVES_UP:
		return !was_open || ask_end(export, asker, message.seq, message.has_failed);
	case REQUEST_SUCCEEDS:
	case REQUEST_FAILS:
		break;
	}
	return message_hold(export, &message);
}

bool sequence_effect(struct export *export, const struct occurrence *occurrence)
{
	const struct rst_effect_facts *facts = occurrence->facts;

	if (facts->effect->kind == RST_EFFECT_WAKE)
		return wake_see(export, occurrence);
	if (!facts->object.is_there || facts->object.is_unknown)
		return true;
	return request_see(export, occurrence);
}

/* --- notes ---------------------------------------------------------------------------------------------- */

/* Over all that is in the diagram by then. */
static void note_begin(struct export *export)
{
	struct mermaid *mermaid = export->state;

	if (!mermaid->n_participants) {
		outbuf_puts(export->out, "    participant P1 as (nothing)\n");
		mermaid->n_participants = 1;
	}
	outbuf_puts(export->out, "    Note over P1");
	if (mermaid->n_participants > 1)
		outbuf_printf(export->out, ",P%u", mermaid->n_participants);
	outbuf_puts(export->out, ": ");
}

bool sequence_gap(struct export *export, const struct rst_gap *gap)
{
	const struct mermaid *mermaid = export->state;

	if (!held_put(export))
		return false;
	if (mermaid->n_messages == mermaid_limit(export))
		return true;
	note_begin(export);
	if (gap->marker == RST_RUN)
		outbuf_printf(export->out, "RUN %" PRIu64 " begins\n", gap->n_events);
	else if (gap->marker == RST_DAMAGE)
		outbuf_printf(export->out, "DAMAGE at byte %" PRIu64 "\n", gap->offset);
	else if (gap->n_events)
		outbuf_printf(export->out, "LOST %" PRIu64 " events\n", gap->n_events);
	else
		outbuf_puts(export->out, "LOST an unknown number of events\n");
	return true;
}

bool sequence_end(struct export *export)
{
	const struct mermaid *mermaid = export->state;
	const bool is_good = held_put(export);

	if (mermaid->n_left_out) {
		note_begin(export);
		outbuf_printf(export->out, "%" PRIu64 " more messages are left out\n", mermaid->n_left_out);
	} else if (!mermaid->n_messages) {
		note_begin(export);
		outbuf_puts(export->out, "no messages\n");
	}
	return is_good;
}
