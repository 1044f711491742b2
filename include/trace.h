/* SPDX-License-Identifier: MIT */
/*
 * <trace.h>: tracing as POSIX.1-2017 (XSH 2.11) defines it, with its four options Trace, Trace Event Filter,
 * Trace Inherit and Trace Log. The option left the standard with POSIX.1-2024; docs/POSIX.md lists every
 * choice made where the text is silent, and every name that ends in _np (ours, not portable).
 *
 * All functions return 0 or an error number and leave errno alone, except where said; "Errors:" lists the
 * numbers of the functions that follow, down to the next such list. All may be called by any thread. Only
 * posix_trace_event(), posix_trace_event_from_np(), the trace points of <trace_point_np.h> and
 * posix_trace_snapshot_np() may be called by a signal handler. A trace_id_t belongs to the process that got
 * it; in its children it is EINVAL. Each function has a manual page.
 */
#ifndef POSIX_TRACE_H_NP
#define POSIX_TRACE_H_NP

#include <pthread.h>
#include <stddef.h>
#include <sys/types.h>
#include <time.h>
#include <trace_limits_np.h>
#include <trace_types_np.h>
#include <trace_version_np.h>

#ifdef __cplusplus
extern "C" {
#define POSIX_TRACE_RESTRICT_NP
#else
#define POSIX_TRACE_RESTRICT_NP restrict
#endif

/* Spares a trace point the jump through the linker's table. */
#ifdef __has_attribute
#if __has_attribute(__noplt__)
#define POSIX_TRACE_NOPLT_NP __attribute__((__noplt__))
#endif
#endif
#ifndef POSIX_TRACE_NOPLT_NP
#define POSIX_TRACE_NOPLT_NP
#endif

/* Status of a stream. */
#define POSIX_TRACE_SUSPENDED	       0
#define POSIX_TRACE_RUNNING	       1
#define POSIX_TRACE_NOT_FULL	       0
#define POSIX_TRACE_FULL	       1
#define POSIX_TRACE_NO_OVERRUN	       0
#define POSIX_TRACE_OVERRUN	       1
#define POSIX_TRACE_NOT_FLUSHING       0
#define POSIX_TRACE_FLUSHING	       1
/* Truncation of an event's data. */
#define POSIX_TRACE_NOT_TRUNCATED      0
#define POSIX_TRACE_TRUNCATED_RECORD   1
#define POSIX_TRACE_TRUNCATED_READ     2
/* Policies: LOOP and UNTIL_FULL serve streams and logs, FLUSH streams, APPEND logs. */
#define POSIX_TRACE_LOOP	       1
#define POSIX_TRACE_UNTIL_FULL	       2
#define POSIX_TRACE_FLUSH	       3
#define POSIX_TRACE_APPEND	       4
/* Inheritance by children. */
#define POSIX_TRACE_CLOSE_FOR_CHILD    0
#define POSIX_TRACE_INHERITED	       1
/* posix_trace_eventset_fill(), posix_trace_set_filter(). */
#define POSIX_TRACE_WOPID_EVENTS       1
#define POSIX_TRACE_SYSTEM_EVENTS      2
#define POSIX_TRACE_ALL_EVENTS	       3
#define POSIX_TRACE_SET_EVENTSET       1
#define POSIX_TRACE_ADD_EVENTSET       2
#define POSIX_TRACE_SUB_EVENTSET       3
/* Event types that every stream knows. The standard spells the last one in two ways. */
#define POSIX_TRACE_ERROR	       1u
#define POSIX_TRACE_START	       2u
#define POSIX_TRACE_STOP	       3u
#define POSIX_TRACE_FILTER	       4u
#define POSIX_TRACE_OVERFLOW	       5u
#define POSIX_TRACE_RESUME	       6u
#define POSIX_TRACE_FLUSH_START	       7u
#define POSIX_TRACE_FLUSH_STOP	       8u
/* Those of streams with switches; posix_trace_attr_setswitches_np(). */
#define POSIX_TRACE_SCHED_IN_NP	       9u
#define POSIX_TRACE_SCHED_WAIT_NP      10u
#define POSIX_TRACE_SCHED_PREEMPT_NP   11u
#define POSIX_TRACE_SCHED_EXIT_NP      12u
#define POSIX_TRACE_PAGE_FAULT_NP      13u
#define POSIX_TRACE_UNNAMED_USEREVENT  64u
#define POSIX_TRACE_UNNAMED_USER_EVENT POSIX_TRACE_UNNAMED_USEREVENT

struct posix_trace_event_info {
	trace_event_id_t posix_event_id;
	pid_t posix_pid;	  /* 0 if the event belongs to no process */
	void *posix_prog_address; /* of the call that made the event, in the process that made it */
	/* The bits of the traced process's own pthread_t; 0 if the event belongs to no thread. */
	pthread_t posix_thread_id;
	struct timespec posix_timestamp; /* CLOCK_MONOTONIC, whatever the events were stamped with */
	int posix_truncation_status;
	pid_t posix_tid_np; /* the kernel's thread number; 0 if the event belongs to no thread */
	int posix_cpu_np;   /* -1 if it is not known */
	unsigned long long
		posix_sequence_np; /* place in the stream; lost events are counted, so that gaps show */
};

struct posix_trace_status_info {
	int posix_stream_status;
	int posix_stream_full_status;
	int posix_stream_overrun_status;
	int posix_stream_flush_status;
	int posix_stream_flush_error;
	int posix_log_overrun_status;
	int posix_log_full_status;
	unsigned long long posix_lost_np;     /* events lost by stream and log since it was made or cleared */
	unsigned long long posix_lost_now_np; /* of these, since the last posix_trace_get_status() */
	unsigned long long
		posix_unknown_np;   /* posix_trace_event() calls with an identifier that was not opened */
	size_t posix_used_np;	    /* bytes of the stream in use, in whole blocks */
	size_t posix_high_water_np; /* the most that was ever in use */
};

/* The kinds of a field of an event's data; see posix_trace_eventid_describe_np(). */
#define POSIX_TRACE_SIGNED_NP	1 /* of 1, 2, 4, 8 bytes, as the machine keeps it */
#define POSIX_TRACE_UNSIGNED_NP 2 /* of 1, 2, 4, 8 bytes */
#define POSIX_TRACE_REAL_NP	3 /* float or double */
#define POSIX_TRACE_ADDRESS_NP	4 /* a pointer */
/* size bytes of text, ended by NUL if shorter; size 0: the rest of the data */
#define POSIX_TRACE_TEXT_NP	5
#define POSIX_TRACE_BYTES_NP	6 /* size bytes; size 0: the rest of the data */
struct posix_trace_field_np {
	const char *posix_field_name; /* up to 31 characters */
	int posix_field_kind;
	size_t posix_field_size;
};

/* One event as posix_trace_getevents_np() returns it. posix_length bytes of data follow it; the next event
 * begins at the next multiple of 8. */
struct posix_trace_record_np {
	struct posix_trace_event_info posix_info;
	size_t posix_length;
};

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/*
 * Attributes (XSH posix_trace_attr_*). An object holds values until posix_trace_create*() copies them. The
 * object accepts every size; posix_trace_create*() refuses the impossible ones. After an error, the object
 * and the result are unchanged.
 *
 * Errors: EINVAL (an object that was not initialised, or is destroyed; a policy that does not exist; a null
 * pointer).
 */
int posix_trace_attr_init(trace_attr_t *);
int posix_trace_attr_destroy(trace_attr_t *);
int posix_trace_attr_getclockres(const trace_attr_t *, struct timespec *);
int posix_trace_attr_getcreatetime(const trace_attr_t *, struct timespec *);
/* A buffer of TRACE_NAME_MAX bytes is enough: the version and the name have at most TRACE_NAME_MAX - 1
 * characters. */
int posix_trace_attr_getgenversion(const trace_attr_t *, char *);
int posix_trace_attr_getname(const trace_attr_t *, char *);
/* A longer name is cut. */
int posix_trace_attr_setname(trace_attr_t *, const char *);
int posix_trace_attr_getinherited(const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setinherited(trace_attr_t *, int);
int posix_trace_attr_getlogfullpolicy(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setlogfullpolicy(trace_attr_t *, int);
int posix_trace_attr_getstreamfullpolicy(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setstreamfullpolicy(trace_attr_t *, int);
int posix_trace_attr_getlogsize(const trace_attr_t *POSIX_TRACE_RESTRICT_NP, size_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setlogsize(trace_attr_t *, size_t);
int posix_trace_attr_getmaxdatasize(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, size_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setmaxdatasize(trace_attr_t *, size_t);
int posix_trace_attr_getmaxsystemeventsize(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, size_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_getmaxusereventsize(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, size_t, size_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_getstreamsize(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, size_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setstreamsize(trace_attr_t *, size_t);

/*
 * Streams. Process 0 is the caller. These functions never return EINTR.
 *
 * Errors: EAGAIN (TRACE_SYS_MAX), EINVAL (attributes, pid < 0), EMFILE, ENFILE (descriptors), ENOMEM, EPERM,
 * ESRCH. For another process also ENOENT, ENOSPC, EROFS (/dev/shm). For a stream with switches also EACCES,
 * ENODEV, ENOSYS (perf_event_open(2)).
 */
int posix_trace_create(
	pid_t, const trace_attr_t *POSIX_TRACE_RESTRICT_NP, trace_id_t *POSIX_TRACE_RESTRICT_NP);
/*
 * The function duplicates the descriptor; the caller keeps its own.
 *
 * Errors: those of posix_trace_create() (EACCES, EAGAIN, EINVAL, EMFILE, ENFILE, ENODEV, ENOENT, ENOMEM,
 * ENOSPC, ENOSYS, EPERM, EROFS, ESRCH). Also EBADF (not open for writing), EINVAL (file type), ENOENT (the
 * program that writes logs is not installed), ENOTSUP (posix_trace_attr_setcompress_np()). Writing the log
 * may fail with EFBIG, EIO, ENOSPC, EPIPE.
 */
int posix_trace_create_withlog(
	pid_t, const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int, trace_id_t *POSIX_TRACE_RESTRICT_NP);
/*
 * Begins to copy the stream to its log, and may return before the copy is complete; see
 * posix_stream_flush_status.
 *
 * Errors: EINVAL (trid, no log), EIO (the process that writes the log was killed: the log has no end).
 */
int posix_trace_flush(trace_id_t);
/*
 * Returns when everything is written and freed. The stream is gone even if writing the log failed. After
 * EFBIG or ENOSPC the log still has an end, if anything in it could be removed to make room: the end counts
 * the events that are missing. Threads that wait for events of the stream get EINVAL.
 *
 * Errors: EINVAL (trid), EFBIG, EIO (also: as posix_trace_flush()), ENOSPC, EPIPE (writing the log).
 */
int posix_trace_shutdown(trace_id_t);
/*
 * Resets the stream and its log to the state of new ones. The stream stays running or suspended, and keeps
 * its filter and its names.
 *
 * Errors: EINVAL (trid), EFBIG, EIO (also: as posix_trace_flush()), ENOSPC, EPIPE (writing the log).
 */
int posix_trace_clear(trace_id_t);
/* Errors: EINVAL (trid). */
int posix_trace_start(trace_id_t);
int posix_trace_stop(trace_id_t);
int posix_trace_get_attr(trace_id_t, trace_attr_t *);
/* Reads the status and resets the overrun marks in one step, so that no loss disappears in between. */
int posix_trace_get_status(trace_id_t, struct posix_trace_status_info *);
/* The filter holds the types that the stream does not record. It takes effect at once. Errors: EINVAL (trid,
 * set, how). */
int posix_trace_get_filter(trace_id_t, trace_event_set_t *);
int posix_trace_set_filter(trace_id_t, const trace_event_set_t *, int);

/*
 * Logs. The descriptor must be open for reading, on a complete log. It stays the caller's, and its offset is
 * not used.
 *
 * Errors: EAGAIN (1024 logs are open), EBADF (not open for reading), EINVAL (no regular file, no complete
 * log). Also EIO (reading), EMFILE, ENOMEM, ENOTSUP (the log is compressed, and libzstd.so.1 is not
 * installed).
 */
int posix_trace_open(int, trace_id_t *);
/* Errors: EINVAL (trid is not a log). */
int posix_trace_close(trace_id_t);
int posix_trace_rewind(trace_id_t);

/*
 * Records an event in every running stream of the calling process that does not filter it. It is
 * async-signal-safe, never waits for another thread, and keeps errno. It makes system calls only at the first
 * event of a thread and at the first event after a stream was created or ended. data may be NULL if length is
 * 0. Data that are longer than the stream's max-data-size are cut to that size.
 */
void posix_trace_event(trace_event_id_t, const void *POSIX_TRACE_RESTRICT_NP, size_t) POSIX_TRACE_NOPLT_NP;
/*
 * Both return POSIX_TRACE_UNNAMED_USEREVENT in the identifier if TRACE_USER_EVENT_MAX types are open already.
 *
 * Errors: EINVAL (null pointer, trid), ENAMETOOLONG, ENOMEM (for the first type of a process).
 */
int posix_trace_eventid_open(const char *POSIX_TRACE_RESTRICT_NP, trace_event_id_t *POSIX_TRACE_RESTRICT_NP);
int posix_trace_trid_eventid_open(
	trace_id_t, const char *POSIX_TRACE_RESTRICT_NP, trace_event_id_t *POSIX_TRACE_RESTRICT_NP);
/* The buffer has TRACE_EVENT_NAME_MAX + 1 bytes. Errors: EINVAL (trid, type, set). */
int posix_trace_eventid_get_name(trace_id_t, trace_event_id_t, char *);
/* Returns 1 if they are equal, else 0. Also returns 0 if trid is not a stream or log. Errors: none. */
int posix_trace_eventid_equal(trace_id_t, trace_event_id_t, trace_event_id_t);
/* Errors: EINVAL (trid, null pointer, an identifier that cannot be a type, a choice that does not exist). */
int posix_trace_eventtypelist_getnext_id(
	trace_id_t, trace_event_id_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_eventtypelist_rewind(trace_id_t);
int posix_trace_eventset_empty(trace_event_set_t *);
int posix_trace_eventset_fill(trace_event_set_t *, int);
int posix_trace_eventset_add(trace_event_id_t, trace_event_set_t *);
int posix_trace_eventset_del(trace_event_id_t, trace_event_set_t *);
int posix_trace_eventset_ismember(
	trace_event_id_t, const trace_event_set_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);

/*
 * Reading, oldest event first; each event goes to exactly one reader. A stream with a log is read from its
 * log: here it gives EINVAL. A caught signal gives EINTR, even with SA_RESTART; no event is consumed then.
 *
 * Errors: EINTR, EINVAL (trid; shut down meanwhile).
 */
int posix_trace_getnext_event(trace_id_t, struct posix_trace_event_info *POSIX_TRACE_RESTRICT_NP,
	void *POSIX_TRACE_RESTRICT_NP, size_t, size_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
/* Errors: EINTR, EINVAL (trid; shut down meanwhile; nanoseconds), ETIMEDOUT. */
int posix_trace_timedgetnext_event(trace_id_t, struct posix_trace_event_info *POSIX_TRACE_RESTRICT_NP,
	void *POSIX_TRACE_RESTRICT_NP, size_t, size_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP,
	const struct timespec *POSIX_TRACE_RESTRICT_NP);
/* Errors: EINVAL (trid; a log). */
int posix_trace_trygetnext_event(trace_id_t, struct posix_trace_event_info *POSIX_TRACE_RESTRICT_NP,
	void *POSIX_TRACE_RESTRICT_NP, size_t, size_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);

/* Extensions. */

/* Returns what sysconf() would return for _SC_TRACE* if the C library had tracing; -1 for other names.
 * Errors: none. */
long posix_trace_sysconf_np(int);
/*
 * Describes the data of an event: its fields in order, without gaps. The name map and every log keep the
 * description. A type is described once; repeating the same description is no error.
 *
 * Errors: EEXIST (it is described otherwise), EINVAL (type, fields), ENOMEM (no room for the description).
 */
int posix_trace_eventid_describe_np(trace_event_id_t, const struct posix_trace_field_np *, size_t);
/*
 * posix_trace_event() for a function that is called in place of another one, such as a wrapper. The last
 * argument is the address to record: the address after the call.
 */
void posix_trace_event_from_np(trace_event_id_t, const void *, size_t, const void *) POSIX_TRACE_NOPLT_NP;
/*
 * Gets a descriptor for poll(2) and similar calls. It is valid until shutdown, and the caller must not close
 * it. It becomes readable within 10 ms of an event, and sometimes without an event: trace points wake no
 * reader. Read events until no event is available; then the descriptor is not readable until the next time.
 *
 * Errors: EINVAL (trid; a log, a stream with log), EMFILE, ENFILE, ENOMEM (timerfd_create(2)).
 */
int posix_trace_getfd_np(trace_id_t, int *);
/*
 * Whether the log and snapshots have the kernel's switches as events while the stream runs. These are the
 * switches of the traced process's threads; if the stream is inherited, also those of its descendants'
 * threads. They are system events without data: "sched_in", "sched_wait", "sched_preempt" and "sched_exit",
 * each with its thread and its processor. Their types are POSIX_TRACE_SCHED_IN_NP and the ones after it;
 * POSIX_TRACE_SYSTEM_EVENTS includes them. They are not in the stream: functions that read events do not
 * return them, and the stream's size does not count them. The default is 0. If the kernel refuses the
 * switches, no stream is made; see posix_trace_create().
 *
 * With POSIX_TRACE_PAGE_FAULTS_NP, page faults that these threads have in user mode are recorded too. They
 * are system events "page_fault" (POSIX_TRACE_PAGE_FAULT_NP) at the instruction; their data are the address
 * that was missing. Switches are always included: other values than 0 are POSIX_TRACE_SWITCHES_NP, with or
 * without POSIX_TRACE_PAGE_FAULTS_NP.
 *
 * Errors: EINVAL (an object that was not initialised, a null pointer).
 */
#define POSIX_TRACE_SWITCHES_NP	   1
#define POSIX_TRACE_PAGE_FAULTS_NP 2
int posix_trace_attr_getswitches_np(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setswitches_np(trace_attr_t *, int);
/*
 * Whether the log of a stream is compressed: its events are zstd frames, so that the log needs fewer bytes,
 * and the consumer and readers need more time. The default is 0; other values become 1. The stream must have
 * a log of policy POSIX_TRACE_UNTIL_FULL or POSIX_TRACE_APPEND, else no stream is made (EINVAL). If
 * libzstd.so.1 is not installed, no stream is made either (ENOTSUP). The attributes of a recorded stream show
 * whether its log is compressed. Snapshots are not compressed.
 *
 * Errors: EINVAL (an object that was not initialised, a null pointer).
 */
int posix_trace_attr_getcompress_np(
	const trace_attr_t *POSIX_TRACE_RESTRICT_NP, int *POSIX_TRACE_RESTRICT_NP);
int posix_trace_attr_setcompress_np(trace_attr_t *, int);
/*
 * Reads many events at once: as many struct posix_trace_record_np as fit into size bytes. *n_bytes is their
 * length, 0 if there is no event. Never waits.
 *
 * Errors: EINVAL (trid, a stream with log; the buffer cannot hold the next event).
 */
int posix_trace_getevents_np(trace_id_t, void *, size_t, size_t *);
/*
 * Writes the events that a stream holds now to fd as a complete log, and consumes no event: the flight
 * recorder. fd is a regular file, a pipe or a socket; writing begins at its offset. The handler of a fatal
 * signal may call it.
 *
 * Errors: EBADF, EFBIG, EINVAL (trid, a log), EIO, ENOSPC, EPIPE. Also EBUSY: another snapshot of the stream
 * is being written, perhaps by the code that the signal interrupted.
 */
int posix_trace_snapshot_np(trace_id_t, int);
/*
 * Writes a line NAME=VALUE for the environment of a program. With this line, the program and its descendants
 * are traced into the stream if they are linked to this library, even if no ancestor with the library is
 * left.
 *
 * Errors: EINVAL (trid; the stream is not inherited), ENOMEM (size bytes are too few; POSIX_TRACE_ENV_MAX_NP
 * are enough).
 */
int posix_trace_getenv_np(trace_id_t, char *, size_t);
#define POSIX_TRACE_ENV_MAX_NP 320
/*
 * Like posix_trace_open(), but also accepts a log without an end: after a crash, or of a stream that is still
 * recorded.
 *
 * Errors: as posix_trace_open(), that is EAGAIN, EBADF, EIO, EMFILE, ENOMEM, ENOTSUP. EINVAL: no regular
 * file, no log.
 */
int posix_trace_open_incomplete_np(int, trace_id_t *);

/* The base of <trace_point_np.h>; programs use its macros instead. */
struct posix_trace_point_np {
	trace_event_id_t posix_point_id; /* POSIX_TRACE_UNNAMED_USEREVENT until it is opened */
	unsigned int posix_point_n_fields;
	const char *posix_point_name;
	const struct posix_trace_field_np *posix_point_fields;
};
/*
 * The enabled flag of a program or library, alone in its page so that shared memory can be mapped in its
 * place.
 */
struct posix_trace_enabled_np {
	unsigned int posix_is_enabled __attribute__((__aligned__(4096))); /* 0 if no stream is attached */
};
/* Records an event of a point whose enabled flag is set. Otherwise as posix_trace_event(). */
void posix_trace_point_event_np(
	const struct posix_trace_point_np *, const void *, size_t) POSIX_TRACE_NOPLT_NP;
/* posix_trace_points_open_np() opens the points between two addresses of a program or library. From then on
 * it updates the enabled flag, unless the flag is NULL; posix_trace_points_close_np() ends that. */
void posix_trace_points_open_np(struct posix_trace_point_np *const *, struct posix_trace_point_np *const *,
	struct posix_trace_enabled_np *);
void posix_trace_points_close_np(struct posix_trace_enabled_np *);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#undef POSIX_TRACE_RESTRICT_NP
#undef POSIX_TRACE_NOPLT_NP
#ifdef __cplusplus
}
#endif

#endif
