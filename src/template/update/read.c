/* SPDX-License-Identifier: MIT */
/*
 * While an update file is parsed, blanks overwrite its signs and the lines that delete. It is then a file of
 * templates, in which all positions are right. The bytes are put back for messages.
 */
#include "template/update/update.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"

static const char first_line[] = "* /etc/trcfmt";

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && is_blank(*at))
		at++;
	return at;
}

bool update_is_file(const struct template_file *file)
{
	const char *end = line_end(file->text, file->text + file->n_bytes);
	const size_t n = sizeof(first_line) - 1;

	return (size_t)(end - file->text) >= n && memcmp(file->text, first_line, n) == 0 &&
	       skip_blanks(file->text + n, end) == end;
}

bool update_is_effect(const char *at, const char *end)
{
	static const char word[] = "effect:";

	if (at == end || *at != '#')
		return false;
	at = skip_blanks(at + 1, end);
	return (size_t)(end - at) >= sizeof(word) - 1 && strncasecmp(at, word, sizeof(word) - 1) == 0;
}

const char *update_comments(const struct template_set *set, const struct stanza *stanza)
{
	for (size_t i = stanza->index; i-- > 0 && set->stanzas[i]->file == stanza->file;) {
		const char *end = set->stanzas[i]->end;

		return end + (end < stanza->file->text + stanza->file->n_bytes);
	}
	return stanza->file->text;
}

/* --- signs ---------------------------------------------------------------------------------------------- */

struct reader {
	struct update *update;
	struct template_file *file;
	struct diags *diags;
	char *text, *end; /* the file's own bytes */
};

static bool fail_line(const struct reader *reader, const char *at, const char *what)
{
	return diag_add(
		reader->diags, "T01", (struct diag_location){ .file = reader->file, .at = at }, "%s", what);
}

/* A logical line ends behind the first physical one that no backslash continues. */
static char *logical_end(const struct reader *reader, char *at)
{
	for (;;) {
		char *newline = (char *)(uintptr_t)line_end(at, reader->end), *last = newline;

		if (last > at && last[-1] == '\r')
			last--;
		if (newline == reader->end || last == at || last[-1] != '\\')
			return newline;
		at = newline + 1;
	}
}

/* "- 05C", and nothing else on the line. Returns false if memory ran out. */
static bool take_deletion(struct reader *reader, char *at, char *end)
{
	struct update *update = reader->update;
	const char *word = skip_blanks(at + 1, end), *word_end = word;
	struct update_deletion *deletions;
	char *key;

	while (word_end < end && !is_blank(*word_end))
		word_end++;
	if (word == word_end || skip_blanks(word_end, end) != end ||
		(update->set->is_aix && !key_is_hook(word, (size_t)(word_end - word)))) {
		fail_line(reader, at, "behind - a hook id stands, and nothing else");
		return true;
	}
	deletions = array_room(
		update->deletions, update->n_deletions, &update->deletions_room, sizeof(*deletions));
	key = arena_alloc(&update->set->arena, (size_t)(word_end - word) + 1);
	if (!deletions || !key)
		return false;
	update->deletions = deletions;
	deletions[update->n_deletions++] = (struct update_deletion){ .at = at,
		.key = { key, key_normalise(key, word, (size_t)(word_end - word)) } };
	return true;
}

/* Takes the signs off. Returns false if memory ran out. */
static bool take_signs(struct reader *reader)
{
	for (char *at = reader->text; at < reader->end;) {
		char *end = logical_end(reader, at);
		const bool is_comment = *at == '#' || *at == '*';

		if (is_comment)
			end = (char *)(uintptr_t)line_end(at, reader->end);
		if (*at == '-' && !take_deletion(reader, at, end))
			return false;
		if (*at == '+')
			*at = ' ';
		else if (!is_comment && skip_blanks(at, end) != end) {
			if (*at != '-')
				fail_line(reader, at, "a line of an update file begins with + or -");
			memset(at, ' ', (size_t)(end - at));
		}
		at = end + (end < reader->end);
	}
	return true;
}

/* --- both files ----------------------------------------------------------------------------------------- */

enum rst_status update_read_input(
	struct update *update, struct template_file *input, struct diags *diags, struct rst_error *err)
{
	char *text = (char *)(uintptr_t)input->text, *original = malloc(input->n_bytes + 1);
	struct reader reader = {
		.update = update, .file = input, .diags = diags, .text = text, .end = text + input->n_bytes
	};
	bool is_good = original != NULL;

	update->input = input;
	if (is_good)
		memcpy(original, text, input->n_bytes);
	if (!update_is_file(input))
		fail_line(&reader, input->text, "the first line of an update file is \"* /etc/trcfmt\"");
	is_good = is_good && take_signs(&reader);
	/* The set owns it in any case. */
	is_good = template_set_add(update->set, input, diags) == RST_OK && is_good;
	if (original)
		memcpy(text, original, input->n_bytes);
	free(original);
	return is_good ? RST_OK : error_nomem(err);
}

enum rst_status update_read(struct update *update, const char *dialect, struct template_file *master,
	struct template_file *input, struct diags *diags, struct rst_error *err)
{
	struct diags ignored = { 0 };
	enum rst_status status = RST_OK;

	update->set = template_set_new(dialect);
	if (!update->set) {
		template_file_free(master);
		template_file_free(input);
		return error_nomem(err);
	}
	update->master = master;
	if (master && template_set_add(update->set, master, &ignored) < 0)
		status = error_nomem(err);
	diags_done(&ignored);
	if (status < 0) {
		template_file_free(input);
		return status;
	}
	return update_read_input(update, input, diags, err);
}
