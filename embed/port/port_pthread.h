/* SPDX-License-Identifier: MIT */
/*
 * Threads of POSIX and their signal handlers: all signals of the thread are held off while it has the one
 * mutex, so no handler can come upon a mutex that its own thread holds. Two system calls a record;
 * port_pthread.c has the code. The stamp is CLOCK_MONOTONIC in microseconds.
 */
#ifndef EMBED_PORT_PORT_PTHREAD_H
#define EMBED_PORT_PORT_PTHREAD_H

#include <stdint.h>

/*
 * Room for a sigset_t, which this header cannot name without asking for POSIX for every file that includes
 * it.
 */
typedef struct {
	unsigned long signals[1024 / (8 * sizeof(unsigned long))];
} rastrum_lock_t;

#ifdef __cplusplus
extern "C" {
#endif

void rastrum_port_lock(rastrum_lock_t *ret_state);
void rastrum_port_unlock(const rastrum_lock_t *state);
uint32_t rastrum_port_stamp(void);

#ifdef __cplusplus
}
#endif

#define RASTRUM_LOCK(state)   rastrum_port_lock(&(state))
#define RASTRUM_UNLOCK(state) rastrum_port_unlock(&(state))
#ifndef RASTRUM_STAMP
#define RASTRUM_STAMP() rastrum_port_stamp()
#endif

#endif
