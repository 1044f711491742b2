/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_pipeline_ring.h"

#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_pipeline.h"

static struct rastrum_bytes *pipe_ring;
static const uint8_t *command_bytes;
static uint32_t n_command_bytes;

static UINT32 pipe_init(VOID)
{
	return LOS_OK;
}

static VOID pipe_send(UINT16 len, UINT8 *data)
{
	rastrum_bytes_put(pipe_ring, data, len);
}

static UINT32 pipe_receive(UINT8 *data, UINT32 size, UINT32 timeout)
{
	uint32_t n_bytes = size < n_command_bytes ? size : n_command_bytes;

	(void)timeout;
	rastrum_memcpy(data, command_bytes, n_bytes);
	command_bytes += n_bytes;
	n_command_bytes -= n_bytes;
	return (UINT32)n_bytes;
}

static UINT32 pipe_wait(VOID)
{
	return LOS_OK;
}

static const TracePipelineOps pipe_ops = { pipe_init, pipe_send, pipe_receive, pipe_wait };

void rastrum_liteos_pipe_to(struct rastrum_bytes *ring)
{
	pipe_ring = ring;
	OsTracePipelineReg(&pipe_ops);
}

void rastrum_liteos_command(const uint8_t *bytes, uint32_t n_bytes)
{
	command_bytes = bytes;
	n_command_bytes = n_bytes;
	while (n_command_bytes)
		OsTraceAgentStep();
}
