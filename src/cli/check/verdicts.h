/* SPDX-License-Identifier: MIT */
/*
 * How `rastrum check` writes what came of the rules: TAP, JUnit XML, JSON Lines. Each format is one const
 * struct.
 */
#ifndef CLI_CHECK_VERDICTS_H
#define CLI_CHECK_VERDICTS_H

#include "base/outbuf.h"
#include "job/evidence.h"
#include "query/verdict.h"

/* The result of all rules on one trace. */
struct verdicts {
	const struct check *check;
	struct times *times; /* NULL if the trace has no event, or could not be read */
	const char *path;    /* of the trace */
	const char *file;    /* of the rules */
	bool has_several;    /* traces */
	size_t n_before;     /* verdicts of the traces before this one */
	const struct evidence *evidence;
};

/* The result of all rules on all traces. */
struct tally {
	const struct rules *rules;
	const char *file; /* of the rules */
	size_t n_traces;
	size_t n_of[VERDICT_UNDECIDED + 1]; /* verdicts */
	struct missing {
		size_t n_traces;    /* that have nothing which the rule is about */
		const char *reason; /* of the last one, in the arena of the rules; NULL if memory ran out */
	} * missing;		    /* of each rule */
};

struct verdict_format {
	const char *name;
	bool wants_evidence;
	void (*begin)(struct outbuf *out, size_t n_verdicts); /* or NULL */
	void (*put)(struct outbuf *out, const struct verdicts *verdicts);
	void (*end)(struct outbuf *out, const struct tally *tally); /* or NULL */
};

/* Returns RST_E_USAGE if there is no such format. */
enum rst_status verdict_format_find(
	const char *name, const struct verdict_format **ret_format, struct rst_error *err);

extern const struct verdict_format verdict_format_tap, verdict_format_junit, verdict_format_json;

/* --- sentence.c: words for people ----------------------------------------------------------------------- */

/* "2.31 ms", "17 ticks", "41.2 %", "64" */
void value_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation, struct number value);

/* "3 of 120 broke it" */
void broken_put(struct outbuf *out, const struct run *run);

/* "2.31 ms, 310 us too much, thread 'worker'"; "from 0.123 to 0.125 seconds" */
void violation_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation);
void when_put(struct outbuf *out, const struct verdicts *verdicts, const struct violation *violation);

/* "120 measured, from 0.8 ms to 1.2 ms"; nothing, where nothing was. Returns false if so it was. */
bool measured_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run);

/* The worst violation first, then the first ones. NULL behind the last one. */
const struct violation *violation_at(const struct run *run, size_t n);

#endif
