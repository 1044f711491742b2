/* SPDX-License-Identifier: MIT */
/*
 * The details of an AIX trace session that `info` and trcrpt show: its mode, its channels, and the hooks that
 * it records.
 */
#include <stdio.h>
#include <string.h>

#include "dialect/posix/posix.h"

/* Hooks below 010 are the session's own, which it always records. */
enum { HOOKS = 64 * 64, HOOKS_FIRST = 0x10, HOOK_TEXT = 4, CHANNELS = 32 };
_Static_assert(POSIX_HOOKS_BYTES >= sizeof("all but ") + HOOKS / 2 * HOOK_TEXT, "the longest list has room");

static bool is_left_out(const struct log_session *session, unsigned hook)
{
	return session->left_out[hook / 64] >> hook % 64 & 1;
}

static unsigned count_left_out(const struct log_session *session)
{
	unsigned n = 0;

	for (unsigned hook = HOOKS_FIRST; hook < HOOKS; hook++)
		n += is_left_out(session, hook);
	return n;
}

static char *put_hook(char *to, unsigned hook)
{
	static const char digits[] = "0123456789ABCDEF";

	*to++ = digits[hook >> 8];
	*to++ = digits[hook >> 4 & 15];
	*to++ = digits[hook & 15];
	*to++ = ',';
	return to;
}

/* Lists the recorded hooks, or the hooks that are left out if these are fewer. */
static void put_hooks(char text[POSIX_HOOKS_BYTES], const struct log_session *session)
{
	const unsigned n_left_out = count_left_out(session), n_recorded = HOOKS - HOOKS_FIRST - n_left_out;
	const bool lists_left_out = n_left_out < n_recorded;
	char *to = text;

	if (!n_left_out || !n_recorded) {
		strcpy(text, n_left_out ? "none" : "all");
		return;
	}
	if (lists_left_out)
		to = stpcpy(text, "all but ");
	for (unsigned hook = HOOKS_FIRST; hook < HOOKS; hook++)
		if (is_left_out(session, hook) == lists_left_out)
			to = put_hook(to, hook);
	to[-1] = '\0';
}

static void put_channels(char text[POSIX_CHANNELS_BYTES], const struct log_session *session)
{
	char *to = text;

	*to = '\0';
	for (unsigned channel = 0; channel < CHANNELS; channel++)
		if (session->channels >> channel & 1)
			to += sprintf(to, "%s%u", to == text ? "" : ",", channel);
}

static const char *mode_text(const struct log_session *session)
{
	static const char *const modes[] = {
		[LOG_SESSION_ALTERNATE] = "alternate",
		[LOG_SESSION_CIRCULAR] = "circular",
		[LOG_SESSION_SINGLE] = "single",
	};

	return session->mode && session->mode < sizeof(modes) / sizeof(modes[0]) ? modes[session->mode]
										 : "unknown";
}

/* A log may contain any number of session blocks: the texts have buffers of their own. */
bool posix_session(struct posix *posix, struct model *model, const struct log_session *session)
{
	const struct rst_detail details[POSIX_SESSION_DETAILS] = {
		{ .name = "mode", .type = RST_DETAIL_TEXT, .text = mode_text(session) },
		{ .name = "channels", .type = RST_DETAIL_TEXT, .text = posix->session_channels },
		{ .name = "hooks", .type = RST_DETAIL_TEXT, .text = posix->session_hooks },
	};

	put_channels(posix->session_channels, session);
	put_hooks(posix->session_hooks, session);
	memcpy(posix->session_details, details, sizeof(details));
	if (posix->has_session)
		return true;
	posix->has_session = true;
	return model_detail(model, &(struct rst_detail){ .name = "session",
					   .type = RST_DETAIL_GROUP,
					   .n_items = POSIX_SESSION_DETAILS,
					   .items = posix->session_details });
}
