/* SPDX-License-Identifier: MIT */
/*
 * One message of the online stream, and its elements:
 *
 *	ff | type | body bytes u16 | check u16 | body = (tag, size, value) …
 *
 * Numbers are in the target's byte order. The check covers only the body. So a message is trusted only if its
 * elements are those of its type, too: right tags in the right order, right sizes, nothing left over. A wrong
 * type byte can be corrected, because no body fits two types.
 */
#ifndef LITEOS_TLV_H
#define LITEOS_TLV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum liteos_kind { LITEOS_NOTIFY, LITEOS_HEAD, LITEOS_OBJ, LITEOS_EVENT, LITEOS_N_KINDS };

/* Tags of elements; each kind of message numbers its own. */
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
	/* The kernels send no body over 94 bytes; this is the largest sum of an event's elements. */
	LITEOS_BODY_MAX = 6 + 6 + 10 + 6 + 6 + 10 + 257 + 6 + 42,
	LITEOS_MESSAGE_MAX = LITEOS_MESSAGE_HEAD + LITEOS_BODY_MAX,
};

struct liteos_message {
	enum liteos_kind kind;
	bool is_big;
	bool is_repaired;		     /* the type byte was wrong; only this kind fits the body */
	uint16_t n_bytes;		     /* with the head */
	const uint8_t *value[LITEOS_N_TAGS]; /* by tag, in the bytes given; NULL: the target sent none */
	uint8_t n_value_bytes[LITEOS_N_TAGS];
};

enum liteos_verdict {
	LITEOS_IS_MESSAGE,
	LITEOS_IS_CUT,	  /* the bytes may be the beginning of a message */
	LITEOS_BAD_CHECK, /* only the check is wrong */
	LITEOS_NO_MESSAGE,
};

/* Parses the bytes as a message in one of the two byte orders. *ret_message is set if they are one. */
enum liteos_verdict liteos_message_parse(
	struct liteos_message *ret_message, const uint8_t *bytes, size_t n_bytes, bool is_big);

/* "NOTIFY", "HEAD", "OBJ", "EVENT". Static. */
const char *liteos_kind_name(enum liteos_kind kind);

#endif
