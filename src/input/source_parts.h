/* SPDX-License-Identifier: MIT */
/* What the files of a source (source.h) share: its state, and the ways from one to the other. */
#ifndef INPUT_SOURCE_PARTS_H
#define INPUT_SOURCE_PARTS_H

#include "input/live.h"
#include "input/wrapping/layer.h"

enum { SOURCE_WRAPPINGS_MAX = 4 };

struct source {
	int fd; /* -1: none that is ours */
	void *mapping;
	size_t n_mapped;
	uint64_t n_file;
	struct stat about; /* of what is mapped */
	struct layer layers[1 + SOURCE_WRAPPINGS_MAX];
	size_t n_layers;
	bool is_settled;     /* all wrappings are known */
	char wrappings[200]; /* four of the longest name, and commas */
	struct wrapping_faults faults;
	struct source_judge judge;

	bool is_read_ahead; /* the system has been told how the mapping will be read */

	/* source_live.c: the front of a link, and what it has still to report. */
	struct live_input live;
	bool is_live;
	bool has_loss;	    /* bytes are missing, … */
	const char *loss;   /* … for this reason */
	bool has_paused;    /* that was reported, and no bytes have come since */
	uint64_t n_dropped; /* in front of all that is handed over */
	struct source_look {
		bool has_looked, is_last;
		size_t n_bytes;	   /* of the front, as it was shown last */
		uint64_t start_ms; /* when its first byte came */
	} look;

	/* source_next.c: what is ready to be handed over, behind the damage found with it. */
	bool has_ready;
	struct input_item ready;
	size_t n_damages;	 /* handed over, of those that are kept */
	uint64_t n_damages_more; /* the same of those that are only counted */
	uint64_t n_given;	 /* bytes handed over */

	/* source_whole.c: the run that is gathered. */
	bool has_whole;
	uint8_t *gathered;
	size_t n_gathered, n_room, n_max; /* n_max at the most */
	char name[];
};

static inline struct layer *source_top(struct source *source)
{
	return &source->layers[source->n_layers - 1];
}

/* The status, after its failure has been given the name of the source. */
static inline enum rst_status source_fail(
	const struct source *source, enum rst_status status, struct rst_error *err)
{
	if (status < 0)
		error_name(err, source->name);
	return status;
}

/* Notes damage at offset of the file as given. */
void source_note(struct source *source, uint64_t offset, uint64_t n_bytes, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* --- source.c ------------------------------------------------------------------------------------------------ */

/* Fills the front; the first time, wrappings are taken off until none is left. The front of a link is what it has shown. */
enum rst_status source_settle(struct source *source, struct rst_error *err);

/* Whether the front as it is now would be unwrapped. */
bool source_is_wrapped(struct source *source);

/* The front as it is now. */
void source_front(const struct source *source, struct source_front *ret);

/* --- source_whole.c ------------------------------------------------------------------------------------------ */

/* All the bytes in one run. may_go_on: what is beyond the limit is no damage, and *ret is not whole then. */
enum rst_status source_whole(
	struct source *source, bool may_go_on, struct input_item *ret, struct rst_error *err);

/* --- source_live.c: only of links ---------------------------------------------------------------------------- */

/* As source_look(). */
enum rst_status source_look_live(struct source *source, struct source_front *ret, struct rst_error *err);

/* Whether it is a link that may report a pause. */
bool source_may_pause(const struct source *source);

/* Waits for the next bytes. *ret_is_pause: there were none for so long, which has not been reported yet. */
enum rst_status source_wait(struct source *source, bool *ret_is_pause, struct rst_error *err);

/* The link was lost, or has given fewer bytes than there were: remembers why. */
void source_note_loss(struct source *source);

#endif
