/* SPDX-License-Identifier: MIT */
/*
 * The text that LOS_TraceRecordDump(FALSE) prints, in one or several dumps:
 *
 *	*******TraceInfo begin*******
 *	clockFreq = 50000000
 *	CurObjIndex = 8			these three parts only where there is a table of objects
 *	Index   TaskID   TaskPrio   TaskName
 *	0       0x1001a  13         dyn_26
 *
 *	CurEvtIndex = 105		the next slot to be written: the oldest one when the ring has gone round
 *	Index   Time(cycles)      EventType      CurPid   CurTask   Identity      params
 *	0       0x1138a219        0x45           0x4       0x9       0x4           0x9          0x2          0x12
 *	*******TraceInfo end*******
 *
 * Rows are in the order of slots. liteos_m passes a time of 32 bits to a conversion of 64. So, on ARM, the
 * columns behind it are shifted: the type stands above the time's 32 bits, the task in the column of types,
 * the identity in the column of tasks. The reader undoes the shift if that gives more rows a valid type than
 * it takes from.
 */
#include "dialect/liteos/text.h"

#include <stdlib.h>

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Makes the core word from its printed parts. */
static uint32_t core_word(const struct liteos_text_row *row)
{
	enum { NIBBLE = 15 };

	return liteos_core_word((struct liteos_core){ .cpu = row->core[0] & UINT8_MAX,
					.interrupts = row->core[1] < NIBBLE ? (unsigned)row->core[1] : NIBBLE,
					.lock = row->core[2] < NIBBLE ? (unsigned)row->core[2] : NIBBLE },
		false);
}

/* Makes the frame that the row was printed from, as far as the row has its parts. */
static void text_put_frame(uint8_t *frame, const struct liteos_text_dump *dump,
	const struct liteos_text_item *item, const struct liteos_text_row *row)
{
	const struct liteos_layout *layout = &dump->layout;
	const uint64_t task = dump->is_shifted ? row->type : row->task;
	const uint64_t identity = dump->is_shifted ? row->task : row->identity;

	memset(frame, 0, layout->frame_bytes);
	liteos_store(frame, 4, false, item->type);
	liteos_store(frame + 4, 4, false, task);
	if (layout->has_pid)
		liteos_store(frame + layout->pid_at, 4, false, row->pid);
	liteos_store(frame + layout->time_at, 8, false, item->time);
	liteos_store(frame + layout->identity_at, 4, false, identity);
	if (layout->has_core)
		liteos_store(frame + layout->core_at, 4, false, core_word(row));
	if (layout->has_count)
		liteos_store(frame + layout->count_at, 4, false, row->count);
	for (unsigned i = 0; i < layout->n_lr; i++)
		liteos_store(frame + layout->lr_at + 4U * i, 4, false, row->lr[i]);
	for (unsigned i = 0; i < layout->n_params; i++)
		liteos_store(frame + layout->params_at + 4U * i, 4, false, row->params[i]);
}

/* Returns how many events are missing before the next row, by its count. */
static uint64_t lost_before(struct liteos_text *text, const struct liteos_text_item *item, bool in_file_order)
{
	if (!text->dump.columns.has_count || in_file_order || text->is_seen)
		return 0;
	text->is_seen = true;
	losses_see(&text->losses, item->count);
	return losses_due(&text->losses, false);
}

static bool put_row(struct liteos *liteos, struct model *model, struct batch *batch,
	const struct liteos_text_item *item, const uint8_t *line, uint8_t *bytes)
{
	const struct liteos_text_dump *dump = &liteos->text->dump;
	struct liteos_text_row row;
	struct liteos_frame frame;

	(void)liteos_text_parse_row(&row, &dump->columns, line, item->n_bytes);
	text_put_frame(bytes, dump, item, &row);
	liteos_load_frame(&dump->layout, bytes, dump->layout.frame_bytes, &frame);
	if (!liteos->text->has_last && dump->columns.has_count && !liteos->in_file_order) {
		liteos->text->has_earlier = true;
		liteos->text->n_earlier = item->count;
	}
	liteos->text->last = *item;
	liteos->text->has_last = true;
	return liteos_add_row(liteos, model, batch, &frame);
}

/* Returns RST_OK if the batch is full; RST_MORE if the dump is used up. */
static enum rst_status put_rows(struct liteos *liteos, struct model *model, const struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	struct liteos_text *text = liteos->text;

	if (text->dump.is_anew) {
		if (batch_is_full(batch))
			return RST_OK;
		if (!liteos_begin_run(liteos, model, batch, chunk->source, chunk->offset + text->at,
			    "this dump has no row of the one before, and its clock begins in front of the "
			    "end "
			    "of that one"))
			return error_nomem(err);
		text->dump.is_anew = false;
		losses_restart(&text->losses);
	}
	while (text->n_out < text->n_items) {
		const struct liteos_text_item *item = &text->items[text->n_out];
		struct rst_gap gap = { .n_events = item->n_missing,
			.offset = item->offset,
			.n_bytes = item->what ? item->n_bytes : 0,
			.source = chunk->source };
		uint8_t *bytes;

		if (batch_is_full(batch))
			return RST_OK;
		gap.n_events += item->what ? 0 : lost_before(text, item, liteos->in_file_order);
		if (item->what || gap.n_events) {
			gap.what = item->what ? item->what : "the count of events has a gap here";
			gap.marker = gap.n_events ? RST_LOSS : RST_DAMAGE;
			if (!liteos_put_gap(liteos, model, batch, &gap))
				return error_nomem(err);
			text->n_out += item->what != NULL;
			continue;
		}
		bytes = batch_scratch(batch, text->dump.layout.frame_bytes);
		if (!bytes && batch->n_events)
			return RST_OK;
		if (!bytes || !put_row(liteos, model, batch, item,
				      chunk->bytes + (item->offset - chunk->offset), bytes))
			return error_nomem(err);
		text->is_seen = false;
		text->n_out++;
	}
	return RST_MORE;
}

/* --- the form ------------------------------------------------------------------------------------------- */

static const char free_note[] = "the columns have other widths than the kernel prints: fields were read by "
				"the blanks between them, so a "
				"character that is missing does not show";

static bool put_form(struct liteos_text *text, struct model *model)
{
	const struct liteos_text_dump *first = &text->first;
	const struct liteos_layout *layout = &first->layout;

	text->has_told = true;
	if (first->is_free && !model_warn(model, "%s", free_note))
		return false;
	return model_detail_text(model, "form", "text") &&
	       model_detail_number(model, "dumps", text->n_dumps) &&
	       (!first->hz || model_detail_number(model, "clockFreq", first->hz)) &&
	       model_detail_text(model, "variant", liteos_variant_name(layout->variant)) &&
	       model_detail_bool(model, "pid", layout->has_pid) &&
	       model_detail_bool(model, "core", layout->has_core) &&
	       model_detail_bool(model, "count", layout->has_count) &&
	       model_detail_number(model, "lr", layout->n_lr) &&
	       model_detail_number(model, "params", layout->n_params) &&
	       model_detail_bool(model, "shifted_columns", first->is_shifted) &&
	       (!first->has_current_object ||
		       model_detail_number(model, "CurObjIndex", first->current_object)) &&
	       (!first->has_current || model_detail_number(model, "CurEvtIndex", first->current)) &&
	       model_detail_number(model, "maxRecordCount", first->n_slots) &&
	       model_detail_number(model, "used_slots", text->n_used) &&
	       (!text->has_earlier || model_detail_number(model, "earlier_events", text->n_earlier)) &&
	       (!text->n_repeated || model_warn(model, "%llu rows were in a dump before, and are given once",
					     (unsigned long long)text->n_repeated));
}

static void forget_dump(struct liteos_text *text)
{
	text->dump = (struct liteos_text_dump){ 0 };
	text->n_items = text->n_out = 0;
	text->is_inside = text->is_ready = false;
}

/* Makes the next dump of the chunk ready for its rows. Returns RST_MORE if the chunk has no further dump. */
static enum rst_status next_dump(
	struct liteos *liteos, struct model *model, const struct chunk *chunk, struct rst_error *err)
{
	struct liteos_text *text = liteos->text;
	enum liteos_taken taken;

	forget_dump(text);
	taken = liteos_text_take(liteos, model, chunk);
	if (taken == LITEOS_NO_MEMORY)
		return error_nomem(err);
	if (!text->is_inside)
		return RST_MORE;
	if (taken == LITEOS_DUMP_CUT &&
		!liteos_text_damage(text, chunk->offset + text->at, 0, "the end of the dump is missing"))
		return error_nomem(err);
	return liteos_text_settle(liteos, model) ? RST_OK : error_nomem(err);
}

enum rst_status liteos_text_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	struct liteos_text *text = liteos->text;
	enum rst_status status;

	if (!text) {
		text = liteos->text = calloc(1, sizeof(*text));
		if (!text)
			return error_nomem(err);
		text->wanted = liteos->wanted;
	}
	if (chunk->behind == CHUNK_ENDS)
		return !text->n_dumps ? error_set(err, RST_E_DAMAGED, 0, "there is no dump in this text")
		       : text->has_told || put_form(text, model) ? RST_END
								 : error_nomem(err);
	if (!text->has_chunk) {
		text->has_chunk = true;
		text->at = 0;
		forget_dump(text);
	}
	for (;;) {
		status = text->is_ready ? put_rows(liteos, model, chunk, batch, err) : RST_MORE;
		if (status != RST_MORE)
			return status;
		status = next_dump(liteos, model, chunk, err);
		if (status != RST_OK)
			break;
	}
	if (status == RST_MORE) {
		text->has_chunk = false;
		text->is_ready = false;
		chunk->n_used = chunk->n_bytes;
	}
	return status;
}

double liteos_text_share(const struct liteos *liteos, const struct chunk *chunk)
{
	return (double)liteos->text->at / (double)chunk->n_bytes;
}

void liteos_text_done(struct liteos *liteos)
{
	if (liteos->text)
		free(liteos->text->items);
	free(liteos->text);
	liteos->text = NULL;
}

/*
 * Whether there are rows of a table whose first lines are missing: their widths distinguish them from other
 * text.
 */
static bool has_rows(const uint8_t *bytes, size_t n_bytes)
{
	enum { LINES = 64, ENOUGH = 3 };
	static const struct liteos_wanted anything;
	struct liteos_columns columns;
	unsigned n_rows = 0;

	for (unsigned n = 0; n < LINES && n_bytes && n_rows < ENOUGH; n++) {
		const uint8_t *end = memchr(bytes, '\n', n_bytes);
		size_t n_line = end ? (size_t)(end - bytes) : n_bytes, n_text = n_line;

		while (n_text && bytes[n_text - 1] == '\r')
			n_text--;
		n_rows += liteos_text_guess(&columns, &anything, bytes, n_text);
		bytes += n_line + (end != NULL);
		n_bytes -= n_line + (end != NULL);
	}
	return n_rows == ENOUGH;
}

unsigned liteos_text_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	static const struct {
		const char *words;
		unsigned score;
	} marks[] = { { "*TraceInfo begin*", 95 }, { "CurEvtIndex = ", 80 }, { LITEOS_EVENT_TITLE, 80 } };
	enum { ROWS = 70 };

	(void)is_whole;
	if (n_bytes && memchr(bytes, 0, n_bytes))
		return 0;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
		if (liteos_text_has(bytes, n_bytes, marks[i].words))
			return marks[i].score;
	return has_rows(bytes, n_bytes) ? ROWS : 0;
}
