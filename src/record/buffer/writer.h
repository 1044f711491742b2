/* SPDX-License-Identifier: MIT */
/* A thread as a writer of events: its fields in every event, and how it writes. */
#ifndef BUFFER_WRITER_H
#define BUFFER_WRITER_H

#include <stdint.h>

struct writer {
	uint32_t pid, tid; /* with thread: the last 16 bytes of struct log_event */
	uint64_t thread;   /* the bits of pthread_self() */
	void *rseq;	   /* this thread's; NULL if it writes to shared buffers */
	uint32_t hint;	   /* the shared buffer to try first */
};

#endif
