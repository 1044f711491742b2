/* SPDX-License-Identifier: MIT */
/* Making, mapping and removing the memory of a pool. */
#include "record/buffer/pool.h"
#include "record/buffer/geometry.h"
#include "record/buffer/subbuf.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE /* glibc before 2.34 */
#define MADV_POPULATE_WRITE 23
#endif

size_t pool_event_size(size_t data_length)
{
	return (size_t)log_event_bytes(data_length);
}

/* Fills in the rest of a pool with known geometry, clock, policy and data size. */
static void pool_set_pointers(struct pool *pool, void *base)
{
	const struct pool_geometry *geometry = &pool->geometry;
	unsigned char *bytes = base;

	pool->shared = base;
	pool->buffers = (struct cpu_buffer *)(void *)(bytes + geometry->buffers_at);
	pool->subbufs = (struct subbuf *)(void *)(bytes + geometry->subbufs_at);
	pool->tasks = (struct pool_task *)(void *)(bytes + geometry->tasks_at);
	pool->procinfo = geometry->procinfo_at
				 ? (struct pool_procinfo *)(void *)(bytes + geometry->procinfo_at)
				 : NULL;
	pool->rare = geometry->rare_at ? (struct pool_rare *)(void *)(bytes + geometry->rare_at) : NULL;
	pool->area = bytes + geometry->area_at;
	pool->mask = (uint32_t)((1ull << geometry->subbuf_shift) - 1);
	pool->area_bytes = (uint64_t)geometry->n_subbufs << geometry->subbuf_shift;
	pool->one_event = 1ull << CURSOR_OFFSET_BITS;
	pool->one_number = pool->one_event + log_event_bytes(4);
	pool->n_per_cpu = geometry->n_per_cpu;
	pool->n_shared = (geometry->n_buffers - geometry->n_per_cpu) >> (pool->rare != NULL);
}

struct pool_spec pool_spec(const struct pool *pool)
{
	return (struct pool_spec){
		.geometry = pool->geometry,
		.clock = pool->clock,
		.policy = pool->policy,
		.data_size = (uint32_t)pool->data_size,
	};
}

/*
 * All pages are allocated: where there is no room, a store to a sparse file would raise SIGBUS inside a trace
 * point.
 */
static int memory_make(
	const struct pool_config *config, uint64_t bytes, struct identity_file *ret_file, int *ret_fd)
{
	static _Atomic uint64_t last_serial;
	int error;

	if (config->is_named) {
		error = directory_create(config->directory, IDENTITY_POOL,
			config->is_closed ? 0 : config->uid, bytes, false, ret_file, ret_fd);
		if (!error && config->is_foreign && config->uid != 0)
			error = directory_group(*ret_fd, config->gid);
		return error;
	}
	if (!proc_may_have(bytes))
		return ENOMEM;
	identity_of(0, &ret_file->maker);
	ret_file->serial = atomic_fetch_add(&last_serial, 1) + 1;
	*ret_fd = memfd_create("rastrum-pool", MFD_CLOEXEC);
	if (*ret_fd < 0)
		return errno;
	error = posix_fallocate(*ret_fd, 0, (off_t)bytes);
	if (error) {
		close(*ret_fd);
		*ret_fd = -1;
	}
	return error == ENOSPC || error == EFBIG ? ENOMEM : error;
}

/* For a file that other processes can truncate. */
static void *guarded_map(const struct pool_geometry *geometry, int fd)
{
	const size_t bytes = (size_t)geometry->total_bytes;
	void *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED || guard_add(base, bytes))
		return base;
	munmap(base, bytes);
	return MAP_FAILED;
}

/*
 * For a pool that the caller's own trace points write to, all pages are mapped in advance, so that no event
 * causes a page fault. Before Linux 5.14 the first event in each page does.
 */
static void *memory_map(const struct pool_config *config, const struct pool *like, int fd)
{
	void *base = config->map ? config->map(like, fd) : guarded_map(&like->geometry, fd);
	int kept = errno;

	if (base != MAP_FAILED && config->map)
		madvise(base, (size_t)like->geometry.total_bytes, MADV_POPULATE_WRITE);
	errno = kept;
	return base;
}

int pool_create(struct pool *ret_pool, const struct pool_config *config, int *ret_fd)
{
	struct pool like = {
		.clock = (uint32_t)config->clock,
		.policy = (uint32_t)config->attr->posix_trace_stream_policy,
		.data_size = config->attr->posix_trace_data_size,
	};
	int error = geometry_make(&like.geometry, config);
	void *base;
	int fd = -1;

	if (!error)
		error = memory_make(config, like.geometry.total_bytes, &like.file, &fd);
	if (error)
		return error;
	base = memory_map(config, &like, fd);
	if (base == MAP_FAILED) {
		close(fd);
		if (config->is_named)
			directory_remove(config->directory, IDENTITY_POOL, &like.file);
		return ENOMEM;
	}
	proc_file_of(fd, &like.memory);
	*ret_pool = like;
	pool_set_pointers(ret_pool, base);
	ret_pool->shared->magic = POOL_MAGIC;
	ret_pool->shared->version = POOL_VERSION;
	ret_pool->shared->spec = pool_spec(ret_pool);
	ret_pool->shared->target = (uint32_t)config->target;
	for (uint32_t i = 0; i < like.geometry.n_buffers; i++)
		atomic_init(&ret_pool->buffers[i].cursor, cpu_buffer_no_cursor(&like.geometry));
	memset(ret_pool->shared->disabled_types, 0xff,
		sizeof ret_pool->shared->disabled_types); /* SUSPENDED */
	*ret_fd = fd;
	return 0;
}

/* A pool with this spec, not mapped. */
static struct pool pool_of(const struct pool_spec *spec)
{
	return (struct pool){
		.geometry = spec->geometry,
		.clock = spec->clock,
		.policy = spec->policy,
		.data_size = spec->data_size,
	};
}

/* The beginning of a pool's memory. */
struct head {
	uint32_t magic, version;
	struct pool_spec spec;
	struct identity consumer;
	uint32_t target;
};
_Static_assert(offsetof(struct head, spec) == offsetof(struct pool_shared, spec) &&
		       offsetof(struct head, consumer) == offsetof(struct pool_shared, consumer) &&
		       offsetof(struct head, target) == offsetof(struct pool_shared, target),
	"a pool's memory begins with a head");

/* Read, not mapped, so that it cannot change after it was checked. */
static bool head_read(struct head *ret_head, int fd)
{
	return syscall(SYS_pread64, (long)fd, ret_head, sizeof *ret_head, 0L) == (long)sizeof *ret_head &&
	       ret_head->magic == POOL_MAGIC && ret_head->version == POOL_VERSION;
}

/* Reads the spec from the pool itself and checks it. */
static int spec_read(struct pool *ret_pool, int fd)
{
	struct head head;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	if (!head_read(&head, fd) || !geometry_is_sane(&head.spec.geometry, (uint64_t)st.st_size) ||
		head.spec.data_size > UINT16_MAX || head.spec.clock > LOG_CLOCK_TSC)
		return EINVAL;
	*ret_pool = pool_of(&head.spec);
	return proc_file_of(fd, &ret_pool->memory) ? 0 : errno;
}

int pool_map(struct pool *ret_pool, const struct pool_spec *spec, int fd)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st) < 0 || !geometry_is_sane(&spec->geometry, (uint64_t)st.st_size))
		return EINVAL;
	base = guarded_map(&spec->geometry, fd);
	if (base == MAP_FAILED)
		return ENOMEM;
	*ret_pool = pool_of(spec);
	proc_file_of(fd, &ret_pool->memory);
	pool_set_pointers(ret_pool, base);
	return 0;
}

/*
 * Trace points index CPU buffers by the CPU's number without a check: there must be one for each CPU, or
 * none.
 */
int pool_open(struct pool *ret_pool, int fd, pool_mapper *map)
{
	int error = spec_read(ret_pool, fd);
	uint32_t n_buffers = ret_pool->geometry.n_per_cpu;
	void *base;

	if (error)
		return error;
	if (n_buffers > 0 && (geometry_n_cpus() == 0 || n_buffers < geometry_n_cpus()))
		return EINVAL;
	base = map(ret_pool, fd);
	if (base == MAP_FAILED)
		return ENOMEM;
	pool_set_pointers(ret_pool, base);
	return 0;
}

void pool_unmap(struct pool *pool)
{
	if (pool->shared) {
		guard_drop(pool->shared);
		munmap(pool->shared, (size_t)pool->geometry.total_bytes);
	}
	*pool = (struct pool){ 0 };
}

void pool_set_consumer(const struct pool *pool, const struct identity *consumer)
{
	pool->shared->consumer = *consumer;
}

/*
 * For pools whose controller was killed. A consumer finishes the log and ends the pool; without one, the
 * process that sweeps the directory does, so that programs that still write to the pool unmap it. Written as
 * a file, because a mapping could be truncated meanwhile. True for a file that is no pool: it may go.
 */
bool pool_end_orphan(int fd)
{
	uint64_t disabled_types[POOL_FILTER_WORDS];
	struct head head;
	uint32_t state;

	if (!head_read(&head, fd))
		return true;
	/* A consumer of another namespace keeps the pool as long as it holds the file's lock. */
	if ((head.consumer.pid != 0 && identity_runs(&head.consumer) && !directory_is_left(fd)) ||
		!proc_may_have(sizeof(struct pool_shared)))
		return false;
	state = pool_end_state(head.target);
	memset(disabled_types, 0xff, sizeof disabled_types);
	return pwrite(fd, &state, sizeof state, offsetof(struct pool_shared, state)) ==
		       (ssize_t)sizeof state &&
	       pwrite(fd, disabled_types, sizeof disabled_types,
		       offsetof(struct pool_shared, disabled_types)) == (ssize_t)sizeof disabled_types;
}

void pool_remove(const struct identity_file *file, uint32_t uid)
{
	int directory;

	if (directory_open(uid, false, &directory) != 0)
		return;
	directory_remove(directory, IDENTITY_POOL, file);
	close(directory);
}
