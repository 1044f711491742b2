/* SPDX-License-Identifier: MIT */
/* Commands of a client: seven bytes, the last one a carriage return. Nothing is answered. */
#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

enum { COMMAND_BYTES = sizeof(TraceClientCmd), LINE_FEED = 0x0a };

static VOID command_start(const TraceClientCmd *msg)
{
	(void)msg;
	LOS_TraceStart();
}

static VOID command_stop(const TraceClientCmd *msg)
{
	(void)msg;
	LOS_TraceStop();
}

static VOID command_mask(const TraceClientCmd *msg)
{
	LOS_TraceEventMaskSet(TRACE_MASK_COMBINE(msg->param1, msg->param2, msg->param3, msg->param4));
}

static VOID command_dump(const TraceClientCmd *msg)
{
	(void)msg;
	LOS_TraceRecordDump(TRUE);
}

static VOID (*const commands[TRACE_CMD_MAX_CODE])(
	const TraceClientCmd *msg) = { NULL, command_start, command_stop, command_mask, command_dump };

BOOL OsTraceCmdIsValid(const TraceClientCmd *msg)
{
	return msg->end == TRACE_CMD_END_CHAR && msg->cmd < TRACE_CMD_MAX_CODE;
}

VOID OsTraceCmdHandle(const TraceClientCmd *msg)
{
	if (OsTraceCmdIsValid(msg) && commands[msg->cmd] != NULL)
		commands[msg->cmd](msg);
}

/*
 * LiteOS Studio sends a line feed behind each command. Drivers are meant to take it away; where one does not,
 * it stands in front of the next command, whose last byte is still to come.
 */
VOID OsTraceAgentStep(VOID)
{
	UINT8 bytes[COMMAND_BYTES + 1] = { 0 };
	TraceClientCmd msg;
	UINT32 n_skipped;

	OsTraceDataWait();
	OsTraceDataRecv(bytes, COMMAND_BYTES, 0);
	n_skipped = bytes[0] == LINE_FEED;
	if (n_skipped)
		OsTraceDataRecv(bytes + COMMAND_BYTES, 1, 0);
	rastrum_memcpy(&msg, bytes + n_skipped, COMMAND_BYTES);
	OsTraceCmdHandle(&msg);
}

VOID TraceAgent(VOID)
{
	for (;;)
		OsTraceAgentStep();
}
