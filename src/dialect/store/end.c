/* SPDX-License-Identifier: MIT */
/* The block END, and the tail that leads to it. */
#include <string.h>

#include "dialect/store/store.h"

/* The outcomes that reading a source may have, as the enum rst_status of each number in a store. */
static const enum rst_status outcomes[] = { RST_OK, RST_E_DAMAGED, RST_E_UNSUPPORTED, RST_E_IO, RST_E_NOMEM,
	RST_E_UNKNOWN };
enum { N_OUTCOMES = sizeof(outcomes) / sizeof(outcomes[0]) };

static uint64_t outcome_of(enum rst_status status)
{
	for (uint64_t i = 0; i < N_OUTCOMES; i++)
		if (outcomes[i] == status)
			return i;
	return 1;
}

static bool put_text(struct bytes *to, const char *text)
{
	const size_t n = strlen(text);

	return bytes_put_number(to, n) && bytes_put(to, text, n);
}

bool store_end_write(const struct store_end *end, struct bytes *to)
{
	return bytes_put_number(to, outcome_of(end->failure.status)) &&
	       bytes_put_number(to, end->failure.offset) && put_text(to, end->failure.source) &&
	       put_text(to, end->failure.what) && put_text(to, end->failure.advice) &&
	       bytes_put_number(to, end->n_rows) && bytes_put_number(to, end->n_gaps) &&
	       bytes_put_number(to, end->n_damages) && bytes_put_number(to, end->n_definitions) &&
	       bytes_put(to, end->definitions, end->n_definitions) && bytes_put_number(to, end->directory_at);
}

static bool take_text(struct cursor *from, char *to, size_t room)
{
	const uint8_t *text;
	uint64_t n;

	if (!cursor_take_number(from, &n) || n >= room)
		return false;
	text = cursor_take(from, (size_t)n);
	if (!text || memchr(text, 0, (size_t)n))
		return false;
	memcpy(to, text, (size_t)n);
	to[n] = '\0';
	return true;
}

bool store_end_read(const struct store_block *block, struct store_end *ret)
{
	struct cursor from = cursor_over(block->at, (size_t)block->n_bytes);
	uint64_t outcome, n_definitions;

	*ret = (struct store_end){ 0 };
	if (!cursor_take_number(&from, &outcome) || outcome >= N_OUTCOMES ||
		!cursor_take_number(&from, &ret->failure.offset) ||
		!take_text(&from, ret->failure.source, sizeof(ret->failure.source)) ||
		!take_text(&from, ret->failure.what, sizeof(ret->failure.what)) ||
		!take_text(&from, ret->failure.advice, sizeof(ret->failure.advice)) ||
		!cursor_take_number(&from, &ret->n_rows) || !cursor_take_number(&from, &ret->n_gaps) ||
		!cursor_take_number(&from, &ret->n_damages) || !cursor_take_number(&from, &n_definitions) ||
		n_definitions > cursor_left(&from))
		return false;
	ret->failure.status = outcomes[outcome];
	ret->n_definitions = (size_t)n_definitions;
	ret->definitions = cursor_take(&from, ret->n_definitions);
	/* The first version has no directory. */
	return cursor_left(&from) == 0 || cursor_take_number(&from, &ret->directory_at);
}

bool store_end_find(const uint8_t *bytes, size_t n_bytes, struct store_block *ret)
{
	const uint8_t *tail = bytes + n_bytes - STORE_TAIL_BYTES;
	uint64_t at;

	if (n_bytes < STORE_HEAD_BYTES + STORE_TAIL_BYTES ||
		memcmp(tail + 8, STORE_TAIL_MAGIC, STORE_MAGIC_BYTES) != 0)
		return false;
	at = load_u64(tail, false);
	return at < n_bytes && block_look(bytes + at, (size_t)(n_bytes - at), ret) &&
	       ret->kind == STORE_END && block_is_whole(ret, (size_t)(n_bytes - at));
}
