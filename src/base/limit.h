/* SPDX-License-Identifier: MIT */
/*
 * Limits for everything that an input may contain in any number. docs/LIMITS.md has the usual numbers.
 * Fuzzers are built with
 * -DRST_SMALL_LIMITS, so that inputs of a few bytes reach every limit and every full batch.
 */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#ifdef RST_SMALL_LIMITS
#define LIMIT(usual, small) (small)
#else
#define LIMIT(usual, small) (usual)
#endif

#endif
