/* SPDX-License-Identifier: MIT */
/*
 * Hooks as macros ("Macros for recording trace events", AIX Performance Tools Guide). Their arguments may be
 * numbers or addresses. All entries are stamped, so those with T are the same. With hook words of 32 bits,
 * two to five data words are recorded as five.
 */
#ifndef EMBED_AIX_SYS_TRCMACROS_H
#define EMBED_AIX_SYS_TRCMACROS_H

#include "embed/aix/sys/trcctl.h"
#include "embed/aix/sys/trchkid.h"

/* The word of a number or an address. Words that are wider than addresses take numbers only. */
#if RASTRUM_AIX_WORD_BYTES == 8 && UINTPTR_MAX <= UINT32_MAX
#define RASTRUM_AIX_WORD(value) ((rastrum_aix_word_t)(value))
#else
#define RASTRUM_AIX_WORD(value) ((rastrum_aix_word_t)(uintptr_t)(value))
#endif

#define TRCHKL0(hw)	     rastrum_aix_0(hw)
#define TRCHKL1(hw, a)	     rastrum_aix_1(hw, RASTRUM_AIX_WORD(a))
#define TRCHKL2(hw, a, b)    rastrum_aix_2(hw, RASTRUM_AIX_WORD(a), RASTRUM_AIX_WORD(b))
#define TRCHKL3(hw, a, b, c) rastrum_aix_3(hw, RASTRUM_AIX_WORD(a), RASTRUM_AIX_WORD(b), RASTRUM_AIX_WORD(c))
#define TRCHKL4(hw, a, b, c, d) \
	rastrum_aix_4(hw, RASTRUM_AIX_WORD(a), RASTRUM_AIX_WORD(b), RASTRUM_AIX_WORD(c), RASTRUM_AIX_WORD(d))
#define TRCHKL5(hw, a, b, c, d, e)                                                       \
	rastrum_aix_5(hw, RASTRUM_AIX_WORD(a), RASTRUM_AIX_WORD(b), RASTRUM_AIX_WORD(c), \
		RASTRUM_AIX_WORD(d), RASTRUM_AIX_WORD(e))

#define TRCHKL0T(hw)		    TRCHKL0(hw)
#define TRCHKL1T(hw, a)		    TRCHKL1(hw, a)
#define TRCHKL2T(hw, a, b)	    TRCHKL2(hw, a, b)
#define TRCHKL3T(hw, a, b, c)	    TRCHKL3(hw, a, b, c)
#define TRCHKL4T(hw, a, b, c, d)    TRCHKL4(hw, a, b, c, d)
#define TRCHKL5T(hw, a, b, c, d, e) TRCHKL5(hw, a, b, c, d, e)

#define TRCGEN(channel, hw, word, n_bytes, bytes) \
	rastrum_aix_gen(channel, hw, RASTRUM_AIX_WORD(word), n_bytes, bytes)
#define TRCGENT(channel, hw, word, n_bytes, bytes) TRCGEN(channel, hw, word, n_bytes, bytes)

#endif
