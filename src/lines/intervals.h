/* SPDX-License-Identifier: MIT */
/* `report --intervals`: what threads, cores and objects did from when to when, instead of events. */
#ifndef LINES_INTERVALS_H
#define LINES_INTERVALS_H

#include <rastrum/state.h>

#include "lines/report.h"

/* How intervals are written: one row for each format of reports that has them. */
struct interval_format {
	const char *name; /* of the report's format */
	bool has_gaps;	  /* losses and damages are lines between them, as among events */
	bool is_headed;	  /* the heading is part of the format: once for a report, whoever reads it */
	void (*head)(struct report *report, const struct report_input *input); /* or NULL */
	/* Writes a line. The output has room for INTERVAL_ROOM bytes and six for each byte of a name. */
	void (*put)(struct report_input *input, struct outbuf *out, const struct rst_interval *interval);
};

enum { INTERVAL_ROOM = 1024 };

extern const struct interval_format interval_format_text, interval_format_jsonl, interval_format_csv;

/* Finds the interval format of a report's format. Returns RST_E_USAGE if that format has no intervals. */
enum rst_status interval_format_find(
	const char *name, const struct interval_format **ret_format, struct rst_error *err);

/* The heading, once for a report. */
void intervals_begin(struct report *report, const struct report_input *input);

/*
 * Reads the trace and writes its intervals, in the order of their ends. Returns the same codes as
 * report_trace().
 */
enum rst_status intervals_trace(struct report_input *input, struct rst_error *err);

#endif
