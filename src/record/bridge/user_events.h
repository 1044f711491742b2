/* SPDX-License-Identifier: MIT */
/*
 * What the kernel wants to hear of user_events (its Documentation/trace/user_events.rst; linux/user_events.h, which
 * C libraries of today need not bring), and how a type of <trace.h> is told to it.
 */
#ifndef BRIDGE_USER_EVENTS_H
#define BRIDGE_USER_EVENTS_H

#include "record/process/names.h"
#include <sys/ioctl.h>

struct user_events_add {
	uint32_t size; /* of this structure */
	uint8_t enable_bit;
	uint8_t enable_size; /* bytes of the word that has this bit */
	uint16_t flags;
	uint64_t enable_address; /* of the word: the kernel sets the bit while somebody wants the event */
	uint64_t description;	 /* a string: "name type field;type field" */
	uint32_t write_index;	 /* the kernel's answer: stands in front of the data of each event */
} __attribute__((packed));

struct user_events_drop {
	uint32_t size;
	uint8_t disable_bit;
	uint8_t reserved;
	uint16_t also_reserved;
	uint64_t disable_address;
} __attribute__((packed));

#define USER_EVENTS_ADD	 _IOWR('*', 0, struct user_events_add *)
#define USER_EVENTS_DROP _IOW('*', 2, struct user_events_drop *)

/* Of a description with its NUL: the kernel's limit. */
#define USER_EVENTS_DESCRIPTION_MAX 512
/* Of the bytes that are always there, and of the others, each: the kernel's for a field, and both fit a page of its
 * buffers. */
#define USER_EVENTS_PART_MAX	    1024

/* How the data of a type lie: so many bytes that are always there, then perhaps some whose number varies. */
struct user_events_layout {
	uint16_t n_fixed;
	uint8_t has_rest, rest_is_text;
};

/* The description of a type that has a name; ret_text has USER_EVENTS_DESCRIPTION_MAX bytes. What cannot be told field
 * by field is one run of bytes, "data". False: the type has no name. */
bool user_events_describe(const struct names *names, trace_event_id_t id, char *ret_text,
	struct user_events_layout *ret_layout);

#endif
