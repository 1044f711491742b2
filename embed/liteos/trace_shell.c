/* SPDX-License-Identifier: MIT */
/*
 * trace_mask [mask] and trace_dump [0|1]. The shell's other commands are LOS_TraceStart(), _Stop() and
 * _Reset().
 */
#include "embed/liteos/los_trace_pri.h"
#include "embed/liteos/trace_print.h"

static const UINT32 shell_error = 0xffffffff;

static UINT32 usage(const CHAR *words)
{
	struct text text;

	text.n_bytes = 0;
	text_words(&text, words);
	text_words(&text, "\n");
	text_flush(&text);
	return shell_error;
}

static UINT32 digit_value(CHAR c)
{
	if (c >= '0' && c <= '9')
		return (UINT32)(c - '0');
	c = (CHAR)(c | 0x20);
	return c >= 'a' && c <= 'f' ? (UINT32)(c - 'a') + 10 : 99;
}

/* Decimal, or hexadecimal behind 0x; FALSE: it is neither, or more than 32 bits. */
static BOOL number_parse(const CHAR *words, UINT32 *ret_number)
{
	UINT32 base = words[0] == '0' && (words[1] | 0x20) == 'x' ? 16 : 10, number = 0;

	if (base == 16)
		words += 2;
	if (!*words)
		return FALSE;
	for (; *words; words++) {
		UINT32 digit = digit_value(*words);

		if (digit >= base || number > (base == 16 ? 0x0fffffffU : 429496729U) ||
			number * base > 0xffffffffU - digit)
			return FALSE;
		number = number * base + digit;
	}
	*ret_number = number;
	return TRUE;
}

UINT32 OsShellCmdTraceSetMask(INT32 argc, const CHAR **argv)
{
	UINT32 mask = TRACE_DEFAULT_MASK;

	if (argc > 1 || (argc == 1 && !number_parse(argv[0], &mask)))
		return usage("usage: trace_mask [mask]");
	LOS_TraceEventMaskSet(mask);
	return LOS_OK;
}

UINT32 OsShellCmdTraceDump(INT32 argc, const CHAR **argv)
{
	UINT32 to_client = FALSE;

	if (argc > 1 || (argc == 1 && (!number_parse(argv[0], &to_client) || to_client > 1)))
		return usage("usage: trace_dump [0: as text, 1: to the client]");
	LOS_TraceRecordDump(to_client);
	return LOS_OK;
}
