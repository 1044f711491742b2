/* SPDX-License-Identifier: MIT */
#include "export/label.h"

#include "base/text.h"

enum { LABEL_MAX = 256 };

/* Puts a name, cut if it is too long, or else a number. */
static char *label_put_entity(char *p, const char *end, const struct rst_entity *entity)
{
	const size_t room = (size_t)(end - p);

	if (entity->name)
		return text_put(p, entity->name, text_whole_bytes(entity->name, entity->name_bytes, room));
	if (room < TEXT_DEC_MAX)
		return p;
	return entity->is_number || entity->form == RST_ENTITY_NUMBER ? text_put_dec(p, entity->id)
								      : text_put_hex(p, entity->id);
}

/* "waiting (lock): resource" */
static char *label_put_state(char *p, const char *end, const struct rst_interval *interval)
{
	const char *state = rst_state_name(interval->state), *reason = rst_reason_name(interval->reason);

	p = text_put(p, state, strlen(state));
	if (interval->reason != RST_REASON_NONE) {
		p = text_put_literal(p, " (");
		p = text_put(p, reason, strlen(reason));
		*p++ = ')';
	}
	if (interval->state != RST_STATE_WAITING || interval->object.form == RST_ENTITY_NONE)
		return p;
	return label_put_entity(text_put_literal(p, ": "), end, &interval->object);
}

/*
 * Puts the thread that a core runs or that holds a lock, or the state of a machine; without one, the state of
 * the interval.
 */
static char *put_object(char *p, const char *end, const struct rst_interval *interval)
{
	const struct rst_entity *object = &interval->object;

	if (object->form == RST_ENTITY_NONE || interval->state == RST_STATE_UNKNOWN)
		return label_put_state(p, end, interval);
	if (object->form == RST_ENTITY_NUMBER)
		p = text_put_literal(p, "interrupt ");
	return label_put_entity(p, end, object);
}

struct word *label_word(struct words *words, const struct rst_interval *interval)
{
	char label[LABEL_MAX], *end = label + sizeof(label), *p;

	if (interval->kind == RST_INTERVAL_SPAN)
		p = label_put_entity(label, end, &interval->subject);
	else if (interval->kind == RST_INTERVAL_THREAD)
		p = label_put_state(label, end, interval);
	else
		p = put_object(label, end, interval);
	return word_of(words, (struct text){ label, (size_t)(p - label) });
}
