/* SPDX-License-Identifier: MIT */
/*
 * The events of librastrum-preload.so. Their ids are those of user events, but their meaning is known. A type
 * of a log is one of them if its name and all its fields are the same, so that a program's own event of that
 * name stays the program's. The table is the recorder's (src/preload/events.def).
 */
#include <string.h>
#include <trace.h>

#include "dialect/event_table.h"
#include "dialect/posix/posix.h"

struct word {
	const char *name;
	uint32_t kind, size; /* as logs have them */
	enum rst_field_type type;
	enum rst_object_kind object_kind;
	const struct rst_constants *constants;
};

struct posix_preloaded {
	const char *name, *label;
	struct word words[POSIX_PRELOADED_FIELDS];
	const struct rst_effect *effects; /* arguments: the fields, and behind them POSIX_ARGUMENT_PROCESS */
};

/* <asm-generic/errno.h> of Linux, which most processors use. Other errors are shown as numbers. */
static const struct rst_constant error_rows[] = { { 0, "none" }, { 1, "EPERM" }, { 2, "ENOENT" },
	{ 3, "ESRCH" }, { 4, "EINTR" }, { 5, "EIO" }, { 6, "ENXIO" }, { 7, "E2BIG" }, { 8, "ENOEXEC" },
	{ 9, "EBADF" }, { 10, "ECHILD" }, { 11, "EAGAIN" }, { 12, "ENOMEM" }, { 13, "EACCES" },
	{ 14, "EFAULT" }, { 16, "EBUSY" }, { 17, "EEXIST" }, { 20, "ENOTDIR" }, { 21, "EISDIR" },
	{ 22, "EINVAL" }, { 23, "ENFILE" }, { 24, "EMFILE" }, { 25, "ENOTTY" }, { 26, "ETXTBSY" },
	{ 27, "EFBIG" }, { 28, "ENOSPC" }, { 29, "ESPIPE" }, { 30, "EROFS" }, { 32, "EPIPE" },
	{ 35, "EDEADLK" }, { 36, "ENAMETOOLONG" }, { 38, "ENOSYS" }, { 40, "ELOOP" }, { 71, "EPROTO" },
	{ 75, "EOVERFLOW" }, { 88, "ENOTSOCK" }, { 90, "EMSGSIZE" }, { 95, "EOPNOTSUPP" },
	{ 97, "EAFNOSUPPORT" }, { 98, "EADDRINUSE" }, { 99, "EADDRNOTAVAIL" }, { 100, "ENETDOWN" },
	{ 101, "ENETUNREACH" }, { 103, "ECONNABORTED" }, { 104, "ECONNRESET" }, { 105, "ENOBUFS" },
	{ 106, "EISCONN" }, { 107, "ENOTCONN" }, { 110, "ETIMEDOUT" }, { 111, "ECONNREFUSED" },
	{ 112, "EHOSTDOWN" }, { 113, "EHOSTUNREACH" }, { 114, "EALREADY" }, { 115, "EINPROGRESS" },
	{ 122, "EDQUOT" }, { 125, "ECANCELED" }, { 130, "EOWNERDEAD" }, { 131, "ENOTRECOVERABLE" } };
const struct rst_constants posix_errors = { "errno", N_ROWS(error_rows), error_rows };

/* signal(7): the signals that have the same numbers on x86, ARM and most others. */
static const struct rst_constant signal_rows[] = { { 1, "SIGHUP" }, { 2, "SIGINT" }, { 3, "SIGQUIT" },
	{ 4, "SIGILL" }, { 5, "SIGTRAP" }, { 6, "SIGABRT" }, { 7, "SIGBUS" }, { 8, "SIGFPE" },
	{ 9, "SIGKILL" }, { 10, "SIGUSR1" }, { 11, "SIGSEGV" }, { 12, "SIGUSR2" }, { 13, "SIGPIPE" },
	{ 14, "SIGALRM" }, { 15, "SIGTERM" }, { 16, "SIGSTKFLT" }, { 17, "SIGCHLD" }, { 18, "SIGCONT" },
	{ 19, "SIGSTOP" }, { 20, "SIGTSTP" }, { 21, "SIGTTIN" }, { 22, "SIGTTOU" }, { 23, "SIGURG" },
	{ 24, "SIGXCPU" }, { 25, "SIGXFSZ" }, { 26, "SIGVTALRM" }, { 27, "SIGPROF" }, { 28, "SIGWINCH" },
	{ 29, "SIGIO" }, { 30, "SIGPWR" }, { 31, "SIGSYS" } };
static const struct rst_constants signals = { "signal", N_ROWS(signal_rows), signal_rows };

/* The vocabulary of events.def, besides event_table.h. */
#define NO_FIELD  \
	{         \
		0 \
	}
#define WORD(name, kind, type, object_kind, constants) \
	{ #name, POSIX_TRACE_##kind##_NP, 8, RST_##type, RST_OBJECT_##object_kind, constants },
#define THREAD(name)				WORD(name, SIGNED, OBJECT, THREAD, NULL)
#define PROCESS(name)				WORD(name, SIGNED, OBJECT, PROCESS, NULL)
#define FILE(name)				WORD(name, SIGNED, SIGNED, UNKNOWN, NULL)
#define NUMBER(name)				WORD(name, SIGNED, SIGNED, UNKNOWN, NULL)
#define HEX(name)				WORD(name, UNSIGNED, HEX, UNKNOWN, NULL)
#define ERROR(name)				WORD(name, SIGNED, ENUM, UNKNOWN, &posix_errors)
#define SIGNAL(name)				WORD(name, SIGNED, ENUM, UNKNOWN, &signals)
#define MUTEX(name)				WORD(name, ADDRESS, OBJECT, MUTEX, NULL)
#define SEMAPHORE(name)				WORD(name, ADDRESS, OBJECT, SEMAPHORE, NULL)
#define RWLOCK(name)				WORD(name, ADDRESS, OBJECT, RWLOCK, NULL)
#define CONDITION(name)				WORD(name, ADDRESS, OBJECT, CONDITION, NULL)
#define BARRIER(name)				WORD(name, ADDRESS, OBJECT, BARRIER, NULL)
#define FUNCTION(name)				WORD(name, ADDRESS, OBJECT, FUNCTION, NULL)
#define NAME(name)				{ #name, POSIX_TRACE_TEXT_NP, 16, RST_TEXT, RST_OBJECT_UNKNOWN, NULL },
#define ID(name)				{ #name, POSIX_TRACE_BYTES_NP, 24, RST_BYTES, RST_OBJECT_UNKNOWN, NULL },
#define TEXT(name)				{ #name, POSIX_TRACE_TEXT_NP, 0, RST_TEXT, RST_OBJECT_UNKNOWN, NULL },
#define EVENT(id, name, label, fields, effects) PRELOADED_##id,
enum {
#include "preload/events.def"
	N_EVENTS
};
#undef EVENT
#define EVENT(id, name, label, fields, effects) { name, label, fields, effects },

#define I1	    ARGUMENT(1)
#define I2	    ARGUMENT(2)
#define I3	    ARGUMENT(3)
#define OWN_PROCESS ARGUMENT(POSIX_ARGUMENT_PROCESS)
#define IN_FILE	    .object = I1, .object_kind = RST_OBJECT_FILE
#define SHARED	    .is_shared = true
#define OF_LOCK(of) .object = of, .thread = BY_SELF, .is_partial = true
#define COUNTS(n)   .object = I1, .thread = BY_SELF, .amount = n, .unit = RST_UNIT_COUNT
#define ASKS(reason_, ...) \
	E(WAIT, .phase = RST_ASKS, .thread = BY_SELF, .reason = RST_REASON_##reason_, ##__VA_ARGS__)
#define GOES_ON(reason_, ...) E(WAKE, .thread = BY_SELF, .reason = RST_REASON_##reason_, ##__VA_ARGS__)
#define GIVES_UP(reason_, ...) \
	E(WAKE, .phase = RST_GAVE_UP, .thread = BY_SELF, .reason = RST_REASON_##reason_, ##__VA_ARGS__)
#define RESUMES(reason, error, ...)                        \
	GOES_ON(reason, WHEN(IS(error, 0)), ##__VA_ARGS__) \
	GIVES_UP(reason, WHEN(IS_NOT(error, 0)), ##__VA_ARGS__)

#define FAULT_BY(...) E(ERROR, .thread = BY_SELF, .value = I1, WHEN(__VA_ARGS__))

/*
 * PID_END is larger than every process number, but smaller than a negative one that is taken as unsigned.
 * FOR_EVER is a time without an end.
 */
#define PID_END	 ((uint64_t)1 << 31)
#define FOR_EVER UINT64_MAX

static const struct posix_preloaded events[] = {
#include "preload/events.def"
};

static bool has_word(const struct posix_preloaded *event, unsigned i)
{
	return i < POSIX_PRELOADED_FIELDS && event->words[i].name;
}

static bool is_word(const struct word *word, const uint8_t *said)
{
	struct log_field field;

	memcpy(&field, said, sizeof(field));
	return strncmp(field.name, word->name, sizeof(field.name)) == 0 && field.kind == word->kind &&
	       field.size == word->size;
}

static bool has_fields(const struct posix_preloaded *event, const uint8_t *said, unsigned n_said)
{
	for (unsigned i = 0; i < n_said; i++)
		if (!has_word(event, i) || !is_word(&event->words[i], said + i * sizeof(struct log_field)))
			return false;
	return !has_word(event, n_said);
}

const struct posix_preloaded *posix_preloaded(const char *name, const uint8_t *said, unsigned n_said)
{
	for (size_t i = 0; i < N_EVENTS; i++)
		if (strcmp(events[i].name, name) == 0)
			return has_fields(&events[i], said, n_said) ? &events[i] : NULL;
	return NULL;
}

const struct posix_preloaded *posix_preloaded_at(size_t i)
{
	return i < N_EVENTS ? &events[i] : NULL;
}

const char *posix_preloaded_name(const struct posix_preloaded *event)
{
	return event->name;
}

const char *posix_preloaded_label(const struct posix_preloaded *event)
{
	return event->label;
}

unsigned posix_preloaded_fields(const struct posix_preloaded *event, struct log_field *ret_fields)
{
	unsigned n = 0;

	for (; has_word(event, n); n++) {
		ret_fields[n] =
			(struct log_field){ .kind = event->words[n].kind, .size = event->words[n].size };
		memcpy(ret_fields[n].name, event->words[n].name, strlen(event->words[n].name));
	}
	return n;
}

void posix_preloaded_field(const struct posix_preloaded *event, unsigned i, struct rst_field *field)
{
	const struct word *word = &event->words[i];

	field->type = word->type;
	field->object_kind = word->object_kind;
	field->constants = word->constants;
	field->zero_is_none = word->type == RST_OBJECT;
	field->is_number = word->kind == POSIX_TRACE_SIGNED_NP; /* descriptors and pids, too */
}

const struct rst_effect *posix_preloaded_effects(const struct posix_preloaded *event)
{
	return event->effects;
}

static bool is_lock(enum rst_object_kind kind)
{
	return kind == RST_OBJECT_MUTEX || kind == RST_OBJECT_RWLOCK || kind == RST_OBJECT_SEMAPHORE ||
	       kind == RST_OBJECT_CONDITION || kind == RST_OBJECT_BARRIER;
}

/*
 * Gives names to the addresses of code in the event's data from here on, and finds its locks that are shared.
 */
static bool take_addresses(struct posix *posix, struct model *model, const struct posix_preloaded *event,
	uint32_t pid, const uint8_t *data, size_t n_bytes)
{
	uint64_t address;

	for (unsigned i = 0; has_word(event, i) && (i + 1) * sizeof(address) <= n_bytes; i++) {
		const enum rst_object_kind kind = event->words[i].object_kind;

		if (kind != RST_OBJECT_FUNCTION && !is_lock(kind))
			continue;
		memcpy(&address, data + i * sizeof(address), sizeof(address));
		if (kind == RST_OBJECT_FUNCTION ? !posix_site(posix, model, pid, address)
						: !posix_lock(posix, model, pid, address, kind))
			return false;
	}
	return true;
}

static bool name_task(
	struct posix *posix, struct model *model, uint32_t pid, uint32_t tid, const char name[16])
{
	struct log_task task = { .pid = pid, .tid = tid };

	memcpy(task.name, name, sizeof(task.name));
	return !tid || posix_task(posix, model, &task, NULL, false);
}

/* A thread records its own name, in case it ends before the recorder reads the name. */
static bool take_thread_name(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	uint64_t thread;

	memcpy(&thread, data, sizeof(thread));
	return name_task(posix, model, event->pid, (uint32_t)thread, (const char *)data + sizeof(thread));
}

/*
 * A thread has the name of the thread that made it, and a child of fork has its parent's, until it gets
 * another one.
 */
static bool take_thread_begin(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	uint64_t creator;

	memcpy(&creator, data + sizeof(creator), sizeof(creator));
	return posix_task_made(posix, model, event, event->pid, (uint32_t)creator);
}

static bool take_process_begin(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	uint64_t parent;

	memcpy(&parent, data, sizeof(parent));
	posix_shared_forget(posix, event->pid);
	if (!symbol_memory_fork(&posix->memory, event->pid, (uint32_t)parent))
		return false;
	return posix_task_made(posix, model, event, (uint32_t)parent, (uint32_t)parent);
}

/* A new program: the process has new memory and a new name. */
static bool take_program(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	posix->generation++;
	posix_shared_forget(posix, event->pid);
	return name_task(posix, model, event->pid, event->pid, (const char *)data);
}

/* Build ids have 20, 16 or 8 bytes, followed by zeros. */
static uint32_t build_id_bytes(const uint8_t id[24])
{
	static const uint32_t sizes[] = { 24, 20, 16, 8, 0 };
	uint32_t n = 24;

	while (n > 0 && id[n - 1] == 0)
		n--;
	for (size_t i = 1; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		if (n > sizes[i])
			return sizes[i - 1];
	return 0;
}

static bool preloaded_take_module(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	enum { NUMBERS = 3 * sizeof(uint64_t), FIXED = NUMBERS + 24, PATH_ROOM = 512 };
	uint8_t body[sizeof(struct log_module) + PATH_ROOM];
	struct log_module said = { .pid = event->pid, .length = event->length - FIXED };

	if (said.length > PATH_ROOM)
		return true;
	memcpy(&said.address, data, NUMBERS);
	memcpy(said.build_id, data + NUMBERS, FIXED - NUMBERS);
	said.n_build_id = build_id_bytes(said.build_id);
	memcpy(body, &said, sizeof(said));
	memcpy(body + sizeof(said), data + FIXED, said.length);
	return posix_module(posix, model, body, sizeof(said) + said.length);
}

static bool take_shared_memory(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	return posix_shared_map(posix, model, event->pid, data, event->length);
}

static bool take_unmap(
	struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data)
{
	uint64_t range[2];

	(void)model;
	memcpy(range, data, sizeof(range));
	posix_shared_unmap(posix, event->pid, range[0], range[1]);
	return true;
}

/*
 * Functions that take what an event states about other threads and processes, if it has at least n_bytes of
 * data.
 */
static const struct {
	bool (*take)(
		struct posix *posix, struct model *model, const struct log_event *event, const uint8_t *data);
	uint32_t n_bytes;
} takers[N_EVENTS] = {
	[PRELOADED_THREAD_NAME] = { take_thread_name, 24 },
	[PRELOADED_THREAD_BEGIN] = { take_thread_begin, 16 },
	[PRELOADED_PROCESS_BEGIN] = { take_process_begin, 8 },
	[PRELOADED_PROGRAM_BEGIN] = { take_program, 16 },
	[PRELOADED_MODULE] = { preloaded_take_module, 48 },
	[PRELOADED_SHARED_MEMORY] = { take_shared_memory, 40 },
	[PRELOADED_MEMORY_UNMAP] = { take_unmap, 16 },
};

bool posix_preloaded_event(struct posix *posix, struct model *model, const struct posix_preloaded *preloaded,
	const struct log_event *event, const uint8_t *data)
{
	size_t i = (size_t)(preloaded - events);

	if (takers[i].take && event->length >= takers[i].n_bytes &&
		!takers[i].take(posix, model, event, data))
		return false;
	return take_addresses(posix, model, preloaded, event->pid, data, event->length);
}
