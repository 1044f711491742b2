/* SPDX-License-Identifier: MIT */
/* What an interval shows, in one text. */
#ifndef EXPORT_LABEL_H
#define EXPORT_LABEL_H

#include <rastrum/state.h>

#include "export/words.h"

/*
 * Of a thread "waiting (lock): resource", of a core or lock the thread, of a span its name, of a machine its
 * state. Returns NULL if memory ran out.
 */
struct word *label_word(struct words *words, const struct rst_interval *interval);

#endif
