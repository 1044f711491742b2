/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/load.h"

const uint64_t text_powers[20] = { 0, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
	10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000, 1000000000000000,
	10000000000000000, 100000000000000000, 1000000000000000000, 10000000000000000000U };

const char text_pairs[200] = "0001020304050607080910111213141516171819"
			     "2021222324252627282930313233343536373839"
			     "4041424344454647484950515253545556575859"
			     "6061626364656667686970717273747576777879"
			     "8081828384858687888990919293949596979899";

/* Most of these numbers have nine or ten digits: fractions of a second, addresses and ticks. */
char *text_put_digits_long(char *p, uint64_t v, unsigned n)
{
	const uint64_t high = v / 100000000, eight = htole64(text_eight((uint32_t)(v - high * 100000000)));

	if (n == 9)
		*p++ = (char)('0' + high % 10);
	else if (n == 10)
		p = text_put(p, text_pairs + 2 * (high % 100), 2);
	else
		p = text_put_digits(p, high, n - 8);
	return text_put(p, &eight, sizeof(eight));
}

size_t text_print(char *text, size_t n, size_t room, const char *format, va_list args)
{
	int n_printed;

	check(n < room);
	n_printed = vsnprintf(text + n, room - n, format, args);
	if (n_printed < 0)
		return n;
	return (size_t)n_printed < room - n ? n + (size_t)n_printed : room - 1;
}

char *text_put_hex(char *p, uint64_t v)
{
	const unsigned n = (64 - (unsigned)__builtin_clzll(v | 1) + 3) / 4;

	p = text_put_literal(p, "0x");
	if (n > 8)
		p = text_put_last(p, text_hex_eight((uint32_t)(v >> 32), 'a'), n - 8);
	return text_put_last(p, text_hex_eight((uint32_t)v, 'a'), n > 8 ? 8 : n);
}

char *text_put_hex_bytes(char *p, const uint8_t *bytes, size_t n_bytes)
{
	for (; n_bytes >= 4; bytes += 4, n_bytes -= 4)
		p = text_put_last(p, text_hex_eight(load_u32(bytes, true), 'a'), 8);
	for (size_t i = 0; i < n_bytes; i++)
		p = text_put_last(p, text_hex_eight(bytes[i], 'a'), 2);
	return p;
}

char *text_put_seconds(char *p, uint64_t ns)
{
	p = text_put_dec(p, ns / 1000000000U);
	*p++ = '.';
	return text_put_digits(p, ns % 1000000000U, 9);
}

/* Whether a code point is invisible, but changes the text around it, or ends the line. */
static bool is_invisible(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2060 && code <= 0x206f) || code == 0xfeff;
}

/* The code point that is at bytes in its shortest form, and its length. Returns 0 if there is no UTF-8. */
static unsigned utf8_take(const uint8_t *bytes, size_t n_bytes, uint32_t *ret_code)
{
	static const struct {
		uint8_t mask, lead, n;
		uint32_t least;
	} forms[] = { { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 }, { 0xf8, 0xf0, 4, 0x10000 } };

	*ret_code = bytes[0];
	if (bytes[0] < 0x80)
		return 1;
	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		if ((bytes[0] & forms[f].mask) != forms[f].lead)
			continue;
		uint32_t code = bytes[0] & (uint8_t)~forms[f].mask;

		if (n_bytes < forms[f].n)
			return 0;
		for (unsigned i = 1; i < forms[f].n; i++) {
			if ((bytes[i] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (bytes[i] & 0x3f);
		}
		*ret_code = code;
		return code < forms[f].least || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff
			       ? 0
			       : forms[f].n;
	}
	return 0;
}

unsigned text_utf8_bytes(const uint8_t *bytes, size_t n_bytes)
{
	uint32_t code;
	const unsigned n = utf8_take(bytes, n_bytes, &code);

	return n && !is_invisible(code) ? n : 0;
}

/* Whether \xNN begins here, as put_byte() writes it. */
static bool is_escape(const char *bytes, size_t n_bytes)
{
	enum { N_ESCAPE = 4 };

	return n_bytes >= N_ESCAPE && bytes[0] == '\\' && bytes[1] == 'x' &&
	       text_digit(bytes[2]) != TEXT_NO_DIGIT && text_digit(bytes[3]) != TEXT_NO_DIGIT;
}

static char *put_byte(char *p, uint8_t byte)
{
	return text_put_hex_bytes(text_put_literal(p, "\\x"), &byte, 1);
}

static bool csv_needs_quotes(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i] == ',' || bytes[i] == '"' || bytes[i] == '\n')
			return true;
	return false;
}

char *text_put_csv(char *p, const char *bytes, size_t n_bytes)
{
	const bool needs_quotes = csv_needs_quotes(bytes, n_bytes);
	const uint8_t *at = (const uint8_t *)bytes, *end = at + n_bytes;

	if (needs_quotes)
		*p++ = '"';
	for (unsigned n; at < end; at += n) {
		n = text_utf8_bytes(at, (size_t)(end - at));
		if (*at == '"')
			*p++ = '"';
		if (!n && (*at == '\n' || *at == '\t'))
			n = 1;
		p = n ? text_put(p, at, n) : put_byte(p, *at);
		n += !n;
	}
	if (needs_quotes)
		*p++ = '"';
	return p;
}

static const char *xml_name(uint8_t byte)
{
	static const char *const names[] = {
		['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"
	};

	return byte < sizeof(names) / sizeof(names[0]) ? names[byte] : NULL;
}

char *text_put_xml(char *p, const char *bytes, size_t n_bytes)
{
	const uint8_t *at = (const uint8_t *)bytes, *end = at + n_bytes;

	for (unsigned n; at < end; at += n) {
		const char *name = xml_name(*at);

		n = text_utf8_bytes(at, (size_t)(end - at));
		p = name ? text_put(p, name, strlen(name)) : n ? text_put(p, at, n) : put_byte(p, *at);
		n += !n;
	}
	return p;
}

/*
 * Whether JSON escapes none of eight characters, which are then ASCII. If one is special, the highest bit of
 * its byte is set in the sum; a carry into another byte starts at such a byte only.
 */
static bool json_is_plain_eight(uint64_t eight)
{
	const uint64_t ones = 0x0101010101010101, quote = eight ^ ones * '"', backslash = eight ^ ones * '\\';

	return !((eight | (eight + ones) | (eight - ones * ' ') | (quote - ones) | (backslash - ones)) &
		 ones * 0x80);
}

/* The same of a text. Pieces overlap, so that most keys and words take one or two steps. */
static bool json_is_plain(const char *bytes, size_t n_bytes)
{
	uint64_t eight = 0x2020202020202020;
	uint32_t four;

	if (n_bytes >= sizeof(eight)) {
		for (size_t i = 0; i + sizeof(eight) < n_bytes; i += sizeof(eight)) {
			memcpy(&eight, bytes + i, sizeof(eight));
			if (!json_is_plain_eight(eight))
				return false;
		}
		memcpy(&eight, bytes + n_bytes - sizeof(eight), sizeof(eight));
	} else if (n_bytes >= sizeof(four)) {
		memcpy(&four, bytes, sizeof(four));
		eight = four;
		memcpy(&four, bytes + n_bytes - sizeof(four), sizeof(four));
		eight |= (uint64_t)four << 32;
	} else {
		for (size_t i = 0; i < n_bytes; i++)
			eight = eight << 8 | (uint8_t)bytes[i];
	}
	return json_is_plain_eight(eight);
}

static char *put_json(char *p, const char *bytes, size_t n_bytes, bool is_kept)
{
	static const char letters[0x20] = { ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't' };
	const uint8_t *at = (const uint8_t *)bytes;
	const uint8_t *const end = at + n_bytes;
	uint32_t code;

	*p++ = '"';
	if (json_is_plain(bytes, n_bytes)) {
		p = text_put(p, bytes, n_bytes);
		at = end;
	}
	for (unsigned n; at < end; at += n) {
		n = utf8_take(at, (size_t)(end - at), &code);
		if (!n || (is_kept && is_escape((const char *)at, (size_t)(end - at)))) {
			*p++ = '\\'; /* the backslash of \xNN is one character of the string */
			p = put_byte(p, *at);
			n = 1;
		} else if (code == '"' || code == '\\') {
			*p++ = '\\';
			*p++ = (char)code;
		} else if (code < 0x20 && letters[code]) {
			*p++ = '\\';
			*p++ = letters[code];
		} else if (is_invisible(code)) {
			const uint8_t halves[] = { (uint8_t)(code >> 8), (uint8_t)code };

			p = text_put_hex_bytes(text_put_literal(p, "\\u"), halves, sizeof(halves));
		} else {
			p = text_put(p, at, n);
		}
	}
	*p++ = '"';
	return p;
}

char *text_put_json(char *p, const char *bytes, size_t n_bytes)
{
	return put_json(p, bytes, n_bytes, false);
}

char *text_put_json_kept(char *p, const char *bytes, size_t n_bytes)
{
	return put_json(p, bytes, n_bytes, true);
}

char *text_clean(char *p, const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes) {
		unsigned n = text_utf8_bytes(bytes, n_bytes);

		p = n ? text_put(p, bytes, n) : put_byte(p, *bytes);
		n += !n;
		bytes += n;
		n_bytes -= n;
	}
	return p;
}

size_t text_clean_bytes(const uint8_t *bytes, size_t n_bytes)
{
	enum { N_MORE = 3 }; /* of \xNN */
	size_t n_clean = n_bytes;

	for (unsigned n; n_bytes; bytes += n, n_bytes -= n) {
		n = text_utf8_bytes(bytes, n_bytes);
		n_clean += n ? 0 : N_MORE;
		n += !n;
	}
	return n_clean;
}

char *text_keep(char *p, const uint8_t *bytes, size_t n_bytes)
{
	while (n_bytes) {
		unsigned n = text_utf8_bytes(bytes, n_bytes);

		if (is_escape((const char *)bytes, n_bytes))
			n = 0;
		p = n ? text_put(p, bytes, n) : put_byte(p, *bytes);
		n += !n;
		bytes += n;
		n_bytes -= n;
	}
	return p;
}

static char *put_duration(char *p, uint64_t ns, bool is_aligned)
{
	static const struct {
		uint64_t ns;
		char name[3];
	} units[] = { { 1, "ns" }, { 1000, "us" }, { 1000000, "ms" }, { 1000000000, "s" } };
	enum { N_UNITS = sizeof(units) / sizeof(units[0]), MOST = 1000 };
	static const unsigned powers[] = { 1, 10, 100, 1000 };
	uint64_t rounded = ns;
	unsigned unit = 0, n_decimals = 0;

	/* Rounding may reach the next unit. */
	while (unit + 1 < N_UNITS && rounded >= (uint64_t)MOST * powers[n_decimals]) {
		uint64_t whole = ns / units[++unit].ns;

		n_decimals = whole < 10 ? 3 : whole < 100 ? 2 : whole < MOST ? 1 : 0;
		uint64_t step = units[unit].ns / powers[n_decimals];

		rounded = ns / step + (ns % step >= (step + 1) / 2);
	}
	for (; !is_aligned && n_decimals && rounded % 10 == 0; n_decimals--)
		rounded /= 10;
	if (ns == UINT64_MAX)
		*p++ = '>';
	p = text_put_dec(p, rounded / powers[n_decimals]);
	if (n_decimals) {
		*p++ = '.';
		p = text_put_digits(p, rounded % powers[n_decimals], n_decimals);
	}
	*p++ = ' ';
	return text_put(p, units[unit].name, strlen(units[unit].name));
}

char *text_put_duration(char *p, uint64_t ns)
{
	return put_duration(p, ns, false);
}

char *text_put_signed_duration(char *p, int64_t ns)
{
	if (ns < 0)
		*p++ = '-';
	return put_duration(p, ns < 0 ? -(uint64_t)ns : (uint64_t)ns, false);
}

char *text_put_duration_aligned(char *p, uint64_t ns)
{
	p = put_duration(p, ns, true);
	if (p[-2] == ' ')
		*p++ = ' ';
	return p;
}

static bool suffix_factor(const char *suffix, uint64_t *ret_factor)
{
	static const struct {
		const char *suffix;
		uint64_t factor;
	} table[] = { { "", 1 }, { "k", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { "Ki", 1 << 10 },
		{ "Mi", 1 << 20 }, { "Gi", 1 << 30 } };

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].suffix, suffix) == 0) {
			*ret_factor = table[i].factor;
			return true;
		}
	return false;
}

bool text_parse_u64(const char *text, uint64_t *ret_value)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *rest;
	uint64_t factor;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	unsigned long long value = strtoull(text, &rest, is_hex ? 16 : 10);

	if (errno || (is_hex && rest == text + 1) || !suffix_factor(rest, &factor))
		return false;
	return !__builtin_mul_overflow((uint64_t)value, factor, ret_value);
}

/*
 * Takes digits with an optional point as a number and a power of ten. Returns NULL if there are no digits, or
 * too many.
 */
static const char *take_decimal(const char *text, uint64_t *ret_number, long *ret_exponent)
{
	const char *digits = text;
	bool is_fraction = false;

	for (; text_is_digit(*text) || (*text == '.' && !is_fraction); text++) {
		if (*text == '.') {
			is_fraction = true;
			continue;
		}
		if (__builtin_mul_overflow(*ret_number, 10, ret_number) ||
			__builtin_add_overflow(*ret_number, (uint64_t)(*text - '0'), ret_number))
			return NULL;
		*ret_exponent -= is_fraction;
	}
	return text_is_digit(digits[0]) ? text : NULL;
}

/* Takes "e9", then "k" and the like, then "Hz". Returns false if there is anything else. */
static bool take_unit(const char *text, long *exponent)
{
	static const char powers[] = "kKMG", tens[] = "\3\3\6\11";
	enum { EXPONENT_MAX = 100 };
	const char *power;

	if (*text == 'e' || *text == 'E') {
		char *rest;
		long given = strtol(text + 1, &rest, 10);

		if (rest == text + 1 || given < -EXPONENT_MAX || given > EXPONENT_MAX)
			return false;
		*exponent += given;
		text = rest;
	}
	power = *text ? strchr(powers, *text) : NULL;
	if (power) {
		*exponent += tens[power - powers];
		text++;
	}
	return *text == '\0' || text_is_same_fold(text, "Hz", sizeof("Hz"));
}

bool text_parse_hz(const char *text, uint64_t *ret_hz)
{
	uint64_t number = 0;
	long exponent = 0;

	if (text_parse_u64(text, ret_hz))
		return *ret_hz > 0;
	text = take_decimal(text, &number, &exponent);
	if (!text || !take_unit(text, &exponent))
		return false;
	for (; exponent < 0 && number % 10 == 0 && number; exponent++)
		number /= 10;
	for (; exponent > 0; exponent--)
		if (__builtin_mul_overflow(number, 10, &number))
			return false;
	*ret_hz = number;
	return number > 0 && exponent == 0;
}
