/* SPDX-License-Identifier: MIT */
/* Where the parts of a pool's memory lie, and how many sub-buffers guarantee stream-min-size. */
#ifndef BUFFER_GEOMETRY_H
#define BUFFER_GEOMETRY_H

#include "record/buffer/pool.h"

/*
 * One more than the largest number that a CPU of this machine can ever have; 0 if it is not known.
 * Async-signal-safe.
 */
uint32_t geometry_n_cpus(void);

/* The geometry of a new pool. EINVAL: its stream would be too large. */
int geometry_make(struct pool_geometry *geometry, const struct pool_config *config);

/* Whether a geometry fits a file of so many bytes, so that no offset within it leads out of the mapping. */
bool geometry_is_sane(const struct pool_geometry *geometry, uint64_t bytes);

#endif
