/* SPDX-License-Identifier: MIT */
#include "log/spans.h"

#include "log/block.h"

struct log_span log_span_get(const struct log_span_list *list, uint32_t i, uint64_t *ret_end)
{
	struct log_span span, next = { .offset = list->end };

	memcpy(&span, list->bytes + i * sizeof(span), sizeof(span));
	if (i + 1 < list->n)
		memcpy(&next, list->bytes + (i + 1) * sizeof(next), sizeof(next));
	*ret_end = next.offset;
	return span;
}

/* Finds the last block, if it is an end with spans. */
static bool find_end(const struct log_scan *scan, const unsigned char *bytes, uint64_t n,
	struct log_span_list *ret_list, struct log_end *ret_end)
{
	const uint64_t n_least = BLOCK_HEAD_BYTES + sizeof(struct log_end) + sizeof(struct log_span) +
				 sizeof(struct log_spans);
	const unsigned char *body;
	struct log_spans last;
	struct log_block head;

	if (n % 8 || n < scan->header.header_bytes + n_least)
		return false;
	memcpy(&last, bytes + n - sizeof(last), sizeof(last));
	if (last.n_bytes < n_least || last.n_bytes > LOG_BLOCK_MAX || last.n_bytes % 8 ||
		last.n_bytes > n - scan->header.header_bytes || last.n_spans == 0 ||
		last.n_spans > (last.n_bytes - n_least) / sizeof(struct log_span) + 1)
		return false;
	body = bytes + n - last.n_bytes + BLOCK_HEAD_BYTES;
	memcpy(&head, body - BLOCK_HEAD_BYTES, sizeof(head));
	memcpy(ret_end, body, sizeof(*ret_end));
	ret_list->bytes = bytes + n - sizeof(last) - last.n_spans * sizeof(struct log_span);
	ret_list->n = last.n_spans;
	ret_list->end = n - last.n_bytes;
	return head.magic == LOG_BLOCK_MAGIC && head.kind == LOG_END && head.flags == 0 &&
	       head.length == last.n_bytes - BLOCK_HEAD_BYTES &&
	       log_block_crc(scan->crc, &head, body) == head.crc;
}

bool log_spans_find(
	const struct log_scan *scan, const unsigned char *bytes, uint64_t n, struct log_span_list *ret_list)
{
	uint64_t offset = scan->header.header_bytes, n_events = 0, end_of_span;
	struct log_end end;

	if (scan->header.area_bytes || !find_end(scan, bytes, n, ret_list, &end))
		return false;
	for (uint32_t i = 0; i < ret_list->n; i++) {
		const struct log_span span = log_span_get(ret_list, i, &end_of_span);

		if (span.offset != offset || end_of_span <= offset || end_of_span % 8 || span.n_blocks == 0 ||
			span.n_blocks > (end_of_span - offset) / BLOCK_HEAD_BYTES ||
			__builtin_add_overflow(n_events, span.n_events, &n_events))
			return false;
		offset = end_of_span;
	}
	return n_events == end.n_events;
}
