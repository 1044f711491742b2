/* SPDX-License-Identifier: MIT */
/* A field of a row as text, for users of the library. */
#include "trace/trace_parts.h"
#include "trace/value/value.h"

const char *rst_trace_field_text(struct rst_trace *trace, const struct rst_batch *batch, size_t row,
	const struct rst_field *field, size_t *ret_n_bytes)
{
	struct outbuf *out = &trace->text;
	const struct value_source from = { .out = out,
		.trace = trace,
		.payload = batch->payload[row],
		.payload_bytes = batch->payload_bytes[row],
		.seq = batch->seq[row],
		.process = batch->context[row]->process,
		.room_after = 1 };

	if (!out->start && !outbuf_init(out, OUTBUF_MEMORY))
		return NULL;
	out->at = out->start;
	out->error = 0;
	if (!outbuf_reserve(out, VALUE_ROOM + 1))
		return NULL;
	char *end = value_put_text(&from, out->at, field);

	*end = '\0';
	if (ret_n_bytes)
		*ret_n_bytes = (size_t)(end - out->start);
	return out->error ? NULL : out->start;
}
