/* SPDX-License-Identifier: MIT */
/*
 * A cache of the texts of events: a loop that takes a mutex or polls a queue a thousand times a second
 * produces the same texts again and again. The key of a text is its plan, the process of its event and the
 * part of the payload that the template reads. A text is valid while the objects in it do not change. If a
 * text begins with the name of the thread, the cache does not keep the name with it.
 *
 * If a plan's texts rarely repeat, the cache looks for only a few of them from time to time.
 */
#ifndef LINES_TEXT_CACHE_H
#define LINES_TEXT_CACHE_H

#include "base/arena.h"
#include "template/machine/code.h"

enum { TEXT_KEY_WORDS = 4 };

struct report_line;
struct text_cache;

/* How the cache searches for texts of a plan. */
struct text_use {
	int credit;		       /* at most 0: so many events of the plan pass before a few are tried */
	bool has_context, has_subject; /* as in struct unit_reads */
	uint8_t n_words;
	uint16_t need;		       /* bytes that a payload must have */
	uint8_t at[TEXT_KEY_WORDS];    /* offsets of the key's words in the payload */
	uint64_t mask[TEXT_KEY_WORDS]; /* the bits of these words that are read */
};

/* Returns NULL if memory ran out. text_cache_free() returns NULL. */
struct text_cache *text_cache_new(void);
struct text_cache *text_cache_free(struct text_cache *cache);

/* Looks for new objects. It is due behind each rst_trace_next(). */
void text_cache_refresh(struct text_cache *cache, const struct rst_trace *trace);

/* Returns NULL if texts of the unit are not kept, or memory ran out. */
struct text_use *text_use_new(struct arena *arena, const struct unit *unit);

/* The text of the line's event at p, as plan_put_text() in format.h writes it, of a plan whose use is due. */
char *text_cache_put(struct text_cache *cache, struct text_use *use, const struct report_line *line, char *p);

/* Returns whether the cache is to be used for an event of the plan; otherwise counts the event. */
static inline bool text_use_is_due(struct text_use *use)
{
	enum { N_TRIED = 32 };

	if (__builtin_expect(use->credit > 0, 1))
		return true;
	if (++use->credit > 0)
		use->credit = N_TRIED;
	return false;
}

#endif
