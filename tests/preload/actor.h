/* SPDX-License-Identifier: MIT */
/*
 * The parts of actor: actor_shared.c has the scene of locks of processes, actor_locks.c those of locks and
 * threads, actor_world.c those of signals, processes and files.
 */
#ifndef PRELOAD_ACTOR_H
#define PRELOAD_ACTOR_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

extern int n_failed;

#define expect(what) expect_at((what), #what, __LINE__)
void expect_at(bool holds, const char *what, int line);
void sleep_ms(unsigned int milliseconds);
struct timespec time_soon(clockid_t clock, long milliseconds);
/*
 * A thread announces that it is about to block, and another waits until it does: the load of a machine must
 * not matter.
 */
void comes_to(int step);
void until_asleep(int step);
/* Whether a thread of a process sleeps. */
bool is_asleep(pid_t pid, pid_t tid);
pthread_t thread_begin(void *(*function)(void *), void *argument);
void *thread_end(pthread_t thread);
void *thread_return(void *argument);

void scene_locks(void);
void scene_robust(void);
void scene_shared(void);
void scene_free(void);
void scene_conditions(void);
void scene_threads(void);
void scene_cancel(void);
void scene_signals(void);
void scene_processes(void);
void scene_files(void);
void scene_libraries(void);

#endif
