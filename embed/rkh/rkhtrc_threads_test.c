/* SPDX-License-Identifier: MIT */
/*
 * Threads and a timer's signal handler record into one ring while another thread drains it: each frame is
 * there whole, in the order of its number, or counted lost. Each source counts its own records, so that none
 * comes twice.
 */
#define RASTRUM_PORT_PTHREAD
#define RKH_SMA_ACCESS_CONST(object, member) 0 /* all are of one priority */
#include "embed/rkh/rkhtrc.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "tests/tap.h"

enum { N_THREADS = 3, N_RECORDS = 20000, HANDLER = N_THREADS, N_SOURCES, BODY_BYTES = 32 };

static _Atomic unsigned n_recorded[N_SOURCES], n_over;
static _Atomic rui32_t stamp;

/* Counts of the drain. */
static struct {
	unsigned n_frames, n_gaps, n_lost, n_bad, n_twice;
	unsigned n_body;
	rui8_t body[BODY_BYTES];
	bool is_escaped, has_seq;
	rui8_t seq;
	unsigned last[N_SOURCES];
} seen;

RKH_TS_T rkh_trc_getts(void)
{
	return ++stamp;
}

void rkh_trc_flush(void)
{
}

static void user_record(unsigned word)
{
	RKH_TRC_USR_BEGIN(RKH_TE_USER)
	RKH_TUSR_UI32(0, word);
	RKH_TUSR_X32(0, ~word);
	RKH_TRC_USR_END();
}

/* Made at once, begun with an address, or argument by argument. The source and its count are in it. */
static void record(unsigned source)
{
	unsigned count = ++n_recorded[source], word = source << 24 | (count & 0xffffff);
	RKH_SR_ALLOC();

	if (count % 3 == 0)
		RKH_TR_SM_EVT_PROC(word);
	else if (count % 3 == 1)
		RKH_TR_QUE_INIT(word, ~word, 1);
	else
		user_record(word);
}

static void on_alarm(int number)
{
	(void)number;
	record(HANDLER);
}

/*
 * Only one thread is interrupted: handlers of two threads could number their records in another order than
 * they record.
 */
static void let_alarms(int how)
{
	sigset_t alarm;

	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	pthread_sigmask(how, &alarm, NULL);
}

static void *record_many(void *source)
{
	if (source == NULL)
		let_alarms(SIG_UNBLOCK);
	for (unsigned i = 0; i < N_RECORDS; i++) {
		record((unsigned)(uintptr_t)source);
		if (i % 16 == 0)
			sched_yield(); /* so that not nearly all are lost */
	}
	n_over++;
	return NULL;
}

static rui32_t word_at(const rui8_t *bytes)
{
	return bytes[0] | (rui32_t)bytes[1] << 8 | (rui32_t)bytes[2] << 16 | (rui32_t)bytes[3] << 24;
}

static bool body_is_right(rui32_t *ret_word)
{
	const rui8_t *body = seen.body;

	switch (body[0]) {
	case RKH_TE_SM_EVT_PROC:
		*ret_word = word_at(body + 6);
		return seen.n_body == 11;
	case RKH_TE_QUE_INIT:
		*ret_word = word_at(body + 6);
		return seen.n_body == 16 && word_at(body + 10) == ~*ret_word;
	case RKH_TE_USER:
		*ret_word = word_at(body + 7);
		return seen.n_body == 17 && word_at(body + 12) == ~*ret_word;
	default:
		return false;
	}
}

static void frame_seen(void)
{
	rui8_t sum = 0, gap = (rui8_t)(seen.body[1] - seen.seq - 1);
	rui32_t word = 0;

	for (unsigned i = 0; i < seen.n_body; i++)
		sum = (rui8_t)(sum + seen.body[i]);
	if (sum || !body_is_right(&word) || word >> 24 >= N_SOURCES) {
		seen.n_bad++;
		return;
	}
	if (seen.has_seq && gap)
		seen.n_gaps++;
	seen.has_seq = true;
	seen.seq = seen.body[1];
	seen.n_frames++;
	seen.n_twice += (word & 0xffffff) <= seen.last[word >> 24];
	seen.last[word >> 24] = word & 0xffffff;
}

static void byte_seen(rui8_t byte)
{
	if (byte == RKH_FLG) {
		if (seen.n_body)
			frame_seen();
		seen.n_body = 0;
		seen.is_escaped = false;
	} else if (byte == RKH_ESC) {
		seen.is_escaped = true;
	} else if (seen.n_body < BODY_BYTES) {
		seen.body[seen.n_body++] = seen.is_escaped ? byte ^ RKH_XOR : byte;
		seen.is_escaped = false;
	}
}

static bool drain(void)
{
	TRCQTY_T n_bytes = 100;
	rui8_t *block = rkh_trc_get_block(&n_bytes);

	for (TRCQTY_T i = 0; i < n_bytes; i++)
		byte_seen(block[i]);
	return block != NULL;
}

static void *drain_all(void *unused)
{
	(void)unused;
	while (n_over < N_THREADS)
		if (!drain())
			sched_yield();
	return NULL;
}

static void alarms(long period_us)
{
	struct itimerval timer = { { 0, period_us }, { 0, period_us } };

	setitimer(ITIMER_REAL, &timer, NULL);
}

int main(void)
{
	pthread_t threads[N_THREADS], drainer;
	struct sigaction action = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	unsigned total = 0;

	rkh_trc_init();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	sigaction(SIGALRM, &action, NULL);
	let_alarms(SIG_BLOCK);
	pthread_create(&drainer, NULL, drain_all, NULL);
	alarms(300);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, record_many, (void *)i);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	alarms(0);
	pthread_join(drainer, NULL);
	while (drain())
		continue;
	for (unsigned i = 0; i < N_SOURCES; i++)
		total += n_recorded[i];
	ok(n_recorded[HANDLER] > 10, "the handler has recorded (%u times)", n_recorded[HANDLER]);
	is_number(seen.n_bad, 0, "every frame is whole");
	is_number(seen.n_twice, 0, "each source's records come in their order, none twice");
	is_number(seen.n_frames + rkh_trc_lost(), total, "each record is there or counted lost");
	ok(rkh_trc_lost() == 0 || seen.n_gaps > 0, "the numbers show it (%u gaps, %u lost of %u)",
		seen.n_gaps, (unsigned)rkh_trc_lost(), total);
	return tap_done();
}
