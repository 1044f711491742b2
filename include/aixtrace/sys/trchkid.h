/* SPDX-License-Identifier: MIT */
/*
 * <sys/trchkid.h>: hook words, and the functions that record with them ("utrchook, utrchook64 Subroutines",
 * "trcgen, trcgent Subroutines", "trchook, trchook64 Kernel Services", AIX Technical Reference). Of
 * libaixtrace.
 *
 *	32 bits   hhh t dddd              hook id, type, hook data
 *	64 bits   ffff llll hhhh ssss     flags, length, hook id, sub-hook
 *
 * A caller writes the hook id and data: 0x01000005 is hook 010 with 5. The functions overwrite type, flags
 * and length. Programs have the ids 010 to 0FF.
 *
 * All of these record into the sessions that trace the calling process (trcstart(), rastrum-trace(1)) and
 * return nothing. They are async-signal-safe, keep errno, and any thread may call them. Without a session
 * they cost a load and a branch. If there is no room for an entry, the entry counts as lost. All entries are
 * stamped, as on AIX from 5.3 on.
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
 * Record five data words into channel 0. utrchook() and trchook() record words of 32 bits. If a value needs
 * more bits, the entry has words of 64 bits, so that no value is cut. utrchook64() and trchook64() always
 * record 64 bits. AIX has trchook() and trchook64() for its kernel only.
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
 * Record a data word and n_bytes of a buffer into a channel, 0 to 7; for other channels they do nothing. If
 * n_bytes is more than 4096, the first 4096 bytes are recorded, and n_bytes is recorded unchanged.
 */
void trcgen(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgent(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgenk(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);
void trcgenkt(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer);

/*
 * The macros of <sys/trcmacros.h> call this function. It records the first 0 to 5 of the words into channel
 * 0. The count is in the place of the type in the hook word: 0x01020005 is hook 010, two words, hook data 5.
 * Words that are not used are 0.
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
