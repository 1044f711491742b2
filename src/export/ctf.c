/* SPDX-License-Identifier: MIT */
#include "export/ctf.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum { EVENT_ROOM = 64 }; /* of an event but for its fields */

static bool is_kernel(const struct export *export)
{
	return export->choices[0];
}

/* --- events --------------------------------------------------------------------------------------------- */

static void ctf_put_head(struct export *export, struct ctf_stream *stream, uint32_t id,
	const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct ctf *ctf = export->state;
	const struct rst_context *interrupted = rst_batch_interrupted(batch, row);
	const uint64_t ticks = ctf_ticks(export, at);
	char *p = stream->packet.at;

	if (ctf_is_empty(ctf, stream))
		stream->begin = ticks;
	stream->end = ticks;
	p = ctf_put_le(p, id, 4);
	p = ctf_put_le(p, ticks, 8);
	p = ctf_put_le(p, row_seq(export->scan, batch, row), 8);
	p = ctf_put_le(p, batch->context[row] ? batch->context[row]->index : UINT32_MAX, 4);
	p = ctf_put_le(p, interrupted ? interrupted->index : UINT32_MAX, 4);
	p = ctf_put_le(p, rst_batch_depth(batch, row), 1);
	p = ctf_put_le(p, (uint16_t)rst_batch_priority(batch, row), 2);
	stream->packet.at = ctf_put_le(p, (uint16_t)rst_batch_threshold(batch, row), 2);
}

static uint64_t ctf_bits_of(double real, unsigned n_bytes)
{
	const float single = (float)real;
	uint32_t low;
	uint64_t bits;

	memcpy(&low, &single, sizeof(low));
	memcpy(&bits, &real, sizeof(bits));
	return n_bytes == sizeof(low) ? low : bits;
}

static char *ctf_put_number(
	char *p, const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	if (field->type == RST_REAL)
		return ctf_put_le(p,
			ctf_bits_of(rst_field_real(field, payload, payload_bytes), field->n_bytes),
			field->n_bytes);
	return ctf_put_le(p, rst_field_number(field, payload, payload_bytes), ctf_bytes(field));
}

/* Puts a text with its NUL, an array of bytes or numbers with its count, or a number. */
static char *ctf_put_field(
	char *p, const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	const size_t n = rst_field_length(field, payload, payload_bytes);
	size_t n_bytes;
	const uint8_t *bytes;

	if (rst_field_is_number(field))
		return ctf_put_number(p, field, payload, payload_bytes);
	if (field->type == RST_SEQUENCE) {
		p = ctf_put_le(p, n, 4);
		for (size_t i = 0; i < n; i++) {
			const struct rst_field item = rst_field_item(field, payload, payload_bytes, i);

			p = ctf_put_number(p, &item, payload, payload_bytes);
		}
		return p;
	}
	bytes = rst_field_bytes(field, payload, payload_bytes, &n_bytes);
	if (field->type == RST_TEXT) {
		p = text_keep(p, bytes, n_bytes);
		*p++ = '\0';
		return p;
	}
	p = ctf_put_le(p, n_bytes, 4);
	return n_bytes ? text_put(p, bytes, n_bytes) : p;
}

/* No element is longer than 8 bytes, and has one in the payload at least. */
static size_t room_of(const struct rst_layout *layout, const uint8_t *payload, size_t payload_bytes)
{
	size_t room = EVENT_ROOM;

	for (unsigned i = 0; i < layout->n_fields; i++)
		room += 16 + 8 * rst_field_length(&layout->fields[i], payload, payload_bytes);
	return room;
}

static bool put_event(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct ctf *ctf = export->state;
	const struct rst_layout *layout = batch->layout[row];
	const uint8_t *payload = batch->payload[row];
	const size_t payload_bytes = batch->payload_bytes[row];
	struct ctf_class *class = ctf_class_of(ctf, layout, payload_bytes);
	struct ctf_stream *stream = ctf_stream_of(export, rst_batch_core(batch, row));

	if (!class || !stream || !ctf_event_reserve(export, stream, room_of(layout, payload, payload_bytes)))
		return false;
	class->is_used[ctf_kind_of(ctf, stream)] = true;
	ctf_put_head(export, stream, class->id, batch, row, at);
	for (unsigned i = 0; i < layout->n_fields; i++)
		if (class->has[i])
			stream->packet.at =
				ctf_put_field(stream->packet.at, &layout->fields[i], payload, payload_bytes);
	if (stream->ends_soon)
		ctf_packet_end(export, stream);
	stream->ends_soon = false;
	return true;
}

/*
 * A new run is an event of its own. A loss adds to the counter of lost events from the next packet on. A loss
 * or damage is also an event of its own, which has the reason. If the core is not known, the event is in the
 * stream that was written last.
 */
static bool ctf_put_gap(struct export *export, const struct rst_batch *batch, size_t row,
	const struct rst_gap *gap, uint64_t at)
{
	struct ctf *ctf = export->state;
	const uint16_t core = rst_batch_core(batch, row);
	struct ctf_stream *stream =
		core == RST_NO_CORE && ctf->last ? ctf->last : ctf_stream_of(export, core);
	static const uint32_t ids[N_CTF_MARKERS] = {
		[CTF_LOST] = CTF_ID_LOST, [CTF_DAMAGE] = CTF_ID_DAMAGE, [CTF_RUN] = CTF_ID_RUN
	};
	const enum ctf_marker marker = gap->marker == RST_DAMAGE ? CTF_DAMAGE
				       : gap->marker == RST_RUN	 ? CTF_RUN
								 : CTF_LOST;
	const size_t n_what = gap->what ? strlen(gap->what) : 0;
	char *p;

	if (!stream || !ctf_event_reserve(export, stream, EVENT_ROOM + n_what))
		return false;
	ctf_packet_end(export, stream);
	/* A loss lies between two packets. */
	if (!stream->number) {
		stream->begin = stream->end = ctf_ticks(export, at);
		ctf_packet_write(export, stream);
	}
	if (marker == CTF_LOST)
		stream->n_lost += gap->n_events ? gap->n_events : 1;
	ctf->has_lost[marker][ctf_kind_of(ctf, stream)] = true;
	ctf_put_head(export, stream, ids[marker], batch, row, at);
	p = ctf_put_le(stream->packet.at, marker == CTF_DAMAGE ? gap->offset : gap->n_events, 8);
	if (marker == CTF_DAMAGE)
		p = ctf_put_le(p, gap->n_bytes, 8);
	if (n_what)
		memcpy(p, gap->what, n_what);
	p[n_what] = '\0';
	stream->packet.at = p + n_what + 1;
	stream->ends_soon = true;
	return true;
}

static bool ctf_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct export *export = ((struct export_state *)context)->export;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (is_kernel(export))
		return kernel_row(export, batch, row, at);
	return gap ? ctf_put_gap(export, batch, row, gap, at) : put_event(export, batch, row, at);
}

/* --- the end -------------------------------------------------------------------------------------------- */

static enum rst_status ctf_begin(struct export *export, struct rst_error *err)
{
	(void)err;
	if (!is_kernel(export))
		export->observer.effects = export->observer.intervals = 0;
	return RST_OK;
}

static enum rst_status ctf_end(struct export *export, struct rst_error *err)
{
	struct ctf *ctf = export->state;
	struct outbuf metadata;

	if (is_kernel(export) && (!kernel_collected(export) || !kernel_merge(export)))
		return export->status < 0 ? (*err = export->err, export->status) : error_nomem(err);
	for (size_t i = 0; i <= CTF_STREAMS_MAX; i++)
		ctf_packet_end(export, &ctf->streams[i]);
	if (!outbuf_init(&metadata, OUTBUF_MEMORY))
		return error_nomem(err);
	if (is_kernel(export))
		kernel_put_metadata(export, &metadata);
	else
		ctf_put_metadata(export, &metadata);
	if (export->status == RST_OK)
		ctf_file_append(export, "metadata", &metadata);
	outbuf_done(&metadata);
	if (export->status < 0)
		*err = export->err;
	return export->status;
}

static void ctf_done(void *context)
{
	struct ctf *ctf = context;
	struct export *export = ctf->export;

	for (size_t i = 0; i <= CTF_STREAMS_MAX; i++)
		if (ctf->streams[i].is_used)
			outbuf_done(&ctf->streams[i].packet);
	kernel_done(export);
	free(ctf->by_layout);
	arena_done(&ctf->arena);
}

static const char *const profiles[] = { "generic", "lttng-kernel", NULL };

static const struct export_option options[] = {
	{ "profile",
		"generic (default): events and their fields; lttng-kernel: switches, wake-ups, interrupts "
		"and "
		"services as LTTng's kernel tracer has them, for Trace Compass",
		profiles },
	{ NULL, NULL, NULL },
};

const struct export_format export_format_ctf = {
	.observer = {
		.state_bytes = sizeof(struct ctf),
		.effects = KERNEL_EFFECTS,
		.intervals = KERNEL_INTERVALS,
		.row = ctf_row,
		.effect = kernel_effect,
		.piece = kernel_piece,
		.done = ctf_done,
	},
	.name = "ctf",
	.extension = ".ctf",
	.about = "CTF 1.8, a folder: babeltrace2, Trace Compass",
	.keeps = "events with all fields, contexts, cores, priorities; losses, wall clock",
	.leaves = "intervals, sentences, names of objects",
	.output = EXPORT_FOLDER,
	.wants_clock = true,
	.options = options,
	.begin = ctf_begin,
	.end = ctf_end,
};
