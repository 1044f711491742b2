/* SPDX-License-Identifier: MIT */
/*
 * Reading a trace: open it, take batches until RST_END, free it. One thread per trace at a time; different traces
 * are independent. Where a function takes an error, NULL is accepted.
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
	const char *dialect; /* name, or NULL: found by the content */
	size_t n_settings;
	const struct rst_setting *settings;
	uint64_t clock_hz;  /* ticks per second where the recording does not have it; 0 if it is not known */
	bool in_file_order; /* as the file has it, not in the order of time */
	size_t n_joined;    /* further inputs that go on where path ends: one trace in several files */
	const char *const *joined;
	size_t n_symbols; /* programs (ELF files) that ran, whose symbols name addresses that the recording does not name */
	const char *const *symbols;
};

/*
 * Opens path ("-": standard input; a directory: the files in it are the parts of one recording, in the order of their
 * names), finds its dialect and reads what must be known before the first event.
 * *ret_trace is the caller's, to be freed with rst_trace_free(). Damage that leaves something to read is no error: see
 * rst_trace_gaps().
 *
 * Errors: RST_E_IO, RST_E_NOMEM, RST_E_UNKNOWN, RST_E_USAGE (an unknown dialect or setting, a file of symbols that is no
 * program), RST_E_DAMAGED (a program that cannot be read); *ret_trace is untouched then.
 */
RST_PUBLIC enum rst_status rst_trace_open(
	struct rst_trace **ret_trace, const char *path, const struct rst_open *how, struct rst_error *err);

/* The same over bytes in memory, borrowed until rst_trace_free(); name is for messages. */
RST_PUBLIC enum rst_status rst_trace_open_bytes(struct rst_trace **ret_trace, const void *bytes,
	size_t n_bytes, const char *name, const struct rst_open *how, struct rst_error *err);

/* NULL is fine; returns NULL. Errors: none. */
RST_PUBLIC struct rst_trace *rst_trace_free(struct rst_trace *trace);

/*
 * The next batch, of one event or more. *ret_batch is borrowed until the next rst_trace_next() or rst_trace_free(). RST_OK;
 * RST_END after the last event. After RST_END or a failure every further call gives the same again.
 *
 * Errors: RST_E_DAMAGED (nothing more can be read), RST_E_IO, RST_E_NOMEM, RST_E_UNSUPPORTED (a log of another machine or a
 * newer version).
 */
RST_PUBLIC enum rst_status rst_trace_next(
	struct rst_trace *trace, const struct rst_batch **ret_batch, struct rst_error *err);

enum rst_clock_direction { RST_CLOCK_UP, RST_CLOCK_DOWN };

/* What the clocks of the target's host showed at one instant. */
struct rst_clock_pair {
	uint64_t ticks;	      /* of the trace's clock */
	int64_t monotonic_ns; /* of a clock that is never set */
	int64_t realtime_ns;  /* since 1970, UTC */
	uint64_t
		error_ns; /* how far any two of these may be from one instant at most; 0 if the recording does not have it */
};

/* What ticks are worth. Nothing of it is invented. */
struct rst_clock {
	uint64_t rate_ticks, rate_ns; /* so many ticks take so many nanoseconds; rate_ticks 0: not known */
	size_t n_pairs;		      /* 0 if the recording does not have the time of day */
	const struct rst_clock_pair
		*pairs; /* in the order of their ticks; they hold until the next rst_trace_next() */
};

/*
 * The time of day at these ticks: nanoseconds since 1970, from the last pair that is not behind them, else
 * from the first. Returns false if it is not known. Any thread.
 */
RST_PUBLIC bool rst_clock_wall_ns(const struct rst_clock *clock, uint64_t ticks, int64_t *ret_ns);

/* The largest error of the pairs; 0: of one of them it is not known, or there is none. Any thread. */
RST_PUBLIC uint64_t rst_clock_error_ns(const struct rst_clock *clock);

/* What is known of the trace as a whole. Pointers live as long as the trace. */
struct rst_metadata {
	const char *path;     /* of the first input */
	const char *dialect;  /* name */
	const char *wrapping; /* what was taken off, outermost first, "gzip, Intel HEX"; "" for nothing */
	const char *target; /* name of the device or host whose trace it is; NULL if the recording has none */
	uint64_t clock_hz;  /* ticks per second, rounded; 0 if it is not known */
	struct rst_clock clock;
	unsigned clock_bits; /* bits of the recorded stamp */
	enum rst_clock_direction clock_direction;
	bool has_first_ticks; /* false: no event, first_ticks means nothing */
	uint64_t first_ticks; /* of the first event in the order of time; ns count from here */
	bool has_switches; /* which thread runs is recorded: what asks for a wait explains one, and is none by itself */
	size_t n_symbols;     /* programs whose symbols name addresses */
	uint64_t n_addresses; /* without a name in the recording, looked for in the symbols … */
	uint64_t n_named;     /* … and those that were found */
	size_t n_details;
	const struct rst_detail *details; /* what the format's header has */
	size_t n_warnings;
	const char *const *warnings; /* what was guessed or skipped, a sentence each */
};

/*
 * Complete after RST_END; before that, what is known so far. Borrowed: lives as long as the trace and changes with
 * rst_trace_next(). Errors: none.
 */
RST_PUBLIC const struct rst_metadata *rst_trace_metadata(struct rst_trace *trace);

/*
 * Losses and damages so far, in the order found; *ret_n_kept of them are in the array, borrowed until the next
 * rst_trace_next() or rst_trace_free(). Returns how many there were: those beyond the first thousand are counted, not
 * kept.
 */
RST_PUBLIC uint64_t rst_trace_gaps(
	const struct rst_trace *trace, const struct rst_gap **ret_gaps, size_t *ret_n_kept);

/* true when bytes of the input were unreadable so far. Loss alone is no damage. */
RST_PUBLIC bool rst_trace_is_damaged(const struct rst_trace *trace);

/* The n-th object, in the order of definition, or NULL. Lives as long as the trace. */
RST_PUBLIC const struct rst_object *rst_trace_object(const struct rst_trace *trace, size_t n);

/*
 * The object that id meant at a sequence number, in a process (that of the event's context; 0: none); NULL: none is known.
 * Kinds that belong to the whole target, such as threads, are found from every process. With a kind other than
 * RST_OBJECT_UNKNOWN an object of another kind is not an answer. Where the recording has no name, symbols give it
 * (rst_open.symbols). Lives as long as the trace. Quickest when the numbers rise.
 */
RST_PUBLIC const struct rst_object *rst_trace_find_object(
	struct rst_trace *trace, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq);

/*
 * The context of the thread that a field of an event names: that of its own events, before and behind.
 * Returns NULL if memory ran out. A thread that the trace does not keep gives the unknown context. Lives as
 * long as the trace.
 */
RST_PUBLIC const struct rst_context *rst_trace_find_thread(
	struct rst_trace *trace, uint64_t process, uint64_t id, uint64_t seq);

/*
 * A field of a row as text, by its kind, as templates print it: numbers of its type, names of constants,
 * objects and addresses where they are known, real numbers, bytes in hexadecimal, text with what cannot be
 * printed as \xNN, a sequence as "[1, 2]"; "?" where the payload is too short. It ends with NUL, is
 * *ret_n_bytes long (NULL is accepted), and is borrowed until the next call for the same trace. Returns NULL
 * if memory ran out.
 */
RST_PUBLIC const char *rst_trace_field_text(struct rst_trace *trace, const struct rst_batch *batch,
	size_t row, const struct rst_field *field, size_t *ret_n_bytes);

/*
 * What the programs of rst_open.symbols have at an address: a function with the offset in it, data that begin
 * there. Returns NULL if no program was given, or it has nothing there. Lives as long as the trace.
 */
RST_PUBLIC const struct rst_object *rst_trace_find_symbol(struct rst_trace *trace, uint64_t address);

/*
 * The n-th event type, layout or context in use so far (their index is n), or NULL. The first two types, and the first two
 * layouts, are the markers LOST and DAMAGE. They live as long as the trace.
 */
RST_PUBLIC const struct rst_type *rst_trace_type(const struct rst_trace *trace, size_t n);
RST_PUBLIC const struct rst_layout *rst_trace_layout(const struct rst_trace *trace, size_t n);
RST_PUBLIC const struct rst_context *rst_trace_context(const struct rst_trace *trace, size_t n);

/* One of the traces that a trace was merged of (`rastrum merge`): contexts have its number. */
struct rst_origin {
	const char *name;    /* of its file */
	const char *dialect; /* name */
	uint64_t process;    /* that stands for it in the merged trace */
	bool has_ended;	     /* it has no more rows … */
	uint64_t end_ticks;  /* … behind this moment */
};

/*
 * The n-th origin that is known so far, from 1 on; NULL if there is none, or the trace was not merged. Lives
 * as long as the trace.
 */
RST_PUBLIC const struct rst_origin *rst_trace_origin(const struct rst_trace *trace, size_t n);

#ifdef __cplusplus
}
#endif
#endif
