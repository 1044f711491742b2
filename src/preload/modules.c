/* SPDX-License-Identifier: MIT */
/*
 * An address has a name only if the module at that place in memory is known. The consumer of a log looks into
 * /proc, but rarely, and a program that lives for milliseconds is gone by then. So an event with the address
 * of its code, its build id and its path precedes the first event from a program or library, and one with the
 * address of its data the first event of a lock there. A child of fork
 * has its parent's modules.
 *
 * _dl_find_object() (glibc 2.35) may be called in signal handlers. Without it, only the consumer finds
 * modules.
 */
#include "preload/preload.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { RANGES_MAX = 128, PATH_BYTES = 448, NAME_BYTES = 16, ID_BYTES = 24 };

/* Code and data whose module was recorded. When the table is full, the consumer finds the rest. */
struct range {
	uintptr_t end, start;
};
static struct range ranges[RANGES_MAX];
static unsigned int n_ranges;
/* The range of the last address, which usually has the next one, too. */
static __thread struct range last __attribute__((tls_model("initial-exec")));

/* The layout of the event's data. */
struct module {
	uint64_t start, size, offset;
	uint8_t build_id[ID_BYTES];
};

static inline bool is_in(const struct range *range, uintptr_t address)
{
	return address >= range->start && address < range->end;
}

static bool modules_is_told(uintptr_t address)
{
	unsigned int n = __atomic_load_n(&n_ranges, __ATOMIC_RELAXED);

	for (unsigned int i = 0; i < n && i < RANGES_MAX; i++) {
		const struct range range = { .start = __atomic_load_n(&ranges[i].start, __ATOMIC_ACQUIRE),
			.end = __atomic_load_n(&ranges[i].end, __ATOMIC_RELAXED) };

		if (is_in(&range, address)) {
			last = range;
			return true;
		}
	}
	return false;
}

/* Two threads may publish the same module at once; a reader takes the later one. */
static bool module_publish(const struct module *module)
{
	unsigned int place = __atomic_fetch_add(&n_ranges, 1, __ATOMIC_RELAXED);

	if (place >= RANGES_MAX) {
		__atomic_store_n(&n_ranges, RANGES_MAX, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&ranges[place].end, module->start + module->size, __ATOMIC_RELAXED);
	__atomic_store_n(&ranges[place].start, module->start, __ATOMIC_RELEASE);
	return true;
}

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 35)

/* An object's headers. They are read only if they are in its first page, where linkers put them. */
struct object {
	uintptr_t base;
	const ElfW(Phdr) * segments;
	unsigned int n_segments;
};
enum { PAGE_BYTES = 4096 };

static bool find_object(uintptr_t address, struct object *ret_object, const char **ret_path)
{
	struct dl_find_object found;

	if (_dl_find_object((void *)address, &found) != 0)
		return false;
	const ElfW(Ehdr) *head = found.dlfo_map_start;

	if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_phentsize != sizeof(ElfW(Phdr)) ||
		head->e_phoff > PAGE_BYTES ||
		head->e_phnum > (PAGE_BYTES - head->e_phoff) / sizeof(ElfW(Phdr)))
		return false;
	ret_object->base = found.dlfo_link_map->l_addr;
	ret_object->segments = (const void *)((const char *)found.dlfo_map_start + head->e_phoff);
	ret_object->n_segments = head->e_phnum;
	*ret_path = found.dlfo_link_map->l_name;
	return true;
}

/* Finds the loaded and readable segment that contains all of these bytes. */
static const ElfW(Phdr) * segment_at(const struct object *object, uintptr_t address, size_t n_bytes)
{
	for (unsigned int i = 0; i < object->n_segments; i++) {
		const ElfW(Phdr) *segment = &object->segments[i];
		uintptr_t at = address - object->base - segment->p_vaddr;

		if (segment->p_type == PT_LOAD && segment->p_flags & PF_R && at < segment->p_memsz &&
			n_bytes <= segment->p_memsz - at)
			return segment;
	}
	return NULL;
}

/* ELF notes: each has a head, a name and a description, both padded to words. */
static void find_build_id(const uint8_t *notes, size_t n_notes, uint8_t *ret_id)
{
	ElfW(Nhdr) head;

	for (size_t at = 0; n_notes - at >= sizeof(head) && at < n_notes;) {
		memcpy(&head, notes + at, sizeof(head));
		uint64_t id = at + sizeof(head) + (((uint64_t)head.n_namesz + 3) & ~3ull);
		uint64_t next = id + (((uint64_t)head.n_descsz + 3) & ~3ull);

		if (next > n_notes)
			return;
		if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == sizeof("GNU") &&
			head.n_descsz <= ID_BYTES) {
			memcpy(ret_id, notes + id, head.n_descsz);
			return;
		}
		at = (size_t)next;
	}
}

static bool find_module(uintptr_t address, struct module *ret_module, const char **ret_path)
{
	struct object object;
	const ElfW(Phdr) * segment;

	if (!find_object(address, &object, ret_path))
		return false;
	segment = segment_at(&object, address, 1);
	if (!segment)
		return false;
	ret_module->start = object.base + segment->p_vaddr;
	ret_module->size = segment->p_memsz;
	ret_module->offset = segment->p_offset;
	for (unsigned int i = 0; i < object.n_segments; i++) {
		uintptr_t notes = object.base + object.segments[i].p_vaddr;

		if (object.segments[i].p_type == PT_NOTE &&
			segment_at(&object, notes, object.segments[i].p_memsz))
			find_build_id(
				(const uint8_t *)notes, object.segments[i].p_memsz, ret_module->build_id);
	}
	return true;
}

#else

static bool find_module(uintptr_t address, struct module *ret_module, const char **ret_path)
{
	return (void)address, (void)ret_module, (void)ret_path, false;
}

#endif

/*
 * The program's own file, for which the dynamic linker has no name. It is read early, because a sandbox may
 * forbid it later.
 */
static char own_path[PATH_BYTES];

static __attribute__((noinline)) void module_tell(uintptr_t address)
{
	struct module module = { .start = 0 };
	const char *path;
	int error = errno;

	if (find_module(address, &module, &path) && module_publish(&module)) {
		path = path[0] ? path : own_path;
		if (path[0] == '/')
			event_put_text(PRELOAD_MODULE, NULL, &module, path);
	}
	errno = error;
}

void module_meet(const void *place)
{
	uintptr_t address = (uintptr_t)place;

	if (__builtin_expect(is_in(&last, address) || !address, 1) || modules_is_told(address))
		return;
	module_tell(address);
}

void program_begins(void)
{
	char name[NAME_BYTES] = "";
	ssize_t n = readlink("/proc/self/exe", own_path, sizeof(own_path) - 1);

	own_path[n > 0 ? n : 0] = '\0';
	if (!is_traced())
		return;
	prctl(PR_GET_NAME, name);
	event_put_text(PRELOAD_PROGRAM_BEGIN, NULL, name, own_path);
}
