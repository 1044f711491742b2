/* SPDX-License-Identifier: MIT */
/* The little that the programs need of a board. */
#ifndef EMBED_CHECK_BOARD_H
#define EMBED_CHECK_BOARD_H

#include <stdint.h>

/* Starts the clock of board_stamp(). */
void board_start(void);

/* Counts on for ever, wraps at 2^32. */
uint32_t board_stamp(void);

/* Lets the device interrupt in n_ticks, and again and again; board_timer_done() comes before its handler. */
void board_timer_start(uint32_t n_ticks);
void board_timer_done(void);
void board_timer_stop(void);

/*
 * The time to the next interrupt begins with this call, at the end of the handler: slow handlers leave time
 * for what they interrupt.
 */
void board_timer_again(void);

/* The same of a second source, whose handler the device may interrupt. */
void board_tick_start(uint32_t n_ticks);
void board_tick_done(void);
void board_tick_stop(void);
void board_tick_again(void);

/* Time for counting instructions, which under qemu -icount is their number; counts up, modulo 2^24. */
void board_counter_start(void);
uint32_t board_counter(void);

#endif
