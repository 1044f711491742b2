/* SPDX-License-Identifier: MIT */
#include "record/process/mapped.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Limits for untrusted files: more than any linker makes. */
#define HEADERS_MAX 64
#define NOTES_MAX   64

/* Build ids. */

/* A file; its beginning, which usually has all that is needed, was read at once. */
struct image {
	int fd;
	const unsigned char *head;
	size_t n_head;
};

static bool read_at(const struct image *image, uint64_t offset, void *buffer, size_t size)
{
	if (offset <= image->n_head && size <= image->n_head - offset) {
		memcpy(buffer, image->head + offset, size);
		return true;
	}
	/* pread() is a cancellation point */
	return offset <= INT32_MAX && lseek(image->fd, (off_t)offset, SEEK_SET) == (off_t)offset &&
	       proc_read(image->fd, buffer, size) == size;
}

/* The notes of one PT_NOTE: each a head, a name and a description, both padded to the segment's alignment. */
static uint32_t build_id_in_notes(
	const struct image *image, const ElfW(Phdr) * segment, uint8_t *ret_id, size_t size)
{
	uint64_t align = segment->p_align == 8 ? 8 : 4;
	uint64_t at = segment->p_offset, left = segment->p_filesz;
	ElfW(Nhdr) note;
	char name[4];

	for (unsigned int i = 0;
		i < NOTES_MAX && left >= sizeof note && read_at(image, at, &note, sizeof note); i++) {
		uint64_t data = (sizeof note + note.n_namesz + align - 1) & ~(align - 1);
		uint64_t next = (data + note.n_descsz + align - 1) & ~(align - 1);

		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && note.n_descsz <= size &&
			data + note.n_descsz <= left && read_at(image, at + sizeof note, name, sizeof name) &&
			memcmp(name, "GNU", 4) == 0)
			return read_at(image, at + data, ret_id, note.n_descsz) ? note.n_descsz : 0;
		if (next >= left)
			break;
		at += next;
		left -= next;
	}
	return 0;
}

/* Reads only files with this machine's word size. Returns 0 if there is no build id. */
static uint32_t build_id_read(const struct image *image, uint8_t *ret_id, size_t size)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	uint32_t n = 0;

	if (!read_at(image, 0, &head, sizeof head) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
		head.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) ||
		head.e_phentsize != sizeof segment)
		return 0;
	for (unsigned int i = 0; i < head.e_phnum && i < HEADERS_MAX && n == 0; i++) {
		if (!read_at(image, head.e_phoff + i * sizeof segment, &segment, sizeof segment))
			return 0;
		if (segment.p_type == PT_NOTE)
			n = build_id_in_notes(image, &segment, ret_id, size);
	}
	return n;
}

static uint32_t build_id_of(struct mapped *mapped, struct log_module *module)
{
	struct image image = { .head = mapped->head };
	struct stat status;
	uint32_t n = 0;

	/* checked before: opening a device may have effects */
	if (stat(mapped->path, &status) != 0 || !S_ISREG(status.st_mode))
		return 0;
	image.fd = (int)syscall(
		SYS_openat, AT_FDCWD, mapped->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
	if (image.fd < 0)
		return 0;
	if (fstat(image.fd, &status) == 0 && S_ISREG(status.st_mode)) {
		image.n_head = proc_read(image.fd, mapped->head, sizeof mapped->head);
		n = build_id_read(&image, module->build_id, sizeof module->build_id);
	}
	proc_close(image.fd);
	return n;
}

/* Maps. */

bool mapped_open(struct mapped *mapped, uint32_t pid)
{
	int fd = proc_open(pid, 0, "maps");

	proc_map_begin(&mapped->map, fd, mapped->buffer, sizeof mapped->buffer);
	return fd >= 0;
}

void mapped_close(struct mapped *mapped)
{
	proc_close(mapped->map.fd);
	mapped->map.fd = -1;
}

bool mapped_has(struct mapped *mapped, const struct proc_file *file, uint64_t address)
{
	const struct proc_mapping *mapping = &mapped->mapping;
	int fd = mapped->map.fd;
	bool has_it = false;

	while (!has_it && proc_map_next(&mapped->map, &mapped->mapping))
		has_it = mapping->inode == file->inode && mapping->major == file->major &&
			 mapping->minor == file->minor && (address == 0 || mapping->start == address);
	lseek(fd, 0, SEEK_SET);
	proc_map_begin(&mapped->map, fd, mapped->buffer, sizeof mapped->buffer);
	return has_it;
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

bool mapped_next(struct mapped *mapped, uint32_t pid, struct log_module *ret_module, uint32_t *ret_mark)
{
	const struct proc_mapping *mapping = &mapped->mapping;

	do {
		if (!proc_map_next(&mapped->map, &mapped->mapping))
			return false;
	} while (!is_module(mapping));
	*ret_module = (struct log_module){ .pid = pid,
		.length = (uint32_t)mapping->path_length,
		.address = mapping->start,
		.size = mapping->end - mapping->start,
		.file_offset = mapping->file_offset };
	*ret_mark = mark_of(mapping);
	return true;
}

/* The path as the process itself sees it, which may have another root. */
static bool path_from_root(struct mapped *mapped, uint32_t pid)
{
	const struct proc_mapping *mapping = &mapped->mapping;
	char *at = pid == (uint32_t)getpid() ? mapped->path : proc_path(mapped->path, pid, "root");

	if (mapping->path_length >= sizeof mapped->path - (size_t)(at - mapped->path))
		return false;
	memcpy(at, mapping->path, mapping->path_length);
	at[mapping->path_length] = '\0';
	return true;
}

const char *mapped_identify(struct mapped *mapped, struct log_module *module)
{
	const struct proc_mapping *mapping = &mapped->mapping;

	if (!path_from_root(mapped, module->pid))
		return NULL;
	if (mapping->path[0] == '/' && !ends_with(mapping, " (deleted)"))
		module->n_build_id = build_id_of(mapped, module);
	/* ended by NUL, as the map's line is not */
	memmove(mapped->path, mapping->path, mapping->path_length);
	mapped->path[mapping->path_length] = '\0';
	return mapped->path;
}
