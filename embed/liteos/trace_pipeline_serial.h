/* SPDX-License-Identifier: MIT */
/*
 * The pipeline of LiteOS: a serial line (LOSCFG_TRACE_PIPELINE_SERIAL). The board gives what its kernel
 * would: for sending UartPuts(), or uart_putc() outside liteos_a; for commands, with
 * LOSCFG_TRACE_CONTROL_AGENT, the three others.
 */
#ifndef EMBED_LITEOS_TRACE_PIPELINE_SERIAL_H
#define EMBED_LITEOS_TRACE_PIPELINE_SERIAL_H

#include "embed/liteos/trace_pipeline.h"

#if defined(LOSCFG_TRACE_CONTROL_AGENT) && RASTRUM_LITEOS_IS_SET(LOSCFG_TRACE_CONTROL_AGENT)
#define RASTRUM_LITEOS_HAS_AGENT 1
#else
#define RASTRUM_LITEOS_HAS_AGENT 0
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef RASTRUM_LITEOS_A
VOID UartPuts(const CHAR *s, UINT32 len, BOOL isLock);
#else
VOID uart_putc(CHAR c);
#define UART_PUTC(c) uart_putc(c)
#endif
VOID uart_hwiCreate(VOID);
UINT32 uart_read(UINT8 *buf, UINT32 len, UINT32 timeout);
UINT32 uart_wait_adapt(VOID);

UINT32 SerialPipelineInit(VOID);
VOID SerialDataSend(UINT16 len, UINT8 *data);
UINT32 SerialDataReceive(UINT8 *data, UINT32 size, UINT32 timeout);
UINT32 SerialWait(VOID);

extern const TracePipelineOps g_serialOps;

#ifdef __cplusplus
}
#endif

#endif
