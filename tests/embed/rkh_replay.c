/* SPDX-License-Identifier: MIT */
/*
 * Makes the calls that standard input lists, one a line, through the macros of the RKH encoder, and writes
 * the bytes that the recorder made of them. tests/embed/rkh.t decodes recordings of RKH's own recorder into
 * such calls, with the switches that each announces.
 *
 *      ID STAMP ARGUMENT...            a record; a text is s and hex digits, an element of a user event e, kind, width
 *      skip N                          uses N sequence numbers up
 */
#define RKH_SMA_ACCESS_CONST(object, member) 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embed/rkh/rkhtrc.h"

enum { N_ARGUMENTS = 600, LINE_BYTES = 1 << 16 };

static RKH_TS_T stamp;

static struct {
	uint64_t number;
	char *text; /* and its length in number */
	unsigned kind, width;
} argument[N_ARGUMENTS];
static unsigned n_arguments;

RKH_TS_T rkh_trc_getts(void)
{
	return stamp;
}

void rkh_trc_flush(void)
{
}

static void text_read(unsigned n, const char *digits)
{
	static char texts[N_ARGUMENTS][LINE_BYTES / 16];
	size_t n_bytes = strlen(digits) / 2;

	for (size_t i = 0; i < n_bytes; i++) {
		unsigned byte;

		sscanf(digits + 2 * i, "%2x", &byte);
		texts[n][i] = (char)byte;
	}
	texts[n][n_bytes] = 0;
	argument[n].text = texts[n];
	argument[n].number = n_bytes;
}

static void argument_read(char *word)
{
	unsigned n = n_arguments++;

	if (n >= N_ARGUMENTS)
		abort();
	if (word[0] == 'e') {
		argument[n].kind = (unsigned)strtoul(word + 1, &word, 10);
		argument[n].width = (unsigned)strtoul(word + 1, &word, 10);
		word++;
	}
	if (word[0] == 's')
		text_read(n, word + 1);
	else
		argument[n].number = strtoull(word, NULL, 10);
}

#define N(i) (argument[i].number)
#define P(i) ((void *)(uintptr_t)argument[i].number)
#define T(i) (argument[i].text)

static void user_record(RKH_TE_ID_T id)
{
	RKH_TRC_USR_BEGIN(id)
	for (unsigned i = 0; i < n_arguments; i++) {
		unsigned width = argument[i].width;

		switch (argument[i].kind) {
		case RKH_I8_T:
			RKH_TUSR_I8(width, N(i));
			break;
		case RKH_UI8_T:
			RKH_TUSR_UI8(width, N(i));
			break;
		case RKH_I16_T:
			RKH_TUSR_I16(width, N(i));
			break;
		case RKH_UI16_T:
			RKH_TUSR_UI16(width, N(i));
			break;
		case RKH_I32_T:
			RKH_TUSR_I32(width, N(i));
			break;
		case RKH_UI32_T:
			RKH_TUSR_UI32(width, N(i));
			break;
		case RKH_X32_T:
			RKH_TUSR_X32(width, N(i));
			break;
		case RKH_STR_T:
			RKH_TUSR_STR(T(i));
			break;
		case RKH_MEM_T:
			RKH_TUSR_MEM(T(i), N(i));
			break;
		case RKH_OBJ_T:
			RKH_TUSR_OBJ(N(i));
			break;
		case RKH_FUN_T:
			RKH_TUSR_FUN(N(i));
			break;
		default:
			RKH_TUSR_SIG(N(i));
		}
	}
	RKH_TRC_USR_END();
}

/* Names that the macros take from objects or from the source are written as these macros write them. */
static void name_record(RKH_TE_ID_T id)
{
	switch (id) {
	case RKH_TE_FWK_SIG:
		rkh_trc_sig((RKH_SIG_T)N(0), T(1));
		break;
	case RKH_TE_FWK_EPOOL:
		RKH_TR_FWK_EPOOL(N(0), T(1));
		break;
	case RKH_TE_FWK_TUSR: {
		RKH_TRC_BEGIN_WOFIL(RKH_TE_FWK_TUSR)
		RKH_TRC_TE_ID(N(0));
		RKH_TRC_STR(T(1));
		RKH_TRC_END_WOFIL()
		break;
	}
	case RKH_TE_FWK_STATE:
	case RKH_TE_FWK_PSTATE: {
		RKH_TRC_BEGIN_WOFIL(id)
		RKH_TRC_SYM(P(0));
		RKH_TRC_SYM(P(1));
		RKH_TRC_STR(T(2));
		RKH_TRC_END_WOFIL()
		break;
	}
	default:
		rkh_trc_obj(id, (rui8_t *)P(0), T(1));
	}
}

/* Returns 0 for what is none of the framework's. */
static int framework_record(RKH_TE_ID_T id)
{
	RKH_EVT_T event = { 0, 0, 0 };
	RKH_SR_ALLOC();

	switch (id) {
	case RKH_TE_FWK_EN:
		RKH_TR_FWK_EN();
		return 1;
	case RKH_TE_FWK_EX:
		RKH_TR_FWK_EX();
		return 1;
	case RKH_TE_FWK_EPREG:
		RKH_TR_FWK_EPREG(N(0), N(1), N(2), N(3));
		return 1;
	case RKH_TE_FWK_AE: {
		unsigned i =
			RKH_CFG_MP_GET_LWM_EN ? 5 : 0; /* without low mark the macro ignores its argument */

		event = (RKH_EVT_T){ (RKH_SIG_T)N(1), (rui8_t)N(3), (rui8_t)(N(2) + 1) };
		RKH_TR_FWK_AE(N(0), &event, N(4), N(i), P(n_arguments - 1));
		return 1;
	}
	case RKH_TE_FWK_GC:
		event.e = (RKH_SIG_T)N(0);
		RKH_TR_FWK_GC(&event, N(1), N(2));
		return 1;
	case RKH_TE_FWK_GCR:
		event = (RKH_EVT_T){ (RKH_SIG_T)N(0), (rui8_t)N(2), (rui8_t)(N(1) + 1) };
		RKH_TR_FWK_GCR(&event, N(3), N(4), P(n_arguments - 1));
		return 1;
	case RKH_TE_FWK_EXE_FUN:
		RKH_TR_FWK_EXE_FUN(P(0));
		return 1;
	case RKH_TE_FWK_SYNC_EVT:
		RKH_TR_FWK_SYNC_EVT(P(0), P(1), P(2));
		return 1;
	case RKH_TE_FWK_ASSERT:
		RKH_TR_FWK_ASSERT(T(0), N(1));
		return 1;
	case RKH_TE_FWK_TCFG:
		RKH_TRC_SEND_CFG(N(0));
		return 1;
	default:
		return 0;
	}
}

/* Which argument stands behind a sender, which may be absent. */
#define AFTER_SENDER(i) N((i) - !RKH_CFG_SMA_TRC_SNDR_EN)

static int object_record(RKH_TE_ID_T id)
{
	RKH_EVT_T event = { (RKH_SIG_T)N(1), 0, 0 };
	RKH_SR_ALLOC();

	switch (id) {
	case RKH_TE_MP_INIT:
		RKH_TR_MP_INIT(P(0), N(1), N(2));
		return 1;
	case RKH_TE_MP_GET:
		RKH_TR_MP_GET(P(0), N(1), N(2));
		return 1;
	case RKH_TE_MP_PUT:
		RKH_TR_MP_PUT(P(0), N(1));
		return 1;
	case RKH_TE_QUE_INIT:
		RKH_TR_QUE_INIT(P(0), P(1), N(2));
		return 1;
	case RKH_TE_QUE_GET:
		RKH_TR_QUE_GET(P(0), N(1));
		return 1;
	case RKH_TE_QUE_FIFO:
		RKH_TR_QUE_FIFO(P(0), N(1), N(2));
		return 1;
	case RKH_TE_QUE_LIFO:
		RKH_TR_QUE_LIFO(P(0), N(1), N(2));
		return 1;
	case RKH_TE_QUE_FULL:
		RKH_TR_QUE_FULL(P(0));
		return 1;
	case RKH_TE_QUE_DPT:
		RKH_TR_QUE_DPT(P(0));
		return 1;
	case RKH_TE_QUE_GET_LAST:
		RKH_TR_QUE_GET_LAST(P(0));
		return 1;
	case RKH_TE_SMA_ACT:
		RKH_TR_SMA_ACT(P(0), N(1), N(2));
		return 1;
	case RKH_TE_SMA_TERM:
		RKH_TR_SMA_TERM(P(0), N(1));
		return 1;
	case RKH_TE_SMA_GET:
		RKH_TR_SMA_GET(P(0), &event, N(2), N(3), N(4), N(5));
		return 1;
	case RKH_TE_SMA_FIFO:
		RKH_TR_SMA_FIFO(P(0), &event, P(2), AFTER_SENDER(3), AFTER_SENDER(4), AFTER_SENDER(5),
			AFTER_SENDER(6));
		return 1;
	case RKH_TE_SMA_LIFO:
		RKH_TR_SMA_LIFO(P(0), &event, P(2), AFTER_SENDER(3), AFTER_SENDER(4), AFTER_SENDER(5),
			AFTER_SENDER(6));
		return 1;
	case RKH_TE_SMA_REG:
		RKH_TR_SMA_REG(P(0), N(1));
		return 1;
	case RKH_TE_SMA_UNREG:
		RKH_TR_SMA_UNREG(P(0), N(1));
		return 1;
	case RKH_TE_SMA_DEFER:
		RKH_TR_SMA_DEFER(P(0), &event);
		return 1;
	case RKH_TE_SMA_RCALL:
		RKH_TR_SMA_RCALL(P(0), &event);
		return 1;
	case RKH_TE_TMR_INIT:
		RKH_TR_TMR_INIT(P(0), N(1));
		return 1;
	case RKH_TE_TMR_START:
		RKH_TR_TMR_START(P(0), P(1), N(2), N(3));
		return 1;
	case RKH_TE_TMR_STOP:
		RKH_TR_TMR_STOP(P(0), N(1), N(2));
		return 1;
	case RKH_TE_TMR_TOUT:
		RKH_TR_TMR_TOUT(P(0), (RKH_SIG_T)N(1), P(2));
		return 1;
	case RKH_TE_TMR_REM:
		RKH_TR_TMR_REM(P(0));
		return 1;
	default:
		return 0;
	}
}

static int machine_record(RKH_TE_ID_T id)
{
	RKH_EVT_T event = { (RKH_SIG_T)N(1), 0, 0 };
	RKH_SR_ALLOC();

	switch (id) {
	case RKH_TE_SM_INIT:
		RKH_TR_SM_INIT(P(0), P(1));
		return 1;
	case RKH_TE_SM_CLRH:
		RKH_TR_SM_CLRH(P(0), P(1));
		return 1;
	case RKH_TE_SM_TRN:
		RKH_TR_SM_TRN(P(0), P(1), P(2));
		return 1;
	case RKH_TE_SM_STATE:
		RKH_TR_SM_STATE(P(0), P(1));
		return 1;
	case RKH_TE_SM_ENSTATE:
		RKH_TR_SM_ENSTATE(P(0), P(1));
		return 1;
	case RKH_TE_SM_EXSTATE:
		RKH_TR_SM_EXSTATE(P(0), P(1));
		return 1;
	case RKH_TE_SM_NENEX:
		RKH_TR_SM_NENEX(P(0), N(1), N(2));
		return 1;
	case RKH_TE_SM_NTRNACT:
		RKH_TR_SM_NTRNACT(P(0), N(1), N(2));
		return 1;
	case RKH_TE_SM_TS_STATE:
		RKH_TR_SM_TS_STATE(P(0), P(1));
		return 1;
	case RKH_TE_SM_EVT_PROC:
		RKH_TR_SM_EVT_PROC(P(0));
		return 1;
	case RKH_TE_SM_EVT_NFOUND:
		RKH_TR_SM_EVT_NFOUND(P(0), &event);
		return 1;
	case RKH_TE_SM_GRD_FALSE:
		RKH_TR_SM_GRD_FALSE(P(0));
		return 1;
	case RKH_TE_SM_CND_NFOUND:
		RKH_TR_SM_CND_NFOUND(P(0));
		return 1;
	case RKH_TE_SM_UNKN_STATE:
		RKH_TR_SM_UNKN_STATE(P(0));
		return 1;
	case RKH_TE_SM_EX_HLEVEL:
		RKH_TR_SM_EX_HLEVEL(P(0));
		return 1;
	case RKH_TE_SM_EX_TSEG:
		RKH_TR_SM_EX_TSEG(P(0));
		return 1;
	case RKH_TE_SM_EXE_ACT:
		RKH_TR_SM_EXE_ACT(N(0), P(1), P(2), P(3));
		return 1;
	case RKH_TE_SM_DCH:
		RKH_TR_SM_DCH(P(0), &event, P(2));
		return 1;
	default:
		return 0;
	}
}

static void record(RKH_TE_ID_T id)
{
	if (GETGRP(id) == RKH_TG_USR)
		user_record(id);
	else if (!framework_record(id) && !object_record(id) && !machine_record(id))
		name_record(id);
}

static void drain(FILE *out)
{
	TRCQTY_T n_bytes = 100;
	rui8_t *block;

	for (; (block = rkh_trc_get_block(&n_bytes)) != NULL; n_bytes = 100)
		if (out)
			fwrite(block, 1, n_bytes, out);
}

static void skip(unsigned n_frames)
{
	while (n_frames--) {
		rkh_trc_begin(RKH_TE_FWK_EN);
		rkh_trc_end();
		drain(NULL);
	}
}

int main(void)
{
	static char line[LINE_BYTES];

	rkh_trc_init();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	drain(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		char *id = strtok(line, " \n"), *word = strtok(NULL, " \n");

		if (strcmp(id, "skip") == 0) {
			skip((unsigned)atoi(word));
			continue;
		}
		stamp = (RKH_TS_T)strtoul(word, NULL, 10);
		memset(argument, 0, sizeof(argument));
		for (n_arguments = 0; (word = strtok(NULL, " \n")) != NULL;)
			argument_read(word);
		record((RKH_TE_ID_T)strtoul(id, NULL, 10));
		drain(stdout);
	}
	return rkh_trc_lost() != 0;
}
