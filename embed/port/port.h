/* SPDX-License-Identifier: MIT */
/*
 * The recorder needs only this from a target:
 *
 *      rastrum_lock_t          the type of what a lock saves
 *      RASTRUM_LOCK(state)     enters and saves into the variable `state`. Nests, also from interrupts that may record
 *      RASTRUM_UNLOCK(state)   leaves
 *      RASTRUM_STAMP()         the time: a uint32_t that counts on and wraps at 2^32; asked for inside the lock only
 *      RASTRUM_CORE()          the number of this core; 0 where there is only one
 *      RASTRUM_N_CORES         how many there are; 1 leaves all code for more out
 *
 * The program's settings choose the port: RASTRUM_PORT_H names a header of its own
 * (-DRASTRUM_PORT_H='"my_port.h"'), or one of the macros below chooses one of ours. They are given with -D
 * or, together with all other settings, in one header that all files of the recorder include:
 * -DRASTRUM_CONFIG_H='"my_config.h"'. RASTRUM_STAMP may always be defined before. Recorders are structures in
 * the program's memory; all of them share one lock.
 */
#ifndef EMBED_PORT_PORT_H
#define EMBED_PORT_PORT_H

#include <stddef.h>
#include <stdint.h>

#ifdef RASTRUM_CONFIG_H
#include RASTRUM_CONFIG_H
#endif

#if defined(RASTRUM_PORT_H)
#include RASTRUM_PORT_H
#elif defined(RASTRUM_PORT_CORTEX_M)
#include "embed/port/port_cortex_m.h"
#elif defined(RASTRUM_PORT_CORTEX_M_BASEPRI)
#include "embed/port/port_cortex_m_basepri.h"
#elif defined(RASTRUM_PORT_RISCV)
#include "embed/port/port_riscv.h"
#elif defined(RASTRUM_PORT_PTHREAD)
#include "embed/port/port_pthread.h"
#elif defined(RASTRUM_PORT_C11)
#include "embed/port/port_c11.h"
#else
#include "embed/port/port_single.h"
#endif

#ifndef RASTRUM_CORE
#define RASTRUM_CORE() UINT32_C(0)
#endif
#ifndef RASTRUM_N_CORES
#define RASTRUM_N_CORES 1
#endif
#define RASTRUM_LOCK_STATE rastrum_lock_t

#endif
