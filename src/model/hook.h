/* SPDX-License-Identifier: MIT */
/* Describes events of other systems as hooks of AIX's trace, for reports in the format of AIX. */
#ifndef MODEL_HOOK_H
#define MODEL_HOOK_H

#include <rastrum/type.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The trait of layouts whose entries AIX itself recorded, so that error numbers are those of AIX. */
#define HOOK_NATIVE "native"

struct hook {
	uint16_t id;	     /* as reports print it: 0x106; 0x1061 has four digits */
	uint16_t data;	     /* $HD: selects one of the events that are shown as this hook */
	const char *service; /* $SVC: the call that the event begins, ends or is; NULL without a call */
};

static inline bool hook_is_native(const struct rst_layout *layout)
{
	size_t i = 0;

	while (i < layout->n_traits && strcmp(layout->traits[i].name, HOOK_NATIVE) != 0)
		i++;
	return i < layout->n_traits;
}

#endif
