/* SPDX-License-Identifier: MIT */
#include "base/choice.h"

#include <string.h>

#include "base/error.h"
#include "base/similar.h"

enum rst_status choice_find(
	const struct choice *choice, const char *word, size_t *ret_index, struct rst_error *err)
{
	struct similar similar = similar_to(word);
	char advice[SIMILAR_TEXT_MAX];
	const char *name;

	for (size_t i = 0; (name = choice->name(i)); i++) {
		if (strcmp(name, word) == 0) {
			*ret_index = i;
			return RST_OK;
		}
		similar_offer(&similar, name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no %s '%.64s'", choice->kind, word);
	if (choice->see)
		error_advise(err, "%s", similar_text(&similar, advice) ? advice : choice->see);
	else
		error_advise(err, "%s", similar_or_all(&similar, advice));
	return RST_E_USAGE;
}
