/* SPDX-License-Identifier: MIT */
/*
 * The rare ring: entries of hooks that are rare go to sub-buffers of their own, where a flood of others
 * overwrites none of them. A hook is rare until it has put more than a 64th of the ring's bytes into it
 * within 10 to 20 seconds; from then on it is common. That is decided where an entry is recorded, since a
 * flood overwrites a ring faster than another process can look. Common hooks pay nothing for it: to the fast
 * path a rare hook is a disabled one, and the slow path finds that it is not.
 */
#ifndef BUFFER_RARE_H
#define BUFFER_RARE_H

#include "record/buffer/pool.h"

enum rare_verdict {
	RARE_NOT,   /* the entry goes to the common ring */
	RARE_STILL, /* the entry goes to the rare ring */
	RARE_ENDED, /* the entry is the hook's first one for the common ring; all later ones go there, too */
};

/* Judges an entry with n_bytes; hook is below POOL_HOOKS. Returns RARE_ENDED once for each hook.
 * Async-signal-safe. */
enum rare_verdict rare_judge(const struct pool *pool, uint32_t hook, uint64_t n_bytes);

/* Sets hooks that are common from the beginning, and hooks that always stay rare. For pools with a rare ring.
 * */
void rare_set(const struct pool *pool, const uint64_t common[POOL_HOOK_WORDS],
	const uint64_t rare[POOL_HOOK_WORDS]);

/* Sets the hooks that are not recorded. For any pool. */
void pool_set_hooks(const struct pool *pool, const uint64_t words[POOL_HOOK_WORDS]);

#endif
