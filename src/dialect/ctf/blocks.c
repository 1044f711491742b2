/* SPDX-License-Identifier: MIT */
/*
 * The blocks of a description: trace, env, clock, stream and event. Blocks and attributes that are not known
 * are passed over, because every tracer adds its own. Which order the blocks have does not matter: names of
 * clocks, byte orders and ids of streams are resolved when all is read (bind.c).
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "dialect/ctf/words.h"

enum { UUID_TEXT_BYTES = 36, UUID_BYTES = 16 };

/* A row of the table of a block: what to do with one attribute. */
struct row {
	const char *name;
	bool (*take)(struct ctf_parser *parser, void *block, const struct ctf_value *value);
	int part; /* of a type, else -1 */
};

/*
 * Reads { NAME = VALUE; NAME := TYPE; … };. parts: where the types go, by the parts of the rows.
 */
static bool take_statement(
	struct ctf_parser *parser, void *block, const struct row *rows, const struct ctf_class **parts)
{
	const struct row *row = rows;
	struct ctf_value value;
	const char *name;
	bool is_type;

	if (!ctf_type_statement(parser, &is_type) || is_type)
		return is_type && !parser->fault->what[0];
	name = ctf_path(parser);
	if (!name)
		return false;
	while (row->name && strcmp(row->name, name) != 0)
		row++;
	if (ctf_took(parser, CTF_SIGN_IS)) {
		const struct ctf_class *class = ctf_type(parser);

		if (!class)
			return false;
		if (row->name && row->part >= 0 && class->kind != CTF_STRUCTURE)
			return ctf_wrong(parser, "a header, a context or the fields are no structure");
		if (row->name && row->part >= 0)
			parts[row->part] = class;
		return ctf_take(parser, ';');
	}
	if (!row->name || !row->take)
		return ctf_pass_statement(parser);
	return ctf_take(parser, '=') && ctf_take_value(parser, &value) && row->take(parser, block, &value);
}

static bool take_block(
	struct ctf_parser *parser, void *block, const struct row *rows, const struct ctf_class **parts)
{
	struct ctf_scope scope;
	bool is_good;

	ctf_scope_begin(parser, &scope);
	is_good = ctf_take(parser, '{');
	while (is_good && !ctf_is_sign(parser, '}')) {
		if (parser->word == CTF_WORD_END)
			is_good = ctf_wrong(parser, "a block does not end");
		is_good = is_good && take_statement(parser, block, rows, parts);
	}
	ctf_scope_end(parser);
	if (!is_good || !ctf_next(parser))
		return false;
	return !ctf_is_sign(parser, ';') || ctf_next(parser);
}

/* --- trace ---------------------------------------------------------------------------------------------- */

/* Reads a UUID as 8-4-4-4-12 digits. */
static bool parse_uuid(const char *text, uint8_t uuid[UUID_BYTES])
{
	size_t n = 0;

	for (const char *p = text; *p && n < 2 * UUID_BYTES; p++) {
		const unsigned digit = text_digit(*p);

		if (*p == '-')
			continue;
		if (digit > 15)
			return false;
		uuid[n / 2] = (uint8_t)(n % 2 ? uuid[n / 2] | digit : digit << 4);
		n++;
	}
	return n == 2 * UUID_BYTES && strlen(text) == UUID_TEXT_BYTES;
}

static bool trace_uuid(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	struct ctf_trace *trace = block;

	trace->has_uuid = value->text && parse_uuid(value->text, trace->uuid);
	return trace->has_uuid || ctf_wrong(parser, "the uuid of the trace cannot be read");
}

static bool trace_order(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	struct ctf_trace *trace = block;

	if (!value->text || !ctf_order_named(value->text, &trace->order) || trace->order == CTF_NATIVE)
		return ctf_wrong(parser, "the byte order of the trace is none of le, be and network");
	return true;
}

static bool trace_major(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)block;
	return (value->is_number && value->number == 1) ||
	       ctf_wrong(parser, "this version of CTF is not known: it is not 1");
}

static bool blocks_take_trace(struct ctf_parser *parser)
{
	static const struct row rows[] = { { "uuid", trace_uuid, -1 }, { "byte_order", trace_order, -1 },
		{ "major", trace_major, -1 }, { "packet.header", NULL, CTF_PACKET_HEADER }, { 0 } };
	const struct ctf_class *parts[CTF_N_PARTS] = { 0 };

	if (!take_block(parser, parser->trace, rows, parts))
		return false;
	if (parts[CTF_PACKET_HEADER])
		parser->trace->packet_header = parts[CTF_PACKET_HEADER];
	return true;
}

/* --- env ------------------------------------------------------------------------------------------------ */

static bool env_hostname(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_trace *)block)->hostname = value->text;
	return true;
}

static bool env_domain(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_trace *)block)->domain = value->text;
	return true;
}

static bool env_tracer(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_trace *)block)->tracer = value->text;
	return true;
}

static bool env_process_name(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_trace *)block)->process_name = value->text;
	return true;
}

static bool env_process(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_trace *)block)->process = value->is_number && !value->is_negative ? value->number : 0;
	return true;
}

static bool take_env(struct ctf_parser *parser)
{
	static const struct row rows[] = { { "hostname", env_hostname, -1 }, { "domain", env_domain, -1 },
		{ "tracer_name", env_tracer, -1 }, { "procname", env_process_name, -1 },
		{ "vpid", env_process, -1 }, { 0 } };

	return take_block(parser, parser->trace, rows, NULL);
}

/* --- clock ---------------------------------------------------------------------------------------------- */

static bool clock_name(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_clock *)block)->name = value->text;
	return true;
}

static bool clock_rate(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	((struct ctf_clock *)block)->hz = value->number;
	return value->number > 0 || ctf_wrong(parser, "the frequency of a clock is 0");
}

static bool clock_offset_s(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_clock *)block)->offset_s = (int64_t)value->number;
	return true;
}

static bool clock_offset(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_clock *)block)->offset = (int64_t)value->number;
	return true;
}

static bool clock_absolute(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_clock *)block)->is_absolute = ctf_is_true(value);
	return true;
}

static bool take_clock(struct ctf_parser *parser)
{
	static const struct row rows[] = { { "name", clock_name, -1 }, { "freq", clock_rate, -1 },
		{ "offset_s", clock_offset_s, -1 }, { "offset", clock_offset, -1 },
		{ "absolute", clock_absolute, -1 }, { 0 } };
	struct ctf_clock *clock = ctf_room(parser, sizeof(*clock));

	if (!clock)
		return false;
	clock->name = "";
	clock->hz = 1000000000;
	if (!take_block(parser, clock, rows, NULL))
		return false;
	clock->next = parser->trace->clocks;
	parser->trace->clocks = clock;
	return true;
}

/* --- streams and events --------------------------------------------------------------------------------- */

static bool stream_id(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	struct ctf_stream_class *stream = block;

	if (!value->is_number)
		return ctf_wrong(parser, "the id of a stream is no number");
	stream->id = value->number;
	stream->has_id = true;
	return true;
}

static bool take_stream(struct ctf_parser *parser)
{
	static const struct row rows[] = { { "id", stream_id, -1 },
		{ "event.header", NULL, CTF_EVENT_HEADER }, { "event.context", NULL, CTF_STREAM_CONTEXT },
		{ "packet.context", NULL, CTF_PACKET_CONTEXT }, { 0 } };
	struct ctf_trace *trace = parser->trace;
	struct ctf_stream_class *stream = ctf_room(parser, sizeof(*stream));

	if (!stream || !take_block(parser, stream, rows, stream->parts))
		return false;
	if (++trace->n_streams > CTF_STREAMS_MAX)
		return ctf_wrong(parser, "there are too many streams");
	stream->next = trace->streams;
	trace->streams = stream;
	return true;
}

static bool event_id(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	((struct ctf_event *)block)->id = value->number;
	return value->is_number || ctf_wrong(parser, "the id of an event is no number");
}

static bool event_stream(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	((struct ctf_event *)block)->stream_id = value->number;
	((struct ctf_event *)block)->has_stream_id = true;
	return value->is_number || ctf_wrong(parser, "the id of a stream is no number");
}

static bool event_name(struct ctf_parser *parser, void *block, const struct ctf_value *value)
{
	(void)parser;
	((struct ctf_event *)block)->name = value->text;
	return true;
}

static bool blocks_take_event(struct ctf_parser *parser)
{
	static const struct row rows[] = { { "id", event_id, -1 }, { "stream_id", event_stream, -1 },
		{ "name", event_name, -1 }, { "context", NULL, CTF_EVENT_CONTEXT },
		{ "fields", NULL, CTF_PAYLOAD }, { 0 } };
	struct ctf_trace *trace = parser->trace;
	struct ctf_event *event = ctf_room(parser, sizeof(*event));

	if (!event || !take_block(parser, event, rows, event->parts))
		return false;
	if (++trace->n_events > CTF_EVENTS_MAX)
		return ctf_wrong(parser, "there are too many events");
	*trace->last_event = event;
	trace->last_event = &event->next;
	return true;
}

/* --- all ------------------------------------------------------------------------------------------------ */

/* Callsites and other blocks that tell nothing of events: to the brace that closes them. */
static bool pass_block(struct ctf_parser *parser)
{
	if (!ctf_next(parser))
		return false;
	while (!ctf_is_sign(parser, '}') && parser->word != CTF_WORD_END)
		if (!ctf_pass_statement(parser))
			return false;
	return ctf_take(parser, '}');
}

static bool blocks_take_top(struct ctf_parser *parser)
{
	static const struct {
		const char *name;
		bool (*take)(struct ctf_parser *parser);
	} blocks[] = { { "trace", blocks_take_trace }, { "env", take_env }, { "clock", take_clock },
		{ "stream", take_stream }, { "event", blocks_take_event } };
	bool is_type;

	if (ctf_took(parser, ';'))
		return true;
	if (!ctf_type_statement(parser, &is_type) || is_type)
		return is_type && !parser->fault->what[0];
	if (parser->word != CTF_WORD_NAME)
		return ctf_wrong(parser, "here the name of a block is missing");
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++)
		if (ctf_is_word(parser, blocks[i].name))
			return ctf_next(parser) && blocks[i].take(parser);
	while (parser->word == CTF_WORD_NAME && !ctf_is_sign(parser, '{'))
		if (!ctf_next(parser))
			return false;
	if (!ctf_is_sign(parser, '{'))
		return ctf_wrong(parser, "here a block is missing");
	return pass_block(parser);
}

enum rst_status ctf_describe(struct ctf_trace *trace, struct ctf_text text, struct ctf_fault *fault)
{
	struct ctf_scope scope;
	struct ctf_parser parser = {
		.trace = trace, .fault = fault, .at = text.bytes, .end = text.bytes + text.n_bytes, .line = 1
	};
	bool is_good;

	fault->what[0] = '\0';
	trace->last_event = &trace->events;
	ctf_scope_begin(&parser, &scope);
	is_good = ctf_next(&parser);
	while (is_good && parser.word != CTF_WORD_END)
		is_good = blocks_take_top(&parser);
	ctf_scope_end(&parser);
	if (parser.has_no_memory)
		return RST_E_NOMEM;
	return is_good && !fault->what[0] ? RST_OK : RST_E_DAMAGED;
}
