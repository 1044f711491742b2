/* SPDX-License-Identifier: MIT */
/*
 * Programs and libraries that are found by a path beside this code and then run or loaded: their owner must
 * be one that could have changed this code as well. In a folder where others may write (such as /tmp) any
 * user may put a file with the right name.
 */
#ifndef RENDEZVOUS_TRUST_H
#define RENDEZVOUS_TRUST_H

#include <stdbool.h>

/*
 * Whether a file and its folder belong to a trusted user, and other users may not write to them. Trusted
 * users are root, the caller, and the owner of `code`, the file of the calling code (may be NULL). root's
 * group, and the caller's, may write.
 */
bool trust_file(const char *path, const char *code);

#endif
