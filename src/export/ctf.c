/* SPDX-License-Identifier: MIT */
#include "export/ctf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

enum {
	MAGIC_BYTES = 8, /* and stream id */
	CONTEXT_BYTES = 6 * 8,
	HEAD_BYTES = MAGIC_BYTES + CONTEXT_BYTES,
	EVENT_ROOM = 64, /* of an event but for its fields */
};

/* --- files -------------------------------------------------------------------------------------------------------- */

static enum rst_status file_fault(struct export *export, int error)
{
	export->status =
		error_set(&export->err, RST_E_IO, RST_NO_OFFSET, "cannot write: %s", strerror(error));
	error_name(&export->err, export->path);
	return export->status;
}

static bool bytes_write(int fd, const char *bytes, size_t n_bytes)
{
	while (n_bytes) {
		const ssize_t n = write(fd, bytes, n_bytes);

		if (n < 0 && errno != EINTR)
			return false;
		bytes += n > 0 ? n : 0;
		n_bytes -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* Appends; so that no descriptor is open for each core. */
static void file_append(struct export *export, const char *name, const struct outbuf *out)
{
	char path[4096];
	const int n_path = snprintf(path, sizeof(path), "%s/%s", export->path, name);
	const int fd =
		n_path < (int)sizeof(path) ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (out->error)
		file_fault(export, out->error);
	else if (fd < 0)
		file_fault(export, n_path < (int)sizeof(path) ? errno : ENAMETOOLONG);
	else if (!bytes_write(fd, out->start, (size_t)(out->at - out->start)))
		file_fault(export, errno);
	if (fd >= 0 && close(fd) != 0 && export->status == RST_OK)
		file_fault(export, errno);
}

/* --- packets ------------------------------------------------------------------------------------------------------ */

/* The machine's byte order may be the other one. */
static char *put_le(char *p, uint64_t number, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		*p++ = (char)(number >> 8 * i & 0xff);
	return p;
}

static bool has_core(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return stream != &ctf->streams[CTF_STREAMS_MAX];
}

static enum ctf_stream_kind kind_of(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return has_core(ctf, stream) ? CTF_CORE : CTF_NO_CORE;
}

static size_t head_bytes(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return HEAD_BYTES + (has_core(ctf, stream) ? 4 : 0);
}

/* What stands in front of the events is known when the packet ends. */
static void packet_write(struct export *export, struct ctf_stream *stream)
{
	struct ctf *ctf = export->state;
	struct outbuf *packet = &stream->packet;
	const size_t n_bytes = (size_t)(packet->at - packet->start);
	char *p = packet->start, name[32];

	p = put_le(p, 0xC1FC1FC1, 4);
	p = put_le(p, kind_of(ctf, stream), 4);
	p = put_le(p, stream->begin, 8);
	p = put_le(p, stream->end, 8);
	p = put_le(p, n_bytes * 8, 8);
	p = put_le(p, n_bytes * 8, 8);
	p = put_le(p, stream->number++, 8);
	p = put_le(p, stream->n_lost, 8);
	if (has_core(ctf, stream)) {
		put_le(p, (uint64_t)(stream - ctf->streams), 4);
		snprintf(name, sizeof(name), "stream_%zu", (size_t)(stream - ctf->streams));
	} else {
		snprintf(name, sizeof(name), "stream");
	}
	if (export->status == RST_OK)
		file_append(export, name, packet);
	packet->at = packet->start + head_bytes(ctf, stream);
}

static bool is_empty(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return !stream->is_used || stream->packet.at == stream->packet.start + head_bytes(ctf, stream);
}

static void packet_end(struct export *export, struct ctf_stream *stream)
{
	if (!is_empty(export->state, stream))
		packet_write(export, stream);
}

static struct ctf_stream *stream_of(struct export *export, uint16_t core)
{
	struct ctf *ctf = export->state;
	struct ctf_stream *stream = &ctf->streams[core < CTF_STREAMS_MAX ? core : CTF_STREAMS_MAX];

	if (!stream->is_used) {
		stream->is_used = outbuf_init(&stream->packet, OUTBUF_MEMORY);
		if (!stream->is_used)
			return NULL;
		stream->packet.at += head_bytes(ctf, stream);
		memset(stream->packet.start, 0, head_bytes(ctf, stream));
	}
	return ctf->last = stream;
}

/* Room for an event; the packet before it ends where it is full. false: memory ran out. */
static bool event_reserve(struct export *export, struct ctf_stream *stream, size_t n_bytes)
{
	if (stream->packet.at - stream->packet.start >= CTF_PACKET_BYTES)
		packet_end(export, stream);
	return outbuf_reserve(&stream->packet, n_bytes);
}

/* --- events ------------------------------------------------------------------------------------------------------- */

static void put_head(struct export *export, struct ctf_stream *stream, uint32_t id,
	const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct ctf *ctf = export->state;
	const struct rst_context *interrupted = rst_batch_interrupted(batch, row);
	const uint64_t ticks = at - export->scan->times.first;
	char *p = stream->packet.at;

	if (p == stream->packet.start + head_bytes(ctf, stream))
		stream->begin = ticks;
	stream->end = ticks;
	p = put_le(p, id, 4);
	p = put_le(p, ticks, 8);
	p = put_le(p, row_seq(export->scan, batch, row), 8);
	p = put_le(p, batch->context[row] ? batch->context[row]->index : UINT32_MAX, 4);
	p = put_le(p, interrupted ? interrupted->index : UINT32_MAX, 4);
	p = put_le(p, rst_batch_depth(batch, row), 1);
	p = put_le(p, (uint16_t)rst_batch_priority(batch, row), 2);
	stream->packet.at = put_le(p, (uint16_t)rst_batch_threshold(batch, row), 2);
}

static uint64_t bits_of(double real, unsigned n_bytes)
{
	const float single = (float)real;
	uint32_t low;
	uint64_t bits;

	memcpy(&low, &single, sizeof(low));
	memcpy(&bits, &real, sizeof(bits));
	return n_bytes == sizeof(low) ? low : bits;
}

static char *put_number(char *p, const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	if (field->type == RST_REAL)
		return put_le(p, bits_of(rst_field_real(field, payload, payload_bytes), field->n_bytes),
			field->n_bytes);
	return put_le(p, rst_field_number(field, payload, payload_bytes), ctf_bytes(field));
}

/* A text with its NUL, a row of bytes or numbers with their count, a number. */
static char *put_field(char *p, const struct rst_field *field, const uint8_t *payload, size_t payload_bytes)
{
	const size_t n = rst_field_length(field, payload, payload_bytes);
	size_t n_bytes;
	const uint8_t *bytes;

	if (rst_field_is_number(field))
		return put_number(p, field, payload, payload_bytes);
	if (field->type == RST_SEQUENCE) {
		p = put_le(p, n, 4);
		for (size_t i = 0; i < n; i++) {
			const struct rst_field item = rst_field_item(field, payload, payload_bytes, i);

			p = put_number(p, &item, payload, payload_bytes);
		}
		return p;
	}
	bytes = rst_field_bytes(field, payload, payload_bytes, &n_bytes);
	if (field->type == RST_BYTES)
		p = put_le(p, n_bytes, 4);
	if (n_bytes)
		p = memcpy(p, bytes, n_bytes);
	p += n_bytes;
	if (field->type == RST_TEXT)
		*p++ = '\0';
	return p;
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
	struct ctf_stream *stream = stream_of(export, rst_batch_core(batch, row));

	if (!class || !stream || !event_reserve(export, stream, room_of(layout, payload, payload_bytes)))
		return false;
	class->is_used[kind_of(ctf, stream)] = true;
	put_head(export, stream, class->id, batch, row, at);
	for (unsigned i = 0; i < layout->n_fields; i++)
		if (class->has[i])
			stream->packet.at =
				put_field(stream->packet.at, &layout->fields[i], payload, payload_bytes);
	if (stream->ends_soon)
		packet_end(export, stream);
	stream->ends_soon = false;
	return true;
}

/*
 * A loss stands in the counter of lost events, from the packet behind it on, and with damage as an event of its own, which has the
 * reason. Where the core is not known, it is in the stream that was written to last.
 */
static bool put_gap(struct export *export, const struct rst_batch *batch, size_t row,
	const struct rst_gap *gap, uint64_t at)
{
	struct ctf *ctf = export->state;
	const uint16_t core = rst_batch_core(batch, row);
	struct ctf_stream *stream = core == RST_NO_CORE && ctf->last ? ctf->last : stream_of(export, core);
	const bool is_damage = gap->marker == RST_DAMAGE;
	const size_t n_what = gap->what ? strlen(gap->what) : 0;
	char *p;

	if (!stream || !event_reserve(export, stream, EVENT_ROOM + n_what))
		return false;
	packet_end(export, stream);
	/* A loss lies between two packets. */
	if (!stream->number) {
		stream->begin = stream->end = at - export->scan->times.first;
		packet_write(export, stream);
	}
	stream->n_lost += is_damage ? 0 : gap->n_events ? gap->n_events : 1;
	ctf->has_lost[is_damage][kind_of(ctf, stream)] = true;
	put_head(export, stream, is_damage ? CTF_ID_DAMAGE : CTF_ID_LOST, batch, row, at);
	p = put_le(stream->packet.at, is_damage ? gap->offset : gap->n_events, 8);
	if (is_damage)
		p = put_le(p, gap->n_bytes, 8);
	if (n_what)
		memcpy(p, gap->what, n_what);
	p[n_what] = '\0';
	stream->packet.at = p + n_what + 1;
	stream->ends_soon = true;
	return true;
}

static bool ctf_row(struct export *export, const struct rst_batch *batch, size_t row, uint64_t at)
{
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	return gap ? put_gap(export, batch, row, gap, at) : put_event(export, batch, row, at);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static enum rst_status ctf_end(struct export *export, struct rst_error *err)
{
	struct ctf *ctf = export->state;
	struct outbuf metadata;

	for (size_t i = 0; i <= CTF_STREAMS_MAX; i++)
		packet_end(export, &ctf->streams[i]);
	if (!outbuf_init(&metadata, OUTBUF_MEMORY))
		return error_nomem(err);
	ctf_put_metadata(export, &metadata);
	if (export->status == RST_OK)
		file_append(export, "metadata", &metadata);
	outbuf_done(&metadata);
	if (export->status < 0)
		*err = export->err;
	return export->status;
}

static void ctf_done(struct export *export)
{
	struct ctf *ctf = export->state;

	for (size_t i = 0; i <= CTF_STREAMS_MAX; i++)
		if (ctf->streams[i].is_used)
			outbuf_done(&ctf->streams[i].packet);
	free(ctf->by_layout);
	arena_done(&ctf->arena);
}

const struct export_format export_format_ctf = {
	.name = "ctf",
	.extension = ".ctf",
	.about = "CTF 1.8, a folder: babeltrace2, Trace Compass",
	.keeps = "events with all fields, contexts, cores, priorities; losses, wall clock",
	.leaves = "intervals, sentences, names of objects",
	.output = EXPORT_FOLDER,
	.wants_clock = true,
	.state_bytes = sizeof(struct ctf),
	.row = ctf_row,
	.end = ctf_end,
	.done = ctf_done,
};
