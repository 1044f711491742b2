/* SPDX-License-Identifier: MIT */
/* Events of other systems as hooks of AIX's trace, for reports in the manner of AIX. */
#ifndef MODEL_HOOK_H
#define MODEL_HOOK_H

#include <stdint.h>

struct hook {
	uint16_t id;	     /* as reports print it: 0x106; 0x1061 has four digits */
	uint16_t data;	     /* $HD: which of the events that are shown as this hook */
	const char *service; /* $SVC: the call that the event begins, ends or is; NULL: it is no call's */
};

#endif
