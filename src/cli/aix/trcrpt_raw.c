/* SPDX-License-Identifier: MIT */
/*
 * -r: writes the chosen entries of traces with hook words as they were recorded. They are one behind the
 * other in one stream, in the form that the dialect aix reads (src/dialect/aix/README.md): high byte first,
 * each stamped entry with its core.
 */
#include <string.h>
#include <unistd.h>

#include "cli/aix/trcrpt.h"
#include "model/hook.h"

enum {
	HEADER_BYTES = 16,
	HEADER_CORES = 1,
	HEADER_AIX = 8,
	TRAILER_WORDS = 3,
	WORD_MAX = 8,
	LOST_BYTES = 2 * WORD_MAX,
	HOOK_LOST = 0x006,
	TYPE_ONE_WORD = 2,
	TYPE_STAMPED_32 = 8,
};

struct raw {
	struct outbuf *out;
	struct rst_trace *trace;
	unsigned word; /* bytes of one in the header that was written last; 0 if none was */
	uint8_t channel;
	bool is_of_aix; /* … and so says that header */
};

static void put_word(struct raw *raw, uint64_t value)
{
	for (unsigned i = raw->word; i-- > 0;)
		*raw->out->at++ = (char)(value >> 8 * i);
}

/* A trace of entries with both sizes of words, or of two systems, has a header for each change. */
static void put_header(struct raw *raw, unsigned word, bool is_of_aix)
{
	const uint32_t hz = (uint32_t)rst_trace_metadata(raw->trace)->clock_hz;
	const uint8_t header[HEADER_BYTES] = { 'R', 'S', 'T', 'A', 1, 1, (uint8_t)word, raw->channel,
		(uint8_t)(hz >> 24), (uint8_t)(hz >> 16), (uint8_t)(hz >> 8), (uint8_t)hz,
		(uint8_t)(HEADER_CORES | (is_of_aix ? HEADER_AIX : 0)) };

	raw->word = word;
	raw->is_of_aix = is_of_aix;
	raw->out->at = text_put(raw->out->at, header, sizeof(header));
}

static bool is_stamped(const struct raw *raw, const uint8_t *payload)
{
	return raw->word == WORD_MAX ? payload[0] & 0x80 : payload[1] & TYPE_STAMPED_32;
}

static void put_entry(struct raw *raw, const struct rst_batch *batch, size_t row)
{
	const uint8_t *payload = batch->payload[row];
	const uint32_t n_payload = batch->payload_bytes[row];
	const unsigned word = batch->layout[row]->hook_bytes;
	const bool is_of_aix = hook_is_native(batch->layout[row]);
	const struct rst_context *context = batch->context[row];
	const uint32_t thread = context->kind == RST_CONTEXT_THREAD ? (uint32_t)context->id : 0,
		       stamp = (uint32_t)batch->stamp[row];

	if (!outbuf_reserve(raw->out, HEADER_BYTES + n_payload + (TRAILER_WORDS + 1) * WORD_MAX))
		return;
	if (raw->word != word || raw->is_of_aix != is_of_aix)
		put_header(raw, word, is_of_aix);
	raw->out->at = text_put(raw->out->at, payload, n_payload);
	raw->out->at = text_put_fill(raw->out->at, '\0', -n_payload & (word - 1));
	if (!is_stamped(raw, payload))
		return;
	put_word(raw, rst_batch_core(batch, row));
	if (word == WORD_MAX) {
		put_word(raw, (uint64_t)thread << 32 | stamp);
		return;
	}
	put_word(raw, thread);
	put_word(raw, stamp);
}

/* Why they are lost the entry does not have. */
static void put_loss(struct raw *raw, const struct rst_gap *gap)
{
	if (!raw->word || gap->marker != RST_LOSS || !outbuf_reserve(raw->out, LOST_BYTES))
		return;
	put_word(raw, raw->word == WORD_MAX ? (uint64_t)WORD_MAX << 32 | (uint64_t)HOOK_LOST << 20
					    : (uint64_t)HOOK_LOST << 20 | (uint64_t)TYPE_ONE_WORD << 16);
	put_word(raw, gap->n_events);
}

static enum rst_status put_batches(struct raw *raw, const struct filter_spec *filter, struct rst_error *err)
{
	const struct rst_batch *batch;
	uint16_t rows[RST_BATCH_EVENTS];
	struct select select;
	bool is_bound = false;
	enum rst_status status;

	while ((status = rst_trace_next(raw->trace, &batch, err)) == RST_OK) {
		size_t n_rows;

		if (!is_bound && !rst_trace_metadata(raw->trace)->has_first_ticks)
			continue; /* nothing but loss or damage so far */
		if (!is_bound)
			error_try(select_init(&select, filter, raw->trace, err));
		is_bound = true;
		n_rows = select_rows(&select, batch, rows);
		for (size_t i = 0; i < n_rows; i++) {
			const struct rst_gap *gap = rst_batch_gap(batch, rows[i]);

			if (gap)
				put_loss(raw, gap);
			else
				put_entry(raw, batch, rows[i]);
		}
	}
	if (is_bound)
		select_done(&select);
	return status == RST_END ? RST_OK : status;
}

static uint8_t trcrpt_raw_channel_of(const struct rst_metadata *metadata)
{
	for (size_t i = 0; i < metadata->n_details; i++)
		if (strcmp(metadata->details[i].name, "channel") == 0)
			return (uint8_t)metadata->details[i].number;
	return 0;
}

static enum rst_status put_trace(struct raw *raw, const struct trcrpt_args *args,
	const struct trcrpt_settings *settings, struct rst_error *err)
{
	const struct rst_metadata *metadata = rst_trace_metadata(raw->trace);
	struct arena arena = { 0 };
	struct trcrpt_choice choice;
	enum rst_status status = RST_OK;

	if (strcmp(metadata->dialect, "aix") != 0) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"-r writes entries with hook words, which recordings of the dialect %s do not have",
			metadata->dialect);
		error_name(err, metadata->path);
		return RST_E_USAGE;
	}
	raw->channel = trcrpt_raw_channel_of(metadata);
	status = trcrpt_choice_make(&choice, args, metadata->dialect, &arena, err);
	choice.filter.from = settings->from;
	choice.filter.to = settings->to;
	if (status == RST_OK)
		status = put_batches(raw, &choice.filter, err);
	arena_done(&arena);
	return status;
}

static int put_traces(const struct trcrpt_args *args, const struct trcrpt_settings *settings,
	struct outbuf *out, int n_operands, char **operands)
{
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	for (int i = 0; i < n_operands; i++) {
		struct raw raw = { .out = out };
		enum rst_status status =
			open_nth_trace(&raw.trace, &args->common, n_operands, operands, (size_t)i, &err);

		if (status == RST_OK)
			status = put_trace(&raw, args, settings, &err);
		if (raw.trace)
			exit_status = outcome_worse(
				exit_status, common_print_notes(raw.trace, args->is_quiet, NOTES_OF_FILE));
		if (status < 0)
			exit_status = outcome_worse(exit_status, trcrpt_fail(&err, !raw.word));
		rst_trace_free(raw.trace);
	}
	return exit_status;
}

int trcrpt_raw(const struct trcrpt_args *args, const struct trcrpt_settings *settings, int fd, int n_operands,
	char **operands)
{
	struct rst_error err;
	struct outbuf out;
	int exit_status;

	if (isatty(fd) || args->is_merged) {
		if (args->is_merged)
			common_refuse(&err, "leave out -m, or leave out -r",
				"-r writes the traces one behind the other, since stamps of different clocks "
				"cannot be merged");
		else
			common_refuse(
				&err, "name a file with -o", "-r writes bytes, which a terminal cannot show");
		return common_fail(&err);
	}
	if (!outbuf_init(&out, fd)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	exit_status = put_traces(args, settings, &out, n_operands, operands);
	exit_status = outcome_worse(exit_status, common_finish(&out));
	outbuf_done(&out);
	return exit_status;
}
