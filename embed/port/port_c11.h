/* SPDX-License-Identifier: MIT */
/*
 * Several cores with C11 atomics. A core first holds its own interrupts off, then spins for the one lock; the
 * owner's number lets it enter again. The program defines these before it includes any header of the
 * recorder:
 *
 *      RASTRUM_CORE()          the number of this core
 *      RASTRUM_N_CORES         how many there are
 *      RASTRUM_MASK(state)     statement: saves in an unsigned long and holds off what may record on this core
 *      RASTRUM_UNMASK(state)   statement: as before
 *      RASTRUM_STAMP()         one counter for all cores, or else the function rastrum_port_stamp()
 *
 * Where nothing interrupts, the two masks may be left out. port_c11.c has the code.
 */
#ifndef EMBED_PORT_PORT_C11_H
#define EMBED_PORT_PORT_C11_H

#include <stdint.h>

#ifndef RASTRUM_MASK
#define RASTRUM_MASK(state)   ((void)((state) = 0))
#define RASTRUM_UNMASK(state) ((void)(state))
#endif

typedef struct {
	unsigned long mask;
	uint32_t is_nested;
} rastrum_lock_t;

#ifdef __cplusplus
extern "C" {
#endif

/* Whether this core had it already. The caller holds off what may interrupt it. */
uint32_t rastrum_port_enter(uint32_t core);
void rastrum_port_leave(uint32_t is_nested);

uint32_t rastrum_port_stamp(void);

#ifdef __cplusplus
}
#endif

#ifndef RASTRUM_STAMP
#define RASTRUM_STAMP() rastrum_port_stamp()
#endif
#define RASTRUM_LOCK(state)                                             \
	do {                                                            \
		RASTRUM_MASK((state).mask);                             \
		(state).is_nested = rastrum_port_enter(RASTRUM_CORE()); \
	} while (0)
#define RASTRUM_UNLOCK(state)                          \
	do {                                           \
		rastrum_port_leave((state).is_nested); \
		RASTRUM_UNMASK((state).mask);          \
	} while (0)

#endif
