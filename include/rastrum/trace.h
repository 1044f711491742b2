/* SPDX-License-Identifier: MIT */
/*
 * Reading a trace: open it, take batches until RST_END, free it. One thread per trace at a time; different
 * traces are independent. A function that takes an error accepts NULL.
 *
 *	struct rst_trace *trace;
 *	struct rst_error err;
 *	const struct rst_batch *batch;
 *
 *	if (rst_trace_open(&trace, "dump.trx", NULL, &err) < 0) …
 *	while (rst_trace_next(trace, &batch, &err) == RST_OK)
 *		for (size_t i = 0; i < batch->n_events; i++) …
 *	trace = rst_trace_free(trace);
 */
#ifndef RASTRUM_TRACE_H
#define RASTRUM_TRACE_H

#include <rastrum/error.h>
#include <rastrum/event.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rst_trace;

/* One `key=value` of a dialect's own settings (`rastrum info --dialects` lists them). */
struct rst_setting {
	const char *key;
	const char *value;
};

/* How to open; all zero (or a NULL pointer) is the usual way. Everything is copied or used up by the call. */
struct rst_open {
	const char *dialect; /* name, or NULL to find it by the content */
	size_t n_settings;
	const struct rst_setting *settings;
	uint64_t clock_hz;  /* ticks per second, if the recording does not have it; 0 if it is not known */
	bool in_file_order; /* events in the order of the file, not in the order of time */
	size_t n_joined;    /* further inputs that continue where path ends: one trace in several files */
	const char *const *joined;
	/* programs (ELF files) that ran, whose symbols name addresses that the recording does not name */
	size_t n_symbols;
	const char *const *symbols;
};

/*
 * Opens path, finds its dialect and reads what must be known before the first event. "-" is standard input.
 * If path is a directory, its files are the parts of one recording, in the order of their names.
 * Sets *ret_trace, which the caller frees with rst_trace_free(). If a damaged input can still be read in
 * part, opening succeeds, and rst_trace_gaps() lists the damage.
 *
 * Errors: RST_E_IO, RST_E_NOMEM, RST_E_UNKNOWN, RST_E_USAGE (an unknown dialect or setting, a file of symbols
 * that is not a program), RST_E_DAMAGED (a program that cannot be read). After an error *ret_trace is
 * unchanged.
 */
RST_PUBLIC enum rst_status rst_trace_open(
	struct rst_trace **ret_trace, const char *path, const struct rst_open *how, struct rst_error *err);

/* The same for bytes in memory, which are borrowed until rst_trace_free(); name is for messages. */
RST_PUBLIC enum rst_status rst_trace_open_bytes(struct rst_trace **ret_trace, const void *bytes,
	size_t n_bytes, const char *name, const struct rst_open *how, struct rst_error *err);

/* NULL is fine; returns NULL. Errors: none. */
RST_PUBLIC struct rst_trace *rst_trace_free(struct rst_trace *trace);

/*
 * Gets the next batch, of one event or more. *ret_batch is borrowed until the next rst_trace_next() or
 * rst_trace_free(). Returns RST_OK, or RST_END after the last event. After RST_END or a failure every further
 * call returns the same again.
 *
 * Errors: RST_E_DAMAGED (nothing more can be read), RST_E_IO, RST_E_NOMEM, RST_E_UNSUPPORTED (a log of
 * another machine or a newer version).
 */
RST_PUBLIC enum rst_status rst_trace_next(
	struct rst_trace *trace, const struct rst_batch **ret_batch, struct rst_error *err);

enum rst_clock_direction { RST_CLOCK_UP, RST_CLOCK_DOWN };

/* The readings of the clocks of the target's host at one instant. */
struct rst_clock_pair {
	uint64_t ticks;	      /* of the trace's clock */
	int64_t monotonic_ns; /* of a clock that is never set */
	int64_t realtime_ns;  /* since 1970, UTC */
	uint64_t error_ns; /* the most time that may lie between any two of these; 0 if it is not recorded */
};

/* The length of ticks and their time of day, as recorded or set, never guessed. */
struct rst_clock {
	uint64_t rate_ticks,
		rate_ns; /* rate_ticks ticks take rate_ns nanoseconds; rate_ticks is 0 if not known */
	size_t n_pairs;	 /* 0 if the recording does not have the time of day */
	const struct rst_clock_pair
		*pairs; /* in the order of their ticks; valid until the next rst_trace_next() */
};

/*
 * The time of day at these ticks, in nanoseconds since 1970. It is computed from the last pair at or before
 * the ticks, or from the first pair if all are later. Returns false if the time of day is not known. Any
 * thread.
 */
RST_PUBLIC bool rst_clock_wall_ns(const struct rst_clock *clock, uint64_t ticks, int64_t *ret_ns);

/* The largest error of the pairs. Returns 0 if the error of a pair is not known, or if there are no pairs.
 * Any thread. */
RST_PUBLIC uint64_t rst_clock_error_ns(const struct rst_clock *clock);

/* Facts about the whole trace. Pointers live as long as the trace. */
struct rst_metadata {
	const char *path;    /* of the first input */
	const char *dialect; /* name */
	const char *
		/* the removed encodings, outermost first, "gzip, Intel HEX"; "" if it had no encoding */
		wrapping;
	const char *
		/* name of the device or host that was traced; NULL if the recording does not have it */
		target;
	uint64_t clock_hz; /* ticks per second, rounded; 0 if it is not known */
	struct rst_clock clock;
	unsigned clock_bits; /* bits of the recorded stamp */
	enum rst_clock_direction clock_direction;
	bool has_first_ticks; /* false if there is no event: then first_ticks has no meaning */
	uint64_t first_ticks; /* of the first event in the order of time; ns count from here */
	/* The recording shows which thread runs: an event that asks for a wait only explains a wait. */
	bool has_switches;
	size_t n_symbols;     /* programs whose symbols name addresses */
	uint64_t n_addresses; /* addresses without a name in the recording, looked up in the symbols … */
	uint64_t n_named;     /* … and how many of them were found */
	size_t n_details;
	const struct rst_detail *details; /* details of the format's header */
	size_t n_warnings;
	const char *const *warnings; /* about guessed or skipped parts, one sentence each */
};

/*
 * The metadata are complete after RST_END; before that, they have what is known so far. Borrowed: they live
 * as long as the trace and change with rst_trace_next(). Errors: none.
 */
RST_PUBLIC const struct rst_metadata *rst_trace_metadata(struct rst_trace *trace);

/*
 * Losses and damages so far, in the order found. *ret_n_kept of them are in the array, which is borrowed
 * until the next rst_trace_next() or rst_trace_free(). Returns how many there were; the array has only the
 * first thousand.
 */
RST_PUBLIC uint64_t rst_trace_gaps(
	const struct rst_trace *trace, const struct rst_gap **ret_gaps, size_t *ret_n_kept);

/* Returns true if bytes of the input were unreadable so far. Loss alone is no damage. */
RST_PUBLIC bool rst_trace_is_damaged(const struct rst_trace *trace);

/* The n-th object, in the order of definition, or NULL. Lives as long as the trace. */
RST_PUBLIC const struct rst_object *rst_trace_object(const struct rst_trace *trace, size_t n);

/*
 * The object that id meant at a sequence number, in a process: the process of the event's context, or 0 for
 * no process. Returns NULL if no such object is known. Kinds that belong to the whole target, such as
 * threads, are found from every process. If kind is RST_OBJECT_UNKNOWN, the object may be of any kind, else
 * it must be of this kind. If the recording has no name, symbols give it (rst_open.symbols). Lives as long as
 * the trace. It is fastest with rising sequence numbers.
 */
RST_PUBLIC const struct rst_object *rst_trace_find_object(
	struct rst_trace *trace, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq);

/*
 * The context of the thread that a field of an event names: the same one as in the thread's own events,
 * earlier and later. Returns NULL if memory ran out. Returns the unknown context for a thread that the trace
 * does not keep. Lives as long as the trace.
 */
RST_PUBLIC const struct rst_context *rst_trace_find_thread(
	struct rst_trace *trace, uint64_t process, uint64_t id, uint64_t seq);

/*
 * A field of a row as text, as templates print it. Numbers are printed by the field's type; constants,
 * objects and addresses by their names, if these are known; bytes in hexadecimal; a sequence as "[1, 2]".
 * Text has \xNN for bytes that cannot be printed. The result is "?" if the payload is too short. It ends with
 * NUL, is *ret_n_bytes long (NULL is accepted), and is borrowed until the next call for the same trace.
 * Returns NULL if memory ran out.
 */
RST_PUBLIC const char *rst_trace_field_text(struct rst_trace *trace, const struct rst_batch *batch,
	size_t row, const struct rst_field *field, size_t *ret_n_bytes);

/*
 * The symbol that the programs of rst_open.symbols have at an address: a function, with the offset in it, or
 * data that begin there. Returns NULL if no program was given, or if it has no symbol there. Lives as long as
 * the trace.
 */
RST_PUBLIC const struct rst_object *rst_trace_find_symbol(struct rst_trace *trace, uint64_t address);

/*
 * The n-th event type, layout or context in use so far (its index is n), or NULL. The first two types, and
 * the first two layouts, are the markers LOST and DAMAGE. They live as long as the trace.
 */
RST_PUBLIC const struct rst_type *rst_trace_type(const struct rst_trace *trace, size_t n);
RST_PUBLIC const struct rst_layout *rst_trace_layout(const struct rst_trace *trace, size_t n);
RST_PUBLIC const struct rst_context *rst_trace_context(const struct rst_trace *trace, size_t n);

/* One of the traces that were merged into a trace (`rastrum merge`): contexts have its number. */
struct rst_origin {
	const char *name;    /* of its file */
	const char *dialect; /* name */
	uint64_t process;    /* the process that stands for it in the merged trace */
	bool has_ended;	     /* it has no more rows … */
	uint64_t end_ticks;  /* … after this time */
};

/*
 * The n-th origin that is known so far, counted from 1. Returns NULL if there are fewer, or if the trace was
 * not merged. Lives as long as the trace.
 */
RST_PUBLIC const struct rst_origin *rst_trace_origin(const struct rst_trace *trace, size_t n);

#ifdef __cplusplus
}
#endif
#endif
