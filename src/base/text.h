/* SPDX-License-Identifier: MIT */
/*
 * Numbers and names to text without printf, which alone would cap the product (docs/SPEED.md). Every text_put_*
 * writes at p, returns one past its last byte, terminates nothing and checks nothing: the caller has reserved room.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/check.h"

enum {
	TEXT_DEC_MAX = 20, /* bytes that text_put_dec can write */
	TEXT_HEX_MAX = 18, /* "0x" and 16 digits */
	TEXT_DURATION_MAX = 24,
	TEXT_NO_DIGIT = 16,	/* what text_digit gives for other characters */
	TEXT_SHORT = 16,	/* bytes that must stand behind the start of a text for text_put_short */
	TEXT_TAIL = 6,		/* digits of a number that text_put_dec_kept() does not keep */
	TEXT_DEC_KEPT_MAX = 22, /* bytes that it can write, some of them behind the number */
};

/* Bytes that end nowhere but at their number. */
struct text {
	const char *bytes;
	size_t n_bytes;
};

static inline bool text_is_same(struct text a, struct text b)
{
	return a.n_bytes == b.n_bytes && memcmp(a.bytes, b.bytes, a.n_bytes) == 0;
}

extern const uint64_t text_powers[20]; /* of 10; the first is 0, so that 0 has a digit */
extern const char text_pairs[200];     /* "00" to "99" */
extern const char text_hex_pairs[512]; /* "00" to "ff" */

static inline char *text_put(char *p, const void *bytes, size_t n_bytes)
{
	memcpy(p, bytes, n_bytes);
	return p + n_bytes;
}

/*
 * The same for short texts on a hot path: copies in one piece of 16 bytes, so that as many must be readable at bytes
 * and writable at p; what is longer is copied behind it.
 */
static inline char *text_put_short(char *p, const char *bytes, size_t n_bytes)
{
	memcpy(p, bytes, TEXT_SHORT);
	if (__builtin_expect(n_bytes > TEXT_SHORT, 0))
		memcpy(p + TEXT_SHORT, bytes + TEXT_SHORT, n_bytes - TEXT_SHORT);
	return p + n_bytes;
}

/* The same where nothing behind the text may be read or written: up to 16 bytes are two pieces that overlap. */
static inline char *text_put_few(char *p, const char *bytes, size_t n_bytes)
{
	uint64_t first, last;
	uint32_t first_4, last_4;

	if (__builtin_expect(n_bytes > 2 * sizeof(first) || n_bytes < sizeof(first_4), 0))
		return text_put(p, bytes, n_bytes);
	if (n_bytes < sizeof(first)) {
		memcpy(&first_4, bytes, sizeof(first_4));
		memcpy(&last_4, bytes + n_bytes - sizeof(last_4), sizeof(last_4));
		memcpy(p, &first_4, sizeof(first_4));
		memcpy(p + n_bytes - sizeof(last_4), &last_4, sizeof(last_4));
		return p + n_bytes;
	}
	memcpy(&first, bytes, sizeof(first));
	memcpy(&last, bytes + n_bytes - sizeof(last), sizeof(last));
	memcpy(p, &first, sizeof(first));
	memcpy(p + n_bytes - sizeof(last), &last, sizeof(last));
	return p + n_bytes;
}

#define text_put_literal(p, literal) text_put((p), (literal), sizeof(literal) - 1)

static inline char *text_put_fill(char *p, char c, size_t n)
{
	memset(p, c, n);
	return p + n;
}

/* Decimal digits of v, 1 to 20. */
static inline unsigned text_dec_digits(uint64_t v)
{
	/* 1233 / 4096 is the logarithm of 2 to the base of 10, near enough for 64 bits. */
	unsigned n_bits = 64 - (unsigned)__builtin_clzll(v | 1), n = n_bits * 1233 >> 12;

	return n + (v >= text_powers[n]);
}

/* The eight digits of v, which is below 10^8, the first in the lowest byte: all at once, in lanes of one number. */
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

/* The last n of eight digits; n is 1 to 8. Nothing is written behind them. */
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

/* text_put_digits() of more than eight. */
char *text_put_digits_long(char *p, uint64_t v, unsigned n);

/* Exactly n digits: the lowest n digits of v, zeros in front. */
static inline char *text_put_digits(char *p, uint64_t v, unsigned n)
{
	if (__builtin_expect(n > 8, 0))
		return text_put_digits_long(p, v, n);
	return n ? text_put_last(p, text_eight((uint32_t)(v % 100000000)), n) : p;
}

/* The nine digits of a fraction of a second, v < 10^9, without a loop: the commonest number of a report. */
static inline char *text_put_nine(char *p, uint32_t v)
{
	const uint32_t high = v / 100000000;
	const uint64_t eight = htole64(text_eight(v - high * 100000000));

	*p = (char)('0' + high);
	memcpy(p + 1, &eight, sizeof(eight));
	return p + 9;
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
 * The same on a hot path: up to eight bytes are written, however short the number is, so that its digits need not be counted;
 * and the processor need not guess how many there are.
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

/* The digits of a number in front of its last TEXT_TAIL; all zero: nothing is kept. */
struct text_kept {
	uint64_t head;	/* those digits with zeros behind them */
	uint64_t limit; /* numbers less than that above head have them, too; 0 if nothing is kept */
	unsigned n_digits;
	char digits[TEXT_SHORT];
};

/* text_put_dec_kept() of a number with other digits in front than the one before. */
char *text_put_dec_anew(char *p, uint64_t v, struct text_kept *kept);

/*
 * text_put_dec() for numbers that rise slowly, such as times: digits in front that are those of the number before are
 * copied. Numbers need not rise: they only cost more where they do not.
 */
static inline char *text_put_dec_kept(char *p, uint64_t v, struct text_kept *kept)
{
	const uint64_t behind = v - kept->head;

	if (__builtin_expect(behind >= kept->limit, 0))
		return text_put_dec_anew(p, v, kept);
	memcpy(p, kept->digits, TEXT_SHORT);
	const uint64_t tail = htole64(text_eight((uint32_t)behind) >> (64 - 8 * TEXT_TAIL));

	memcpy(p + kept->n_digits, &tail, sizeof(tail));
	return p + kept->n_digits + TEXT_TAIL;
}

static inline char *text_put_signed(char *p, int64_t v)
{
	if (v < 0)
		*p++ = '-';
	return text_put_dec(p, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

/* The same as text_put_dec_over() writes it; whether there is a sign is no guess either. */
static inline char *text_put_signed_over(char *p, int64_t v)
{
	const bool is_negative = v < 0;

	*p = '-';
	return text_put_dec_over(p + is_negative, ((uint64_t)v ^ -(uint64_t)is_negative) + is_negative);
}

/* Right-aligned in width columns; wider numbers take what they need. */
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

/* The eight lower-case hexadecimal digits of v. */
static inline char *text_put_hex_eight(char *p, uint32_t v)
{
	memcpy(p, text_hex_pairs + 2 * (v >> 24), 2);
	memcpy(p + 2, text_hex_pairs + 2 * (v >> 16 & 0xff), 2);
	memcpy(p + 4, text_hex_pairs + 2 * (v >> 8 & 0xff), 2);
	memcpy(p + 6, text_hex_pairs + 2 * (v & 0xff), 2);
	return p + 8;
}

/*
 * The eight hexadecimal digits of v, the first in the lowest byte: all at once, in lanes of one number. Letters are so many places
 * behind where digits would go on.
 */
static inline uint64_t text_hex_lanes(uint32_t v, unsigned to_letters)
{
	const uint32_t bytes = __builtin_bswap32(v);
	uint64_t lanes = (bytes | (uint64_t)bytes << 16) & 0x0000ffff0000ffff;

	lanes = (lanes | lanes << 8) & 0x00ff00ff00ff00ff;
	lanes = (lanes >> 4 | lanes << 8) & 0x0f0f0f0f0f0f0f0f;
	/* What is above 9 has a carry into the upper half of its byte when 6 is added. */
	return lanes + 0x3030303030303030 +
	       ((lanes + 0x0606060606060606) >> 4 & 0x0101010101010101) * to_letters;
}

static inline uint64_t text_upper_eight(uint32_t v)
{
	return text_hex_lanes(v, 'A' - '9' - 1);
}

/* Those digits as text. */
static inline char *text_put_upper_eight(char *p, uint32_t v)
{
	const uint64_t eight = htole64(text_upper_eight(v));

	memcpy(p, &eight, sizeof(eight));
	return p + sizeof(eight);
}

/* As many as v needs, which may be any number. */
char *text_put_hex_digits(char *p, uint64_t v);

/* "0x" and as many lower-case digits as v needs. Most are addresses in the upper part of 32 bits. */
static inline char *text_put_hex(char *p, uint64_t v)
{
	p = text_put_literal(p, "0x");
	return (v >> 28) - 1 < 15 ? text_put_hex_eight(p, (uint32_t)v) : text_put_hex_digits(p, v);
}

/* The same on a hot path, as text_put_dec_over() is of text_put_dec(): ten bytes are written at the least. */
static inline char *text_put_hex_over(char *p, uint64_t v)
{
	const unsigned n_zeros = (unsigned)__builtin_clz((uint32_t)v | 1) / 4;
	uint64_t digits;

	if (__builtin_expect(v >> 32 != 0, 0))
		return text_put_hex(p, v);
	digits = htole64(text_hex_lanes((uint32_t)v, 'a' - '9' - 1) >> 8 * n_zeros);
	p = text_put_literal(p, "0x");
	memcpy(p, &digits, sizeof(digits));
	return p + 8 - n_zeros;
}

/* Two lower-case digits a byte, no prefix; writes 2 * n_bytes. */
char *text_put_hex_bytes(char *p, const uint8_t *bytes, size_t n_bytes);

/* Nanoseconds as seconds with nine decimals, "12.000345678". */
char *text_put_seconds(char *p, uint64_t ns);

/*
 * A span of time in the unit that suits it, four digits at the most: "12.5 us", "1.007 s", "60 s". UINT64_MAX, where
 * nanoseconds saturate (584 years), is ">18446744074 s". Writes at most TEXT_DURATION_MAX.
 */
char *text_put_duration(char *p, uint64_t ns);
char *text_put_signed_duration(char *p, int64_t ns);

/* The same for columns: always as many digits, and units two columns wide ("1.500 ms", "12.00 s "). */
char *text_put_duration_aligned(char *p, uint64_t ns);

/*
 * A JSON string with its quotes. Characters that cannot be shown become \n or \uNNNN, bytes that are no UTF-8 the four characters
 * \xNN, as JSON has nothing for them. Writes at most 6 * n_bytes + 2.
 */
char *text_put_json(char *p, const char *bytes, size_t n_bytes);

/* The same without loss, for bytes as they were recorded; text_keep() says how. */
char *text_put_json_kept(char *p, const char *bytes, size_t n_bytes);

/*
 * A CSV field after RFC 4180: quoted when it holds a comma, quote, or line end. Line ends and tabs stay, whatever else cannot be
 * shown becomes \xNN. Writes at most 4 * n_bytes + 2.
 */
char *text_put_csv(char *p, const char *bytes, size_t n_bytes);

/*
 * The text of an XML element or attribute. What cannot be shown becomes \xNN: XML has no way to write most of it. Writes at most
 * 6 * n_bytes.
 */
char *text_put_xml(char *p, const char *bytes, size_t n_bytes);

/*
 * Makes bytes safe to show: printable UTF-8 stays, everything else (control bytes, broken sequences, invisible characters)
 * becomes \xNN. What is clean stays as it is. Writes at most 4 * n_bytes; returns one past the last byte written.
 */
char *text_clean(char *p, const uint8_t *bytes, size_t n_bytes);

/* How many bytes it writes. */
size_t text_clean_bytes(const uint8_t *bytes, size_t n_bytes);

/*
 * The same without loss, for names as they were recorded: a backslash in front of xNN becomes \x5c, so that the bytes are back when
 * each \xNN is replaced by its byte. Not for what is clean already.
 */
char *text_keep(char *p, const uint8_t *bytes, size_t n_bytes);

/*
 * Bytes of the printable UTF-8 character beyond ASCII that begins here, at most n_bytes; 0 if there is none.
 */
unsigned text_utf8_bytes(const uint8_t *bytes, size_t n_bytes);

/* The most bytes of a text, n_most at the most, that end with a whole character. */
static inline size_t text_whole_bytes(const char *bytes, size_t n_bytes, size_t n_most)
{
	if (n_bytes <= n_most)
		return n_bytes;
	while (n_most && ((unsigned char)bytes[n_most] & 0xc0) == 0x80)
		n_most--;
	return n_most;
}

/* The most bytes of clean text that end with a whole character and take so many columns of a terminal at the most. */
size_t text_fitting_bytes(const char *bytes, size_t n_bytes, size_t n_columns);

/* Columns that clean UTF-8 text takes on a terminal: two for each wide character, none for colours. */
size_t text_columns(const char *bytes, size_t n_bytes);

/*
 * Whether n bytes are the same but for the case of ASCII letters, in every locale: strncasecmp() takes I and i for two letters
 * in a Turkish one. Either may end before, at a NUL that the other does not have there.
 */
static inline bool text_is_same_fold(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)a[i], d = (unsigned char)b[i];
		const bool is_letter = (unsigned)(c | 0x20) - 'a' < 26;

		if (c != d && !(is_letter && (c ^ d) == 0x20))
			return false;
	}
	return true;
}

/*
 * Reads a whole string as an unsigned number: decimal, 0x hexadecimal, or with one of the suffixes k M G (powers of
 * 1000) or Ki Mi Gi (of 1024). false when anything is left over or the number does not fit.
 */
bool text_parse_u64(const char *text, uint64_t *ret_value);

/*
 * A frequency in Hz as people write it: as above, or with a decimal point, an exponent, k M G and Hz behind it: 168MHz,
 * 32.768k, 1e9. false when it is nothing else, is 0, no whole number of Hz, or does not fit.
 */
bool text_parse_hz(const char *text, uint64_t *ret_hz);

#endif
