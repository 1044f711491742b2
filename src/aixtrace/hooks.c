/* SPDX-License-Identifier: MIT */
/*
 * Puts entries together and records them, as embed/aix does for boards. The caller's hook word has its id and
 * data; the bits for the form of the entry are set here, so that readers can pass over any entry (spec:
 * "Trace hook words").
 */
/* The library opens its flag in begin.c. */
#define POSIX_TRACE_POINTS_LATER_NP
#include "aixtrace/entry.h"

#include <string.h>
#include <sys/trchkid.h>
#include <trace_hook_np.h>

void utrchook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5)
{
	if (POSIX_TRACE_IS_ENABLED_NP())
		aixtrace_hook(
			(hook & 0xfff0ffffu) | (unsigned int)WORDS_MAX << TYPE_SHIFT, d1, d2, d3, d4, d5);
}

void trchook(unsigned int hook, unsigned long d1, unsigned long d2, unsigned long d3, unsigned long d4,
	unsigned long d5)
{
	utrchook(hook, d1, d2, d3, d4, d5);
}

void utrchook64(unsigned long long hook, unsigned long long d1, unsigned long long d2, unsigned long long d3,
	unsigned long long d4, unsigned long long d5)
{
	const uint64_t entry[1 + WORDS_MAX] = { wide_hook(hook, STAMPED, 8 * WORDS_MAX), d1, d2, d3, d4, d5 };

	posix_trace_hook_np(POSIX_TRACE_HOOK_TYPE_NP(0, 8), entry[0], entry, sizeof(entry));
}

void trchook64(unsigned long long hook, unsigned long long d1, unsigned long long d2, unsigned long long d3,
	unsigned long long d4, unsigned long long d5)
{
	utrchook64(hook, d1, d2, d3, d4, d5);
}

/* The entry has the caller's length, so that a reader sees that bytes are missing. */
void trcgen(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer)
{
	const unsigned int length = n_bytes < LENGTH_LIMIT ? n_bytes : LENGTH_LIMIT;
	const size_t n_kept = n_bytes < VARIABLE_MAX ? n_bytes : VARIABLE_MAX;
	const bool is_wide = !is_narrow(word);
	const size_t word_bytes = is_wide ? 8 : 4;
	const uint64_t wide = wide_hook(hook & 0xfff00000u, STAMPED | GENERIC, length);
	const uint32_t narrow = (hook & 0xfff00000u) | (uint32_t)TYPE_GENERIC << TYPE_SHIFT | length;
	const uint32_t narrow_word = (uint32_t)word;
	unsigned char entry[2 * 8 + VARIABLE_MAX];

	if (channel < 0 || channel >= POSIX_TRACE_CHANNELS_NP || !POSIX_TRACE_IS_ENABLED_NP())
		return;
	memcpy(entry, is_wide ? (const void *)&wide : &narrow, word_bytes);
	memcpy(entry + word_bytes, is_wide ? (const void *)&word : &narrow_word, word_bytes);
	if (n_kept)
		memcpy(entry + 2 * word_bytes, buffer, n_kept);
	posix_trace_hook_np(POSIX_TRACE_HOOK_TYPE_NP(channel, word_bytes), is_wide ? wide : narrow, entry,
		2 * word_bytes + n_kept);
}

void trcgent(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer)
{
	trcgen(channel, hook, word, n_bytes, buffer);
}

void trcgenk(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer)
{
	trcgen(channel, hook, word, n_bytes, buffer);
}

void trcgenkt(int channel, unsigned int hook, unsigned long word, unsigned int n_bytes, const void *buffer)
{
	trcgen(channel, hook, word, n_bytes, buffer);
}
