/* SPDX-License-Identifier: MIT */
/*
 * The trace of RKH for programs: all of it. README.md lists what must be supplied, and what differs from RKH.
 */
#ifndef EMBED_RKH_RKHTRC_H
#define EMBED_RKH_RKHTRC_H

#include "embed/rkh/rkhtrc_events.h"
#include "embed/rkh/rkhtrc_filter.h"
#include "embed/rkh/rkhtrc_record.h"

#endif
