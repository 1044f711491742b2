/* SPDX-License-Identifier: MIT */
/*
 * Cortex-M3 and larger, one core: BASEPRI holds off interrupts of priority RASTRUM_BASEPRI and less urgent
 * ones only, so that the urgent ones (smaller numbers) never wait for a record, and must not record.
 *
 * RASTRUM_BASEPRI is the value of the register, priority shifted up to the implemented bits: with 4 of them
 * and priority 5 it is 0x50. BASEPRI_MAX is written, which can only raise the mask, so locks nest whatever
 * the caller held. The barrier is for Cortex-M7 r0p1 (erratum 837070), where interrupts may still come right
 * after the write.
 */
#ifndef EMBED_PORT_PORT_CORTEX_M_BASEPRI_H
#define EMBED_PORT_PORT_CORTEX_M_BASEPRI_H

#include "embed/port/stamp_cortex_m.h"

#ifndef RASTRUM_BASEPRI
#define RASTRUM_BASEPRI 0x40
#endif

typedef uint32_t rastrum_lock_t;

static inline rastrum_lock_t rastrum_port_lock(void)
{
	uint32_t basepri;

	__asm__ volatile("mrs %0, basepri\n\tmsr basepri_max, %1\n\tisb"
			 : "=&r"(basepri)
			 : "r"(RASTRUM_BASEPRI)
			 : "memory");
	return basepri;
}

static inline void rastrum_port_unlock(rastrum_lock_t basepri)
{
	__asm__ volatile("msr basepri, %0" : : "r"(basepri) : "memory");
}

#define RASTRUM_LOCK(state)   ((void)((state) = rastrum_port_lock()))
#define RASTRUM_UNLOCK(state) rastrum_port_unlock(state)

#endif
