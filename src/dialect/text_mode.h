/* SPDX-License-Identifier: MIT */
/*
 * Whether a recording has come by a transfer in text mode (input/text_mode.h). That each LF has a CR in front is only a
 * sign: one address with 0d 0a in it would do. It is certain when the recording is right without these CRs, and wrong with them.
 */
#ifndef DIALECT_TEXT_MODE_H
#define DIALECT_TEXT_MODE_H

#include "dialect/dialect.h"

enum text_mode_verdict {
	TEXT_MODE_NOT,
	TEXT_MODE_DOUBTFUL, /* the recording is wrong, and has the sign */
	TEXT_MODE_CERTAIN,
};

/* What to say of each. */
extern const char text_mode_doubt[], text_mode_undone[];

/*
 * Judges the front of a source, or the whole of a file that can be mapped. *dialect is the one that was recognised, or NULL; of a
 * certain verdict it becomes the one that reads what was there before. RST_E_NOMEM.
 */
enum rst_status text_mode_judge(const struct source *source, const struct source_front *front,
	const struct rst_open *how, const struct dialect **dialect, enum text_mode_verdict *ret,
	struct rst_error *err);

#endif
