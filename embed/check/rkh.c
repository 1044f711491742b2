/* SPDX-License-Identifier: MIT */
/*
 * The RKH encoder: a server and its client, as RKH's framework records them. Each record takes the lock. The
 * ring is drained as long as there is room for its contents; then it fills, and the rest is lost.
 */
#include "embed/check/check.h"
#include "embed/rkh/rkhtrc.h"

#if __STDC_HOSTED__
#include <pthread.h>
#endif

enum { DRAINED_BYTES = 8000, FLUSH_BYTES = 100, SERVER_SIGNAL = 1, N_SIGNALS = 4, SYS_TICK = 15 };

static RKHROM RKH_ROM_T rom[2] = { { 1, 0, "server" }, { 2, 0, "client" } };
static RKH_SMA_T server = { { &rom[0], NULL } }, client = { { &rom[1], NULL } };
static RKH_BASE_T idle = { RKH_REGULAR, "idle" }, busy = { RKH_REGULAR, "busy" };
static RKH_EVT_T event = { SERVER_SIGNAL, 1, 1 };

static rui8_t drained[DRAINED_BYTES];
static uint32_t n_drained;

/* How many each source has recorded: main, SysTick, the device. */
static volatile uint32_t n_main, n_tick, n_device;

/* How often these came. */
static volatile uint32_t n_ticks, n_devices;

RKH_TS_T rkh_trc_getts(void)
{
	return RASTRUM_STAMP();
}

/* Byte by byte, so that interrupts record while the ring is read; and never for ever, as they keep coming. */
void rkh_trc_flush(void)
{
	const rui8_t *byte;

	for (uint32_t n = 0; n < FLUSH_BYTES && n_drained < DRAINED_BYTES; n++) {
		byte = rkh_trc_get();
		if (byte)
			drained[n_drained++] = *byte;
	}
}

void rkh_assert(const char *const file, int line)
{
	(void)file;
	check_report("assertion", (uint32_t)line);
}

void check_start(void)
{
	rkh_trc_init();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	RKH_FILTER_ON_EVENT(RKH_TE_TMR_TOUT);
	RKH_TRC_SEND_CFG(0);
	RKH_TR_FWK_AO(&server);
	RKH_TR_FWK_AO(&client);
	RKH_TR_FWK_STATE(&server, &idle);
	RKH_TR_FWK_STATE(&server, &busy);
	RKH_TR_FWK_SIG(SERVER_SIGNAL);
	RKH_TR_FWK_TUSR(RKH_TE_USER);
	RKH_TR_FWK_TUSR(RKH_TE_USER + 1);
	RKH_TR_FWK_TUSR(RKH_TE_USER + 2);
	n_main = 8;
}

/*
 * The number of the record of the recording context, and both inverted, so that a mixture of two records is
 * seen.
 */
static void user_record(RKH_TE_ID_T id, uint32_t number, uint32_t count)
{
	RKH_TRC_USR_BEGIN(id)
	RKH_TUSR_UI32(8, count);
	RKH_TUSR_X32(8, ~(count + number));
	RKH_TRC_USR_END();
}

static void transition(RKH_BASE_T *from, RKH_BASE_T *to)
{
	RKH_SR_ALLOC();

	RKH_TR_SMA_GET(&server, &event, 1, 1, 1, 4);
	RKH_TR_SM_DCH(&server, &event, from);
	RKH_TR_SM_TRN(&server, from, to);
	RKH_TR_SM_STATE(&server, to);
	RKH_TR_SM_EVT_PROC(&server);
	n_main += 5;
	rkh_trc_flush();
}

void check_step(uint32_t i)
{
	for (uint32_t n = 0; n < 2; n++) {
		transition(&idle, &busy);
		user_record(RKH_TE_USER, 0, 2 * i + n);
		transition(&busy, &idle);
		n_main++;
	}
}

/* They come more often than a recorder of least flash is quick: each fourth records. */
void check_interrupt(uint32_t number)
{
	if (number == SYS_TICK && n_ticks++ % 4 == 0)
		user_record(RKH_TE_USER + 1, number, n_tick++);
	else if (number != SYS_TICK && n_devices++ % 4 == 0)
		user_record(RKH_TE_USER + 2, number, n_device++);
}

void check_dump(void)
{
	check_write(drained, n_drained);
	n_drained = rkh_trc_getWholeBlock(drained, DRAINED_BYTES);
	check_write(drained, n_drained);
	check_report("recorded", n_main + n_tick + n_device);
	check_report("lost", rkh_trc_lost());
}

/* The ring is drained after every 16 records. */
static void drain(uint32_t i)
{
	TRCQTY_T n_bytes;

	if (i % 16 != 15)
		return;
	do {
		n_bytes = RKH_CFG_TRC_SIZEOF_STREAM;
		rkh_trc_get_block(&n_bytes);
	} while (n_bytes);
}

static void count_address(uint32_t i)
{
	RKH_SR_ALLOC();

	RKH_TR_SM_EVT_PROC(&server);
	drain(i);
}

static void base_address(uint32_t i)
{
	drain(i);
}

static void count_addresses(uint32_t i)
{
	RKH_SR_ALLOC();

	RKH_TR_SM_STATE(&server, &idle);
	drain(i);
}

static void count_dispatch(uint32_t i)
{
	RKH_SR_ALLOC();

	RKH_TR_SM_DCH(&server, &event, &idle);
	drain(i);
}

static void count_user(uint32_t i)
{
	RKH_TRC_USR_BEGIN(RKH_TE_USER)
	RKH_TUSR_UI32(8, i);
	RKH_TRC_USR_END();
	drain(i);
}

static void count_held_back(uint32_t i)
{
	RKH_TR_TMR_TOUT(&event, SERVER_SIGNAL, &server);
	drain(i);
}

#if __STDC_HOSTED__
static pthread_mutex_t mutex;

static void mutex_init(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&mutex, &attributes);
}

static void count_mutex(uint32_t i)
{
	RKH_SR_ALLOC();

	if (i == 0)
		mutex_init();
	pthread_mutex_lock(&mutex);
	RKH_TR_SM_EVT_PROC(&server);
	pthread_mutex_unlock(&mutex);
	drain(i);
}
#endif

const struct check_count check_counts[] = {
	{ "one address", count_address, base_address },
	{ "two addresses", count_addresses, base_address },
	{ "dispatch", count_dispatch, base_address },
	{ "user event of one number", count_user, base_address },
	{ "held back", count_held_back, base_address },
#if __STDC_HOSTED__
	{ "one address, recursive mutex", count_mutex, base_address },
#endif
	{ NULL, NULL, NULL },
};
