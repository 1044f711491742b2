/* SPDX-License-Identifier: MIT */
#include "record/buffer/geometry.h"
#include "record/buffer/rseq.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define POOL_PAGE	      4096u
#define PROCINFO_BYTES	      (POOL_PROCINFOS * sizeof(struct pool_procinfo))
#define TASKS_BYTES	      (POOL_TASKS * sizeof(struct pool_task))
#define RARE_BYTES	      round_up(sizeof(struct pool_rare), POOL_PAGE)
#define RARE_SHARE	      4 /* of a stream with a rare ring: this part of its bytes */
#define SUBBUF_SHIFT_MIN      12u
#define SUBBUF_SHIFT_MAX      20u
#define N_SUBBUFS_END	      (1u << 24)
#define N_BUFFERS_MAX	      8192u
#define N_CPUS_END	      4096u
#define AREA_BYTES_MAX	      (1ull << 32) /* the offset of a cursor has 32 bits */
/* Shared buffers: few beside those of CPUs (for system events and the consumer), else enough for all CPUs. */
#define SHARED_BUFFERS_BESIDE 4u
#define SHARED_BUFFERS_ALONE  8u

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* The kernel's list of possible CPUs ends with the largest number. */
uint32_t geometry_n_cpus(void)
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
	return n > 0 && last < N_CPUS_END ? last + 1 : 0;
}

/* The longest event of a stream: the data of FILTER are two sets, whatever max-data-size is (section 5). */
static uint64_t longest_event(const trace_attr_t *attr)
{
	uint64_t system = 2 * sizeof(trace_event_set_t);

	return log_event_bytes(attr->posix_trace_data_size > system ? attr->posix_trace_data_size : system);
}

/* CPU buffers, if threads have restartable sequences, and shared ones, whose number is a power of two. */
static void buffers_make(struct pool_geometry *geometry, const struct pool_config *config)
{
	uint32_t n_cpus = geometry_n_cpus();
	bool has_sequences = RSEQ_IS_HERE && n_cpus > 0 && config->clock == LOG_CLOCK_TSC && config->has_rseq;

	geometry->n_per_cpu = has_sequences ? n_cpus : 0;
	geometry->n_buffers = has_sequences ? SHARED_BUFFERS_BESIDE : SHARED_BUFFERS_ALONE;
	while (!has_sequences && geometry->n_buffers < 2 * n_cpus)
		geometry->n_buffers *= 2;
	if (config->attr->posix_trace_rare)
		geometry->n_buffers *= 2; /* the second half writes to the rare ring */
	geometry->n_buffers += geometry->n_per_cpu;
}

/*
 * A power of two: stream-min-size takes about 64 of them (more with many CPU buffers), but the longest event
 * fits four times, so that the unused ends of sub-buffers are small.
 */
static uint32_t subbuf_shift(uint64_t stream_size, uint64_t longest, uint32_t n_buffers)
{
	uint64_t n_wanted = n_buffers > 32 ? 2 * (uint64_t)n_buffers : 64;
	uint32_t shift = SUBBUF_SHIFT_MIN;

	while (shift < SUBBUF_SHIFT_MAX &&
		((1ull << shift) < 4 * longest || (1ull << shift) < stream_size / n_wanted))
		shift++;
	return shift;
}

/*
 * The number of sub-buffers is the sum of three parts: those that stream-min-size fills if each wastes the
 * most it can, three for every CPU buffer, and two more. So each CPU buffer can overwrite the sub-buffers
 * that it has filled itself (subbuf.c, find_own()).
 */
int geometry_make(struct pool_geometry *geometry, const struct pool_config *config)
{
	uint64_t size = config->attr->posix_trace_stream_size;
	uint64_t longest = longest_event(config->attr);
	uint64_t n_subbufs;

	*geometry = (struct pool_geometry){ 0 };
	buffers_make(geometry, config);
	geometry->subbuf_shift = subbuf_shift(size, longest, geometry->n_buffers);
	if (size > AREA_BYTES_MAX)
		return EINVAL;
	n_subbufs = size / ((1ull << geometry->subbuf_shift) - longest) + 1 +
		    3 * (uint64_t)geometry->n_buffers + 2;
	if (config->attr->posix_trace_rare)
		geometry->n_rare = size / RARE_SHARE / ((1ull << geometry->subbuf_shift) - longest) + 1 +
				   3 * (uint64_t)(geometry->n_buffers - geometry->n_per_cpu) / 2;
	if (n_subbufs >= N_SUBBUFS_END || (n_subbufs + 1) << geometry->subbuf_shift > AREA_BYTES_MAX)
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
	if (geometry->n_rare) {
		geometry->rare_at = geometry->area_at;
		geometry->area_at += RARE_BYTES;
	}
	geometry->total_bytes = geometry->area_at + (n_subbufs << geometry->subbuf_shift);
	return 0;
}

/* The tables between sub-buffers and area. */
static bool tables_are_sane(const struct pool_geometry *geometry)
{
	uint64_t subbufs_end = geometry->subbufs_at + (geometry->n_subbufs + 1ull) * sizeof(struct subbuf);
	uint64_t procinfo_end = geometry->rare_at ? geometry->rare_at : geometry->area_at;
	uint64_t tasks_end = geometry->procinfo_at ? geometry->procinfo_at : procinfo_end;

	return geometry->tasks_at % POOL_PAGE == 0 && geometry->tasks_at >= subbufs_end &&
	       tasks_end % POOL_PAGE == 0 && geometry->tasks_at <= tasks_end &&
	       tasks_end - geometry->tasks_at >= TASKS_BYTES && tasks_end <= procinfo_end &&
	       procinfo_end <= geometry->area_at && procinfo_end % POOL_PAGE == 0 &&
	       (geometry->procinfo_at == 0 || procinfo_end - geometry->procinfo_at >= PROCINFO_BYTES) &&
	       (geometry->rare_at == 0 || geometry->area_at - geometry->rare_at >= RARE_BYTES);
}

/* Both rings have sub-buffers and shared buffers, or there is one ring. */
static bool rings_are_sane(const struct pool_geometry *geometry)
{
	return (geometry->rare_at != 0) == (geometry->n_rare != 0) &&
	       (geometry->n_rare == 0 || (geometry->n_rare < geometry->n_subbufs &&
						 geometry->n_buffers - geometry->n_per_cpu >= 2));
}

bool geometry_is_sane(const struct pool_geometry *geometry, uint64_t bytes)
{
	uint64_t n_subbufs = geometry->n_subbufs;

	return geometry->subbuf_shift >= SUBBUF_SHIFT_MIN && geometry->subbuf_shift <= SUBBUF_SHIFT_MAX &&
	       n_subbufs > 0 && n_subbufs < N_SUBBUFS_END && geometry->n_buffers > 0 &&
	       geometry->n_buffers <= N_BUFFERS_MAX && geometry->n_per_cpu < geometry->n_buffers &&
	       ((geometry->n_buffers - geometry->n_per_cpu) &
		       (geometry->n_buffers - geometry->n_per_cpu - 1)) == 0 &&
	       geometry->buffers_at >= sizeof(struct pool_shared) && geometry->buffers_at % POOL_PAGE == 0 &&
	       geometry->buffers_at <= bytes && geometry->subbufs_at % POOL_PAGE == 0 &&
	       geometry->subbufs_at <= bytes &&
	       geometry->subbufs_at >=
		       geometry->buffers_at + geometry->n_buffers * sizeof(struct cpu_buffer) &&
	       geometry->area_at % POOL_PAGE == 0 && geometry->area_at <= bytes &&
	       geometry->area_at + (n_subbufs << geometry->subbuf_shift) == bytes &&
	       geometry->total_bytes == bytes && tables_are_sane(geometry) && rings_are_sane(geometry);
}
