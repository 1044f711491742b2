/* SPDX-License-Identifier: MIT */
/*
 * Ours: a pipeline into a ring of bytes (core/bytes.h), which a main loop or a task empties onto the link. No
 * interrupt waits for the link, and a message is in the ring whole or counted by rastrum_bytes_lost().
 *
 *      rastrum_bytes_init(&ring, memory, sizeof(memory));
 *      rastrum_liteos_pipe_to(&ring);
 *      LOS_TraceInit(NULL, 0);
 *      LOS_TraceStart();
 *      while ((n = rastrum_bytes_peek(&ring, &bytes)))
 *              uart_send(bytes, n), rastrum_bytes_drop(&ring, n);
 */
#ifndef EMBED_LITEOS_TRACE_PIPELINE_RING_H
#define EMBED_LITEOS_TRACE_PIPELINE_RING_H

#include "embed/core/bytes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The ring stays the caller's; one at a time. */
void rastrum_liteos_pipe_to(struct rastrum_bytes *ring);

/* Takes the bytes of a command from a client, all or a part, and calls OsTraceAgentStep() for them. */
void rastrum_liteos_command(const uint8_t *bytes, uint32_t n_bytes);

#ifdef __cplusplus
}
#endif

#endif
