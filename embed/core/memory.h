/* SPDX-License-Identifier: MIT */
/*
 * The only two functions of a library that the recorder may call. A compiler may always call them, so they
 * are there.
 */
#ifndef EMBED_CORE_MEMORY_H
#define EMBED_CORE_MEMORY_H

#ifdef __GNUC__
#define rastrum_memcpy(to, from, n_bytes) ((void)__builtin_memcpy((to), (from), (n_bytes)))
#define rastrum_memset(to, byte, n_bytes) ((void)__builtin_memset((to), (byte), (n_bytes)))
#else
#include <string.h>
#define rastrum_memcpy(to, from, n_bytes) ((void)memcpy((to), (from), (n_bytes)))
#define rastrum_memset(to, byte, n_bytes) ((void)memset((to), (byte), (n_bytes)))
#endif

#endif
