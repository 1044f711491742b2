/* SPDX-License-Identifier: MIT */
/* The contract; posix.h draws the way through the room. */
#include "dialect/posix/posix.h"

#include <stdlib.h>
#include <string.h>

#include "base/load.h"

static const struct dialect_option options[] = {
	{ "symbols", "DIR",
		"where programs and libraries of the traced machine are, for names of addresses" },
	{ NULL, NULL, NULL },
};

/*
 * The magic identifies a Rastrum log. Its header has the kind of content; other kinds belong to other
 * dialects.
 */
static unsigned posix_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	size_t at = offsetof(struct log_header, content);

	(void)is_whole;
	if (n_bytes < sizeof(LOG_MAGIC) - 1 || memcmp(bytes, LOG_MAGIC, sizeof(LOG_MAGIC) - 1) != 0)
		return 0;
	if (n_bytes < at + sizeof(uint32_t))
		return 50;
	return load_u32(bytes + at, false) == LOG_CONTENT_POSIX ||
			       load_u32(bytes + at, true) == LOG_CONTENT_POSIX
		       ? 100
		       : 20;
}

static enum rst_status posix_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct posix *posix = state;
	const char *root = dialect_setting(how, "symbols");

	if (root && !*root)
		return dialect_bad_setting(&dialect_posix, "symbols", root, err);
	if (root)
		posix->memory.root = arena_copy(&model->arena, root, strlen(root));
	posix->has_wanted_hz = how->clock_hz != 0;
	model_count_ids(model, 1U << RST_OBJECT_THREAD);
	model->objects.is_by_kind = true; /* numbers of threads and processes, and addresses … */
	model->objects.scoped_kinds =	  /* … of a process, all but those numbers and shared ones */
		~(uint64_t)(1U << RST_OBJECT_THREAD) & (((uint64_t)1 << RST_OBJECT_SIGNAL) - 1);
	if ((root && !posix->memory.root) || !posix_details_open(posix, model))
		return error_nomem(err);
	return RST_OK;
}

static void posix_take_symbols(void *state, struct symbol_names *names)
{
	struct posix *posix = state;

	posix->memory.given = names;
}

/*
 * Reads, and notes the time of day at the first event as soon as it is known: the event may come before the
 * clocks, or after them.
 */
static enum rst_status posix_read_and_date(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	enum rst_status status = posix_read(state, model, chunk, batch, err);

	model_take_rows(model, batch);
	posix_note_first(state, model);
	return status;
}

static void posix_close(void *state)
{
	struct posix *posix = state;

	posix_input_done(&posix->input);
	log_zstd_close(posix->zstd);
	free(posix->types);
	symbol_memory_done(&posix->memory);
	map_done(&posix->names);
	map_done(&posix->threads);
	map_done(&posix->processes);
	map_done(&posix->called);
	map_done(&posix->sites);
	posix_shared_done(posix);
	hook_types_done(&posix->hooks);
}

static const struct dialect_rare posix_rare = {
	.take_symbols = posix_take_symbols,
	.is_finished = posix_is_finished,
	.survey = posix_survey,
	.narrow = posix_narrow,
	.take_passed = posix_take_passed,
	.hook_dialect = HOOK_DIALECT,
	.hook = posix_hook,
};

const struct dialect dialect_posix = {
	.name = "posix",
	.summary = "POSIX trace (<trace.h>), logs of Rastrum's recorder",
	.options = options,
	.columns = POSIX_COLUMNS,
	.scratch_bytes = POSIX_SCRATCH_BYTES,
	.state_bytes = sizeof(struct posix),
	.probe = posix_probe,
	.open = posix_open,
	.look = posix_look_whole,
	.read = posix_read_and_date,
	.share = posix_share,
	.close = posix_close,
	.catalogue = posix_catalogue,
	.rare = &posix_rare,
};
