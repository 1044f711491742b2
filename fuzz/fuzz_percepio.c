/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of Percepio's streams: see stream.h. */
#include "dialect/percepio/percepio.h"
#include "fuzz/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stream_fuzz(&dialect_percepio, data, size);
	return 0;
}
