/* SPDX-License-Identifier: MIT */
/*
 * Restartable sequences (rseq(2), x86-64): instructions that the kernel restarts at an abort label whenever
 * the thread is preempted, migrated or interrupted by a signal among them. The last store commits. So a
 * thread works on its CPU's buffer as if it were alone there, without a lock or an atomic instruction: a
 * writer that is stopped or killed leaves nothing behind, and cannot damage later what others wrote
 * meanwhile. Plain stores of x86-64 have release order, which the partners rely on: merge.c, subbuf_end()
 * loads the cursor with acquire.
 */
#ifndef BUFFER_RSEQ_H
#define BUFFER_RSEQ_H

#include "record/buffer/pool.h"
#include "record/buffer/writer.h"

enum rseq_result {
	RSEQ_DONE,
	RSEQ_AGAIN,   /* interrupted: nothing was done */
	RSEQ_NO_ROOM, /* or: changed since it was seen. Nothing was done */
};

/* A CPU buffer goes on from its old sub-buffer to the next one: values as seen, and new values. */
struct subbuf_exchange {
	struct cpu_buffer *buffer;
	uint32_t number; /* of the CPU buffer */
	uint64_t seen, cursor;
	struct subbuf *old, *next;
	uint64_t old_state, next_state, next_used; /* as seen */
	uint64_t old_used, old_last;		   /* new */
};

/* The kernel's memory for this thread's restartable sequences. Returns NULL if it has no such memory.
 * Async-signal-safe. */
void *rseq_find(void);

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#include <sys/rseq.h>
#define RSEQ_IS_HERE 1

/* The common parts of every sequence. The kernel requires RSEQ_SIG in front of the abort label. */
#define RSEQ_DESCRIBE                        \
	".pushsection __rseq_cs, \"aw\"\n\t" \
	".balign 32\n\t"                     \
	"3: .long 0, 0\n\t"                  \
	".quad 1f, 2f - 1f, 4f\n\t"          \
	".popsection\n\t"                    \
	"leaq 3b(%%rip), %%rax\n\t"
#define RSEQ_BEGIN                                         \
	RSEQ_DESCRIBE "movq %%rax, %c[section](%%rdx)\n\t" \
		      "1:\n\t"
#define RSEQ_END                                  \
	"2:\n\t"                                  \
	".pushsection __rseq_failure, \"ax\"\n\t" \
	".byte 0x0f, 0xb9, 0x3d\n\t"              \
	".long 0x53053053\n\t"                    \
	"4: jmp %l[again]\n\t"                    \
	".popsection\n\t"
#define RSEQ_OFFSETS \
	[section] "i"(offsetof(struct rseq, rseq_cs)), [cpu_id] "i"(offsetof(struct rseq, cpu_id))

/* The CPU of this thread a moment ago; larger than any CPU's number if the thread has no rseq. */
static inline uint32_t rseq_cpu(const void *rseq)
{
	return *(const volatile uint32_t *)&((const struct rseq *)rseq)->cpu_id;
}

/* The last 16 bytes of an event, which one instruction moves. */
typedef uint64_t rseq_origin __attribute__((vector_size(16), aligned(8), may_alias));

/*
 * The parts of a sequence that writes an event. Where it goes: rcx becomes the event's address, from the
 * number of the CPU, in whose buffer the thread is alone. %rdx is the thread's struct rseq.
 */
#define RSEQ_FIND                                                                                       \
	"movl %c[cpu_id](%%rdx), %%r8d\n\t" /* less than n_per_cpu: there is a buffer for every CPU */  \
	"shlq $7, %%r8\n\t"                                                                             \
	"addq %c[buffers](%[pool]), %%r8\n\t"	  /* r8: the CPU buffer */                              \
	"movl (%%r8), %%ecx\n\t"		  /* rcx: the offset */                                 \
	"cmpq %c[area_bytes](%[pool]), %%rcx\n\t" /* fails if another process has overwritten it */     \
	"jae %l[no_room]\n\t"                                                                           \
	"movl %c[mask](%[pool]), %%edx\n\t"                                                             \
	"andl %%ecx, %%edx\n\t"                                                                         \
	"leaq 47(%[length],%%rdx), %%rdx\n\t" /* what is needed, or up to 7 more */                     \
	"cmpl %c[mask](%[pool]), %%edx\n\t"   /* the last bytes stay unused: the cursor stays in it */  \
	"ja %l[no_room]\n\t"                                                                            \
	"addq %c[area](%[pool]), %%rcx\n\t"                                                             \
	"movl %k[type], (%%rcx)\n\t"                                                                    \
	"movl %k[length], 4(%%rcx)\n\t" /* and 0 for the CPU: the reader gets it from the sub-buffer */ \
	"movq %[address], 16(%%rcx)\n\t"                                                                \
	"movups %[origin], 24(%%rcx)\n\t"
/*
 * The data: sixteen bytes a turn from the end of the largest multiple of 16, then 8, 4, 2, 1; and the commit.
 */
#define RSEQ_COPY                                                        \
	"cmpl $4, %k[length]\n\t" /* a number, the most frequent case */ \
	"je 12f\n\t"                                                     \
	"movl %k[length], %%edx\n\t"                                     \
	"andl $-16, %%edx\n\t"                                           \
	"jz 7f\n\t"                                                      \
	"6: movups -16(%[data],%%rdx), %%xmm1\n\t"                       \
	"movups %%xmm1, 24(%%rcx,%%rdx)\n\t"                             \
	"subl $16, %%edx\n\t"                                            \
	"jnz 6b\n\t"                                                     \
	"movl %k[length], %%edx\n\t"                                     \
	"andl $-16, %%edx\n\t"                                           \
	"7: testb $15, %b[length]\n\t"                                   \
	"jz 13f\n\t"                                                     \
	"testb $8, %b[length]\n\t"                                       \
	"jz 8f\n\t"                                                      \
	"movq (%[data],%%rdx), %%rax\n\t"                                \
	"movq %%rax, 40(%%rcx,%%rdx)\n\t"                                \
	"addl $8, %%edx\n\t"                                             \
	"8: testb $4, %b[length]\n\t"                                    \
	"jz 9f\n\t"                                                      \
	"movl (%[data],%%rdx), %%eax\n\t"                                \
	"movl %%eax, 40(%%rcx,%%rdx)\n\t"                                \
	"addl $4, %%edx\n\t"                                             \
	"9: testb $2, %b[length]\n\t"                                    \
	"jz 11f\n\t"                                                     \
	"movzwl (%[data],%%rdx), %%eax\n\t"                              \
	"movw %%ax, 40(%%rcx,%%rdx)\n\t"                                 \
	"addl $2, %%edx\n\t"                                             \
	"11: testb $1, %b[length]\n\t"                                   \
	"jz 13f\n\t"                                                     \
	"movzbl (%[data],%%rdx), %%eax\n\t"                              \
	"movb %%al, 40(%%rcx,%%rdx)\n\t"                                 \
	"13: leaq 47(%[length]), %%rax\n\t"                              \
	"andq $-8, %%rax\n\t"                                            \
	"addq %c[one](%[pool]), %%rax\n\t"                               \
	"jmp 14f\n\t"                                                    \
	"12: movl (%[data]), %%eax\n\t"                                  \
	"movl %%eax, 40(%%rcx)\n\t"                                      \
	"movq %c[one_number](%[pool]), %%rax\n\t"                        \
	"14: addq %%rax, (%%r8)\n\t"
#define RSEQ_EVENT                                                                                           \
	RSEQ_OFFSETS, [buffers] "i"(offsetof(struct pool, buffers)),                                         \
		[mask] "i"(offsetof(struct pool, mask)), [area] "i"(offsetof(struct pool, area)),            \
		[area_bytes] "i"(offsetof(struct pool, area_bytes)),                                         \
		[one] "i"(offsetof(struct pool, one_event)),                                                 \
		[one_number] "i"(offsetof(struct pool, one_number)), [origin] "x"(origin), [pool] "r"(pool), \
		[type] "r"(type), [address] "r"(address), [data] "S"(data), [length] "r"(length)

/*
 * Writes one event into the open sub-buffer of this CPU's buffer. type has the flags in its upper half. As
 * pseudo-code:
 *
 *	begin restartable sequence                   on interruption: return RSEQ_AGAIN
 *	buffer = &pool->buffers[rseq->cpu_id]        the thread cannot leave this CPU inside the sequence
 *	offset = low half of buffer->cursor
 *	if (offset >= pool->area_bytes) return RSEQ_NO_ROOM         another process has overwritten the cursor
 *	if (offset & mask) + 40 + length rounded up > mask: return RSEQ_NO_ROOM
 *	event = pool->area + offset
 *	event->type, length, address, {pid, tid, thread} = arguments
 *	event->ticks = rdtsc                         inside, so that order in the sub-buffer is order of time
 *	copy length bytes of data behind event       (length 4, the most frequent, is a case of its own)
 *	buffer->cursor += 1 event + bytes            the committing store: it publishes the event
 *	end of sequence: return RSEQ_DONE
 */
static inline __attribute__((always_inline)) enum rseq_result rseq_put(const struct pool *pool,
	const struct writer *writer, uint64_t type, uint64_t address, const void *data, uint64_t length)
{
	uint64_t rseq = (uint64_t)(uintptr_t)writer->rseq;
	rseq_origin origin = *(const rseq_origin *)(const void *)&writer->pid;

	__asm__ goto volatile(RSEQ_BEGIN RSEQ_FIND "rdtsc\n\t"
						   "movl %%eax, 8(%%rcx)\n\t"
						   "movl %%edx, 12(%%rcx)\n\t" RSEQ_COPY RSEQ_END
			      : [rseq] "+d"(rseq)
			      : RSEQ_EVENT
			      : "memory", "cc", "rax", "rcx", "r8", "xmm1"
			      : again, no_room);
	return RSEQ_DONE;
again:
	return RSEQ_AGAIN;
no_room:
	return RSEQ_NO_ROOM;
}

/*
 * As rseq_put(), for an event of several streams: ticks are 0 for the first, and become the time that those
 * behind it share. A time that was read earlier may be used only as long as the thread was not interrupted:
 * else events that others wrote meanwhile are younger. The kernel sets rseq_cs to NULL when it interrupts a
 * thread outside of the sequence that rseq_cs names (rseq(2)). So, where rseq_cs names this sequence still,
 * the sequence that began with the first event has never been left. Otherwise: RSEQ_AGAIN, and the next one
 * needs ticks of its own. A handler may end with this sequence, too: behind the last event, rseq_leave().
 */
static inline enum rseq_result rseq_put_at(const struct pool *pool, const struct writer *writer,
	uint64_t type, uint64_t address, const void *data, uint64_t length, uint64_t *shared_ticks)
{
	uint64_t rseq = (uint64_t)(uintptr_t)writer->rseq, ticks = *shared_ticks;
	rseq_origin origin = *(const rseq_origin *)(const void *)&writer->pid;

	__asm__ goto volatile(RSEQ_DESCRIBE "testq %[ticks], %[ticks]\n\t"
					    "jnz 1f\n\t"
					    "movq %%rax, %c[section](%%rdx)\n\t"
					    "1: cmpq %%rax, %c[section](%%rdx)\n\t"
					    "jne %l[again]\n\t" RSEQ_FIND "testq %[ticks], %[ticks]\n\t"
					    "jnz 15f\n\t"
					    "rdtsc\n\t"
					    "shlq $32, %%rdx\n\t"
					    "leaq (%%rax,%%rdx), %[ticks]\n\t"
					    "15: movq %[ticks], 8(%%rcx)\n\t" RSEQ_COPY RSEQ_END
			      : [rseq] "+d"(rseq), [ticks] "+r"(ticks)
			      : RSEQ_EVENT
			      : "memory", "cc", "rax", "rcx", "r8", "xmm1"
			      : again, no_room);
	*shared_ticks = ticks;
	return RSEQ_DONE;
again:
	return RSEQ_AGAIN;
no_room:
	return RSEQ_NO_ROOM;
}

/* A code that is interrupted by this one finds that it was. */
static inline void rseq_leave(void *rseq)
{
	*(volatile uint64_t *)(void *)((char *)rseq + offsetof(struct rseq, rseq_cs)) = 0;
}

/*
 * Gives a CPU buffer its next sub-buffer, if all values are still as they were seen (a cursor alone may have
 * the same value one lap later). The old sub-buffer's mark and time are stored before the cursor, which
 * commits:
 *
 *	begin restartable sequence                                       on interruption: return RSEQ_AGAIN
 *	if (rseq->cpu_id != by->number) return RSEQ_AGAIN
 *	if (next->state, next->used, buffer->cursor, old->state differ from those seen) return RSEQ_NO_ROOM
 *	old->used, old->last = by->old_used, by->old_last                pair with subbuf_is_left()
 *	buffer->cursor = by->cursor                                      commits: the next sub-buffer is open
 *	end of sequence: return RSEQ_DONE
 */
static inline enum rseq_result rseq_exchange(const struct subbuf_exchange *exchange, void *rseq)
{
	__asm__ goto volatile(
		"movq %[rseq], %%rdx\n\t" RSEQ_BEGIN "movl %c[number](%[by]), %%eax\n\t"
		"cmpl %%eax, %c[cpu_id](%%rdx)\n\t"
		"jne 4f\n\t"
		"movq %c[next](%[by]), %%rcx\n\t"
		"movq %c[next_state](%[by]), %%rax\n\t"
		"cmpq %%rax, %c[state](%%rcx)\n\t"
		"jne %l[changed]\n\t"
		"movq %c[next_used](%[by]), %%rax\n\t"
		"cmpq %%rax, %c[used](%%rcx)\n\t"
		"jne %l[changed]\n\t"
		"movq %c[buffer](%[by]), %%rdx\n\t"
		"movq %c[seen](%[by]), %%rax\n\t"
		"cmpq %%rax, (%%rdx)\n\t"
		"jne %l[changed]\n\t"
		"movq %c[old](%[by]), %%rcx\n\t"
		"movq %c[old_state](%[by]), %%rax\n\t"
		"cmpq %%rax, %c[state](%%rcx)\n\t"
		"jne %l[changed]\n\t"
		"movq %c[old_used](%[by]), %%rax\n\t"
		"movq %%rax, %c[used](%%rcx)\n\t"
		"movq %c[old_last](%[by]), %%rax\n\t"
		"movq %%rax, %c[last](%%rcx)\n\t"
		"movq %c[cursor](%[by]), %%rax\n\t"
		"movq %%rax, (%%rdx)\n\t" RSEQ_END
		:
		: RSEQ_OFFSETS, [rseq] "r"(rseq), [by] "r"(exchange),
		[number] "i"(offsetof(struct subbuf_exchange, number)),
		[buffer] "i"(offsetof(struct subbuf_exchange, buffer)),
		[seen] "i"(offsetof(struct subbuf_exchange, seen)),
		[cursor] "i"(offsetof(struct subbuf_exchange, cursor)),
		[old] "i"(offsetof(struct subbuf_exchange, old)),
		[old_state] "i"(offsetof(struct subbuf_exchange, old_state)),
		[old_used] "i"(offsetof(struct subbuf_exchange, old_used)),
		[old_last] "i"(offsetof(struct subbuf_exchange, old_last)),
		[next] "i"(offsetof(struct subbuf_exchange, next)),
		[next_state] "i"(offsetof(struct subbuf_exchange, next_state)),
		[next_used] "i"(offsetof(struct subbuf_exchange, next_used)),
		[state] "i"(offsetof(struct subbuf, state)), [used] "i"(offsetof(struct subbuf, used)),
		[last] "i"(offsetof(struct subbuf, last))
		: "memory", "cc", "rax", "rcx", "rdx"
		: again, changed);
	return RSEQ_DONE;
again:
	return RSEQ_AGAIN;
changed:
	return RSEQ_NO_ROOM;
}
#else
#define RSEQ_IS_HERE 0
#endif

#endif
