/* SPDX-License-Identifier: MIT */
#include "view/session/places.h"

#include "base/array.h"

enum { SPARE_BYTES_MAX = 4 << 20 /* of what is known of a trace that stays open */ };

void places_init(struct places *places)
{
	pthread_mutex_init(&places->lock, NULL);
}

static void reader_close(struct reader *reader)
{
	rst_trace_free(reader->trace);
	job_done(&reader->job);
	*reader = (struct reader){ .trace = NULL };
}

void places_done(struct places *places)
{
	reader_close(&places->spare);
	free(places->all);
	pthread_mutex_destroy(&places->lock);
}

/* --- places --------------------------------------------------------------------------------------------- */

void places_add(struct places *places, const struct rst_trace *trace, uint64_t at, uint64_t n_events)
{
	const uint64_t last = places->n ? places->all[places->n - 1].n_events : 0;
	struct place place = { .at = at, .n_events = n_events };
	struct place *all;

	if (n_events - last < PLACES_EVENTS || !trace_place_take(trace, &place.place))
		return;
	all = array_room(places->all, places->n, &places->room, sizeof(*all));
	if (!all)
		return;
	places->all = all;
	all[places->n++] = place;
}

const struct place *places_find(const struct places *places, uint64_t from, uint64_t first)
{
	size_t low = 0, high = places->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct place *place = &places->all[middle];

		if (place->at < from || (first && place->n_events <= first))
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &places->all[low - 1] : NULL;
}

/* --- readers -------------------------------------------------------------------------------------------- */

static bool file_is(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Takes the trace that is still open, if its file has not changed since. */
static bool spare_take(struct places *places, const char *path, struct reader *ret_reader)
{
	struct reader spare;
	struct stat st;

	pthread_mutex_lock(&places->lock);
	spare = places->spare;
	places->spare = (struct reader){ .trace = NULL };
	pthread_mutex_unlock(&places->lock);
	if (!spare.trace)
		return false;
	if (stat(path, &st) == 0 && file_is(&st, &spare.file)) {
		*ret_reader = spare;
		return true;
	}
	reader_close(&spare);
	return false;
}

enum rst_status reader_take(struct places *places, const struct job *like, size_t n,
	struct reader *ret_reader, struct rst_error *err)
{
	const char *path = like->n_paths ? like->paths[n] : NULL;

	if (path && spare_take(places, path, ret_reader))
		return RST_OK;
	*ret_reader = (struct reader){
		.job = { .spec = like->spec, .n_paths = like->n_paths, .paths = like->paths }
	};
	ret_reader->has_file =
		path && stat(path, &ret_reader->file) == 0 && S_ISREG(ret_reader->file.st_mode);
	return job_open(&ret_reader->job, n, &ret_reader->trace, err);
}

void reader_give(struct places *places, struct reader *reader)
{
	struct reader unused = *reader;

	if (reader->trace && reader->has_file && trace_memory(reader->trace) <= SPARE_BYTES_MAX &&
		trace_place_go(reader->trace, NULL)) {
		pthread_mutex_lock(&places->lock);
		unused = places->spare;
		places->spare = *reader;
		pthread_mutex_unlock(&places->lock);
	}
	reader_close(&unused);
}

void places_prepare(struct places *places, const struct job *like, size_t n)
{
	const struct rst_batch *batch;
	struct reader reader;
	struct rst_error err;

	if (reader_take(places, like, n, &reader, &err) == RST_OK)
		rst_trace_next(reader.trace, &batch, &err);
	reader_give(places, &reader);
}
