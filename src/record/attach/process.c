/* SPDX-License-Identifier: MIT */
#include "record/attach/process.h"
#include "record/attach/clock.h"
#include "record/attach/rseq.h"
#include <errno.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCESS_GATES	      64
#define PROCESS_RETIRED	      64
/* A refresh takes microseconds; who waits longer for another thread's goes on untraced. */
#define PROCESS_REFRESH_TRIES 10000

_Atomic uint64_t process_gate;
_Atomic uint64_t process_inherited;
struct process_page process_page;
struct names *_Atomic process_map;

/* A thread that has not been here yet. */
#define PROCESS_NO_EPOCH UINT64_MAX
/* A ring that takes nothing: process_set_up() mutes it. */
static struct ring_shared no_shared;
static const struct ring no_ring = { .shared = &no_shared };
__thread struct process_thread process_self __attribute__((tls_model("initial-exec"))) = {
	.epoch = PROCESS_NO_EPOCH,
	.ring = &no_ring,
};

/* What children inherit. */
static struct {
	_Atomic uint64_t last_epoch;
	_Atomic uint32_t is_set_up;
	enum log_clock first_clock;
	struct log_clock_pair first_pair;
	int names_fd;
	dev_t names_device;
	ino_t names_inode;
	_Atomic uint32_t n_gates;
	_Atomic uint32_t *gates[PROCESS_GATES];
} process = { .names_fd = -1 };

/* Gates beside trace points. */

static void gates_set(void)
{
	uint32_t is_open = atomic_load(&process_gate) != 0;
	uint32_t n = atomic_load(&process.n_gates);

	for (uint32_t i = 0; i < n && i < PROCESS_GATES; i++) {
		_Atomic uint32_t *gate = process.gates[i];
		if (gate)
			atomic_store_explicit(gate, is_open, memory_order_relaxed);
	}
}

void process_add_gate(_Atomic uint32_t *gate)
{
	uint32_t n;

	pthread_mutex_lock(&process_page.lock);
	n = atomic_load(&process.n_gates);
	for (uint32_t i = 0; i < n; i++) {
		if (process.gates[i] == gate || (process.gates[i] == NULL && (process.gates[i] = gate)))
			goto known;
	}
	if (n == PROCESS_GATES) {
		atomic_store(gate, 1); /* always open: its points ask process_gate each time */
	} else {
		process.gates[n] = gate;
		atomic_store(&process.n_gates, n + 1);
	}
known:
	gates_set();
	pthread_mutex_unlock(&process_page.lock);
}

void process_drop_gate(_Atomic uint32_t *gate)
{
	pthread_mutex_lock(&process_page.lock);
	for (uint32_t i = 0; i < atomic_load(&process.n_gates); i++) {
		if (process.gates[i] == gate)
			process.gates[i] = NULL;
	}
	pthread_mutex_unlock(&process_page.lock);
}

/* Threads and forks. */

void process_new_epoch(void)
{
	atomic_store(&process_page.epoch, atomic_fetch_add(&process.last_epoch, 1) + 1);
	gates_set();
}

static void names_remember(int fd)
{
	struct stat facts;

	process.names_fd = fd;
	if (fd >= 0 && fstat(fd, &facts) == 0) {
		process.names_device = facts.st_dev;
		process.names_inode = facts.st_ino;
	}
}

/* In a child: what is not inherited goes (section 13). A child that is not traced gets names of its own. */
static void process_after_fork(void)
{
	struct names *names = atomic_load(&process_map);
	int fd = -1;

	atomic_fetch_and(&process_gate, atomic_load(&process_inherited));
	if (names && atomic_load(&process_gate) == 0) {
		atomic_store(&process_map, names_copy(names, &fd));
		names_remember(fd);
	}
	gates_set();
}

static void process_set_up(void)
{
	if (atomic_exchange(&process.is_set_up, 1))
		return;
	memset(&no_shared.muted, 0xff, sizeof no_shared.muted);
	madvise(&process_page, sizeof process_page, MADV_WIPEONFORK);
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ, 0, 0);
}

static bool process_begin_epoch(void)
{
	uint32_t nobody = 0;

	if (!atomic_compare_exchange_strong(&process_page.is_refreshing, &nobody, 1)) {
		for (unsigned int i = 0; i < PROCESS_REFRESH_TRIES && atomic_load(&process_page.epoch) == 0;
			i++)
			sched_yield();
		return atomic_load(&process_page.epoch) != 0;
	}
	if (atomic_load(&process.last_epoch) != 0)
		process_after_fork();
	process_set_up();
	atomic_store(&process_page.epoch, atomic_fetch_add(&process.last_epoch, 1) + 1);
	return true;
}

#if RSEQ_IS_HERE
/* glibc before 2.35 has none of these; other libraries may offer them with no thread registered. */
#pragma weak __rseq_size
#pragma weak __rseq_offset

static void *thread_rseq(void)
{
	struct rseq *rseq;

	if (!&__rseq_size || !&__rseq_offset || __rseq_size == 0)
		return NULL;
	rseq = (struct rseq *)(void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	return (int32_t)rseq->cpu_id >= 0 ? rseq : NULL;
}
#else
static void *thread_rseq(void)
{
	return NULL;
}
#endif

/* The ring that is attached when it is the only one and takes events of this thread in the quick way. */
static const struct ring *process_only_ring(bool has_rseq)
{
	uint64_t gate = atomic_load(&process_gate);
	const struct ring *ring = gate ? process_ring(__builtin_ctzll(gate)) : &no_ring;

	return (gate & (gate - 1)) == 0 && has_rseq && ring->n_cpu_slots > 0 ? ring : &no_ring;
}

static void thread_look(struct process_thread *self)
{
	uint64_t epoch = atomic_load(&process_page.epoch); /* before what it stands for is looked at */

	self->pid = (uint32_t)getpid();
	self->tid = (uint32_t)syscall(SYS_gettid);
	self->thread = (uint64_t)(uintptr_t)pthread_self();
	self->rseq = thread_rseq();
	self->has_rseq = self->rseq != NULL;
	self->slot = self->tid;
	self->ring = process_only_ring(self->has_rseq);
	self->epoch = epoch;
}

/* With signals blocked: a handler that has trace points of its own finds either nothing done or everything. */
bool process_refresh(void)
{
	uint64_t all = UINT64_MAX, old;
	int error = errno;
	bool is_blocked = syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &old, sizeof old) == 0;
	bool done = atomic_load(&process_page.epoch) != 0 || process_begin_epoch();

	if (done)
		thread_look(&process_self);
	if (is_blocked)
		syscall(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, sizeof old);
	errno = error;
	return done;
}

const struct process_thread *process_thread(void)
{
	process_here();
	return &process_self;
}

/* Where the C library forks, the child need not wait for its first trace point; and where the kernel could not be told
 * to wipe the page, this does. */
static void process_forked(void)
{
	memset(&process_page, 0, sizeof process_page);
	process_thread();
}

static void __attribute__((constructor)) process_start(void)
{
	process_thread();
	process.first_clock = clock_choose();
	process.first_pair = clock_pair(process.first_clock);
	pthread_atfork(NULL, NULL, process_forked);
}

struct log_clock_pair process_first_pair(enum log_clock clock)
{
	return process.first_clock == clock ? process.first_pair : clock_pair(clock);
}

/* Names. */

struct names *process_names(void)
{
	struct names *names, *none = NULL;
	int fd = -1;

	process_thread();
	names = atomic_load(&process_map);
	if (names)
		return names;
	names = names_create(&fd);
	if (!names)
		return NULL;
	pthread_mutex_lock(&process_page.lock);
	if (atomic_compare_exchange_strong(&process_map, &none, names)) {
		names_remember(fd);
	} else {
		names_unmap(names);
		if (fd >= 0)
			close(fd);
		names = none;
	}
	pthread_mutex_unlock(&process_page.lock);
	return names;
}

int process_names_fd(void)
{
	struct names *names = process_names(), *copy;
	struct stat facts;
	int fd = -1;

	if (!names)
		return -1;
	if (process.names_fd >= 0 && fstat(process.names_fd, &facts) == 0 &&
		facts.st_dev == process.names_device && facts.st_ino == process.names_inode)
		return process.names_fd;
	/* The program has closed descriptors that were not its own: from here on a map that has one again. The old one
	 * stays mapped for those who read it now. */
	copy = names_copy(names, &fd);
	if (!copy)
		return -1;
	pthread_mutex_lock(&process_page.lock);
	names_remember(fd);
	atomic_store(&process_map, copy);
	pthread_mutex_unlock(&process_page.lock);
	return fd;
}
