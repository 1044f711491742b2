/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer_test.h"
#include "record/consumer/processes.h"
#include "record/process/procinfo.h"
#include <sys/wait.h>

#define SOMEBODY 0x10000001u

static void pool_make(struct pool *ret_pool, int inheritance)
{
	trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	struct pool_config config = { .attr = &attr,
		.target = getpid(),
		.clock = clock_choose(),
		.has_rseq = rseq_find() != NULL,
		.map = process_memory };
	int fd;

	attr.posix_trace_inheritance = inheritance;
	ok(pool_create(ret_pool, &config, &fd) == 0 && (ret_pool->procinfo != NULL) == (inheritance != 0),
		"a pool that others can be traced into has procinfo records, and no other");
	close(fd);
}

static struct procinfo info_of(uint32_t pid, uint64_t address)
{
	struct procinfo info = { .kind = PROCINFO_MODULE, .mark = 7 };

	info.module = (struct log_module){ .pid = pid, .address = address, .size = 4096 };
	strcpy(info.path, "/lib/one.so");
	return info;
}

static uint64_t info_put(const struct pool *pool, uint32_t pid, uint64_t address)
{
	struct procinfo info = info_of(pid, address);

	procinfo_put(pool, &info);
	return info.ticks;
}

/* Takes all of a process's up to these ticks; the address of the last. */
static unsigned int take_all(
	struct procinfo_reader *reader, uint32_t pid, uint64_t ticks, uint64_t *ret_address)
{
	struct procinfo info;
	unsigned int n = 0;

	*ret_address = 0;
	for (; procinfo_reader_peek(reader, pid, ticks, &info); n++) {
		*ret_address = info.module.address;
		procinfo_reader_take(reader);
	}
	return n;
}

static void test_order(const struct pool *pool, struct procinfo_reader *reader)
{
	uint64_t first, second, address;
	struct procinfo info, again;

	procinfo_reader_begin(reader, pool);
	ok(!procinfo_reader_peek(reader, SOMEBODY, UINT64_MAX, &info), "there is no record at first");
	first = info_put(pool, SOMEBODY, 0x1000);
	info_put(pool, SOMEBODY + 1, 0x9000);
	while ((second = info_put(pool, SOMEBODY, 0x2000)) == first)
		;
	ok(!procinfo_reader_peek(reader, SOMEBODY, first - 1, &info),
		"a record does not hold before its stamp");
	ok(procinfo_reader_peek(reader, SOMEBODY, first, &info) &&
			procinfo_reader_peek(reader, SOMEBODY, first, &again) &&
			info.module.address == 0x1000 && again.module.address == 0x1000,
		"from its stamp on it does, until it is taken");
	procinfo_reader_take(reader);
	ok(take_all(reader, SOMEBODY, second - 1, &address) == 0, "a later one does not yet");
	ok(take_all(reader, SOMEBODY, second, &address) >= 1 && address == 0x2000, "then it does");
	ok(take_all(reader, SOMEBODY + 1, UINT64_MAX, &address) == 1 && address == 0x9000,
		"another process's waits for that process");
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 0, "each is taken once");
	info_put(pool, SOMEBODY, 0x3000);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 1 && address == 0x3000,
		"a record that is put later is found");
	procinfo_reader_begin(reader, pool);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) >= 3 && address == 0x3000,
		"a reader that begins anew finds all that is there");
}

static void test_many(const struct pool *pool, struct procinfo_reader *reader)
{
	uint64_t address;

	procinfo_reader_begin(reader, pool);
	info_put(pool, SOMEBODY, 0x1000);
	take_all(reader, SOMEBODY, 0, &address); /* seen, and left */
	for (unsigned int i = 0; i < 3 * POOL_PROCINFOS; i++)
		info_put(pool, SOMEBODY + 2, 4096ull * (i + 1));
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 0, "what was overwritten is not there");
	ok(take_all(reader, SOMEBODY + 2, UINT64_MAX, &address) == POOL_PROCINFOS &&
			address == 4096ull * 3 * POOL_PROCINFOS,
		"the newest are");
}

/* A slot of a writer that was killed, and one that two writers wrote. */
static void test_torn(const struct pool *pool, struct procinfo_reader *reader)
{
	struct pool_procinfo *slot;
	uint64_t address, number;

	procinfo_reader_begin(reader, pool);
	number = atomic_fetch_add(&pool->shared->n_procinfos, 1);
	info_put(pool, SOMEBODY, 0x5000);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 1,
		"a record that is never completed holds up no other");
	info_put(pool, SOMEBODY, 0x6000);
	slot = &pool->procinfo[(number + 2) % POOL_PROCINFOS];
	atomic_store(&slot->words[5], 0x7000);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 0,
		"a record whose check is wrong is left out");
	atomic_store(&pool->shared->n_procinfos, 0);
	atomic_fetch_add(&pool->shared->n_procinfos_whole, 1);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 0, "counts that go back are no harm");
	atomic_store(&pool->shared->n_procinfos, UINT64_MAX);
	atomic_fetch_add(&pool->shared->n_procinfos_whole, 1);
	ok(take_all(reader, SOMEBODY, UINT64_MAX, &address) == 0, "nor are counts that lie");
	atomic_store(&pool->shared->n_procinfos, number + 3);
}

static void test_insane(const struct pool *pool, struct procinfo_reader *reader)
{
	struct procinfo info, got;
	uint64_t address;

	procinfo_reader_begin(reader, pool);
	take_all(reader, SOMEBODY, UINT64_MAX, &address);
	info = info_of(SOMEBODY, 0x1000);
	memset(info.path, 'x', sizeof info.path);
	procinfo_put(pool, &info);
	info = info_of(SOMEBODY, UINT64_MAX - 100);
	procinfo_put(pool, &info);
	info = info_of(SOMEBODY, 0x1000);
	info.module.n_build_id = 29;
	procinfo_put(pool, &info);
	info = info_of(SOMEBODY, 0x1000);
	info.kind = 3;
	procinfo_put(pool, &info);
	info = info_of(0, 0x1000);
	procinfo_put(pool, &info);
	ok(!procinfo_reader_peek(reader, SOMEBODY, UINT64_MAX, &got) &&
			!procinfo_reader_peek(reader, 0, UINT64_MAX, &got),
		"what cannot be is passed over");
}

/* The result of a reader. */

struct read {
	struct processes processes;
	struct log_writer log;
	unsigned char buffer[1 << 18];
	char path[32];
};

static struct read *read_begin(const struct pool *pool)
{
	const struct log_start start = {
		.content = LOG_CONTENT_POSIX, .clock = LOG_CLOCK_MONOTONIC, .policy = POSIX_TRACE_APPEND
	};
	struct read *read = calloc(1, sizeof *read);

	strcpy(read->path, "/tmp/note_test.XXXXXX");
	log_begin(&read->log, mkstemp(read->path), &start, false, read->buffer, sizeof read->buffer);
	processes_begin(&read->processes, &read->log, pool, UINT64_MAX);
	return read;
}

static struct found *read_end(struct read *read)
{
	const struct log_end end = { .reason = LOG_END_SNAPSHOT };
	struct found *found;

	log_finish(&read->log, &end);
	close(read->log.fd);
	found = log_find(read->path);
	unlink(read->path);
	free(read);
	return found;
}

static void begin_program(const struct pool *pool, uint32_t pid, const char *name, uint64_t at)
{
	struct procinfo info = { .kind = PROCINFO_PROGRAM, .pool = at, .task = { .pid = pid, .tid = pid } };

	strcpy(info.task.name, name);
	procinfo_put(pool, &info);
}

static void process_meet(struct read *read, uint32_t pid, uint64_t address, uint64_t ticks)
{
	const struct log_event event = { .pid = pid, .tid = pid, .address = address, .ticks = ticks };

	processes_meet(&read->processes, &event, 1);
}

/* A program, then another one by exec, at the same addresses; neither runs any more. */
static void test_exec(const struct pool *pool)
{
	struct read *read = read_begin(pool);
	struct found *found;
	uint64_t before;

	begin_program(pool, SOMEBODY + 3, "old", 1);
	before = info_put(pool, SOMEBODY + 3, 0x1000);
	sleep_ms(1);
	begin_program(pool, SOMEBODY + 3, "new", 2);
	info_put(pool, SOMEBODY + 3, 0x8000);
	process_meet(read, SOMEBODY + 3, 0x1010, before);
	ok(read->log.error == 0 && modules_know(&read->processes.modules, SOMEBODY + 3, 0x1010) &&
			!modules_know(&read->processes.modules, SOMEBODY + 3, 0x8010) &&
			read->processes.n_named == 1,
		"an event from before exec is of the old program");
	process_meet(read, SOMEBODY + 3, 0x8010, UINT64_MAX);
	ok(!modules_know(&read->processes.modules, SOMEBODY + 3, 0x1010) &&
			modules_know(&read->processes.modules, SOMEBODY + 3, 0x8010),
		"one from after it of the new one, and the old one's memory is not known any more");
	found = read_end(read);
	ok(found->n_blocks[LOG_MODULE] == 2 && found->n_blocks[LOG_TASK] == 2 &&
			strcmp(found->task.name, "new") == 0,
		"the log has both, each before its events");
	free(found);
}

/*
 * The record of a running process has the pool's address: its modules are used if /proc shows the pool there.
 */
static void test_proof(const struct pool *pool)
{
	const uint64_t here = (uint64_t)(uintptr_t)&test_proof;
	const uint32_t pid = (uint32_t)getpid();
	struct read *read = read_begin(pool);
	struct found *found;

	begin_program(pool, pid, "me", 4096);
	process_meet(read, pid, here, UINT64_MAX);
	found = read_end(read);
	ok(found->n_blocks[LOG_MODULE] == 0 && found->n_blocks[LOG_TASK] == 1,
		"modules are not used where the process has no pool at that address");
	free(found);
	read = read_begin(pool);
	begin_program(pool, pid, "me", (uint64_t)(uintptr_t)pool->shared);
	process_meet(read, pid, here, UINT64_MAX);
	ok(modules_know(&read->processes.modules, pid, here), "they are used where it has");
	free(read_end(read));
}

/* This program as a traced process: the records that it puts, and those of a child that it forks. */
static void test_traced(void)
{
	trace_attr_t attr = traced_attr(POSIX_TRACE_LOOP, POSIX_TRACE_APPEND, 65536, 0);
	struct pool pool;
	struct pool_config config = { .attr = &attr,
		.target = getpid(),
		.clock = clock_choose(),
		.has_rseq = rseq_find() != NULL,
		.map = process_memory };
	const struct control_stream stream = { .directory = CONTROL_NOWHERE, .is_inherited = 1 };
	const uint64_t here = (uint64_t)(uintptr_t)&test_traced;
	struct read *read;
	struct found *found;
	uint64_t n_own;
	int fd;
	pid_t pid;

	attr.posix_trace_inheritance = POSIX_TRACE_INHERITED;
	pool_create(&pool, &config, &fd);
	ok(process_attach(&pool, &stream) >= 0, "a stream is attached");
	n_own = atomic_load(&pool.shared->n_procinfos);
	pid = fork();
	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	ok(n_own >= 2 && atomic_load(&pool.shared->n_procinfos) == 2 * n_own,
		"the process has put its records, and so has a child that it forked");
	read = read_begin(&pool);
	process_meet(read, (uint32_t)pid, here, UINT64_MAX);
	ok(modules_know(&read->processes.modules, (uint32_t)pid, here),
		"the modules of a child that is gone are known");
	found = read_end(read);
	ok(found->n_blocks[LOG_MODULE] == n_own - 1 && found->task.tid == (uint32_t)pid &&
			strcmp(found->task.name, "procinfo_test") == 0,
		"its own and no more");
	free(found);
}

int main(void)
{
	struct procinfo_reader *reader = malloc(sizeof *reader);
	struct pool pool, plain;

	pool_make(&pool, POSIX_TRACE_INHERITED);
	pool_make(&plain, POSIX_TRACE_CLOSE_FOR_CHILD);
	test_order(&pool, reader);
	test_many(&pool, reader);
	test_torn(&pool, reader);
	test_insane(&pool, reader);
	test_exec(&pool);
	test_proof(&pool);
	test_traced();
	free(reader);
	return tap_done();
}
