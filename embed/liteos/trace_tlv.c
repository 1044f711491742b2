/* SPDX-License-Identifier: MIT */
#include "embed/liteos/trace_tlv.h"

#include "embed/core/memory.h"

enum { ELEMENT_HEAD_BYTES = 2 };

typedef char trace_tlv_head_is_packed[sizeof(TraceMsgTlvHead) == TRACE_MSG_HEAD_BYTES ? 1 : -1];

UINT32 g_traceTlvCut;

/* --- CRC ------------------------------------------------------------------------------------------------ */

/* As many bytes at once as a register has. */
#if UINTPTR_MAX > 0xffffffff
typedef uint64_t crc_word;
#else
typedef uint32_t crc_word;
#endif

enum { CRC_WORD_BYTES = sizeof(crc_word), CRC_WORD_BITS = 8 * sizeof(crc_word) };

/* Without a loop, so that compilers find the one instruction for it. */
static inline crc_word load_big_endian(const UINT8 *bytes)
{
#if UINTPTR_MAX > 0xffffffff
	return (crc_word)bytes[0] << 56 | (crc_word)bytes[1] << 48 | (crc_word)bytes[2] << 40 |
	       (crc_word)bytes[3] << 32 | (crc_word)bytes[4] << 24 | (crc_word)bytes[5] << 16 |
	       (crc_word)bytes[6] << 8 | bytes[7];
#else
	return (crc_word)bytes[0] << 24 | (crc_word)bytes[1] << 16 | (crc_word)bytes[2] << 8 | bytes[3];
#endif
}

/*
 * The remainder of word * x^16 after division by P = x^16 + x^12 + x^5 + 1, without a table. The quotient is
 * word * x^16 / P, and x^16 / P = 1 / (1 + y) with y = x^-4 + x^-11 + x^-16, which is (1 + y)(1 + y^2)(1 +
 * y^4)...; y^2 is x^-8 + x^-22 + x^-32, because bits have no carries. Powers that leave the word are zero. If
 * the quotient is multiplied by P again, all but 16 bits cancel.
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

/* --- messages ------------------------------------------------------------------------------------------- */

/* Numbers are most elements, so no call for them. */
static inline VOID OsWriteTlv(UINT8 *buf, UINT8 type, UINT8 len, const UINT8 *value)
{
	buf[0] = type;
	buf[1] = len;
	if (len == sizeof(UINT32))
		rastrum_memcpy(buf + 2, value, sizeof(UINT32));
	else if (len == sizeof(UINT64))
		rastrum_memcpy(buf + 2, value, sizeof(UINT64));
	else
		rastrum_memcpy(buf + 2, value, len);
}

static inline UINT32 OsTlvEncode(const TlvTable *table, const UINT8 *src, UINT8 *buf, INT32 len)
{
	UINT32 n_body = 0, n_left = (UINT32)len;

	for (; table->tag != TRACE_TLV_TYPE_NULL; table++) {
		const UINT32 n_bytes = ELEMENT_HEAD_BYTES + (UINT32)table->elemSize;

		if (table->elemSize == 0)
			continue;
		if (n_left < n_bytes) {
			g_traceTlvCut++;
			break;
		}
		OsWriteTlv(buf + n_body, table->tag, table->elemSize, src + table->elemOffset);
		n_body += n_bytes;
		n_left -= n_bytes;
	}
	return n_body;
}

UINT32 OsTraceMessageEnd(UINT8 type, UINT8 *message, UINT32 n_body)
{
	TraceMsgTlvHead head;

	head.magicNum = TRACE_TLV_MSG_HEAD;
	head.msgType = type;
	head.len = (UINT16)n_body;
	head.crc = CalcCrc16(message + TRACE_MSG_HEAD_BYTES, n_body);
	rastrum_memcpy(message, &head, TRACE_MSG_HEAD_BYTES);
	return TRACE_MSG_HEAD_BYTES + n_body;
}

UINT32 OsTraceDataEncode(UINT8 type, const TlvTable *table, UINT8 *src, UINT8 *dest, INT32 destLen)
{
	UINT32 n_body;

	if (destLen <= TRACE_MSG_HEAD_BYTES || table == NULL)
		return 0;
	n_body = OsTlvEncode(table, src, dest + TRACE_MSG_HEAD_BYTES, destLen - TRACE_MSG_HEAD_BYTES);
	return OsTraceMessageEnd(type, dest, n_body);
}
