/* SPDX-License-Identifier: MIT */
/*
 * The check of an online message's body: CRC-16/XMODEM (polynomial 0x1021, first value 0, highest bit first, nothing
 * reflected or inverted at the end).
 */
#ifndef LITEOS_CRC_H
#define LITEOS_CRC_H

#include <stddef.h>
#include <stdint.h>

/* Sixteen bytes a step, by products without carries where the processor has them, otherwise by tables. */
uint16_t liteos_crc(const uint8_t *bytes, size_t n_bytes);

/* The same by tables on every processor. */
uint16_t liteos_crc_by_table(const uint8_t *bytes, size_t n_bytes);

/* The same bit by bit, as the kernel has it: what the quick ones are tested against. */
uint16_t liteos_crc_plain(const uint8_t *bytes, size_t n_bytes);

#endif
