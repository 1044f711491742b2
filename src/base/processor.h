/* SPDX-License-Identifier: MIT */
/*
 * What the processor has. The C library has asked it when the program began: CPUID takes microseconds in a virtual machine, and
 * the compiler's own __builtin_cpu_supports() brings a constructor into every program that asks.
 */
#ifndef RST_BASE_PROCESSOR_H
#define RST_BASE_PROCESSOR_H

#include <stdbool.h>

#if defined(__x86_64__) && __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>

static inline bool processor_has_crc32c(void)
{
	return CPU_FEATURE_ACTIVE(SSE4_2);
}

/* Multiplication without carries, and shuffling of bytes. */
static inline bool processor_has_product(void)
{
	return CPU_FEATURE_ACTIVE(PCLMULQDQ) && CPU_FEATURE_ACTIVE(SSSE3);
}
#else
static inline bool processor_has_crc32c(void)
{
	return false;
}

static inline bool processor_has_product(void)
{
	return false;
}
#endif

#endif
