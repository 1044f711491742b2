/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cli/report/report.h"

/* The front of the memory is given up once it is this large and mostly of no more use. */
enum { TAIL_SLACK = 1 << 20 };

void tail_init(struct tail *tail, struct outbuf *memory, uint64_t n_lines, bool has_quotes)
{
	*tail = (struct tail){ .memory = memory, .n_lines = n_lines, .has_quotes = has_quotes };
}

/* Lines are kept in order until there are enough; from then on each new one takes the place of the oldest. */
static size_t oldest_start(const struct tail *tail)
{
	return tail->starts[tail->n_kept < tail->n_lines ? 0 : tail->next];
}

static bool tail_keep(struct tail *tail, size_t start)
{
	if (tail->n_kept == tail->n_lines) {
		tail->starts[tail->next] = start;
		tail->next = (tail->next + 1) % tail->n_kept;
		return true;
	}
	size_t *starts = array_room(tail->starts, tail->n_kept, &tail->room, sizeof(size_t));

	if (!starts)
		return false;
	tail->starts = starts;
	starts[tail->n_kept++] = start;
	return true;
}

/* Moves what is kept to the front of the memory. */
static void tail_compact(struct tail *tail)
{
	struct outbuf *memory = tail->memory;
	size_t first = tail->n_kept ? oldest_start(tail) : tail->n_seen;

	if (first < TAIL_SLACK || first < tail->n_seen / 2)
		return;
	memmove(memory->start, memory->start + first, (size_t)(memory->at - memory->start) - first);
	memory->at -= first;
	tail->n_seen -= first;
	for (size_t i = 0; i < tail->n_kept; i++)
		tail->starts[i] -= first;
}

/* Where the line ends that starts here; NULL if it is not complete. */
static const char *line_end(const struct tail *tail, const char *line, size_t n_bytes)
{
	bool is_quoted = false;

	if (!tail->has_quotes)
		return memchr(line, '\n', n_bytes);
	for (const char *at = line; at < line + n_bytes; at++) {
		is_quoted ^= *at == '"';
		if (*at == '\n' && !is_quoted)
			return at;
	}
	return NULL;
}

bool tail_update(struct tail *tail)
{
	struct outbuf *memory = tail->memory;
	size_t n_all = (size_t)(memory->at - memory->start);

	if (memory->error)
		return false;
	while (tail->n_seen < n_all) {
		const char *line = memory->start + tail->n_seen;
		const char *end = line_end(tail, line, n_all - tail->n_seen);

		if (!end)
			break;
		if (tail->n_lines && !tail_keep(tail, tail->n_seen)) {
			memory->error = ENOMEM;
			return false;
		}
		tail->n_seen += (size_t)(end + 1 - line);
	}
	tail_compact(tail);
	return true;
}

void tail_write(const struct tail *tail, struct outbuf *out)
{
	size_t first = tail->n_kept ? oldest_start(tail) : tail->n_seen;
	size_t n_bytes = tail->n_seen - first;

	if (n_bytes && outbuf_reserve(out, n_bytes))
		out->at = text_put(out->at, tail->memory->start + first, n_bytes);
}

void tail_done(struct tail *tail)
{
	free(tail->starts);
	tail->starts = NULL;
}
