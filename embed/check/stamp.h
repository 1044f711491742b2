/* SPDX-License-Identifier: MIT */
/*
 * Included before everything else: the clock. Where instructions are counted, a word stands for a counter's
 * register.
 */
#ifndef EMBED_CHECK_STAMP_H
#define EMBED_CHECK_STAMP_H

#include <stdint.h>

#ifdef CHECK_COUNT
extern volatile uint32_t check_ticks;
#define RASTRUM_STAMP() (check_ticks)
#else
uint32_t board_stamp(void);
#define RASTRUM_STAMP() board_stamp()
#endif

#endif
