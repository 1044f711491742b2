/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON. The writer puts the commas, the quotes of keys and texts, and the brackets:
 *
 *	struct json json = { .out = out };
 *
 *	json_object(&json, NULL);
 *	json_text(&json, "file", path);
 *	json_array(&json, "places");
 *	json_unsigned(&json, NULL, 12);
 *	json_end(&json);
 *	json_end(&json);
 *	json_line_end(&json);			{"file":"a.trx","places":[12]}
 *
 * Each function writes one value. A value in an object has a key. A value in an array has the key NULL, and a
 * value outside of both, too. A function writes the key and its value together. Errors are those of the
 * output.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/number.h"
#include "base/outbuf.h"
#include "base/text.h"

enum { JSON_DEPTH_MAX = 64, JSON_DECIMALS_MAX = 16 };

struct json {
	struct outbuf *out;
	uint64_t objects; /* the lowest bit is set if the innermost open value is an object, and so on */
	unsigned depth;	  /* the number of objects and arrays that are open */
	bool has_some;	  /* the next value needs a comma */
};

/* Begins an object or an array. */
void json_object(struct json *json, const char *key);
void json_array(struct json *json, const char *key);

/* Ends the object or array that began last. */
void json_end(struct json *json);

/* Ends the line behind a whole value. Every object and array must have ended. Another value may follow. */
void json_line_end(struct json *json);

/* Begins a new line: the next value of the array stands there. */
void json_line_begin(struct json *json);

void json_null(struct json *json, const char *key);
void json_bool(struct json *json, const char *key, bool truth);
void json_unsigned(struct json *json, const char *key, uint64_t number);
void json_signed(struct json *json, const char *key, int64_t number);

/* Writes the number, or null if it is not known. */
void json_known(struct json *json, const char *key, bool is_known, uint64_t number);

/* Writes a number with its type; see number_put_json(). */
void json_number(struct json *json, const char *key, struct number number);

/*
 * Writes a number with n_decimals, at most JSON_DECIMALS_MAX, and without an exponent. Writes null for NaN
 * and infinity.
 */
void json_decimals(struct json *json, const char *key, double number, unsigned n_decimals);

/* Writes an identity: a number, or an address as the text "0x1f00". */
void json_id(struct json *json, const char *key, bool is_number, uint64_t id);

/* Writes a text, or null for NULL; see text_put_json(). */
void json_text(struct json *json, const char *key, const char *text);
void json_bytes(struct json *json, const char *key, struct text text);

/* Writes a value that is JSON already. */
void json_ready(struct json *json, const char *key, struct text value);

/* A place in an output in memory, to which json_rewind() returns. */
struct json_mark {
	struct json json;
	size_t n_bytes;
};

struct json_mark json_mark(const struct json *json);

/* Removes everything that was written after the mark. */
void json_rewind(struct json *json, const struct json_mark *mark);

#endif
