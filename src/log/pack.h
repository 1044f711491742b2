/* SPDX-License-Identifier: MIT */
/*
 * Packed events: only the parts of an event that differ from the events before it in the same block are
 * stored (docs/LOG.md, "Packed events"). A site (type, address, length, flags) or a thread (with its
 * processor) that repeats takes one byte or no byte. Each block begins with empty tables, so that it can be
 * read alone.
 */
#ifndef LOG_PACK_H
#define LOG_PACK_H

#include "log/format.h"
#include <stdbool.h>
#include <stddef.h>

enum {
	LOG_SITES = 64,
	LOG_THREADS = 128,
	LOG_PACKED_MIN = 2,	  /* bytes of an event: its lead and its ticks */
	LOG_PACKED_HEAD_MAX = 56, /* the longest head in front of the data of one event, as it is written */
};

/* Members are in the same order as in struct log_event, so that neighbours can be compared at once. */
struct log_site {
	uint64_t address;
	uint16_t type, flags, length;
};

struct log_thread {
	uint32_t pid, tid;
	uint64_t thread;
	uint16_t cpu;
};

/* The state of a block up to one event, which is the same in the writer and in the reader. */
struct log_tables {
	uint64_t ticks;		     /* of the event before; at first, the ticks in the block's head */
	uint64_t has_site;	     /* bit n: sites[n] is in use */
	uint64_t has_thread[2];	     /* the same for threads */
	struct log_thread of_before; /* of the event before */
	uint16_t core;		     /* the first processor of an event, or LOG_NO_CPU */
	bool has_several_cores;
	struct log_site sites[LOG_SITES];
	struct log_thread threads[LOG_THREADS];
};

/* Makes the tables of a block whose first event has these ticks. */
void log_tables_begin(struct log_tables *tables, uint64_t first_ticks);

/* The most bytes that log_pack() writes. */
static inline size_t log_packed_max(uint32_t length)
{
	return LOG_PACKED_HEAD_MAX + (size_t)length;
}

/* Writes an event and its data. Returns the number of bytes. */
size_t log_pack(
	struct log_tables *tables, unsigned char *to, const struct log_event *event, const void *data);

/*
 * The hash of address and type together. Modulo LOG_SITES it is the slot where the writer first looks for a
 * site.
 */
static inline uint32_t log_pack_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 48);
}

/*
 * Whether an event may be taken now. The answer may depend only on its process, thread, address and type:
 * further events of the same site and thread are taken without another call.
 */
typedef bool log_run_test(void *owner, const struct log_event *event);

/*
 * Events one behind the other, as in a block that is not packed (pack_run.c). Other processes may write to
 * this memory meanwhile: each word of an event is loaded once and then checked. Events that are taken are
 * removed from the run.
 */
struct log_run {
	const unsigned char *events; /* aligned to 8 */
	uint32_t n_bytes;
	uint32_t n_events;	/* at most */
	uint16_t cpu;		/* of all events; if LOG_NO_CPU, each has its own, */
	uint16_t n_cpus;	/* if it is less than n_cpus */
	uint64_t from;		/* an event with earlier ticks came too late, and gets these ticks */
	uint64_t until;		/* later events are not taken */
	log_run_test *may_take; /* NULL if all events may be taken */
	void *owner;
};

/*
 * The first event as it is to be written; its data are behind it in the run. Returns false if no event may be
 * taken.
 */
bool log_run_next(const struct log_run *run, struct log_event *ret_event);
/* Removes the first event from the run. */
void log_run_pass(struct log_run *run, const struct log_event *event);
/*
 * Takes and packs events as long as the run has events and there is room for log_packed_max() of the next
 * one. Returns the number of bytes written.
 */
size_t log_pack_run(struct log_tables *tables, struct log_run *run, unsigned char *to, size_t room);

/*
 * Reads an event from n bytes. Returns its length with its data, which are the last bytes. Returns 0 if the
 * bytes are not an event; the tables are then unchanged.
 */
size_t log_unpack(
	struct log_tables *tables, const unsigned char *bytes, size_t n, struct log_event *ret_event);

#endif
