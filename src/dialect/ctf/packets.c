/* SPDX-License-Identifier: MIT */
/*
 * Finds the packets of a file. A packet tells its size, and behind it the next one begins, if headers have a
 * magic number, with that. So a size that lies is seen: then the packet ends where the next magic number
 * stands with the uuid of the trace. A file without sizes is one packet.
 */
#include <string.h>

#include "base/array.h"
#include "dialect/ctf/ctf.h"

enum { MAGIC_BYTES = 4, UUID_BYTES = 16 };
static const uint32_t packet_magic = 0xc1fc1fc1;

struct finder {
	struct ctf *ctf;
	struct ctf_trace *trace;
	const struct ctf_file *file;
	bool has_magic, is_big;
	uint64_t kept[CTF_HELD_MAX];
};

static bool packets_has_role(const struct ctf_packet *packet, enum ctf_role role)
{
	return packet->has_roles >> role & 1;
}

static bool add_packet(struct finder *finder, const struct ctf_packet *packet)
{
	struct ctf *ctf = finder->ctf;
	struct ctf_packet *packets;

	if (ctf->n_packets >= CTF_PACKETS_MAX) {
		ctf->is_full = true;
		return true;
	}
	packets = array_room(ctf->packets, ctf->n_packets, &ctf->packets_room, sizeof(*packets));
	if (!packets)
		return false;
	ctf->packets = packets;
	packets[ctf->n_packets] = *packet;
	packets[ctf->n_packets].number = ctf->n_packets;
	ctf->n_packets++;
	return true;
}

/* Bytes that are no packet stand behind the packet before them, and in its stream. */
static bool add_junk(struct finder *finder, uint64_t at, uint64_t n_bytes, const char *what)
{
	struct ctf *ctf = finder->ctf;
	const struct ctf_packet *last = ctf->n_packets ? &ctf->packets[ctf->n_packets - 1] : NULL;
	struct ctf_packet junk = { .file = finder->file };

	if (last && last->file == finder->file)
		junk = *last;
	junk.at = at;
	junk.n_bytes = n_bytes;
	junk.begins_bits = junk.content_bits = 0;
	junk.damage = what;
	junk.damage_at = at;
	junk.damage_bytes = n_bytes;
	return add_packet(finder, &junk);
}

static void fill_magic(const struct finder *finder, uint8_t magic[MAGIC_BYTES])
{
	for (unsigned i = 0; i < MAGIC_BYTES; i++)
		magic[i] = (uint8_t)(packet_magic >> 8 * (finder->is_big ? MAGIC_BYTES - 1 - i : i));
}

/* Whether a header may begin here, as far as the file goes. */
static bool is_header_at(const struct finder *finder, uint64_t at)
{
	const uint8_t *bytes = finder->file->bytes + at;
	const uint64_t n_left = finder->file->n_bytes - at;
	uint8_t magic[MAGIC_BYTES];

	fill_magic(finder, magic);
	return n_left >= MAGIC_BYTES && memcmp(bytes, magic, MAGIC_BYTES) == 0 &&
	       (!finder->trace->has_uuid || n_left < MAGIC_BYTES + UUID_BYTES ||
		       memcmp(bytes + MAGIC_BYTES, finder->trace->uuid, UUID_BYTES) == 0);
}

/* The place of the next header at or behind `at`; the end of the file if no header follows. */
static uint64_t find_header(const struct finder *finder, uint64_t at)
{
	const uint8_t *bytes = finder->file->bytes;
	const uint64_t n_bytes = finder->file->n_bytes;
	uint8_t magic[MAGIC_BYTES];

	fill_magic(finder, magic);
	while (finder->has_magic && at < n_bytes) {
		const uint8_t *found = memmem(bytes + at, n_bytes - at, magic, MAGIC_BYTES);

		if (!found)
			break;
		at = (uint64_t)(found - bytes);
		if (is_header_at(finder, at))
			return at;
		at++;
	}
	return n_bytes;
}

/* The search needs the magic number, and the uuid if there is one, at the front of headers. */
static void see_header(struct finder *finder)
{
	const struct ctf_class *header = finder->trace->packet_header;
	const struct ctf_member *first = header && header->n_members ? header->members : NULL;
	const struct ctf_member *second = first && header->n_members > 1 ? &first[1] : NULL;

	finder->has_magic = first && first->role == CTF_MAGIC && first->class->n_bits == 32;
	finder->is_big = finder->has_magic && first->class->is_big;
	if (!second || second->role != CTF_UUID)
		finder->trace->has_uuid = false;
}

static bool read_part(struct ctf_reader *reader, const struct ctf_class *class)
{
	return !class || ctf_read_value(reader, class, NULL);
}

/* Reads a packet's header and context. Returns NULL, or the reason why it is no packet. */
static const char *read_head(struct finder *finder, uint64_t at, struct ctf_packet *packet)
{
	const struct ctf_file *file = finder->file;
	struct ctf_trace *trace = finder->trace;
	struct ctf_reader reader = { .bits = { file->bytes + at, 0, 8 * (file->n_bytes - at) },
		.kept = finder->kept,
		.roles = packet->roles };
	const struct ctf_stream_class *only = trace->streams->next ? NULL : trace->streams;

	*packet = (struct ctf_packet){ .file = file, .at = at };
	if (!read_part(&reader, trace->packet_header))
		return "the file ends inside of the header of a packet";
	packet->has_roles = reader.has_roles;
	if (packets_has_role(packet, CTF_MAGIC) && packet->roles[CTF_MAGIC] != packet_magic)
		return "no packet begins here";
	packet->class = packets_has_role(packet, CTF_STREAM_ID)
				? map_find(&trace->stream_ids, packet->roles[CTF_STREAM_ID])
			: only ? only
			       : map_find(&trace->stream_ids, 0);
	if (!packet->class)
		return "the metadata does not describe the stream of this packet";
	if (!read_part(&reader, packet->class->parts[CTF_PACKET_CONTEXT]))
		return "the file ends inside of the header of a packet";
	packet->has_roles = reader.has_roles;
	packet->counter_bits = reader.counter_bits;
	packet->begins_bits = reader.bits.at;
	return NULL;
}

static void set_damage(struct ctf_packet *packet, const char *what)
{
	packet->damage = what;
	packet->damage_at = packet->at + packet->n_bytes;
	packet->damage_bytes = 0;
}

/* Decides where the packet ends, from its sizes and from what stands there. */
static void set_sizes(const struct finder *finder, struct ctf_packet *packet)
{
	const uint64_t n_left = finder->file->n_bytes - packet->at, head = (packet->begins_bits + 7) / 8;
	const bool has_content =
		packets_has_role(packet, CTF_CONTENT_SIZE) && packet->roles[CTF_CONTENT_SIZE];
	uint64_t bits = packets_has_role(packet, CTF_PACKET_SIZE) ? packet->roles[CTF_PACKET_SIZE] : 0;
	const uint64_t content = has_content ? packet->roles[CTF_CONTENT_SIZE] : bits ? bits : 8 * n_left;
	uint64_t n_bytes, next;

	if (!bits)
		bits = has_content && finder->has_magic ? (content + 7) & ~(uint64_t)7 : 8 * n_left;
	n_bytes = bits / 8 + (bits % 8 != 0);
	packet->n_bytes = n_bytes < n_left ? n_bytes : n_left;
	if (n_bytes < head || n_bytes > n_left ||
		(n_bytes < n_left && finder->has_magic && !is_header_at(finder, packet->at + n_bytes))) {
		next = finder->has_magic ? find_header(finder, packet->at + (head ? head : 1))
					 : finder->file->n_bytes;
		if (next - packet->at < n_bytes && next < finder->file->n_bytes) {
			packet->n_bytes = next - packet->at;
			set_damage(
				packet, "the size of this packet is wrong: another one begins inside of it");
		} else if (n_bytes < head) {
			packet->n_bytes = next - packet->at;
			set_damage(packet, "the size of this packet is wrong: it is shorter than its header");
		} else if (n_bytes > n_left) {
			packet->is_cut = true;
			set_damage(packet, "the file ends before this packet does");
		}
	}
	if (content > 8 * packet->n_bytes && !packet->damage)
		set_damage(packet, "the content of this packet is longer than the packet");
	packet->content_bits = content < 8 * packet->n_bytes ? content : 8 * packet->n_bytes;
	if (packet->content_bits < packet->begins_bits)
		packet->content_bits = packet->begins_bits;
}

/* No more packets are kept: the rest of the file is left out. */
static bool owe_left_out(const struct finder *finder, uint64_t at)
{
	const struct ctf_file *file = finder->file;

	return ctf_owe(
		finder->ctf, &(struct rst_gap){ .marker = RST_DAMAGE,
				     .offset = at,
				     .n_bytes = file->n_bytes - at,
				     .what = "there are more packets than can be read, and this one and "
					     "those behind it are left out",
				     .source = file->name });
}

bool ctf_find_packets(
	struct ctf *ctf, struct ctf_trace *trace, const struct ctf_file *file, bool *ret_is_stream)
{
	struct finder finder = { .ctf = ctf, .trace = trace, .file = file };
	uint64_t at = 0;

	see_header(&finder);
	while (at < file->n_bytes && !ctf->is_full) {
		struct ctf_packet packet;
		const char *why = read_head(&finder, at, &packet);

		if (!why) {
			set_sizes(&finder, &packet);
			if (!add_packet(&finder, &packet))
				return false;
			at += ctf->is_full ? 0 : packet.n_bytes;
		} else {
			const uint64_t next = find_header(&finder, at + 1);

			*ret_is_stream = at || next < file->n_bytes || !finder.has_magic;
			if (!*ret_is_stream)
				return true;
			if (!add_junk(&finder, at, next - at, why))
				return false;
			at = ctf->is_full ? at : next;
		}
	}
	return !ctf->is_full || owe_left_out(&finder, at);
}
