/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/choice.h"
#include "base/error.h"
#include "base/similar.h"
#include "base/text.h"

const struct export_format *const export_formats[] = {
	&export_format_jsonl,
	&export_format_csv,
	&export_format_sqlite,
	&export_format_chrome,
	&export_format_perfetto,
	&export_format_speedscope,
	&export_format_collapsed,
	&export_format_vcd,
	&export_format_mermaid,
	&export_format_ctf,
	&export_format_txtb,
	NULL,
};

static const char *format_name(size_t i)
{
	return export_formats[i] ? export_formats[i]->name : NULL;
}

enum rst_status export_format_find(
	const char *name, const struct export_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format", .name = format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = export_formats[index];
	return RST_OK;
}

const struct export_format *export_format_of(const char *path)
{
	const char *base = text_file_name(path);
	const struct export_format *found = NULL;
	size_t n_path, n_found = 0;

	n_path = strlen(base);
	for (size_t i = 0; export_formats[i]; i++) {
		const size_t n = strlen(export_formats[i]->extension);

		if (n > n_found && n_path > n &&
			strcmp(base + n_path - n, export_formats[i]->extension) == 0) {
			found = export_formats[i];
			n_found = n;
		}
	}
	return found;
}

/* --- options -------------------------------------------------------------------------------------------- */

static const struct export_option *option_find(
	const struct export_format *format, const char *key, size_t n_key)
{
	for (const struct export_option *option = format->options; option && option->key; option++)
		if (strlen(option->key) == n_key && strncmp(option->key, key, n_key) == 0)
			return option;
	return NULL;
}

bool export_has_option(const struct export_format *format, const char *key, size_t n_key)
{
	return option_find(format, key, n_key);
}

enum rst_status export_choose(
	struct export *export, const char *key, const char *value, struct rst_error *err)
{
	const struct export_option *option =
		option_find(export->format, key, (size_t)(strchrnul(key, '=') - key));
	struct similar similar = similar_to(value);
	char advice[SIMILAR_TEXT_MAX];

	for (unsigned i = 0; option && option->choices[i]; i++) {
		if (strcmp(option->choices[i], value) == 0) {
			export->choices[option - export->format->options] = i;
			return RST_OK;
		}
		similar_offer(&similar, option->choices[i]);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%.64s' is no value of %s", value,
		option ? option->key : "an option");
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return RST_E_USAGE;
}

/* --- a conversion --------------------------------------------------------------------------------------- */

enum rst_status export_init(struct export *export, struct rst_error *err)
{
	observers_add_kind(&export->observers, &export->format->observer, export);
	export->state = observers_begin(&export->observers) ? observers_state(&export->observers, 0) : NULL;
	return export->state ? RST_OK : error_nomem(err);
}

/* After a failure, the format gets no more data, but the scan goes on. */
static bool is_done_with(const struct export *export, bool is_good)
{
	return is_good || export->status < 0;
}

static bool see_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct export *export = context;

	if (export->status < 0)
		return true;
	if (export->has_sentences && !export->sentences.input.is_started &&
		sentences_start(&export->sentences, batch, &export->err) < 0)
		return false;
	return is_done_with(export, observers_row(&export->observers, batch, row, at));
}

static bool see_batch(void *context, const struct rst_batch *batch)
{
	struct export *export = context;

	return !export->has_sentences || !export->sentences.input.is_started ||
	       sentences_end_batch(&export->sentences, batch);
}

static bool see_effect(void *context, const struct occurrence *occurrence)
{
	struct export *export = context;

	return export->status < 0 || is_done_with(export, observers_effect(&export->observers, occurrence));
}

static bool see_piece(void *context, const struct piece *piece)
{
	struct export *export = context;

	return export->status < 0 || is_done_with(export, observers_piece(&export->observers, piece));
}

enum rst_status export_begin(struct export *export, struct scan *scan, struct rst_error *err)
{
	const struct export_format *format = export->format;

	check(export->state && export->trace);
	export->scan = scan;
	export->observer = (struct observer_kind){ .effects = format->observer.effects,
		.intervals = format->observer.intervals,
		.row = format->observer.row ? see_row : NULL,
		.batch = see_batch,
		.effect = format->observer.effect ? see_effect : NULL,
		.piece = format->observer.piece ? see_piece : NULL };
	observers_add(&scan->observers, &export->observer, export);
	if (format->wants_texts) {
		export->has_sentences = true;
		error_try(sentences_init(
			&export->sentences, export->trace, export->templates, export->diags, err));
	}
	return format->begin ? format->begin(export, err) : RST_OK;
}

enum rst_status export_end(struct export *export, bool is_good, struct rst_error *err)
{
	enum rst_status status = export->status;

	check(export->state);
	if (export->status < 0)
		*err = export->err;
	else if (is_good && export->format->end)
		status = export->format->end(export, err);
	if (export->has_sentences)
		sentences_done(&export->sentences);
	export->has_sentences = false;
	return status;
}

enum rst_status export_finish(struct export *export, struct rst_error *err)
{
	check(export->state);
	return export->format->finish ? export->format->finish(export, err) : RST_OK;
}

void export_done(struct export *export)
{
	observers_done(&export->observers);
	export->state = NULL;
}
