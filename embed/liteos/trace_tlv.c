/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_tlv.h"

#include "embed/core/memory.h"

enum { HEAD_BYTES = 6, ELEMENT_HEAD_BYTES = 2 };

typedef char trace_tlv_head_is_packed[sizeof(TraceMsgTlvHead) == HEAD_BYTES ? 1 : -1];

UINT32 g_traceTlvCut;

/* --- CRC ---------------------------------------------------------------------------------------------------- */

/* As many bytes at once as a register has. */
#if UINTPTR_MAX > 0xffffffff
typedef uint64_t crc_word;
#else
typedef uint32_t crc_word;
#endif

enum { CRC_WORD_BYTES = sizeof(crc_word), CRC_WORD_BITS = 8 * sizeof(crc_word) };

static inline crc_word load_big_endian(const UINT8 *bytes)
{
	crc_word word = 0;

	for (unsigned i = 0; i < CRC_WORD_BYTES; i++)
		word |= (crc_word)bytes[i] << (CRC_WORD_BITS - 8 - 8 * i);
	return word;
}

/*
 * What is left of word * x^16 after division by P = x^16 + x^12 + x^5 + 1, without a table. The quotient is word * x^16 / P,
 * and x^16 / P = 1 / (1 + y) with y = x^-4 + x^-11 + x^-16, which is (1 + y)(1 + y^2)(1 + y^4)...; y^2 is
 * x^-8 + x^-22 + x^-32, for bits have no carries, and powers that leave the word are nothing. Multiplied by P again,
 * only 16 bits are not cancelled.
 */
static inline UINT16 crc_of_word(crc_word word)
{
	crc_word quotient = word;

	quotient ^= quotient >> 4 ^ quotient >> 11 ^ quotient >> 16;
#if UINTPTR_MAX > 0xffffffff
	quotient ^= quotient >> 8 ^ quotient >> 22 ^ quotient >> 32;
	quotient ^= quotient >> 16 ^ quotient >> 44;
	quotient ^= quotient >> 32;
#else
	quotient ^= quotient >> 8 ^ quotient >> 22;
	quotient ^= quotient >> 16;
#endif
	return (UINT16)(quotient ^ quotient << 5 ^ quotient << 12);
}

UINT16 CalcCrc16(const UINT8 *data, UINT32 len)
{
	UINT16 crc = 0;

	for (; len >= CRC_WORD_BYTES; len -= CRC_WORD_BYTES, data += CRC_WORD_BYTES)
		crc = crc_of_word(load_big_endian(data) ^ (crc_word)crc << (CRC_WORD_BITS - 16));
	for (; len; len--, data++) {
		UINT32 byte = (UINT32)(crc >> 8) ^ *data;

		byte ^= byte >> 4;
		crc = (UINT16)((UINT32)crc << 8 ^ byte ^ byte << 5 ^ byte << 12);
	}
	return crc;
}

/* --- messages ----------------------------------------------------------------------------------------------- */

/* Numbers are most elements, so no call for them. */
static inline void value_copy(UINT8 *to, const UINT8 *from, UINT32 n_bytes)
{
	if (n_bytes == sizeof(UINT32))
		rastrum_memcpy(to, from, sizeof(UINT32));
	else if (n_bytes == sizeof(UINT64))
		rastrum_memcpy(to, from, sizeof(UINT64));
	else
		rastrum_memcpy(to, from, n_bytes);
}

static inline UINT32 OsTlvEncode(const TlvTable *table, const UINT8 *src, UINT8 *buf, INT32 len)
{
	UINT8 *at = buf, *end = buf + len;

	for (; table->tag != TRACE_TLV_TYPE_NULL; table++) {
		UINT32 n_bytes = table->elemSize;

		if (n_bytes == 0)
			continue;
		if ((UINT32)(end - at) < ELEMENT_HEAD_BYTES + n_bytes) {
			g_traceTlvCut++;
			break;
		}
		at[0] = table->tag;
		at[1] = (UINT8)n_bytes;
		value_copy(at + ELEMENT_HEAD_BYTES, src + table->elemOffset, n_bytes);
		at += ELEMENT_HEAD_BYTES + n_bytes;
	}
	return (UINT32)(at - buf);
}

UINT32 OsTraceDataEncode(UINT8 type, const TlvTable *table, UINT8 *src, UINT8 *dest, INT32 destLen)
{
	TraceMsgTlvHead head;
	UINT32 n_body;

	if (destLen <= HEAD_BYTES || table == NULL)
		return 0;
	n_body = OsTlvEncode(table, src, dest + HEAD_BYTES, destLen - HEAD_BYTES);
	head.magicNum = TRACE_TLV_MSG_HEAD;
	head.msgType = type;
	head.len = (UINT16)n_body;
	head.crc = CalcCrc16(dest + HEAD_BYTES, n_body);
	rastrum_memcpy(dest, &head, HEAD_BYTES);
	return HEAD_BYTES + n_body;
}
