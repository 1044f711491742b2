/* SPDX-License-Identifier: MIT */
/*
 * RISC-V in machine mode, one hart: mstatus.MIE is cleared in the same instruction that reads it (privileged
 * specification, 3.1.6.1). The stamp is the low word of mcycle. Needs zicsr, which compilers of 2022 and
 * later need as an option: -march=rv32imac_zicsr.
 */
#ifndef EMBED_PORT_PORT_RISCV_H
#define EMBED_PORT_PORT_RISCV_H

#include <stdint.h>

#define RASTRUM_PORT_MIE "8" /* mstatus, bit 3 */

typedef unsigned long rastrum_lock_t;

static inline rastrum_lock_t rastrum_port_lock(void)
{
	unsigned long mstatus;

	__asm__ volatile("csrrci %0, mstatus, " RASTRUM_PORT_MIE : "=r"(mstatus) : : "memory");
	return mstatus & 8;
}

static inline void rastrum_port_unlock(rastrum_lock_t mie)
{
	__asm__ volatile("csrs mstatus, %0" : : "r"(mie) : "memory");
}

#ifndef RASTRUM_STAMP
static inline uint32_t rastrum_port_stamp(void)
{
	unsigned long mcycle;

	__asm__ volatile("csrr %0, mcycle" : "=r"(mcycle));
	return (uint32_t)mcycle;
}
#define RASTRUM_STAMP() rastrum_port_stamp()
#endif

#define RASTRUM_LOCK(state)   ((void)((state) = rastrum_port_lock()))
#define RASTRUM_UNLOCK(state) rastrum_port_unlock(state)

#endif
