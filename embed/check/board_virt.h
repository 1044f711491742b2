/* SPDX-License-Identifier: MIT */
#ifndef EMBED_CHECK_BOARD_VIRT_H
#define EMBED_CHECK_BOARD_VIRT_H

#include "embed/check/board.h"

/* Returns non-zero if the alarm is the device's. */
uint32_t board_is_device(void);

/* The outermost handler has ended. */
void board_trap_end(void);

#endif
