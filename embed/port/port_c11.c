/* SPDX-License-Identifier: MIT */
/* C11, or C++11, whose atomics have the same names in a namespace. */
#include <stdint.h>

#ifdef __cplusplus
#include <atomic>
using std::atomic_compare_exchange_weak_explicit;
using std::atomic_load_explicit;
using std::atomic_store_explicit;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
typedef std::atomic<uint32_t> port_word;
extern "C" {
#else
#include <stdatomic.h>
typedef _Atomic uint32_t port_word;
#endif

uint32_t rastrum_port_enter(uint32_t core);
void rastrum_port_leave(uint32_t is_nested);

static port_word port_owner; /* core + 1, or 0 while the lock is free */

/* Only this core ever writes its own number, so reading it needs no order. */
uint32_t rastrum_port_enter(uint32_t core)
{
	uint32_t free;

	if (atomic_load_explicit(&port_owner, memory_order_relaxed) == core + 1)
		return 1;
	do {
		free = 0;
		while (atomic_load_explicit(&port_owner, memory_order_relaxed) != 0)
			continue;
	} while (!atomic_compare_exchange_weak_explicit(
		&port_owner, &free, core + 1, memory_order_acquire, memory_order_relaxed));
	return 0;
}

/* Pairs with the acquire above: what was recorded is seen by the next owner. */
void rastrum_port_leave(uint32_t is_nested)
{
	if (!is_nested)
		atomic_store_explicit(&port_owner, 0, memory_order_release);
}

#ifdef __cplusplus
}
#endif
