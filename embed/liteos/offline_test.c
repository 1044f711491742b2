/* SPDX-License-Identifier: MIT */
/*
 * The ring of liteos_a on this machine: states, what is kept of events, and the defects that are put right.
 */
#define RASTRUM_LITEOS_A
#define LOSCFG_TRACE_FRAME_CORE_MSG
#define LOSCFG_TRACE_FRAME_EVENT_COUNT
#define LOSCFG_TRACE_OBJ_MAX_NUM 3
#define RASTRUM_STAMP()		 (stamp_now += 10)

#include <stdint.h>

static uint32_t stamp_now;

#include "embed/liteos/fixture.inc"

#define MOTOR				0x4001
#define MOTOR_PARAMS(motor, turn, load) motor, turn, load

enum { N_BYTES = 24 + 3 * 40 + 4 * sizeof(TraceEventFrame) + 5 };

static UINT64 memory[N_BYTES / 8 + 2];
static unsigned n_hook_calls, n_evaluated;

/* The frame that was recorded as the n-th, from 0 on, or none. */
static const TraceEventFrame *frame_at(UINT32 n)
{
	const OfflineHead *head = LOS_TraceRecordGet();
	const UINT8 *bytes = (const UINT8 *)head;

	return (const TraceEventFrame *)(const void *)(bytes + head->frameOffset) + n;
}

static const ObjData *object_at(UINT32 n)
{
	const UINT8 *bytes = (const UINT8 *)LOS_TraceRecordGet();

	return (const ObjData *)(const void *)(bytes + sizeof(OfflineHead)) + n;
}

static UINT32 n_frames(void)
{
	return g_traceRecoder.ctrl.curIndex;
}

static bool is_frame(
	UINT32 n, UINT32 type, UINTPTR identity, UINT32 n_params, UINTPTR a, UINTPTR b, UINTPTR c)
{
	const TraceEventFrame *frame = frame_at(n);

	return n_frames() == n + 1 && frame->eventType == type && frame->identity == identity &&
	       frame->core.paramCount == n_params && frame->params[0] == a && frame->params[1] == b &&
	       frame->params[2] == c;
}

static void states(void)
{
	fixture_check_uninit();
	is_number(
		LOS_TraceInit(memory, 24 + 3 * 40), 0x02001402, "a ring without room for a frame is refused");
	fixture_prints("[ERR][KProcess:IdleCore000]trace buf size not enough than 0x90\n",
		"and prints what it needs");
	is_number(LOS_TraceInit(memory, 24 + 3 * 40 + 1), 0x02001402,
		"also with some room, but not for a frame");
	fixture_printed.n_bytes = 0;
	is_number(LOS_TraceInit(NULL, 0x200000), 0x02001401, "there may be no memory");
	fixture_prints("", "which is not printed");
	is_number(LOS_TraceInit((UINT8 *)memory + 3, N_BYTES + 5), 0, "memory that is not aligned will do");
	is_number(LOS_TraceInit(memory, N_BYTES), 0x02001400, "once");
	fixture_prints(FIXTURE_INITED("2"), "and prints the state");
	ok((uintptr_t)LOS_TraceRecordGet() % 8 == 0 && LOS_TraceRecordGet()->totalLen == N_BYTES,
		"the ring is aligned in it");
	is_number(g_traceRecoder.ctrl.maxRecordCount, 4, "it has as many frames as there is room for");
	LOS_TraceRecordDump(TRUE);
	fixture_prints(FIXTURE_NOT_STOPPED("2"), "while it records, there is no dump");
	is_number(LOS_TraceStart(), 0, "a start while it records is nothing");
	is_number(n_frames(), 0, "and records nothing");
	LOS_TraceStop();
	is_number(LOS_TraceInit(memory, N_BYTES), 0x02001400, "a stop changes nothing of that");
	fixture_prints(FIXTURE_INITED("3"), "but the state");
	LOS_TRACE(HWI_RESPONSE_IN, 5);
	is_number(n_frames(), 0, "while stopped, nothing is recorded");
	LOS_TraceEventMaskSet(TRACE_MEM_FLAG);
	LOS_TraceStart();
	ok(is_frame(0, MEM_INFO, 0x1000, 2, 0x1001, 0x1002, 0), "a start reads the use of the heap");
	LOS_TraceReset();
	is_number(n_frames(), 0, "a reset clears frames, also while it records");
}

static BOOL hook(UINT32 hwiNum)
{
	n_hook_calls++;
	return hwiNum == 40;
}

static UINT32 evaluated(UINT32 value)
{
	n_evaluated++;
	return value;
}

static void masks(void)
{
	static const struct {
		UINT32 mask;
		bool has_user, has_hwi, has_own;
	} rows[] = { { 0, 0, 0, 0 }, { 0xf, 0, 0, 0 }, { TRACE_MAX_FLAG, 1, 0, 0 },
		{ TRACE_HWI_FLAG | 0xf, 1, 1, 0 }, { 0x4000, 1, 0, 1 },
		{ TRACE_USER_DEFAULT_FLAG, 1, 1, 1 } };

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		UINT32 n_expected = (UINT32)rows[i].has_user + rows[i].has_hwi + rows[i].has_own;

		LOS_TraceReset();
		LOS_TraceEventMaskSet(rows[i].mask);
		n_evaluated = 0;
		LOS_TRACE_EASY(3, evaluated(1));
		LOS_TRACE(HWI_RESPONSE_IN, evaluated(5));
		LOS_TRACE(MOTOR, evaluated(1), 2, 3);
		ok(n_frames() == n_expected && n_evaluated == n_expected,
			"mask %#x lets pass what it should, and only of that arguments are evaluated",
			rows[i].mask);
	}
}

static void filters(void)
{
	LOS_TraceReset();
	LOS_TraceHwiFilterHookReg(hook);
	LOS_TRACE(HWI_RESPONSE_IN, 40);
	LOS_TRACE(HWI_ENABLE, 40);
	LOS_TRACE(HWI_RESPONSE_IN, 33);
	LOS_TRACE(HWI_RESPONSE_IN, 0xff);
	ok(n_frames() == 0 && n_hook_calls == 4,
		"interrupts that the hook or the board do not want are left out");
	LOS_TRACE(HWI_RESPONSE_IN, 41);
	ok(n_frames() == 1 && n_hook_calls == 5, "others are recorded");
	LOS_TraceHwiFilterHookReg(NULL);
	LOS_TRACE(HWI_RESPONSE_IN, 40);
	ok(n_frames() == 2 && n_hook_calls == 5, "and all without the hook");
}

static void events(void)
{
	INT32 minus = -1;

	LOS_TraceReset();
	LOS_TRACE(MOTOR, 7, minus ? 8u : 9u, 10);
	ok(is_frame(0, MOTOR, 7, 2, 8, 10, 0), "an event of one's own has its arguments");
	LOS_TRACE_EASY(0x13, &memory, 1, 2, 3, 4, 5);
	ok(is_frame(1, 0xfffffff3, (uintptr_t)&memory, 3, 1, 2, 3),
		"a user event keeps what there is room for");
	LOS_TRACE(TASK_SIGNAL, 1, 2, 3);
	is_number(n_frames(), 2, "an event whose macro keeps nothing is none");
	LOS_TRACE(MEM_INFO_REQ, 0x2000);
	ok(is_frame(2, MEM_INFO, 0x2000, 2, 0x2001, 0x2002, 0), "a question to a pool is its answer");
	ok(frame_at(2)->eventCount == frame_at(0)->eventCount + 2 &&
			frame_at(1)->eventCount == frame_at(0)->eventCount + 1,
		"events are counted");
	stamp_now = UINT32_MAX - 4;
	LOS_TRACE_EASY(1, 1);
	ok(frame_at(3)->curTime >> 32 == (frame_at(2)->curTime >> 32) + 1 &&
			(UINT32)frame_at(3)->curTime == stamp_now,
		"time goes on where the counter wraps");
	is_number(rastrum_liteos_lost(), 0, "a full ring has lost nothing");
	for (unsigned i = 0; i < 10; i++)
		LOS_TRACE_EASY(1, 1);
	is_number(rastrum_liteos_lost(), 10, "then each event costs one");
}

static void objects(void)
{
	fixture_tasks[5] = (LosTaskCB){ 5, 11, "a_task_whose_name_has_more_than_31_letters" };
	fixture_tasks[6] = (LosTaskCB){ 6, 12, NULL };
	fixture_task = 5;
	LOS_TraceEventMaskSet(TRACE_TASK_FLAG);
	LOS_TraceReset();
	LOS_TRACE(TASK_CREATE, 5, 0, 11);
	ok(is_frame(0, TASK_CREATE, 0x10005, 2, 0, 11, 0) && frame_at(0)->curTask == 0x10005,
		"a new task has a new generation");
	ok(object_at(0)->id == 0x10005 && object_at(0)->prio == 11 &&
			strcmp(object_at(0)->name, "a_task_whose_name_has_more_than") == 0,
		"and its name is reported, as much of it as fits");
	fixture_tasks[5].priority = 4;
	LOS_TRACE(TASK_PRIOSET, 5, 0, 11, 4);
	ok(is_frame(1, TASK_PRIOSET, 0x10005, 3, 0, 11, 4) && object_at(1)->id == 0x10005 &&
			object_at(1)->prio == 4,
		"a new priority is reported, but the task is the same");
	LOS_TraceEventMaskSet(0);
	LOS_TRACE(TASK_CREATE, 6, 0, 12);
	LOS_TRACE(TASK_CREATE, 5, 0, 12);
	LOS_TRACE(TASK_CREATE, 5, 0, 12);
	ok(object_at(2)->id == 0x20005 && object_at(0)->id == 0x30005 && n_frames() == 2,
		"names are reported whatever the mask, the oldest is written over, and an unknown task has "
		"none");
	fixture_task = 200;
	LOS_TraceEventMaskSet(TRACE_SEM_FLAG);
	LOS_TRACE(SEM_POST, 1, 0, 2);
	is_number(frame_at(2)->curTask, 200, "ids beyond the table are as they are");
}

/* Made elsewhere. */
static void whole_frames(void)
{
	TraceEventFrame frame = { .eventType = 0x77 };

	LOS_TraceReset();
	OsTraceWriteOrSendEvent(&frame);
	ok(n_frames() == 1 && frame_at(0)->eventType == 0x77, "a whole frame can be put into the ring");
}

static void device(void)
{
	UsrEventInfo info = { 0x1234, 9, { 1, 2, 3 } };
	UINT8 bytes[N_BYTES];

	LOS_TraceReset();
	LOS_TraceEventMaskSet(TRACE_MAX_FLAG);
	is_number((unsigned)rastrum_liteos_device_write(&info, sizeof(info)), sizeof(info),
		"the device takes an event");
	ok(is_frame(0, 0xfffffff4, 9, 3, 1, 2, 3), "whose low four bits are the core");
	ok(rastrum_liteos_device_write(&info, sizeof(info) - 1) == -22, "but no half one");
	is_number((unsigned)rastrum_liteos_device_read(bytes, N_BYTES - N_BYTES % 4), N_BYTES - N_BYTES % 4,
		"it gives the ring");
	ok(memcmp(bytes, LOS_TraceRecordGet(), 100) == 0 && rastrum_liteos_device_read(bytes, 7) == -22,
		"from its beginning, in whole words");
	ok(rastrum_liteos_device_control(TRACE_STOP, 0) == 0 && g_traceState == TRACE_STOPED &&
			rastrum_liteos_device_control(TRACE_SET_MASK, 0x7f) == 0 && g_traceMask == 0x70 &&
			rastrum_liteos_device_control(TRACE_RESET, 0) == 0 && n_frames() == 0 &&
			rastrum_liteos_device_control(TRACE_START, 0) == 0 && g_traceState == TRACE_STARTED &&
			rastrum_liteos_device_control(TRACE_DUMP, 0) == 0 && fixture_printed.n_bytes &&
			rastrum_liteos_device_control(TRACE_DUMP + 2, 0) == -22 && DevTraceRegister() == -1,
		"it controls the recorder");
	fixture_printed.n_bytes = 0;
}

static void shell(void)
{
	static const CHAR *const words[] = { "0x20", "20", "", "0x", "1x", "0x1ffffffff", "4294967296",
		"4294967295" };
	static const UINT32 masks[] = { 0x20, 0x10, 1, 1, 1, 1, 1, 0xfffffff0 };
	const CHAR *two[] = { "1", "1" };
	bool is_right = true;

	for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const CHAR *word = words[i];

		is_right &= OsShellCmdTraceSetMask(1, &word) == (masks[i] == 1 ? UINT32_MAX : LOS_OK);
		is_right &= masks[i] == 1 || g_traceMask == masks[i];
	}
	ok(is_right, "the shell's mask is a decimal or hexadecimal number of 32 bits");
	ok(OsShellCmdTraceSetMask(0, NULL) == LOS_OK && g_traceMask == 0x60, "and without one that at first");
	ok(OsShellCmdTraceSetMask(2, two) == UINT32_MAX && OsShellCmdTraceDump(2, two) == UINT32_MAX,
		"two words are too many");
	LOS_TraceStop();
	fixture_printed.n_bytes = 0;
	ok(OsShellCmdTraceDump(0, NULL) == LOS_OK && fixture_printed.n_bytes > 500,
		"a dump without a word is text");
	fixture_printed.n_bytes = 0;
	ok(OsShellCmdTraceDump(1, two) == LOS_OK && fixture_printed.n_bytes == 0,
		"and with 1 it is messages");
}

int main(void)
{
	states();
	masks();
	filters();
	events();
	objects();
	whole_frames();
	device();
	shell();
	return tap_done();
}
