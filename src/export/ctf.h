/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8, the format of LTTng: a folder with `metadata`, which is text (TSDL), and a file for each core with packets of events.
 * All is written with the low byte first and aligned to bytes.
 *
 *	packet   magic u32, stream id u32; begin u64, end u64, content and size in bits u64, number u64, lost events u64, core u32
 *	event    id u32, ticks since the first event u64; number u64, context u32, interrupted u32, depth u8, priority and threshold
 *	         i16; fields
 *
 *	ctf.c           packets and events
 *	ctf_classes.c   which kinds of events there are: a layout, and which of its fields are there
 *	ctf_metadata.c  the text
 */
#ifndef EXPORT_CTF_H
#define EXPORT_CTF_H

#include "base/arena.h"
#include "export/export.h"

enum {
	CTF_STREAMS_MAX = 256, /* cores; events of further ones are in the stream of those without a core */
	CTF_PACKET_BYTES = 64 * 1024,
	CTF_ID_LOST = 0, /* ids of events of our own; those of the trace are behind them */
	CTF_ID_DAMAGE,
	CTF_ID_FIRST,
};

/* Streams of a core, and of none: the packets of these have no number of a core. */
enum ctf_stream_kind { CTF_CORE, CTF_NO_CORE, N_CTF_STREAM_KINDS };

struct ctf_stream {
	struct outbuf packet; /* what is in it so far */
	bool is_used;
	uint64_t number, n_lost; /* of packets; of events, since the stream began */
	uint64_t begin, end;
	bool ends_soon; /* behind the next event: readers show a loss as somewhere in the packet */
};

/* Events of one layout that have the same fields. */
struct ctf_class {
	const struct rst_layout *layout;
	const uint8_t *has; /* for each field whether it is there */
	uint32_t id;
	bool is_used[N_CTF_STREAM_KINDS];
	struct ctf_class *other; /* of the same layout */
	struct ctf_class *next;	 /* in the order of ids */
};

struct ctf {
	struct ctf_stream streams[CTF_STREAMS_MAX + 1]; /* the last one: of no core */
	struct ctf_stream *last;			/* that was written to */
	bool has_lost[2][N_CTF_STREAM_KINDS];		/* lost, damage: written there */
	struct arena arena;
	struct ctf_class **by_layout, *first, *newest;
	size_t layouts_room;
	uint32_t n_ids;
};

/* The class of an event. NULL: memory ran out. */
struct ctf_class *ctf_class_of(struct ctf *ctf, const struct rst_layout *layout, size_t payload_bytes);

/* Writes the metadata; when all classes and contexts are known. */
void ctf_put_metadata(struct export *export, struct outbuf *out);

/* The bytes of a number of this field in a packet: 1, 2, 4 or 8. */
static inline unsigned ctf_bytes(const struct rst_field *field)
{
	const unsigned n_bytes = field->n_bits ? (field->n_bits + 7U) / 8 : field->n_bytes;

	return n_bytes <= 2 ? n_bytes : n_bytes <= 4 ? 4 : 8;
}

#endif
