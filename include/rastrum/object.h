/* SPDX-License-Identifier: MIT */
/*
 * Objects and contexts. An object is an address or id with a kind and a name; since addresses are reused,
 * several objects may have had one address, each from a sequence number on. A context is what caused an
 * event.
 *
 * If a recording has several processes, an address has a meaning only within its process: a mutex of a parent
 * and the mutex at the same address in its child are two objects. So objects are found by process, id, kind
 * and sequence number. If processes share a mutex, the objects at its addresses have one more object in
 * common, which belongs to no process. Effects and intervals name that one.
 */
#ifndef RASTRUM_OBJECT_H
#define RASTRUM_OBJECT_H

#include <rastrum/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One detail of a header, or of an object's registration, for which the model has no member of its own. */
enum rst_detail_type {
	RST_DETAIL_NUMBER,
	RST_DETAIL_HEX,
	RST_DETAIL_TEXT,
	RST_DETAIL_BOOL,
	RST_DETAIL_NULL,
	RST_DETAIL_HEX_LIST,
	RST_DETAIL_GROUP /* several details under one name */
};

struct rst_detail {
	const char *name;
	enum rst_detail_type type;
	bool is_raw;	      /* for programs: texts for people leave it out */
	uint64_t number;      /* number, hex, bool; items of a list */
	const char *text;     /* RST_DETAIL_TEXT */
	const uint64_t *list; /* RST_DETAIL_HEX_LIST */
	size_t n_items;	      /* RST_DETAIL_GROUP */
	const struct rst_detail *items;
};

struct rst_object {
	uint64_t id;	/* address … */
	bool is_number; /* … or number, which people read in decimal */
	enum rst_object_kind kind;
	uint32_t index; /* dense within the trace, in order of definition: for tables of one's own */
	uint64_t
		/* number of the process that the address is in; 0 if it belongs to the whole target */
		process;
	const char *
		name; /* printable UTF-8, strange bytes as \xNN, 16 bytes readable; NULL if it is not known */
	size_t name_bytes;
	uint64_t from_seq; /* holds from this event of the sequence on … */
	const struct rst_object
		*later;	   /* … until this one, of the same id, takes over; NULL if it holds to the end */
	uint64_t capacity; /* how much it holds, such as messages of a queue; 0 if it is not known */
	size_t n_details;
	const struct rst_detail *details; /* what else the recording has about it */
	const struct rst_object
		*same; /* processes share it: the object that all their addresses stand for; else NULL */
};

enum rst_context_kind {
	RST_CONTEXT_UNKNOWN,
	RST_CONTEXT_THREAD,
	RST_CONTEXT_ISR,
	RST_CONTEXT_INIT,
	RST_CONTEXT_IDLE,
};

/* "unknown", "thread", "isr", "init", "idle". Static text, any thread. */
RST_PUBLIC const char *rst_context_kind_name(enum rst_context_kind kind);

struct rst_context {
	enum rst_context_kind kind;
	uint64_t id;	/* as recorded: a thread's address or number, or the dialect's special value */
	bool is_number; /* the dialect counts threads: the id reads in decimal */
	uint32_t index; /* dense within the trace, in order of first use */
	/* its events are about it, and do not show that it runs: it has no states of a thread */
	bool is_subject;
	bool has_name; /* false if name is the id */
	uint64_t
		/* number of its process, an object's id; 0 if that is not known, or there are no processes */
		process;
	uint32_t origin; /* of a merged trace: the number of the trace that it came from, from 1 on; else 0 */
	const struct rst_object
		*object;  /* the thread as an object of the recording; NULL if it is not known */
	const char *name; /* never NULL; "isr", "init", … for those kinds */
	size_t name_bytes;
	const struct rst_context *
		/*
		 * the first context of the same thread: this one, unless ids count their uses, or names
		 * change
		 */
		thread;
};

#ifdef __cplusplus
}
#endif
#endif
