/* SPDX-License-Identifier: MIT */
/*
 * Entry n of the map is the user type NAMES_FIRST_USER + n. Its life, in its state's low bits:
 *
 *	EMPTY -> CLAIMED -> READY     the claimer (its thread's number is in the bits above) wrote the name
 *	            `-----> DEAD      the claimer died or took longer than CLAIM_NS: the entry is lost
 *
 * A thread claims an entry only if all entries before it are READY or DEAD and none has the name. So no name
 * is in the map twice, and at most one entry is CLAIMED at a time. If a claimer was declared dead, its last
 * step fails, and it begins again at a later entry.
 *
 * The memory belongs to processes that may write anything into it: every number from it is checked, every
 * text is cut to its room, and no wait or loop depends on its contents to end.
 *
 * A map in a file is sparse: most programs have few names, and /dev/shm is small. Below `limit`, and in the
 * arena below `arena_used`, all pages exist; those behind are allocated (sparse.h) before they are used.
 *
 * Atomics: the state of an entry is stored by sequentially consistent compare-and-swap and loaded with
 * acquire in entry_state(), which makes the name visible; `description` is stored likewise (names_fields.c);
 * the counters are relaxed, because every use checks the entries themselves.
 */
#include "record/kernel/switches.h"
#include "record/process/names_map.h"
#include "record/rendezvous/proc.h"
#include "record/rendezvous/sparse.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	CLAIM_NS = 100000000,
	LOOK_AGAIN_NS = 50000,
};

/* The vocabulary of predefined.def. */
#define NO_FIELD                 \
	0,                       \
	{                        \
		{                \
			"", 0, 0 \
		}                \
	}
#define FIELDS(n, ...)      \
	n,                  \
	{                   \
		__VA_ARGS__ \
	}
#define NUMBER(name)	{ #name, POSIX_TRACE_SIGNED_NP, sizeof(int) },
#define EVENT_SET(name) { #name, POSIX_TRACE_BYTES_NP, sizeof(trace_event_set_t) },
#define EVENT(constant, name, label, fields, effects) \
	{ POSIX_TRACE_##constant, "posix_trace_" #name, fields },

static const struct names_predefined predefined_types[] = {
#include "log/predefined.def"
};
#define N_PREDEFINED (sizeof(predefined_types) / sizeof(predefined_types[0]))

const struct names_predefined *names_find_predefined(trace_event_id_t id)
{
	for (size_t i = 0; i < N_PREDEFINED; i++)
		if (predefined_types[i].id == id)
			return &predefined_types[i];
	return NULL;
}

const char *names_predefined(trace_event_id_t id)
{
	const struct names_predefined *type = names_find_predefined(id);

	return type ? type->name : NULL;
}

const char *names_switch(trace_event_id_t id)
{
	return id >= NAMES_FIRST_SWITCH && id < NAMES_END_SWITCH
		       ? switches_name((enum perf_kind)(id - NAMES_FIRST_SWITCH))
		       : NULL;
}

uint32_t names_switch_fields(trace_event_id_t id, struct log_field *ret_field)
{
	static const struct log_field fault_address = { "fault_address", POSIX_TRACE_ADDRESS_NP,
		sizeof(((struct perf_record *)NULL)->address) };

	if (id != POSIX_TRACE_PAGE_FAULT_NP)
		return 0;
	*ret_field = fault_address;
	return 1;
}

trace_event_id_t names_find_switch(const char *name)
{
	for (trace_event_id_t id = NAMES_FIRST_SWITCH; id < NAMES_END_SWITCH; id++)
		if (strcmp(names_switch(id), name) == 0)
			return id;
	return 0;
}

/*
 * The calls are raw, with whole words as arguments, because names_copy() runs in signal handlers, where the
 * sanitizers' wrappers of mmap() must not.
 */
static struct names_map *memory_get(int fd)
{
	const long access = PROT_READ | PROT_WRITE;
	const long flags = fd < 0 ? MAP_SHARED | MAP_ANONYMOUS : MAP_SHARED;
#ifdef SYS_mmap2
	long at = syscall(SYS_mmap2, 0L, sizeof(struct names_map), access, flags, (long)fd, 0L);
#else
	long at = syscall(SYS_mmap, 0L, sizeof(struct names_map), access, flags, (long)fd, 0L);
#endif

	return at == -1 ? NULL : (struct names_map *)at;
}

size_t names_bytes(void)
{
	return sizeof(struct names_map);
}

int names_memory(void)
{
	const long seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	long fd = syscall(SYS_memfd_create, "posix_trace_names", (long)(MFD_CLOEXEC | MFD_ALLOW_SEALING));

	if (fd < 0)
		return -1;
	if (proc_may_have(sizeof(struct names_map)) &&
		syscall(SYS_ftruncate, fd, sizeof(struct names_map)) == 0 &&
		syscall(SYS_fcntl, fd, (long)F_ADD_SEALS, seals) == 0)
		return (int)fd;
	syscall(SYS_close, fd);
	return -1;
}

/* Volatile, so that the compiler does not call memcpy(), which may not be bound yet when a handler runs. */
static void bytes_copy(void *to, const void *from, size_t n_bytes)
{
	volatile unsigned char *target = to;
	const volatile unsigned char *source = from;

	for (size_t i = 0; i < n_bytes; i++)
		target[i] = source[i];
}

/* The beginning of a map. */
struct head {
	struct names names;
	_Atomic uint32_t arena_used;
};
_Static_assert(offsetof(struct head, arena_used) == offsetof(struct names_map, arena_used),
	"a map begins like that");

static const struct head beginning = {
	.names = { .magic = NAMES_MAGIC, .bytes = sizeof(struct names_map), .limit = NAMES_FIRST_USER },
	.arena_used = 1,
};

/*
 * Written as a file: this fails only where there is no room, or if another process truncates the file
 * meanwhile.
 */
static struct names_map *map_begin(int fd)
{
	struct names_map *map;

	if (fd >= 0 &&
		syscall(SYS_pwrite64, (long)fd, &beginning, sizeof(beginning), 0L) != (long)sizeof(beginning))
		return NULL;
	map = memory_get(fd);
	if (map && fd < 0)
		bytes_copy(map, &beginning, sizeof(beginning));
	return map;
}

struct names *names_create(int fd)
{
	struct names_map *map = map_begin(fd);

	return map ? &map->head : NULL;
}

struct names *names_map(int fd)
{
	struct names_map *map;
	struct stat status;

	if (fstat(fd, &status) < 0 || status.st_size != sizeof(struct names_map))
		return NULL;
	map = memory_get(fd);
	if (!map)
		return NULL;
	if (sparse_get(map, offsetof(struct names_map, entries)) && map->head.magic == NAMES_MAGIC &&
		map->head.bytes == sizeof(struct names_map))
		return &map->head;
	munmap(map, sizeof(struct names_map));
	return NULL;
}

void names_unmap(struct names *names)
{
	if (names)
		munmap(names, sizeof(struct names_map));
}

static enum entry_state entry_state(const struct names_entry *entry)
{
	return atomic_load_explicit(&entry->state, memory_order_acquire) & ENTRY_STATES;
}

/* An entry that is being claimed is not copied, nor is any behind it. */
static bool entry_copy(struct names_entry *to, const struct names_entry *from)
{
	enum entry_state state = entry_state(from);

	if (state != ENTRY_READY && state != ENTRY_DEAD)
		return false;
	if (state == ENTRY_READY) {
		uint32_t description = atomic_load_explicit(&from->description, memory_order_acquire);

		bytes_copy(to->name, from->name, sizeof(to->name));
		atomic_store_explicit(&to->description, description, memory_order_relaxed);
	}
	atomic_store_explicit(&to->state, state, memory_order_relaxed);
	return true;
}

/* The number of entries that have pages. */
static uint32_t entries_there(const struct names *names)
{
	trace_event_id_t limit = names_limit(names);

	return limit > NAMES_FIRST_USER ? limit - NAMES_FIRST_USER : 0;
}

/* Returns false if there is no room for them; then no entry is visible. */
static bool map_copy(struct names_map *to, const struct names_map *from)
{
	uint32_t n_there = entries_there(&from->head), n = 0, used;

	if (!sparse_get(to->entries, n_there * sizeof(to->entries[0])))
		return false;
	while (n < n_there && entry_copy(&to->entries[n], &from->entries[n]))
		n++;
	/* loaded after the entries: it is raised before the description's offset is stored */
	used = atomic_load_explicit(&from->arena_used, memory_order_relaxed);
	if (used < 1 || used > ARENA_WORDS)
		used = 1;
	if (!sparse_get(&to->arena[1], (used - 1) * sizeof(uint64_t)))
		return false;
	bytes_copy(&to->arena[1], &from->arena[1], (used - 1) * sizeof(uint64_t));
	atomic_store_explicit(&to->arena_used, used, memory_order_relaxed);
	atomic_store_explicit(&to->head.n_refused, names_refused(&from->head), memory_order_relaxed);
	atomic_store_explicit(&to->head.limit, NAMES_FIRST_USER + n, memory_order_relaxed);
	return true;
}

struct names *names_copy(const struct names *names, int fd)
{
	int kept = errno;
	struct names_map *map = map_begin(fd);

	if (map && !map_copy(map, names_whole_const(names))) {
		names_unmap(&map->head);
		map = NULL;
	}
	errno = kept;
	return map ? &map->head : NULL;
}

void names_count_change(struct names *names)
{
	atomic_fetch_add_explicit(&names->version, 1, memory_order_release);
}

void names_refuse(struct names *names)
{
	atomic_fetch_add_explicit(&names->n_refused, 1, memory_order_relaxed);
}

bool names_carry(struct names *to, const struct names *from)
{
	if (names_limit(from) <= NAMES_FIRST_USER)
		return true;
	if (names_limit(to) != NAMES_FIRST_USER)
		return false;
	if (!map_copy(names_whole(to), names_whole_const(from)))
		return false;
	names_count_change(to);
	return true;
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* In another pid namespace the answer means nothing: then CLAIM_NS alone decides. */
static bool claimer_is_gone(uint32_t state)
{
	return syscall(SYS_tkill, (long)(state >> ENTRY_CLAIMER), 0L) < 0 && errno == ESRCH;
}

/*
 * Waits until no thread writes the entry, or declares it dead. *begun is the time at which the first wait of
 * this walk through the map began, 0 at first. A walk waits for CLAIM_NS in all, even if another process has
 * claimed every entry.
 */
static enum entry_state entry_settle(struct names_entry *entry, uint64_t *begun)
{
	const struct timespec nap = { .tv_nsec = LOOK_AGAIN_NS };
	uint32_t seen = atomic_load_explicit(&entry->state, memory_order_acquire);

	while ((seen & ENTRY_STATES) == ENTRY_CLAIMED) {
		uint64_t now = now_ns();

		if (!*begun)
			*begun = now;
		if (now - *begun > CLAIM_NS || claimer_is_gone(seen)) {
			/* on failure the claimer was just in time */
			if (atomic_compare_exchange_strong(&entry->state, &seen, ENTRY_DEAD))
				return ENTRY_DEAD;
			break;
		}
		nanosleep(&nap, NULL);
		seen = atomic_load_explicit(&entry->state, memory_order_acquire);
	}
	seen &= ENTRY_STATES;
	return seen == ENTRY_CLAIMED ? ENTRY_DEAD : (enum entry_state)seen;
}

static bool entry_claim(struct names_entry *entry, const char *name, size_t length)
{
	uint32_t empty = ENTRY_EMPTY;
	uint32_t mine = (uint32_t)syscall(SYS_gettid) << ENTRY_CLAIMER | ENTRY_CLAIMED;

	if (!atomic_compare_exchange_strong(&entry->state, &empty, mine))
		return false;
	memcpy(entry->name, name, length);
	return atomic_compare_exchange_strong(&entry->state, &mine, ENTRY_READY);
}

/* Whether the entry has this name, or has got it now. */
static bool entry_take(struct names_entry *entry, const char *name, size_t length, uint64_t *begun)
{
	enum entry_state state = entry_settle(entry, begun);

	if (state == ENTRY_EMPTY) {
		if (entry_claim(entry, name, length))
			return true;
		state = entry_settle(entry, begun);
	}
	return state == ENTRY_READY && memcmp(entry->name, name, length) == 0 && entry->name[length] == '\0';
}

/*
 * A thread that finds an identifier raises the limit above it: the thread that added it may have died before.
 */
static void limit_raise(struct names *names, trace_event_id_t limit)
{
	uint32_t seen = atomic_load_explicit(&names->limit, memory_order_relaxed);

	for (int tries = 0; seen < limit && tries < NAMES_TRIES; tries++)
		if (atomic_compare_exchange_strong(&names->limit, &seen, limit)) {
			names_count_change(names);
			return;
		}
}

/* Predefined types have the names of their constants, too: POSIX_TRACE_START. In any locale. */
static bool is_predefined(const struct names_predefined *type, const char *name)
{
	size_t i = 0;

	if (strcmp(type->name, name) == 0)
		return true;
	while (type->name[i] && name[i] == (type->name[i] == '_' ? '_' : type->name[i] - 'a' + 'A'))
		i++;
	return !type->name[i] && !name[i];
}

int names_open(struct names *names, const char *name, trace_event_id_t *ret_id)
{
	struct names_map *map = names_whole(names);
	size_t length = strnlen(name, TRACE_EVENT_NAME_MAX + 1);
	const uint32_t n_there = entries_there(names);
	uint64_t begun = 0;

	if (length > TRACE_EVENT_NAME_MAX)
		return ENAMETOOLONG;
	*ret_id = POSIX_TRACE_UNNAMED_USEREVENT;
	for (size_t i = 0; i < N_PREDEFINED; i++)
		if (is_predefined(&predefined_types[i], name)) {
			*ret_id = predefined_types[i].id;
			return 0;
		}
	for (uint32_t i = 0; i < NAMES_ENTRIES; i++) {
		if (i >= n_there && !sparse_get(&map->entries[i], sizeof(map->entries[i])))
			break;
		if (entry_take(&map->entries[i], name, length, &begun)) {
			*ret_id = NAMES_FIRST_USER + i;
			limit_raise(names, *ret_id + 1);
			return 0;
		}
	}
	names_refuse(names);
	return 0;
}

/* NULL when the identifier has no name of its own. */
const struct names_entry *names_find_entry(const struct names *names, trace_event_id_t id)
{
	const struct names_entry *entry;

	if (id < NAMES_FIRST_USER || id >= names_limit(names))
		return NULL;
	entry = &names_whole_const(names)->entries[id - NAMES_FIRST_USER];
	return entry_state(entry) == ENTRY_READY ? entry : NULL;
}

bool names_get(const struct names *names, trace_event_id_t id, char *ret_name)
{
	const struct names_entry *entry = names_find_entry(names, id);
	const char *name = entry ? entry->name : names_predefined(id);

	if (!name)
		return false;
	ret_name[0] = '\0';
	strncat(ret_name, name, TRACE_EVENT_NAME_MAX);
	return true;
}

trace_event_id_t names_next(const struct names *names, trace_event_id_t after)
{
	trace_event_id_t limit = names_limit(names);

	for (trace_event_id_t id = after; id < limit;)
		if (names_predefined(++id) || names_find_entry(names, id))
			return id;
	return 0;
}
