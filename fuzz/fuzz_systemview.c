/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of SystemView's streams: see stream.h. */
#include "dialect/systemview/systemview.h"
#include "fuzz/stream.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	stream_fuzz(&dialect_systemview, data, size);
	return 0;
}
