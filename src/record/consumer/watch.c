/* SPDX-License-Identifier: MIT */
#include "record/consumer/watch.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum map_result { MAP_HAS_IT, MAP_HAS_IT_NOT, MAP_IS_EMPTY };

static enum map_result map_has(int fd, const struct stat *memory)
{
	unsigned char buffer[8192];
	struct proc_mapping mapping;
	struct proc_map map;
	enum map_result result = MAP_IS_EMPTY;

	proc_map_begin(&map, fd, buffer, sizeof buffer);
	while (result != MAP_HAS_IT && proc_map_next(&map, &mapping))
		result = mapping.inode == memory->st_ino && mapping.major == major(memory->st_dev) &&
					 mapping.minor == minor(memory->st_dev)
				 ? MAP_HAS_IT
				 : MAP_HAS_IT_NOT;
	return result;
}

/* The process may have called exec since the stream was made: then the map is another program's. */
static void map_open(struct watch *watch, int memory_fd)
{
	struct stat memory;
	enum map_result result = MAP_IS_EMPTY;

	watch->map = proc_open(watch->controller.pid, 0, "maps");
	if (watch->map < 0)
		return;
	if (fstat(memory_fd, &memory) == 0)
		result = map_has(watch->map, &memory);
	if (result == MAP_HAS_IT)
		return;
	/* the map is also empty for a process whose first thread has ended */
	watch->is_gone = result == MAP_HAS_IT_NOT;
	proc_close(watch->map);
	watch->map = -1;
}

void watch_begin(struct watch *watch, const struct identity *controller, int memory_fd)
{
	struct identity found;

	*watch = (struct watch){ .controller = *controller, .map = -1 };
	watch->process = (int)syscall(SYS_pidfd_open, controller->pid, 0);
	if (watch->process < 0 && errno == ESRCH)
		watch->is_gone = true;
	/* after the pidfd: it refers to the process tested here */
	if (controller->start && identity_of(controller->pid, &found) && found.start != controller->start)
		watch->is_gone = true;
	if (!watch->is_gone)
		map_open(watch, memory_fd);
}

static bool process_has_ended(const struct watch *watch)
{
	struct pollfd process = { .fd = watch->process, .events = POLLIN };

	if (watch->process < 0)
		return !identity_runs(&watch->controller);
	return poll(&process, 1, 0) > 0;
}

static bool memory_has_gone(const struct watch *watch)
{
	char first;
	ssize_t n;

	if (watch->map < 0)
		return false;
	n = pread(watch->map, &first, 1, 0);
	return n == 0 || (n < 0 && errno == ESRCH);
}

bool watch_is_gone(struct watch *watch)
{
	if (!watch->is_gone)
		watch->is_gone = process_has_ended(watch) || memory_has_gone(watch);
	return watch->is_gone;
}

void watch_end(struct watch *watch)
{
	proc_close(watch->process);
	proc_close(watch->map);
}
