/* SPDX-License-Identifier: MIT */
/*
 * The details of a log that `info` shows. All details exist from the beginning, as null, and are filled in as
 * their blocks are read.
 */
#include <string.h>

#include "base/calendar.h"
#include "base/text.h"
#include "dialect/posix/posix.h"

static const char *const names[POSIX_N_DETAILS] = {
	[POSIX_DETAIL_NAME] = "trace_name",
	[POSIX_DETAIL_VERSION] = "generation_version",
	[POSIX_DETAIL_CREATED] = "created",
	[POSIX_DETAIL_STARTED] = "started",
	[POSIX_DETAIL_FIRST_EVENT] = "first_event",
	[POSIX_DETAIL_PID] = "pid",
	[POSIX_DETAIL_CONTROLLER] = "controller_pid",
	[POSIX_DETAIL_HOST] = "host",
	[POSIX_DETAIL_COMMAND] = "command",
	[POSIX_DETAIL_CLOCK] = "clock_source",
	[POSIX_DETAIL_RESOLUTION] = "clock_resolution_ns",
	[POSIX_DETAIL_STREAM_POLICY] = "stream_full_policy",
	[POSIX_DETAIL_LOG_POLICY] = "log_full_policy",
	[POSIX_DETAIL_INHERITANCE] = "inheritance",
	[POSIX_DETAIL_STREAM_SIZE] = "stream_min_size",
	[POSIX_DETAIL_LOG_SIZE] = "log_max_size",
	[POSIX_DETAIL_DATA_SIZE] = "max_data_size",
	[POSIX_DETAIL_CLOCK_PAIRS] = "clock_pairs",
	[POSIX_DETAIL_MODULES] = "modules",
	[POSIX_DETAIL_COMPLETE] = "complete",
	[POSIX_DETAIL_END] = "end",
};

static const char *const end_names[POSIX_END_DETAILS] = { "reason", "events", "lost", "overwritten",
	"stream_running", "stream_full", "stream_overrun", "flush_error", "log_overrun", "log_full",
	"unnamed" };

bool posix_details_open(struct posix *posix, struct model *model)
{
	posix->first_detail = model->n_details;
	for (size_t i = 0; i < POSIX_N_DETAILS; i++)
		if (!model_detail(model, &(struct rst_detail){ .name = names[i], .type = RST_DETAIL_NULL }))
			return false;
	posix_detail_number(posix, model, POSIX_DETAIL_CLOCK_PAIRS, 0);
	posix_detail_number(posix, model, POSIX_DETAIL_MODULES, 0);
	posix_detail_bool(posix, model, POSIX_DETAIL_COMPLETE, false);
	return true;
}

static struct rst_detail *detail_of(struct posix *posix, struct model *model, enum posix_detail detail)
{
	return &model->details[posix->first_detail + detail];
}

void posix_detail_number(struct posix *posix, struct model *model, enum posix_detail detail, uint64_t number)
{
	*detail_of(posix, model, detail) =
		(struct rst_detail){ .name = names[detail], .type = RST_DETAIL_NUMBER, .number = number };
}

void posix_detail_bool(struct posix *posix, struct model *model, enum posix_detail detail, bool is_true)
{
	*detail_of(posix, model, detail) =
		(struct rst_detail){ .name = names[detail], .type = RST_DETAIL_BOOL, .number = is_true };
}

void posix_detail_text(
	struct posix *posix, struct model *model, enum posix_detail detail, const char *text, size_t n_bytes)
{
	size_t n_room = (sizeof(posix->texts[detail]) - 1) / 4, n = strnlen(text, n_bytes);
	char *own = posix->texts[detail];

	*text_keep(own, (const uint8_t *)text, n < n_room ? n : n_room) = '\0';
	*detail_of(posix, model, detail) =
		(struct rst_detail){ .name = names[detail], .type = RST_DETAIL_TEXT, .text = own };
}

void posix_detail_time(struct posix *posix, struct model *model, enum posix_detail detail, int64_t seconds,
	uint32_t nanoseconds)
{
	char text[CALENDAR_MAX + 1];

	*calendar_put_utc(text, seconds, nanoseconds) = '\0';
	posix_detail_text(posix, model, detail, text, sizeof(text));
}

static const char *reason_name(uint32_t reason)
{
	static const char *const reasons[] = { [LOG_END_SHUTDOWN] = "shutdown",
		[LOG_END_EXIT] = "controller ended",
		[LOG_END_SNAPSHOT] = "snapshot" };

	return reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[reason] : "unknown";
}

void posix_detail_end(struct posix *posix, struct model *model, const struct log_end *end)
{
	const uint64_t numbers[] = { 0, end->n_events, end->n_lost, end->n_overwritten, end->stream_status,
		end->stream_full, end->stream_overrun, end->flush_error, end->log_overrun, end->log_full,
		end->n_unnamed };
	/* Older logs do not have n_unnamed: it is shown only if it is not 0. */
	size_t n = sizeof(numbers) / sizeof(numbers[0]) - (end->n_unnamed == 0);

	posix->end_details[0] = (struct rst_detail){
		.name = end_names[0], .type = RST_DETAIL_TEXT, .text = reason_name(end->reason)
	};
	for (size_t i = 1; i < n; i++)
		posix->end_details[i] = (struct rst_detail){
			.name = end_names[i], .type = RST_DETAIL_NUMBER, .number = numbers[i]
		};
	*detail_of(posix, model, POSIX_DETAIL_END) = (struct rst_detail){ .name = names[POSIX_DETAIL_END],
		.type = RST_DETAIL_GROUP,
		.n_items = n,
		.items = posix->end_details };
}
