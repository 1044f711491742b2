/* SPDX-License-Identifier: MIT */
/*
 * Converts traces into formats of other tools. Each format is one const struct in one array. It gets the
 * rows, effects and pieces of intervals of a scan, and writes during the scan. Its memory is constant, except
 * for the state of each thread and object. No format depends on a dialect.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include "analysis/scan.h"
#include "base/outbuf.h"
#include "database/loading.h"
#include "lines/sentence.h"

enum export_output {
	EXPORT_STREAM, /* bytes in sequence: also into a pipe */
	EXPORT_FILE,   /* a file by its name */
	EXPORT_FOLDER, /* several files */
};

struct export_option {
	const char *key, *about;
	const char *const *choices; /* the first is the default; NULL ends them */
};

struct export;

/* A note for the user, one clause. */
typedef void export_note_fn(void *context, const char *note);

/* The states of all formats begin so. */
struct export_state {
	struct export *export;
};

struct export_format {
	/* Its callbacks return false if memory ran out, or export->status is set. */
	struct observer_kind observer;
	const char *name, *extension;
	const char *about;  /* for which tools */
	const char *keeps;  /* the data of a trace that it has */
	const char *leaves; /* what it has no place for */
	enum export_output output;
	/* an option without a key ends the list; NULL if the format has no options */
	const struct export_option *options;
	const char *report; /* the report writes this format; then the members below are not used */
	bool takes_several; /* traces */
	bool wants_texts;   /* sentences and fields as JSON */
	/* its times have a unit: if the frequency is not known, a tick counts as one unit */
	bool wants_clock;
	/* For each trace: before its scan, whose observers it may add to. */
	enum rst_status (*begin)(struct export *export, struct rst_error *err);
	/* Behind the scan. */
	enum rst_status (*end)(struct export *export, struct rst_error *err);
	/* Once, after the last trace, and once in any case. */
	enum rst_status (*finish)(struct export *export, struct rst_error *err);
	/*
	 * After the end of each trace: writes what the format has no place for, and remarks about the output.
	 */
	void (*explain)(const struct export *export, export_note_fn *put_note, void *context);
};

/* All formats; NULL ends the list. */
extern const struct export_format *const export_formats[];

/* Returns RST_E_USAGE, with the existing names, if a name is unknown. */
enum rst_status export_format_find(
	const char *name, const struct export_format **ret_format, struct rst_error *err);

/* Finds the format by the extension of a file: the longest matching one. Returns NULL without a match. */
const struct export_format *export_format_of(const char *path);

enum { EXPORT_OPTIONS_MAX = 4 };

/* A conversion. */
struct export
{
	/* Set by the caller. */
	const struct export_format *format;
	struct outbuf *out; /* EXPORT_STREAM */
	const char *path;   /* the others: an empty file, or folder */
	unsigned choices[EXPORT_OPTIONS_MAX];
	/* … for each trace. */
	struct rst_trace *trace;
	struct template_set *templates;
	struct diags *diags;
	unsigned source;
	const char *fault; /* behind the scan: why the trace could not be read to its end; or NULL */

	struct observers observers; /* the format */
	void *state;		    /* its state */
	struct scan *scan;
	struct observer_kind observer;
	struct sentences sentences;
	bool has_sentences;
	enum rst_status status; /* nothing is written after a failure */
	struct rst_error err;
};

/* Returns RST_E_USAGE if the format has no such option, or choice. */
enum rst_status export_choose(
	struct export *export, const char *key, const char *value, struct rst_error *err);

/* Whether the format has an option of this name. */
bool export_has_option(const struct export_format *format, const char *key, size_t n_key);

/* Once, before the first trace. export_done() is due in any case. RST_E_NOMEM. */
enum rst_status export_init(struct export *export, struct rst_error *err);

/* Before the scan of a trace, of which it becomes an observer. */
enum rst_status export_begin(struct export *export, struct scan *scan, struct rst_error *err);

/* After the scan of a trace. It is due after export_begin() in any case. */
enum rst_status export_end(struct export *export, bool is_good, struct rst_error *err);

/* After the last trace. */
enum rst_status export_finish(struct export *export, struct rst_error *err);
void export_done(struct export *export);

extern const struct export_format export_format_csv, export_format_jsonl, export_format_sqlite,
	export_format_chrome, export_format_perfetto, export_format_ctf, export_format_collapsed,
	export_format_speedscope, export_format_vcd, export_format_mermaid, export_format_txtb;

#endif
