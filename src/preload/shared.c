/* SPDX-License-Identifier: MIT */
/*
 * Locks in memory that processes share. Each process may have the memory at another address, so the address
 * does not identify a lock: the file in that memory does, and the offset in it. An event with both precedes
 * each event of such a lock. So a log that began late, or that lost older events, has them too.
 *
 * The kernel lists a process's memory in /proc/self/maps. Reading the list takes microseconds, so a thread
 * keeps four mappings until memory is unmapped or replaced, which the functions here see. A program may make
 * system calls without the C library, so the thread also reads the list again after USES_MAX uses.
 *
 * A sandbox may kill a program that opens a file. So when a program confines itself, the list is not read any
 * more.
 */
#include "preload/preload.h"

#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum { KEPT = 4, USES_MAX = 256, NAME_BYTES = 48, CHUNK_BYTES = 1024 };

/* A part of memory that is mapped as a whole. If processes do not share it, only its range is known. */
struct mapping {
	uintptr_t start, end;
	uint64_t device, inode, offset;
	bool is_shared;
	char file[NAME_BYTES]; /* the last part of its path */
};

/* Changes when memory goes. */
static unsigned int generation;
/* All that was recorded lies in this range. */
static uintptr_t told_from = UINTPTR_MAX, told_to;
static bool is_confined;

struct kept {
	struct mapping mapping;
	unsigned int generation, n_left; /* uses until it is looked up again; 0: the place is free */
};

static __thread struct {
	struct kept all[KEPT];
	unsigned int next;
	bool is_changing; /* a signal handler that interrupts the change must not use them */
} kept __attribute__((tls_model("initial-exec")));

/* --- the kernel's list ---------------------------------------------------------------------------------- */

struct list {
	int fd;
	unsigned int at, n;
	char bytes[CHUNK_BYTES];
};

/* The next character, or 0 at the end. */
static char list_next(struct list *list)
{
	if (list->at == list->n) {
		ssize_t n = syscall(SYS_read, list->fd, list->bytes, sizeof(list->bytes));

		list->at = 0;
		list->n = n > 0 ? (unsigned int)n : 0;
		if (!list->n)
			return 0;
	}
	return list->bytes[list->at++];
}

/* Reads a number, and the character behind it. */
static uint64_t list_number(struct list *list, unsigned int base)
{
	uint64_t number = 0;

	for (;;) {
		char next = list_next(list);
		unsigned int digit = next >= '0' && next <= '9'	  ? (unsigned int)(next - '0')
				     : next >= 'a' && next <= 'f' ? (unsigned int)(next - 'a') + 10
								  : base;

		if (digit >= base)
			return number;
		number = number * base + digit;
	}
}

/* Reads to the end of the line. Keeps what stands behind the last slash. */
static void list_file(struct list *list, char file[NAME_BYTES])
{
	unsigned int n = 0;

	for (char next; (next = list_next(list)) && next != '\n';) {
		if (next == '/' || (!n && next == ' '))
			n = 0;
		else if (n < NAME_BYTES - 1)
			file[n++] = next;
	}
	file[n] = '\0';
}

/* Reads a line: "7f00-7f80 rw-s 00001000 00:01 1234   /dev/shm/name". Returns false at the end. */
static bool list_line(struct list *list, struct mapping *ret_mapping)
{
	uint64_t major, minor;
	char shared = 0;

	ret_mapping->start = list_number(list, 16);
	ret_mapping->end = list_number(list, 16);
	for (int i = 0; i < 4; i++)
		shared = list_next(list);
	ret_mapping->is_shared = shared == 's';
	list_next(list);
	ret_mapping->offset = list_number(list, 16);
	major = list_number(list, 16);
	minor = list_number(list, 16);
	ret_mapping->device = makedev((unsigned int)major, (unsigned int)minor);
	ret_mapping->inode = list_number(list, 10);
	list_file(list, ret_mapping->file);
	return list->n > 0;
}

/* A file that is deleted is the same file. The kernel's own file has the name of a device. */
static void name_clean(char file[NAME_BYTES])
{
	static const char deleted[] = " (deleted)";
	size_t n = strlen(file), n_deleted = sizeof(deleted) - 1;

	if (n <= n_deleted || strcmp(file + n - n_deleted, deleted) != 0)
		return;
	file[n - n_deleted] = '\0';
	if (strcmp(file, "zero") == 0)
		strcpy(file, "anonymous");
}

/* Returns false if nothing is mapped at the address, or the list cannot be read. */
static bool shared_look_up(uintptr_t address, struct mapping *ret_mapping)
{
	struct list list = { .fd = -1 };
	bool is_found = false;
	int error = errno;

	if (!__atomic_load_n(&is_confined, __ATOMIC_RELAXED))
		list.fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
	if (list.fd >= 0) {
		while (!is_found && list_line(&list, ret_mapping))
			is_found = address >= ret_mapping->start && address < ret_mapping->end;
		syscall(SYS_close, list.fd);
	}
	errno = error;
	if (is_found)
		name_clean(ret_mapping->file);
	return is_found;
}

/* --- what a thread keeps -------------------------------------------------------------------------------- */

static bool find_kept(uintptr_t address, unsigned int now, struct mapping *ret_mapping)
{
	if (kept.is_changing)
		return false;
	for (unsigned int i = 0; i < KEPT; i++) {
		struct kept *place = &kept.all[i];

		if (!place->n_left || place->generation != now || address < place->mapping.start ||
			address >= place->mapping.end)
			continue;
		place->n_left--;
		*ret_mapping = place->mapping;
		return true;
	}
	return false;
}

static void shared_keep(const struct mapping *mapping, unsigned int now)
{
	if (kept.is_changing)
		return;
	kept.is_changing = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	kept.all[kept.next++ % KEPT] = (struct kept){ *mapping, now, USES_MAX };
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	kept.is_changing = false;
}

/*
 * If the list cannot be read, that is kept for the one address: the range of the mapping is not known then.
 */
static void find_mapping(uintptr_t address, struct mapping *ret_mapping)
{
	unsigned int now = __atomic_load_n(&generation, __ATOMIC_ACQUIRE);

	if (find_kept(address, now, ret_mapping))
		return;
	if (!shared_look_up(address, ret_mapping))
		*ret_mapping = (struct mapping){ .start = address, .end = address + 1 };
	shared_keep(ret_mapping, now);
}

/* --- events --------------------------------------------------------------------------------------------- */

/* The range only grows. */
static void note_told(const struct mapping *mapping)
{
	uintptr_t from = __atomic_load_n(&told_from, __ATOMIC_RELAXED),
		  to = __atomic_load_n(&told_to, __ATOMIC_RELAXED);

	while (mapping->start < from && !__atomic_compare_exchange_n(&told_from, &from, mapping->start, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (mapping->end > to && !__atomic_compare_exchange_n(&told_to, &to, mapping->end, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void shared_tell(const volatile void *object, const void *caller)
{
	struct mapping mapping;

	if (!is_traced() || process_is_borrowed())
		return;
	find_mapping((uintptr_t)object, &mapping);
	if (!mapping.is_shared)
		return;
	note_told(&mapping);
	event_put_text(PRELOAD_SHARED_MEMORY, caller,
		(const uint64_t[]){ mapping.start, mapping.end - mapping.start, mapping.device, mapping.inode,
			mapping.offset },
		mapping.file);
}

void shared_confine(void)
{
	__atomic_store_n(&is_confined, true, __ATOMIC_RELAXED);
}

static bool shared_is_told(uintptr_t start, size_t n_bytes)
{
	return start < __atomic_load_n(&told_to, __ATOMIC_RELAXED) &&
	       start + n_bytes > __atomic_load_n(&told_from, __ATOMIC_RELAXED);
}

/* Called before memory goes: a program that still uses it then has a fault of its own. */
static void memory_goes(const void *start, size_t n_bytes, const void *caller)
{
	__atomic_fetch_add(&generation, 1, __ATOMIC_RELEASE);
	if (is_traced() && shared_is_told((uintptr_t)start, n_bytes))
		event_tell(PRELOAD_MEMORY_UNMAP, caller, address_of(start), n_bytes);
}

/* The same for memory whose length only the kernel knows. */
static void mapping_goes(const void *start, const void *caller)
{
	struct mapping mapping = { .start = 0 };

	if (is_traced() && shared_is_told((uintptr_t)start, 1))
		find_mapping((uintptr_t)start, &mapping);
	memory_goes(start, mapping.end > (uintptr_t)start ? mapping.end - (uintptr_t)start : 1, caller);
}

/* --- the functions -------------------------------------------------------------------------------------- */

/* A program may map memory over other memory (MAP_FIXED). */
#define MAP(name, type)                                                                       \
	NEXT(name);                                                                           \
	PRELOAD_PUBLIC void *name(void *at, size_t n, int access, int how, int fd, type from) \
	{                                                                                     \
		if (how & MAP_FIXED)                                                          \
			memory_goes(at, n, PRELOAD_CALLER());                                 \
		return CALL_NEXT(name, at, n, access, how, fd, from);                         \
	}
MAP(mmap, off_t)
MAP(mmap64, off64_t)

NEXT(munmap);
PRELOAD_PUBLIC int munmap(void *at, size_t n)
{
	memory_goes(at, n, PRELOAD_CALLER());
	return CALL_NEXT(munmap, at, n);
}

NEXT(mremap);
PRELOAD_PUBLIC void *mremap(void *at, size_t n_before, size_t n, int how, ...)
{
	void *to = NULL;
	va_list more;

	memory_goes(at, n_before, PRELOAD_CALLER());
	if (!(how & MREMAP_FIXED))
		return CALL_NEXT(mremap, at, n_before, n, how);
	va_start(more, how);
	to = va_arg(more, void *);
	va_end(more);
	memory_goes(to, n, PRELOAD_CALLER());
	return CALL_NEXT(mremap, at, n_before, n, how, to);
}

NEXT(shmat);
PRELOAD_PUBLIC void *shmat(int id, const void *at, int how)
{
	if (how & SHM_REMAP)
		memory_goes(at, SIZE_MAX - (uintptr_t)at, PRELOAD_CALLER());
	return CALL_NEXT(shmat, id, at, how);
}

NEXT(shmdt);
PRELOAD_PUBLIC int shmdt(const void *at)
{
	mapping_goes(at, PRELOAD_CALLER());
	return CALL_NEXT(shmdt, at);
}

NEXT(sem_close);
PRELOAD_PUBLIC int sem_close(sem_t *semaphore)
{
	mapping_goes(semaphore, PRELOAD_CALLER());
	return CALL_NEXT(sem_close, semaphore);
}
