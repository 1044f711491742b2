/* SPDX-License-Identifier: MIT */
/*
 * Targets for the tests of tracing from outside: a test program that execs itself again, as any user, and
 * plays a part (the table in player.c): it records events "number", and then becomes a daemon, another user,
 * and so on.
 */
#ifndef POSIX_PLAYER_H
#define POSIX_PLAYER_H

#include "tests/posix/fixture.h"

enum { NOBODY = 65534, SOMEBODY = 64321, N_NUMBERS = 5, N_CHILDREN = 300 };

/* A stream of one process, and one of a process and its children. */
extern const struct shape player_alone, player_inherited;

/*
 * This program again, as a user: it waits until `go` is closed, and then execs itself once more to play its
 * part.
 */
struct player {
	pid_t pid;
	int go;
};

/* main() calls this first. Returns false in the test itself; in a part, *ret_status is its exit status. */
bool player_main(int argc, char **argv, int *ret_status);

/* Execs this program with one or two words (other may be NULL); does not return. */
void player_again(const char *word, const char *other);

struct player player_make(const char *act, unsigned int uid);
void player_go(struct player *player);

/* Waits until it has ended; or kills it before. */
void player_end(const struct player *player);
void player_kill(const struct player *player);

/* Becomes a user, without other groups. */
bool user_become(unsigned int uid);

/* A stream of a process, started. */
trace_id_t stream_of(pid_t pid, const struct shape *shape);

/*
 * Events "number" in a stream that were not read before; and for comes_true() whether there are any (of a
 * trace_id_t *).
 */
size_t count_numbers(trace_id_t trid);
bool has_numbers(void *trid);

/* The error number that a child, which is another user, gets when it traces a process. */
int attempt_by(unsigned int uid, pid_t pid);

/* Waits until a line of /proc/PID/status begins with a text. */
void fact_await(pid_t pid, const char *line);

#endif
