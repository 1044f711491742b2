/* SPDX-License-Identifier: MIT */
/*
 * Finds whether a transfer in text mode has changed a recording (input/text_mode.h). A CR in front of each LF
 * is only a sign, because one address with 0d 0a in it has the same effect. It is certain if the recording is
 * right without these CRs, and wrong with them.
 */
#ifndef TRACE_TEXT_MODE_H
#define TRACE_TEXT_MODE_H

#include "dialect/dialect.h"

enum text_mode_verdict {
	TEXT_MODE_NOT,
	TEXT_MODE_DOUBTFUL, /* the recording is wrong, and has the sign */
	TEXT_MODE_CERTAIN,
};

/* The messages for the two verdicts. */
extern const char text_mode_doubt[], text_mode_undone[];

/*
 * Judges the front of a source, or the whole of a file that can be mapped. *dialect is the one that was
 * recognised, or NULL. If the verdict is certain, it becomes the dialect of the original bytes. May return
 * RST_E_NOMEM.
 */
enum rst_status text_mode_judge(const struct source *source, const struct source_front *front,
	const struct rst_open *how, const struct dialect **dialect, enum text_mode_verdict *ret,
	struct rst_error *err);

#endif
