/* SPDX-License-Identifier: MIT */
/* The label of an interval, in one text. */
#ifndef EXPORT_LABEL_H
#define EXPORT_LABEL_H

#include <rastrum/state.h>

#include "export/words.h"

/*
 * Makes the label: "waiting (lock): resource" for a thread, the thread for a core or lock, the name for a
 * span, the state for a machine. Returns NULL if memory ran out.
 */
struct word *label_word(struct words *words, const struct rst_interval *interval);

#endif
