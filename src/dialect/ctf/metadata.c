/* SPDX-License-Identifier: MIT */
/*
 * Metadata is a text, or a text in packets, each with a header of its own:
 *
 *	magic:32 uuid:128 checksum:32 content_size:32 packet_size:32 compression:8 encryption:8 checksum:8 major:8 minor:8
 *
 * Sizes are in bits and contain the header. The order of the magic's bytes is that of the header's numbers.
 */
#include <string.h>

#include "base/load.h"
#include "dialect/ctf/ctf.h"

enum {
	HEADER_BYTES = 37,
	CONTENT_AT = 24,
	SIZE_AT = 28,
	SCHEMES_AT = 32,
	MAGIC = 0x75d11d57,
	CERTAIN = 95,
	LIKELY = 60,
	LOOK_BYTES = 1024,
};

static bool is_packet(const uint8_t *bytes, size_t n_bytes, bool *ret_is_big)
{
	if (n_bytes < 4)
		return false;
	*ret_is_big = load_u32(bytes, true) == MAGIC;
	return *ret_is_big || load_u32(bytes, false) == MAGIC;
}

static bool starts_with(const uint8_t *bytes, size_t n_bytes, const char *text)
{
	return n_bytes >= strlen(text) && memcmp(bytes, text, strlen(text)) == 0;
}

/* Behind blanks and comments. */
static size_t skip_comments(const uint8_t *bytes, size_t n_bytes)
{
	size_t at = 0;

	while (at < n_bytes) {
		const uint8_t *end = NULL;

		if (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\r' || bytes[at] == '\n') {
			at++;
			continue;
		}
		if (starts_with(bytes + at, n_bytes - at, "/*"))
			end = memmem(bytes + at, n_bytes - at, "*/", 2);
		else if (starts_with(bytes + at, n_bytes - at, "//"))
			end = memchr(bytes + at, '\n', n_bytes - at);
		if (!end)
			break;
		at = (size_t)(end - bytes) + (bytes[at + 1] == '*' ? 2 : 1);
	}
	return at;
}

/* A description that lacks the first line begins with a block or a type, and soon has a brace. */
unsigned ctf_rate_metadata(const uint8_t *bytes, size_t n_bytes)
{
	static const char *const words[] = { "trace", "typealias", "typedef", "clock", "env", "stream",
		"event", "struct" };
	bool is_big;
	size_t at;

	if (is_packet(bytes, n_bytes, &is_big) || starts_with(bytes, n_bytes, "/* CTF 1"))
		return CERTAIN;
	at = skip_comments(bytes, n_bytes);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		const size_t n = strlen(words[i]), n_left = n_bytes - at;

		if (!starts_with(bytes + at, n_left, words[i]) || n_left <= n)
			continue;
		if (memchr(" \t\r\n{", bytes[at + n], 5) &&
			memchr(bytes + at, '{', n_left < LOOK_BYTES ? n_left : LOOK_BYTES))
			return LIKELY;
	}
	return 0;
}

/* Copies the texts of all whole packets. */
static bool join_packets(struct ctf_trace *trace, struct ctf_text *ret, bool *ret_cut)
{
	const uint8_t *bytes = trace->metadata.bytes;
	const size_t n_bytes = trace->metadata.n_bytes;
	char *text = arena_alloc(&trace->arena, n_bytes + 1);
	size_t n = 0, at = 0;

	if (!text)
		return false;
	while (at < n_bytes) {
		size_t n_packet, n_content;
		bool is_big;

		*ret_cut = true;
		if (n_bytes - at < HEADER_BYTES || !is_packet(bytes + at, n_bytes - at, &is_big))
			break;
		n_content = load_u32(bytes + at + CONTENT_AT, is_big) / 8;
		n_packet = load_u32(bytes + at + SIZE_AT, is_big) / 8;
		if (bytes[at + SCHEMES_AT] || bytes[at + SCHEMES_AT + 1] || n_content < HEADER_BYTES ||
			n_content > n_packet)
			break;
		if (n_content > n_bytes - at)
			n_content = n_bytes - at;
		memcpy(text + n, bytes + at + HEADER_BYTES, n_content - HEADER_BYTES);
		n += n_content - HEADER_BYTES;
		if (n_packet > n_bytes - at)
			break;
		at += n_packet;
		*ret_cut = false;
	}
	*ret = (struct ctf_text){ text, n };
	return true;
}

bool ctf_metadata_text(struct ctf_trace *trace, struct ctf_text *ret, bool *ret_cut)
{
	bool is_big;

	*ret_cut = false;
	if (is_packet(trace->metadata.bytes, trace->metadata.n_bytes, &is_big))
		return join_packets(trace, ret, ret_cut);
	*ret = (struct ctf_text){ (const char *)trace->metadata.bytes, trace->metadata.n_bytes };
	return true;
}
