/* SPDX-License-Identifier: MIT */
#include "record/buffer/rare.h"
#include <time.h>

/* The part of the ring's bytes for one hook; and the time after which the counts of hooks are halved. */
#define RARE_PART	64
#define HALVING_SECONDS 10
#define HALVINGS_MAX	31

static uint64_t bit_of(uint32_t hook)
{
	return 1ull << hook % 64;
}

static bool is_in(const _Atomic uint64_t *words, uint32_t hook)
{
	return (atomic_load_explicit(&words[hook / 64], memory_order_relaxed) & bit_of(hook)) != 0;
}

/*
 * The thread that finds that the time is over halves the counts. Some entries that are counted meanwhile may
 * be forgotten: then a hook that floods is found a little later.
 */
static void bytes_halve(struct pool_rare *rare)
{
	struct timespec now;
	uint64_t before = atomic_load_explicit(&rare->halved_at, memory_order_relaxed), n;
	int64_t seconds; /* a difference, so that a moment before the machine was started is one, too */

	clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
	seconds = (int64_t)((uint64_t)now.tv_sec - before);
	if (seconds < HALVING_SECONDS ||
		!atomic_compare_exchange_strong(&rare->halved_at, &before, (uint64_t)now.tv_sec))
		return;
	n = (uint64_t)seconds / HALVING_SECONDS;
	for (uint32_t hook = 0; hook < POOL_HOOKS; hook++) {
		const uint32_t bytes = atomic_load_explicit(&rare->bytes[hook], memory_order_relaxed);

		if (bytes != 0 && bytes != POOL_RARE_ALWAYS)
			atomic_store_explicit(&rare->bytes[hook],
				bytes >> (n < HALVINGS_MAX ? n : HALVINGS_MAX), memory_order_relaxed);
	}
}

static uint64_t bytes_limit(const struct pool *pool)
{
	return (pool->geometry.n_rare << pool->geometry.subbuf_shift) / RARE_PART;
}

/* In this order an entry of another thread goes to one of the rings at any time, and never to both. */
static bool rare_end(const struct pool *pool, uint32_t hook)
{
	const uint64_t before = atomic_fetch_or(&pool->rare->common[hook / 64], bit_of(hook));

	atomic_fetch_and(&pool->shared->disabled_hooks[hook / 64], ~bit_of(hook));
	return (before & bit_of(hook)) == 0;
}

enum rare_verdict rare_judge(const struct pool *pool, uint32_t hook, uint64_t n_bytes)
{
	struct pool_rare *rare = pool->rare;

	if (is_in(rare->common, hook)) {
		/*
		 * Its bit may be set still, if the filter was set meanwhile: then the fast path is closed to
		 * it without a reason.
		 */
		if (is_in(pool->shared->disabled_hooks, hook) && !is_in(pool->shared->hook_filter, hook))
			rare_end(pool, hook);
		return RARE_NOT;
	}
	if (atomic_load_explicit(&rare->bytes[hook], memory_order_relaxed) == POOL_RARE_ALWAYS)
		return RARE_STILL;
	bytes_halve(rare);
	if (atomic_fetch_add_explicit(&rare->bytes[hook], (uint32_t)n_bytes, memory_order_relaxed) +
			n_bytes <=
		bytes_limit(pool))
		return RARE_STILL;
	return rare_end(pool, hook) ? RARE_ENDED : RARE_NOT;
}

void pool_set_hooks(const struct pool *pool, const uint64_t words[POOL_HOOK_WORDS])
{
	for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++) {
		const uint64_t rare =
			pool->rare ? ~atomic_load_explicit(&pool->rare->common[i], memory_order_relaxed) : 0;

		atomic_store_explicit(&pool->shared->hook_filter[i], words[i], memory_order_relaxed);
		atomic_store_explicit(
			&pool->shared->disabled_hooks[i], words[i] | rare, memory_order_relaxed);
	}
}

void rare_set(
	const struct pool *pool, const uint64_t common[POOL_HOOK_WORDS], const uint64_t rare[POOL_HOOK_WORDS])
{
	uint64_t filter[POOL_HOOK_WORDS];

	for (unsigned int i = 0; i < POOL_HOOK_WORDS; i++) {
		filter[i] = atomic_load_explicit(&pool->shared->hook_filter[i], memory_order_relaxed);
		atomic_store_explicit(&pool->rare->common[i], common[i] & ~rare[i], memory_order_relaxed);
	}
	for (uint32_t hook = 0; hook < POOL_HOOKS; hook++)
		atomic_store_explicit(&pool->rare->bytes[hook],
			rare[hook / 64] & bit_of(hook) ? POOL_RARE_ALWAYS : 0, memory_order_relaxed);
	pool_set_hooks(pool, filter);
}
