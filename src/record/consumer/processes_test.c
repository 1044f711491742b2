/* SPDX-License-Identifier: MIT */
#include "record/consumer/consumer_test.h"
#include "record/consumer/processes.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#define N_THREADS 6
#define NICE_0	  120

struct named {
	pthread_t thread;
	uint32_t number;
	_Atomic uint32_t tid;
	_Atomic bool *is_over;
};

static void *thread_live(void *argument)
{
	struct named *named = argument;
	char name[16];

	snprintf(name, sizeof name, "named %u", named->number);
	prctl(PR_SET_NAME, name);
	named->tid = (uint32_t)gettid();
	while (!*named->is_over)
		sleep_ms(1);
	return NULL;
}

static void begin_threads(struct named *named, _Atomic bool *is_over)
{
	for (uint32_t i = 0; i < N_THREADS; i++) {
		named[i] = (struct named){ .number = i, .is_over = is_over };
		pthread_create(&named[i].thread, NULL, thread_live, &named[i]);
		while (named[i].tid == 0)
			sleep_ms(1);
	}
}

struct trial {
	struct processes processes;
	struct log_writer log;
	unsigned char buffer[1 << 18];
};

static void trial_begin(struct trial *trial, const char *path, uint64_t work)
{
	const struct log_start start = {
		.content = LOG_CONTENT_POSIX, .clock = LOG_CLOCK_MONOTONIC, .policy = POSIX_TRACE_APPEND
	};
	int fd = open(path, O_RDWR | O_TRUNC);

	memset(trial, 0, sizeof *trial);
	ok(log_begin(&trial->log, fd, &start, false, trial->buffer, sizeof trial->buffer) == 0,
		"a log begins");
	processes_begin(&trial->processes, &trial->log, NULL, work);
}

static struct found *trial_end(struct trial *trial, const char *path)
{
	const struct log_end end = { .reason = LOG_END_SNAPSHOT };

	log_finish(&trial->log, &end);
	close(trial->log.fd);
	return log_find(path);
}

static void meet_all(struct trial *trial, const struct named *named, uint64_t address)
{
	for (uint32_t turn = 0; turn < 3; turn++)
		for (uint32_t i = 0; i < N_THREADS; i++) {
			const struct log_event event = {
				.pid = (uint32_t)getpid(), .tid = named[i].tid, .address = address
			};

			processes_meet(&trial->processes, &event, 1);
		}
}

static void test_names(const char *path, const struct named *named)
{
	struct trial *trial = malloc(sizeof *trial);
	struct found *found;

	trial_begin(trial, path, UINT64_MAX);
	meet_all(trial, named, (uintptr_t)&thread_live);
	found = trial_end(trial, path);
	ok(found->n_blocks[LOG_TASK] == 1 + N_THREADS && found->n_blocks[LOG_MODULE] > 0,
		"process and threads are named, once each, and the log has the modules");
	ok(found->task.tid == named[N_THREADS - 1].tid && strcmp(found->task.name, "named 5") == 0,
		"by the names that they have");
	ok(found->priority.priority == NICE_0 + getpriority(PRIO_PROCESS, named[N_THREADS - 1].tid),
		"with their priorities, as the kernel counts them");
	free(found);
	free(trial);
}

static void test_work(const char *path, const struct named *named)
{
	struct trial *trial = malloc(sizeof *trial);
	struct found *found;

	trial_begin(trial, path, 4);
	meet_all(trial, named, (uintptr_t)&thread_live);
	found = trial_end(trial, path);
	ok(found->n_blocks[LOG_TASK] == 4 && found->n_blocks[LOG_MODULE] == 0,
		"reading /proc is bounded: beyond that, threads are numbers");
	free(found);
	free(trial);
}

/* /proc would be read for each of them. */
static void test_claims(const char *path)
{
	struct trial *trial = malloc(sizeof *trial);
	struct found *found;

	trial_begin(trial, path, 1024);
	for (uint32_t i = 1; i < 100000; i++) {
		const struct log_event event = { .pid = 0x10000000 + i, .tid = i, .address = i };

		processes_meet(&trial->processes, &event, 1);
	}
	ok(trial->processes.work_left < 2, "threads that never existed use up the bound");
	found = trial_end(trial, path);
	ok(found->n_blocks[LOG_TASK] == 0 && found->is_complete && !found->is_damaged, "and have no name");
	free(found);
	free(trial);
}

int main(void)
{
	char path[] = "/tmp/processes_test.XXXXXX";
	int fd = mkstemp(path);
	struct named named[N_THREADS];
	_Atomic bool is_over = false;

	begin_threads(named, &is_over);
	test_names(path, named);
	test_work(path, named);
	test_claims(path);
	is_over = true;
	for (uint32_t i = 0; i < N_THREADS; i++)
		pthread_join(named[i].thread, NULL);
	close(fd);
	unlink(path);
	return tap_done();
}
