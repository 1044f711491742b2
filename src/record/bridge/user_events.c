/* SPDX-License-Identifier: MIT */
#include "record/bridge/user_events.h"

#include <stdio.h>
#include <string.h>

struct text {
	char *at;
	size_t room;
	bool is_short; /* something did not fit */
};

static void text_put(struct text *text, const char *word)
{
	size_t n = strlen(word);

	if (n >= text->room) {
		text->is_short = true;
		return;
	}
	memcpy(text->at, word, n + 1);
	text->at += n;
	text->room -= n;
}

static bool is_word(char c, bool is_first)
{
	bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

	return is_letter || (!is_first && c >= '0' && c <= '9');
}

/*
 * As a name in C: the kernel ends names at colons, semicolons and blanks, and perf and eBPF accept no others.
 */
static void put_name(struct text *text, const char *name)
{
	char clean[TRACE_EVENT_NAME_MAX + 2];
	size_t n = 0;

	if (name[0] >= '0' && name[0] <= '9')
		clean[n++] = '_';
	for (; *name && n < sizeof(clean) - 1; name++, n++)
		clean[n] = is_word(*name, n == 0) ? *name : '_';
	clean[n] = 0;
	text_put(text, clean);
}

/*
 * "type name suffix". The kernel has no floating point: such fields are described as their bits, NAME_bits.
 */
static void put_field(struct text *text, const struct log_field *field)
{
	static const char signs[] = { [POSIX_TRACE_SIGNED_NP] = 's',
		[POSIX_TRACE_UNSIGNED_NP] = 'u',
		[POSIX_TRACE_REAL_NP] = 'u',
		[POSIX_TRACE_ADDRESS_NP] = 'u' };
	char word[40], size[12] = "";

	if (field->kind == POSIX_TRACE_TEXT_NP)
		snprintf(word, sizeof(word), "char[%u] ", field->size);
	else if (field->kind == POSIX_TRACE_BYTES_NP)
		snprintf(word, sizeof(word), "struct bytes ");
	else
		snprintf(word, sizeof(word), "%c%u ", signs[field->kind], field->size * 8);
	text_put(text, word);
	put_name(text, field->name);
	if (field->kind == POSIX_TRACE_REAL_NP)
		text_put(text, "_bits");
	if (field->kind == POSIX_TRACE_BYTES_NP)
		snprintf(size, sizeof(size), " %u", field->size);
	text_put(text, size);
}

/* Bytes whose number varies, with a word in front of them. The kernel requires a NUL behind text. */
static void put_rest(struct text *text, const char *name, bool is_text)
{
	text_put(text, is_text ? "__rel_loc char[] " : "__rel_loc u8[] ");
	put_name(text, name);
}

static bool put_fields(struct text *text, const struct log_field *fields, uint32_t n_fields,
	struct user_events_layout *layout)
{
	uint32_t n_bytes = 0;

	for (uint32_t i = 0; i < n_fields; i++) {
		text_put(text, i ? ";" : " ");
		if (fields[i].size == 0) { /* always the last one */
			layout->has_rest = true;
			layout->rest_is_text = fields[i].kind == POSIX_TRACE_TEXT_NP;
			put_rest(text, fields[i].name, layout->rest_is_text);
			break;
		}
		put_field(text, &fields[i]);
		n_bytes += fields[i].size;
		if (n_bytes > USER_EVENTS_PART_MAX)
			return false;
	}
	layout->n_fixed = (uint16_t)n_bytes;
	return !text->is_short;
}

bool user_events_describe(
	const struct names *names, trace_event_id_t id, char *ret_text, struct user_events_layout *ret_layout)
{
	struct log_field fields[LOG_FIELDS_MAX];
	uint32_t n_fields = names_fields(names, id, fields);
	char name[TRACE_EVENT_NAME_MAX + 1];
	struct text text = { .at = ret_text, .room = USER_EVENTS_DESCRIPTION_MAX }, behind_name;

	*ret_layout = (struct user_events_layout){ 0 };
	if (!names_get(names, id, name))
		return false;
	put_name(&text, name);
	behind_name = text;
	if (n_fields > 0 && put_fields(&text, fields, n_fields, ret_layout))
		return true;
	*ret_layout = (struct user_events_layout){ .has_rest = true };
	text_put(&behind_name, " ");
	put_rest(&behind_name, "data", false);
	return true;
}
