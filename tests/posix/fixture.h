/* SPDX-License-Identifier: MIT */
/*
 * The tests of <trace.h> share this: streams with a given shape, all events of a stream or log in an array,
 * children that run one function, logs without a name. A step that a test depends on and that is not its
 * subject is checked with must(): the program ends when it fails. Every program ends after FIXTURE_SECONDS,
 * so that a reader that is never woken is a failure and not a halt.
 *
 * The number that a test's name begins with is a section of the list of rules, tests/posix/RULES.md.
 */
#ifndef POSIX_KIT_H
#define POSIX_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <trace.h>

/* An event that was read; data beyond the array is cut at reading. */
struct seen {
	struct posix_trace_event_info info;
	size_t n;
	unsigned char data[sizeof(trace_event_set_t) * 2 + 8];
};
struct seen_list {
	struct seen *event;
	size_t n, room;
};

/* The shape of a stream; 0 of each: the attribute is not set. */
struct shape {
	size_t size, data_size, log_size;
	int policy, log_policy, inheritance;
};

enum { FIXTURE_SECONDS = 300 };

/* Sets the alarm that ends the program. */
void fixture_begin(void);
/* "Bail out!" and exit unless error is 0. */
void must(int error, const char *step);
void skip(const char *sentence, const char *reason);

void shape_attr(const struct shape *shape, trace_attr_t *ret_attr);
/* A stream of this process; not started. */
trace_id_t stream_make(const struct shape *shape);
trace_id_t stream_make_log(const struct shape *shape, int fd);
/* The same, started, with no START event before the application's own. */
trace_id_t stream_run(const struct shape *shape);
trace_id_t stream_run_log(const struct shape *shape, int fd);
struct posix_trace_status_info stream_status(trace_id_t trid);
void filter_with(trace_id_t trid, int what);

trace_event_id_t type_open(const char *name);
void put_number(trace_event_id_t type, unsigned int number);
/* Unnamed user events with first, first + 1 … */
void put_numbers(unsigned int first, unsigned int n);
/*
 * Flushes and waits for the end. Each status resets overruns and the flush error: the result has what any of
 * them had.
 */
struct posix_trace_status_info stream_flush(trace_id_t trid);

/* One event; false: there is none. */
bool read_one(trace_id_t trid, struct seen *ret_event);
/* All that an active stream has now; free with seen_free(). */
struct seen_list read_all(trace_id_t trid);
/* All that an opened log has from its cursor on. */
struct seen_list read_rest(trace_id_t trid);
/* Opens a log, waits some seconds for it to be complete, reads and closes it; n = 0 when it never opens. */
struct seen_list read_log(int fd);
void seen_free(struct seen_list *list);
/* posix_trace_open() that gives the consumer ten seconds to finish. */
int open_log(int fd, trace_id_t *ret_trid);

size_t count_type(const struct seen_list *list, trace_event_id_t type);
/* The index of the first event of a type at or behind `from`; list->n: none. */
size_t find_type(const struct seen_list *list, trace_event_id_t type, size_t from);
/* The first 4 bytes. */
unsigned int number_of(const struct seen *event);
/* Whether the events of a type carry *first, *first + 1 …; ret_n: how many there are. */
bool is_run(const struct seen_list *list, trace_event_id_t type, unsigned int *ret_first, size_t *ret_n);
/* Whether STOP is the last event, and automatic or not as expected. */
bool ends_with_stop(const struct seen_list *list, bool is_automatic);
bool is_ordered(const struct seen_list *list);

/* The other process that has the file open, which is the consumer of a log; 0: none, or it cannot be seen. */
pid_t consumer_of(int log);
/* A file without name, open for reading and writing. */
int file_without_name(void);
/* Runs function(argument) in a child, which ends with what it gives; the status as waitpid() gives it. */
int in_child(int (*function)(void *), void *argument);
/* Memory shared with children, zeroed. */
void *memory_shared(size_t n_bytes);
void sleep_ms(unsigned int milliseconds);
int64_t now_ns(clockid_t clock);
int64_t time_ns(const struct timespec *time);
/* Whether holds(argument) becomes true within ten seconds. */
bool comes_true(bool (*holds)(void *), void *argument);

#endif
