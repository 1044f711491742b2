/* SPDX-License-Identifier: MIT */
/* The last step of summary_read(): counts by index become rows with distinct names. */
#ifndef SUMMARY_SUMMARY_MERGE_H
#define SUMMARY_SUMMARY_MERGE_H

#include "summary/summary.h"

/* Fills in rows, names no two of which are equal. false when memory ran out. */
bool summary_name_contexts(struct summary *summary);

#endif
