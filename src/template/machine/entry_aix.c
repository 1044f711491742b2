/* SPDX-License-Identifier: MIT */
/*
 * AIX entries, big-endian ("trcfmt File Format", "utrchook subroutine"):
 *
 *	32 bits   hhh t dddd                hook id, type, hook data; or the length of a generic entry's variable bytes
 *	64 bits   ffff llll hhhh ssss       flags, length, hook id, sub-hook
 *
 * then the data words, and behind the first one of a generic entry its variable bytes. Templates do not see
 * what lies behind them: thread id, time stamp (D2).
 */
#include "base/load.h"
#include "template/machine/run.h"

enum {
	TYPE_SHAPE = 7, /* the time stamp bit does not count */
	SHAPE_GENERIC = 0,
	FLAG_STAMPED = 0x8000,
	FLAG_GENERIC = 0x4000,
	WORD_32 = 4,
	WORD_64 = 8,
	SHORT_HOOK = 0x1000, /* ids below have three digits */
};

/* Data words of the shapes of a 32-bit hook word. */
static const int shape_words[TYPE_SHAPE + 1] = {
	[0] = 1, [1] = 0, [2] = 1, [3] = -1, [4] = -1, [5] = -1, [6] = 5, [7] = -1
};

static void name_hook(struct aix_hook *hook, unsigned id, bool has_four)
{
	static const char digits[] = "0123456789ABCDEF";
	unsigned n_digits = has_four ? 4 : 3;

	/* A four-digit id that ends in 0 is that of its first three digits (D30). */
	if (has_four && (id & 0xf) == 0) {
		id >>= 4;
		n_digits = 3;
	}
	for (unsigned i = 0; i < n_digits; i++)
		hook->name[i] = digits[id >> (4 * (n_digits - 1 - i)) & 0xf];
	hook->name[n_digits] = '\0';
	hook->n_name = n_digits;
}

static size_t entry_aix_bytes_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void see_32(
	struct entry *entry, struct aix_hook *ret_hook, size_t n_bytes, const struct aix_hook_spec *spec)
{
	uint32_t word = load_u32(entry->bytes, true);
	unsigned id = spec->hook_id >= 0 ? (unsigned)spec->hook_id : word >> 20;
	unsigned shape;

	entry->hook_type = (uint16_t)(spec->hook_type >= 0 ? spec->hook_type : (int)(word >> 16 & 0xf));
	entry->hook_data = (uint16_t)(spec->hook_data >= 0 ? spec->hook_data : (int)(word & 0xffff));
	shape = entry->hook_type & TYPE_SHAPE;
	entry->is_generic = shape == SHAPE_GENERIC;
	entry->start = entry->is_generic ? WORD_32 : 2;
	entry->n_variable = entry->is_generic ? entry->hook_data : 0;
	entry->hook_bytes = entry->n_variable;
	entry->n_bytes = n_bytes;
	if (shape_words[shape] >= 0)
		entry->n_bytes = entry_aix_bytes_min(
			n_bytes, WORD_32 * (size_t)(1 + shape_words[shape]) + entry->n_variable);
	if (!entry->is_generic)
		entry->hook_bytes = shape_words[shape] > 0 ? (uint32_t)(WORD_32 * shape_words[shape]) : 0;
	if (ret_hook)
		name_hook(ret_hook, id, id >= SHORT_HOOK);
}

static void see_64(
	struct entry *entry, struct aix_hook *ret_hook, size_t n_bytes, const struct aix_hook_spec *spec)
{
	uint64_t word = load_u64(entry->bytes, true);
	unsigned flags = spec->hook_type >= 0 ? (unsigned)spec->hook_type : (unsigned)(word >> 48);
	unsigned id = spec->hook_id >= 0 ? (unsigned)spec->hook_id : (unsigned)(word >> 16 & 0xffff);
	uint32_t length = (uint32_t)(word >> 32 & 0xffff);

	entry->hook_type = (uint16_t)(flags & (FLAG_STAMPED | FLAG_GENERIC));
	entry->hook_data = (uint16_t)(spec->hook_data >= 0 ? spec->hook_data : (int)(word & 0xffff));
	entry->is_generic = (flags & FLAG_GENERIC) != 0;
	entry->start = 6;
	entry->n_variable = entry->is_generic ? length : 0;
	entry->hook_bytes = length;
	/* The length counts the variable bytes only, not the one data word in front of them (D19). */
	entry->n_bytes =
		entry_aix_bytes_min(n_bytes, WORD_64 + (entry->is_generic ? (size_t)WORD_64 : 0) + length);
	if (ret_hook)
		name_hook(ret_hook, id, true);
}

bool entry_of_aix(struct entry *entry, struct aix_hook *ret_hook, const uint8_t *bytes, size_t n_bytes,
	const struct aix_hook_spec *spec)
{
	if (n_bytes < (spec->is_64 ? WORD_64 : WORD_32))
		return false;
	entry->bytes = bytes;
	if (spec->is_64)
		see_64(entry, ret_hook, n_bytes, spec);
	else
		see_32(entry, ret_hook, n_bytes, spec);
	return true;
}
