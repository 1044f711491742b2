/* SPDX-License-Identifier: MIT */
/*
 * A buffer that a debug probe empties while the program runs, laid out as SEGGER's Real Time Transfer has it,
 * so that J-Link's tools and OpenOCD (`rtt setup`, `rtt server start`) find and read it. The probe looks
 * through memory for the id, then moves `read` behind what it has fetched; the program moves `write`. One
 * byte always stays free.
 *
 *      static struct rastrum_rtt rtt;
 *      static uint8_t buffer[1024];
 *
 *      rastrum_rtt_init(&rtt, "trace", buffer, sizeof(buffer));
 *      if (rastrum_rtt_room(&rtt) >= RASTRUM_COMPACT_WIRE && (n = rastrum_compact_take(&trace, wire, 0)) != 0)
 *              rastrum_rtt_put(&rtt, wire, n);
 */
#ifndef EMBED_CORE_RTT_H
#define EMBED_CORE_RTT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rastrum_rtt_buffer {
	const char *name;
	uint8_t *bytes;
	uint32_t n_bytes;
	uint32_t write;
	volatile uint32_t read; /* the probe's */
	uint32_t flags;
};

struct rastrum_rtt {
	char id[16];
	int32_t n_up, n_down;
	struct rastrum_rtt_buffer up;
};

/* The buffer is the probe's to read from then on. n_bytes is at least 2. */
void rastrum_rtt_init(struct rastrum_rtt *rtt, const char *name, uint8_t *bytes, uint32_t n_bytes);

/* How many bytes can be put: 0 if the probe wrote an impossible position. */
uint32_t rastrum_rtt_room(const struct rastrum_rtt *rtt);

/* All of it or nothing; 0 if there is no room. One writer at a time. */
int rastrum_rtt_put(struct rastrum_rtt *rtt, const void *bytes, uint32_t n_bytes);

#ifdef __cplusplus
}
#endif

#endif
