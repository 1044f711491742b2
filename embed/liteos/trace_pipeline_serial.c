/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_pipeline_serial.h"

#if RASTRUM_LITEOS_HAS_SERIAL

#if RASTRUM_LITEOS_HAS_AGENT
UINT32 SerialPipelineInit(VOID)
{
	uart_hwiCreate();
	return LOS_OK;
}

UINT32 SerialDataReceive(UINT8 *data, UINT32 size, UINT32 timeout)
{
	return uart_read(data, size, timeout);
}

UINT32 SerialWait(VOID)
{
	return uart_wait_adapt();
}
#else
UINT32 SerialPipelineInit(VOID)
{
	return LOS_OK;
}

UINT32 SerialDataReceive(UINT8 *data, UINT32 size, UINT32 timeout)
{
	(void)data, (void)size, (void)timeout;
	return LOS_OK;
}

UINT32 SerialWait(VOID)
{
	return LOS_OK;
}
#endif

VOID SerialDataSend(UINT16 len, UINT8 *data)
{
#ifdef RASTRUM_LITEOS_A
	UartPuts((const CHAR *)data, len, TRUE);
#else
	for (UINT32 i = 0; i < len; i++)
		UART_PUTC((CHAR)data[i]);
#endif
}

const TracePipelineOps g_serialOps = { SerialPipelineInit, SerialDataSend, SerialDataReceive, SerialWait };

#else
typedef int trace_pipeline_serial_is_left_out;
#endif
