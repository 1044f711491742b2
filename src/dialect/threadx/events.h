/* SPDX-License-Identifier: MIT */
/* The event tables of ThreadX and its middleware. Makes event types of a trace from their rows. */
#ifndef THREADX_EVENTS_H
#define THREADX_EVENTS_H

#include "model/effect.h"

enum { TX_INFO_WORDS = 4, TX_IDS = 65536, TX_KNOWN_IDS = 1034, TX_FIRST_USER_ID = 1025 };

struct tx_field {
	const char *name; /* NULL if the event does not use this word */
	enum rst_field_type type;
	enum rst_object_kind kind;
	const struct rst_constants *constants;
	bool is_stack; /* an address in the stack of the event's thread or interrupt */
};

struct tx_event {
	uint16_t id;
	const char *constant; /* the manual's constant name */
	const char *service;  /* what TraceX calls it */
	struct tx_field fields[TX_INFO_WORDS];
	const struct rst_effect *effects; /* their arguments are the information words; NULL if not known */
};

/* The row of an id below TX_KNOWN_IDS, or NULL. */
const struct tx_event *tx_event_find(uint32_t id, bool is_old_netx);

/*
 * Whether the event creates or deletes (kind) an object. *ret_word is the information word (0 to 3) that
 * names it.
 */
bool tx_event_has(const struct tx_event *event, enum rst_effect_kind kind, unsigned *ret_word);

/* Makes the row a type of the trace, for words of this size and order. Returns NULL if memory ran out. */
const struct rst_layout *tx_event_bind(
	struct model *model, const struct tx_event *event, uint32_t id, unsigned word, bool is_big);

/*
 * Makes the type of an id that is in no table: a user event (4096 to 65535, tx_api.h), an event of the old
 * range (1025 to 4095, which TraceX still shows as user events), or an unknown event. Its four words are
 * info1 to info4.
 */
const struct rst_layout *tx_event_bind_unlisted(struct model *model, uint32_t id, unsigned word, bool is_big);

/* Makes a type of every row and of each range of ids that is in no table. Returns false if memory ran out. */
bool tx_events_catalogue(struct model *model);

#endif
