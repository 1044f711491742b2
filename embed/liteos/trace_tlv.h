/* SPDX-License-Identifier: MIT */
/*
 * Messages: ff | type | bytes of the body | CRC of the body | body, and a body is a run of elements: tag |
 * bytes | value. All numbers are as the target's memory has them. The CRC is CRC-16/XMODEM (polynomial
 * 0x1021, from 0).
 */
#ifndef EMBED_LITEOS_TRACE_TLV_H
#define EMBED_LITEOS_TRACE_TLV_H

#include "embed/liteos/los_trace_types.h"

#define TRACE_TLV_MSG_HEAD  0xFF
#define TRACE_TLV_TYPE_NULL 0xFF

#define TRACE_MSG_HEAD_BYTES 6 /* ours */

#define CRC_WIDTH  8
#define CRC_POLY   0x1021
#define CRC_TOPBIT 0x8000

typedef struct {
	UINT8 magicNum;
	UINT8 msgType;
	UINT16 len;
	UINT16 crc;
} TraceMsgTlvHead;

typedef struct {
	UINT8 type;
	UINT8 len;
#ifdef __cplusplus
	UINT8 value[1]; /* len of them */
#else
	UINT8 value[]; /* len of them */
#endif
} TraceMsgTlvBody;

/* An element of a message: where its value stands in the structure. Tag TRACE_TLV_TYPE_NULL ends a table. */
typedef struct {
	UINT8 tag;
	UINT8 elemOffset;
	UINT8 elemSize; /* 0 if there is no such element */
} TlvTable;

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The message of a structure in `dest`; returns how many bytes it has, 0: there is no table, or no room for a
 * body. An element that does not fit, and all behind it, are left out, and the message is counted in
 * g_traceTlvCut.
 */
UINT32 OsTraceDataEncode(UINT8 type, const TlvTable *table, UINT8 *src, UINT8 *dest, INT32 destLen);

/* Ours: puts the head in front of a body that stands behind its room; returns the bytes of both. */
UINT32 OsTraceMessageEnd(UINT8 type, UINT8 *message, UINT32 n_body);

UINT16 CalcCrc16(const UINT8 *data, UINT32 len);

extern UINT32 g_traceTlvCut;

#ifdef __cplusplus
}
#endif

#endif
