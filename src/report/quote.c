/* SPDX-License-Identifier: MIT */
#include "report/quote.h"

#include "base/text.h"

const struct quoting quoting_json = { '"', '\\', 0x20, text_put_json };

/* Commas and line ends need the quotes only, which are there. */
const struct quoting quoting_csv = { '"', '"', 0, text_put_csv };

typedef uint8_t bytes_16 __attribute__((vector_size(16)));

static bytes_16 special_16(const char *text, const struct quoting *quoting)
{
	bytes_16 bytes;

	memcpy(&bytes, text, sizeof(bytes));
	return (bytes_16)((bytes == quoting->first) | (bytes == quoting->second) | (bytes < quoting->below));
}

static bool is_special(char c, const struct quoting *quoting)
{
	uint8_t byte = (uint8_t)c;

	return byte == quoting->first || byte == quoting->second || byte < quoting->below;
}

/* Sixteen bytes at a time; the last sixteen may be looked at twice. */
static bool has_special(const char *text, size_t n, const struct quoting *quoting)
{
	bytes_16 found = { 0 };
	uint64_t halves[2];

	if (n < sizeof(found)) {
		while (n && !is_special(text[n - 1], quoting))
			n--;
		return n > 0;
	}
	for (size_t i = 0; i + sizeof(found) <= n; i += sizeof(found))
		found |= special_16(text + i, quoting);
	found |= special_16(text + n - sizeof(found), quoting);
	memcpy(halves, &found, sizeof(halves));
	return (halves[0] | halves[1]) != 0;
}

char *value_quote(const struct value_source *from, size_t start, char *end, const struct quoting *quoting)
{
	enum { GROWTH = 6 }; /* of one character, at the most */
	struct outbuf *out = from->out;
	char *text = out->start + start, *raw;
	size_t n = (size_t)(end - text);

	if (!has_special(text, n, quoting)) {
		*end++ = '"';
		return end;
	}
	out->at = end;
	if (!outbuf_extend(out, (GROWTH + 1) * n + from->room_after))
		return out->start + start;
	text = out->start + start;
	raw = memmove(text + GROWTH * n, text, n);
	return quoting->put(text - 1, raw, n);
}
