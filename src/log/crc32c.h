/* SPDX-License-Identifier: MIT */
/*
 * CRC-32C (Castagnoli; RFC 3720, 12.1). To sum up bytes in parts, pass the result of one part as the crc of
 * the next, and 0 at first. Both ways give the same result. All functions are async-signal-safe and keep no
 * state between calls.
 */
#ifndef LOG_CRC32C_H
#define LOG_CRC32C_H

#include <stddef.h>
#include <stdint.h>

typedef uint32_t crc32c_function(uint32_t crc, const void *bytes, size_t n);

/*
 * Finds the fastest function for this processor. It looks it up each time, so the caller should keep the
 * result.
 */
crc32c_function *crc32c_choose(void);

uint32_t crc32c_by_table(uint32_t crc, const void *bytes, size_t n);

#endif
