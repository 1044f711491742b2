/* SPDX-License-Identifier: MIT */
/*
 * Channels on and off ("trcon, trcoff, trcstop Subroutines", AIX Technical Reference). rastrum_aix_open()
 * takes the place of trcstart(), which starts a session of the trace daemon; memory is the program's here.
 */
#ifndef EMBED_AIX_SYS_TRCCTL_H
#define EMBED_AIX_SYS_TRCCTL_H

#include "embed/aix/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* With the channel of trcstop(): what has not been taken is thrown away. */
#define RASTRUM_AIX_DISCARD   0x20000000
#define RASTRUM_AIX_SERIALISE 0x40000000 /* taken, and nothing to do: there is one lock anyway */

/*
 * Each records an entry about itself. 0, or -1: no such channel is open, or it is stopped. Hooks that have
 * begun elsewhere may still come behind trcoff(). A stopped channel can be taken, and opened anew.
 */
int trcon(int channel);
int trcoff(int channel);
int trcstop(int channel);

#ifdef __cplusplus
}
#endif

#endif
