/* SPDX-License-Identifier: MIT */
/*
 * The kernel's interface of user_events (its Documentation/trace/user_events.rst; linux/user_events.h, which
 * C libraries of today need not have), and how a type of <trace.h> is described to it.
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
	uint64_t
		/* of the word: the kernel sets the bit while a tracer has enabled the event */
		enable_address;
	uint64_t description; /* a string: "name type field;type field" */
	uint32_t write_index; /* the kernel's answer; precedes the data of each event */
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

/* The kernel's limit for a description with its NUL. */
#define USER_EVENTS_DESCRIPTION_MAX 512
/*
 * For the fixed bytes and for the others, each: the kernel's limit for a field, and both fit a page of its
 * buffers.
 */
#define USER_EVENTS_PART_MAX	    1024

/* How the data of a type lie: fixed bytes, then perhaps some whose number varies. */
struct user_events_layout {
	uint16_t n_fixed;
	uint8_t has_rest, rest_is_text;
};

/*
 * The description of a type that has a name; ret_text has USER_EVENTS_DESCRIPTION_MAX bytes. If the data
 * cannot be described field by field, they are one field of bytes, "data". False: the type has no name.
 */
bool user_events_describe(const struct names *names, trace_event_id_t id, char *ret_text,
	struct user_events_layout *ret_layout);

#endif
