/* SPDX-License-Identifier: MIT */
#include "record/consumer/desk.h"
#include "record/kernel/clock.h"
#include "record/process/process.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define DESK_MAGIC   0x4b534544u
#define DESK_VERSION 2

static void attributes_fill(struct log_attributes *to, const struct ring_config *config)
{
	const trace_attr_t *from = config->attr;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*to = (struct log_attributes){
		.stream_size = from->posix_trace_stream_size,
		.log_size = from->posix_trace_log_size,
		.data_size = from->posix_trace_data_size,
		.created_seconds = now.tv_sec,
		.created_nanoseconds = (uint32_t)now.tv_nsec,
		.resolution_nanoseconds = clock_resolution(config->clock),
		.stream_policy = (uint32_t)from->posix_trace_stream_policy,
		.log_policy = (uint32_t)from->posix_trace_log_policy,
		.inheritance = (uint32_t)from->posix_trace_inheritance,
		.pid = (uint32_t)config->target,
	};
	memcpy(to->version, from->posix_trace_version, sizeof to->version);
	memcpy(to->name, from->posix_trace_name, sizeof to->name);
}

static void desk_fill(struct desk *desk, const struct ring *ring, const struct ring_config *config)
{
	desk->magic = DESK_MAGIC;
	desk->version = DESK_VERSION;
	desk->ring = ring_kind(ring);
	identity_of(0, &desk->controller);
	desk->has_switches = config->attr->posix_trace_switches != 0;
	attributes_fill(&desk->attributes, config);
	desk->born = process_first_pair(config->clock);
	desk->file = ring->file;
	desk->directory = config->is_named ? config->uid : CONTROL_NOWHERE;
}

/* All of it there, and nobody can make it shorter: neither side needs to fear a SIGBUS. */
static int memory_make(int *ret_fd)
{
	int error = ENOMEM;
	int fd;

	*ret_fd = -1;
	if (!proc_may_have(sizeof(struct desk)))
		return error;
	fd = memfd_create("rastrum-desk", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return errno;
	error = posix_fallocate(fd, 0, sizeof(struct desk));
	if (!error && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		error = errno;
	if (error)
		close(fd);
	else
		*ret_fd = fd;
	return error == ENOSPC || error == EFBIG ? ENOMEM : error;
}

static struct desk *memory_map(int fd)
{
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	struct desk *desk = mmap(NULL, sizeof *desk, PROT_READ | PROT_WRITE, flags, fd, 0);

	return desk == MAP_FAILED ? NULL : desk;
}

int desk_make(struct desk **ret_desk, const struct ring *ring, const struct ring_config *config, int *ret_fd)
{
	int error = 0, fd = -1;
	struct desk *desk;

	if (ret_fd)
		error = memory_make(&fd);
	if (error)
		return error;
	desk = memory_map(fd);
	if (!desk) {
		proc_close(fd);
		return ENOMEM;
	}
	madvise(desk, sizeof *desk, MADV_DONTFORK);
	desk_fill(desk, ring, config);
	*ret_desk = desk;
	if (ret_fd)
		*ret_fd = fd;
	return 0;
}

struct desk *desk_map(int fd)
{
	struct desk *desk;
	struct stat facts;

	if (fstat(fd, &facts) < 0 || facts.st_size != sizeof *desk)
		return NULL;
	desk = memory_map(fd);
	if (!desk || (desk->magic == DESK_MAGIC && desk->version == DESK_VERSION))
		return desk;
	desk_unmap(desk);
	return NULL;
}

void desk_unmap(struct desk *desk)
{
	if (desk)
		munmap(desk, sizeof *desk);
}

void desk_run(struct desk *desk, bool runs, uint64_t ticks)
{
	struct desk_runs *all = &desk->runs;
	uint64_t n = atomic_load_explicit(&all->n, memory_order_relaxed);

	if ((n % 2 == 1) == runs)
		return;
	atomic_store_explicit(&all->ticks[n % DESK_RUNS], ticks, memory_order_release);
	atomic_store_explicit(&all->n, n + 1, memory_order_release);
}

/* A change that was overwritten while it was looked at is not known any more. */
bool desk_ran(const struct desk *desk, uint64_t ticks)
{
	const struct desk_runs *all = &desk->runs;
	uint64_t n = atomic_load_explicit(&all->n, memory_order_acquire), i;

	for (i = 1; i <= n && i <= DESK_RUNS; i++) {
		uint64_t changed =
			atomic_load_explicit(&all->ticks[(n - i) % DESK_RUNS], memory_order_acquire);

		if (changed > ticks)
			continue;
		return (n - i) % 2 == 0 ||
		       atomic_load_explicit(&all->n, memory_order_acquire) - (n - i) >= DESK_RUNS;
	}
	return n > DESK_RUNS;
}
