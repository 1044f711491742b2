/* SPDX-License-Identifier: MIT */
/*
 * Memory that another process can take away. Who traces a process of another user maps files that it may truncate; a load
 * from what is missing would be a SIGBUS. Inside guarded memory it reads zeros instead, from then on: such a stream is
 * spoiled, its controller lives. Needs the program's SIGBUS handler: it is set when the first memory is guarded, and what
 * was set before is called for faults elsewhere. A program that sets one itself later gets these faults.
 */
#ifndef RENDEZVOUS_GUARD_H
#define RENDEZVOUS_GUARD_H

#include <stdbool.h>
#include <stddef.h>

#define GUARD_RANGES 256

/* The mapping that begins there. False: there are too many. */
bool guard_add(void *memory, size_t bytes);
/* Before it is unmapped; nobody uses it any more. */
void guard_drop(void *memory);
/* Whether something of it was missing. */
bool guard_is_spoiled(const void *memory);

#endif
