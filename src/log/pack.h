/* SPDX-License-Identifier: MIT */
/*
 * Packed events: of one event, what differs from the events before it in the same block (docs/LOG.md, "Packed events").
 * A site (type, address, length, flags) and a thread (with its processor) that come again are one byte or none. Each
 * block begins with empty tables, so that it can be read alone.
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
	LOG_PACKED_HEAD_MAX = 56, /* of what stands in front of the data of one event, as it is written */
};

/* Members that are beside one another in struct log_event are so here: they are compared at once. */
struct log_site {
	uint64_t address;
	uint16_t type, flags, length;
};

struct log_thread {
	uint32_t pid, tid;
	uint64_t thread;
	uint16_t cpu;
};

/* What writer and reader know of a block up to one event; the same on both sides. */
struct log_tables {
	uint64_t ticks;		/* of the event before; of a block's first event, that in the block's head */
	uint64_t has_site;	/* bit n: sites[n] was given */
	uint64_t has_thread[2]; /* as well for threads */
	struct log_thread of_before; /* of the event before */
	uint16_t core;		     /* the first that an event was on, or LOG_NO_CPU */
	bool has_several_cores;
	struct log_site sites[LOG_SITES];
	struct log_thread threads[LOG_THREADS];
};

/* Of a block whose first event has these ticks. */
void log_tables_begin(struct log_tables *tables, uint64_t first_ticks);

/* What log_pack() writes at the most. */
static inline size_t log_packed_max(uint32_t length)
{
	return LOG_PACKED_HEAD_MAX + (size_t)length;
}

/* Writes an event and its data; returns how many bytes. */
size_t log_pack(
	struct log_tables *tables, unsigned char *to, const struct log_event *event, const void *data);

/* Of address and type together, modulo LOG_SITES: where the writer looks for a site first. */
static inline uint32_t log_pack_hash(uint64_t key)
{
	return (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 48);
}

/*
 * Whether an event may be taken now. The answer may depend on its process, thread, address and type only: other events of the same site
 * and thread pass without being asked for.
 */
typedef bool log_run_test(void *owner, const struct log_event *event);

/*
 * Events one behind the other, as in a block that is not packed (pack_run.c). Other processes may write to this memory meanwhile: each
 * word of an event is loaded once and then checked. What has been taken is gone from the run.
 */
struct log_run {
	const unsigned char *events; /* aligned to 8 */
	uint32_t n_bytes;
	uint32_t n_events;	/* at most */
	uint16_t cpu;		/* of all of them; LOG_NO_CPU: each one says it, */
	uint16_t n_cpus;	/* if it is less than that */
	uint64_t from;		/* an event with earlier ticks came too late, and gets these */
	uint64_t until;		/* later events are not taken */
	log_run_test *may_take; /* NULL if all may be */
	void *owner;
};

/* The first event as it is to be written; its data is behind it in the run. False: there is none that may be taken. */
bool log_run_next(const struct log_run *run, struct log_event *ret_event);
/* Takes it. */
void log_run_pass(struct log_run *run, const struct log_event *event);
/*
 * Takes and packs events as long as there are some and room is left for log_packed_max() of each.
 * Returns how many bytes that makes.
 */
size_t log_pack_run(struct log_tables *tables, struct log_run *run, unsigned char *to, size_t room);

/*
 * Reads an event from n bytes. Returns how many bytes it has with its data, which are the last of them; 0 if
 * these bytes are no event, and the tables are as they were.
 */
size_t log_unpack(
	struct log_tables *tables, const unsigned char *bytes, size_t n, struct log_event *ret_event);

#endif
