/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/permit.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/proc.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OWN_STATUS "/proc/thread-self/status" /* filters belong to a thread */
#define PATH_BYTES 40

/* /proc/PID/status of a process; zeros where a kernel has no such line. */
struct status {
	char state;
	unsigned long group;	      /* the process's number, also when one of its threads was named */
	unsigned long uid[3], gid[3]; /* real, effective, saved */
	unsigned long n_threads;
	unsigned long numbers[2]; /* in /proc's pid namespace, and in one below */
	unsigned long seccomp, n_filters;
	unsigned long capabilities; /* permitted ones */
};

static const struct status_line {
	const char *name;
	size_t at;
	unsigned int n;
	int base;
} status_lines[] = {
	{ "Tgid:", offsetof(struct status, group), 1, 10 },
	{ "Uid:", offsetof(struct status, uid), 3, 10 },
	{ "Gid:", offsetof(struct status, gid), 3, 10 },
	{ "Threads:", offsetof(struct status, n_threads), 1, 10 },
	{ "NSpid:", offsetof(struct status, numbers), 2, 10 },
	{ "CapPrm:", offsetof(struct status, capabilities), 1, 16 },
	{ "Seccomp:", offsetof(struct status, seccomp), 1, 10 },
	{ "Seccomp_filters:", offsetof(struct status, n_filters), 1, 10 },
};

/* At most as many as the line describes. */
static void numbers_parse(const char *text, const struct status_line *line, void *ret_numbers)
{
	unsigned long *numbers = ret_numbers;
	char *end;

	for (unsigned int i = 0; i < line->n; i++, text = end) {
		unsigned long number = strtoul(text, &end, line->base);

		if (end == text)
			return;
		numbers[i] = number;
	}
}

static void status_parse(struct status *status, const char *line)
{
	if (strncmp(line, "State:\t", 7) == 0)
		status->state = line[7];
	for (size_t i = 0; i < sizeof status_lines / sizeof status_lines[0]; i++) {
		const struct status_line *known = &status_lines[i];
		size_t length = strlen(known->name);

		if (strncmp(line, known->name, length) == 0)
			numbers_parse(line + length, known, (char *)status + known->at);
	}
}

/* Only the beginning of each line is read: that of groups may be very long. 0, or the error of reading. */
static int status_read(const char *path, struct status *ret_status)
{
	FILE *file = fopen(path, "re");
	bool is_beginning = true;
	char line[128];

	*ret_status = (struct status){ 0 };
	if (!file)
		return errno;
	while (fgets(line, sizeof line, file)) {
		if (is_beginning)
			status_parse(ret_status, line);
		is_beginning = strchr(line, '\n') != NULL;
	}
	fclose(file);
	return ret_status->state ? 0 : ESRCH; /* it ended meanwhile */
}

/* It may exist and be hidden (proc(5), hidepid). */
static int status_error(pid_t pid, int error)
{
	if (error == EMFILE || error == ENFILE || error == ENOMEM)
		return error;
	return kill(pid, 0) < 0 && errno == EPERM ? EPERM : ESRCH;
}

/*
 * A thread is no process, nor is a zombie (unless only its first thread has ended); a process of another pid
 * namespace has another number for itself, and cannot be met.
 */
static bool is_process(const struct status *status, pid_t pid)
{
	bool is_over = (status->state == 'Z' || status->state == 'X') && status->n_threads < 2;

	return !is_over && status->group == (unsigned long)pid && status->numbers[1] == 0;
}

/* Whether the auxiliary vector of a program with words of that size has AT_SECURE. */
static bool vector_is_secure(const unsigned char *bytes, size_t n_bytes, size_t word)
{
	for (size_t at = 0; at + 2 * word <= n_bytes; at += 2 * word) {
		uint64_t entry[2] = { 0 };

		for (unsigned int i = 0; i < 2; i++) {
			uint32_t half;

			memcpy(word == 8 ? (void *)&entry[i] : &half, bytes + at + i * word, word);
			if (word == 4)
				entry[i] = half;
		}
		if (entry[0] == AT_NULL)
			return false;
		if (entry[0] == AT_SECURE)
			return entry[1] != 0;
	}
	return false;
}

/*
 * Whether the kernel gave the program more rights than its user has. If the vector cannot be read, the
 * process is not dumpable, or another user's.
 */
static bool is_secure(uint32_t pid)
{
	unsigned char bytes[2048];
	uint32_t first[2] = { 0 };
	int fd = proc_open(pid, 0, "auxv");
	size_t n;

	if (fd < 0)
		return false;
	n = proc_read(fd, bytes, sizeof bytes);
	proc_close(fd);
	if (n < sizeof first)
		return false;
	/* the first entry is small and has a value; in a 64-bit program half of its first word is zero */
	memcpy(first, bytes, sizeof first);
	return vector_is_secure(bytes, n, first[0] == 0 || first[1] == 0 ? 8 : 4);
}

/* The files of a process that is not dumpable belong to root (its folder always to its user). */
static bool is_dumpable(const struct status *target, const char *status_path)
{
	struct stat st;

	return stat(status_path, &st) == 0 && st.st_uid == target->uid[1];
}

static bool are_all(const unsigned long ids[3], unsigned long id)
{
	return ids[0] == id && ids[1] == id && ids[2] == id;
}

/* Kernels before 5.9 do not count filters. */
static unsigned long filters_of(const struct status *status)
{
	return status->n_filters == 0 && status->seccomp == 2 ? 1 : status->n_filters;
}

/* All processes of one container share its filters; one more is the program's own. */
static bool is_confined(const struct status *target)
{
	struct status own;

	if (target->seccomp == 0)
		return false;
	return target->seccomp != 2 || status_read(OWN_STATUS, &own) != 0 ||
	       filters_of(target) > filters_of(&own);
}

bool permit_is_confined(uint32_t pid)
{
	char path[PATH_BYTES];
	struct status status;
	int kept = errno;
	bool is;

	*proc_path(path, pid, "status") = '\0';
	is = status_read(path, &status) == 0 && is_confined(&status);
	errno = kept;
	return is;
}

/*
 * The kernel's own answer: opening a process's map takes the same rights as tracing it, except for Yama. A
 * thread that has ended has no memory, and its map opens for all.
 */
static bool map_is_shown(uint32_t pid, uint32_t tid, bool *ret_has_memory)
{
	int fd = proc_open(pid, tid, "maps");
	char byte;

	*ret_has_memory = fd >= 0 && proc_read(fd, &byte, 1) == 1;
	proc_close(fd);
	return fd >= 0;
}

static bool kernel_allows(uint32_t pid)
{
	bool has_memory, is_shown = map_is_shown(pid, 0, &has_memory);
	char path[PATH_BYTES];
	struct dirent *entry;
	DIR *tasks = NULL;

	if (!is_shown || has_memory)
		return is_shown;
	*proc_path(path, pid, "task") = '\0';
	tasks = opendir(path);
	while (tasks && is_shown && !has_memory && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			is_shown = map_is_shown(pid, (uint32_t)strtoul(entry->d_name, NULL, 10), &has_memory);
	if (tasks)
		closedir(tasks);
	return is_shown;
}

/* As permit_is_open() in the target itself. */
static bool is_open(const struct status *target, const char *path)
{
	return are_all(target->uid, target->uid[0]) && are_all(target->gid, target->gid[0]) &&
	       is_dumpable(target, path) && (target->uid[0] == 0 || target->capabilities == 0);
}

static bool is_allowed(const struct status *target, const char *path, uint32_t pid)
{
	if (is_secure(pid) || is_confined(target) || !kernel_allows(pid))
		return false;
	return geteuid() == 0 ||
	       (getuid() == geteuid() && getgid() == getegid() && target->uid[0] == getuid() &&
		       target->gid[0] == getgid() && is_open(target, path));
}

/* Not checked for root: what root owns is open to all of its processes. */
static bool has_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return syscall(SYS_capget, &header, data) != 0 || data[0].permitted != 0 || data[1].permitted != 0;
}

bool permit_is_open(uint32_t uid, uint32_t gid)
{
	uint32_t uids[3], gids[3];
	int kept = errno;
	bool is = syscall(SYS_getresuid, &uids[0], &uids[1], &uids[2]) == 0 &&
		  syscall(SYS_getresgid, &gids[0], &gids[1], &gids[2]) == 0;

	for (unsigned int i = 0; i < 3; i++)
		is = is && uids[i] == uid && gids[i] == gid;
	is = is && syscall(SYS_prctl, PR_GET_DUMPABLE, 0L, 0L, 0L, 0L) == 1 &&
	     (uid == 0 || !has_capabilities());
	errno = kept;
	return is;
}

static int permit_other(pid_t pid, struct permit *ret_permit)
{
	char path[PATH_BYTES];
	struct identity before, after;
	struct status status;
	bool is_there = identity_of((uint32_t)pid, &before);
	int error;

	*proc_path(path, (uint32_t)pid, "status") = '\0';
	error = status_read(path, &status);
	if (error)
		return status_error(pid, error);
	if (!is_there || !is_process(&status, pid))
		return ESRCH;
	error = is_allowed(&status, path, (uint32_t)pid) ? 0 : EPERM;
	/* all of that belonged to the same process */
	if (!identity_of((uint32_t)pid, &after) || !identity_is(&before, &after))
		return ESRCH;
	*ret_permit = (struct permit){ .process = after,
		.uid = (uint32_t)(status.uid[1] == 0 ? 0 : status.uid[0]),
		.gid = (uint32_t)status.gid[0],
		.is_closed = !is_open(&status, path) };
	return error;
}

int permit_trace(pid_t pid, struct permit *ret_permit)
{
	int kept = errno, error;

	if (pid < 0)
		return EINVAL;
	if (pid != 0 && pid != getpid()) {
		error = permit_other(pid, ret_permit);
		errno = kept;
		return error;
	}
	*ret_permit = (struct permit){ .uid = directory_uid(), .gid = getgid() };
	identity_of(0, &ret_permit->process);
	return 0;
}
