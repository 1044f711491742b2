/* SPDX-License-Identifier: MIT */
/*
 * The words behind "# effect:" in a file of templates. They are those of <rastrum/effect.h>; a table defines
 * which of them an effect has, which it needs, and what their values are.
 *
 *	# effect: acquire object=$mutex phase=asks when $owner!=0
 *	          kind    words with values             conditions
 */
#ifndef TEMPLATE_LANGUAGE_EFFECTS_H
#define TEMPLATE_LANGUAGE_EFFECTS_H

#include <rastrum/effect.h>
#include <stdio.h>

#include "base/text.h"

enum effect_word_type {
	EFFECT_WORD_OPERAND, /* $field, $field+1, a number, self, unknown; object also event */
	EFFECT_WORD_CHOICE,  /* one of a list */
	EFFECT_WORD_NAME,    /* "text" */
	EFFECT_WORD_FLAG,    /* is=WORD, one of effect_flags */
};

struct effect_word {
	const char *name;
	enum effect_word_type type;
	size_t offset;	 /* in struct rst_effect: a struct rst_operand, an enumeration, a text */
	uint32_t kinds;	 /* bit k: effects of kind k have it … */
	uint32_t needed; /* … and need it */
	const char *(*choice)(unsigned value); /* names of an enumeration */
	unsigned n_choices;
};

struct effect_flag {
	const char *name;
	size_t offset; /* of a bool */
	uint32_t kinds;
};

/* The last one of each list has no name; the first word is thread. */
extern const struct effect_word effect_words[];
extern const struct effect_flag effect_flags[];

static inline bool effect_kind_has(uint32_t kinds, enum rst_effect_kind kind)
{
	return kinds >> kind & 1;
}

/* Whether effects of the kind may have the phase. */
bool effect_phase_fits(enum rst_effect_kind kind, enum rst_phase phase);

/* Whether the context of the event is the thread of such an effect if the effect names no thread. */
bool effect_is_by_self(enum rst_effect_kind kind);

/* The operand of a word, and the like. */
static inline struct rst_operand *effect_operand(struct rst_effect *effect, const struct effect_word *word)
{
	return (struct rst_operand *)(void *)((char *)effect + word->offset);
}

/*
 * Prints an effect as it would be written, without the "# effect:". A dialect may have two things that a
 * template cannot write: code=$field, whose numbers are states, and behind the line what they are.
 */
void effect_print(FILE *out, const struct rst_layout *layout, const struct rst_effect *effect);

#endif
