/* SPDX-License-Identifier: MIT */
/*
 * Cortex-M, one core: PRIMASK holds all interrupts but NMI and HardFault off while a record is written; these
 * two must not record. Works on every Cortex-M, also in unprivileged code that never records (CPSID is
 * ignored there).
 *
 * The stamp is the cycle counter of the debug unit (DWT CYCCNT, Armv7-M and Armv8-M Main), which the program
 * starts:
 *
 *      *(volatile uint32_t *)0xe000edfc |= 1u << 24;   TRCENA in DEMCR
 *      *(volatile uint32_t *)0xe0001000 |= 1;          CYCCNTENA in DWT_CTRL
 *
 * Cortex-M0, M0+ and M23 have no such counter: there the program defines RASTRUM_STAMP, or the function
 * rastrum_port_stamp().
 */
#ifndef EMBED_PORT_PORT_CORTEX_M_H
#define EMBED_PORT_PORT_CORTEX_M_H

#include "embed/port/stamp_cortex_m.h"

typedef uint32_t rastrum_lock_t;

static inline rastrum_lock_t rastrum_port_lock(void)
{
	uint32_t primask;

	__asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(primask) : : "memory");
	return primask;
}

static inline void rastrum_port_unlock(rastrum_lock_t primask)
{
	__asm__ volatile("msr primask, %0" : : "r"(primask) : "memory");
}

#define RASTRUM_LOCK(state)   ((void)((state) = rastrum_port_lock()))
#define RASTRUM_UNLOCK(state) rastrum_port_unlock(state)

#endif
