/* SPDX-License-Identifier: MIT */
/* A link, whose bytes arrive while they are read: the functions that give them (src/input/live/). */
#ifndef INPUT_LIVE_H
#define INPUT_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rastrum/error.h>

enum { LIVE_FOREVER = -1 };

struct live_input {
	const char *name; /* lives as long as the trace */
	bool is_pipe;	  /* it has an end, so it may be wrapped, or a dump to be read as a whole */
	bool is_file;	  /* the recording in it says where it ends */
	void *context;

	/*
	 * Gives bytes as soon as there are any. Returns RST_OK without bytes if wait_ms has passed;
	 * LIVE_FOREVER sets no limit. Returns RST_MORE if bytes are missing here; missing() gives the reason,
	 * and the next call goes on and waits for a link that was lost. Returns RST_END if no more bytes will
	 * come.
	 */
	enum rst_status (*read)(void *context, uint8_t *room, size_t n_room, int wait_ms, size_t *ret_n_bytes,
		struct rst_error *err);

	/*
	 * After RST_MORE, returns what is missing, as a clause that lives as long as the input, or NULL if
	 * the link was lost.
	 */
	const char *(*missing)(void *context);

	/*
	 * Reports that no dialect recognises the first n_bytes; they are given up, and reading goes on.
	 * Called once. May be NULL.
	 */
	void (*unknown)(void *context, uint64_t n_bytes);
};

#endif
