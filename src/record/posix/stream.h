/* SPDX-License-Identifier: MIT */
/*
 * The stream behind a trace_id_t. The table is in memory that the kernel clears in children: there every trid
 * is unknown (XSH 2.11.3: control is not inherited). stream_get() finds a stream and counts its users. The
 * stream is freed after the last stream_put().
 */
#ifndef POSIX_STREAM_H
#define POSIX_STREAM_H

#include "record/buffer/read.h"
#include "record/consumer/stream_ctl.h"
#include "record/kernel/clock.h"
#include "record/process/process.h"
#include "record/process/target.h"
#include <pthread.h>

enum stream_kind {
	STREAM_ACTIVE = 1,   /* without log */
	STREAM_LOGGED = 2,   /* active, with log */
	STREAM_RECORDED = 4, /* a log, opened */
};
#define STREAM_LIVE (STREAM_ACTIVE | STREAM_LOGGED)
#define STREAM_ANY  (STREAM_LIVE | STREAM_RECORDED)

struct stream {
	enum stream_kind kind;
	trace_id_t trid;      /* 0 until it is entered */
	unsigned int n_users; /* guarded by the table's lock */
	bool is_closing; /* set under both locks: no new user; threads that wait for events return EINVAL */
	struct stream *next, *next_retired; /* guarded by the table's lock */
	pthread_mutex_t lock;		    /* of all below; never held while waiting for events */
	trace_event_id_t type_cursor;	    /* posix_trace_eventtypelist_getnext_id() */

	/* Active streams. Down to snapshot_busy nothing changes after the stream was entered. */
	struct pool pool;
	struct stream_ctl *ctl;
	trace_attr_t attr; /* as posix_trace_get_attr() shows them: the values in use */
	void *snapshot_memory;
	_Atomic uint32_t snapshot_busy;
	struct switches *switches; /* for snapshots of a stream without log; NULL */
	int slot;		   /* in the process's control page; -1 */
	struct target target;	   /* of another process; else its control is NULL */
	bool is_named;		   /* the pool is a file in a rendezvous directory */
	struct pool_reader *reader;
	struct log_clock_pair clock_segment[2]; /* ticks in between become time by a line through both */
	struct clock_scale scale;		/* of the segment; per_tick is 0 until it is known */
	uint64_t lost_before;			/* of pool_lost(): before the stream was cleared */
	uint64_t lost_reported;			/* of the same, at the last posix_trace_get_status() */
	uint64_t refused_reported;		/* likewise: events that the log did not take */
	int64_t last_time;			/* nanoseconds of the last event read: time never goes back */
	int poll_fd;				/* posix_trace_getfd_np(); -1 */

	/* Recorded ones. */
	struct recorded *recorded;
};

/* Finds a stream of one of the kinds, locked. Returns NULL for EINVAL. stream_put() ends every success. */
struct stream *stream_get(trace_id_t trid, unsigned int kinds);
void stream_put(struct stream *stream);
/*
 * Around a wait, between stream_get() and stream_put(): the stream stays counted. Test is_closing afterwards.
 */
void stream_unlock(struct stream *stream);
void stream_lock(struct stream *stream);

/* The same for signal handlers: not locked, only members that never change may be used. Async-signal-safe. */
struct stream *stream_pin(trace_id_t trid, unsigned int kinds);
void stream_unpin(struct stream *stream);

/*
 * stream_new(): a new stream, zeroed but for kind, lock and descriptors; NULL: no memory. stream_enter():
 * enters a complete stream under a new trid; EAGAIN, ENOMEM.
 */
struct stream *stream_new(enum stream_kind kind);
int stream_enter(struct stream *stream, trace_id_t *ret_trid);
/*
 * Removes the trid from the table: no call finds the stream any more, and waiting readers end. Called once
 * with stream_get() held; false when another thread was first. Memory is freed by the last stream_put().
 */
bool stream_remove(trace_id_t trid, struct stream *stream);
/* Frees one that was never entered, with all it holds; NULL is fine. */
void stream_free(struct stream *stream);

/*
 * Around calls that libc may cancel or that set errno, where neither is allowed. The end returns the given
 * error.
 */
struct stream_calm {
	int saved_errno, cancel_state;
};
struct stream_calm stream_calm_begin(void);
int stream_calm_end(const struct stream_calm *calm, int error);

/* Frees what a stream holds, even if incomplete (posix/create.c, posix/recorded.c). */
void stream_free_active(struct stream *stream);
/* Ends a stream that other processes write to, and removes its file (posix/create.c). */
void stream_leave(struct stream *stream);
/* The same for all streams without log, at the end of the program. */
void streams_leave(void);
void stream_free_recorded(struct stream *stream);
/*
 * Whether poll_fd is still the descriptor of posix_trace_getfd_np(): a program may close descriptors that are
 * not its own, and use their numbers again (posix/batch.c).
 */
bool stream_has_poll(const struct stream *stream);

/*
 * Records a system event of the calling thread, if the filter lets it pass; address is that of the call of
 * the control function. False: there was no room (posix/control.c).
 */
bool stream_record(
	struct stream *stream, trace_event_id_t type, const void *address, const void *data, size_t length);
/* Stops the stream as posix_trace_stop(). */
void stream_stop(struct stream *stream, const void *address);
/* The filter in force (posix/filter.c). */
void stream_filter(const struct stream *stream, trace_event_set_t *ret_set);

/*
 * The oldest event that waits, and its data, valid until the next call; the same until it is taken. For
 * streams that can be read: active ones without log, and recorded ones (posix/getnext.c).
 */
bool stream_peek(struct stream *stream, struct posix_trace_event_info *ret_info, const void **ret_data,
	size_t *ret_length);
void stream_take(struct stream *stream);

/* The map of names of a stream that is not recorded. Returns NULL if memory ran out (posix/eventid.c). */
struct names *stream_names(const struct stream *stream);
/* Names of the types of a stream: of its process's map, or of its log. */
bool stream_type_name(const struct stream *stream, trace_event_id_t id, char *ret_name);
trace_event_id_t stream_type_next(const struct stream *stream, trace_event_id_t after);

/* Names of a recorded stream (posix/recorded.c). */
bool recorded_type_name(const struct recorded *recorded, trace_event_id_t id, char *ret_name);
trace_event_id_t recorded_type_next(const struct recorded *recorded, trace_event_id_t after);
void recorded_attr(const struct recorded *recorded, trace_attr_t *ret_attr);
void recorded_status(const struct recorded *recorded, struct posix_trace_status_info *ret_status);
/* The event at the log's cursor; false at the end. */
bool recorded_peek(struct recorded *recorded, const struct log_event **ret_event, const void **ret_data);
void recorded_take(struct recorded *recorded);
uint64_t recorded_sequence(const struct recorded *recorded);
int64_t recorded_time(const struct recorded *recorded, uint64_t ticks);

/* Attributes (posix/attr.c): whether the object is initialised; a copy with every default filled in. */
bool attr_is_valid(const trace_attr_t *attr);
int attr_resolve(const trace_attr_t *attr, bool has_log, trace_attr_t *ret_attr);
/* The attributes of a log, or of a stream. */
void attr_take(const struct log_attributes *from, trace_attr_t *ret_attr);

/* An event as <trace.h> shows it; time is computed from the stream's clock pairs. */
void event_info(const struct log_event *event, int64_t time, uint64_t sequence,
	struct posix_trace_event_info *ret_info);

#endif
