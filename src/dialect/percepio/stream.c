/* SPDX-License-Identifier: MIT */
/*
 * From bytes to headers, entries and events. Nothing separates events and no checksum protects them, so the
 * ids and counters must agree: behind damage, reading goes on where four events in a row have known ids and
 * counters that follow each other, or where a header begins. The recorder advances a core's counter also for
 * an event that finds no room, so a step of the counter is the exact number of events that are missing.
 */
#include "dialect/percepio/percepio.h"

enum { CHAIN = 4, CHAIN_AT_END = 2, TIMER_DOWN_MASK = 1, HEADER_PROBE_BYTES = 8, BLOCKS = 3 };
enum { FORMAT_COUNTS_BLOCKS = 12, FORMAT_NEWEST = 14, CLOCK_BITS = 32 };

struct reading {
	struct percepio *percepio;
	struct model *model;
	struct batch *batch;
	struct chunk *chunk;
};

/* --- single events -------------------------------------------------------------------------------------- */

/* Returns PERCEPIO_BAD if no event of the present run begins like this. */
static enum percepio_step event_load(
	const struct percepio *percepio, const uint8_t *bytes, size_t n_bytes, struct percepio_event *ret)
{
	const struct percepio_header *header = &percepio->header;
	const bool is_big = header->is_big;
	uint16_t id, counter;

	if (n_bytes < PERCEPIO_HEAD_BYTES)
		return PERCEPIO_MORE;
	id = load_u16(bytes, is_big);
	counter = load_u16(bytes + 2, is_big);
	*ret = (struct percepio_event){ .id = id & (PERCEPIO_IDS - 1),
		.n_words = id >> 12,
		.core = header->n_cores > 1 ? counter >> 12 : 0,
		.counter = counter & percepio_counter_mask(header),
		.stamp = load_u32(bytes + 4, is_big),
		.words = bytes + PERCEPIO_HEAD_BYTES };
	ret->n_bytes = PERCEPIO_HEAD_BYTES + (size_t)ret->n_words * header->word;
	if (ret->core >= header->n_cores || !percepio_is_known(percepio, ret->id))
		return PERCEPIO_BAD;
	return n_bytes < ret->n_bytes ? PERCEPIO_MORE : PERCEPIO_DONE;
}

/* Whether events begin here: n_wanted of them whose counters follow each other, or fewer and a header. */
static enum percepio_step chain_begins(
	const struct percepio *percepio, const uint8_t *bytes, size_t n_bytes, bool is_end, unsigned n_wanted)
{
	const unsigned mask = percepio_counter_mask(&percepio->header);
	unsigned next[PERCEPIO_CORES], has_next = 0;
	struct percepio_event event;
	enum percepio_step step;

	for (unsigned n = 0; n < n_wanted; n++) {
		if (percepio_is_header(bytes, n_bytes))
			return PERCEPIO_DONE;
		step = event_load(percepio, bytes, n_bytes, &event);
		if (step == PERCEPIO_MORE && is_end)
			return n >= CHAIN_AT_END && n_bytes == 0 ? PERCEPIO_DONE : PERCEPIO_BAD;
		if (step != PERCEPIO_DONE)
			return step;
		if ((has_next >> event.core & 1) && event.counter != next[event.core])
			return PERCEPIO_BAD;
		has_next |= 1U << event.core;
		next[event.core] = (event.counter + 1) & mask;
		bytes += event.n_bytes;
		n_bytes -= event.n_bytes;
	}
	return PERCEPIO_DONE;
}

/* --- damage and loss ------------------------------------------------------------------------------------ */

/* Adds the next byte to the damage. */
static void skip_byte(struct reading *reading, const char *what)
{
	struct rst_gap *damage = &reading->percepio->damage;
	struct chunk *chunk = reading->chunk;

	if (!damage->n_bytes) {
		*damage = (struct rst_gap){ .marker = RST_DAMAGE, .what = what };
		damage->offset = chunk_offset(chunk, chunk->n_used, &damage->source);
	}
	damage->n_bytes++;
	chunk->n_used++;
}

static enum percepio_step tell_damage(struct reading *reading)
{
	struct percepio *percepio = reading->percepio;
	const struct rst_gap gap = percepio->damage;

	percepio->damage.n_bytes = 0;
	for (unsigned i = 0; i < PERCEPIO_CORES; i++)
		percepio_forget(&percepio->cores[i]);
	return model_put_gap(reading->model, reading->batch, &gap) ? PERCEPIO_DONE : PERCEPIO_NO_MEMORY;
}

static enum percepio_step tell_loss(
	struct reading *reading, const struct percepio_event *event, unsigned n_lost)
{
	struct percepio_core *core = &reading->percepio->cores[event->core];
	struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = n_lost,
		.what = "the event counter steps: the recorder had no room, or a link lost them" };

	gap.offset = chunk_offset(reading->chunk, reading->chunk->n_used, &gap.source);
	percepio_forget(core);
	core->counter = (uint16_t)(event->counter - 1);
	return model_put_gap(reading->model, reading->batch, &gap) ? PERCEPIO_DONE : PERCEPIO_NO_MEMORY;
}

/* --- headers -------------------------------------------------------------------------------------------- */

static bool begin_clock(struct reading *reading)
{
	struct percepio *percepio = reading->percepio;
	const bool is_down = percepio->header.timer % 2 == 0;
	const char *source;
	uint64_t offset;

	clock_init(&percepio->clock, (uint64_t)1 << CLOCK_BITS, is_down);
	reading->model->clock_is_down = is_down;
	if (!percepio->n_runs) {
		if (!reading->model->clock_hz)
			reading->model->clock_hz = percepio->header.hz;
		return percepio_header_details(reading->model, &percepio->header);
	}
	offset = chunk_offset(reading->chunk, reading->chunk->n_used, &source);
	if (!model_put_run(reading->model, reading->batch, source, offset,
		    "a header in place of an event: the recorder was started again"))
		return false;
	clock_begin_run(&percepio->clock, model_run_begin(reading->model, reading->batch));
	return true;
}

/* The blocks of a header take numbers of the first core's counter. */
static void count_blocks(struct percepio *percepio)
{
	struct percepio_core *core = &percepio->cores[0];

	if (percepio->header.version >= FORMAT_COUNTS_BLOCKS)
		core->counter = (uint16_t)((core->counter + BLOCKS + percepio->header.n_entries) &
					   percepio_counter_mask(&percepio->header));
	for (unsigned i = 0; i < PERCEPIO_CORES; i++)
		percepio_forget(&percepio->cores[i]);
}

static bool warn_format(const struct reading *reading)
{
	const unsigned version = reading->percepio->header.version;

	if (version > FORMAT_NEWEST)
		return model_warn(reading->model, "format %u is newer than 14; it is read as 14", version);
	if (version < FORMAT_COUNTS_BLOCKS)
		return model_warn(reading->model,
			"the recorder of format %u does not count events for which it "
			"had no room, so they leave no sign",
			version);
	return true;
}

static enum percepio_step begin_run(struct reading *reading, const struct percepio_header *header)
{
	struct percepio *percepio = reading->percepio;

	percepio->header = *header;
	percepio->n_extensions = 0;
	percepio_use_port(percepio);
	if (!begin_clock(reading) || !warn_format(reading))
		return PERCEPIO_NO_MEMORY;
	count_blocks(percepio);
	percepio->has_header = true;
	percepio->n_entries_left = header->n_entries;
	percepio->n_runs++;
	return PERCEPIO_DONE;
}

static enum percepio_step take_header(struct reading *reading, const uint8_t *bytes, size_t n_bytes)
{
	struct percepio_header header;
	size_t n_header = 0;
	enum percepio_step step = percepio_header_load(&header, bytes, n_bytes, &n_header);

	if (step == PERCEPIO_BAD) {
		skip_byte(reading, "a header that is not well formed, or of a format before 10");
		return PERCEPIO_DONE;
	}
	if (step != PERCEPIO_DONE)
		return step;
	step = begin_run(reading, &header);
	reading->chunk->n_used += n_header;
	return step;
}

static enum percepio_step take_entry(struct reading *reading, const uint8_t *bytes, size_t n_bytes)
{
	struct percepio *percepio = reading->percepio;
	const size_t n_entry = percepio_entry_bytes(&percepio->header);

	if (n_bytes < n_entry)
		return PERCEPIO_MORE;
	reading->chunk->n_used += n_entry;
	percepio->n_entries_left--;
	return percepio_entry(percepio, reading->model, bytes) ? PERCEPIO_DONE : PERCEPIO_NO_MEMORY;
}

/* --- the next thing ------------------------------------------------------------------------------------- */

/* How many events are missing in front of this one; more than half of the counter's range: it went back. */
static unsigned count_missing(const struct percepio *percepio, const struct percepio_event *event)
{
	const struct percepio_core *core = &percepio->cores[event->core];

	return core->has_counter
		       ? (event->counter - core->counter - 1U) & percepio_counter_mask(&percepio->header)
		       : 0;
}

static enum percepio_step take_event(struct reading *reading, const uint8_t *bytes, size_t n_bytes)
{
	struct percepio *percepio = reading->percepio;
	const bool is_end = reading->chunk->behind == CHUNK_ENDS;
	struct percepio_event event;
	enum percepio_step step = event_load(percepio, bytes, n_bytes, &event);
	unsigned n_missing;

	if (step == PERCEPIO_DONE) {
		n_missing = count_missing(percepio, &event);
		const bool is_back = n_missing > percepio_counter_mask(&percepio->header) / 2;
		const bool is_start = percepio->role_of[event.id] == PERCEPIO_START;

		if (percepio->damage.n_bytes)
			step = chain_begins(percepio, bytes, n_bytes, is_end, CHAIN);
		else if (is_back && !is_start)
			step = chain_begins(percepio, bytes, n_bytes, is_end, CHAIN_AT_END);
		if (step == PERCEPIO_DONE && percepio->damage.n_bytes)
			return tell_damage(reading);
		if (step == PERCEPIO_DONE && n_missing && !(is_back && is_start))
			return tell_loss(reading, &event, n_missing);
	}
	if (step == PERCEPIO_BAD || (step == PERCEPIO_MORE && is_end && n_bytes >= PERCEPIO_HEAD_BYTES &&
					    percepio->damage.n_bytes)) {
		skip_byte(reading, "no event of this recording begins here");
		return PERCEPIO_DONE;
	}
	if (step != PERCEPIO_DONE)
		return step;
	if (!percepio_add_row(percepio, reading->model, reading->batch, &event))
		return PERCEPIO_NO_MEMORY;
	percepio->cores[event.core].has_counter = true;
	percepio->cores[event.core].counter = (uint16_t)event.counter;
	reading->chunk->n_used += event.n_bytes;
	return PERCEPIO_DONE;
}

static enum percepio_step take_next(struct reading *reading)
{
	struct percepio *percepio = reading->percepio;
	const uint8_t *bytes = reading->chunk->bytes + reading->chunk->n_used;
	const size_t n_bytes = reading->chunk->n_bytes - reading->chunk->n_used;

	if (percepio->n_entries_left)
		return take_entry(reading, bytes, n_bytes);
	if (n_bytes < HEADER_PROBE_BYTES)
		return PERCEPIO_MORE;
	if (percepio_is_header(bytes, n_bytes))
		return percepio->damage.n_bytes ? tell_damage(reading) : take_header(reading, bytes, n_bytes);
	if (percepio->has_header)
		return take_event(reading, bytes, n_bytes);
	skip_byte(reading, "bytes before the first header");
	return PERCEPIO_DONE;
}

/* All bytes that are left belong to something that is cut. */
static enum rst_status end_stream(struct reading *reading, struct rst_error *err)
{
	struct chunk *chunk = reading->chunk;

	while (chunk->n_used < chunk->n_bytes)
		skip_byte(reading,
			reading->percepio->n_entries_left ? "the header is cut" : "the last event is cut");
	if (reading->percepio->damage.n_bytes && tell_damage(reading) != PERCEPIO_DONE)
		return error_nomem(err);
	return RST_END;
}

enum rst_status percepio_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct reading reading = { state, model, batch, chunk };
	enum percepio_step step = PERCEPIO_DONE;

	while (step == PERCEPIO_DONE && !batch_is_full(batch))
		step = take_next(&reading);
	if (step == PERCEPIO_NO_MEMORY)
		return error_nomem(err);
	if (step == PERCEPIO_DONE)
		return RST_OK;
	return chunk->behind == CHUNK_ENDS ? end_stream(&reading, err) : RST_MORE;
}
