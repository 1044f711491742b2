/* SPDX-License-Identifier: MIT */
#include "export/words.h"

#include "base/array.h"

static struct word *word_add(struct words *words, struct text text, uint64_t key, struct word *same)
{
	struct word **all = array_room(words->all, words->n, &words->room, sizeof(*all));
	struct word *word = arena_alloc(&words->arena, sizeof(*word));
	char *copy = arena_copy(&words->arena, text.bytes, text.n_bytes);

	if (all)
		words->all = all;
	if (!all || !word || !copy)
		return NULL;
	*word = (struct word){ .text = { copy, text.n_bytes }, .number = (uint32_t)words->n, .same = same };
	if (!map_set(&words->map, key, word))
		return NULL;
	return words->all[words->n++] = word;
}

struct word *word_of(struct words *words, struct text text)
{
	static const struct text others = { "(others)", 8 };
	uint64_t key = map_text_key(text.bytes, text.n_bytes);
	struct word *first = map_find(&words->map, key), *word = first;

	while (word && !text_is_same(word->text, text))
		word = word->same;
	if (word)
		return word;
	if (words->n < WORDS_MAX || text_is_same(text, others))
		return word_add(words, text, key, first);
	return word_of(words, others);
}

void words_done(struct words *words)
{
	free(words->all);
	map_done(&words->map);
	arena_done(&words->arena);
}
