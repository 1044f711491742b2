/* SPDX-License-Identifier: MIT */
/*
 * Memory that another process can take away. A process that traces one of another user maps files which that
 * user may truncate; a load from a missing page would raise SIGBUS. In guarded memory it reads zeros instead,
 * from then on: such a stream is damaged, but its controller lives. The program's SIGBUS handler is replaced
 * when the first memory is guarded; the old one is called for faults elsewhere. A program that sets a handler
 * later gets these faults.
 */
#ifndef RENDEZVOUS_GUARD_H
#define RENDEZVOUS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define GUARD_RANGES 256

/* Guards the mapping that begins there. Returns false if there are too many. */
bool guard_add(void *memory, size_t bytes);
/* Before it is unmapped; no thread uses it any more. */
void guard_drop(void *memory);
/* Whether a page of it was missing. */
bool guard_is_spoiled(const void *memory);

#endif
