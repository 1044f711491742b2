/* SPDX-License-Identifier: MIT */
/*
 * Reads a stream event by event. Before the first event of a packet it compares the packet's counters with
 * those of the packet before: discarded events and missing packets are losses. A fault costs the rest of its
 * packet.
 */
#include <string.h>

#include "dialect/ctf/ctf.h"
#include "model/model.h"

static bool stream_has_role(const struct ctf_packet *packet, enum ctf_role role)
{
	return packet->has_roles >> role & 1;
}

/* How far a counter of so many bits has gone. */
static uint64_t counter_step(uint64_t from, uint64_t to, unsigned n_bits)
{
	return n_bits && n_bits < 64 ? (to - from) & (((uint64_t)1 << n_bits) - 1) : to - from;
}

/* Events that the tracer discarded since the packet before, or before the first one. */
static bool see_counter(struct ctf_stream *stream, struct rst_gap *gap)
{
	const struct ctf_packet *packet = stream->packet;
	uint64_t n;

	if (!stream_has_role(packet, CTF_DISCARDED))
		return false;
	n = counter_step(stream->counter, packet->roles[CTF_DISCARDED], packet->counter_bits);
	if (packet->roles[CTF_DISCARDED] < stream->counter && packet->counter_bits == 64)
		n = packet->roles[CTF_DISCARDED]; /* the tracer has started anew */
	stream->counter = packet->roles[CTF_DISCARDED];
	if (n)
		*gap = (struct rst_gap){ .marker = RST_LOSS,
			.n_events = n,
			.offset = packet->at,
			.what = "the tracer discarded events, because its buffer was full",
			.source = packet->file->name };
	return n != 0;
}

static bool see_number(struct ctf_stream *stream, struct rst_gap *gap)
{
	const struct ctf_packet *packet = stream->packet;
	uint64_t n = 0;

	if (!stream_has_role(packet, CTF_PACKET_NUMBER))
		return false;
	if (stream->has_number && packet->roles[CTF_PACKET_NUMBER] > stream->number)
		n = packet->roles[CTF_PACKET_NUMBER] - stream->number - 1;
	stream->has_number = true;
	stream->number = packet->roles[CTF_PACKET_NUMBER];
	if (n)
		*gap = (struct rst_gap){ .marker = RST_LOSS,
			.n_packets = n,
			.offset = packet->at,
			.what = "packets are missing, whose events were not counted",
			.source = packet->file->name };
	return n != 0;
}

/*
 * The begin of a packet sets the clock forwards. Backwards it sets it only if the whole packet is earlier:
 * events may be a little older than the begin of their packet.
 */
static void set_time(struct ctf_stream *stream)
{
	const struct ctf_packet *packet = stream->packet;
	struct ctf_time *time = &stream->time;
	const uint64_t begin = packet->roles[CTF_BEGIN];

	if (!stream_has_role(packet, CTF_BEGIN))
		return;
	if (!time->is_known || begin > time->ticks ||
		(stream_has_role(packet, CTF_END) && packet->roles[CTF_END] < time->ticks))
		*time = (struct ctf_time){ true, begin };
}

/* The values of the packet's header and context that fields of events refer to. */
static void keep_head(struct ctf_stream *stream)
{
	const struct ctf_packet *packet = stream->packet;
	struct ctf_reader reader = { .bits = { packet->file->bytes + packet->at, 0, 8 * packet->n_bytes },
		.kept = stream->kept };

	if (stream->trace->n_held && stream->trace->packet_header)
		ctf_read_value(&reader, stream->trace->packet_header, NULL);
	if (stream->trace->n_held && packet->class->parts[CTF_PACKET_CONTEXT])
		ctf_read_value(&reader, packet->class->parts[CTF_PACKET_CONTEXT], NULL);
}

static void open_packet(struct ctf_stream *stream)
{
	const struct ctf_packet *packet = stream->packet;

	stream->bits = (struct ctf_bits){ packet->file->bytes + packet->at, packet->begins_bits,
		packet->content_bits };
	stream->core = stream_has_role(packet, CTF_CPU) && packet->roles[CTF_CPU] < RST_NO_CORE
			       ? (uint16_t)packet->roles[CTF_CPU]
			       : RST_NO_CORE;
	if (packet->content_bits == packet->begins_bits || !packet->class)
		return;
	keep_head(stream);
	set_time(stream);
}

/* Ends the packet. Returns true if that shows damage. */
static bool close_packet(struct ctf_stream *stream, struct rst_gap *gap)
{
	const struct ctf_packet *packet = stream->packet;

	stream->packet = NULL;
	if (!packet->damage)
		return false;
	*gap = (struct rst_gap){ .marker = RST_DAMAGE,
		.offset = packet->damage_at,
		.n_bytes = packet->damage_bytes,
		.what = packet->damage,
		.source = packet->file->name };
	return true;
}

void ctf_give_up(struct ctf_stream *stream, uint64_t from_bit, const char *what, struct rst_gap *gap)
{
	const struct ctf_packet *packet = stream->packet;
	const uint64_t at = from_bit / 8, end = (packet->content_bits + 7) / 8;

	*gap = (struct rst_gap){ .marker = RST_DAMAGE,
		.offset = packet->at + at,
		.n_bytes = end > at ? end - at : 0,
		.what = packet->damage && packet->content_bits >= 8 * packet->n_bytes ? packet->damage : what,
		.source = packet->file->name };
	stream->packet = NULL;
}

/* Reads the header of the next event. Returns NULL, or why it cannot be read. */
static const char *read_header(struct ctf *ctf, struct ctf_stream *stream, struct model *model)
{
	const struct ctf_stream_class *class = stream->packet->class;
	uint64_t roles[CTF_N_ROLES];
	struct ctf_reader reader = { .bits = stream->bits,
		.from = stream->bits.at,
		.kept = ctf->kept,
		.roles = roles,
		.time = &stream->time };
	const struct ctf_class *header = class->parts[CTF_EVENT_HEADER];

	memcpy(ctf->kept, stream->kept, (size_t)stream->trace->n_held * sizeof(*ctf->kept));
	stream->event_at = stream->bits.at;
	if (header && !ctf_read_value(&reader, header, NULL))
		return reader.fault;
	if (reader.has_roles >> CTF_EVENT_ID & 1)
		stream->event = map_find(&class->events, roles[CTF_EVENT_ID]);
	else
		stream->event = class->n_events == 1 ? class->only : map_find(&class->events, 0);
	if (!stream->event)
		return "the metadata does not describe the event here, so the rest of its packet cannot be "
		       "read";
	stream->bits = reader.bits;
	memcpy(stream->kept, ctf->kept, (size_t)stream->trace->n_held * sizeof(*ctf->kept));
	stream->stamp = stream->time.ticks;
	(void)model;
	return NULL;
}

enum ctf_step ctf_next_event(
	struct ctf *ctf, struct ctf_stream *stream, struct model *model, struct rst_gap *ret_gap)
{
	for (;;) {
		const char *why;

		if (!stream->packet) {
			if (stream->n_opened == stream->n_packets)
				return CTF_STEP_END;
			stream->packet = &stream->packets[stream->n_opened++];
			stream->phase = stream->packet->content_bits ? 0 : 2;
		}
		if (stream->phase == 0) {
			stream->phase = 1;
			if (see_counter(stream, ret_gap))
				return CTF_STEP_GAP;
		}
		if (stream->phase == 1) {
			stream->phase = 2;
			if (see_number(stream, ret_gap))
				return CTF_STEP_GAP;
		}
		if (stream->phase == 2) {
			stream->phase = 3;
			open_packet(stream);
		}
		if (stream->bits.at >= stream->bits.end) {
			if (close_packet(stream, ret_gap))
				return CTF_STEP_GAP;
			continue;
		}
		why = read_header(ctf, stream, model);
		if (!why)
			return CTF_STEP_EVENT;
		ctf_give_up(stream, stream->event_at, why, ret_gap);
		return CTF_STEP_GAP;
	}
}
