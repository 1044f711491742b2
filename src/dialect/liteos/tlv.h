/* SPDX-License-Identifier: MIT */
/*
 * One message of the online stream, and its elements:
 *
 *	ff | type | body bytes u16 | check u16 | body = (tag, size, value) …
 *
 * Numbers are in the target's byte order. The check covers the body alone, so a message is trusted only when its
 * elements also are those of its type: right tags in the right order, right sizes, nothing left over. A wrong type byte can
 * be put right, because no body fits two types.
 */
#ifndef LITEOS_TLV_H
#define LITEOS_TLV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum liteos_kind { LITEOS_NOTIFY, LITEOS_HEAD, LITEOS_OBJ, LITEOS_EVENT, LITEOS_N_KINDS };

/* Tags of elements; they count anew in each kind of message. */
enum {
	LITEOS_NOTIFY_COMMAND = 1,
	LITEOS_NOTIFY_PARAM = 2,
	LITEOS_HEAD_ENDIAN = 1,
	LITEOS_HEAD_VERSION = 2,
	LITEOS_HEAD_CLOCK = 8,
	LITEOS_OBJ_ID = 1,
	LITEOS_OBJ_PRIORITY = 2,
	LITEOS_OBJ_NAME = 3,
	LITEOS_EVENT_CORE = 1,
	LITEOS_EVENT_TYPE = 2,
	LITEOS_EVENT_TIME = 3,
	LITEOS_EVENT_COUNT = 4,
	LITEOS_EVENT_TASK = 5,
	LITEOS_EVENT_IDENTITY = 6,
	LITEOS_EVENT_PARAMS = 7,
	LITEOS_EVENT_PID = 8,
	LITEOS_EVENT_LR = 9,
	LITEOS_N_TAGS = 10,
};

enum {
	LITEOS_MAGIC = 0xff,
	LITEOS_MESSAGE_HEAD = 6,
	LITEOS_START = 0x11, /* commands of NOTIFY */
	LITEOS_STOP = 0x12,
	/* The kernels send no body over 94 bytes; this is all that the elements of an event can come to. */
	LITEOS_BODY_MAX = 6 + 6 + 10 + 6 + 6 + 10 + 257 + 6 + 42,
	LITEOS_MESSAGE_MAX = LITEOS_MESSAGE_HEAD + LITEOS_BODY_MAX,
};

struct liteos_message {
	enum liteos_kind kind;
	bool is_big;
	bool is_repaired;		     /* the type byte was another one, but only this kind fits */
	uint16_t n_bytes;		     /* with the head */
	const uint8_t *value[LITEOS_N_TAGS]; /* by tag, in the bytes given; NULL: the target sent none */
	uint8_t n_value_bytes[LITEOS_N_TAGS];
};

enum liteos_verdict {
	LITEOS_IS_MESSAGE,
	LITEOS_IS_CUT,	  /* what is there may be the beginning of one */
	LITEOS_BAD_CHECK, /* one in all but its check */
	LITEOS_NO_MESSAGE,
};

/* Looks at the bytes as a message in one of the two byte orders. *ret_message is set when it is one. */
enum liteos_verdict liteos_message_parse(
	struct liteos_message *ret_message, const uint8_t *bytes, size_t n_bytes, bool is_big);

/* "NOTIFY", "HEAD", "OBJ", "EVENT". Static. */
const char *liteos_kind_name(enum liteos_kind kind);

#endif
