/* SPDX-License-Identifier: MIT */
/*
 * Messages of protobuf, encoded by hand (protobuf.dev, "Encoding"). Every proto_* writes at p, returns one
 * past its last byte, and checks nothing: the caller has reserved room.
 */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	PROTO_NUMBER = 0,
	PROTO_FIXED = 1,
	PROTO_BYTES = 2,
	PROTO_LENGTH = 4,	/* bytes that the length of a message takes: enough for 256 MiB … */
	PROTO_LENGTH_SHORT = 2, /* … and for 16 KiB */
};

/* Seven bits in each byte, the lowest first. */
static inline char *proto_varint(char *p, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*p++ = (char)(number | 0x80);
	*p++ = (char)number;
	return p;
}

static inline size_t proto_varint_bytes(uint64_t number)
{
	return (size_t)(70 - __builtin_clzll(number | 1)) / 7;
}

/* Fields are constants, so their keys are constants, too. */
static inline __attribute__((always_inline)) char *proto_key(char *p, unsigned field, unsigned wire)
{
	const unsigned key = field << 3 | wire;

	if (key >= 0x80)
		*p++ = (char)(key | 0x80);
	*p++ = (char)(key >= 0x80 ? key >> 7 : key);
	return p;
}

static inline __attribute__((always_inline)) char *proto_number(char *p, unsigned field, uint64_t number)
{
	return proto_varint(proto_key(p, field, PROTO_NUMBER), number);
}

static inline __attribute__((always_inline)) char *proto_fixed(char *p, unsigned field, uint64_t number)
{
	const uint64_t stored = htole64(number);

	p = proto_key(p, field, PROTO_FIXED);
	memcpy(p, &stored, sizeof(stored));
	return p + sizeof(stored);
}

static inline __attribute__((always_inline)) char *proto_bytes(
	char *p, unsigned field, const char *bytes, size_t n_bytes)
{
	p = proto_varint(proto_key(p, field, PROTO_BYTES), n_bytes);
	if (n_bytes)
		memcpy(p, bytes, n_bytes);
	return p + n_bytes;
}

/*
 * Begins a message whose length is not known yet: leaves `n_length` bytes for it. proto_end() is due with the
 * returned begin.
 */
static inline __attribute__((always_inline)) char *proto_begin(char *p, unsigned field, unsigned n_length)
{
	return proto_key(p, field, PROTO_BYTES) + n_length;
}

/*
 * start: what proto_begin() returned. The length always takes all of its bytes: seven bits each; the highest
 * bit means that another byte follows.
 */
static inline __attribute__((always_inline)) void proto_end(char *start, const char *p, unsigned n_length)
{
	const uint32_t n = (uint32_t)(p - start);
	const uint32_t low = (n & 0x7f) | (n << 1 & 0x7f00) | 0x80;
	const uint16_t short_length = htole16((uint16_t)low);
	const uint32_t length = htole32(low | (n << 2 & 0x7f0000) | (n << 3 & 0x7f000000) | 0x808000);

	if (n_length == PROTO_LENGTH_SHORT)
		memcpy(start - PROTO_LENGTH_SHORT, &short_length, sizeof(short_length));
	else
		memcpy(start - PROTO_LENGTH, &length, sizeof(length));
}

#endif
