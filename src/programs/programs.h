/* SPDX-License-Identifier: MIT */
/*
 * rastrum-view and rastrum-timeline: from the words of a command line (src/cli) to sessions that show traces
 * (src/view). Neither of these rooms knows the other; both stand on src/job. They are programs of their own
 * because their libraries would cost every start of rastrum.
 */
#ifndef PROGRAMS_PROGRAMS_H
#define PROGRAMS_PROGRAMS_H

#include "cli/live.h"
#include "view/session/session.h"

/* A command line begins its sessions with this. It must not move while they live. */
struct viewing {
	struct live_args live_args; /* is_followed is set by the caller, the rest by viewing_begin() */
	struct live live;
	struct session_spec spec;
};

/*
 * Finds out what is viewed. Call live_done() in any case, after the sessions have ended. Returns RST_E_USAGE
 * for operands that do not go together, and RST_E_NOMEM.
 */
enum rst_status viewing_begin(struct viewing *viewing, const struct command *command,
	const struct job_spec *job, int n_operands, char **operands, struct rst_error *err);

#endif
