/* SPDX-License-Identifier: MIT */
/*
 * Entries of data words, which the macros record. They have a file of their own because the bench, which has
 * a recorder for boards, uses it, too.
 */
#include "aixtrace/entry.h"

#define POSIX_TRACE_POINTS_LATER_NP
#include <sys/trchkid.h>
#include <trace_hook_np.h>

/* The number of data words in the hook word of aixtrace_hook(), which is in the place of the type. */
static unsigned int words_of(unsigned int hook)
{
	const unsigned int n = hook >> TYPE_SHIFT & 0xf;

	return n < WORDS_MAX ? n : WORDS_MAX;
}

static __attribute__((noinline)) void record_wide(unsigned int hook, unsigned long d1, unsigned long d2,
	unsigned long d3, unsigned long d4, unsigned long d5)
{
	const unsigned int n_words = words_of(hook);
	const uint64_t entry[1 + WORDS_MAX] = { wide_hook(hook & 0xfff0ffffu, STAMPED, 8 * n_words), d1, d2,
		d3, d4, d5 };

	posix_trace_hook_np(POSIX_TRACE_HOOK_TYPE_NP(0, 8), entry[0], entry, 8 * (1 + (size_t)n_words));
}

/*
 * There is no type for two to four words: such entries have five. Most entries need one test, those with
 * negative words five.
 */
void aixtrace_hook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5)
{
	const unsigned int n_words = words_of(hook);
	const uint32_t type = n_words == 0 ? TYPE_NONE : n_words == 1 ? TYPE_ONE : TYPE_FIVE;
	const uint32_t entry[1 + WORDS_MAX] = { (hook & 0xfff0ffffu) | type << TYPE_SHIFT, (uint32_t)d1,
		(uint32_t)d2, (uint32_t)d3, (uint32_t)d4, (uint32_t)d5 };

	if (__builtin_expect((d1 | d2 | d3 | d4 | d5) > UINT32_MAX, 0) &&
		!(is_narrow(d1) && is_narrow(d2) && is_narrow(d3) && is_narrow(d4) && is_narrow(d5)))
		record_wide(hook, d1, d2, d3, d4, d5);
	else
		posix_trace_hook_np(POSIX_TRACE_HOOK_TYPE_NP(0, 4), entry[0], entry,
			n_words > 1 ? sizeof(entry) : 4 * (1 + (size_t)n_words));
}
