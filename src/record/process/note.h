/* SPDX-License-Identifier: MIT */
/*
 * What a traced process tells of itself: its program, and which files lie where in its memory. Whoever reads a ring comes
 * later, when the process may have ended or called exec. So it puts notes into the ring when it begins to be traced (as a
 * program that was exec'd or a child, or when a stream comes), and when it ends by exit(), if more files have come since.
 *
 * A note holds for the process's events from its stamp on. Notes lie beside the blocks, so that no event has less room; the
 * newest take the places of the oldest. For what a reader has missed it asks /proc.
 *
 * Lock-free: a writer takes a number, which gives its place. A place is valid if its check is right; two concurrent
 * writers, or a killed one, leave it invalid.
 */
#ifndef PROCESS_NOTE_H
#define PROCESS_NOTE_H

#include "record/buffer/ring.h"

enum note_kind {
	NOTE_PROGRAM = 1, /* what earlier notes told of the process is over */
	NOTE_MODULE = 2,
};
#define NOTE_PATH_BYTES 160 /* a module with a longer path has no note */
struct note {
	uint64_t ticks;
	uint32_t kind; /* enum note_kind */
	uint32_t mark; /* NOTE_MODULE: mapped.h */
	uint64_t ring; /* NOTE_PROGRAM: where the process has the ring in its memory */
	union {
		struct log_task task;
		struct log_module module;
	};
	char path[NOTE_PATH_BYTES]; /* NOTE_MODULE; ended by NUL */
};
_Static_assert(sizeof(struct note) == RING_NOTE_WORDS * sizeof(uint64_t), "a note fills its place");

/* Puts a note into a ring that has notes; stamps it. */
void note_put(const struct ring *ring, struct note *note);

/*
 * The process as it is now, to a ring that it is traced into; is_child: it was just forked, and has what its parent told.
 * At its end what has come into its memory since, to all its rings. Both under the process's lock.
 */
void note_process(const struct ring *ring, bool is_child);
void note_end(void);
/* When the recorder is loaded. */
void note_begin(void);

/* The notes of a ring as a reader sees them, which each takes once. */
struct notes {
	const struct ring *ring; /* NULL, or without notes: there are none */
	uint64_t n_whole;	 /* when they were looked at */
	uint64_t idle_pid;	 /* no note of this process waits; NOTES_NOBODY */
	uint32_t n, found;
	struct notes_waiting {
		uint64_t number, ticks;
		uint32_t pid;
	} waiting[RING_NOTES];
	uint64_t known[RING_NOTES]; /* by place: 1 more than the number of what waits, or was taken */
};

void notes_begin(struct notes *notes, const struct ring *ring);
/* The first note of a process that is no later than these ticks; the same until it is taken. False: there is none. */
bool notes_peek(struct notes *notes, uint32_t pid, uint64_t ticks, struct note *ret_note);
void notes_take(struct notes *notes);

#endif
