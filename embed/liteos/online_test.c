/* SPDX-License-Identifier: MIT */
/* Messages: states, commands, and what happens to those that do not fit. */
#define RASTRUM_LITEOS_A
#define LOSCFG_RECORDER_MODE_ONLINE
#define LOSCFG_TRACE_TLV_BUF_SIZE 60

#include "embed/liteos/fixture.inc"

#include "embed/core/bytes.c"
#include "embed/liteos/trace_pipeline_ring.c"

static UINT8 ring_memory[1 << 15];
static struct rastrum_bytes ring;

/* How many messages of each type were sent since the last call. */
static void count_sent(unsigned n_sent[TRACE_MSG_MAX])
{
	UINT8 bytes[100];

	memset(n_sent, 0, TRACE_MSG_MAX * sizeof(*n_sent));
	while (rastrum_bytes_take(&ring, bytes, 6) == 6) {
		UINT32 n_body = bytes[2];

		n_sent[bytes[1]]++;
		rastrum_bytes_take(&ring, bytes, n_body);
	}
}

static void is_sent(unsigned notify, unsigned head, unsigned object, unsigned event, const char *sentence)
{
	unsigned n_sent[TRACE_MSG_MAX];

	count_sent(n_sent);
	ok(n_sent[NOTIFY] == notify && n_sent[HEAD] == head && n_sent[OBJ] == object &&
			n_sent[EVENT] == event,
		"%s", sentence);
}

static void states(void)
{
	fixture_check_uninit();
	rastrum_bytes_init(&ring, ring_memory, sizeof(ring_memory));
	rastrum_liteos_pipe_to(&ring);
	is_number(LOS_TraceInit(NULL, 0), 0, "online, no memory is allocated");
	is_number(LOS_TraceInit(NULL, 0), 0x02001400, "but only once");
	fixture_prints(FIXTURE_INITED("1"), "and the state is another");
	LOS_TraceRecordDump(FALSE);
	fixture_prints(FIXTURE_NOT_STOPPED("1"), "a dump is for rings that were stopped");
	LOS_TraceStop();
	LOS_TraceReset();
	LOS_TRACE(HWI_RESPONSE_IN, 5);
	is_sent(0, 0, 0, 0, "before the start nothing is sent");
	fixture_tasks[1] = (LosTaskCB){ 1, 2, "one" };
	fixture_tasks[7] = (LosTaskCB){ 7, 2, "seven" };
	LOS_TraceStart();
	is_sent(1, 1, 2, 0, "a start sends a note, the head and all tasks");
	LOS_TraceStart();
	is_sent(0, 0, 0, 0, "a start of what is started sends nothing");
	LOS_TRACE(TASK_CREATE, 1, 2, 3);
	is_sent(0, 0, 1, 1, "a new task is reported, and is an event");
	LOS_TraceEventMaskSet(TRACE_MEM_FLAG);
	LOS_TRACE(TASK_PRIOSET, 1, 2, 3, 4);
	is_sent(0, 0, 1, 0, "a task is reported whatever the mask");
	LOS_TraceStop();
	is_sent(1, 0, 0, 0, "a stop sends a note");
	LOS_TRACE(TASK_CREATE, 1, 2, 3);
	LOS_TraceStop();
	LOS_TraceRecordDump(FALSE);
	LOS_TraceRecordDump(TRUE);
	is_sent(0, 0, 0, 0, "then nothing is sent, nor dumped");
	ok(!LOS_TraceRecordGet(), "there is no ring");
	fixture_prints("", "and nothing is printed");
	LOS_TraceStart();
	is_sent(1, 1, 2, 1, "it begins again as at first, with the heap as it is");
}

static void client(void)
{
	static const struct {
		const char *bytes;
		unsigned n_bytes;
		unsigned n_notes; /* that are sent */
		const char *sentence;
	} rows[] = {
		{ "\2\0\0\0\0\0\r", 7, 1, "a command stops" },
		{ "\1\0\0\0\0\0\r", 7, 1, "a command starts" },
		{ "\2\0\0\0\0\0\r\n\1\0\0\0\0\0\r\n\2\0\0\0\0\0\r\n", 24, 3,
			"line feeds between commands do no harm" },
		{ "\4\0\0\0\0\0\r", 7, 0, "online a dump is nothing" },
		{ "\0\0\0\0\0\0\r", 7, 0, "so is a command 0" },
		{ "\5\0\0\0\0\0\r", 7, 0, "and one that is not known" },
		{ "\1\0\0\0\0\0\n", 7, 0, "and one with another end" },
		{ "\1\0\0", 3, 0, "and half a one" },
	};
	unsigned n_sent[TRACE_MSG_MAX];

	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		rastrum_liteos_command((const uint8_t *)rows[i].bytes, rows[i].n_bytes);
		count_sent(n_sent);
		is_number(n_sent[NOTIFY], rows[i].n_notes, rows[i].sentence);
	}
	rastrum_liteos_command((const uint8_t *)"\3\x12\x34\x56\x78\0\r", 7);
	is_number(g_traceMask, 0x12345670, "a command sets the mask");
}

/* Bit by bit, as the kernels do it. */
static UINT16 slow_crc(const UINT8 *bytes, size_t n_bytes)
{
	UINT16 crc = 0;

	for (size_t i = 0; i < n_bytes; i++) {
		crc = (UINT16)(crc ^ bytes[i] << CRC_WIDTH);
		for (unsigned bit = 0; bit < CRC_WIDTH; bit++)
			crc = (UINT16)(crc & CRC_TOPBIT ? crc << 1 ^ CRC_POLY : crc << 1);
	}
	return crc;
}

static void checksums(void)
{
	UINT8 bytes[300];
	UINT32 seed = 1;
	bool is_right = true;

	for (unsigned round = 0; round < 20; round++)
		for (UINT32 n = 0; n <= sizeof(bytes); n++) {
			for (UINT32 i = 0; i < n; i++)
				bytes[i] = (UINT8)((seed = seed * 1103515245 + 12345) >> 16);
			is_right &= CalcCrc16(bytes, n) == slow_crc(bytes, n);
		}
	ok(is_right, "the checksum is that of the bitwise definition, for every length");
	is_number(CalcCrc16((const UINT8 *)"123456789", 9), 0x31c3, "and has its check value");
}

static void encoding(void)
{
	static const TlvTable table[] = { { 1, 0, 4 }, { 9, 0, 0 }, { 2, 4, 8 }, { 3, 12, 3 },
		{ TRACE_TLV_TYPE_NULL, 0, 0 } };
	static const UINT8 body[] = { 1, 4, 0, 1, 2, 3, 2, 8, 4, 5, 6, 7, 8, 9, 10, 11, 3, 3, 12, 13, 14 };
	static const UINT32 lengths[] = { 0, 6, 16, 21 }; /* of whole elements */
	UINT8 value[16], message[6 + sizeof(body) + 1];
	UINT32 n_cut = g_traceTlvCut;
	bool is_right = true;

	for (unsigned i = 0; i < sizeof(value); i++)
		value[i] = (UINT8)i;
	for (INT32 n_room = 0; n_room <= (INT32)sizeof(body); n_room++) {
		unsigned n_elements = 3;
		UINT32 n_got = OsTraceDataEncode(2, table, value, message, 6 + n_room);

		while (lengths[n_elements] > (UINT32)n_room)
			n_elements--;
		is_right &= n_got == (n_room ? 6 + lengths[n_elements] : 0);
		is_right &= n_room == 0 ||
			    (message[0] == 0xff && message[1] == 2 && message[2] == lengths[n_elements] &&
				    memcmp(message + 6, body, lengths[n_elements]) == 0);
	}
	ok(is_right, "elements that fit are in the message, those of no bytes are not");
	is_number(g_traceTlvCut - n_cut, sizeof(body) - 1, "messages that had to leave some out are counted");
	is_number(OsTraceDataEncode(0, NULL, value, message, 20), 0, "without a table there is no message");
}

/* 60 bytes are too few for liteos_a's events with words of 64 bits. */
static void too_long(void)
{
	UINT32 n_lost = rastrum_liteos_lost();
	unsigned n_sent[TRACE_MSG_MAX];
	UINT8 bytes[200] = { 0 };

	LOS_TraceEventMaskSet(0xffffffff);
	LOS_TraceStart();
	count_sent(n_sent);
	LOS_TRACE(SEM_PEND, 1, 2, 3);
	is_sent(0, 0, 0, 1, "an event that is too long is sent without its last elements");
	ok(rastrum_liteos_lost() > n_lost, "and counted");
	n_lost = rastrum_liteos_lost();
	OsTraceDataSend(EVENT, 61, bytes);
	OsTraceDataSend(TRACE_MSG_MAX, 4, bytes);
	is_sent(0, 0, 0, 0, "a structure that is longer than the room is not sent, nor an unknown one");
	is_number(rastrum_liteos_lost(), n_lost + 2, "and both are counted");
}

int main(void)
{
	checksums();
	encoding();
	states();
	client();
	too_long();
	return tap_done();
}
