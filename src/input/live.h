/* SPDX-License-Identifier: MIT */
/* A link whose bytes arrive while they are read: the functions that give them (src/input/live/). */
#ifndef INPUT_LIVE_H
#define INPUT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rastrum/error.h>

enum { LIVE_FOREVER = -1 };

struct live_input {
	const char *name; /* lives as long as the trace */
	bool is_pipe;	  /* it has an end, so it may be wrapped and may be a dump to be read as a whole */
	bool is_file;	  /* what is recorded there has an end when it says so */
	void *context;

	/*
	 * Gives bytes as soon as there are any. RST_OK with none: wait_ms (or LIVE_FOREVER) went by. Returns
	 * RST_MORE if some are missing here, of which missing() gives the reason; the next call goes on, and
	 * waits for a link that was lost. Returns RST_END if no more will come.
	 */
	enum rst_status (*read)(void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes,
		struct rst_error *err);

	/*
	 * After RST_MORE: what is missing, a clause that lives as long as the input. Returns NULL if the link
	 * was lost.
	 */
	const char *(*missing)(void *context);

	/* So many bytes have come that no dialect knows; they are given up, and reading goes on. Called once; or NULL. */
	void (*unknown)(void *context, uint64_t n_bytes);
};

#endif
