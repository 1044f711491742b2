#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The RKH encoder: its bytes against those of RKH's own recorder, its switches one by one, what it needs of others."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, "tests")
import rkh  # noqa: E402
from tap import Faults, done, ok, sample, skip, slurp  # noqa: E402

SOURCES = sorted(glob.glob("embed/rkh/rkhtrc_*.c"))
SOURCES = [s for s in SOURCES if not s.endswith("_test.c")]
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding", "-I."]
C99 = ["gcc", "-std=c99"]
CXX = ["g++", "-x", "c++", "-std=c++11"]
SANITIZE = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def compiled(words):
    """What a compiler complains of; nothing when all is well."""
    run = subprocess.run(words, capture_output=True, text=True)
    return run.stderr.splitlines()[:4] or ["it failed"] if run.returncode else []


def replay(folder, stream, small, more):
    """The bytes that the encoder, built as the stream's target was, makes of the stream's calls."""
    program = os.path.join(folder, "replay")
    bits = 8 * stream.config.width["sig"]
    faults = compiled(["gcc", "-std=gnu11", "-O1", "-g", "-I.", *SANITIZE, *stream.config.switches(), *more,
                       f"-DRKH_CFG_TRC_SMALL_EN={small}", f"-DRKH_CFG_FWK_MAX_SIGNALS={1 << min(bits, 16)}",
                       "tests/embed/rkh_replay.c", *SOURCES, "-o", program])
    if faults:
        return b"", faults
    run = subprocess.run([program], input=stream.lines().encode(), capture_output=True, timeout=100)
    return run.stdout, [] if run.returncode == 0 else [f"status {run.returncode}", *run.stderr.decode().splitlines()]


def difference(got, expected):
    if got == expected:
        return []
    at = next((i for i, pair in enumerate(zip(got, expected)) if pair[0] != pair[1]), min(len(got), len(expected)))
    return [f"{len(got)} bytes of {len(expected)}; from byte {at}", f"     got: {got[at:at + 24].hex(' ')}",
            f"expected: {expected[at:at + 24].hex(' ')}"]


def check_streams(folder):
    for path in sorted(glob.glob("tests/data/rkh/[rx]*.bin")):
        name = os.path.basename(path)[:-4]
        data = slurp(path)
        stream = rkh.Stream(data, te=2 if name == "r5_teid16" else 1)
        whole = name != "r7_overrun512"  # where RKH's recorder cut frames; only whole ones can be made again
        for small, words in ((0, "quick"), (1, "small")):
            # A ring of 300 bytes is often at its end; frames of x2 are longer.
            ring = 8192 if name == "x2_synthetic_longframes" else 300
            got, faults = replay(folder, stream, small, [f"-DRKH_CFG_TRC_SIZEOF_STREAM={ring}"])
            ok(not faults and got == (data if whole else stream.bytes()),
               f"{name}: the {words} recorder makes the same bytes of the same calls", *faults,
               *difference(got, data if whole else stream.bytes()))


# Every name of the encoder, used as programs use it.
PROGRAM = r"""
#include "embed/rkh/rkhtrc.h"
#ifdef __cplusplus
extern "C" {
#endif
RKH_TS_T rkh_trc_getts(void) { return 5; }
void rkh_trc_open(void)
{
#if RKH_CFG_TRC_EN
	rkh_trc_init();
#endif
	RKH_TRC_SEND_CFG(1000);
}
void rkh_trc_close(void) {}
void rkh_trc_flush(void) {}
void rkh_hook_putTrcEvt(void) {}
void rkh_assert(const char *const file, int line) { (void)file; (void)line; }
#ifdef __cplusplus
}
#endif

#if RKH_CFG_SMA_SM_CONST_EN
static RKHROM RKH_ROM_T rom = { 1, 0, "ao" };
static RKH_SMA_T object = { { &rom, NULL } };
#else
static RKH_SMA_T object = { { 1, 0, "ao", NULL } };
#endif
static RKH_BASE_T state = { RKH_REGULAR, "state" };
static RKH_EVT_T event = { 3, 1, 1 };

static void filters(void)
{
	RKH_FILTER_ON_GROUP(RKH_TG_MP);
	RKH_FILTER_OFF_GROUP(RKH_TG_MP);
	RKH_FILTER_ON_GROUP_ALL_EVENTS(RKH_TG_QUE);
	RKH_FILTER_OFF_GROUP_ALL_EVENTS(RKH_TG_QUE);
	RKH_FILTER_ON_EVENT(RKH_TE_SM_TRN);
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_ON_SMA(&object);
	RKH_FILTER_OFF_SMA(&object);
	RKH_FILTER_ON_ALL_SMA();
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_ON_SIGNAL(3);
	RKH_FILTER_OFF_SIGNAL(3);
	RKH_FILTER_ON_ALL_SIGNALS();
	RKH_FILTER_OFF_ALL_SIGNALS();
}

static void groups(void)
{
	RKH_SMA_T *ao = &object;
	RKH_EVT_T *evt = &event;
	RKH_SR_ALLOC();

	RKH_TR_MP_INIT(ao, 4, 8);
	RKH_TR_MP_GET(ao, 3, 3);
	RKH_TR_MP_PUT(ao, 4);
	RKH_TR_QUE_INIT(ao, ao, 4);
	RKH_TR_QUE_GET(ao, 4);
	RKH_TR_QUE_FIFO(ao, 4, 4);
	RKH_TR_QUE_LIFO(ao, 4, 4);
	RKH_TR_QUE_FULL(ao);
	RKH_TR_QUE_DPT(ao);
	RKH_TR_QUE_GET_LAST(ao);
	RKH_TR_SMA_ACT(ao, 1, 4);
	RKH_TR_SMA_TERM(ao, 1);
	RKH_TR_SMA_GET(ao, evt, 1, 1, 1, 1);
	RKH_TR_SMA_FIFO(ao, evt, ao, 1, 1, 1, 1);
	RKH_TR_SMA_LIFO(ao, evt, ao, 1, 1, 1, 1);
	RKH_TR_SMA_REG(ao, 1);
	RKH_TR_SMA_UNREG(ao, 1);
	RKH_TR_SMA_DEFER(ao, evt);
	RKH_TR_SMA_RCALL(ao, evt);
	RKH_TR_TMR_INIT(ao, 3);
	RKH_TR_TMR_START(ao, ao, 1, 1);
	RKH_TR_TMR_STOP(ao, 1, 1);
	RKH_TR_TMR_TOUT(ao, 3, ao);
	RKH_TR_TMR_REM(ao);
	(void)ao, (void)evt;
}

static void machine(void)
{
	RKH_SMA_T *ao = &object;
	RKH_SR_ALLOC();

	RKH_TR_SM_INIT(ao, &state);
	RKH_TR_SM_CLRH(ao, &state);
	RKH_TR_SM_TRN(ao, &state, &state);
	RKH_TR_SM_STATE(ao, &state);
	RKH_TR_SM_ENSTATE(ao, &state);
	RKH_TR_SM_EXSTATE(ao, &state);
	RKH_TR_SM_NENEX(ao, 1, 1);
	RKH_TR_SM_NTRNACT(ao, 1, 1);
	RKH_TR_SM_TS_STATE(ao, &state);
	RKH_TR_SM_EVT_PROC(ao);
	RKH_TR_SM_EVT_NFOUND(ao, &event);
	RKH_TR_SM_GRD_FALSE(ao);
	RKH_TR_SM_CND_NFOUND(ao);
	RKH_TR_SM_UNKN_STATE(ao);
	RKH_TR_SM_EX_HLEVEL(ao);
	RKH_TR_SM_EX_TSEG(ao);
	RKH_TR_SM_EXE_ACT(RKH_SUBTE_SM_EXE_ACT_EN, ao, &state, machine);
	RKH_TR_SM_DCH(ao, &event, &state);
	(void)ao;
}

static void framework(void)
{
	RKH_SR_ALLOC();

	if (event.nref)
		RKH_TR_FWK_EN();
	else
		RKH_TR_FWK_EX();
	RKH_TR_FWK_EPREG(1, 64, 8, 8);
	RKH_TR_FWK_AE(8, &event, 1, 1, &object);
	RKH_TR_FWK_GC(&event, 1, 1);
	RKH_TR_FWK_GCR(&event, 1, 1, &object);
	RKH_TR_FWK_EXE_FUN(framework);
	RKH_TR_FWK_SYNC_EVT(framework, &object, &object);
	RKH_TR_FWK_ASSERT("module", 7);
	RKH_TR_FWK_OBJ(&object);
	RKH_TR_FWK_OBJ_NAME(&object, "name");
	RKH_TR_FWK_SIG(3);
	RKH_TR_FWK_FUN(framework);
	RKH_TR_FWK_TUSR(RKH_TE_USER + 1);
	RKH_TR_FWK_AO(&object);
	RKH_TR_FWK_STATE(&object, &state);
	RKH_TR_FWK_PSTATE(&object, &state);
	RKH_TR_FWK_TIMER(&object);
	RKH_TR_FWK_EPOOL(0, "pool");
	RKH_TR_FWK_QUEUE(&object);
	RKH_TR_FWK_ACTOR(&object, "actor");
}

static void user(void)
{
	RKH_TRC_USR_BEGIN(RKH_TE_USER + 1)
		RKH_TUSR_I8(1, -1);
		RKH_TUSR_UI8(2, 1);
		RKH_TUSR_I16(3, -1);
		RKH_TUSR_UI16(4, 1);
		RKH_TUSR_I32(5, -1);
		RKH_TUSR_UI32(6, 1);
		RKH_TUSR_X32(7, 1);
		RKH_TUSR_STR("text");
		RKH_TUSR_MEM(&state, sizeof(state));
		RKH_TUSR_OBJ(&state);
		RKH_TUSR_FUN(user);
		RKH_TUSR_SIG(3);
	RKH_TRC_USR_END();
	{
		RKH_TRC_USR_BEGIN_NOCRIT(RKH_TE_USER)
		RKH_TRC_USR_END_NOCRIT();
	}
}

static void frames(void)
{
	RKH_SR_ALLOC();

	RKH_TRC_BEGIN(RKH_TE_SM_TRN, 1, 3)
		RKH_TRC_UI8(1);
		RKH_TRC_UI16(1);
		RKH_TRC_UI32(1);
		RKH_TRC_STR("text");
		RKH_TRC_TE_ID(RKH_TE_SM_TRN);
		RKH_TRC_SYM(&state);
		RKH_TRC_FUN(frames);
		RKH_TRC_SNDR(&state);
		RKH_TRC_SIG(3);
		RKH_TRC_ES(8);
		RKH_TRC_NTICK(1);
		RKH_TRC_NBLK(1);
		RKH_TRC_BSIZE(1);
		RKH_TRC_NE(1);
		RKH_TRC_MP_NMIN(1);
		RKH_TRC_QUE_NMIN(1);
		RKH_TRC_U8_RAW(1);
	RKH_TRC_END();
	RKH_TRC_BEGIN_WOAO(RKH_TE_SM_TRN, 3) RKH_TRC_END();
	RKH_TRC_BEGIN_WOSIG(RKH_TE_SM_TRN, 1) RKH_TRC_END();
	RKH_TRC_BEGIN_WOAOSIG(RKH_TE_SM_TRN) RKH_TRC_END();
	RKH_TRC_BEGIN_NOCRIT(RKH_TE_SM_TRN, 1, RKH_COMPLETION_EVENT) RKH_TRC_END_NOCRIT();
	RKH_TRC_BEGIN_WOAO_NOCRIT(RKH_TE_SM_TRN, 3) RKH_TRC_END_NOCRIT();
	RKH_TRC_BEGIN_WOSIG_NOCRIT(RKH_TE_SM_TRN, 1) RKH_TRC_END_NOCRIT();
	RKH_TRC_BEGIN_WOAOSIG_NOCRIT(RKH_TE_SM_TRN) RKH_TRC_END_NOCRIT();
	RKH_TRC_BEGIN_WOFIL_NOCRIT(RKH_TE_SM_TRN) RKH_TRC_END_WOFIL_NOCRIT();
	{
		RKH_TRC_BEGIN_WOFIL(RKH_TE_SM_TRN)
		RKH_TRC_END_WOFIL()
	}
	{
		RKH_TRC_BEGIN_DFT(RKH_TE_FWK_EN)
		RKH_TRC_END_DFT()
	}
}

int main(void)
{
	rui8_t bytes[8];
	TRCQTY_T n_bytes = 8;

	RKH_TRC_OPEN();
	filters();
	groups();
	machine();
	framework();
	user();
	frames();
	RKH_TRC_FLUSH();
	RKH_TRC_CLOSE();
	(void)rkh_trc_get();
	(void)rkh_trc_get_block(&n_bytes);
	(void)rkh_trc_getWholeBlock(bytes, sizeof(bytes));
#if RKH_CFG_TRC_EN && RKH_CFG_TRC_RTFIL_EN
	{
		RKH_FilterTbl tables;

		rkh_trc_filter_get(&tables);
		(void)rkh_trc_isoff_(RKH_TE_SM_TRN);
		(void)rkh_trc_symFil_isoff(RKHFilterSma, 0);
	}
#endif
	return rkh_trc_lost() == 0xffffffffu;
}
"""

# Switches that are on by default, and those that are off; each is turned over alone.
ON = """TRC_EN TRC_RTFIL_EN TRC_RTFIL_SMA_EN TRC_RTFIL_SIGNAL_EN TRC_USER_TRACE_EN TRC_ALL_EN TRC_ASSERT_EN TRC_SM_INIT_EN
    TRC_SM_DCH_EN TRC_SM_CLRH_EN TRC_SM_TRN_EN TRC_SM_STATE_EN TRC_SM_ENSTATE_EN TRC_SM_EXSTATE_EN TRC_SM_NENEX_EN
    TRC_SM_NTRNACT_EN TRC_SM_TS_STATE_EN TRC_SM_PROCESS_EN TRC_NSEQ_EN TRC_CHK_EN TRC_TSTAMP_EN SMA_TRC_SNDR_EN
    MP_GET_LWM_EN QUE_GET_LWMARK_EN SMA_SM_CONST_EN""".split()
OFF = "TRC_SM_EXE_ACT_EN HOOK_PUT_TRCEVT_EN FWK_ASSERT_EN".split()
WIDTHS = """_TRC_SIZEOF_TE_ID _FWK_SIZEOF_EVT _FWK_SIZEOF_EVT_SIZE _TMR_SIZEOF_NTIMER _MP_SIZEOF_NBLOCK _MP_SIZEOF_BSIZE
    _QUE_SIZEOF_NELEM PORT_TRC_SIZEOF_TSTAMP""".split()
ADDRESSES = ["PORT_TRC_SIZEOF_PTR", "PORT_TRC_SIZEOF_FUN_PTR"]
NUMBERS = ["_TRC_SIZEOF_STREAM=1", "_TRC_SIZEOF_STREAM=20", "_TRC_SIZEOF_STREAM=254", "_TRC_SIZEOF_STREAM=255",
           "_TRC_SIZEOF_STREAM=65000", "_FWK_MAX_SMA=1", "_FWK_MAX_SMA=256", "_FWK_MAX_SIGNALS=1",
           "_FWK_MAX_SIGNALS=65537"]


def settings():
    """Lists of what stands behind RKH_CFG."""
    yield []
    yield from ([f"_{name}=0u"] for name in ON)
    yield from ([f"_{name}=RKH_ENABLED"] for name in OFF)
    # A group alone needs ALL off.
    yield from (["_TRC_ALL_EN=0", f"_TRC_{group}_EN=1"] for group in ["MP", "QUE", "SMA", "SM", "TMR", "FWK"])
    yield from ([f"{name}={bits}" for name in WIDTHS] for bits in (8, 16, 32))
    yield from ([f"{name}={bits}" for name in ADDRESSES] for bits in (16, 64))
    yield from ([number] for number in NUMBERS)


def check_switches(folder):
    program, encoder, built = (os.path.join(folder, name) for name in ("program.c", "encoder.c", "program"))
    with open(program, "w", encoding="utf-8") as out:
        out.write(PROGRAM)
    with open(encoder, "w", encoding="utf-8") as out:
        out.writelines(f'#include "{source}"\n' for source in SOURCES)
    for small in (0, 1):
        faults = Faults()
        for how in sample(list(settings())):
            found = compiled([*C99, *STRICT, f"-DRKH_CFG_TRC_SMALL_EN={small}", *(f"-DRKH_CFG{word}" for word in how),
                              program, encoder, "-o", built])
            if not found:
                run = subprocess.run([built], capture_output=True, text=True)
                found = [f"status {run.returncode}"] if run.returncode else []
            faults += [f"{' '.join(how)}: {line}" for line in found]
        ok(not faults, f"each switch of the {'small' if small else 'quick'} recorder, each way: it is compiled, linked, "
           "and every macro runs", *faults)


# RKH's headers as its own sources meet them: which includes which, and what of theirs the recorder meets. Each source has
# the list of includes that it has in RKH 3.4, where records are in rkhtrc_record.h.
RKH_HEADERS = {
    "rkhtype.h": """#include <stdint.h>
#define RKH_ENABLED 1
#define RKH_DISABLED 0
#define RKHROM const
typedef int8_t ri8_t; typedef int16_t ri16_t; typedef int32_t ri32_t; typedef uint8_t rui8_t; typedef uint16_t rui16_t;
typedef uint32_t rui32_t; typedef unsigned int ruint; typedef int rInt; typedef unsigned int rbool_t;""",
    "rkhcfg.h": """#define RKH_CFG_FWK_MAX_SIGNALS 16
#define RKH_CFG_FWK_MAX_SMA 8
#define RKH_CFG_TRC_EN RKH_ENABLED
#define RKH_CFG_TRC_ALL_EN RKH_ENABLED
#define RKH_CFG_HOOK_PUT_TRCEVT_EN RKH_ENABLED
#define RKH_CFG_FWK_ASSERT_EN RKH_ENABLED
#define RKH_CFG_SMA_SM_CONST_EN RKH_ENABLED""",
    "rkhevt.h": """#include "rkhtype.h"
#include "rkhcfg.h"
typedef rui8_t RKH_SIG_T;
typedef rui16_t RKH_ES_T;
typedef struct RKH_EVT_T { RKH_SIG_T e; rui8_t nref; rui8_t pool; } RKH_EVT_T;""",
    "rkhplat.h": """extern int locks;
#define RKH_CPUSR_TYPE int
#define RKH_ENTER_CRITICAL(sr) ((sr) = locks++)
#define RKH_EXIT_CRITICAL(sr) (locks = (sr))""",
    "rkhitl.h": """#include "rkhplat.h"
#include "rkhevt.h"
#define RKH_ANY ((RKH_SIG_T)-1)
#define RKH_COMPLETION_EVENT (RKH_ANY - 1)
#define RKH_REGULAR 0x80
#define R_TRC_AO_NAME_EN RKH_ENABLED
#define RKH_SR_ALLOC() RKH_CPUSR_TYPE sr = (RKH_CPUSR_TYPE)0
#define RKH_ENTER_CRITICAL_() RKH_ENTER_CRITICAL(sr)
#define RKH_EXIT_CRITICAL_() RKH_EXIT_CRITICAL(sr)
typedef struct RKH_BASE_T { ruint type; const char *name; } RKH_BASE_T;
typedef struct RKH_ROM_T { rui8_t prio; rui8_t ppty; const char *name; } RKH_ROM_T;
typedef struct RKH_SM_T { const RKH_ROM_T *romrkh; const void *state; } RKH_SM_T;
typedef struct RKH_SMA_T { RKH_SM_T sm; } RKH_SMA_T;""",
    "rkhsm.h": """#include "rkhitl.h"
#define CB(p) ((const RKH_BASE_T *)(p))
#define RKH_GET_VERTEX_NAME(vx) ((const struct RKH_BASE_T *)(vx))->name""",
    "rkhsma.h": """#include "rkhitl.h"
#define RKH_SMA_ACCESS_CONST(me_, member_) ((RKH_SM_T *)me_)->romrkh->member_
#define RKH_GET_AO_NAME(ao) RKH_SMA_ACCESS_CONST(ao, name)""",
    "rkhfwk_hook.h": """#include "rkhtype.h"
#include "rkhsma.h"
#define RKH_HOOK_PUT_TRCEVT() rkh_hook_putTrcEvt()
void rkh_hook_putTrcEvt(void);""",
    "rkhassert.h": """#include "rkhitl.h"
#define RKH_MODULE_NAME(nm_) static RKHROM char *const module_name = #nm_;
#define RKH_ASSERT(exp) if (exp) {} else rkh_assert(module_name, __LINE__)
#define RKH_REQUIRE(exp) RKH_ASSERT(exp)
void rkh_assert(RKHROM char *const file, int line);""",
    "rkhfwk_dynevt.h": '#include "rkhevt.h"', "rkhtmr.h": '#include "rkhitl.h"',
}
RKH_SOURCES = {
    "rkhsma.c": ("rkhassert rkhitl rkhsma rkhtrc_record rkhtrc_filter rkhfwk_hook", """
void sma(RKH_SMA_T *ao, RKH_EVT_T *e)
{ RKH_SR_ALLOC(); RKH_TR_SMA_REG(ao, 1); RKH_TR_SMA_ACT(ao, 1, 4); RKH_TR_SMA_FIFO(ao, e, ao, 1, 1, 1, 1); RKH_REQUIRE(ao); }"""),
    "rkhsm.c": ("rkhitl rkhsm rkhassert rkhfwk_hook rkhtrc_record rkhtrc_filter rkhfwk_dynevt rkhsma", """
void sm(RKH_SMA_T *ao, RKH_EVT_T *e, RKH_BASE_T *state)
{ RKH_SR_ALLOC(); RKH_TR_SM_INIT(ao, state); RKH_TR_SM_DCH(ao, e, state); RKH_TR_SM_EVT_PROC(ao); RKH_REQUIRE(CB(state)); }"""),
    "rkhtmr.c": ("rkhtmr rkhassert rkhfwk_hook rkhsma rkhtrc_record rkhtrc_filter", """
void tmr(RKH_SMA_T *ao) { RKH_TR_TMR_START(&ao, ao, 1, 1); RKH_TR_TMR_TOUT(&ao, 3, ao); RKH_REQUIRE(ao); }"""),
    "rkhfwk_dynevt.c": ("rkhtrc_record rkhtrc_filter rkhassert rkhfwk_dynevt", """
void dynevt(RKH_EVT_T *e) { RKH_SR_ALLOC(); RKH_TR_FWK_AE(8, e, 1, 1, &e); RKH_TR_FWK_GC(e, 1, 1); RKH_REQUIRE(e); }"""),
    "main.c": ("rkhsma rkhsm rkhassert rkhfwk_hook rkhtrc", """
#include <stdio.h>
int locks;
static int n_hooks, n_asserts;
RKH_TS_T rkh_trc_getts(void) { return 5; }
void rkh_trc_open(void) { rkh_trc_init(); RKH_TRC_SEND_CFG(1000); }
void rkh_trc_close(void) {}
void rkh_trc_flush(void) {}
void rkh_hook_putTrcEvt(void) { n_hooks++; }
void rkh_assert(RKHROM char *const file, int line) { (void)file; (void)line; n_asserts++; }
void sma(RKH_SMA_T *, RKH_EVT_T *); void sm(RKH_SMA_T *, RKH_EVT_T *, RKH_BASE_T *); void tmr(RKH_SMA_T *); void dynevt(RKH_EVT_T *);
static const RKH_ROM_T rom = { 1, 0, "server" };
int main(void)
{
	static RKH_SMA_T server = { { &rom, 0 } };
	static RKH_BASE_T idle = { RKH_REGULAR, "idle" };
	static RKH_EVT_T event = { 3, 1, 1 };
	rui8_t bytes[512];
	TRCQTY_T n;

	RKH_TRC_OPEN();
	RKH_FILTER_OFF_EVENT(RKH_TRC_ALL_EVENTS);
	RKH_FILTER_OFF_ALL_SMA();
	RKH_FILTER_OFF_ALL_SIGNALS();
	RKH_TR_FWK_AO(&server);
	RKH_TR_FWK_STATE(&server, &idle);
	sma(&server, &event); sm(&server, &event, &idle); tmr(&server); dynevt(&event);
	RKH_FILTER_OFF_EVENT(0xe9);
	RKH_FILTER_OFF_SIGNAL(16);
	n = rkh_trc_getWholeBlock(bytes, sizeof(bytes));
	fwrite(bytes, 1, n, stdout);
	return n_hooks != 13 || n_asserts != 2 || locks != 0;
}"""),
}


def check_within_rkh(folder):
    """RKH's own sources, as they include, with this recorder in the place of theirs."""
    home, built = os.path.join(folder, "rkh"), os.path.join(folder, "within")
    os.mkdir(home)
    for name, text in RKH_HEADERS.items():
        guard = name.replace(".", "_").upper()
        with open(os.path.join(home, name), "w", encoding="utf-8") as out:
            out.write(f"#ifndef {guard}\n#define {guard}\n{text}\n#endif\n")
    for name, (includes, text) in RKH_SOURCES.items():
        module = "" if name == "main.c" else f"RKH_MODULE_NAME({name[:-2]})\n"
        with open(os.path.join(home, name), "w", encoding="utf-8") as out:
            out.write("".join(f'#include "{header}.h"\n' for header in includes.split()) + module + text + "\n")
    for small in (0, 1):
        faults = compiled(["gcc", "-std=gnu99", "-Wall", "-Werror", "-Iembed/rkh", f"-I{home}", "-I.",
                           "-DRKH_CFG_TRC_STANDALONE_EN=0", f"-DRKH_CFG_TRC_SMALL_EN={small}", *SANITIZE,
                           *(os.path.join(home, name) for name in RKH_SOURCES), *SOURCES, "-o", built])
        run = subprocess.run([built], capture_output=True) if not faults else None
        names = [bytes([f[0]]).hex() for f in map(rkh.unstuff, rkh.frames(run.stdout))] if run else []
        ok(run and run.returncode == 0 and names == "ac ae af 45 40 43 60 71 69 81 83 a3 a4".split(),
           f"RKH's own sources record with the {'small' if small else 'quick'} recorder", *faults, names, run)


SEMICOLONS = r"""
#include "embed/rkh/rkhtrc.h"
RKH_TS_T rkh_trc_getts(void) { return 5; }
void rkh_trc_flush(void) {}
int main(void)
{
	RKH_TRC_USR_BEGIN(RKH_TE_USER + 1)
		RKH_TUSR_UI8(2, 1);
	RKH_TRC_USR_END()
	if (rkh_trc_lost())
		return 1;
	return 0;
}
"""


def check_semicolons(folder):
    """RKH's page says that the brackets of a user event need none."""
    program, built = os.path.join(folder, "semicolons.c"), os.path.join(folder, "semicolons")
    with open(program, "w", encoding="utf-8") as out:
        out.write(SEMICOLONS)
    faults = Faults()
    for how in ([], ["-DRKH_CFG_TRC_USER_TRACE_EN=0"], ["-DRKH_CFG_TRC_EN=0"]):
        faults += [f"{how}: {line}" for line in compiled([*C99, *STRICT, *how, program, *SOURCES, "-o", built])]
    ok(not faults, "user events stand without semicolons behind their begin and end, also where they are switched off", *faults)


def check_languages(folder):
    program = os.path.join(folder, "program.c")
    if not shutil.which("g++"):
        skip("the encoder is C++, too", "no g++")
        return
    faults = Faults()
    for small in (0, 1):
        faults += [line for source in [*SOURCES, program] for line in
                   compiled([*CXX, *STRICT, f"-DRKH_CFG_TRC_SMALL_EN={small}", "-c", source, "-o",
                             os.path.join(folder, "out.o")])]
    ok(not faults, "the encoder is C++, too", *faults)


def check_refusals(folder):
    """What cannot be is refused by the compiler."""
    program = os.path.join(folder, "program.c")
    faults = Faults()
    for how in ("_TRC_NSEQ_EN=2", "_TRC_SIZEOF_TE_ID=12", "PORT_TRC_SIZEOF_PTR=8", "_TRC_SIZEOF_STREAM=0", "_FWK_MAX_SMA=0"):
        run = subprocess.run([*C99, *STRICT, f"-DRKH_CFG{how}", "-fsyntax-only", program], capture_output=True, text=True)
        if run.returncode == 0 or "#error" not in run.stderr:
            faults.append(f"{how} is taken")
    ok(not faults, "a switch or a width that cannot be is refused", *faults)


def check_needs(folder):
    """Undefined names of all objects together."""
    objects = []
    for source in SOURCES:
        objects.append(os.path.join(folder, os.path.basename(source)[:-2] + ".o"))
        if compiled([*C99, *STRICT, "-Os", "-c", source, "-o", objects[-1]]):
            break
    names = {"U": set(), "T": set()}
    for line in subprocess.run(["nm", *objects], capture_output=True, text=True).stdout.splitlines():
        words = line.split()
        if len(words) >= 2:
            names["U" if words[-2] == "U" else "T"].add(words[-1])
    wanted = names["U"] - names["T"] - {"memcpy", "memset", "_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail"}
    ok(names["T"] and wanted == {"rkh_trc_getts", "rkh_trc_flush"},
       "it needs memcpy, memset, and what the application supplies", f"needed: {sorted(wanted)}")


def check_flash(folder):
    """All of it, assertions of the filters, too, on a Cortex-M0 for size; but what only programs with raw bytes link."""
    if not shutil.which("arm-none-eabi-gcc"):
        skip("the recorder takes at most 1200 bytes on a Cortex-M0", "no arm-none-eabi-gcc")
        return
    objects = []
    faults = Faults()
    for source in [source for source in SOURCES if not source.endswith("rkhtrc_raw.c")]:
        objects.append(os.path.join(folder, os.path.basename(source)[:-2] + ".o"))
        faults += compiled(["arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb", "-Os", "-DRASTRUM_PORT_CORTEX_M", "-std=c99", *STRICT,
                            "-DRKH_CFG_TRC_SIZEOF_STREAM=256", "-DRKH_CFG_FWK_ASSERT_EN=1", "-c", source, "-o",
                            objects[-1]])
    sizes = subprocess.run(["arm-none-eabi-size", "-t", *objects], capture_output=True, text=True).stdout
    total = int(sizes.splitlines()[-1].split()[0]) if not faults else 0
    ok(not faults and total <= 1200, "the recorder takes at most 1200 bytes on a Cortex-M0", *faults, sizes)


def main():
    with tempfile.TemporaryDirectory(prefix="rastrum-rkh-") as folder:
        check_streams(folder)
        check_switches(folder)
        check_within_rkh(folder)
        check_semicolons(folder)
        check_languages(folder)
        check_refusals(folder)
        check_needs(folder)
        check_flash(folder)
    return done()


sys.exit(main())
