/* SPDX-License-Identifier: MIT */
/* One thread, no interrupts that record: nothing to lock. Without a clock of the program all stamps are 0. */
#ifndef EMBED_PORT_PORT_SINGLE_H
#define EMBED_PORT_PORT_SINGLE_H

#include <stdint.h>

typedef uint32_t rastrum_lock_t;

#define RASTRUM_LOCK(state)   ((void)((state) = 0))
#define RASTRUM_UNLOCK(state) ((void)(state))
#ifndef RASTRUM_STAMP
#define RASTRUM_STAMP() UINT32_C(0)
#define RASTRUM_NO_CLOCK
#endif

#endif
