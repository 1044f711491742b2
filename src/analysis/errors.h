/* SPDX-License-Identifier: MIT */
/*
 * Errors that the target reports: effects of the kind RST_EFFECT_ERROR that are errors. A thread's own object
 * may be given back for it after it has ended; that is no error, though the event looks like one.
 */
#ifndef ANALYSIS_ERRORS_H
#define ANALYSIS_ERRORS_H

#include "analysis/observer.h"

/* Effects that errors_take() needs. */
enum {
	ERRORS_EFFECTS = 1U << RST_EFFECT_ERROR | 1U << RST_EFFECT_WAIT | 1U << RST_EFFECT_CREATE |
			 1U << RST_EFFECT_DELETE
};

struct errors {
	uint8_t *has_ended; /* by index of the context */
	size_t room;
};

/*
 * Follows an effect of those kinds, in the order of the recording. *ret_is_error tells whether it reports an
 * error. Returns false if memory ran out.
 */
bool errors_take(struct errors *errors, const struct rst_effect_facts *facts, bool *ret_is_error);

void errors_done(struct errors *errors);

#endif
