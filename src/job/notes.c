/* SPDX-License-Identifier: MIT */
#include "job/notes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "job/outcome.h"

enum { DAMAGES_TOLD_MAX = 10, SENTENCE_MAX = 1000 };

struct listener {
	tell_fn *tell;
	void *context;
};

/* If memory runs out, it tells the first SENTENCE_MAX bytes. */
__attribute__((format(printf, 2, 3))) static void tell_sentence(
	const struct listener *listener, const char *format, ...)
{
	char cut[SENTENCE_MAX + 1], *whole = NULL;
	va_list args;

	va_start(args, format);
	const int n = vsnprintf(cut, sizeof(cut), format, args);

	va_end(args);
	if (n > SENTENCE_MAX) {
		va_start(args, format);
		if (vasprintf(&whole, format, args) < 0)
			whole = NULL;
		va_end(args);
	}
	listener->tell(listener->context, whole ? whole : cut);
	free(whole);
}

/* Tells the first damages, and how many there are in all. */
static void tell_damages(struct rst_trace *trace, enum notes_kind kind, const struct listener *listener)
{
	const struct rst_gap *gaps;
	size_t n_kept, n_told = 0, n_most = kind == NOTES_SUMMED_UP ? 1 : DAMAGES_TOLD_MAX;
	const uint64_t n_all = rst_trace_gaps(trace, &gaps, &n_kept);

	for (size_t i = 0; i < n_kept && n_told < n_most; i++) {
		char size[40] = "";

		if (gaps[i].marker != RST_DAMAGE)
			continue;
		n_told++;
		if (gaps[i].n_bytes)
			snprintf(size, sizeof(size), " (%" PRIu64 " byte%s)", gaps[i].n_bytes,
				gaps[i].n_bytes == 1 ? "" : "s");
		tell_sentence(listener, "%s: byte %" PRIu64 ": %s%s", gaps[i].source, gaps[i].offset,
			gaps[i].what, size);
	}
	if (n_told == n_most && n_all > n_told && kind != NOTES_COUNTED)
		tell_sentence(listener, "%s: %" PRIu64 " losses and damages in all%s",
			rst_trace_metadata(trace)->path, n_all,
			kind == NOTES_OF_FILE ? "; `rastrum info` counts them" : "");
}

int notes_tell(struct rst_trace *trace, bool is_quiet, enum notes_kind kind, tell_fn *tell, void *context)
{
	const struct rst_metadata *metadata = rst_trace_metadata(trace);
	const struct listener listener = { tell, context };

	for (size_t i = 0; i < metadata->n_warnings && !is_quiet; i++)
		tell_sentence(&listener, "%s: note: %s", metadata->path, metadata->warnings[i]);
	if (kind != NOTES_NO_DAMAGE)
		tell_damages(trace, kind, &listener);
	return rst_trace_is_damaged(trace) ? EXIT_DAMAGED : EXIT_GOOD;
}
