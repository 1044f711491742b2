/* SPDX-License-Identifier: MIT */
/*
 * The CRC of LiteOS's messages, and of compact blocks, which begin it differently. It is CRC-16/XMODEM:
 * polynomial 0x1021, first value 0, highest bit first. The result is neither reflected nor inverted.
 */
#ifndef BASE_CRC16_H
#define BASE_CRC16_H

#include <stddef.h>
#include <stdint.h>

/*
 * Takes sixteen bytes per step, by products without carries if the processor has them, otherwise by tables.
 */
uint16_t crc16(const uint8_t *bytes, size_t n_bytes);

/* Returns the function that crc16() calls on this processor, for callers that check many short messages. */
typedef uint16_t crc16_way(const uint8_t *bytes, size_t n_bytes);
crc16_way *crc16_best(void);

/* The same by tables on every processor. */
uint16_t crc16_by_table(const uint8_t *bytes, size_t n_bytes);

/* The same bit by bit, as in LiteOS. Tests compare the fast functions with it. */
uint16_t crc16_plain(const uint8_t *bytes, size_t n_bytes);

#endif
