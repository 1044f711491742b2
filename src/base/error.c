/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

enum rst_status error_set(
	struct rst_error *err, enum rst_status status, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (!err)
		return status;
	err->status = status;
	err->offset = offset;
	err->source[0] = '\0';
	err->advice[0] = '\0';
	va_start(args, format);
	vsnprintf(err->what, sizeof(err->what), format, args);
	va_end(args);
	return status;
}

enum rst_status error_nomem(struct rst_error *err)
{
	return error_set(err, RST_E_NOMEM, RST_NO_OFFSET, "memory ran out");
}

void error_advise(struct rst_error *err, const char *format, ...)
{
	va_list args;

	if (!err)
		return;
	va_start(args, format);
	vsnprintf(err->advice, sizeof(err->advice), format, args);
	va_end(args);
}

void error_name(struct rst_error *err, const char *source)
{
	if (err && !err->source[0] && source)
		snprintf(err->source, sizeof(err->source), "%s", source);
}

/*
 * The text is cleaned, so that nothing in it controls a terminal: a name may be cut in the middle of a
 * character, and the message may quote the input.
 */
const char *rst_error_text(const struct rst_error *err, char *text, size_t text_bytes)
{
	char place[40] = "", whole[sizeof(*err) + sizeof(place)], clean[4 * sizeof(whole)];

	if (err->offset != RST_NO_OFFSET)
		snprintf(place, sizeof(place), "byte %" PRIu64 ": ", err->offset);
	snprintf(whole, sizeof(whole), "%s%s%s%s%s%s", err->source, err->source[0] ? ": " : "", place,
		err->what, err->advice[0] ? "; " : "", err->advice);
	*text_clean(clean, (const uint8_t *)whole, strlen(whole)) = '\0';
	if (text_bytes)
		snprintf(text, text_bytes, "%s", clean);
	return text;
}
