/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc of a process, with raw system calls and the caller's memory, so that the handler of a fatal
 * signal may use it. (open() and similar functions of libc are cancellation points, so this code does not
 * call them.)
 */
#ifndef RENDEZVOUS_PROC_H
#define RENDEZVOUS_PROC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writes a number in decimal, 20 digits at most; returns its end. */
char *proc_number(char *at, uint64_t number);
/* Writes "/proc/PID/name" to a buffer of 40 bytes and the name's length; returns its end. */
char *proc_path(char *at, uint32_t pid, const char *name);
/* Opens /proc/PID/NAME, or /proc/PID/task/TID/NAME when tid is not 0, for reading; -1. */
int proc_open(uint32_t pid, uint32_t tid, const char *name);
/* Bytes read; 0 at the end, and when there is an error. */
size_t proc_read(int fd, void *buffer, size_t size);
void proc_close(int fd);

/* Field 4 of a process's stat: its parent now. Returns 0 if it is not known. */
uint32_t proc_parent(uint32_t pid);

/* Field 18 of a thread's stat, counted as sched_switch counts: 0 to 98 is real-time, 120 usual. Returns false
 * if it is not known. */
bool proc_priority(uint32_t pid, uint32_t tid, int32_t *ret_priority);

/* The name of a process (tid 0) or thread, 16 bytes filled up with NULs. */
bool proc_name(uint32_t pid, uint32_t tid, char *ret_name);
/* The arguments of a process, with a blank between them, cut to size - 1 bytes. */
void proc_command(uint32_t pid, char *ret_command, size_t size);

/*
 * Whether a file of the caller may have so many bytes: beyond the limit a signal ends the program
 * (RLIMIT_FSIZE, SIGXFSZ).
 */
bool proc_may_have(uint64_t bytes);

/* A file, or shared memory, as memory maps show it. */
struct proc_file {
	uint64_t inode;
	uint32_t major, minor; /* of the file's device */
};
bool proc_file_of(int fd, struct proc_file *ret_file);

/* The memory map of a process, line by line. The caller provides the buffer; a longer line is skipped. */
struct proc_map {
	int fd;
	unsigned char *buffer;
	size_t size, begin, end;
	bool is_skipping; /* the rest of a line that is too long */
};
struct proc_mapping {
	uint64_t start, end, file_offset, inode;
	uint32_t major, minor; /* of the file's device */
	bool is_executable;
	const char *path; /* borrowed until the next call; not ended by NUL */
	size_t path_length;
};
/* fd: an open /proc/PID/maps, at its beginning. */
void proc_map_begin(struct proc_map *map, int fd, void *buffer, size_t size);
bool proc_map_next(struct proc_map *map, struct proc_mapping *ret_mapping);

#endif
