/* SPDX-License-Identifier: MIT */
/* The stamp of both ports for Cortex-M; port_cortex_m.h says how to start the counter. */
#ifndef EMBED_PORT_STAMP_CORTEX_M_H
#define EMBED_PORT_STAMP_CORTEX_M_H

#include <stdint.h>

#ifndef RASTRUM_STAMP
#if defined(__ARM_ARCH_7M__) || defined(__ARM_ARCH_7EM__) || defined(__ARM_ARCH_8M_MAIN__) || \
	defined(__ARM_ARCH_8_1M_MAIN__) /* what clang says of Cortex-M55 */
#define RASTRUM_STAMP() (*(const volatile uint32_t *)0xe0001004)
#else
#ifdef __cplusplus
extern "C"
#endif
	uint32_t
	rastrum_port_stamp(void);
#define RASTRUM_STAMP() rastrum_port_stamp()
#endif
#endif

#endif
