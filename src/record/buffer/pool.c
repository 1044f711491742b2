/* SPDX-License-Identifier: MIT */
#include "record/buffer/pool.h"
#include "record/buffer/rseq.h"
#include "record/buffer/subbuf.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/guard.h"
#include "record/rendezvous/permit.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POOL_VERSION 4
#ifndef MADV_POPULATE_WRITE /* glibc before 2.34 */
#define MADV_POPULATE_WRITE 23
#endif
#define POOL_PAGE	      4096u
#define PROCINFO_BYTES	      (POOL_PROCINFOS * sizeof(struct pool_procinfo))
#define TASKS_BYTES	      (POOL_TASKS * sizeof(struct pool_task))
#define SUBBUF_BYTES_MAX      (1u << 20)
#define CPUS_MAX	      4096u
#define POOL_BYTES_MAX	      (1ull << 32) /* of the area: what a cursor can name */
/* CPU buffers that are nobody's: few beside CPU buffers (system events, the consumer), else enough for all processors. */
#define SHARED_BUFFERS_BESIDE 4u
#define SHARED_BUFFERS_ALONE  8u
#define DISABLED_TURNS	      64u

size_t pool_event_size(size_t data_length)
{
	return (size_t)log_event_bytes(data_length);
}

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* One more than the largest number a processor can ever have: the kernel's list of possible ones ends with it. */
static uint32_t processors(void)
{
	char text[1024];
	long fd = syscall(SYS_openat, (long)AT_FDCWD, "/sys/devices/system/cpu/possible",
		(long)(O_RDONLY | O_CLOEXEC), 0L);
	size_t n = fd < 0 ? 0 : proc_read((int)fd, text, sizeof text);
	uint32_t last = 0;

	proc_close((int)fd);
	for (size_t i = 0; i < n; i++)
		last = text[i] < '0' || text[i] > '9' ? (text[i] == '\n' ? last : 0)
						      : last * 10 + (uint32_t)(text[i] - '0');
	return n > 0 && last < CPUS_MAX ? last + 1 : 0;
}

/* The longest event that a stream can get: FILTER has two sets, whatever max-data-size says (section 5). */
static uint64_t longest_event(const trace_attr_t *attr)
{
	uint64_t system = 2 * sizeof(trace_event_set_t);

	return log_event_bytes(attr->posix_trace_data_size > system ? attr->posix_trace_data_size : system);
}

/*
 * Sub-buffers are as large as makes 64 of them (more where there are many CPU buffers, each of which has two of its own), but not so
 * small that their unused ends count. So many of them as stream-min-size fills when every sub-buffer wastes the most it can,
 * two for every CPU buffer, and one more, so that each can overwrite what it has filled itself (subbuf.c, find_own()).
 */
static int geometry_make(struct pool_geometry *geometry, const struct pool_config *config)
{
	uint64_t size = config->attr->posix_trace_stream_size;
	uint64_t longest = longest_event(config->attr);
	uint32_t n_processors = processors();
	bool has_sequences =
		RSEQ_IS_HERE && n_processors > 0 && config->clock == LOG_CLOCK_TSC && config->has_rseq;
	uint64_t n_subbufs, n_wanted;

	*geometry = (struct pool_geometry){ .subbuf_shift = 12 };
	geometry->n_per_cpu = has_sequences ? n_processors : 0;
	/* A power of two of shared ones. */
	geometry->n_buffers = has_sequences ? SHARED_BUFFERS_BESIDE : SHARED_BUFFERS_ALONE;
	while (!has_sequences && geometry->n_buffers < 2 * n_processors)
		geometry->n_buffers *= 2;
	geometry->n_buffers += geometry->n_per_cpu;
	n_wanted = geometry->n_buffers > 32 ? 2 * geometry->n_buffers : 64;
	while ((1ull << geometry->subbuf_shift) < SUBBUF_BYTES_MAX &&
		((1ull << geometry->subbuf_shift) < 4 * longest ||
			(1ull << geometry->subbuf_shift) < size / n_wanted))
		geometry->subbuf_shift++;
	if (size > POOL_BYTES_MAX)
		return EINVAL;
	n_subbufs = size / ((1ull << geometry->subbuf_shift) - longest) + 1 +
		    3 * (uint64_t)geometry->n_buffers + 2;
	if (n_subbufs >= (1u << 24) || (n_subbufs + 1) << geometry->subbuf_shift > POOL_BYTES_MAX)
		return EINVAL;
	geometry->n_subbufs = (uint32_t)n_subbufs;
	geometry->buffers_at = round_up(sizeof(struct pool_shared), POOL_PAGE);
	geometry->subbufs_at =
		round_up(geometry->buffers_at + geometry->n_buffers * sizeof(struct cpu_buffer), POOL_PAGE);
	geometry->tasks_at =
		round_up(geometry->subbufs_at + (n_subbufs + 1) * sizeof(struct subbuf), POOL_PAGE);
	geometry->area_at = geometry->tasks_at + TASKS_BYTES;
	if (config->is_foreign || config->attr->posix_trace_inheritance == POSIX_TRACE_INHERITED) {
		geometry->procinfo_at = geometry->area_at;
		geometry->area_at += PROCINFO_BYTES;
	}
	geometry->total_bytes = geometry->area_at + (n_subbufs << geometry->subbuf_shift);
	return 0;
}

/* The rest of a pool whose geometry, clock, policy and data size are known. */
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
	pool->area = bytes + geometry->area_at;
	pool->mask = (uint32_t)((1ull << geometry->subbuf_shift) - 1);
	pool->area_bytes = (uint64_t)geometry->n_subbufs << geometry->subbuf_shift;
	pool->one_event = 1ull << CURSOR_OFFSET_BITS;
	pool->one_number = pool->one_event + log_event_bytes(4);
	pool->n_per_cpu = geometry->n_per_cpu;
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
 * Whoever changes one of the two last, looks at both: who was slower finds the state changed, and does it again. As often
 * as states can change at all by honest hands: one who changes it for ever keeps nobody.
 */
static void pool_update_disabled(const struct pool *pool)
{
	struct pool_shared *shared = pool->shared;
	uint32_t state, turn = 0;

	do {
		state = atomic_load(&shared->state);
		for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++)
			atomic_store_explicit(&shared->disabled_types[i],
				state == POOL_RUNNING
					? atomic_load_explicit(&shared->filter[i], memory_order_relaxed)
					: UINT64_MAX,
				memory_order_relaxed);
	} while (atomic_load(&shared->state) != state && ++turn < DISABLED_TURNS);
}

/* Memory that is promised only would be a SIGBUS inside somebody's trace point. */
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

/* Of a file that others can make shorter. */
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
 * Of a pool that the caller's own trace points write to, all pages are in its map before they do, so that no event waits for
 * one. A kernel that cannot (before 5.14) leaves that to the events.
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
	ret_pool->shared->kind = pool_spec(ret_pool);
	ret_pool->shared->target = (uint32_t)config->target;
	for (uint32_t i = 0; i < like.geometry.n_buffers; i++)
		atomic_init(&ret_pool->buffers[i].cursor, cpu_buffer_no_cursor(&like.geometry));
	pool_update_disabled(ret_pool);
	*ret_fd = fd;
	return 0;
}

/* What is between sub-buffers and area. */
static bool tells_are_sane(const struct pool_geometry *geometry)
{
	uint64_t blocks_end = geometry->subbufs_at + (geometry->n_subbufs + 1ull) * sizeof(struct subbuf);
	uint64_t tasks_end = geometry->procinfo_at ? geometry->procinfo_at : geometry->area_at;

	return geometry->tasks_at % POOL_PAGE == 0 && geometry->tasks_at >= blocks_end &&
	       tasks_end % POOL_PAGE == 0 && geometry->tasks_at <= tasks_end &&
	       tasks_end - geometry->tasks_at >= TASKS_BYTES && tasks_end <= geometry->area_at &&
	       (geometry->procinfo_at == 0 || geometry->area_at - geometry->procinfo_at >= PROCINFO_BYTES);
}

static bool geometry_is_sane(const struct pool_geometry *geometry, uint64_t bytes)
{
	uint64_t n_subbufs = geometry->n_subbufs;

	return geometry->subbuf_shift >= 12 && geometry->subbuf_shift <= 20 && n_subbufs > 0 &&
	       n_subbufs < (1u << 24) && geometry->n_buffers > 0 && geometry->n_buffers <= 8192 &&
	       geometry->n_per_cpu < geometry->n_buffers &&
	       ((geometry->n_buffers - geometry->n_per_cpu) &
		       (geometry->n_buffers - geometry->n_per_cpu - 1)) == 0 &&
	       geometry->buffers_at >= sizeof(struct pool_shared) && geometry->buffers_at % POOL_PAGE == 0 &&
	       geometry->buffers_at <= bytes && geometry->subbufs_at % POOL_PAGE == 0 &&
	       geometry->subbufs_at <= bytes &&
	       geometry->subbufs_at >=
		       geometry->buffers_at + geometry->n_buffers * sizeof(struct cpu_buffer) &&
	       geometry->area_at % POOL_PAGE == 0 && geometry->area_at <= bytes &&
	       geometry->area_at + (n_subbufs << geometry->subbuf_shift) == bytes &&
	       geometry->total_bytes == bytes && tells_are_sane(geometry);
}

/* A pool of that kind, not mapped. */
static struct pool pool_of(const struct pool_spec *kind)
{
	return (struct pool){
		.geometry = kind->geometry,
		.clock = kind->clock,
		.policy = kind->policy,
		.data_size = kind->data_size,
	};
}

/* How a pool begins. */
struct head {
	uint32_t magic, version;
	struct pool_spec kind;
	struct identity consumer;
	uint32_t target;
};
_Static_assert(offsetof(struct head, kind) == offsetof(struct pool_shared, kind) &&
		       offsetof(struct head, consumer) == offsetof(struct pool_shared, consumer) &&
		       offsetof(struct head, target) == offsetof(struct pool_shared, target),
	"a pool begins like that");

/* Read and not mapped, so that it cannot change while it is looked at. */
static bool head_read(struct head *ret_head, int fd)
{
	return syscall(SYS_pread64, (long)fd, ret_head, sizeof *ret_head, 0L) == (long)sizeof *ret_head &&
	       ret_head->magic == POOL_MAGIC && ret_head->version == POOL_VERSION;
}

/* What a pool says of itself, if it can be true. */
static int kind_read(struct pool *ret_pool, int fd)
{
	struct head head;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	if (!head_read(&head, fd) || !geometry_is_sane(&head.kind.geometry, (uint64_t)st.st_size) ||
		head.kind.data_size > UINT16_MAX || head.kind.clock > LOG_CLOCK_TSC)
		return EINVAL;
	*ret_pool = pool_of(&head.kind);
	return proc_file_of(fd, &ret_pool->memory) ? 0 : errno;
}

int pool_map(struct pool *ret_pool, const struct pool_spec *kind, int fd)
{
	struct stat st;
	void *base;

	if (fstat(fd, &st) < 0 || !geometry_is_sane(&kind->geometry, (uint64_t)st.st_size))
		return EINVAL;
	base = guarded_map(&kind->geometry, fd);
	if (base == MAP_FAILED)
		return ENOMEM;
	*ret_pool = pool_of(kind);
	proc_file_of(fd, &ret_pool->memory);
	pool_set_pointers(ret_pool, base);
	return 0;
}

/* CPU buffers of processors are used without another look: there must be one for each, or none. */
int pool_open(struct pool *ret_pool, int fd, pool_mapper *map)
{
	int error = kind_read(ret_pool, fd);
	uint32_t n_buffers = ret_pool->geometry.n_per_cpu;
	void *base;

	if (error)
		return error;
	if (n_buffers > 0 && (processors() == 0 || n_buffers < processors()))
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

static enum pool_state end_of(uint32_t target)
{
	return permit_is_confined(target) ? POOL_SUSPENDED : POOL_GONE;
}

/*
 * Pools whose controller was killed. If there is a consumer, it finishes the log and ends the pool; otherwise whoever sweeps
 * the directory does, so that the programs which still write to it let it go. Written as a file: nothing is mapped that
 * could be taken away meanwhile. What is no pool is nobody's.
 */
bool pool_end_orphan(int fd)
{
	uint64_t disabled_types[POOL_FILTER_WORDS];
	struct head head;
	uint32_t state;

	if (!head_read(&head, fd))
		return true;
	/* A consumer that cannot be judged holds the pool. */
	if ((head.consumer.pid != 0 && identity_runs(&head.consumer) && !directory_is_left(fd)) ||
		!proc_may_have(sizeof(struct pool_shared)))
		return false;
	state = end_of(head.target);
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

bool pool_change(const struct pool *pool, enum pool_state from, enum pool_state to)
{
	uint32_t expected = from;

	if (from == POOL_FULL) /* only the reader and the controller leave this state, one at a time */
		atomic_store(&pool->shared->stop_ticks,
			POOL_NOT_STOPPED | clock_ticks((enum log_clock)pool->clock));
	if (!atomic_compare_exchange_strong(&pool->shared->state, &expected, to))
		return false;
	pool_update_disabled(pool);
	return true;
}

bool pool_set_stop(const struct pool *pool, uint64_t before, uint64_t ticks)
{
	return atomic_compare_exchange_strong(&pool->shared->stop_ticks, &before, ticks);
}

/* If the thread is descheduled before it stores the stop time, the reader stores it instead (read.c, stop_time()). */
void pool_stop(const struct pool *pool)
{
	struct pool_shared *shared = pool->shared;
	uint64_t before = atomic_load(&shared->stop_ticks);

	if (!pool_change(pool, POOL_RUNNING, POOL_FULL))
		return;
	atomic_store(&shared->is_full, POSIX_TRACE_FULL);
	if (!pool_set_stop(pool, before, clock_ticks((enum log_clock)pool->clock)) &&
		atomic_load(&shared->state) == POOL_RUNNING)
		atomic_store(&shared->is_full, POSIX_TRACE_NOT_FULL);
}

void pool_end(const struct pool *pool, uint32_t target)
{
	atomic_store(&pool->shared->state, end_of(target));
	pool_update_disabled(pool);
}

void pool_set_filter(const struct pool *pool, const uint64_t words[POOL_FILTER_WORDS])
{
	for (unsigned int i = 0; i < POOL_FILTER_WORDS; i++)
		atomic_store_explicit(&pool->shared->filter[i], words[i], memory_order_relaxed);
	pool_update_disabled(pool);
}

uint64_t pool_lost(const struct pool *pool)
{
	uint64_t n = atomic_load(&pool->shared->n_overwritten) + atomic_load(&pool->shared->n_dropped);

	for (uint32_t i = 0; i < pool->geometry.n_buffers; i++)
		n += atomic_load_explicit(&pool->buffers[i].n_lost, memory_order_relaxed);
	return n;
}
