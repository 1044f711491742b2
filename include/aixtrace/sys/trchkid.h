/* SPDX-License-Identifier: MIT */
/*
 * <sys/trchkid.h>: hook words, and the functions that record with them ("utrchook, utrchook64 Subroutines", "trcgen, trcgent
 * Subroutines", "trchook, trchook64 Kernel Services", AIX Technical Reference). Of libaixtrace.
 *
 *	32 bits   hhh t dddd              hook id, type, hook data
 *	64 bits   ffff llll hhhh ssss     flags, length, hook id, sub-hook
 *
 * A caller writes hook id and data: 0x01000005 is hook 010 with 5. Type, flags and length are set here, whatever stands there.
 * Programs have the ids 010 to 0FF.
 *
 * All of these record into the sessions that trace the calling process (trcstart(), rastrum-trace(1)) and return nothing.
 * They are async-signal-safe, may be called by any thread, and keep errno. Without a session they cost a load and a branch. An
 * entry that finds no room is counted as lost. All entries are stamped, as on AIX from 5.3 on.
 */
#ifndef AIXTRACE_SYS_TRCHKID_H
#define AIXTRACE_SYS_TRCHKID_H

#include <trace_point_np.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define HKWD_USER1 0x01000000 /* hook 010 */

/*
 * Five data words into channel 0. utrchook() and trchook() record words of 32 bits; if a value needs more, the entry is one of
 * 64 bits, so that nothing is cut. utrchook64() and trchook64() always record 64 bits. AIX has trchook() and trchook64() for its
 * kernel only.
 */
void utrchook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5);
void utrchook64(unsigned long long hook, unsigned long long d1, unsigned long long d2, unsigned long long d3,
	unsigned long long d4, unsigned long long d5);
void trchook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5);
void trchook64(unsigned long long hook, unsigned long long d1, unsigned long long d2, unsigned long long d3,
	unsigned long long d4, unsigned long long d5);

/*
 * A data word and n_bytes of a buffer into a channel, 0 to 7; other channels record nothing. Of more than 4096 bytes the first
 * 4096 are recorded, and n_bytes as they were.
 */
void trcgen(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgent(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgenk(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgenkt(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);

/*
 * What the macros of <sys/trcmacros.h> call: the first so many of the words, 0 to 5, into channel 0. The number stands where a recorded
 * hook word has its type, as 0x01020005 for hook 010, two words, and hook data 5. All five are 0 if none is meant.
 */
void aixtrace_hook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
