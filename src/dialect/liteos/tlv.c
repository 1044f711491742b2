/* SPDX-License-Identifier: MIT */
#include "dialect/liteos/tlv.h"

#include "base/crc16.h"
#include "base/load.h"
#include "dialect/liteos/liteos.h"

/* The size of an element is a number of bytes, or one of these. */
enum { WORD_BYTES = 250, WORDS_BYTES = 251, REGISTERS_BYTES = 252 };

struct rule {
	uint8_t tag;
	uint8_t n_bytes;
	bool may_lack;
};

struct shape {
	const char *name;
	uint8_t n_rules;
	struct rule rules[LITEOS_N_TAGS - 1];
};

/*
 * Elements in sending order. The target leaves out elements that its configuration lacks, and all elements
 * behind the first one that did not fit its buffer of 100 bytes. An event's elements up to its identity
 * always fit.
 */
static const struct shape shapes[LITEOS_N_KINDS] = {
	[LITEOS_NOTIFY] = { "NOTIFY", 2,
		{ { LITEOS_NOTIFY_COMMAND, 4, false }, { LITEOS_NOTIFY_PARAM, 4, false } } },
	[LITEOS_HEAD] = { "HEAD", 3,
		{ { LITEOS_HEAD_ENDIAN, 4, false }, { LITEOS_HEAD_VERSION, 4, false },
			{ LITEOS_HEAD_CLOCK, 4, false } } },
	[LITEOS_OBJ] = { "OBJ", 3,
		{ { LITEOS_OBJ_ID, 4, false }, { LITEOS_OBJ_PRIORITY, 4, false },
			{ LITEOS_OBJ_NAME, 32, false } } },
	[LITEOS_EVENT] = { "EVENT", 9,
		{ { LITEOS_EVENT_CORE, 4, true }, { LITEOS_EVENT_TYPE, 4, false },
			{ LITEOS_EVENT_TIME, 8, false }, { LITEOS_EVENT_COUNT, 4, true },
			{ LITEOS_EVENT_TASK, 4, false }, { LITEOS_EVENT_IDENTITY, WORD_BYTES, false },
			{ LITEOS_EVENT_PARAMS, WORDS_BYTES, true }, { LITEOS_EVENT_PID, 4, true },
			{ LITEOS_EVENT_LR, REGISTERS_BYTES, true } } },
};

const char *liteos_kind_name(enum liteos_kind kind)
{
	return shapes[kind].name;
}

static bool is_size(const struct rule *rule, unsigned n_bytes, unsigned word)
{
	switch (rule->n_bytes) {
	case WORD_BYTES:
		return n_bytes == 4 || n_bytes == 8;
	case WORDS_BYTES:
		return n_bytes && n_bytes % word == 0;
	case REGISTERS_BYTES:
		return n_bytes == LITEOS_LR_MAX * word;
	default:
		return n_bytes == rule->n_bytes;
	}
}

/* Returns the next rule for this tag, from index on, or n_rules if the shape has no further rule for it. */
static unsigned next_rule(const struct shape *shape, unsigned index, uint8_t tag)
{
	while (index < shape->n_rules && shape->rules[index].tag != tag && shape->rules[index].may_lack)
		index++;
	return index < shape->n_rules && shape->rules[index].tag == tag ? index : shape->n_rules;
}

/*
 * Whether a body of n_body bytes, of which n_there are present, has this shape. Stores the elements in
 * message.
 */
static enum liteos_verdict shape_fit(const struct shape *shape, struct liteos_message *message,
	const uint8_t *body, size_t n_body, size_t n_there)
{
	unsigned index = 0, word = 0;
	size_t at = 0;

	memset(message->value, 0, sizeof(message->value));
	while (at < n_body) {
		if (n_body - at < 2)
			return LITEOS_NO_MESSAGE;
		if (n_there - at < 2)
			return LITEOS_IS_CUT;
		uint8_t tag = body[at], n_bytes = body[at + 1];

		index = next_rule(shape, index, tag);
		if (index == shape->n_rules || n_body - at - 2 < n_bytes)
			return LITEOS_NO_MESSAGE;
		if (shape->rules[index].n_bytes == WORD_BYTES)
			word = n_bytes;
		if (!is_size(&shape->rules[index], n_bytes, word))
			return LITEOS_NO_MESSAGE;
		message->value[tag] = body + at + 2;
		message->n_value_bytes[tag] = n_bytes;
		index++;
		at += 2U + n_bytes;
		if (at > n_there)
			return LITEOS_IS_CUT;
	}
	while (index < shape->n_rules && shape->rules[index].may_lack)
		index++;
	return index == shape->n_rules ? LITEOS_IS_MESSAGE : LITEOS_NO_MESSAGE;
}

/* For a wrong type byte: finds the only other kind whose shape the body has. */
static enum liteos_verdict find_kind(
	struct liteos_message *message, unsigned type, const uint8_t *body, size_t n_body, size_t n_there)
{
	for (unsigned kind = 0; kind < LITEOS_N_KINDS; kind++) {
		enum liteos_verdict verdict =
			kind == type ? LITEOS_NO_MESSAGE
				     : shape_fit(&shapes[kind], message, body, n_body, n_there);

		if (verdict == LITEOS_NO_MESSAGE)
			continue;
		message->kind = (enum liteos_kind)kind;
		message->is_repaired = true;
		return verdict;
	}
	return LITEOS_NO_MESSAGE;
}

static bool is_head_in_order(const struct liteos_message *message)
{
	return load_u32(message->value[LITEOS_HEAD_ENDIAN], message->is_big) == LITEOS_ENDIAN_WORD;
}

enum liteos_verdict liteos_message_parse(
	struct liteos_message *ret_message, const uint8_t *bytes, size_t n_bytes, bool is_big)
{
	const uint8_t *body = bytes + LITEOS_MESSAGE_HEAD;
	enum liteos_verdict verdict = LITEOS_NO_MESSAGE;

	if (n_bytes && bytes[0] != LITEOS_MAGIC)
		return LITEOS_NO_MESSAGE;
	if (n_bytes < LITEOS_MESSAGE_HEAD)
		return LITEOS_IS_CUT;
	unsigned type = bytes[1];
	size_t n_body = load_u16(bytes + 2, is_big), n_there = n_bytes - LITEOS_MESSAGE_HEAD;

	if (n_body > LITEOS_BODY_MAX)
		return LITEOS_NO_MESSAGE;
	if (n_there > n_body)
		n_there = n_body;
	ret_message->is_big = is_big;
	ret_message->is_repaired = false;
	ret_message->n_bytes = (uint16_t)(LITEOS_MESSAGE_HEAD + n_body);
	if (type < LITEOS_N_KINDS) {
		ret_message->kind = (enum liteos_kind)type;
		verdict = shape_fit(&shapes[type], ret_message, body, n_body, n_there);
	}
	if (verdict == LITEOS_NO_MESSAGE)
		verdict = find_kind(ret_message, type, body, n_body, n_there);
	if (verdict != LITEOS_IS_MESSAGE)
		return verdict;
	if (ret_message->kind == LITEOS_HEAD && !is_head_in_order(ret_message))
		return LITEOS_NO_MESSAGE;
	return crc16(body, n_body) == load_u16(bytes + 4, is_big) ? LITEOS_IS_MESSAGE : LITEOS_BAD_CHECK;
}
