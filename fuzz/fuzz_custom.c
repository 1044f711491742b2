/* SPDX-License-Identifier: MIT */
/* TraceX's custom event file. */
#include "dialect/threadx/threadx.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct threadx *tx = calloc(1, sizeof(*tx));
	struct model model;
	struct rst_error err;

	if (tx && model_init(&model))
		tx_custom_parse(tx, &model, data, size, &err);
	if (tx) {
		model_done(&model);
		map_done(&tx->custom);
	}
	free(tx);
	return 0;
}
