/* SPDX-License-Identifier: MIT */
#include "view/server/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/steady.h"

enum { TEXT_MAX = 512, QUIET_MS = 10000 };

/* The progress of reading a trace. */
struct progress_mark {
	uint64_t n_events, n_losses, first, last;
	size_t n_tracks;
	bool is_started, is_done;
};

struct stream {
	struct stream *next;
	struct streams *streams;
	struct session *session;
	struct MHD_Connection *connection;
	struct progress_mark given; /* what was said last … */
	bool has_given;		    /* … if anything was */
	uint64_t given_ms;
	bool is_asleep, is_over;
};

static struct progress_mark mark_of(struct session *session)
{
	struct progress_mark mark;

	session_lock(session);
	mark = (struct progress_mark){
		.n_events = session->scan.n_events,
		.n_losses = session->n_losses,
		.first = session->scan.from,
		.last = session->scan.now,
		.n_tracks = session->tracks.n,
		.is_started = session->scan.is_started,
		.is_done = session->is_done,
	};
	session_unlock(session);
	return mark;
}

static bool is_news(const struct stream *stream, const struct progress_mark *mark)
{
	const struct progress_mark *given = &stream->given;

	return !stream->has_given || given->n_events != mark->n_events || given->n_losses != mark->n_losses ||
	       given->n_tracks != mark->n_tracks || given->is_done != mark->is_done;
}

/* Writes the news as an event of the stream. Returns their bytes, or the library's code for an error. */
static ssize_t news_put(char *room, size_t n_room, const struct progress_mark *mark)
{
	struct outbuf out;
	struct json json = { .out = &out };
	size_t n;
	bool is_good;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return MHD_CONTENT_READER_END_WITH_ERROR;
	outbuf_printf(&out, "event: %s\ndata: ", mark->is_done ? "done" : "grew");
	json_object(&json, NULL);
	json_unsigned(&json, "events", mark->n_events);
	json_known(&json, "first_ts", mark->is_started, mark->first);
	json_known(&json, "last_ts", mark->is_started, mark->last);
	json_unsigned(&json, "losses", mark->n_losses);
	json_unsigned(&json, "tracks", mark->n_tracks);
	json_bool(&json, "done", mark->is_done);
	json_end(&json);
	json_line_end(&json);
	outbuf_puts(&out, "\n");
	n = (size_t)(out.at - out.start);
	is_good = !out.error && n <= n_room;
	if (is_good)
		memcpy(room, out.start, n);
	outbuf_done(&out);
	return is_good ? (ssize_t)n : MHD_CONTENT_READER_END_WITH_ERROR;
}

/* Called by the library when there is room for more. */
static ssize_t stream_read(void *context, uint64_t position, char *room, size_t n_room)
{
	struct stream *stream = context;
	struct streams *streams = stream->streams;
	ssize_t n = 0;

	(void)position;
	pthread_mutex_lock(&streams->lock);
	const struct progress_mark mark = mark_of(stream->session);

	if (streams->is_stopping || stream->is_over) {
		n = MHD_CONTENT_READER_END_OF_STREAM;
	} else if (is_news(stream, &mark)) {
		n = news_put(room, n_room, &mark);
		stream->given = mark;
		stream->has_given = true;
		stream->is_over = mark.is_done;
	} else if (steady_ms() - stream->given_ms >= QUIET_MS) {
		memcpy(room, ":\n\n", 3); /* a comment: the line is alive */
		n = 3;
	}
	if (n > 0) {
		stream->given_ms = steady_ms();
	} else if (n == 0) {
		stream->is_asleep = true;
		MHD_suspend_connection(stream->connection);
	}
	pthread_mutex_unlock(&streams->lock);
	return n;
}

static void stream_close(void *context)
{
	struct stream *stream = context;
	struct streams *streams = stream->streams;

	pthread_mutex_lock(&streams->lock);
	for (struct stream **at = &streams->first; *at; at = &(*at)->next)
		if (*at == stream) {
			*at = stream->next;
			streams->n--;
			break;
		}
	pthread_mutex_unlock(&streams->lock);
	free(stream);
}

struct MHD_Response *stream_open(
	struct streams *streams, struct session *session, struct MHD_Connection *connection)
{
	struct stream *stream = calloc(1, sizeof(*stream));
	struct MHD_Response *response = NULL;

	if (!stream)
		return NULL;
	*stream = (struct stream){ .streams = streams, .session = session, .connection = connection };
	pthread_mutex_lock(&streams->lock);
	if (streams->n < STREAMS_MAX && !streams->is_stopping)
		response = MHD_create_response_from_callback(
			MHD_SIZE_UNKNOWN, TEXT_MAX, stream_read, stream, stream_close);
	if (response) {
		stream->next = streams->first;
		streams->first = stream;
		streams->n++;
	}
	pthread_mutex_unlock(&streams->lock);
	if (!response)
		free(stream);
	return response;
}

static void stream_wake(struct stream *stream)
{
	stream->is_asleep = false;
	MHD_resume_connection(stream->connection);
}

void streams_tick(struct streams *streams)
{
	pthread_mutex_lock(&streams->lock);
	for (struct stream *stream = streams->first; stream; stream = stream->next) {
		if (!stream->is_asleep)
			continue;
		const struct progress_mark mark = mark_of(stream->session);

		if (is_news(stream, &mark) || steady_ms() - stream->given_ms >= QUIET_MS)
			stream_wake(stream);
	}
	pthread_mutex_unlock(&streams->lock);
}

void streams_stop(struct streams *streams)
{
	pthread_mutex_lock(&streams->lock);
	streams->is_stopping = true;
	for (struct stream *stream = streams->first; stream; stream = stream->next)
		if (stream->is_asleep)
			stream_wake(stream);
	pthread_mutex_unlock(&streams->lock);
}

void streams_init(struct streams *streams)
{
	*streams = (struct streams){ .n = 0 };
	pthread_mutex_init(&streams->lock, NULL);
}

void streams_done(struct streams *streams)
{
	pthread_mutex_destroy(&streams->lock);
}
