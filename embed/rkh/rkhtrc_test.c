/* SPDX-License-Identifier: MIT */
/*
 * The recorder as programs use it: frames byte by byte, filters, the ring, and what is lost.
 * tests/embed/rkh.t holds it against the bytes of RKH's own.
 */
#include "embed/rkh/rkhtrc.h"

#include <stdio.h>
#include <string.h>

#include "tests/tap.h"

enum { ROOM = 1024, RING_BYTES = RKH_CFG_TRC_SIZEOF_STREAM };
enum { FRAME_TEXT = 3 * 13 }; /* or more: an address may need stuffing */

static RKH_TS_T now;
static unsigned n_flushes;

RKH_TS_T rkh_trc_getts(void)
{
	return now;
}

void rkh_trc_flush(void)
{
	n_flushes++;
}

static RKHROM RKH_ROM_T rom[2] = { { 3, 0, "server" }, { 7, 0, "client" } };
static RKH_SMA_T server = { { &rom[0], NULL } }, client = { { &rom[1], NULL } };

/* Takes all bytes out, as hexadecimal digits. */
static const char *taken(void)
{
	static char text[3 * ROOM];
	rui8_t bytes[ROOM];
	TRCQTY_T n_bytes = rkh_trc_getWholeBlock(bytes, ROOM);

	text[0] = 0;
	for (TRCQTY_T i = 0; i < n_bytes; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	return text;
}

static void filters_open(void)
{
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
}

/* Everything closed, nothing in the ring. */
static void begin_anew(void)
{
	rkh_trc_init();
	taken();
	RKH_FILTER_ON_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_ON_ALL_SMA();
	RKH_FILTER_ON_ALL_SIGNALS();
	now = 0x04030201;
	n_flushes = 0;
}

static void test_frames(void)
{
	RKH_SR_ALLOC();

	rkh_trc_init();
	is_text(taken(), "7e ", "init puts a flag");
	begin_anew();
	filters_open();
	RKH_TRC_BEGIN(RKH_TE_SM_STATE, 3, 1)
	RKH_TRC_UI8(0xa0);
	RKH_TRC_UI16(0xb1b0);
	RKH_TRC_UI32(0xc3c2c1c0);
	RKH_TRC_STR("xy");
	RKH_TRC_END();
	is_text(taken(), "63 00 01 02 03 04 a0 b0 b1 c0 c1 c2 c3 78 79 00 9b 7e ",
		"a frame is id, number, stamp, arguments with the low byte first, checksum and flag");
	RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_FWK_EN)
	RKH_TRC_UI8(0x7e);
	RKH_TRC_UI8(0x7d);
	RKH_TRC_UI32(0x7d11227e);
	RKH_TRC_U8_RAW(0x7e);
	RKH_TRC_UI8(0x7f);
	RKH_TRC_END_WOFIL_NOCRIT();
	is_text(taken(), "a0 01 01 02 03 04 7d 5e 7d 5d 7d 5e 22 11 7d 5d 7e 7f ad 7e ",
		"a flag and an escape are stuffed wherever they are, what is raw is neither stuffed nor "
		"added");
}

/* One record whose bytes of stamp, address or checksum are each to be stuffed, at all sequence numbers. */
static void test_stuffing(void)
{
	bool all_hold = true;

	begin_anew();
	for (unsigned i = 0; i < 1024 && all_hold; i++) {
		rui8_t raw[12], frame[32], sum = 0;
		unsigned n_frame = 0;
		TRCQTY_T n_got;
		rui8_t got[32];

		now = 0x7d00 + i * 0x1000001;
		memcpy(raw, (rui8_t[]){ 0xa9, (rui8_t)i }, 2);
		memcpy(raw + 2, &now, 4);
		memcpy(raw + 6, (rui8_t[]){ 0x7c, 0x7d, 0x7e, 0x7f }, 4);
		for (unsigned n = 0; n < 10; n++)
			sum = (rui8_t)(sum + raw[n]);
		raw[10] = (rui8_t)-sum;
		for (unsigned n = 0; n < 11; n++) {
			if (raw[n] == 0x7d || raw[n] == 0x7e)
				frame[n_frame++] = 0x7d;
			frame[n_frame++] = raw[n] == 0x7d || raw[n] == 0x7e ? raw[n] ^ 0x20 : raw[n];
		}
		frame[n_frame++] = 0x7e;
		RKH_TR_FWK_EXE_FUN(0x7f7e7d7cu);
		n_got = rkh_trc_getWholeBlock(got, sizeof(got));
		all_hold = n_got == n_frame && memcmp(got, frame, n_frame) == 0;
	}
	ok(all_hold, "whatever the bytes are, head, address and checksum are stuffed");
}

/* The same, of records of one address and of two, whose frames are made at once. */
static void test_quick_frames(void)
{
	bool all_hold = true;
	RKH_SR_ALLOC();

	begin_anew();
	filters_open();
	for (unsigned i = 0; i < 4096 && all_hold; i++) {
		rui8_t one[64], other[64];
		TRCQTY_T n_one, n_other;

		now = i << 7 | i;
		RKH_TR_QUE_DPT(0x7c7c0000u + i);
		RKH_TR_SM_STATE(&server, 0x12340000u + 3 * i);
		n_one = rkh_trc_getWholeBlock(one, sizeof(one));
		/* The same numbers again, argument by argument. */
		for (unsigned n = 0; n < 254; n++) {
			RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_FWK_EN)
			RKH_TRC_END_WOFIL_NOCRIT();
			taken();
		}
		RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_QUE_DPT)
		RKH_TRC_SYM(0x7c7c0000u + i);
		RKH_TRC_END_WOFIL_NOCRIT();
		RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_SM_STATE)
		RKH_TRC_SYM(&server);
		RKH_TRC_SYM(0x12340000u + 3 * i);
		RKH_TRC_END_WOFIL_NOCRIT();
		n_other = rkh_trc_getWholeBlock(other, sizeof(other));
		all_hold = n_one == n_other && memcmp(one, other, n_one) == 0;
		RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_FWK_EN) /* so that the numbers move on */
		RKH_TRC_END_WOFIL_NOCRIT();
		taken();
	}
	ok(all_hold, "records of one address and of two have the bytes that their arguments have one by one");
}

static void test_group_and_event(void)
{
	RKH_SR_ALLOC();

	begin_anew();
	RKH_TR_FWK_EN();
	is_text(taken(), "", "nothing that can be filtered is recorded until filters are opened");
	RKH_FILTER_OFF_GROUP(RKH_TG_FWK);
	RKH_TR_FWK_EN();
	is_text(taken(), "", "a group that is open without its events records nothing");
	RKH_FILTER_OFF_EVENT(RKH_TE_FWK_EN);
	RKH_TR_FWK_EN();
	RKH_TR_FWK_EX();
	is_text(taken(), "a0 00 01 02 03 04 56 7e ",
		"an event that is open is recorded, its neighbour is not");
	RKH_FILTER_ON_GROUP(RKH_TG_FWK);
	RKH_TR_FWK_EN();
	is_text(taken(), "", "a closed group holds its events back");
	RKH_FILTER_OFF_EVENT(RKH_TE_FWK_EX);
	RKH_TR_FWK_EN();
	taken();
	RKH_TR_FWK_EX();
	is_text(taken(), "a1 02 01 02 03 04 53 7e ",
		"opening an event opens its group; what is held back uses no number up");
	RKH_FILTER_ON_EVENT(RKH_TE_FWK_EX);
	ok(!rkh_trc_isoff_(RKH_TE_FWK_EX) && rkh_trc_isoff_(RKH_TE_FWK_EN),
		"closing an event leaves its group");
	RKH_FILTER_OFF_GROUP_ALL_EVENTS(RKH_TG_SM);
	ok(rkh_trc_isoff_(RKH_TE_SM_INIT) && rkh_trc_isoff_(RKH_TE_SM_DCH) &&
			!rkh_trc_isoff_(RKH_TE_TMR_INIT) && !rkh_trc_isoff_(RKH_TE_SMA_RCALL),
		"a group with all its events is that group's only");
	RKH_FILTER_OFF_GROUP(RKH_TRC_ALL_GROUPS);
	ok(!rkh_trc_isoff_(RKH_TE_TMR_INIT), "opening all groups opens no events");
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_ON_GROUP(RKH_TRC_ALL_GROUPS);
	RKH_FILTER_OFF_GROUP(RKH_TG_USR);
	ok(rkh_trc_isoff_(RKH_TE_USER + 31) && !rkh_trc_isoff_(RKH_TE_MP_INIT), "all groups can be closed");
}

static void test_tables(void)
{
	RKH_FilterTbl tables;
	rui8_t before[RKH_TRC_MAX_EVENTS_IN_BYTES];

	begin_anew();
	rkh_trc_filter_get(NULL);
	rkh_trc_filter_get(&tables);
	RKH_FILTER_OFF_EVENT(RKH_TE_SM_STATE);
	RKH_FILTER_OFF_EVENT(RKH_TE_USER + 9);
	RKH_FILTER_OFF_SMA(&client);
	RKH_FILTER_OFF_SIGNAL(10);
	ok(*tables.group == 0x48 && tables.event[4] == 0x08 && tables.event[12] == 0x02 &&
			tables.grpFilMap[RKH_TG_UT].offset == 15 && tables.grpFilMap[RKH_TG_UT].range == 2,
		"events have their bits where RKH's remote control looks for them");
	ok(tables.ao->size == 1 && tables.ao->tbl[0] == 0x80 && tables.signal->size == 2 &&
			tables.signal->tbl[1] == 0x04,
		"active objects have their priority's bits, signals their number's");
	memcpy(before, tables.event, sizeof(before));
	rkh_trc_filter_event_(FILTER_OFF, 0x1f);
	rkh_trc_filter_event_(FILTER_OFF, 0xff);
	rkh_trc_filter_group_(FILTER_OFF, 9, ECHANGE);
	rkh_trc_symFil(RKHFilterSignal, 16, FILTER_OFF);
	rkh_trc_symFil(RKHFilterSma, 8, FILTER_OFF);
	ok(memcmp(before, tables.event, sizeof(before)) == 0 && *tables.group == 0x48 &&
			tables.ao->tbl[0] == 0x80 && tables.signal->tbl[0] == 0 &&
			!rkh_trc_symFil_isoff(RKHFilterSignal, 16) && !rkh_trc_symFil_isoff(RKHFilterSma, 8),
		"what no table has a bit for changes nothing and is not recorded");
}

static void test_object_and_signal(void)
{
	RKH_EVT_T event = { 5, 1, 2 };
	RKH_SR_ALLOC();

	begin_anew();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_TR_SM_EVT_NFOUND(&server, &event);
	RKH_FILTER_OFF_SMA(&server);
	RKH_TR_SM_EVT_NFOUND(&server, &event);
	is_text(taken(), "", "object and signal must be open, both");
	RKH_FILTER_OFF_SIGNAL(5);
	RKH_TR_SM_EVT_NFOUND(&server, &event);
	ok(strlen(taken()) >= FRAME_TEXT, "open object, open signal: it is recorded");
	RKH_TR_SM_EVT_NFOUND(&client, &event);
	is_text(taken(), "", "another object is not");
	event.e = 6;
	RKH_TR_SM_EVT_NFOUND(&server, &event);
	is_text(taken(), "", "another signal is not");
	event.e = (RKH_SIG_T)RKH_COMPLETION_EVENT;
	RKH_TR_SM_EVT_NFOUND(&server, &event);
	ok(strlen(taken()) >= FRAME_TEXT, "the completion signal passes every filter of signals");
	RKH_TR_SMA_RCALL(&client, &event);
	ok(strlen(taken()) >= FRAME_TEXT, "a record that has no filter of objects passes a closed object");
}

static void test_unfiltered(void)
{
	RKH_SR_ALLOC();

	begin_anew();
	RKH_TR_FWK_OBJ_NAME(0x11223344u, "o");
	is_text(taken(), "a6 00 01 02 03 04 44 33 22 11 6f 00 37 7e ", "a name passes closed filters");
	RKH_TR_FWK_SIG(5);
	is_text(taken(), "a7 01 01 02 03 04 05 35 00 14 7e ", "a signal's name is the one in the source");
	RKH_TR_FWK_TUSR(RKH_TE_USER + 2);
	ok(strncmp(taken(), "ab 02 01 02 03 04 02 52 4b 48", 29) == 0,
		"a user event is named by its number in the group");
	RKH_TR_FWK_EPOOL(1, "p");
	is_text(taken(), "b2 03 01 02 03 04 01 70 00 d0 7e ", "a pool has a number and a name");
	is_number(n_flushes, 4, "each name is followed by a flush");
	RKH_TR_FWK_ASSERT("m", 9);
	ok(taken()[0] == 0 && n_flushes == 5, "an assertion can be filtered, and flushes all the same");
}

static void test_object_names(void)
{
	RKH_BASE_T state = { RKH_REGULAR, "s" }, choice = { 0x40, "c" };
	const char *text;

	begin_anew();
	RKH_TR_FWK_AO(&server);
	text = taken();
	ok(strncmp(text, "ae", 2) == 0 && strstr(text, "73 65 72 76 65 72 00 "),
		"an active object has its own name");
	RKH_TR_FWK_STATE(&server, &state);
	text = taken();
	ok(strncmp(text, "af", 2) == 0 && strstr(text, "73 00 "), "a state is reported as a state");
	RKH_TR_FWK_STATE(&server, &choice);
	text = taken();
	ok(strncmp(text, "b0", 2) == 0 && strstr(text, "63 00 "),
		"what is no regular state is reported as a pseudostate");
}

static void test_user_elements(void)
{
	begin_anew();
	filters_open();
	{
		RKH_TRC_USR_BEGIN(RKH_TE_USER + 1)
		RKH_TUSR_I8(3, -1);
		RKH_TUSR_UI16(5, 0x0201);
		RKH_TUSR_X32(8, 0x04030201);
		RKH_TUSR_STR("a");
		RKH_TUSR_MEM("bc", 2);
		RKH_TUSR_OBJ(0x0d0c0b0au);
		RKH_TUSR_SIG(6);
		RKH_TRC_USR_END();
	}
	is_text(taken(),
		"c1 00 01 02 03 04 30 ff 53 01 02 86 01 02 03 04 07 61 00 08 02 62 63 09 0a 0b 0c 0d 0b 06 "
		"a1 7e ",
		"elements of a user event are kind, width and value");
}

static void test_configuration(void)
{
	begin_anew();
	RKH_TRC_SEND_CFG(1000000);
	is_text(taken(), "ac 00 34 0f fc 03 00 14 42 11 02 14 40 42 13 7e ",
		"the configuration has neither number nor stamp, and 16 bits of the rate");
	RKH_TR_FWK_EXE_FUN(1);
	ok(strncmp(taken(), "a9 00", 5) == 0, "and uses no number up");
}

/* Frames that fill the ring, and more. */
static void test_overrun(void)
{
	rui8_t bytes[RING_BYTES];
	TRCQTY_T n_bytes;

	begin_anew();
	for (unsigned i = 0; i < 100; i++)
		RKH_TR_FWK_EXE_FUN(0x01010101u);
	n_bytes = rkh_trc_getWholeBlock(bytes, RING_BYTES);
	ok(n_bytes == RING_BYTES / 12 * 12 && bytes[0] == 0xa9 && bytes[n_bytes - 1] == 0x7e,
		"when the ring is full what is in it stays, and whole");
	is_number(rkh_trc_lost(), 100 - RING_BYTES / 12, "and what does not fit is counted");
	RKH_TR_FWK_EXE_FUN(0x01010101u);
	ok(strncmp(taken(), "a9 64", 5) == 0, "the numbers show that frames are missing");
	begin_anew();
	RKH_TR_FWK_OBJ_NAME(1, "short");
	taken();
	{
		char long_name[RING_BYTES + 1];

		memset(long_name, 'x', RING_BYTES);
		long_name[RING_BYTES] = 0;
		RKH_TR_FWK_OBJ_NAME(1, long_name);
	}
	ok(taken()[0] == 0 && rkh_trc_lost() == 1,
		"a frame longer than the ring is dropped, and nothing else");
	RKH_TR_FWK_OBJ_NAME(1, "s");
	ok(strncmp(taken(), "a6 02", 5) == 0, "and the next one is whole");
}

/* All lengths at all places: the ring is filled to its last byte, and never beyond. */
static void test_edges(void)
{
	rui8_t got[RING_BYTES];
	char name[32];
	bool all_hold = true;

	begin_anew();
	for (unsigned i = 0; i < 2000 && all_hold; i++) {
		unsigned n_waiting = 0, n_frames = 0, n_lost = rkh_trc_lost(), length = i % 23;

		memset(name, 0x7d, length);
		name[length] = 0;
		for (unsigned n_bytes;; n_frames++) {
			rkh_trc_obj(RKH_TE_FWK_OBJ, NULL, name);
			if (rkh_trc_lost() != n_lost)
				break;
			n_bytes = 2 * length + 13;
			n_waiting += n_bytes;
		}
		TRCQTY_T n_got = rkh_trc_getWholeBlock(got, RING_BYTES);

		/* Numbers and checksums may be stuffed: then a frame is one or two bytes longer. */
		all_hold = n_got >= n_waiting && n_got <= n_waiting + 2 * n_frames &&
			   n_got + 2 * length + 15 > RING_BYTES && got[n_got - 1] == 0x7e;
	}
	ok(all_hold, "wherever a frame begins, the ring takes whole frames up to its last byte");
}

static void test_blocks(void)
{
	TRCQTY_T n_bytes = 100;
	rui8_t *block, *byte;

	begin_anew();
	ok(rkh_trc_get() == NULL && rkh_trc_get_block(&n_bytes) == NULL && n_bytes == 0,
		"an empty ring gives nothing");
	RKH_TR_FWK_EXE_FUN(1);
	byte = rkh_trc_get();
	n_bytes = 4;
	block = rkh_trc_get_block(&n_bytes);
	ok(byte && *byte == 0xa9 && block && n_bytes == 4 && block[0] == 0 && block[1] == 1,
		"one byte and some bytes are taken in their order");
	for (unsigned i = 0; i < 100; i++)
		RKH_TR_FWK_EXE_FUN(2);
	ok(block[0] == 0 && block[1] == 1 && block[3] == 3,
		"bytes that were handed out stay while the ring overruns");
	n_bytes = 3;
	block = rkh_trc_get_block(&n_bytes);
	ok(n_bytes == 3 && block && block[0] == 4, "and the next ones follow");
}

static void test_raw(void)
{
	begin_anew();
	rkh_trc_put(0x7e);
	RKH_TRC_U8_RAW(0x11);
	is_text(taken(), "7e 11 ", "raw bytes can be taken at once, and are not stuffed");
	RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_FWK_EN)
	RKH_TRC_U8_RAW(0x7e);
	is_text(taken(), "", "within a frame they are part of it");
	RKH_TRC_END_WOFIL_NOCRIT();
	is_text(taken(), "a0 00 01 02 03 04 7e 56 7e ",
		"which goes in whole, and they do not count for its checksum");
	for (unsigned i = 0; i < RING_BYTES + 2; i++)
		RKH_TRC_U8_RAW(i);
	ok(rkh_trc_lost() == 2, "those that have no room are counted lost");
	ok(strlen(taken()) == 3 * RING_BYTES, "and the others are all there");
	RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_FWK_EN)
	RKH_TRC_END_WOFIL_NOCRIT();
	is_text(taken(), "a0 01 01 02 03 04 55 7e ", "and the next frame is whole");
}

int main(void)
{
	test_frames();
	test_stuffing();
	test_quick_frames();
	test_group_and_event();
	test_tables();
	test_object_and_signal();
	test_unfiltered();
	test_object_names();
	test_user_elements();
	test_configuration();
	test_overrun();
	test_edges();
	test_blocks();
	test_raw();
	return tap_done();
}
