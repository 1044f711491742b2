/* SPDX-License-Identifier: MIT */
#ifndef PRELOAD_THREADS_H
#define PRELOAD_THREADS_H

#include <pthread.h>
#include <stdint.h>

/* The kernel's number of a thread that may still be joined; 0 if it has ended. */
uint64_t thread_number(pthread_t thread);

#endif
