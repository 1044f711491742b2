/* SPDX-License-Identifier: MIT */
/*
 * The contract, and the choice between three forms of input. In a file, the first bytes decide. Bytes of a
 * pipe or link are gathered until they decide. Then a stream is read as it comes, while a buffer and a text
 * are gathered to their end, because the lengths in a buffer's header cannot be trusted.
 */
#include "dialect/liteos/liteos.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { SCRATCH_BYTES = 256 * 1024, LOOK_BYTES = 64, LOOK_TEXT_BYTES = 64 * 1024 };

static const struct dialect_option options[] = {
	{ "variant", "a|m|h5", "kernel: liteos_a, liteos_m or Huawei LiteOS 5, found by the frames" },
	{ "ptr", "4|8", "bytes of the target's UINTPTR, found by the frames" },
	{ "core", "0|1", "whether frames have the core word, found by them" },
	{ "count", "0|1", "whether frames have the event count, found by them" },
	{ "lr", "N", "link registers in a frame, 0 or 5, found by the frames" },
	{ "params", "N", "params in a frame (LOSCFG_TRACE_FRAME_MAX_PARAMS), found by its size" },
	{ NULL, NULL, NULL },
};

/* --- settings ------------------------------------------------------------------------------------------- */

/* Takes a setting that is one of some words: *ret_value is its number, from 1. */
static enum rst_status take_word(const struct rst_open *how, const char *key, const char *const *words,
	unsigned *ret_value, struct rst_error *err)
{
	const char *value = dialect_setting(how, key);

	if (!value)
		return RST_OK;
	for (unsigned i = 0; words[i]; i++)
		if (strcmp(value, words[i]) == 0) {
			*ret_value = i + 1;
			return RST_OK;
		}
	return dialect_bad_setting(&dialect_liteos, key, value, err);
}

static enum rst_status take_number(const struct rst_open *how, const char *key, unsigned most, bool *ret_has,
	unsigned *ret_value, struct rst_error *err)
{
	const char *value = dialect_setting(how, key);
	uint64_t number;

	if (!value)
		return RST_OK;
	if (!text_parse_u64(value, &number) || number > most)
		return dialect_bad_setting(&dialect_liteos, key, value, err);
	*ret_has = true;
	*ret_value = (unsigned)number;
	return RST_OK;
}

static enum rst_status liteos_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	static const char *const variants[] = { "a", "m", "h5", NULL }, *const sizes[] = { "4", "8", NULL };
	static const char *const choices[] = { "0", "1", NULL };
	struct liteos *liteos = state;
	struct liteos_wanted *wanted = &liteos->wanted;
	unsigned variant = 0, size = 0, core = 0, count = 0;

	model_count_ids(model, 1U << RST_OBJECT_THREAD);
	error_try(take_word(how, "variant", variants, &variant, err));
	error_try(take_word(how, "ptr", sizes, &size, err));
	error_try(take_word(how, "core", choices, &core, err));
	error_try(take_word(how, "count", choices, &count, err));
	error_try(take_number(how, "lr", LITEOS_LR_MAX, &wanted->has_lr, &wanted->n_lr, err));
	error_try(take_number(how, "params", LITEOS_PARAMS_MAX, &wanted->has_params, &wanted->n_params, err));
	if (wanted->n_lr && wanted->n_lr != LITEOS_LR_MAX)
		return dialect_bad_setting(&dialect_liteos, "lr", dialect_setting(how, "lr"), err);
	wanted->variant = (enum liteos_variant)variant;
	wanted->ptr = 4 * size;
	wanted->core = (enum liteos_choice)core;
	wanted->count = (enum liteos_choice)count;
	liteos->wanted_hz = how->clock_hz;
	liteos->in_file_order = how->in_file_order;
	model->objects.is_by_kind = true; /* ids of semaphores, queues and tasks all count from 0 */
	model->contexts.noun = "task";
	model->contexts.thread_mask = LITEOS_TASK_MASK;
	model->has_switches = true;
	return RST_OK;
}

bool liteos_take_clock(struct liteos *liteos, struct model *model, uint64_t hz)
{
	bool is_other = model->clock_hz && hz != model->clock_hz;

	if (!hz || liteos->wanted_hz || liteos->has_other_clock)
		return true;
	liteos->has_other_clock = is_other;
	if (is_other)
		return model_warn(model,
			"the clock is later said to have %" PRIu64
			" Hz: times are by the first one, of %" PRIu64 " Hz",
			hz, model->clock_hz);
	model->clock_hz = hz;
	return true;
}

bool liteos_warn_idle(const struct liteos *liteos, struct model *model, unsigned settings, const char *why)
{
	const struct liteos_wanted *wanted = &liteos->wanted;
	const struct {
		unsigned setting;
		const char *key;
		bool is_given;
	} rows[] = {
		{ LITEOS_SETTING_PTR, " ptr=", wanted->ptr != 0 },
		{ LITEOS_SETTING_CORE, " core=", wanted->core != LITEOS_FIND_OUT },
		{ LITEOS_SETTING_COUNT, " count=", wanted->count != LITEOS_FIND_OUT },
		{ LITEOS_SETTING_LR, " lr=", wanted->has_lr },
		{ LITEOS_SETTING_PARAMS, " params=", wanted->has_params },
	};
	char keys[64] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (settings & rows[i].setting && rows[i].is_given)
			strcat(keys, rows[i].key);
	return !keys[0] || model_warn(model, "--opt%s: this does nothing here, as %s", keys, why);
}

/* --- forms ---------------------------------------------------------------------------------------------- */

static const struct {
	enum liteos_form form;
	const char *name;
	unsigned (*probe)(const uint8_t *bytes, size_t n_bytes, bool is_whole);
	enum rst_status (*read)(struct liteos *liteos, struct model *model, struct chunk *chunk,
		struct batch *batch, struct rst_error *err);
	double (*share)(const struct liteos *liteos, const struct chunk *chunk);
} forms[] = {
	/* The first form takes inputs that no form claims. */
	{ LITEOS_STREAM, "stream", liteos_stream_probe, liteos_stream_read, liteos_stream_share },
	{ LITEOS_OFFLINE, "offline", liteos_offline_probe, liteos_offline_read, liteos_offline_share },
	{ LITEOS_TEXT, "text", liteos_text_probe, liteos_text_read, liteos_text_share },
};

enum { N_FORMS = sizeof(forms) / sizeof(forms[0]) };

_Static_assert((int)N_FORMS == (int)LITEOS_N_FORMS, "each form has its reader");

static unsigned best_form(const uint8_t *bytes, size_t n_bytes, bool is_whole, enum liteos_form *ret_form)
{
	unsigned best = 0;

	*ret_form = forms[0].form;
	for (size_t i = 0; i < N_FORMS; i++) {
		unsigned score = forms[i].probe(bytes, n_bytes, is_whole);

		if (score > best) {
			best = score;
			*ret_form = forms[i].form;
		}
	}
	return best;
}

static unsigned liteos_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	enum liteos_form form;

	return best_form(bytes, n_bytes, is_whole, &form);
}

/* --- the form of an input ------------------------------------------------------------------------------- */

static enum rst_status liteos_look(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err)
{
	struct liteos *liteos = state;

	(void)model, (void)err;
	liteos->is_whole = true;
	best_form(whole->bytes, whole->n_bytes, true, &liteos->form);
	return RST_OK;
}

/* Whether the first bytes may belong to a text, which may have other lines in front. */
static bool is_text(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes && i < LOOK_BYTES; i++)
		if ((bytes[i] < ' ' && bytes[i] != '\n' && bytes[i] != '\r' && bytes[i] != '\t') ||
			bytes[i] > '~')
			return false;
	return true;
}

/*
 * Chooses the form of an input that comes in pieces, once the bytes are enough to decide, or no more bytes
 * will come.
 */
static void form_choose(struct liteos *liteos, const struct chunk *chunk)
{
	const bool is_end = chunk->behind >= CHUNK_INPUT_ENDS;
	enum liteos_form form;
	unsigned score = best_form(chunk->bytes, chunk->n_bytes, is_end, &form);
	size_t n_needed = !score && is_text(chunk->bytes, chunk->n_bytes) ? LOOK_TEXT_BYTES : LOOK_BYTES;

	if (is_end || chunk->n_bytes >= n_needed)
		liteos->form = form;
}

/* Whether too few bytes of the input are there to read any of it. */
static bool chunk_waits(struct liteos *liteos, const struct chunk *chunk)
{
	if (liteos->form == LITEOS_FORM_UNKNOWN && chunk->n_bytes)
		form_choose(liteos, chunk);
	if (liteos->is_whole || liteos->form == LITEOS_STREAM || chunk->behind >= CHUNK_INPUT_ENDS)
		return false;
	liteos->is_cut |= chunk->n_bytes > LITEOS_GATHERED_MAX;
	return !liteos->is_cut;
}

/* --- the contract --------------------------------------------------------------------------------------- */

/*
 * Groups the details by form, because forms share many names of details. The first form to add details adds
 * them without a group; each later form adds them in a group with the form's name. Returns false if memory
 * ran out.
 */
static bool group_details(struct liteos *liteos, struct model *model, size_t n_before, size_t form)
{
	const size_t n_told = model->n_details - n_before;
	struct rst_detail *items;

	if (!n_told || !liteos->has_told) {
		liteos->has_told |= n_told != 0;
		return true;
	}
	items = arena_alloc(&model->arena, n_told * sizeof(*items));
	if (!items)
		return false;
	memcpy(items, model->details + n_before, n_told * sizeof(*items));
	model->n_details = n_before;
	return model_detail(model, &(struct rst_detail){ .name = forms[form].name,
					   .type = RST_DETAIL_GROUP,
					   .n_items = n_told,
					   .items = items });
}

/* Calls a form's reader once. RST_MORE ends the input or the chunk; RST_END ends the form. */
static enum rst_status read_form(struct liteos *liteos, struct model *model, size_t form, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const size_t n_before = model->n_details;
	enum rst_status status = forms[form].read(liteos, model, chunk, batch, err);

	liteos->is_reading = status == RST_OK;
	if (status >= 0 && !group_details(liteos, model, n_before, form))
		return error_nomem(err);
	return status;
}

static enum rst_status read_as(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	size_t form = 0;

	while (form + 1 < N_FORMS && forms[form].form != liteos->form)
		form++;
	liteos->has_met[form] = true;
	return read_form(liteos, model, form, chunk, batch, err);
}

/* Ends every form that was met, not only that of the last input: its remaining rows, and its details. */
static enum rst_status end_forms(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	for (; liteos->n_ended < N_FORMS; liteos->n_ended++) {
		enum rst_status status =
			liteos->has_met[liteos->n_ended]
				? read_form(liteos, model, liteos->n_ended, chunk, batch, err)
				: RST_END;

		if (status != RST_END)
			return status;
	}
	return RST_END;
}

/* Behind the last byte of an input. A stream may go on in the next one. */
static void input_end(struct liteos *liteos)
{
	liteos->is_whole = liteos->is_cut = liteos->has_told_cut = false;
	if (liteos->form != LITEOS_STREAM)
		liteos->form = LITEOS_FORM_UNKNOWN;
}

/*
 * Reads a buffer or a text that is longer than the limit: reads the gathered bytes at once, then passes over
 * the rest and reports that. So an endless link takes limited memory.
 */
static enum rst_status read_cut(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = chunk->offset + LITEOS_GATHERED_MAX,
		.what = "a buffer or text that does not come from a file is read up to 32 MiB; what follows "
			"is "
			"left out, save it to a file",
		.source = chunk->source };
	struct chunk front = *chunk;

	if (!liteos->has_told_cut && chunk->n_used == 0) {
		front.n_bytes = LITEOS_GATHERED_MAX;
		enum rst_status status = read_as(liteos, model, &front, batch, err);

		if (status != RST_MORE)
			return status;
		chunk->n_used = LITEOS_GATHERED_MAX;
	}
	if (!liteos->has_told_cut && batch_is_full(batch))
		return RST_OK;
	if (!liteos->has_told_cut && !liteos_put_gap(liteos, model, batch, &gap))
		return error_nomem(err);
	liteos->has_told_cut = true;
	chunk->n_used = chunk->n_bytes;
	return RST_MORE;
}

static bool has_met_any(const struct liteos *liteos)
{
	bool has_met = false;

	for (size_t i = 0; i < N_FORMS; i++)
		has_met |= liteos->has_met[i];
	return has_met;
}

static enum rst_status liteos_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct liteos *liteos = state;
	enum rst_status status = RST_MORE;

	if (chunk->behind == CHUNK_ENDS)
		return has_met_any(liteos) ? end_forms(liteos, model, chunk, batch, err)
					   : error_set(err, RST_E_DAMAGED, 0, "the input is empty");
	if (chunk_waits(liteos, chunk))
		return RST_MORE;
	if (liteos->is_cut)
		status = read_cut(liteos, model, chunk, batch, err);
	else if (chunk->n_tail > chunk->n_used && liteos->is_whole && liteos->form != LITEOS_STREAM)
		return liteos_stream_cut(liteos, model, chunk, batch, err);
	else if (liteos->form != LITEOS_FORM_UNKNOWN)
		status = read_as(liteos, model, chunk, batch, err);
	if (status == RST_MORE && liteos->form != LITEOS_STREAM)
		chunk->n_used = chunk->n_bytes;
	if (status == RST_MORE && chunk->behind == CHUNK_INPUT_ENDS)
		input_end(liteos);
	return status;
}

static double liteos_share(const void *state, const struct chunk *chunk)
{
	const struct liteos *liteos = state;
	size_t form = 0;

	while (form + 1 < N_FORMS && forms[form].form != liteos->form)
		form++;
	return liteos->has_met[form] && chunk->n_bytes ? forms[form].share(liteos, chunk) : 0;
}

static void liteos_close(void *state)
{
	struct liteos *liteos = state;

	liteos_offline_done(liteos);
	liteos_stream_done(liteos);
	liteos_text_done(liteos);
	map_done(&liteos->rows);
}

const struct dialect dialect_liteos = {
	.name = "liteos",
	.summary = "LiteOS kernel trace (OpenHarmony liteos_a and liteos_m, Huawei LiteOS 5): buffer, stream "
		   "or text",
	.options = options,
	.columns = LITEOS_COLUMNS,
	.scratch_bytes = SCRATCH_BYTES,
	.state_bytes = sizeof(struct liteos),
	.probe = liteos_probe,
	.has_machine_order = true,
	.open = liteos_open,
	.look = liteos_look,
	.read = liteos_read,
	.share = liteos_share,
	.close = liteos_close,
	.catalogue = liteos_catalogue,
};
