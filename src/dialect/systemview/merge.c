/* SPDX-License-Identifier: MIT */
/*
 * The streams of whole files. One stream is one core. Streams of one file are cores of one recording, and so
 * are files of ESP-IDF with the same beginning: both count by one clock, whose zero is the start. Rows of
 * several cores come in the order of time. Other files are recordings one behind the other, each a new run.
 *
 * ESP-IDF writes events that belong to no core into the stream of each core, with the same time and bytes.
 * They are shown once. As one core's copy may be lost, each stream is compared with the recent ones of the
 * others.
 */
#include <string.h>

#include "base/hash.h"
#include "dialect/systemview/systemview.h"

enum { BEGINNING_PACKETS = 8 };

static bool is_of_no_core(uint32_t id)
{
	static const uint32_t bits = 1U << SV_OVERFLOW | 1U << SV_START_READY | 1U << SV_TASK_INFO |
				     1U << SV_TRACE_START | 1U << SV_TRACE_STOP | 1U << 12 | 1U << 13 |
				     1U << SV_SYSDESC | 1U << SV_STACK_INFO | 1U << SV_MODULEDESC |
				     1U << SV_INIT | 1U << SV_NUMMODULES;

	return id < SV_ID_OWN && (bits >> id & 1);
}

/* Takes all names of a stream. */
static bool take_names(struct sv *sv, struct model *model, struct sv_stream stream)
{
	for (;;) {
		sv_peek(&stream);
		if (stream.next == SV_NEXT_OVER)
			return true;
		if (stream.next == SV_NEXT_PACKET) {
			if (!sv_names_take(sv, model, &stream.packet))
				return false;
			stream.at += stream.packet.n_bytes;
		}
		stream.next = SV_NEXT_UNKNOWN;
	}
}

/* Whether both streams begin with the same packets at the same distances. */
static bool begins_alike(struct sv_stream a, struct sv_stream b)
{
	for (unsigned i = 0; i < BEGINNING_PACKETS; i++) {
		sv_peek(&a);
		sv_peek(&b);
		if (a.next != SV_NEXT_PACKET || b.next != SV_NEXT_PACKET || a.packet.id != b.packet.id ||
			(i && a.packet.delta != b.packet.delta) || a.packet.n_payload != b.packet.n_payload ||
			memcmp(a.packet.payload, b.packet.payload, a.packet.n_payload) != 0)
			return false;
		a.at += a.packet.n_bytes;
		b.at += b.packet.n_bytes;
		a.next = b.next = SV_NEXT_UNKNOWN;
	}
	return true;
}

static bool add_stream(struct sv *sv, struct model *model, const struct chunk *whole, size_t from, size_t to)
{
	struct sv_stream *stream = &sv->streams[sv->n_streams];

	if (sv->n_streams == SV_STREAMS_MAX) {
		if (sv->has_passed_streams)
			return true;
		sv->has_passed_streams = true;
		return model_warn(model, "only the first %d streams are read", SV_STREAMS_MAX);
	}
	sv_stream_begin(stream, whole->bytes + from, to - from, whole->offset + from, whole->source);
	stream->is_end = true;
	sv->n_streams++;
	return take_names(sv, model, *stream);
}

/* Whether the streams from `first` on are further cores of the recording before. */
static bool is_further_cores(const struct sv *sv, size_t first)
{
	return first && first < sv->n_streams && sv->is_esp &&
	       begins_alike(sv->streams[first - 1], sv->streams[first]);
}

static void number_streams(struct sv *sv, size_t first)
{
	const bool is_further = is_further_cores(sv, first);
	unsigned core = is_further ? sv->streams[first - 1].number + 1U : 0;

	if (!is_further)
		sv->n_recordings++;
	for (size_t i = first; i < sv->n_streams; i++) {
		sv->streams[i].recording = sv->n_recordings - 1;
		sv->streams[i].number = (uint16_t)core++;
	}
}

bool sv_merge_add(struct sv *sv, struct model *model, const struct chunk *whole)
{
	const size_t first = sv->n_streams;
	struct sv_head head;

	sv_head_parse(&head, whole->bytes, whole->n_bytes);
	if (!sv_names_head(sv, model, &head))
		return false;
	if (!head.n_offsets)
		head.offsets[head.n_offsets++] = 0;
	for (size_t i = 0; i < head.n_offsets; i++) {
		const uint64_t n_left = whole->n_bytes - head.n_bytes;
		const uint64_t from = head.offsets[i] < n_left ? head.offsets[i] : n_left;
		const uint64_t next = i + 1 < head.n_offsets ? head.offsets[i + 1] : n_left;

		if (!add_stream(sv, model, whole, head.n_bytes + from,
			    head.n_bytes + (next < n_left ? next : n_left)))
			return false;
	}
	sv_names_choose(sv);
	number_streams(sv, first);
	return true;
}

/* --- events of no core --------------------------------------------------------------------------------- */

static uint64_t hash_of(const struct sv_packet *packet)
{
	uint64_t hash = hash_byte(HASH_EMPTY, (uint8_t)packet->id);

	for (size_t i = 0; i < packet->n_payload; i++)
		hash = hash_byte(hash, packet->payload[i]);
	return hash;
}

/* Whether another stream has shown this event already. If not, it is kept for the others. */
static bool is_shown(struct sv *sv, struct sv_stream *stream)
{
	const uint64_t ticks = sv_next_ticks(stream), hash = hash_of(&stream->packet);
	const uint64_t bit = 1ULL << (stream - sv->streams);
	const size_t n = sv->n_shared < SV_SHARED_MAX ? sv->n_shared : SV_SHARED_MAX;

	for (size_t i = 0; i < n; i++) {
		struct sv_shared *shared = &sv->shared[(sv->n_shared - 1 - i) % SV_SHARED_MAX];

		if (shared->ticks < ticks)
			break;
		if (shared->ticks == ticks && shared->hash == hash && !(shared->seen & bit)) {
			shared->seen |= bit;
			return true;
		}
	}
	return false;
}

static void keep_shown(struct sv *sv, const struct sv_stream *stream, uint64_t ticks, uint64_t hash)
{
	sv->shared[sv->n_shared++ % SV_SHARED_MAX] =
		(struct sv_shared){ ticks, hash, 1ULL << (stream - sv->streams) };
}

/* Goes over a packet that another stream has shown. */
static void pass(struct sv_stream *stream)
{
	const struct sv_packet *packet = &stream->packet;

	if (packet->id == SV_OVERFLOW) {
		const uint8_t *at = packet->payload;
		uint64_t count = 0;

		sv_number(&at, at + packet->n_payload, 5, &count);
		stream->overflow = (uint32_t)count;
		stream->has_overflow = true;
	}
	stream->ticks = sv_next_ticks(stream);
	stream->begins_target |= !stream->has_started && packet->id == SV_TRACE_START;
	stream->has_started = stream->has_rows = true;
	stream->at += packet->n_bytes;
	stream->next = SV_NEXT_UNKNOWN;
}

/* --- order --------------------------------------------------------------------------------------------- */

/* The stream whose next packet is the earliest. Returns NULL if the recording has no more packets. */
static struct sv_stream *earliest(struct sv *sv, unsigned *ret_n_cores)
{
	struct sv_stream *found = NULL;

	*ret_n_cores = 0;
	for (size_t i = 0; i < sv->n_streams; i++) {
		struct sv_stream *stream = &sv->streams[i];

		if (stream->recording != sv->recording)
			continue;
		++*ret_n_cores;
		sv_peek(stream);
		if (stream->next != SV_NEXT_OVER && (!found || sv_next_ticks(stream) < sv_next_ticks(found)))
			found = stream;
	}
	return found;
}

/* Begins the next recording as a new run. */
static enum sv_step next_recording(struct sv *sv, struct model *model, struct batch *batch)
{
	const struct sv_stream *first = NULL;
	uint64_t begin;

	if (batch_is_full(batch))
		return SV_NO_ROOM;
	begin = model_run_begin(model, batch);
	sv->recording++;
	for (size_t i = sv->n_streams; i > 0; i--)
		if (sv->streams[i - 1].recording == sv->recording) {
			sv->streams[i - 1].ticks = begin;
			first = &sv->streams[i - 1];
		}
	if (!first || !begin)
		return SV_DONE;
	return model_put_run(model, batch, first->source, first->offset, "another recording follows")
		       ? SV_DONE
		       : SV_NO_MEMORY;
}

enum sv_step sv_merge(struct sv *sv, struct model *model, struct batch *batch)
{
	enum sv_step step = SV_DONE;

	while (step == SV_DONE) {
		unsigned n_cores;
		struct sv_stream *stream = earliest(sv, &n_cores);
		bool is_shared;

		if (!stream && sv->recording + 1 >= sv->n_recordings)
			return SV_DONE;
		if (!stream) {
			step = next_recording(sv, model, batch);
			continue;
		}
		is_shared = sv->is_esp && n_cores > 1 && stream->next == SV_NEXT_PACKET &&
			    is_of_no_core(stream->packet.id);
		if (is_shared && is_shown(sv, stream)) {
			pass(stream);
			continue;
		}
		const uint64_t hash = is_shared ? hash_of(&stream->packet) : 0, ticks = sv_next_ticks(stream);

		step = sv_take(sv, model, batch, stream, is_shared);
		if (step == SV_DONE && is_shared)
			keep_shown(sv, stream, ticks, hash);
	}
	return step;
}
