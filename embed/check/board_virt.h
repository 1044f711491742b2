/* SPDX-License-Identifier: MIT */
#ifndef EMBED_CHECK_BOARD_VIRT_H
#define EMBED_CHECK_BOARD_VIRT_H

#include "embed/check/board.h"

/* Whose alarm it is: not 0, the device's. */
uint32_t board_is_device(void);

/* The outermost handler has ended. */
void board_trap_end(void);

#endif
