/* SPDX-License-Identifier: MIT */
#include "record/consumer/stream_ctl.h"
#include "record/kernel/clock.h"
#include "record/process/process.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define STREAM_CTL_MAGIC   0x4b534544u
#define STREAM_CTL_VERSION 4

static void attributes_fill(struct log_attributes *to, const struct pool_config *config)
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

static void stream_ctl_fill(struct stream_ctl *ctl, const struct pool *pool, const struct pool_config *config)
{
	ctl->magic = STREAM_CTL_MAGIC;
	ctl->version = STREAM_CTL_VERSION;
	ctl->pool = pool_spec(pool);
	identity_of(0, &ctl->controller);
	ctl->switches = (uint32_t)config->attr->posix_trace_switches;
	ctl->is_compressed = (uint32_t)config->attr->posix_trace_compress;
	attributes_fill(&ctl->attributes, config);
	ctl->born = process_first_pair(config->clock);
	ctl->file = pool->file;
	ctl->directory = config->is_named ? config->uid : CONTROL_NOWHERE;
}

/* Allocated and sealed: neither side can get a SIGBUS. */
static int memory_make(int *ret_fd)
{
	int error = ENOMEM;
	int fd;

	*ret_fd = -1;
	if (!proc_may_have(sizeof(struct stream_ctl)))
		return error;
	fd = memfd_create("rastrum-stream-ctl", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0)
		return errno;
	error = posix_fallocate(fd, 0, sizeof(struct stream_ctl));
	if (!error && fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
		error = errno;
	if (error)
		close(fd);
	else
		*ret_fd = fd;
	return error == ENOSPC || error == EFBIG ? ENOMEM : error;
}

static struct stream_ctl *memory_map(int fd)
{
	const int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
	struct stream_ctl *ctl = mmap(NULL, sizeof *ctl, PROT_READ | PROT_WRITE, flags, fd, 0);

	return ctl == MAP_FAILED ? NULL : ctl;
}

int stream_ctl_make(
	struct stream_ctl **ret_ctl, const struct pool *pool, const struct pool_config *config, int *ret_fd)
{
	int error = 0, fd = -1;
	struct stream_ctl *ctl;

	if (ret_fd)
		error = memory_make(&fd);
	if (error)
		return error;
	ctl = memory_map(fd);
	if (!ctl) {
		proc_close(fd);
		return ENOMEM;
	}
	madvise(ctl, sizeof *ctl, MADV_DONTFORK);
	stream_ctl_fill(ctl, pool, config);
	*ret_ctl = ctl;
	if (ret_fd)
		*ret_fd = fd;
	return 0;
}

struct stream_ctl *stream_ctl_map(int fd)
{
	struct stream_ctl *ctl;
	struct stat st;

	if (fstat(fd, &st) < 0 || st.st_size != sizeof *ctl)
		return NULL;
	ctl = memory_map(fd);
	if (!ctl || (ctl->magic == STREAM_CTL_MAGIC && ctl->version == STREAM_CTL_VERSION))
		return ctl;
	stream_ctl_unmap(ctl);
	return NULL;
}

void stream_ctl_unmap(struct stream_ctl *ctl)
{
	if (ctl)
		munmap(ctl, sizeof *ctl);
}

void stream_ctl_set_running(struct stream_ctl *ctl, bool runs, uint64_t ticks)
{
	struct stream_ctl_changes *all = &ctl->changes;
	uint64_t n = atomic_load_explicit(&all->n, memory_order_relaxed);

	if ((n % 2 == 1) == runs)
		return;
	atomic_store_explicit(&all->ticks[n % STREAM_CTL_CHANGES], ticks, memory_order_release);
	atomic_store_explicit(&all->n, n + 1, memory_order_release);
}

/*
 * A change that was overwritten while it was read is not known any more. The acquire loads pair with the
 * release stores in stream_ctl_set_running(): the ticks of a change are stored before its number.
 */
bool stream_ctl_was_running(const struct stream_ctl *ctl, uint64_t ticks)
{
	const struct stream_ctl_changes *all = &ctl->changes;
	uint64_t n = atomic_load_explicit(&all->n, memory_order_acquire), i;

	for (i = 1; i <= n && i <= STREAM_CTL_CHANGES; i++) {
		uint64_t changed =
			atomic_load_explicit(&all->ticks[(n - i) % STREAM_CTL_CHANGES], memory_order_acquire);

		if (changed > ticks)
			continue;
		return (n - i) % 2 == 0 ||
		       atomic_load_explicit(&all->n, memory_order_acquire) - (n - i) >= STREAM_CTL_CHANGES;
	}
	return n > STREAM_CTL_CHANGES;
}
