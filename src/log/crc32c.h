/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli; RFC 3720, 12.1). Bytes in parts: the result of one part is the crc of the next, 0 at first.
 * Both ways give the same; all is async-signal-safe and keeps nothing between calls.
 */
#ifndef LOG_CRC32C_H
#define LOG_CRC32C_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t crc32c_function(uint32_t crc, const void *bytes, size_t n);

/* The fastest way on this processor, which is looked up each time: keep the result. */
crc32c_function *crc32c_choose(void);

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n);

#endif
