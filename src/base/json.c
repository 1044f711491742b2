/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include <stdio.h>

enum { VALUE_ROOM = 32 };

/*
 * Writes the comma and the key of a value. Returns the place of the value, with room for n_bytes and
 * VALUE_ROOM. Returns NULL if there is no room; the output then has an error.
 */
static char *value_begin(struct json *json, const char *key, size_t n_bytes)
{
	const size_t n_key = key ? strlen(key) : 0;
	char *p;

	check((key != NULL) == (json->depth && json->objects & 1)); /* a key in an object, and only there */
	check(json->depth || !json->has_some);			    /* one value on a line */
	if (!outbuf_reserve(json->out, 6 * n_key + n_bytes + VALUE_ROOM))
		return NULL;
	p = json->out->at;
	if (json->has_some)
		*p++ = ',';
	json->has_some = true;
	if (key) {
		p = text_put_json(p, key, n_key);
		*p++ = ':';
	}
	return p;
}

static void value_word(struct json *json, const char *key, const char *word, size_t n_bytes)
{
	char *p = value_begin(json, key, n_bytes);

	if (p)
		json->out->at = text_put(p, word, n_bytes);
}

static void level_begin(struct json *json, const char *key, bool is_object)
{
	check(json->depth < JSON_DEPTH_MAX);
	value_word(json, key, is_object ? "{" : "[", 1);
	json->depth++;
	json->objects = json->objects << 1 | is_object;
	json->has_some = false;
}

void json_object(struct json *json, const char *key)
{
	level_begin(json, key, true);
}

void json_array(struct json *json, const char *key)
{
	level_begin(json, key, false);
}

void json_end(struct json *json)
{
	check(json->depth > 0);
	if (outbuf_reserve(json->out, 1))
		*json->out->at++ = json->objects & 1 ? '}' : ']';
	json->depth--;
	json->objects >>= 1;
	json->has_some = true;
}

void json_line_end(struct json *json)
{
	check(json->depth == 0);
	if (outbuf_reserve(json->out, 1))
		*json->out->at++ = '\n';
	json->has_some = false;
}

void json_line_begin(struct json *json)
{
	outbuf_puts(json->out, json->has_some ? ",\n" : "\n");
	json->has_some = false;
}

void json_null(struct json *json, const char *key)
{
	value_word(json, key, "null", 4);
}

void json_bool(struct json *json, const char *key, bool truth)
{
	value_word(json, key, truth ? "true" : "false", truth ? 4 : 5);
}

void json_unsigned(struct json *json, const char *key, uint64_t number)
{
	char *p = value_begin(json, key, 0);

	if (p)
		json->out->at = text_put_dec(p, number);
}

void json_signed(struct json *json, const char *key, int64_t number)
{
	char *p = value_begin(json, key, 0);

	if (p)
		json->out->at = text_put_signed(p, number);
}

void json_known(struct json *json, const char *key, bool is_known, uint64_t number)
{
	if (is_known)
		json_unsigned(json, key, number);
	else
		json_null(json, key);
}

void json_number(struct json *json, const char *key, struct number number)
{
	char *p = value_begin(json, key, NUMBER_MAX);

	if (p)
		json->out->at = number_put_json(p, number);
}

void json_decimals(struct json *json, const char *key, double number, unsigned n_decimals)
{
	enum { DIGITS_MAX = 310 }; /* of a double before its point, with its sign */
	char text[DIGITS_MAX + 2 + JSON_DECIMALS_MAX];

	check(n_decimals <= JSON_DECIMALS_MAX);
	if (__builtin_isfinite(number))
		value_word(json, key, text,
			(size_t)snprintf(text, sizeof(text), "%.*f", (int)n_decimals, number));
	else
		json_null(json, key);
}

void json_id(struct json *json, const char *key, bool is_number, uint64_t id)
{
	char *p = value_begin(json, key, 0);

	if (!p)
		return;
	if (is_number) {
		json->out->at = text_put_dec(p, id);
	} else {
		*p++ = '"';
		p = text_put_hex(p, id);
		*p++ = '"';
		json->out->at = p;
	}
}

void json_text(struct json *json, const char *key, const char *text)
{
	if (text)
		json_bytes(json, key, (struct text){ text, strlen(text) });
	else
		json_null(json, key);
}

void json_bytes(struct json *json, const char *key, struct text text)
{
	char *p = value_begin(json, key, 6 * text.n_bytes);

	if (p)
		json->out->at = text_put_json(p, text.bytes, text.n_bytes);
}

void json_ready(struct json *json, const char *key, struct text value)
{
	value_word(json, key, value.bytes, value.n_bytes);
}

struct json_mark json_mark(const struct json *json)
{
	return (struct json_mark){ *json, (size_t)(json->out->at - json->out->start) };
}

void json_rewind(struct json *json, const struct json_mark *mark)
{
	check(json->out->fd == OUTBUF_MEMORY && json->out == mark->json.out);
	check((size_t)(json->out->at - json->out->start) >= mark->n_bytes);
	*json = mark->json;
	json->out->at = json->out->start + mark->n_bytes;
}
