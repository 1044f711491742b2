/* SPDX-License-Identifier: MIT */
/*
 * /api/arrows: arrows from the waker of a thread to the thread, and from the sender of a message to its
 * receiver. They are in the order of their ends, up to the limit.
 */
#include <stdlib.h>

#include "view/server/server.h"

enum { ARROWS_LIMIT = 2000, ARROWS_USUAL = 200, ARROWS_SPARE = 8 };

struct arrow {
	const char *kind;
	uint64_t sent, received;	 /* ticks */
	uint64_t sent_seq, received_seq; /* or RST_NO_SEQ */
	uint32_t from, to, object;	 /* numbers of entities */
	uint32_t source;
};

/* The arrows that end first. */
struct arrows {
	struct arrow *all;
	size_t n, limit, room;
	bool is_cut;
};

static int arrow_compare(const void *a, const void *b)
{
	const struct arrow *one = a, *other = b;

	if (one->received != other->received)
		return one->received < other->received ? -1 : 1;
	if (one->received_seq != other->received_seq)
		return one->received_seq < other->received_seq ? -1 : 1;
	return one->to < other->to ? -1 : one->to > other->to;
}

static void arrows_sort(struct arrows *arrows)
{
	qsort(arrows->all, arrows->n, sizeof(*arrows->all), arrow_compare);
	if (arrows->n <= arrows->limit)
		return;
	arrows->n = arrows->limit;
	arrows->is_cut = true;
}

static void arrow_add(struct arrows *arrows, const struct arrow *arrow)
{
	if (arrows->n == arrows->room)
		arrows_sort(arrows);
	arrows->all[arrows->n++] = *arrow;
}

/* One that has the limit of them has not room for more that end later. */
static void gather_wakes(struct arrows *arrows, const struct track *track, uint64_t from, uint64_t to)
{
	size_t n_found = 0;

	for (uint64_t n = tree_find(&track->tree, from); n < tree_n(&track->tree) && n_found <= arrows->limit;
		n++) {
		const struct segment segment = tree_segment(&track->tree, n);

		if (segment.from > to)
			return;
		if (segment.by == TRACK_NO_ENTITY || segment.from < from)
			continue;
		n_found++;
		arrow_add(arrows, &(struct arrow){ .kind = "wake",
					  .sent = segment.from,
					  .received = segment.from,
					  .sent_seq = segment.from_seq,
					  .received_seq = segment.from_seq,
					  .from = segment.by,
					  .to = track->subject,
					  .source = track->source });
	}
}

static void gather_messages(
	struct arrows *arrows, const struct messages *messages, uint64_t from, uint64_t to)
{
	size_t n_found = 0;

	for (uint64_t n = messages_find(messages, from); n < messages->n && n_found <= arrows->limit;
		n++, n_found++) {
		const struct message *message = messages_at(messages, n);

		if (message->received > to)
			return;
		arrow_add(arrows, &(struct arrow){ .kind = "message",
					  .sent = message->sent,
					  .received = message->received,
					  .sent_seq = message->sent_seq,
					  .received_seq = message->received_seq,
					  .from = message->sender,
					  .to = message->receiver,
					  .object = message->queue });
	}
}

/* Writes an end of an arrow: the track of a thread or interrupt, if it has one. */
static void put_arrow_end(struct json *json, const char *key, const struct tracks *tracks,
	const struct rst_entity *entity, uint32_t source, uint64_t at, uint64_t seq)
{
	const struct track *track = NULL;

	if (entity)
		track = tracks_find(tracks, RST_INTERVAL_THREAD, entity, source);
	if (entity && !track)
		track = tracks_find(tracks, RST_INTERVAL_INTERRUPT, entity, source);
	json_object(json, key);
	json_known(json, "track", track != NULL, track ? track->number : 0);
	put_label(json, "name", entity);
	json_unsigned(json, "ts", at);
	if (seq != RST_NO_SEQ)
		json_unsigned(json, "seq", seq);
	json_end(json);
}

static void put_arrow(struct json *json, const struct tracks *tracks, const struct arrow *arrow)
{
	json_object(json, NULL);
	json_text(json, "kind", arrow->kind);
	put_arrow_end(json, "from", tracks, tracks_entity(tracks, arrow->from), arrow->source, arrow->sent,
		arrow->sent_seq);
	put_arrow_end(json, "to", tracks, tracks_entity(tracks, arrow->to), arrow->source, arrow->received,
		arrow->received_seq);
	put_label(json, "object", tracks_entity(tracks, arrow->object));
	json_end(json);
}

static void put_arrows(struct outbuf *out, const struct tracks *tracks, struct arrows *arrows)
{
	struct json json = { .out = out };

	json_object(&json, NULL);
	json_array(&json, "arrows");
	for (size_t n = 0; n < arrows->n; n++) {
		const struct json_mark before = json_mark(&json);

		json_line_begin(&json);
		put_arrow(&json, tracks, &arrows->all[n]);
		if (out_bytes(out) > ANSWER_MAX) {
			json_rewind(&json, &before);
			arrows->is_cut = true;
			break;
		}
	}
	json_end(&json);
	json_bool(&json, "cut", arrows->is_cut);
	json_end(&json);
	json_line_end(&json);
}

bool answer_arrows(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct arrows arrows = { .n = 0 };
	uint64_t from = 0, to = UINT64_MAX, limit = ARROWS_USUAL;

	if (!parameter_number(request, answer, "from", 0, UINT64_MAX, &from) ||
		!parameter_number(request, answer, "to", 0, UINT64_MAX, &to) ||
		!parameter_number(request, answer, "limit", 1, ARROWS_LIMIT, &limit))
		return true;
	if (from > to)
		return answer_fail(answer, 400, "from must not be above to");
	arrows.limit = (size_t)limit;
	arrows.room = arrows.limit * ARROWS_SPARE;
	arrows.all = calloc(arrows.room, sizeof(*arrows.all));
	if (!arrows.all)
		return false;
	session_lock(session);
	for (size_t i = 0; i < session->tracks.n; i++)
		if (session->tracks.all[i]->kind == RST_INTERVAL_THREAD)
			gather_wakes(&arrows, session->tracks.all[i], from, to);
	gather_messages(&arrows, &session->messages, from, to);
	arrows_sort(&arrows);
	put_arrows(&answer->body, &session->tracks, &arrows);
	session_unlock(session);
	free(arrows.all);
	return !answer->body.error;
}
