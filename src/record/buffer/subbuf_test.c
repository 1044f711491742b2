/* SPDX-License-Identifier: MIT */
/* Writers that die anywhere: their CPU buffers, their sub-buffers and what they had recorded. */
#include "record/buffer/pool_test.h"
#include "record/kernel/clock.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* Instructions between one death and the next; the sanitizers add many. 0 if they are too many for this test.
 * */
#if defined(__SANITIZE_THREAD__)
enum { N_STEPS = 0 };
#elif defined(__SANITIZE_ADDRESS__)
enum { N_STEPS = 41 };
#else
enum { N_STEPS = 7 };
#endif

/* --- deaths --------------------------------------------------------------------------------------------- */

/* Whether the next event of a CPU buffer needs another sub-buffer. */
static bool needs_subbuf(const struct tested *tested, const struct cpu_buffer *buffer)
{
	uint64_t cursor = atomic_load(&buffer->cursor);

	return (cursor & tested->pool.mask) + log_event_bytes(sizeof(uint32_t)) > tested->pool.mask;
}

/*
 * Events up to the end of a sub-buffer, at least one; between two halts the one that takes another
 * sub-buffer.
 */
static _Noreturn void live(struct tested *tested)
{
	struct cpu_buffer *buffer = tested_buffer(tested, 0);

	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	do
		tested_put(tested);
	while (!needs_subbuf(tested, buffer));
	raise(SIGSTOP);
	tested_put(tested);
	raise(SIGSTOP);
	_exit(0);
}

enum death {
	DEATH_IMPOSSIBLE, /* ptrace is not permitted here */
	DEATH_INSIDE,
	DEATH_BEHIND,
};

/* A writer that is killed so many instructions behind its first halt; it is left a zombie. */
static enum death writer_die(struct tested *tested, unsigned int n_instructions, pid_t *ret_pid)
{
	enum death death = DEATH_INSIDE;
	siginfo_t info;
	int status;

	fflush(stdout);
	*ret_pid = fork();
	if (*ret_pid == 0)
		live(tested);
	if (waitpid(*ret_pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return DEATH_IMPOSSIBLE;
	for (unsigned int i = 0; i < n_instructions && death == DEATH_INSIDE; i++) {
		if (ptrace(PTRACE_SINGLESTEP, *ret_pid, NULL, NULL) < 0 ||
			waitpid(*ret_pid, &status, 0) < 0 || !WIFSTOPPED(status))
			death = DEATH_IMPOSSIBLE;
		else if (WSTOPSIG(status) == SIGSTOP)
			death = DEATH_BEHIND;
	}
	kill(*ret_pid, SIGKILL);
	waitid(P_PID, (id_t)*ret_pid, &info, WEXITED | WNOWAIT);
	return death;
}

/* --- what they leave ------------------------------------------------------------------------------------ */

static unsigned int count_kind(const struct pool *pool, enum subbuf_kind kind)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < pool->geometry.n_subbufs; i++)
		n += subbuf_state_kind(atomic_load(&pool->subbufs[i].state)) == kind;
	return n;
}

/* Sub-buffers that are taken and not open. */
static unsigned int count_stray(const struct pool *pool)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < pool->geometry.n_subbufs; i++) {
		uint64_t state = atomic_load(&pool->subbufs[i].state);

		n += subbuf_state_kind(state) == SUBBUF_TAKEN &&
		     !subbuf_is_open(pool, i, atomic_load(&pool->buffers[subbuf_state_buffer(state)].cursor));
	}
	return n;
}

static unsigned int count_owned(const struct pool *pool)
{
	unsigned int n = 0;

	for (uint32_t i = 0; i < pool->geometry.n_buffers; i++)
		n += atomic_load(&pool->buffers[i].owner) != 0;
	return n;
}

struct lives {
	unsigned int n_lives, n_stray; /* sub-buffers that were found taken and not open, ever */
	uint32_t n_given;
	bool is_possible, is_behind, is_run, is_owned; /* runs of numbers; CPU buffers of zombies */
};

/* Reads all: each life's numbers begin with 0 and go up by 1 until the next life's. */
static void read_lives(struct tested *tested, struct lives *lives)
{
	uint32_t type, number, last = UINT32_MAX;

	while ((type = tested_get(tested, &number)) != 0) {
		if (type != TEST_EVENT)
			continue;
		lives->is_run &= number == 0 || number == last + 1 || last == UINT32_MAX;
		last = number;
		lives->n_given++;
	}
}

/* A death behind each instruction. With `is_read` the reader looks at what each left. */
static void die_everywhere(struct tested *tested, bool is_read, struct lives *lives)
{
	*lives = (struct lives){ .is_possible = N_STEPS > 0, .is_run = true };
	for (unsigned int n = 0; lives->is_possible && !lives->is_behind; n += N_STEPS) {
		pid_t pid;
		enum death death = writer_die(tested, n, &pid);

		lives->is_possible = death != DEATH_IMPOSSIBLE;
		lives->is_behind = death == DEATH_BEHIND;
		lives->n_stray += count_stray(&tested->pool) > 0;
		lives->n_lives++;
		for (int look = 0; is_read && look < 3; look++)
			read_lives(tested, lives);
		if (!is_read)
			put_give_back(tested_buffer(tested, 0));
		lives->is_owned |= count_owned(&tested->pool) > 0;
		waitpid(pid, NULL, 0);
	}
}

/* As many events as the pool has room for, into the CPU buffer of the dead. */
static void use_every_subbuf(struct tested *tested)
{
	uint64_t n = tested->pool.area_bytes / log_event_bytes(sizeof(uint32_t));

	tested_buffer(tested, 0);
	while (n-- > 0 && tested_put(tested))
		;
}

static void test_deaths(int policy, const char *name)
{
	struct tested tested;
	struct lives lives;
	uint32_t number;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, policy, 1);
	die_everywhere(&tested, true, &lives);
	if (!lives.is_possible) {
		ok(true, "a writer dies anywhere # SKIP ptrace is not permitted here");
		tested_free(&tested);
		return;
	}
	ok(lives.is_behind && lives.n_lives > 10 && lives.n_stray > 0,
		"%s: a writer was killed behind each instruction, and left sub-buffers that were not open",
		name);
	ok(lives.is_run && lives.n_given >= lives.n_lives, "%s: what each had recorded is read, in order",
		name);
	ok(!lives.is_owned, "%s: the CPU buffer of a zombie is given back", name);
	use_every_subbuf(&tested);
	is_number(count_stray(&tested.pool), 0,
		"what the dead had taken is opened by later writers of the CPU buffer");
	while (tested_get(&tested, &number))
		;
	ok(count_kind(&tested.pool, SUBBUF_CLOSED) == 0 && count_stray(&tested.pool) == 0,
		"all sub-buffers but the open ones are free when all is read");
	is_number(atomic_load(&tested.pool.shared->rings[POOL_COMMON].n_used),
		count_kind(&tested.pool, SUBBUF_TAKEN), "and only the open ones are counted as used");
	tested_free(&tested);
}

/* A flight recorder: sub-buffers are overwritten. */
static void test_deaths_unread(void)
{
	struct tested tested;
	struct lives lives;
	uint32_t number, last = 0;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	for (int i = 0; i < 3000; i++)
		tested_put(&tested);
	die_everywhere(&tested, false, &lives);
	for (int lap = 0; lap < 20; lap++)
		use_every_subbuf(&tested);
	is_number(count_stray(&tested.pool), 0,
		"without a reader, no sub-buffer is missing that the dead had taken");
	while (tested_get(&tested, &number))
		last = number;
	is_number(last, tested.n_put - 1, "and the newest event is read last");
	tested_free(&tested);
}

/* --- CPU buffers ---------------------------------------------------------------------------------------- */

static void test_owners(void)
{
	struct tested tested;
	struct cpu_buffer *buffer;
	siginfo_t info;
	pid_t pid;

	tested_make(&tested, LOG_CLOCK_MONOTONIC, POSIX_TRACE_LOOP, 1);
	buffer = tested_buffer(&tested, 3);
	atomic_store(&buffer->owner, (uint32_t)gettid());
	errno = EDOM;
	ok(!put_give_back(buffer) && atomic_load(&buffer->owner) != 0 && errno == EDOM,
		"a thread that lives keeps its CPU buffer");
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	atomic_store(&buffer->owner, (uint32_t)pid);
	ok(put_give_back(buffer) && atomic_load(&buffer->owner) == 0, "a zombie does not");
	waitpid(pid, NULL, 0);
	atomic_store(&buffer->owner, (uint32_t)pid);
	ok(put_give_back(buffer) && errno == EDOM, "nor does a process that is gone, and errno is kept");
	for (uint32_t i = 0; i < tested.pool.geometry.n_buffers; i++)
		atomic_store(&tested.pool.buffers[i].owner, (uint32_t)pid);
	ok(tested_put(&tested) && errno == EDOM,
		"a writer origin finds all CPU buffers taken gets that of a dead one");
	tested_free(&tested);
}

#if RSEQ_IS_HERE
/* --- buffers of CPUs ------------------------------------------------------------------------------------ */

static bool cpu_pin(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof set, &set) == 0;
}

/* So many events, unless the stream stops before; into the CPU buffer. */
static uint32_t put_until(struct tested *tested, uint32_t n_events)
{
	uint32_t n = 0;
	const struct put put = {
		.type = TEST_EVENT, .origin = &tested->writer.pid, .data = &n, .length = sizeof n
	};

	while (n < n_events && put_slowly(&tested->pool, &tested->writer, &put))
		n++;
	return n;
}

/*
 * As a writer leaves it that is killed, moved or stopped just when it has taken a sub-buffer for a CPU
 * buffer.
 */
static void leave_subbuf(struct tested *tested, uint32_t cpu)
{
	struct subbuf *subbuf = &tested->pool.subbufs[5];
	uint64_t state = atomic_load(&subbuf->state);

	atomic_store(
		&subbuf->state, subbuf_state_make(subbuf_state_generation(state) + 1, cpu, SUBBUF_TAKEN));
	atomic_fetch_add(&tested->pool.shared->rings[POOL_COMMON].n_used, 1);
}

/*
 * By other processes that write into the stream, or by a child of vfork() that records beside its parent's
 * thread.
 */
static void test_cursors(uint32_t cpu)
{
	static const uint64_t cursors[] = { 0xffffff00, 0x80000000, UINT64_MAX, 0 };
	struct tested tested;
	bool is_good = true;

	tested_make(&tested, LOG_CLOCK_TSC, POSIX_TRACE_LOOP, 1);
	for (size_t i = 0; i < sizeof cursors / sizeof *cursors; i++) {
		uint64_t cursor = cursors[i] ? cursors[i] : tested.pool.area_bytes;

		put_until(&tested, 1);
		atomic_store(&tested.pool.buffers[cpu].cursor, cursor);
		put_quickly(&tested.pool, &tested.writer, TEST_EVENT, 0, &cursor, sizeof cursor);
		is_good &= atomic_load(&tested.pool.buffers[cpu].cursor) == cursor;
	}
	ok(is_good, "a spoiled cursor leads no writer out of the stream");
	is_number(put_until(&tested, 100), 100,
		"and one that lies just behind the last sub-buffer is made good");
	tested_free(&tested);
}

static void test_processors(void)
{
	struct tested tested;
	uint32_t cpu, n, number, n_given = 0;

	if (!rseq_find() || clock_choose() != LOG_CLOCK_TSC) {
		ok(true, "a CPU buffer # SKIP there are no restartable sequences");
		return;
	}
	cpu = rseq_cpu(rseq_find());
	tested_make(&tested, LOG_CLOCK_TSC, POSIX_TRACE_UNTIL_FULL, 1);
	if (!cpu_pin(cpu) || tested.pool.n_per_cpu <= cpu) {
		ok(true, "a CPU buffer # SKIP the thread cannot stay where it is");
		tested_free(&tested);
		return;
	}
	test_cursors(cpu);
	n = put_until(&tested, UINT32_MAX);
	tested_free(&tested);
	tested_make(&tested, LOG_CLOCK_TSC, POSIX_TRACE_UNTIL_FULL, 1);
	leave_subbuf(&tested, cpu);
	is_number(put_until(&tested, UINT32_MAX), n,
		"a sub-buffer that was taken for a processor and not opened costs no event");
	is_number(count_stray(&tested.pool), 0, "it was opened as any other");
	while (tested_get(&tested, &number) == TEST_EVENT && number == n_given)
		n_given++;
	is_number(n_given, n, "and read");
	is_number(atomic_load(&tested.pool.shared->rings[POOL_COMMON].n_overwritten), 0,
		"nothing of it counts as overwritten");
	tested_free(&tested);
}
#endif

int main(void)
{
	test_deaths(POSIX_TRACE_UNTIL_FULL, "UNTIL_FULL");
	test_deaths(POSIX_TRACE_LOOP, "LOOP");
	test_deaths_unread();
	test_owners();
#if RSEQ_IS_HERE
	test_processors();
#endif
	return tap_done();
}
