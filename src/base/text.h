/* SPDX-License-Identifier: MIT */
/*
 * Writes numbers and names as text without printf, which alone would limit the speed of the product
 * (docs/SPEED.md). Every text_put_* writes at p and returns one past its last byte, without a NUL. The caller
 * has reserved the room.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <endian.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

enum {
	TEXT_DEC_MAX = 20, /* bytes that text_put_dec can write */
	TEXT_HEX_MAX = 18, /* "0x" and 16 digits */
	TEXT_DURATION_MAX = 24,
	TEXT_NO_DIGIT = 16, /* the result of text_digit for other characters */
	TEXT_SHORT = 16,    /* bytes that must be readable from the start of a text for text_put_short */
};

/* A text without a NUL: n_bytes bytes. */
struct text {
	const char *bytes;
	size_t n_bytes;
};

static inline bool text_is_same(struct text a, struct text b)
{
	return a.n_bytes == b.n_bytes && memcmp(a.bytes, b.bytes, a.n_bytes) == 0;
}

/* Letters and digits of ASCII, in every locale. */
static inline bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool text_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether a name of a program may contain the character: a letter, a digit or _. */
static inline bool text_is_of_name(char c)
{
	return text_is_letter(c) || text_is_digit(c) || c == '_';
}

/* The part of a path behind its last slash; if nothing stands there, the whole path. */
static inline const char *text_file_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

extern const uint64_t text_powers[20]; /* of 10; the first is 0, so that 0 has a digit */
extern const char text_pairs[200];     /* "00" to "99" */

static inline char *text_put(char *p, const void *bytes, size_t n_bytes)
{
	memcpy(p, bytes, n_bytes);
	return p + n_bytes;
}

/*
 * The same for short texts on a hot path. It copies a piece of 16 bytes, so 16 bytes must be readable at
 * bytes and writable at p. If the text is longer, the rest is copied after that.
 */
static inline char *text_put_short(char *p, const char *bytes, size_t n_bytes)
{
	memcpy(p, bytes, TEXT_SHORT);
	if (__builtin_expect(n_bytes > TEXT_SHORT, 0))
		memcpy(p + TEXT_SHORT, bytes + TEXT_SHORT, n_bytes - TEXT_SHORT);
	return p + n_bytes;
}

#define text_put_literal(p, literal) text_put((p), (literal), sizeof(literal) - 1)

static inline char *text_put_fill(char *p, char c, size_t n)
{
	memset(p, c, n);
	return p + n;
}

/* The number of decimal digits of v, 1 to 20. */
static inline unsigned text_dec_digits(uint64_t v)
{
	/* 1233 / 4096 is the logarithm of 2 to the base of 10, near enough for 64 bits. */
	unsigned n_bits = 64 - (unsigned)__builtin_clzll(v | 1), n = n_bits * 1233 >> 12;

	return n + (v >= text_powers[n]);
}

/*
 * The eight digits of v, which is below 10^8; the first digit is in the lowest byte. All digits are computed
 * at once, in lanes of one number.
 */
static inline uint64_t text_eight(uint32_t v)
{
	check(v < 100000000);
	uint64_t high = v / 10000, fours = high | (v - high * 10000) << 32;
	uint64_t hundreds = (fours * 10486 >> 20) & 0x0000007f0000007f;
	uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
	uint64_t tens = (twos * 103 >> 10) & 0x000f000f000f000f;

	return (tens | (twos - tens * 10) << 8) + 0x3030303030303030;
}

static inline void text_store_4(char *p, uint64_t digits)
{
	const uint32_t bytes = htole32((uint32_t)digits);

	memcpy(p, &bytes, sizeof(bytes));
}

/* Writes the last n of eight digits; n is 1 to 8. Writes no byte after them. */
static inline char *text_put_last(char *p, uint64_t eight, unsigned n)
{
	check(n >= 1 && n <= 8);
	const uint64_t digits = eight >> (64 - 8 * n);

	if (n >= 4) {
		text_store_4(p, digits);
		text_store_4(p + n - 4, eight >> 32);
		return p + n;
	}
	p[0] = (char)digits;
	if (n > 1)
		p[n - 1] = (char)(eight >> 56);
	if (n > 2)
		p[1] = (char)(digits >> 8);
	return p + n;
}

/* text_put_digits() for more than eight digits. */
char *text_put_digits_long(char *p, uint64_t v, unsigned n);

/* Writes exactly n digits: the lowest n digits of v, with zeros in front. */
static inline char *text_put_digits(char *p, uint64_t v, unsigned n)
{
	if (__builtin_expect(n > 8, 0))
		return text_put_digits_long(p, v, n);
	return n ? text_put_last(p, text_eight((uint32_t)(v % 100000000)), n) : p;
}

static inline char *text_put_dec(char *p, uint64_t v)
{
	unsigned n;

	if (v < 10) {
		*p = (char)('0' + v);
		return p + 1;
	}
	if (v < 100)
		return text_put(p, text_pairs + 2 * v, 2);
	n = text_dec_digits(v);
	return n > 8 ? text_put_digits_long(p, v, n) : text_put_last(p, text_eight((uint32_t)v), n);
}

/*
 * The same on a hot path. It may write up to eight bytes even if the number is shorter. So the digits need
 * not be counted, and the processor need not predict their number.
 */
static inline char *text_put_dec_over(char *p, uint64_t v)
{
	uint64_t eight, digits;
	unsigned n_zeros, high;

	if (v < 100) {
		memcpy(p, text_pairs + 2 * v + (v < 10), 2);
		return p + 1 + (v >= 10);
	}
	if (v < 100000000) {
		eight = text_eight((uint32_t)v);
		n_zeros = (unsigned)__builtin_ctzll(eight ^ 0x3030303030303030) / 8;
		digits = htole64(eight >> 8 * n_zeros);
		memcpy(p, &digits, sizeof(digits));
		return p + 8 - n_zeros;
	}
	if (__builtin_expect(v >= 10000000000, 0))
		return text_put_dec(p, v);
	high = (unsigned)(v / 100000000);
	digits = htole64(text_eight((uint32_t)(v - (uint64_t)high * 100000000)));
	memcpy(p, text_pairs + 2 * high + (high < 10), 2);
	p += 1 + (high >= 10);
	memcpy(p, &digits, sizeof(digits));
	return p + 8;
}

static inline char *text_put_signed(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return text_put_dec(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* Writes a number right-aligned in width columns; wider numbers take the columns that they need. */
static inline char *text_put_dec_right(char *p, uint64_t v, unsigned width)
{
	unsigned n = text_dec_digits(v);

	if (n < width)
		p = text_put_fill(p, ' ', width - n);
	return text_put_digits(p, v, n);
}

/* The value of a hexadecimal digit of either case, or TEXT_NO_DIGIT. */
static inline unsigned text_digit(char c)
{
	unsigned byte = (unsigned char)c, letter = (byte | 0x20) - 'a';

	if (byte - '0' < 10)
		return byte - '0';
	return letter < 6 ? letter + 10 : TEXT_NO_DIGIT;
}

/*
 * The eight hexadecimal digits of v; the first digit is in the lowest byte. All digits are computed at once,
 * in lanes of one number. ten is the digit 10: 'a' or 'A'.
 */
static inline uint64_t text_hex_eight(uint32_t v, char ten)
{
	const uint32_t bytes = __builtin_bswap32(v);
	uint64_t lanes = (bytes | (uint64_t)bytes << 16) & 0x0000ffff0000ffff;

	lanes = (lanes | lanes << 8) & 0x00ff00ff00ff00ff;
	lanes = (lanes >> 4 | lanes << 8) & 0x0f0f0f0f0f0f0f0f;
	/* If a digit is above 9, adding 6 carries into the upper half of its byte. */
	return lanes + 0x3030303030303030 +
	       ((lanes + 0x0606060606060606) >> 4 & 0x0101010101010101) * (uint64_t)(ten - '9' - 1);
}

/* Writes "0x" and as many lower-case digits as v needs. */
char *text_put_hex(char *p, uint64_t v);

/*
 * Prints behind the first n bytes of a text with this room; text that does not fit is cut. Returns the new n.
 */
size_t text_print(char *text, size_t n, size_t room, const char *format, va_list args)
	__attribute__((format(printf, 4, 0)));

/* Writes two lower-case digits for each byte, without a prefix: 2 * n_bytes bytes. */
char *text_put_hex_bytes(char *p, const uint8_t *bytes, size_t n_bytes);

/* Writes nanoseconds as seconds with nine decimals, "12.000345678". */
char *text_put_seconds(char *p, uint64_t ns);

/*
 * Writes a span of time in a suitable unit, with at most four digits: "12.5 us", "1.007 s", "60 s".
 * UINT64_MAX, where nanoseconds saturate (584 years), is ">18446744074 s". Writes at most TEXT_DURATION_MAX
 * bytes.
 */
char *text_put_duration(char *p, uint64_t ns);
char *text_put_signed_duration(char *p, int64_t ns);

/* The same for columns: always with four digits, and units two columns wide ("1.500 ms", "12.00 s "). */
char *text_put_duration_aligned(char *p, uint64_t ns);

/*
 * Writes a JSON string with its quotes. Characters that cannot be shown become \n or \uNNNN. Bytes that are
 * not UTF-8 become the four characters \xNN, because JSON has no form for them. Writes at most 6 * n_bytes +
 * 2.
 */
char *text_put_json(char *p, const char *bytes, size_t n_bytes);

/* The same without loss, for bytes as they were recorded; see text_keep(). */
char *text_put_json_kept(char *p, const char *bytes, size_t n_bytes);

/*
 * Writes a CSV field as in RFC 4180: in quotes if it contains a comma, quote, or line end. Line ends and tabs
 * stay; other bytes that cannot be shown become \xNN. Writes at most 4 * n_bytes + 2.
 */
char *text_put_csv(char *p, const char *bytes, size_t n_bytes);

/*
 * Writes the text of an XML element or attribute. Bytes that cannot be shown become \xNN, because XML has no
 * form for most of them. Writes at most 6 * n_bytes.
 */
char *text_put_xml(char *p, const char *bytes, size_t n_bytes);

/*
 * Makes bytes safe to show: printable UTF-8 stays, everything else (control bytes, broken sequences,
 * invisible characters) becomes \xNN. Clean text does not change. Writes at most 4 * n_bytes; returns one
 * past the last byte written.
 */
char *text_clean(char *p, const uint8_t *bytes, size_t n_bytes);

/* The number of bytes that text_clean() writes. */
size_t text_clean_bytes(const uint8_t *bytes, size_t n_bytes);

/*
 * As text_clean(), without loss, for names as they were recorded. A backslash in front of xNN becomes \x5c,
 * so that replacing each \xNN by its byte restores the bytes. The input must not be clean text already.
 */
char *text_keep(char *p, const uint8_t *bytes, size_t n_bytes);

/*
 * The number of bytes of the printable UTF-8 character beyond ASCII at bytes, at most n_bytes; 0 if no such
 * character begins there.
 */
unsigned text_utf8_bytes(const uint8_t *bytes, size_t n_bytes);

/* The largest number of bytes of a text, at most n_most, that end with a whole character. */
static inline size_t text_whole_bytes(const char *bytes, size_t n_bytes, size_t n_most)
{
	if (n_bytes <= n_most)
		return n_bytes;
	while (n_most && ((unsigned char)bytes[n_most] & 0xc0) == 0x80)
		n_most--;
	return n_most;
}

/*
 * The largest number of bytes of clean text that end with a whole character and take at most n_columns of a
 * terminal.
 */
size_t text_fitting_bytes(const char *bytes, size_t n_bytes, size_t n_columns);

/* The columns of clean UTF-8 text on a terminal: two for each wide character, 0 for colours. */
size_t text_columns(const char *bytes, size_t n_bytes);

/*
 * Whether n bytes are the same except for the case of ASCII letters, in every locale. (In a Turkish locale, I
 * and i are two different letters for strncasecmp().) Either text may end earlier with a NUL that the other
 * does not have there.
 */
static inline bool text_is_same_fold(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)a[i], d = (unsigned char)b[i];

		if (c != d && !(text_is_letter(a[i]) && (c ^ d) == 0x20))
			return false;
	}
	return true;
}

/*
 * Reads a whole string as an unsigned number. The number is decimal, or hexadecimal with 0x, or has one of
 * the suffixes k M G (powers of 1000) or Ki Mi Gi (of 1024). Returns false if anything is left over or the
 * number does not fit.
 */
bool text_parse_u64(const char *text, uint64_t *ret_value);

/*
 * Reads a frequency in Hz as people write it. It is a number as above, or has a decimal point, an exponent, k
 * M G or Hz after it: 168MHz, 32.768k, 1e9. Returns false if the text is no frequency, or the number is 0,
 * not a whole number of Hz, or too large.
 */
bool text_parse_hz(const char *text, uint64_t *ret_hz);

#endif
