/* SPDX-License-Identifier: MIT */
/* The rows of a timeline: which tracks are shown, their groups and labels. All pictures use them. */
#ifndef PICTURE_ROWS_H
#define PICTURE_ROWS_H

#include "select/select.h"
#include "tracks/tracks.h"

struct row_group {
	const char *title; /* "Threads" */
	enum rst_interval_kind kind;
};

/* The groups in the order of a picture, from its top. */
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
	size_t n_hidden; /* rows that the list leaves out or that have nothing in the window */
};

/*
 * Makes a row of each track that has something between `from` and `to` and whose name the list takes; an
 * empty list takes all. The rows are in the order of groups, and within a group in the order of their first
 * segment. Returns false if memory ran out. Call rows_done() in any case.
 */
bool rows_make(struct rows *rows, const struct tracks *tracks, const struct select_list *names, uint64_t from,
	uint64_t to);
void rows_done(struct rows *rows);

/* Writes the name or number: at most room - 1 bytes and a NUL. Cuts it between characters. */
void entity_label(const struct rst_entity *entity, char *label, size_t room);

/* Returns the name of a class: "running", "waiting for a lock", …; static text. */
const char *class_name(unsigned class);

#endif
