/* SPDX-License-Identifier: MIT */
#include "record/buffer/rseq.h"

#if RSEQ_IS_HERE
/* glibc before 2.35 does not have these; other libraries may have them, but register no thread. */
#pragma weak __rseq_size
#pragma weak __rseq_offset

void *rseq_find(void)
{
	struct rseq *rseq;

	if (!&__rseq_size || !&__rseq_offset || __rseq_size == 0)
		return NULL;
	rseq = (struct rseq *)(void *)((char *)__builtin_thread_pointer() + __rseq_offset);
	return (int32_t)rseq->cpu_id >= 0 ? rseq : NULL;
}
#else
void *rseq_find(void)
{
	return NULL;
}
#endif
