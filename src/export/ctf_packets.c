/* SPDX-License-Identifier: MIT */
/* Files and packets of CTF. Files are opened to append, so that no descriptor is open for each core. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "export/ctf.h"

enum {
	MAGIC_BYTES = 8, /* and stream id */
	CONTEXT_BYTES = 6 * 8,
	HEAD_BYTES = MAGIC_BYTES + CONTEXT_BYTES,
};

/* --- files ---------------------------------------------------------------------------------------------- */

enum rst_status ctf_fault(struct export *export, int error)
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

void ctf_file_append(struct export *export, const char *name, const struct outbuf *out)
{
	char path[4096];
	const int n_path = snprintf(path, sizeof(path), "%s/%s", export->path, name);
	const int fd =
		n_path < (int)sizeof(path) ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;

	if (out->error)
		ctf_fault(export, out->error);
	else if (fd < 0)
		ctf_fault(export, n_path < (int)sizeof(path) ? errno : ENAMETOOLONG);
	else if (!bytes_write(fd, out->start, (size_t)(out->at - out->start)))
		ctf_fault(export, errno);
	if (fd >= 0 && close(fd) != 0 && export->status == RST_OK)
		ctf_fault(export, errno);
}

/* --- packets -------------------------------------------------------------------------------------------- */

static bool has_core(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return stream != &ctf->streams[CTF_STREAMS_MAX];
}

enum ctf_stream_kind ctf_kind_of(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return has_core(ctf, stream) ? CTF_CORE : CTF_NO_CORE;
}

static size_t head_bytes(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return HEAD_BYTES + (has_core(ctf, stream) ? 4 : 0);
}

/* The header of a packet is complete only when the packet ends. */
void ctf_packet_write(struct export *export, struct ctf_stream *stream)
{
	struct ctf *ctf = export->state;
	struct outbuf *packet = &stream->packet;
	const size_t n_bytes = (size_t)(packet->at - packet->start);
	char *p = packet->start, name[32];

	p = ctf_put_le(p, 0xC1FC1FC1, 4);
	p = ctf_put_le(p, ctf_kind_of(ctf, stream), 4);
	p = ctf_put_le(p, stream->begin, 8);
	p = ctf_put_le(p, stream->end, 8);
	p = ctf_put_le(p, n_bytes * 8, 8);
	p = ctf_put_le(p, n_bytes * 8, 8);
	p = ctf_put_le(p, stream->number++, 8);
	p = ctf_put_le(p, stream->n_lost, 8);
	if (has_core(ctf, stream)) {
		ctf_put_le(p, (uint64_t)(stream - ctf->streams), 4);
		snprintf(name, sizeof(name), "stream_%zu", (size_t)(stream - ctf->streams));
	} else {
		snprintf(name, sizeof(name), "stream");
	}
	if (export->status == RST_OK)
		ctf_file_append(export, name, packet);
	packet->at = packet->start + head_bytes(ctf, stream);
}

bool ctf_is_empty(const struct ctf *ctf, const struct ctf_stream *stream)
{
	return !stream->is_used || stream->packet.at == stream->packet.start + head_bytes(ctf, stream);
}

void ctf_packet_end(struct export *export, struct ctf_stream *stream)
{
	if (!ctf_is_empty(export->state, stream))
		ctf_packet_write(export, stream);
}

struct ctf_stream *ctf_stream_of(struct export *export, uint16_t core)
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

bool ctf_event_reserve(struct export *export, struct ctf_stream *stream, size_t n_bytes)
{
	if (stream->packet.at - stream->packet.start >= CTF_PACKET_BYTES)
		ctf_packet_end(export, stream);
	return outbuf_reserve(&stream->packet, n_bytes);
}
