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
	struct live_input live;
	bool is_live;
	const char *missing; /* of the link, and … */
	bool is_missing;     /* … is still to be reported */
	uint64_t n_dropped;  /* in front of all chunks */
	struct layer layers[1 + SOURCE_WRAPPINGS_MAX];
	size_t n_layers;
	bool is_settled; /* all wrappings are known */
	bool is_whole;	 /* whole holds all there is, … */
	bool has_more;	 /* … or all that it may */
	const uint8_t *whole;
	size_t n_whole;
	uint8_t *gathered;    /* what whole points to when it is not a mapping */
	size_t n_room, n_max; /* of gathered; n_max at the most */
	char wrappings[200];  /* four of the longest name, and commas */
	struct wrapping_faults faults;
	struct source_judge judge;
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

/*
 * Fills the front; the first time, wrappings are taken off until none is left. The front of a link is what source_await()
 * has gathered.
 */
enum rst_status source_settle(struct source *source, struct rst_error *err);

/* The link was lost: remembers why, for source_missing(), and that it is still to be reported. */
void source_note_missing(struct source *source);

#endif
