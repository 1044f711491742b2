/* SPDX-License-Identifier: MIT */
#include "record/kernel/rings.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * A ring has room for a tenth of a second of the most that a processor can switch. An ordinary user may lock
 * 516 KiB for each processor (perf_event_mlock_kb) without a limit. If other rings of the user have taken a
 * part of that, a smaller ring must be enough.
 */
#define RING_BYTES_MOST	 (2048u << 10)
#define RING_BYTES_LEAST (32u << 10)
#define THREAD_ROUNDS	 8

static struct perf_event_attr attr_of(const struct rings_config *config)
{
	struct perf_event_attr attr = { .size = sizeof attr };

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config->has_faults ? PERF_COUNT_SW_PAGE_FAULTS
					 : PERF_COUNT_SW_DUMMY; /* which counts nothing */
	attr.sample_type = config->has_faults ? PERF_SAMPLE_FAULT : PERF_SAMPLE;
	attr.sample_period = config->has_faults; /* each */
	attr.sample_id_all = 1;
	attr.context_switch = 1;
	attr.comm = 1;
	attr.task = 1;
	attr.exclude_kernel = 1; /* else it takes rights, and would change nothing */
	attr.exclude_hv = 1;
	attr.inherit = 1;
	attr.inherit_thread = !config->is_inherited;
	attr.use_clockid = 1;
	attr.clockid = config->clock;
	attr.write_backward = config->overwrites;
	attr.watermark = 1; /* no thread polls the descriptor: none is woken */
	attr.wakeup_watermark = UINT32_MAX;
	return attr;
}

/* --- events --------------------------------------------------------------------------------------------- */

static int fd_keep(struct rings *rings, int fd)
{
	if (rings->n_fds == rings->fds_room) {
		size_t room = rings->fds_room ? 2 * rings->fds_room : 64;
		int *grown = realloc(rings->fds, room * sizeof(int));

		if (!grown) {
			close(fd);
			return ENOMEM;
		}
		rings->fds = grown;
		rings->fds_room = room;
	}
	rings->fds[rings->n_fds++] = fd;
	return 0;
}

/* mmap() fails with EPERM when it is too much memory, which is no question of rights. */
static int ring_map(struct kernel_ring *ring, bool overwrites)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const int protection = overwrites ? PROT_READ : PROT_READ | PROT_WRITE;

	for (uint64_t bytes = RING_BYTES_MOST; bytes >= RING_BYTES_LEAST && bytes >= page; bytes /= 2) {
		void *memory = mmap(NULL, page + bytes, protection, MAP_SHARED, ring->fd, 0);

		if (memory == MAP_FAILED)
			continue;
		ring->page = memory;
		ring->area = (const unsigned char *)memory + page;
		ring->bytes = bytes;
		break;
	}
	if (!ring->page)
		return ENOMEM;
	if (!overwrites)
		return 0;
	ring->copy = malloc(ring->bytes);
	ring->offsets = malloc(ring->bytes / PERF_RECORD_LEAST * sizeof(uint32_t));
	return ring->copy && ring->offsets ? 0 : ENOMEM;
}

/* The first event of a processor has its ring, the others write into that. */
static int event_open(struct rings *rings, struct perf_event_attr *attr, uint32_t tid, uint32_t cpu)
{
	struct kernel_ring *ring = &rings->rings[cpu];
	int fd = (int)syscall(
		SYS_perf_event_open, attr, (pid_t)tid, (int)cpu, -1, (unsigned long)PERF_FLAG_FD_CLOEXEC);
	int error = fd < 0 ? errno : fd_keep(rings, fd);

	if (error)
		return error;
	if (ring->page)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) == 0 ? 0 : errno;
	ring->fd = fd;
	return ring_map(ring, rings->overwrites);
}

/* Processors that are off have no events (ENODEV). A kernel without inherit_thread returns EINVAL. */
static int thread_open(struct rings *rings, struct perf_event_attr *attr, uint32_t tid)
{
	uint32_t n_opened = 0;

	for (uint32_t cpu = 0; cpu < rings->n_rings; cpu++) {
		int error = event_open(rings, attr, tid, cpu);

		if (error && error != ENODEV)
			return error;
		n_opened += error == 0;
	}
	return n_opened ? 0 : ENODEV;
}

/* --- threads -------------------------------------------------------------------------------------------- */

struct threads {
	size_t n, room;
	uint32_t *tids;
};

static bool has_thread(const struct threads *threads, uint32_t tid)
{
	for (size_t i = 0; i < threads->n; i++)
		if (threads->tids[i] == tid)
			return true;
	return false;
}

static bool thread_add(struct threads *threads, uint32_t tid)
{
	if (threads->n == threads->room) {
		size_t room = threads->room ? 2 * threads->room : 64;
		uint32_t *grown = realloc(threads->tids, room * sizeof(uint32_t));

		if (!grown)
			return false;
		threads->tids = grown;
		threads->room = room;
	}
	threads->tids[threads->n++] = tid;
	return true;
}

/* Opens the threads of one list that are new, except those that have ended meanwhile. */
static int threads_open(struct rings *rings, struct perf_event_attr *attr, uint32_t pid,
	struct threads *known, bool *ret_is_changed)
{
	char path[40];
	struct dirent *entry;
	int error = 0;
	DIR *list;

	*ret_is_changed = false;
	snprintf(path, sizeof path, "/proc/%u/task", pid);
	list = opendir(path);
	if (!list)
		return errno == ENOENT ? ESRCH : errno;
	while (error == 0 && (entry = readdir(list))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid == 0 || has_thread(known, tid))
			continue;
		error = thread_add(known, tid) ? thread_open(rings, attr, tid) : ENOMEM;
		error = error == ESRCH ? 0 : error;
		*ret_is_changed = true;
	}
	closedir(list);
	return error;
}

/*
 * A thread that is made while we list is inherited by the event of its maker, or is not there yet: the list
 * is read until it has nothing new. A thread that is both opened and inherited gives all records twice;
 * switches.c drops them.
 */
static int process_open(struct rings *rings, struct perf_event_attr *attr, uint32_t pid)
{
	struct threads known = { 0 };
	bool is_changed = true;
	int error = 0;

	for (int i = 0; error == 0 && is_changed && i < THREAD_ROUNDS; i++)
		error = threads_open(rings, attr, pid, &known, &is_changed);
	free(known.tids);
	return error == 0 && rings->n_fds == 0 ? ESRCH : error;
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* Processors that are off have no rings. */
static void drop_empty(struct rings *rings)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < rings->n_rings; i++)
		if (rings->rings[i].page)
			rings->rings[n++] = rings->rings[i];
	rings->n_rings = n;
}

int rings_open(struct rings *rings, const struct rings_config *config)
{
	struct perf_event_attr attr = attr_of(config);
	long n_processors = sysconf(_SC_NPROCESSORS_CONF);
	int error;

	*rings = (struct rings){ .overwrites = config->overwrites };
	rings->rings = calloc(n_processors > 0 ? (size_t)n_processors : 1, sizeof *rings->rings);
	if (!rings->rings)
		return ENOMEM;
	rings->n_rings = n_processors > 0 ? (uint32_t)n_processors : 1;
	error = process_open(rings, &attr, config->pid);
	if (error) {
		rings_close(rings);
		return error;
	}
	drop_empty(rings);
	return 0;
}

void rings_close(struct rings *rings)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (uint32_t i = 0; i < rings->n_rings; i++) {
		struct kernel_ring *ring = &rings->rings[i];

		if (ring->page)
			munmap(ring->page, page + ring->bytes);
		free(ring->copy);
		free(ring->offsets);
	}
	for (size_t i = 0; i < rings->n_fds; i++)
		close(rings->fds[i]);
	free(rings->fds);
	free(rings->rings);
	*rings = (struct rings){ 0 };
}
