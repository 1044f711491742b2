/* SPDX-License-Identifier: MIT */
/* The state of a source (source.h), and the functions that its files share. */
#ifndef INPUT_SOURCE_PARTS_H
#define INPUT_SOURCE_PARTS_H

#include "input/live.h"
#include "input/wrapping/layer.h"

enum { SOURCE_WRAPPINGS_MAX = 4 };

struct source {
	int fd; /* the source's own descriptor, or -1 */
	void *mapping;
	size_t n_mapped;
	uint64_t n_file;
	struct stat about; /* of the mapped file */
	struct layer layers[1 + SOURCE_WRAPPINGS_MAX];
	size_t n_layers;
	bool is_settled;     /* all wrappings have been found */
	char wrappings[200]; /* room for four of the longest names, and commas */
	struct wrapping_faults faults;
	struct source_judge judge;

	bool is_read_ahead; /* the advice to the system about reading the mapping is settled */

	/* source_live.c: the front of a link, and its pending reports. */
	struct live_input live;
	bool is_live;
	bool has_loss;	    /* bytes are missing, … */
	const char *loss;   /* … for this reason */
	bool has_paused;    /* a pause was reported, and no bytes have come since */
	uint64_t n_dropped; /* bytes given up before the first one handed over */
	struct source_look {
		bool has_looked, is_last;
		size_t n_bytes;	   /* of the front when it was last shown */
		uint64_t start_ms; /* when its first byte came */
	} look;

	/* source_next.c: the item that is handed over after the damage found with it. */
	bool has_ready;
	struct input_item ready;
	size_t n_damages;	 /* the kept ones that were handed over */
	uint64_t n_damages_more; /* the merely counted ones that were handed over */
	uint64_t n_given;	 /* bytes handed over */

	/* source_whole.c: the run that it gathers. */
	bool has_whole;
	uint8_t *gathered;
	size_t n_gathered, n_room, n_max; /* n_gathered is n_max at most */
	char name[];
};

static inline struct layer *source_top(struct source *source)
{
	return &source->layers[source->n_layers - 1];
}

/* Adds the name of the source to err if status is a failure. Returns status. */
static inline enum rst_status source_fail(
	const struct source *source, enum rst_status status, struct rst_error *err)
{
	if (status < 0)
		error_name(err, source->name);
	return status;
}

/* Notes damage at an offset of the file as given. */
void source_note(struct source *source, uint64_t offset, uint64_t n_bytes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* --- source.c ------------------------------------------------------------------------------------------- */

/*
 * Fills the front. The first call takes all wrappings off. The front of a link consists of the bytes that it
 * has shown.
 */
enum rst_status source_settle(struct source *source, struct rst_error *err);

/* Whether source_settle() would unwrap the front as it is now. */
bool source_is_wrapped(struct source *source);

/* Gives the front as it is now. */
void source_front(const struct source *source, struct source_front *ret);

/* --- source_whole.c ------------------------------------------------------------------------------------- */

/*
 * Gives all bytes in one run. may_go_on: bytes beyond the limit are not damage, and *ret is not whole if
 * there are any.
 */
enum rst_status source_whole(
	struct source *source, bool may_go_on, struct input_item *ret, struct rst_error *err);

/* --- source_live.c: links only -------------------------------------------------------------------------- */

/* Does the work of source_look() for a link. */
enum rst_status source_look_live(struct source *source, struct source_front *ret, struct rst_error *err);

/* Whether it is a link that may report a pause. */
bool source_may_pause(const struct source *source);

/*
 * Waits for the next bytes. *ret_is_pause: none came for SOURCE_PAUSE_MS, and that has not been reported yet.
 */
enum rst_status source_wait(struct source *source, bool *ret_is_pause, struct rst_error *err);

/* Stores the reason why the link was lost or gave fewer bytes than there were. */
void source_note_loss(struct source *source);

#endif
