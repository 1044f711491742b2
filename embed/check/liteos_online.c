/* SPDX-License-Identifier: MIT */
/* The same program with the recorder online: liteos_online.py defines LOSCFG_RECORDER_MODE_ONLINE. */
#include "embed/check/liteos.c"
