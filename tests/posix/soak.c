/* SPDX-License-Identifier: MIT */
/*
 * `make soak`: a controller is killed at a random instant, many times; its log must open, be consistent and
 * hold what it promises. Then logs that find no room, and descriptors that are closed. Arguments: times
 * (1000), seed (1).
 *
 * It checks these promises: each source's events have no gap but where a loss is reported, in order of time;
 * all that was recorded before the last completed flush; and, when the log reports no loss, all that was
 * recorded at all, for the memory of a stream outlives its controller.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N_WRITERS = 2 };

/* The reports of a child until it is killed. */
struct progress {
	_Atomic bool is_ready; /* the stream is there and runs */
	_Atomic unsigned int n_recorded[N_WRITERS];
	_Atomic unsigned int n_flushed[N_WRITERS]; /* recorded before the last flush that was completed */
};
struct life {
	struct progress *progress;
	int fd;
	struct shape shape;
	bool is_flushing;
};
struct writer {
	struct progress *progress;
	unsigned int which;
};

static uint64_t random_state;

static unsigned int random_below(unsigned int n)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned int)(random_state >> 33) % n;
}

/* --- the life of a controller --------------------------------------------------------------------------- */

static trace_event_id_t types[N_WRITERS];

static void *record_for_ever(void *argument)
{
	struct writer *writer = argument;

	for (unsigned int i = 0;; i++) {
		put_number(types[writer->which], i);
		writer->progress->n_recorded[writer->which] = i + 1;
		if (i % 64 == 63)
			usleep(50); /* the consumer must have a chance on two processors */
	}
	return NULL;
}

static _Noreturn void flush_for_ever(trace_id_t trid, struct progress *progress)
{
	for (;;) {
		unsigned int n[N_WRITERS];

		for (unsigned int i = 0; i < N_WRITERS; i++)
			n[i] = progress->n_recorded[i];
		must(posix_trace_flush(trid), "flush");
		while (stream_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
			usleep(100);
		for (unsigned int i = 0; i < N_WRITERS; i++)
			progress->n_flushed[i] = n[i];
		usleep(500);
	}
}

static _Noreturn void live(const struct life *life)
{
	pthread_t thread[N_WRITERS];
	struct writer writer[N_WRITERS];
	trace_id_t trid = stream_run_log(&life->shape, life->fd);

	for (unsigned int i = 0; i < N_WRITERS; i++) {
		writer[i] = (struct writer){ life->progress, i };
		pthread_create(&thread[i], NULL, record_for_ever, &writer[i]);
	}
	life->progress->is_ready = true;
	if (life->is_flushing)
		flush_for_ever(trid, life->progress);
	for (;;)
		pause();
}

/* --- its log -------------------------------------------------------------------------------------------- */

struct verdict {
	unsigned int n_unopened, n_backwards, n_gaps, n_unflushed, n_unrecorded, n_strangers;
	unsigned long long n_events, n_losses;
};

static void judge_source(const struct seen_list *list, unsigned int which, const struct life *life,
	bool is_loop, struct verdict *verdict)
{
	unsigned int next = 0, n_losses = 0, n_all = 0;
	bool is_first = true, is_lossy = false;

	for (size_t i = 0; i < list->n; i++) {
		trace_event_id_t type = list->event[i].info.posix_event_id;
		unsigned int number = number_of(&list->event[i]);

		if (type == POSIX_TRACE_OVERFLOW || (type == POSIX_TRACE_STOP && number != 0)) {
			n_losses++; /* the number of a STOP is whether it was automatic */
			n_all++;
		}
		if (type != types[which])
			continue;
		if (number != next && !(is_first && is_loop) && n_losses == 0)
			verdict->n_gaps++;
		is_lossy |= number != next;
		next = number + 1;
		n_losses = 0;
		is_first = false;
	}
	verdict->n_losses += n_all;
	/* A log that overwrites may have nothing left of a source that had no processor for a while. */
	bool is_gone = is_first && is_loop && list->n > 0;
	bool is_unflushed = !is_gone && next < life->progress->n_flushed[which];
	bool is_unrecorded = !is_gone && !is_lossy && n_all == 0 && next < life->progress->n_recorded[which];
	bool is_strange = next > life->progress->n_recorded[which] + 1;

	if (is_unflushed || is_unrecorded || is_strange)
		printf("# policies %d, %d, size %zu: source %u ends before %u of %u, %u flushed, %zu events "
		       "in all\n",
			life->shape.policy, life->shape.log_policy, life->shape.size, which, next,
			life->progress->n_recorded[which], life->progress->n_flushed[which], list->n);
	verdict->n_unflushed += is_unflushed;
	verdict->n_unrecorded += is_unrecorded;
	verdict->n_strangers += is_strange;
}

static void life_judge(const struct life *life, struct verdict *verdict)
{
	struct seen_list list = read_log(life->fd);

	if (list.n == 0) {
		trace_id_t trid;

		if (posix_trace_open(life->fd, &trid) != 0)
			verdict->n_unopened++;
		else
			posix_trace_close(trid);
	}
	verdict->n_events += list.n;
	verdict->n_backwards += !is_ordered(&list);
	for (unsigned int i = 0; i < N_WRITERS; i++)
		judge_source(&list, i, life, life->shape.log_policy == POSIX_TRACE_LOOP, verdict);
	seen_free(&list);
}

/* --- kill after kill ------------------------------------------------------------------------------------ */

static struct life random_life(struct progress *progress)
{
	static const int policies[] = { 0, POSIX_TRACE_FLUSH, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_LOOP };
	static const int log_policies[] = { POSIX_TRACE_APPEND, POSIX_TRACE_LOOP, POSIX_TRACE_APPEND };
	struct life life = { .progress = progress, .fd = file_without_name() };

	life.shape.size = 65536u << random_below(5);
	life.shape.policy = policies[random_below(4)];
	life.shape.log_policy = log_policies[random_below(3)];
	life.shape.log_size = random_below(2) ? 4u << 20 : 100000;
	life.is_flushing = random_below(2);
	memset(progress, 0, sizeof(*progress));
	return life;
}

static void kill_one(struct progress *progress, struct verdict *verdict)
{
	struct life life = random_life(progress);
	unsigned int delay = random_below(8) == 0 ? 0 : random_below(15000);
	pid_t pid = fork();

	if (pid == 0) {
		alarm(300);
		live(&life);
	}
	while (!progress->is_ready && waitpid(pid, NULL, WNOHANG) == 0)
		usleep(100);
	usleep(delay);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	life_judge(&life, verdict);
	close(life.fd);
}

static void test_kills(unsigned int n_times)
{
	struct progress *progress = memory_shared(sizeof(*progress));
	struct verdict verdict = { 0 };

	for (unsigned int i = 0; i < n_times; i++) {
		alarm(300);
		kill_one(progress, &verdict);
	}
	printf("# %u kills, %llu events read, %llu losses reported\n", n_times, verdict.n_events,
		verdict.n_losses);
	is_number(verdict.n_unopened, 0, "soak: every log of a killed controller opens");
	is_number(verdict.n_backwards, 0, "soak: every one is in the order of time");
	is_number(verdict.n_gaps, 0, "soak: every gap is reported as a loss");
	is_number(verdict.n_unflushed, 0, "soak: all events of before the last completed flush are there");
	is_number(verdict.n_unrecorded, 0, "soak: without a loss, all events that were recorded are there");
	is_number(verdict.n_strangers, 0, "soak: there are no events that no program recorded");
}

/* --- no room, no descriptor ----------------------------------------------------------------------------- */

static bool holds_oldest_run(int fd)
{
	struct seen_list list;
	trace_id_t trid;
	unsigned int first;
	size_t n;
	bool is_good;

	if (posix_trace_open_incomplete_np(fd, &trid) != 0)
		return true; /* not even the header found room */
	list = read_rest(trid);
	is_good = is_run(&list, types[0], &first, &n) && first == 0 && is_ordered(&list);
	seen_free(&list);
	posix_trace_close(trid);
	return is_good;
}

/* More than any of these logs takes, of six bytes each, and fewer at a time than the memory of a stream. */
enum { N_FILLING = 1000000, N_FLUSHED = 15000 };

static int fill_disk(void *argument)
{
	const struct life *life = argument;
	trace_attr_t attr;
	trace_id_t trid;
	int error;

	shape_attr(&life->shape, &attr);
	error = posix_trace_create_withlog(getpid(), &attr, life->fd, &trid);
	if (error != 0)
		return error == ENOSPC || error == EFBIG ? 0 : 1;
	must(posix_trace_start(trid), "start");
	for (unsigned int i = 0; i < N_FILLING; i++) {
		put_number(types[0], i);
		if (i % N_FLUSHED == N_FLUSHED - 1) { /* the log is larger than the memory of the stream */
			posix_trace_flush(trid);
			while (stream_status(trid).posix_stream_flush_status == POSIX_TRACE_FLUSHING)
				usleep(100);
		}
	}
	error = posix_trace_shutdown(trid);
	return error == ENOSPC || error == EFBIG ? 0 : 2;
}

/* The limit holds for the memory of the stream as well, which is made before. */
static int fill_limited(void *argument)
{
	const struct life *life = argument;
	struct rlimit limit = { life->shape.log_size, life->shape.log_size };

	setrlimit(RLIMIT_FSIZE, &limit);
	return fill_disk(argument);
}

static void test_limits(void)
{
	bool is_told = true, is_whole = true;

	for (unsigned int i = 0; i < 30; i++) {
		struct life life = { .fd = file_without_name(),
			.shape = { .size = 1 << 20,
				.policy = POSIX_TRACE_UNTIL_FULL,
				.log_policy = POSIX_TRACE_APPEND,
				.log_size = (3u << 20) + random_below(1 << 20) } };

		is_told &= in_child(fill_limited, &life) == 0;
		is_whole &= holds_oldest_run(life.fd);
		close(life.fd);
	}
	ok(is_told, "soak: a file that may grow no more is reported as EFBIG or ENOSPC");
	ok(is_whole, "soak: what was written by then is a run of the oldest events");
}

/* In a name space of its own, so that nothing stays mounted. 99: it may not. */
static int fill_small_disk(void *unused)
{
	char folder[] = "/tmp/posix-soak-XXXXXX", path[64];
	struct life life = { .shape = { .size = 8 << 20,
				     .policy = POSIX_TRACE_UNTIL_FULL,
				     .log_policy = POSIX_TRACE_APPEND } };
	int code;

	(void)unused;
	if (!mkdtemp(folder) || unshare(CLONE_NEWNS) != 0 ||
		mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		mount("none", folder, "tmpfs", 0, "size=1m") != 0) {
		rmdir(folder);
		return 99;
	}
	snprintf(path, sizeof(path), "%s/log", folder);
	life.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	code = fill_disk(&life);
	if (code == 0 && !holds_oldest_run(life.fd))
		code = 3;
	umount2(folder, MNT_DETACH);
	rmdir(folder);
	return code;
}

static void test_small_disk(void)
{
	static const char what[] = "soak: a full disk is reported, and holds a run of the oldest events";
	int code = WEXITSTATUS(in_child(fill_small_disk, NULL));

	if (code == 99)
		skip(what, "no file system may be mounted here");
	else
		is_number((unsigned)code, 0, what);
}

static int lose_descriptor(void *argument)
{
	struct life *life = argument;
	trace_id_t trid = stream_run_log(&life->shape, life->fd);

	for (int fd = 3; fd < 1024; fd++)
		close(fd); /* as daemons do: whatever of ours was there is gone as well */
	for (unsigned int i = 0; i < 1000; i++)
		put_number(types[0], i);
	return posix_trace_shutdown(trid);
}

static void test_closed(void)
{
	struct life life = { .fd = file_without_name(),
		.shape = { .size = 1 << 20, .log_policy = POSIX_TRACE_APPEND } };
	struct seen_list list;
	unsigned int first;
	size_t n;

	ok(in_child(lose_descriptor, &life) == 0, "soak: a controller may close every descriptor");
	list = read_log(life.fd);
	ok(is_run(&list, types[0], &first, &n) && n == 1000, "soak: and its log is whole");
	seen_free(&list);
	close(life.fd);
}

int main(int argc, char **argv)
{
	unsigned int n_times = argc > 1 ? (unsigned int)strtoul(argv[1], NULL, 10) : 1000;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	fixture_begin();
	for (unsigned int i = 0; i < N_WRITERS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "soak: writer %u", i);
		types[i] = type_open(name);
	}
	test_kills(n_times);
	test_limits();
	test_small_disk();
	test_closed();
	return tap_done();
}
