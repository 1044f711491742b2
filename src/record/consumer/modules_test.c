/* SPDX-License-Identifier: MIT */
#include "log/scan.h"
#include "record/consumer/modules.h"
#include "record/rendezvous/proc.h"
#include "tests/tap.h"
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

/* A log whose modules are compared. */
struct sample {
	struct log_writer log;
	struct modules modules;
	char path[64];
	void *buffer;
};

static void sample_begin(struct sample *sample)
{
	const struct log_start start = {
		.content = LOG_CONTENT_POSIX, .clock = LOG_CLOCK_MONOTONIC, .policy = POSIX_TRACE_APPEND
	};
	size_t size = log_buffer_bytes(&start);

	memset(sample, 0, sizeof *sample);
	strcpy(sample->path, "/tmp/modules_test.XXXXXX");
	sample->buffer = malloc(size);
	ok(log_begin(&sample->log, mkstemp(sample->path), &start, false, sample->buffer, size) == 0,
		"a log begins");
}

static void sample_end(struct sample *sample)
{
	close(sample->log.fd);
	unlink(sample->path);
	free(sample->buffer);
}

/* Counts the log's modules; the one whose memory has the address goes to ret_module and ret_path. */
static unsigned int log_modules(
	const struct sample *sample, uint64_t address, struct log_module *ret_module, char *ret_path)
{
	struct log_module module;
	struct log_item item;
	struct log_scan scan;
	const char *what;
	unsigned int n = 0;
	size_t size;
	unsigned char *bytes = tap_slurp(sample->path, &size);

	memset(ret_module, 0, sizeof *ret_module);
	ret_path[0] = '\0';
	if (log_scan_begin(&scan, bytes, size, &what) == 0)
		while (log_scan_next(&scan, bytes, size, 0, true, &item) == LOG_FOUND_BLOCK) {
			if (item.block.kind != LOG_MODULE)
				continue;
			n++;
			memcpy(&module, item.body, sizeof module);
			if (address < module.address || address - module.address >= module.size)
				continue;
			*ret_module = module;
			snprintf(ret_path, 256, "%.*s", (int)module.length,
				(const char *)item.body + sizeof module);
		}
	free(bytes);
	return n;
}

/* The build id of this program, as its own memory has it. */
static int find_own_id(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct log_module *module = argument;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum && module->n_build_id == 0; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		ElfW(Addr) address = info->dlpi_addr + segment->p_vaddr;
		const unsigned char *notes;
		size_t at = 0;

		if (segment->p_type != PT_NOTE)
			continue;
		memcpy(&notes, &address, sizeof notes);
		while (at + 12 <= segment->p_memsz && module->n_build_id == 0) {
			uint32_t head[3];

			memcpy(head, notes + at, sizeof head);
			if (head[2] == NT_GNU_BUILD_ID && head[1] <= sizeof module->build_id) {
				module->n_build_id = head[1];
				memcpy(module->build_id, notes + at + 12 + ((head[0] + 3) & ~3u), head[1]);
			}
			at += 12 + ((head[0] + 3) & ~3u) + ((head[1] + 3) & ~3u);
		}
	}
	return 1; /* the program comes first */
}

static void test_own(void)
{
	static struct sample sample;
	const uint64_t here = (uint64_t)(uintptr_t)&test_own;
	const uint32_t pid = (uint32_t)getpid();
	struct log_module module, own = { 0 };
	char path[256], self[256] = { 0 };
	unsigned int n;

	sample_begin(&sample);
	ok(!modules_know(&sample.modules, pid, here), "nothing is known at first");
	is_number((unsigned int)modules_write(&sample.modules, pid, NULL, &sample.log), 0,
		"a process's modules are written");
	ok(modules_know(&sample.modules, pid, here) && !modules_know(&sample.modules, pid + 1, here) &&
			!modules_know(&sample.modules, pid, 16),
		"then its addresses are known, of that process only");
	n = log_modules(&sample, here, &module, path);
	ok(n >= 3 && readlink("/proc/self/exe", self, sizeof self - 1) > 0,
		"the log has the program and its libraries");
	is_text(path, self, "with their paths");
	ok(module.pid == pid && module.address <= here && module.file_offset % 4096 == 0,
		"and where they lie");
	dl_iterate_phdr(find_own_id, &own);
	ok(module.n_build_id == own.n_build_id &&
			memcmp(module.build_id, own.build_id, sizeof own.build_id) == 0,
		"the build id is the program's own (%u bytes)", own.n_build_id);
	modules_write(&sample.modules, pid, NULL, &sample.log);
	ok(log_modules(&sample, here, &module, path) == n, "what is known is not written again");
	ok(modules_write(&sample.modules, 0x7ffffff0, NULL, &sample.log) == 0,
		"a process that is not there is no error");
	sample_end(&sample);
}

/* A file of ours, mapped for execution: good ones, foreign ones, torn ones. */
static void *map_file(const char *path, const void *bytes, size_t n)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	void *at = MAP_FAILED;

	if (fd >= 0 && write(fd, bytes, n) == (ssize_t)n && ftruncate(fd, 8192) == 0)
		at = mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	return at;
}

static void test_foreign_file(const char *what, const void *bytes, size_t n, uint32_t n_expected)
{
	static struct sample sample;
	char name[64] = "/tmp/modules file.XXXXXX", path[256];
	struct log_module module;
	void *at;

	sample_begin(&sample);
	close(mkstemp(name));
	at = map_file(name, bytes, n);
	modules_write(&sample.modules, (uint32_t)getpid(), NULL, &sample.log);
	log_modules(&sample, (uint64_t)(uintptr_t)at, &module, path);
	is_text(path, name, "a mapped file is a module, also with a blank in its name");
	is_number(module.n_build_id, n_expected, what);
	unlink(name);
	munmap(at, 8192);
	at = mmap(at, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(at, 8192);
	sample_end(&sample);
}

struct image {
	ElfW(Ehdr) head;
	ElfW(Phdr) segment;
	ElfW(Nhdr) note;
	char name[4];
	unsigned char id[32];
};

static struct image image_make(uint32_t n_id)
{
	struct image image = { .head = { .e_ident = ELFMAG,
				       .e_phoff = sizeof(ElfW(Ehdr)),
				       .e_phnum = 1,
				       .e_phentsize = sizeof(ElfW(Phdr)) },
		.segment = { .p_type = PT_NOTE, .p_offset = offsetof(struct image, note), .p_align = 4 },
		.note = { .n_namesz = 4, .n_descsz = n_id, .n_type = NT_GNU_BUILD_ID },
		.name = "GNU" };

	image.head.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	image.segment.p_filesz = sizeof image.note + 4 + n_id;
	return image;
}

static void test_files(void)
{
	struct image image = image_make(20);

	test_foreign_file("its build id is found", &image, sizeof image, 20);
	image.note.n_descsz = 0xfffffff0;
	test_foreign_file("a note longer than its segment is none", &image, sizeof image, 0);
	image = image_make(32);
	test_foreign_file("a build id without room is left out, not cut", &image, sizeof image, 0);
	image = image_make(20);
	image.note.n_type = 5;
	image.segment.p_filesz = ~0ull;
	test_foreign_file("notes without end are not read for ever", &image, sizeof image, 0);
	image = image_make(20);
	image.head.e_phoff = ~0ull;
	test_foreign_file("program headers outside the file are none", &image, sizeof image, 0);
	image = image_make(20);
	image.head.e_phnum = 0xffff;
	image.segment.p_type = PT_NULL;
	test_foreign_file("as are too many of them", &image, sizeof image, 0);
	test_foreign_file("a text has no build id", "#!/bin/sh\n", 10, 0);
	test_foreign_file("nor has an empty file", "", 0, 0);
}

static void test_replaced(void)
{
	static struct sample sample;
	struct image image = image_make(20);
	char name[64] = "/tmp/modules_file.XXXXXX", path[256];
	const uint32_t pid = (uint32_t)getpid();
	struct log_module module;
	unsigned int n;
	void *at;
	int fd;

	sample_begin(&sample);
	close(mkstemp(name));
	at = map_file(name, &image, sizeof image);
	modules_write(&sample.modules, pid, NULL, &sample.log);
	n = log_modules(&sample, 0, &module, path);
	fd = open("/proc/self/exe", O_RDONLY);
	mmap(at, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd, 0);
	close(fd);
	modules_write(&sample.modules, pid, NULL, &sample.log);
	ok(log_modules(&sample, (uint64_t)(uintptr_t)at, &module, path) == n + 1 && strcmp(path, name) != 0,
		"another file at the same address is written");
	munmap(at, 8192);
	at = map_file(name, &image, sizeof image);
	unlink(name);
	modules_write(&sample.modules, pid, NULL, &sample.log);
	log_modules(&sample, (uint64_t)(uintptr_t)at, &module, path);
	ok(module.n_build_id == 0 && strstr(path, " (deleted)"), "a deleted file has no build id");
	munmap(at, 8192);
	sample_end(&sample);
}

/* The map is read from a file of ours through a buffer that is too small for some lines. */
static void test_lines(void)
{
	static const char text[] =
		"1000-2000 r-xp 00000000 08:01 42 /a\n"
		"2000-3000 r--p 00001000 08:01 42         /0123456789012345678901234567890123456789"
		"0123456789012345678901234567890123456789\n"
		"nonsense\n"
		"3000-4000 r-xp 0000f000 fe:1a 18446744073709551615 \n"
		"ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0 [vsyscall]\n"
		"5000-6000 r-xp 0";
	char path[] = "/tmp/modules_lines.XXXXXX", buffer[80];
	struct proc_mapping mapping[8];
	struct proc_map map;
	int fd = mkstemp(path);
	unsigned int n = 0;

	ok(write(fd, text, sizeof text - 1) > 0 && lseek(fd, 0, SEEK_SET) == 0, "a map is written");
	proc_map_begin(&map, fd, buffer, sizeof buffer);
	while (n < 8 && proc_map_next(&map, &mapping[n]))
		n++;
	is_number(n, 3, "lines that are too long, or no lines, are passed over");
	ok(mapping[0].start == 0x1000 && mapping[0].end == 0x2000 && mapping[0].is_executable &&
			mapping[0].inode == 42,
		"the first line reads as it is");
	ok(mapping[1].file_offset == 0xf000 && mapping[1].major == 0xfe && mapping[1].minor == 0x1a &&
			mapping[1].path_length == 0 && mapping[1].inode == UINT64_MAX,
		"a mapping may have no path");
	ok(mapping[2].start == 0xffffffffff600000 && mapping[2].path_length == 10,
		"addresses have all their bits");
	close(fd);
	unlink(path);
}

static void test_process(void)
{
	char name[16], command[8];
	uint32_t pid = (uint32_t)getpid();

	ok(proc_parent(pid) == (uint32_t)getppid() && proc_parent(UINT32_MAX) == 0, "a process has a parent");
	ok(proc_name(pid, 0, name) && strncmp(name, "modules_test", 15) == 0, "it has a name");
	ok(proc_name(pid, pid, name) && !proc_name(pid, 1, name),
		"as has its thread, and no other process's");
	proc_command(pid, command, sizeof command);
	ok(strlen(command) > 0 && strlen(command) < sizeof command, "its arguments are cut to their room");
}

int main(void)
{
	test_own();
	test_files();
	test_replaced();
	test_lines();
	test_process();
	return tap_done();
}
