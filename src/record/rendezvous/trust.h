/* SPDX-License-Identifier: MIT */
/*
 * What is found by a path beside our own code and then run, or loaded: its owner must be one that could have changed that code
 * as well. In a folder where others may write (/tmp, say) any user may have put a file of the right name.
 */
#ifndef RENDEZVOUS_TRUST_H
#define RENDEZVOUS_TRUST_H

#include <stdbool.h>

/*
 * Whether a file and its folder belong to root, to the caller, or to the owner of `code`, the file of the code that asks (NULL:
 * none), and other users may not write to them; root's group, and the caller's, may.
 */
bool trust_file(const char *path, const char *code);

#endif
