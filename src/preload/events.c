/* SPDX-License-Identifier: MIT */
/* Opens and describes the event types when the library is loaded, and records events. */
#include "preload/preload.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 512, FIXED_MAX = 48 };

struct event {
	const char *name;
	struct posix_trace_field_np fields[PRELOAD_FIELDS_MAX];
};

/* The vocabulary of events.def. */
#define NO_FIELD           \
	{                  \
		NULL, 0, 0 \
	}
#define WORD(name, kind) { #name, POSIX_TRACE_##kind##_NP, 8 },
#define THREAD(name)	 WORD(name, SIGNED)
#define PROCESS(name)	 WORD(name, SIGNED)
#define FILE(name)	 WORD(name, SIGNED)
#define NUMBER(name)	 WORD(name, SIGNED)
#define HEX(name)	 WORD(name, UNSIGNED)
#define ERROR(name)	 WORD(name, SIGNED)
#define SIGNAL(name)	 WORD(name, SIGNED)
#define MUTEX(name)	 WORD(name, ADDRESS)
#define SEMAPHORE(name)	 WORD(name, ADDRESS)
#define RWLOCK(name)	 WORD(name, ADDRESS)
#define CONDITION(name)	 WORD(name, ADDRESS)
#define BARRIER(name)	 WORD(name, ADDRESS)
#define FUNCTION(name)	 WORD(name, ADDRESS)
#define NAME(name)	 { #name, POSIX_TRACE_TEXT_NP, 16 },
#define ID(name)	 { #name, POSIX_TRACE_BYTES_NP, 24 },
#define TEXT(name)	 { #name, POSIX_TRACE_TEXT_NP, 0 },
#define FIELDS(...)         \
	{                   \
		__VA_ARGS__ \
	}
#define EVENT(id, name, label, fields, effects) { name, fields },

static const struct event events[] = {
#include "preload/events.def"
};

/* Written by the constructor; until then nothing is recorded. */
static trace_event_id_t ids[PRELOAD_N_EVENTS];
static uint32_t n_bytes[PRELOAD_N_EVENTS]; /* of the fields with a size */
static bool wants_locks;

static unsigned int count_fields(const struct event *event)
{
	unsigned int n = 0;

	while (n < PRELOAD_FIELDS_MAX && event->fields[n].posix_field_name)
		n++;
	return n;
}

static void event_open(const struct event *event, trace_event_id_t *ret_id, uint32_t *ret_n_bytes)
{
	unsigned int n_fields = count_fields(event);

	/*
	 * If the table of names is full, the id is that of the unnamed event, and events are still recorded.
	 */
	posix_trace_eventid_open(event->name, ret_id);
	if (n_fields)
		posix_trace_eventid_describe_np(*ret_id, event->fields, n_fields);
	for (unsigned int i = 0; i < n_fields; i++)
		*ret_n_bytes += (uint32_t)event->fields[i].posix_field_size;
}

/* Whether the word is one of the words, which are separated by commas. */
static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, word, n) == 0 && (at[n] == ',' || at[n] == '\0'))
			return true;
	}
	return false;
}

extern struct next __start_preload_next[] __attribute__((visibility("hidden")));
extern struct next __stop_preload_next[] __attribute__((visibility("hidden")));

static __attribute__((constructor)) void events_begin(void)
{
	for (struct next *next = __start_preload_next; next < __stop_preload_next; next++)
		next_find(next);
	wants_locks = has_word(getenv("RASTRUM_SYSTEM"), "locks");
	for (unsigned int i = 0; i < PRELOAD_N_EVENTS; i++)
		event_open(&events[i], &ids[i], &n_bytes[i]);
	/* The enabled flag comes last: if a thread finds it set, everything else is ready. */
	posix_trace_points_open_np(NULL, NULL, &posix_trace_enabled_np_);
	program_begins();
}

bool event_wants_locks(void)
{
	return wants_locks;
}

void event_put(enum preload_event event, const void *caller, const uint64_t *numbers)
{
	if (!is_traced() || process_is_borrowed())
		return;
	module_meet(caller);
	posix_trace_event_from_np(ids[event], numbers, n_bytes[event], caller);
}

void event_put_text(enum preload_event event, const void *caller, const void *numbers, const char *text)
{
	char data[FIXED_MAX + TEXT_MAX];
	size_t n_text = text ? strnlen(text, TEXT_MAX) : 0;

	if (!is_traced() || process_is_borrowed())
		return;
	module_meet(caller);
	if (n_bytes[event])
		memcpy(data, numbers, n_bytes[event]);
	if (n_text)
		memcpy(data + n_bytes[event], text, n_text);
	posix_trace_event_from_np(ids[event], data, n_bytes[event] + n_text, caller);
}
