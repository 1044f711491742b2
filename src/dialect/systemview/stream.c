/* SPDX-License-Identifier: MIT */
/*
 * From packet to packet, and over damage to the next place where packets can be read. A stream of a file has
 * all its bytes. One of a link waits for more bytes in the middle of a packet; of damage it keeps a tail, in
 * which readable packets may begin, and counts the rest as passed.
 */
#include <string.h>

#include "dialect/systemview/systemview.h"

enum { FIRST_ROW = 8, TAIL_BYTES = 4096 };

void sv_stream_begin(
	struct sv_stream *stream, const uint8_t *bytes, size_t n_bytes, uint64_t offset, const char *source)
{
	memset(stream, 0, sizeof(*stream));
	stream->start = stream->at = bytes;
	stream->end = bytes + n_bytes;
	stream->offset = offset;
	stream->source = source;
}

static void next_damage(struct sv_stream *stream, const uint8_t *to)
{
	stream->next = SV_NEXT_DAMAGE;
	stream->n_damaged = stream->n_passed + (size_t)(to - stream->at);
	stream->offset -= stream->n_passed;
	stream->n_passed = 0;
	stream->is_searching = false;
	stream->at = to;
	stream->is_behind_sync = false;
}

/* Searches on for a readable place. */
static void search_on(struct sv_stream *stream)
{
	const size_t n_left = (size_t)(stream->end - stream->at);
	const uint8_t *to =
		sv_resume(stream->at + (stream->n_passed == 0 && n_left > 0), stream->end, stream->is_end);

	if (to < stream->end || stream->is_end) {
		next_damage(stream, to);
		return;
	}
	if (n_left > 2 * TAIL_BYTES) {
		stream->n_passed += n_left - TAIL_BYTES;
		stream->at = stream->end - TAIL_BYTES;
	}
	stream->next = SV_NEXT_WAIT;
}

static bool is_sync(const struct sv_stream *stream)
{
	struct sv_packet packet;
	const char *what;

	return sv_parse(&packet, stream->at, stream->end, &what) == SV_SYNC;
}

/* Finds the first packet: behind a sync, or where enough packets are plausible. */
static bool join(struct sv_stream *stream)
{
	stream->is_joined =
		is_sync(stream) || sv_is_plausible(stream->at, stream->end, FIRST_ROW, stream->is_end);
	if (stream->is_joined)
		return true;
	if (!stream->is_end && stream->end - stream->at < TAIL_BYTES) {
		stream->next = SV_NEXT_WAIT;
		return false;
	}
	stream->is_joined = true;
	stream->is_searching = true;
	stream->what = "bytes in front of the first packet that can be read";
	return true;
}

static void skip_zeros(struct sv_stream *stream)
{
	while (stream->at < stream->end && *stream->at == 0)
		stream->at++;
	stream->is_behind_sync = stream->at == stream->end;
}

void sv_peek(struct sv_stream *stream)
{
	if (stream->next == SV_NEXT_WAIT)
		stream->next = SV_NEXT_UNKNOWN;
	while (stream->next == SV_NEXT_UNKNOWN) {
		if (stream->is_behind_sync)
			skip_zeros(stream);
		if (stream->at == stream->end && !stream->n_passed) {
			stream->next = stream->is_end ? SV_NEXT_OVER : SV_NEXT_WAIT;
			return;
		}
		if (!stream->is_joined && !join(stream))
			return;
		if (stream->is_searching) {
			search_on(stream);
			return;
		}
		switch (sv_parse(&stream->packet, stream->at, stream->end, &stream->what)) {
		case SV_WHOLE:
			stream->next = SV_NEXT_PACKET;
			break;
		case SV_SYNC:
			stream->at += stream->packet.n_bytes;
			stream->is_behind_sync = true;
			break;
		case SV_CUT:
			stream->next = SV_NEXT_WAIT;
			if (stream->is_end) {
				stream->what = "the last packet is cut";
				next_damage(stream, stream->end);
			}
			break;
		case SV_BAD:
			stream->is_searching = true;
			break;
		}
	}
}
