/* SPDX-License-Identifier: MIT */
/*
 * TraceX's custom event file (TraceX guide, chapter 10) names user events and their four words:
 *
 *	// anything before Start is a comment
 *	Start
 *	4096, Motor step, MS, (255,0,0), (0,0,255), axis, position, speed, flags
 *	End
 *
 * The abbreviation and the two colours are for icons and are only checked to be there. Labels may be missing.
 */

#include "base/text.h"
#include "dialect/threadx/threadx.h"
#include "input/source.h"

enum { CELL_ID, CELL_NAME, CELL_ABBREVIATION, CELL_TOP, CELL_BOTTOM, CELL_LABELS, N_CELLS = CELL_LABELS + 4 };

struct span {
	const char *at;
	size_t n;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.at[0]))
		s.at++, s.n--;
	while (s.n && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

/* Takes the next line without its end. Returns false at the end of the text. */
static bool next_line(struct span *rest, struct span *ret_line)
{
	const char *end = rest->n ? memchr(rest->at, '\n', rest->n) : NULL;
	size_t n = end ? (size_t)(end - rest->at) : rest->n;

	if (!rest->n)
		return false;
	*ret_line = span_trim((struct span){ rest->at, n });
	n += end != NULL;
	*rest = (struct span){ rest->at + n, rest->n - n };
	return true;
}

static bool is_word(struct span s, const char *word)
{
	return s.n == strlen(word) && text_is_same_fold(s.at, word, s.n);
}

/* Splits cells at commas, except within the parentheses of a colour. */
static size_t cells_split(struct span line, struct span cells[N_CELLS])
{
	size_t n = 0, from = 0;
	int depth = 0;

	for (size_t i = 0; i <= line.n && n < N_CELLS; i++) {
		if (i < line.n && line.at[i] == '(')
			depth++;
		if (i < line.n && line.at[i] == ')')
			depth--;
		if (i == line.n || (line.at[i] == ',' && depth <= 0)) {
			cells[n++] = span_trim((struct span){ line.at + from, i - from });
			from = i + 1;
		}
	}
	return n;
}

static bool parse_id(struct span cell, uint64_t *ret_id)
{
	char digits[24];

	if (cell.n >= sizeof(digits))
		return false;
	memcpy(digits, cell.at, cell.n);
	digits[cell.n] = '\0';
	return text_parse_u64(digits, ret_id) && *ret_id >= TX_FIRST_USER_ID && *ret_id < TX_IDS;
}

static const char *copy_clean(struct model *model, struct span s)
{
	char *clean = arena_alloc(&model->arena, 4 * s.n + 1);

	if (clean)
		text_keep(clean, (const uint8_t *)s.at, s.n);
	return clean;
}

/* Field names are keys, so a label that another word has already gets the word's number behind it. */
static const char *unique_label(
	struct model *model, const struct tx_event *event, size_t word, const char *label)
{
	for (size_t i = 0; i < word; i++) {
		if (strcmp(event->fields[i].name, label) != 0)
			continue;
		size_t n = strlen(label);
		char *longer = arena_alloc(&model->arena, n + 3);

		if (!longer)
			return NULL;
		memcpy(longer, label, n);
		longer[n] = '_';
		longer[n + 1] = (char)('1' + word);
		return unique_label(model, event, word, longer);
	}
	return label;
}

static bool event_define(
	struct threadx *tx, struct model *model, uint64_t id, const struct span *cells, size_t n_cells)
{
	static const char *const unlabelled[TX_INFO_WORDS] = { "info1", "info2", "info3", "info4" };
	struct tx_event *event = arena_alloc(&model->arena, sizeof(*event));

	if (!event)
		return false;
	event->id = (uint16_t)id;
	event->constant = copy_clean(model, cells[CELL_NAME]);
	event->service = "user event";
	for (size_t i = 0; i < TX_INFO_WORDS; i++) {
		bool has_label = CELL_LABELS + i < n_cells && cells[CELL_LABELS + i].n;

		event->fields[i].type = RST_WORD;
		const char *label = has_label ? copy_clean(model, cells[CELL_LABELS + i]) : unlabelled[i];

		event->fields[i].name = label ? unique_label(model, event, i, label) : NULL;
		if (!event->fields[i].name)
			return false;
	}
	return event->constant && map_set(&tx->custom, id, event);
}

static enum rst_status define_line(
	struct threadx *tx, struct model *model, struct span line, unsigned number, struct rst_error *err)
{
	struct span cells[N_CELLS];
	size_t n_cells = cells_split(line, cells);
	uint64_t id;

	if (n_cells > CELL_BOTTOM && cells[CELL_NAME].n && parse_id(cells[CELL_ID], &id))
		return event_define(tx, model, id, cells, n_cells) ? RST_OK : error_nomem(err);
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"line %u of the custom event file defines no event: '%.*s'", number,
		(int)(line.n < 60 ? line.n : 60), line.at);
	error_advise(
		err, "write: number (1025 to 65535), name, abbreviation, (r,g,b), (r,g,b), label1 to label4");
	return RST_E_USAGE;
}

enum rst_status tx_custom_parse(
	struct threadx *tx, struct model *model, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	struct span rest = { (const char *)bytes, n_bytes }, line;
	bool has_started = false;

	for (unsigned number = 1; next_line(&rest, &line); number++) {
		if (!has_started)
			has_started = is_word(line, "start");
		else if (is_word(line, "end"))
			return RST_OK;
		else if (line.n && strncmp(line.at, "//", line.n < 2 ? line.n : 2) != 0)
			error_try(define_line(tx, model, line, number, err));
	}
	if (has_started)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the custom event file has no line 'Start'");
	error_advise(err, "see the TraceX guide, chapter 10");
	return RST_E_USAGE;
}

/* More is no list of a few names; a file that is neither packed nor a device is mapped, and has no limit. */
enum { CUSTOM_BYTES_MAX = 16 << 20 };

enum rst_status tx_custom_load(
	struct threadx *tx, struct model *model, const char *path, struct rst_error *err)
{
	struct input_item all, fault;
	struct source *source;
	enum rst_status status = RST_OK;

	error_try(source_open_whole(&source, path, CUSTOM_BYTES_MAX, &all, &fault, err));
	if (fault.kind == INPUT_DAMAGE)
		status = error_set(err, RST_E_USAGE, fault.offset, "%s", fault.what);
	if (status == RST_OK)
		status = tx_custom_parse(tx, model, all.bytes, all.n_bytes, err);
	source_free(source);
	if (status < 0)
		error_name(err, path);
	return status < 0 ? status : RST_OK;
}
