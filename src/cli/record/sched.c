/* SPDX-License-Identifier: MIT */
/*
 * --sched: whether the kernel lets this user record context switches, and why not. The stream opens them
 * (posix_trace_attr_setswitches_np()); this file opens them for the own process first, so that an error is
 * reported before anything has begun.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/record/record.h"

#define PARANOID_PATH "/proc/sys/kernel/perf_event_paranoid"
enum { PARANOID_MOST = 2 }; /* with which processes of one's own may be watched */

/* Reads the kernel's setting. Returns false if the kernel does not have it. */
static bool read_paranoid(int *ret_level)
{
	FILE *file = fopen(PARANOID_PATH, "re");
	bool is_read = file && fscanf(file, "%d", ret_level) == 1;

	if (file)
		fclose(file);
	return is_read;
}

static enum rst_status sched_fail(int error, struct rst_error *err)
{
	int level = PARANOID_MOST;

	if (error == ENOSYS || !read_paranoid(&level)) {
		error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET,
			"--sched needs perf_event_open(2), which there is not: %s", strerror(error));
		error_advise(err, "the kernel was built without it, or hides it from this container");
		return RST_E_UNSUPPORTED;
	}
	if (error == EACCES && level > PARANOID_MOST) {
		error_set(err, RST_E_IO, RST_NO_OFFSET,
			"the kernel does not tell you what --sched wants: " PARANOID_PATH " is %d", level);
		error_advise(
			err, "root may do `sysctl kernel.perf_event_paranoid=%d`, or record", PARANOID_MOST);
		return RST_E_IO;
	}
	error_set(err, RST_E_IO, RST_NO_OFFSET,
		"the kernel does not tell you what --sched wants: perf_event_open(2): %s", strerror(error));
	error_advise(err,
		"%s is %d and allows it; so a filter of system calls (a container's seccomp) or a security "
		"module does not",
		PARANOID_PATH, level);
	return RST_E_IO;
}

enum rst_status sched_check(struct rst_error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	long fd;

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.context_switch = 1;
	attr.exclude_kernel = attr.exclude_hv = 1;
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return sched_fail(errno, err);
	close((int)fd);
	return RST_OK;
}

void sched_make_room(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

bool sched_has_name(const char *name)
{
	static const char *const names[] = { "sched_in", "sched_wait", "sched_preempt", "sched_exit",
		"page_fault" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}
