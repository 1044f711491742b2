/* SPDX-License-Identifier: MIT */
#include "cli/aix/trcrpt.h"
#include "cli/message.h"

int trcrpt_fail(const struct rst_error *err, bool is_unusable)
{
	const int exit_status = common_fail(err);

	return is_unusable && exit_status != EXIT_USAGE && err->status != RST_E_NOMEM ? EXIT_UNUSABLE
										      : exit_status;
}
