/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static char *text_put(char *at, const char *text)
{
	while (*text)
		*at++ = *text++;
	return at;
}

/* Fields of /proc/PID/stat, proc(5). Priorities that are not real-time are counted from 0 on there. */
enum { STAT_PARENT = 4, STAT_PRIORITY = 18, PRIORITIES_REAL_TIME = 100 };

char *proc_number(char *at, uint64_t number)
{
	char digits[20];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	while (n > 0)
		*at++ = digits[--n];
	return at;
}

char *proc_path(char *at, uint32_t pid, const char *name)
{
	return text_put(text_put(proc_number(text_put(at, "/proc/"), pid), "/"), name);
}

int proc_open(uint32_t pid, uint32_t tid, const char *name)
{
	char path[64];
	char *at = proc_number(text_put(path, "/proc/"), pid);

	if (strlen(name) > 16)
		return -1;
	if (tid)
		at = proc_number(text_put(at, "/task/"), tid);
	at = text_put(text_put(at, "/"), name);
	*at = '\0';
	return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NOCTTY, 0);
}

size_t proc_read(int fd, void *buffer, size_t size)
{
	long n;

	do {
		n = syscall(SYS_read, fd, buffer, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? 0 : (size_t)n;
}

void proc_close(int fd)
{
	if (fd >= 0)
		syscall(SYS_close, fd);
}

static size_t read_small(uint32_t pid, uint32_t tid, const char *name, char *buffer, size_t size)
{
	int fd = proc_open(pid, tid, name);
	size_t n = 0, got;

	if (fd < 0)
		return 0;
	while (n < size && (got = proc_read(fd, buffer + n, size - n)) > 0)
		n += got;
	proc_close(fd);
	return n;
}

/* Reads a number of the stat of a process (tid 0) or thread. Returns false if there is no such number. */
static bool stat_number(uint32_t pid, uint32_t tid, unsigned int wanted, int64_t *ret_number)
{
	char text[1024];
	size_t n = read_small(pid, tid, "stat", text, sizeof text);
	size_t at = n;
	unsigned int field = 2;
	int64_t sign = 1, number = 0;

	while (at > 0 && text[at - 1] != ')') /* the name before it may contain anything */
		at--;
	for (size_t i = at; at > 0 && i < n && field <= wanted; i++) {
		if (text[i] == ' ')
			field++;
		else if (field == wanted && text[i] == '-')
			sign = -1;
		else if (field == wanted && text[i] >= '0' && text[i] <= '9')
			number = number * 10 + (text[i] - '0');
	}
	*ret_number = sign * number;
	return at > 0 && field > wanted;
}

uint32_t proc_parent(uint32_t pid)
{
	int64_t parent;

	return stat_number(pid, 0, STAT_PARENT, &parent) ? (uint32_t)parent : 0;
}

bool proc_priority(uint32_t pid, uint32_t tid, int32_t *ret_priority)
{
	int64_t priority;

	if (!stat_number(pid, tid, STAT_PRIORITY, &priority))
		return false;
	*ret_priority = (int32_t)priority + PRIORITIES_REAL_TIME;
	return true;
}

bool proc_name(uint32_t pid, uint32_t tid, char *ret_name)
{
	char name[16] = { 0 };
	size_t n = read_small(pid, tid, "comm", name, sizeof name);

	if (n == 0)
		return false;
	if (name[n - 1] == '\n')
		name[n - 1] = '\0';
	memcpy(ret_name, name, sizeof name);
	return true;
}

void proc_command(uint32_t pid, char *ret_command, size_t size)
{
	size_t n = read_small(pid, 0, "cmdline", ret_command, size - 1);

	while (n > 0 && ret_command[n - 1] == '\0')
		n--;
	for (size_t i = 0; i < n; i++)
		if (ret_command[i] == '\0')
			ret_command[i] = ' ';
	memset(ret_command + n, 0, size - n);
}

void proc_map_begin(struct proc_map *map, int fd, void *buffer, size_t size)
{
	*map = (struct proc_map){ .fd = fd, .buffer = buffer, .size = size };
}

/* Reads more behind what is there; false at the end. */
static bool map_fill(struct proc_map *map)
{
	size_t n;

	if (map->begin == 0 && map->end == map->size) {
		map->is_skipping = true;
		map->end = 0;
	}
	memmove(map->buffer, map->buffer + map->begin, map->end - map->begin);
	map->end -= map->begin;
	map->begin = 0;
	n = proc_read(map->fd, map->buffer + map->end, map->size - map->end);
	map->end += n;
	return n > 0;
}

/* The next whole line, without its end. */
static const char *map_line(struct proc_map *map, size_t *ret_length)
{
	for (;;) {
		unsigned char *line = map->buffer + map->begin;
		unsigned char *end = memchr(line, '\n', map->end - map->begin);

		if (!end) {
			if (!map_fill(map))
				return NULL;
			continue;
		}
		*ret_length = (size_t)(end - line);
		map->begin += *ret_length + 1;
		if (!map->is_skipping)
			return (const char *)line;
		map->is_skipping = false;
	}
}

struct words {
	const char *at, *end;
};

static uint64_t take_number(struct words *words, unsigned int base)
{
	uint64_t number = 0;

	for (; words->at < words->end; words->at++) {
		unsigned int c = (unsigned char)*words->at;
		unsigned int digit = c - '0' <= 9 ? c - '0' : c - 'a' <= 5 ? c - 'a' + 10 : 16;

		if (digit >= base)
			break;
		number = number * base + digit;
	}
	return number;
}

/* Skips one character. */
static void take_sign(struct words *words)
{
	if (words->at < words->end)
		words->at++;
}

/* proc(5): start-end rwxp offset major:minor inode, blanks, path */
static bool mapping_read(const char *line, size_t length, struct proc_mapping *ret_mapping)
{
	struct words words = { line, line + length };
	struct proc_mapping mapping = { 0 };

	mapping.start = take_number(&words, 16);
	take_sign(&words);
	mapping.end = take_number(&words, 16);
	take_sign(&words);
	if (words.end - words.at < 5 || mapping.end <= mapping.start)
		return false;
	mapping.is_executable = words.at[2] == 'x';
	words.at += 5;
	mapping.file_offset = take_number(&words, 16);
	take_sign(&words);
	mapping.major = (uint32_t)take_number(&words, 16);
	take_sign(&words);
	mapping.minor = (uint32_t)take_number(&words, 16);
	take_sign(&words);
	mapping.inode = take_number(&words, 10);
	while (words.at < words.end && *words.at == ' ')
		words.at++;
	mapping.path = words.at;
	mapping.path_length = (size_t)(words.end - words.at);
	*ret_mapping = mapping;
	return true;
}

bool proc_map_next(struct proc_map *map, struct proc_mapping *ret_mapping)
{
	const char *line;
	size_t length;

	while ((line = map_line(map, &length)) != NULL)
		if (mapping_read(line, length, ret_mapping))
			return true;
	return false;
}

bool proc_may_have(uint64_t bytes)
{
	struct rlimit limit;

	return syscall(SYS_prlimit64, 0, RLIMIT_FSIZE, NULL, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY ||
	       bytes <= limit.rlim_cur;
}

bool proc_file_of(int fd, struct proc_file *ret_file)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	*ret_file = (struct proc_file){ st.st_ino, major(st.st_dev), minor(st.st_dev) };
	return true;
}
