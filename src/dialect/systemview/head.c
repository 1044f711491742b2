/* SPDX-License-Identifier: MIT */
/*
 * The head of a .SVDat file: text lines that begin with a semicolon. A line with nothing else opens the head,
 * and another one ends it; both may lack. A line "Offset Core1 1234" says where a stream begins. Nothing else
 * is needed to read the packets.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "dialect/systemview/systemview.h"

static struct text line_at(const uint8_t *at, const uint8_t *end)
{
	const uint8_t *newline = memchr(at, '\n', (size_t)(end - at));

	return (struct text){ (const char *)at, newline ? (size_t)(newline - at) : (size_t)(end - at) };
}

static struct text trimmed(struct text text)
{
	while (text.n_bytes && isspace((unsigned char)text.bytes[0]))
		text = (struct text){ text.bytes + 1, text.n_bytes - 1 };
	while (text.n_bytes && isspace((unsigned char)text.bytes[text.n_bytes - 1]))
		text.n_bytes--;
	return text;
}

/* Takes the first word off a text. */
static struct text take_word(struct text *text)
{
	struct text word = { text->bytes, 0 };

	while (word.n_bytes < text->n_bytes && !isspace((unsigned char)text->bytes[word.n_bytes]))
		word.n_bytes++;
	*text = trimmed((struct text){ text->bytes + word.n_bytes, text->n_bytes - word.n_bytes });
	return word;
}

static bool is_word(struct text word, const char *name)
{
	return word.n_bytes == strlen(name) && memcmp(word.bytes, name, word.n_bytes) == 0;
}

static void take_offset(struct sv_head *head, struct text value)
{
	uint64_t offset = 0;

	take_word(&value);
	if (!value.n_bytes || value.n_bytes > 18 || head->n_offsets == SV_STREAMS_MAX)
		return;
	for (size_t i = 0; i < value.n_bytes; i++) {
		if (!text_is_digit(value.bytes[i]))
			return;
		offset = 10 * offset + (uint64_t)(value.bytes[i] - '0');
	}
	if (head->n_offsets && offset <= head->offsets[head->n_offsets - 1])
		return;
	head->offsets[head->n_offsets++] = offset;
}

static void take_line(struct sv_head *head, struct text line)
{
	const struct {
		const char *key;
		struct text *value;
	} texts[] = { { "Author", &head->author }, { "Version", &head->version },
		{ "RecordTime", &head->record_time }, { "Title", &head->title },
		{ "Description", &head->description } };
	struct text value = trimmed((struct text){ line.bytes + 1, line.n_bytes - 1 });
	const struct text key = take_word(&value);

	head->is_mixed |= is_word(key, "ESP_Extension");
	if (is_word(key, "Offset"))
		take_offset(head, value);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (is_word(key, texts[i].key))
			*texts[i].value = value;
}

void sv_head_parse(struct sv_head *ret, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes, *end = bytes + (n_bytes < SV_HEAD_MAX ? n_bytes : SV_HEAD_MAX);

	memset(ret, 0, sizeof(*ret));
	while (at < end && *at == ';') {
		const struct text line = line_at(at, end);

		if ((const uint8_t *)line.bytes + line.n_bytes == end) {
			ret->is_cut = n_bytes < SV_HEAD_MAX;
			break;
		}
		take_line(ret, line);
		at += line.n_bytes + 1;
		ret->is_closed = ret->n_lines++ && trimmed(line).n_bytes == 1;
		if (ret->is_closed)
			break;
	}
	ret->is_cut |= at == end && n_bytes < SV_HEAD_MAX && ret->n_lines && !ret->is_closed;
	ret->n_bytes = (size_t)(at - bytes);
}
