/* SPDX-License-Identifier: MIT */
/*
 * A user's directory if another user has taken its name: every user may make names in /dev/shm. Then it is
 * posix-trace-UID-MOMENT, a name that cannot be known before, and is found by its owner. If there are
 * several, the earliest counts.
 *
 * All functions are async-signal-safe.
 */
#ifndef RENDEZVOUS_ELSEWHERE_H
#define RENDEZVOUS_ELSEWHERE_H

#include <stdbool.h>
#include <stdint.h>

#define ELSEWHERE_PREFIX     "/dev/shm/posix-trace-"
#define ELSEWHERE_PATH_BYTES 96
/* Names of /dev/shm that are read. */
#define ELSEWHERE_NAMES_MAX  16384

/* The path of the user's directory; under the plain name if moment is 0. */
void elsewhere_path(uint32_t uid, uint64_t moment, char ret_path[ELSEWHERE_PATH_BYTES]);
/* Whether a path, ended by NUL, is one of these, exactly as the function above writes it. */
bool elsewhere_is_path(const char *path, uint32_t uid);
/* Whether another user has the plain name. */
bool elsewhere_is_taken(uint32_t uid);
/* Finds this user's directory. Returns false if there is no such directory. */
bool elsewhere_find(uint32_t uid, char ret_path[ELSEWHERE_PATH_BYTES]);

#endif
