/* SPDX-License-Identifier: MIT */
/* Numbers and lines of text, as printf() of LiteOS's kernels makes them. */
#include "embed/liteos/trace_print.h"

#include "embed/liteos/los_trace_pri.h"

/* --- pieces --------------------------------------------------------------------------------------------- */

VOID text_flush(struct text *text)
{
	RASTRUM_LITEOS_PRINT(text->bytes, text->n_bytes);
	text->n_bytes = 0;
}

static VOID text_char(struct text *text, CHAR c)
{
	if (text->n_bytes == sizeof(text->bytes))
		text_flush(text);
	text->bytes[text->n_bytes++] = c;
}

VOID text_words(struct text *text, const CHAR *words)
{
	while (*words)
		text_char(text, *words++);
}

/* A number's characters stand at the left of its column. */
static VOID text_column(struct text *text, const CHAR *digits, UINT32 n_digits, UINT32 width)
{
	UINT32 i;

	for (i = 0; i < n_digits; i++)
		text_char(text, digits[i]);
	for (; i < width; i++)
		text_char(text, ' ');
}

/* By subtraction: small processors cannot divide, and this is never in a hurry. */
VOID text_dec(struct text *text, UINT32 number, UINT32 width)
{
	static const UINT32 powers[] = { 1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100,
		10, 1 };
	CHAR digits[10];
	UINT32 n_digits = 0;

	for (unsigned i = 0; i < 10; i++) {
		CHAR digit = '0';

		for (; number >= powers[i]; number -= powers[i])
			digit++;
		if (n_digits || digit != '0' || i == 9)
			digits[n_digits++] = digit;
	}
	text_column(text, digits, n_digits, width);
}

static UINT32 hex_digits(CHAR *digits, UINT32 n_digits, UINT32 number)
{
	for (unsigned shift = 32; shift > 0; shift -= 4) {
		UINT32 digit = number >> (shift - 4) & 15;

		if (n_digits || digit)
			digits[n_digits++] = (CHAR)(digit < 10 ? '0' + digit : 'a' + digit - 10);
	}
	return n_digits;
}

/* In two halves: 64-bit shifts are calls on small processors. */
VOID text_hex(struct text *text, UINT64 number, UINT32 width)
{
	CHAR digits[16];
	UINT32 n_digits = hex_digits(digits, 0, (UINT32)(number >> 32));

	n_digits = hex_digits(digits, n_digits, (UINT32)number);
	if (n_digits == 0)
		digits[n_digits++] = '0';
	text_words(text, "0x");
	text_column(text, digits, n_digits, width);
}

#if RASTRUM_LITEOS_HAS_PRINT

/* --- errors --------------------------------------------------------------------------------------------- */

static VOID error_begin(struct text *text, const CHAR *words)
{
	text->n_bytes = 0;
#if defined(RASTRUM_LITEOS_H5)
	text_words(text, "[ERR] ");
#else
	text_words(text, "[ERR][");
#ifdef RASTRUM_LITEOS_A
	text_words(text, RASTRUM_LITEOS_PROCESS_NAME());
	text_words(text, ":");
#endif
	text_words(text, RASTRUM_LITEOS_TASK_NAME());
	text_words(text, "]");
#endif
	text_words(text, words);
}

static VOID error_end(struct text *text)
{
	text_words(text, "\n");
	text_flush(text);
}

VOID OsTraceError(const CHAR *words)
{
	struct text text;

	error_begin(&text, words);
	error_end(&text);
}

VOID OsTraceErrorDec(const CHAR *words, UINT32 number)
{
	struct text text;

	error_begin(&text, words);
	text_dec(&text, number, 0);
	error_end(&text);
}

VOID OsTraceErrorHex(const CHAR *words, UINT32 number)
{
	struct text text;

	error_begin(&text, words);
	text_hex(&text, number, 0);
	error_end(&text);
}

#endif
