/* SPDX-License-Identifier: MIT */
#include "lines/quote.h"

#include "base/text.h"

char *value_quote_special(
	const struct value_source *from, size_t start, char *end, const struct quoting *quoting)
{
	enum { GROWTH = 6 }; /* of one character, at the most */
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);

	out->at = end;
	if (!outbuf_extend(out, (GROWTH + 1) * n + from->room_after))
		return out->start + start;
	text = out->start + start;
	raw = memmove(text + GROWTH * n, text, n);
	return quoting->put(text - 1, raw, n);
}
