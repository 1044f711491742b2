/* SPDX-License-Identifier: MIT */
/*
 * The dialect. A trace of CTF is a folder: its file `metadata` describes packets and events in a language of
 * its own, and all other files are streams of packets. Reading needs the description, and events of all
 * streams must be merged by time. So the dialect takes all files first, which stay mapped; then it compiles
 * the descriptions, finds all packets, and gives out rows. Several traces below one folder are one recording.
 */
#include "dialect/ctf/ctf.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum { TAR_NAME_ROOM = 512 };

static const struct dialect_option options[] = { { NULL, NULL, NULL } };

static unsigned ctf_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const unsigned rate = ctf_rate_tar(bytes, n_bytes);

	(void)is_whole;
	return rate ? rate : ctf_rate_metadata(bytes, n_bytes);
}

static enum rst_status ctf_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	(void)state, (void)how, (void)err;
	model->clock_bits = 64;
	model->objects.is_by_kind = true;
	model->contexts.noun = "thread";
	model_count_ids(model, UINT64_MAX);
	return RST_OK;
}

/* --- files ---------------------------------------------------------------------------------------------- */

static bool add_file(struct ctf *ctf, const struct ctf_file *file)
{
	struct ctf_file *files = array_room(ctf->files, ctf->n_files, &ctf->files_room, sizeof(*files));

	if (!files)
		return false;
	ctf->files = files;
	files[ctf->n_files++] = *file;
	return true;
}

static bool add_tar(struct ctf *ctf, struct model *model, const struct chunk *chunk)
{
	char name[TAR_NAME_ROOM];
	struct ctf_file file;
	size_t at = 0;

	while (ctf_tar_next(chunk->bytes, chunk->n_bytes, &at, &file, name, sizeof(name))) {
		file.name = arena_copy(&model->arena, name, strlen(name));
		if (!file.name || !add_file(ctf, &file))
			return false;
	}
	if (ctf_tar_is_whole(chunk->bytes, chunk->n_bytes, at))
		return true;
	return ctf_owe(ctf, &(struct rst_gap){ .marker = RST_DAMAGE,
				    .offset = at,
				    .n_bytes = chunk->n_bytes - at,
				    .what = "the tar file has no end: files may be missing",
				    .source = chunk->source });
}

static bool add_chunk(struct ctf *ctf, struct model *model, const struct chunk *chunk)
{
	if (ctf_rate_tar(chunk->bytes, chunk->n_bytes))
		return add_tar(ctf, model, chunk);
	return add_file(ctf, &(struct ctf_file){ chunk->source, chunk->bytes, chunk->n_bytes });
}

/* --- traces --------------------------------------------------------------------------------------------- */

static bool add_trace(struct ctf *ctf, const struct ctf_file *metadata)
{
	struct ctf_trace **traces =
		array_room(ctf->traces, ctf->n_traces, &ctf->traces_room, sizeof(struct ctf_trace *));

	if (!traces)
		return false;
	ctf->traces = traces;
	traces[ctf->n_traces] = calloc(1, sizeof(**traces));
	if (!traces[ctf->n_traces])
		return false;
	traces[ctf->n_traces]->metadata = *metadata;
	traces[ctf->n_traces++]->order = CTF_LITTLE;
	return true;
}

static uint64_t folder_key(const char *path)
{
	return map_text_key(path, (size_t)(text_file_name(path) - path));
}

static bool is_in_folder(const struct ctf_trace *trace, const char *path)
{
	const size_t n = (size_t)(text_file_name(path) - path);
	const char *name = trace->metadata.name;

	return (size_t)(text_file_name(name) - name) == n && memcmp(name, path, n) == 0;
}

static bool give_file(struct ctf_trace *trace, const struct ctf_file *file)
{
	struct ctf_file *files = array_room(trace->files, trace->n_files, &trace->files_room, sizeof(*files));

	if (!files)
		return false;
	trace->files = files;
	files[trace->n_files++] = *file;
	return true;
}

static bool leave_out_traces(struct ctf *ctf, const struct ctf_file *metadata)
{
	return ctf_owe(
		ctf, &(struct rst_gap){ .marker = RST_DAMAGE,
			     .n_bytes = metadata->n_bytes,
			     .what = "there are more traces than can be read, and this one and those behind "
				     "it are left out",
			     .source = metadata->name });
}

/* Each folder with metadata is a trace, and has the other files of that folder. */
static bool divide_files(struct ctf *ctf)
{
	struct map folders = { 0 };
	bool is_good = true;

	for (size_t i = 0; i < ctf->n_files && is_good; i++) {
		if (strcmp(text_file_name(ctf->files[i].name), "metadata") != 0)
			continue;
		if (ctf->n_traces == CTF_TRACES_MAX) {
			is_good = leave_out_traces(ctf, &ctf->files[i]);
			break;
		}
		is_good = add_trace(ctf, &ctf->files[i]) &&
			  map_set(&folders, folder_key(ctf->files[i].name), ctf->traces[ctf->n_traces - 1]);
	}
	for (size_t i = 0; i < ctf->n_files && is_good; i++) {
		const struct ctf_file *file = &ctf->files[i];
		struct ctf_trace *trace = map_find(&folders, folder_key(file->name));
		const char *name = text_file_name(file->name);

		if (trace && name[0] != '.' && strcmp(name, "metadata") != 0 && file->n_bytes &&
			is_in_folder(trace, file->name))
			is_good = give_file(trace, file);
	}
	map_done(&folders);
	return is_good;
}

static enum rst_status build(struct ctf *ctf, struct model *model, struct rst_error *err)
{
	ctf->is_built = true;
	if (!divide_files(ctf))
		return error_nomem(err);
	if (!ctf->n_traces) {
		error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "there is no file 'metadata' beside this file");
		error_advise(err, "name the folder that has both: rastrum report FOLDER");
		return RST_E_DAMAGED;
	}
	return ctf_make_streams(ctf, model, err);
}

static enum rst_status ctf_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct ctf *ctf = state;

	if (chunk->behind != CHUNK_ENDS || chunk->n_bytes > chunk->n_used) {
		if (!add_chunk(ctf, model, chunk))
			return error_nomem(err);
		chunk->n_used = chunk->n_bytes;
	}
	if (chunk->behind != CHUNK_ENDS)
		return RST_MORE;
	if (!ctf->is_built)
		error_try(build(ctf, model, err));
	return ctf_rows(ctf, model, batch, err);
}

static void ctf_close(void *state)
{
	struct ctf *ctf = state;

	for (size_t i = 0; i < ctf->n_traces; i++) {
		struct ctf_trace *trace = ctf->traces[i];

		for (struct ctf_stream_class *stream = trace->streams; stream; stream = stream->next)
			map_done(&stream->events);
		map_done(&trace->stream_ids);
		arena_done(&trace->arena);
		free(trace->files);
		free(trace);
	}
	free(ctf->traces);
	free(ctf->files);
	free(ctf->packets);
	free(ctf->streams);
	free(ctf->heap);
	free(ctf->held);
	free(ctf->kept);
	free(ctf->due);
}

const struct dialect dialect_ctf = {
	.name = "ctf",
	.summary = "Common Trace Format: folders of LTTng, barectf, Zephyr and babeltrace",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.columns = CTF_COLUMNS,
	.scratch_bytes = CTF_SCRATCH_BYTES,
	.state_bytes = sizeof(struct ctf),
	.probe = ctf_probe,
	.has_machine_order = true,
	.open = ctf_open,
	.read = ctf_read,
	.close = ctf_close,
	.rare = &(const struct dialect_rare){ .reads_folders = true },
};
