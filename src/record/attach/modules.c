/* SPDX-License-Identifier: MIT */
#include "record/attach/modules.h"
#include "record/rendezvous/proc.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of untrusted files: what no linker makes is not read. */
#define HEADERS_MAX 64
#define NOTES_MAX   64

const struct modules_range *modules_find(const struct modules *modules, uint32_t pid, uint64_t address)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		const struct modules_range *range = &modules->range[i];

		if (range->pid == pid && address >= range->start && address < range->end)
			return range;
	}
	return NULL;
}

bool modules_know(const struct modules *modules, uint32_t pid, uint64_t address)
{
	return modules_find(modules, pid, address) != NULL;
}

static bool read_at(int fd, uint64_t offset, void *buffer, size_t size)
{
	/* Not pread(), which is a cancellation point. */
	return offset <= INT32_MAX && lseek(fd, (off_t)offset, SEEK_SET) == (off_t)offset &&
	       proc_read(fd, buffer, size) == size;
}

/* The notes of one PT_NOTE: each a head, a name and a description, both padded to the segment's alignment. */
static uint32_t build_id_in_notes(int fd, const ElfW(Phdr) * segment, uint8_t *ret_id, size_t size)
{
	uint64_t align = segment->p_align == 8 ? 8 : 4;
	uint64_t at = segment->p_offset, left = segment->p_filesz;
	ElfW(Nhdr) note;
	char name[4];

	for (unsigned int i = 0; i < NOTES_MAX && left >= sizeof note && read_at(fd, at, &note, sizeof note);
		i++) {
		uint64_t data = (sizeof note + note.n_namesz + align - 1) & ~(align - 1);
		uint64_t next = (data + note.n_descsz + align - 1) & ~(align - 1);

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= size &&
			data + note.n_descsz <= left && read_at(fd, at + sizeof note, name, sizeof name) &&
			memcmp(name, "GNU", 4) == 0)
			return read_at(fd, at + data, ret_id, note.n_descsz) ? note.n_descsz : 0;
		if (next >= left)
			break;
		at += next;
		left -= next;
	}
	return 0;
}

/* Of a file of this machine's own class; 0: it has none. */
static uint32_t build_id_read(int fd, uint8_t *ret_id, size_t size)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	uint32_t n = 0;

	if (!read_at(fd, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
		head.e_phentsize != sizeof segment)
		return 0;
	for (unsigned int i = 0; i < head.e_phnum && i < HEADERS_MAX && n == 0; i++) {
		if (!read_at(fd, head.e_phoff + i * sizeof segment, &segment, sizeof segment))
			return 0;
		if (segment.p_type == PT_NOTE)
			n = build_id_in_notes(fd, &segment, ret_id, size);
	}
	return n;
}

static uint32_t build_id_of(const char *path, uint8_t *ret_id, size_t size)
{
	struct stat status;
	uint32_t n = 0;
	int fd;

	/* Looked at first: opening a device may do something. */
	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		n = build_id_read(fd, ret_id, size);
	proc_close(fd);
	return n;
}

/* The path as the process itself sees it, which may live under another root. */
static bool path_from_root(struct modules *modules, uint32_t pid, const struct proc_mapping *mapping)
{
	char *at = proc_path(modules->path, pid, "root");

	if (mapping->path_length >= sizeof modules->path - (size_t)(at - modules->path))
		return false;
	memcpy(at, mapping->path, mapping->path_length);
	at[mapping->path_length] = '\0';
	return true;
}

static bool ends_with(const struct proc_mapping *mapping, const char *end)
{
	size_t length = strlen(end);

	return mapping->path_length >= length &&
	       memcmp(mapping->path + mapping->path_length - length, end, length) == 0;
}

static bool is_module(const struct proc_mapping *mapping)
{
	return mapping->is_executable && mapping->path_length > 0 &&
	       (mapping->path[0] == '/' ||
		       (mapping->path_length == 6 && memcmp(mapping->path, "[vdso]", 6) == 0));
}

static uint32_t mark_of(const struct proc_mapping *mapping)
{
	uint64_t mark = (mapping->inode ^ mapping->file_offset >> 12) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(mark >> 32) ^ mapping->major << 16 ^ mapping->minor;
}

/* The place for a range: of one that it covers, else a free one, else the next one to give way. */
static struct modules_range *place_for(struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		struct modules_range *old = &modules->range[i];

		if (old->pid == range->pid && range->start < old->end && old->start < range->end)
			return old;
	}
	if (modules->n < MODULES_MAX)
		return &modules->range[modules->n++];
	modules->next = (modules->next + 1) % MODULES_MAX;
	return &modules->range[modules->next];
}

static bool is_written(const struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		const struct modules_range *old = &modules->range[i];

		if (old->pid == range->pid && old->start == range->start && old->end == range->end &&
			old->mark == range->mark)
			return true;
	}
	return false;
}

/* Of a range that another one gives way to only in part, the rest is not known any more. */
static void forget_covered(struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		struct modules_range *old = &modules->range[i];

		if (old != range && old->pid == range->pid && range->start < old->end &&
			old->start < range->end)
			old->end = old->start;
	}
}

static int mapping_write(
	struct modules *modules, uint32_t pid, const struct proc_mapping *mapping, struct log_writer *log)
{
	const struct modules_range range = { pid, mark_of(mapping), mapping->start, mapping->end };
	struct log_module module = { .pid = pid,
		.address = mapping->start,
		.size = mapping->end - mapping->start,
		.file_offset = mapping->file_offset };
	struct modules_range *place;
	int error;

	if (is_written(modules, &range))
		return 0;
	if (modules->n_written >= MODULES_WRITTEN_MAX || !path_from_root(modules, pid, mapping)) {
		modules->n_passed_over++;
		return 0;
	}
	if (mapping->path[0] == '/' && !ends_with(mapping, " (deleted)"))
		module.n_build_id = build_id_of(modules->path, module.build_id, sizeof module.build_id);
	/* The log wants a text with an end, which the map's line has not. */
	memmove(modules->path, mapping->path, mapping->path_length);
	modules->path[mapping->path_length] = '\0';
	module.length = (uint32_t)mapping->path_length;
	error = log_module(log, &module, modules->path);
	if (error)
		return error;
	modules->n_written++;
	place = place_for(modules, &range);
	*place = range;
	forget_covered(modules, place);
	return 0;
}

int modules_write(struct modules *modules, uint32_t pid, struct log_writer *log)
{
	struct proc_mapping mapping;
	struct proc_map map;
	int fd = proc_open(pid, 0, "maps");
	int error = 0;

	if (fd < 0)
		return 0;
	proc_map_begin(&map, fd, modules->buffer, sizeof modules->buffer);
	while (error == 0 && proc_map_next(&map, &mapping))
		if (is_module(&mapping))
			error = mapping_write(modules, pid, &mapping, log);
	proc_close(fd);
	return error;
}
