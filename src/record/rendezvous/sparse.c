/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/sparse.h"
#include <errno.h>
#include <linux/futex.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel allocates pages of this size or larger. */
#define PAGE_BYTES 4096u

/*
 * futex(2), FUTEX_WAKE_OP: the kernel itself ors 0 into the word, atomically, so that other processes may
 * store there meanwhile. It wakes no thread. (madvise(2), MADV_POPULATE_WRITE, does the same from Linux 5.14
 * on.)
 */
static bool page_get(uintptr_t word)
{
	return syscall(SYS_futex, word, FUTEX_WAKE_OP_PRIVATE, 0L, 0L, word,
		       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
	       errno != EFAULT;
}

bool sparse_get(const void *memory, size_t bytes)
{
	const uintptr_t first = (uintptr_t)memory, end = first + bytes;
	int kept = errno;
	bool is_there = true;

	for (uintptr_t page = first & ~(uintptr_t)(PAGE_BYTES - 1); page < end && is_there;
		page += PAGE_BYTES)
		is_there = page_get((page > first ? page : first) & ~(uintptr_t)3);
	errno = kept;
	return is_there;
}
