/* SPDX-License-Identifier: MIT */
/* The rows of a timeline: which tracks are shown, in groups, and what each is called. The same for every picture. */
#ifndef VIEW_ROWS_H
#define VIEW_ROWS_H

#include "report/select.h"
#include "store/tracks.h"

struct row_group {
	const char *title; /* "Threads" */
	enum rst_interval_kind kind;
};

/* In the order of a picture, from its top. */
extern const struct row_group row_groups[];
extern const size_t n_row_groups;

enum { ROW_LABEL_MAX = 128 };

struct row {
	const struct track *track;
	const struct row_group *group;
	char label[ROW_LABEL_MAX]; /* printable UTF-8; "" for lanes beyond the first */
};

struct rows {
	struct row *all;
	size_t n;
	size_t n_hidden; /* that the list leaves out, or that have nothing in the window */
};

/*
 * The tracks that have something from one moment to another, and whose names the list takes (one without
 * items: all), in the order of groups, and in these in that of their first segment. Returns false if memory
 * ran out; rows_done() is due in any case.
 */
bool rows_make(struct rows *rows, const struct tracks *tracks, const struct select_list *names, uint64_t from,
	uint64_t to);
void rows_done(struct rows *rows);

/* A name or number; at most room - 1 bytes and a NUL, cut between characters. */
void entity_label(const struct rst_entity *entity, char *label, size_t room);

/* What a class is called: "running", "waiting for lock", …; static text. */
const char *class_name(unsigned class);

#endif
