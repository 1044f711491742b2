/* SPDX-License-Identifier: MIT */
/*
 * CTF 1.8, the format of LTTng: a folder with `metadata`, which is text (TSDL), and a file for each core with
 * packets of events. All is written with the low byte first and aligned to bytes.
 *
 *	packet   magic u32, stream id u32; begin u64, end u64, content and size in bits u64, number u64, lost events u64, core u32
 *	event    id u32, ticks since the first event u64; number u64, context u32, interrupted u32, depth u8, priority and threshold
 *	         i16; fields
 *
 *	ctf.c           the events of the profile generic
 *	ctf_packets.c   packets, files
 *	ctf_classes.c   which kinds of events there are: a layout, and which of its fields are there
 *	ctf_metadata.c  the text
 *	kernel.h        the profile lttng-kernel
 */
#ifndef EXPORT_CTF_H
#define EXPORT_CTF_H

#include "base/arena.h"
#include "export/kernel.h"

enum {
	CTF_STREAMS_MAX = 1024, /* cores; events of further ones are in the stream of those without a core */
	CTF_PACKET_BYTES = 64 * 1024,
	CTF_ENUM_NAMES_MAX = 1024, /* contexts that are an enumeration in events */
	CTF_ID_LOST = 0,	   /* ids of events of our own; those of the trace are behind them */
	CTF_ID_DAMAGE,
	CTF_ID_FIRST,
	CTF_ID_RUN = INT32_MAX, /* behind all others */
};

/* Markers, as has_lost counts them. */
enum ctf_marker { CTF_LOST, CTF_DAMAGE, CTF_RUN, N_CTF_MARKERS };

/* Streams of a core, and of none: the packets of these have no number of a core. */
enum ctf_stream_kind { CTF_CORE, CTF_NO_CORE, N_CTF_STREAM_KINDS };

struct ctf_stream {
	struct outbuf packet; /* what is in it so far */
	bool is_used;
	uint64_t number, n_lost; /* of packets; of events, since the stream began */
	uint64_t begin, end;
	bool ends_soon; /* behind the next event: readers show a loss anywhere in the packet */
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
	struct export *export;
	struct ctf_stream streams[CTF_STREAMS_MAX + 1];	  /* the last one: of no core */
	struct ctf_stream *last;			  /* that was written to */
	bool has_lost[N_CTF_MARKERS][N_CTF_STREAM_KINDS]; /* by marker: written there */
	struct arena arena;
	uint64_t ticks_max; /* 0 if it is not known yet */
	struct ctf_class **by_layout, *first, *newest;
	size_t layouts_room;
	uint32_t n_ids;
	struct kernel kernel; /* of the other profile */
};

/* The class of an event. Returns NULL if memory ran out. */
struct ctf_class *ctf_class_of(struct ctf *ctf, const struct rst_layout *layout, size_t payload_bytes);

/* Writes the metadata, once all classes and contexts are known. */
void ctf_put_metadata(struct export *export, struct outbuf *out);

/*
 * The time of a moment, in ticks since the first event. Readers count nanoseconds since 1970 in 63 bits, and
 * stop beyond.
 */
uint64_t ctf_ticks_max(const struct export *export);

static inline uint64_t ctf_ticks(const struct export *export, uint64_t at)
{
	const uint64_t first = export->scan->times.first, ticks = at > first ? at - first : 0;
	struct ctf *ctf = export->state;

	if (!ctf->ticks_max)
		ctf->ticks_max = ctf_ticks_max(export);
	return ticks < ctf->ticks_max ? ticks : ctf->ticks_max;
}

/* Parts that both profiles have. */
void ctf_put_trace(struct export *export, struct outbuf *out);
void ctf_put_env(struct export *export, struct outbuf *out); /* what is in it besides the tracer */
void ctf_put_clock(struct export *export, struct outbuf *out);
void ctf_put_string(struct outbuf *out, const char *text);

/*
 * The stream of a core; its packets have 64 KiB and what one more event takes. Returns NULL if memory ran
 * out.
 */
struct ctf_stream *ctf_stream_of(struct export *export, uint16_t core);
enum ctf_stream_kind ctf_kind_of(const struct ctf *ctf, const struct ctf_stream *stream);

/* The present packet of the stream has no event. */
bool ctf_is_empty(const struct ctf *ctf, const struct ctf_stream *stream);

/* Makes room for an event; a full packet ends before it. Returns false if memory ran out. */
bool ctf_event_reserve(struct export *export, struct ctf_stream *stream, size_t n_bytes);

/*
 * Writes the present packet to its file: as it is, or unless it is empty. A failure sets the export's status.
 */
void ctf_packet_write(struct export *export, struct ctf_stream *stream);
void ctf_packet_end(struct export *export, struct ctf_stream *stream);

/* Appends to a file of the folder. A failure sets the export's status. */
void ctf_file_append(struct export *export, const char *name, const struct outbuf *out);
enum rst_status ctf_fault(struct export *export, int error);

/* The machine's byte order may differ. */
static inline char *ctf_put_le(char *p, uint64_t number, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		*p++ = (char)(number >> 8 * i & 0xff);
	return p;
}

/* The bytes of a number of this field in a packet: 1, 2, 4 or 8. */
static inline unsigned ctf_bytes(const struct rst_field *field)
{
	const unsigned n_bytes = field->n_bits ? (field->n_bits + 7U) / 8 : field->n_bytes;

	return n_bytes <= 2 ? n_bytes : n_bytes <= 4 ? 4 : 8;
}

#endif
