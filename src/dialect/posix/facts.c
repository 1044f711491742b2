/* SPDX-License-Identifier: MIT */
/* What `info` shows of a log. All facts stand there from the beginning, as null, and are filled in as they come. */
#include <string.h>

#include "base/text.h"
#include "dialect/posix/posix.h"

static const char *const names[POSIX_N_FACTS] = {
	[POSIX_FACT_NAME] = "trace_name",
	[POSIX_FACT_VERSION] = "generation_version",
	[POSIX_FACT_CREATED] = "created",
	[POSIX_FACT_STARTED] = "started",
	[POSIX_FACT_FIRST_EVENT] = "first_event",
	[POSIX_FACT_PID] = "pid",
	[POSIX_FACT_CONTROLLER] = "controller_pid",
	[POSIX_FACT_HOST] = "host",
	[POSIX_FACT_COMMAND] = "command",
	[POSIX_FACT_CLOCK] = "clock_source",
	[POSIX_FACT_RESOLUTION] = "clock_resolution_ns",
	[POSIX_FACT_STREAM_POLICY] = "stream_full_policy",
	[POSIX_FACT_LOG_POLICY] = "log_full_policy",
	[POSIX_FACT_INHERITANCE] = "inheritance",
	[POSIX_FACT_STREAM_SIZE] = "stream_min_size",
	[POSIX_FACT_LOG_SIZE] = "log_max_size",
	[POSIX_FACT_DATA_SIZE] = "max_data_size",
	[POSIX_FACT_CLOCK_PAIRS] = "clock_pairs",
	[POSIX_FACT_MODULES] = "modules",
	[POSIX_FACT_COMPLETE] = "complete",
	[POSIX_FACT_END] = "end",
};

static const char *const end_names[POSIX_END_FACTS] = { "reason", "events", "lost", "overwritten",
	"stream_running", "stream_full", "stream_overrun", "flush_error", "log_overrun", "log_full",
	"unnamed" };

bool posix_facts_open(struct posix *posix, struct model *model)
{
	posix->first_detail = model->n_details;
	for (size_t i = 0; i < POSIX_N_FACTS; i++)
		if (!model_detail(model, &(struct rst_fact){ .name = names[i], .type = RST_FACT_NULL }))
			return false;
	posix_fact_number(posix, model, POSIX_FACT_CLOCK_PAIRS, 0);
	posix_fact_number(posix, model, POSIX_FACT_MODULES, 0);
	posix_fact_bool(posix, model, POSIX_FACT_COMPLETE, false);
	return true;
}

static struct rst_fact *fact_of(struct posix *posix, struct model *model, enum posix_fact fact)
{
	return &model->details[posix->first_detail + fact];
}

void posix_fact_number(struct posix *posix, struct model *model, enum posix_fact fact, uint64_t number)
{
	*fact_of(posix, model, fact) =
		(struct rst_fact){ .name = names[fact], .type = RST_FACT_NUMBER, .number = number };
}

void posix_fact_bool(struct posix *posix, struct model *model, enum posix_fact fact, bool is_true)
{
	*fact_of(posix, model, fact) =
		(struct rst_fact){ .name = names[fact], .type = RST_FACT_BOOL, .number = is_true };
}

void posix_fact_text(
	struct posix *posix, struct model *model, enum posix_fact fact, const char *text, size_t n_bytes)
{
	size_t n_room = (sizeof(posix->texts[fact]) - 1) / 4, n = strnlen(text, n_bytes);
	char *own = posix->texts[fact];

	*text_clean(own, (const uint8_t *)text, n < n_room ? n : n_room) = '\0';
	*fact_of(posix, model, fact) =
		(struct rst_fact){ .name = names[fact], .type = RST_FACT_TEXT, .text = own };
}

void posix_fact_time(
	struct posix *posix, struct model *model, enum posix_fact fact, int64_t seconds, uint32_t nanoseconds)
{
	char text[64];

	posix_put_time(text, seconds, nanoseconds);
	posix_fact_text(posix, model, fact, text, sizeof(text));
}

static const char *reason_name(uint32_t reason)
{
	static const char *const reasons[] = { [LOG_END_SHUTDOWN] = "shutdown",
		[LOG_END_EXIT] = "controller ended",
		[LOG_END_SNAPSHOT] = "snapshot" };

	return reason < sizeof(reasons) / sizeof(reasons[0]) ? reasons[reason] : "unknown";
}

void posix_fact_end(struct posix *posix, struct model *model, const struct log_end *end)
{
	const uint64_t numbers[] = { 0, end->n_events, end->n_lost, end->n_overwritten, end->stream_status,
		end->stream_full, end->stream_overrun, end->flush_error, end->log_overrun, end->log_full,
		end->n_unnamed };
	/* Older logs have no such number: it is shown only when it is not 0. */
	size_t n = sizeof(numbers) / sizeof(numbers[0]) - (end->n_unnamed == 0);

	posix->end_facts[0] = (struct rst_fact){
		.name = end_names[0], .type = RST_FACT_TEXT, .text = reason_name(end->reason)
	};
	for (size_t i = 1; i < n; i++)
		posix->end_facts[i] = (struct rst_fact){
			.name = end_names[i], .type = RST_FACT_NUMBER, .number = numbers[i]
		};
	*fact_of(posix, model, POSIX_FACT_END) = (struct rst_fact){
		.name = names[POSIX_FACT_END], .type = RST_FACT_GROUP, .n_items = n, .items = posix->end_facts
	};
}
