/* SPDX-License-Identifier: MIT */
/*
 * <sys/trcmacros.h>: hooks as macros ("Macros for recording trace events", AIX Performance Tools Guide). Of
 * libaixtrace.
 *
 *	TRCHKL2(HKWD_USER1 | 5, speed, wanted);		hook 010, hook data 5, two data words, into channel 0
 *	TRCGEN(0, 0x01100000, 7, n_bytes, bytes);	hook 011, a word and up to 4096 bytes, into a channel
 *
 * Arguments may be numbers or addresses; they are evaluated once, and only while a session traces the
 * process. <sys/trchkid.h> describes the entries. A macro with T makes the same entry as the one without T.
 * Two to five words of 32 bits are recorded as five.
 */
#ifndef AIXTRACE_SYS_TRCMACROS_H
#define AIXTRACE_SYS_TRCMACROS_H

#include <sys/trcctl.h>
#include <sys/trchkid.h>

/* hook, how many of the five words are the caller's, and all five. */
#define AIXTRACE_HOOK_(hw, n_words, a, b, c, d, e)                                                           \
	do {                                                                                                 \
		if (POSIX_TRACE_IS_ENABLED_NP())                                                             \
			aixtrace_hook(((unsigned int)(hw)&0xfff0ffffu) | (n_words) << 16, AIXTRACE_WORD_(a), \
				AIXTRACE_WORD_(b), AIXTRACE_WORD_(c), AIXTRACE_WORD_(d), AIXTRACE_WORD_(e)); \
	} while (0)
#define AIXTRACE_WORD_(value) (unsigned long)(value)

#define TRCHKL0(hw)		   AIXTRACE_HOOK_(hw, 0u, 0, 0, 0, 0, 0)
#define TRCHKL1(hw, a)		   AIXTRACE_HOOK_(hw, 1u, a, 0, 0, 0, 0)
#define TRCHKL2(hw, a, b)	   AIXTRACE_HOOK_(hw, 2u, a, b, 0, 0, 0)
#define TRCHKL3(hw, a, b, c)	   AIXTRACE_HOOK_(hw, 3u, a, b, c, 0, 0)
#define TRCHKL4(hw, a, b, c, d)	   AIXTRACE_HOOK_(hw, 4u, a, b, c, d, 0)
#define TRCHKL5(hw, a, b, c, d, e) AIXTRACE_HOOK_(hw, 5u, a, b, c, d, e)

#define TRCHKL0T(hw)		    TRCHKL0(hw)
#define TRCHKL1T(hw, a)		    TRCHKL1(hw, a)
#define TRCHKL2T(hw, a, b)	    TRCHKL2(hw, a, b)
#define TRCHKL3T(hw, a, b, c)	    TRCHKL3(hw, a, b, c)
#define TRCHKL4T(hw, a, b, c, d)    TRCHKL4(hw, a, b, c, d)
#define TRCHKL5T(hw, a, b, c, d, e) TRCHKL5(hw, a, b, c, d, e)

#define TRCGEN(channel, hw, word, n_bytes, buffer)                                                         \
	do {                                                                                               \
		if (POSIX_TRACE_IS_ENABLED_NP())                                                           \
			trcgen(channel, (unsigned int)(hw), AIXTRACE_WORD_(word), (unsigned int)(n_bytes), \
				buffer);                                                                   \
	} while (0)
#define TRCGENT(channel, hw, word, n_bytes, buffer) TRCGEN(channel, hw, word, n_bytes, buffer)

/* The forms of an entry by their names: a hook word; with one data word; with five. */
#define trchk(hw)		   TRCHKL0(hw)
#define trchkt(hw)		   TRCHKL0(hw)
#define trchkl(hw, a)		   TRCHKL1(hw, a)
#define trchklt(hw, a)		   TRCHKL1(hw, a)
#define trchkg(hw, a, b, c, d, e)  TRCHKL5(hw, a, b, c, d, e)
#define trchkgt(hw, a, b, c, d, e) TRCHKL5(hw, a, b, c, d, e)

#endif
