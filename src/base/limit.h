/* SPDX-License-Identifier: MIT */
/*
 * How much is kept of what an input may say without end. docs/LIMITS.md has the usual numbers; fuzzers are built with
 * -DRST_SMALL_LIMITS, so that inputs of some bytes reach every limit and every full batch.
 */
#ifndef BASE_LIMIT_H
#define BASE_LIMIT_H

#ifdef RST_SMALL_LIMITS
#define LIMIT(usual, small) (small)
#else
#define LIMIT(usual, small) (usual)
#endif

#endif
