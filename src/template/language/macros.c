/* SPDX-License-Identifier: MIT */
#include "template/language/macros.h"

#include <stdint.h>
#include <string.h>

/* In the order of their names, for the binary search. */
const struct macro_row macro_rows[] = {
	{ "BASEPOINTER", MACRO_BASEPOINTER, MACRO_HEX, true },
	{ "BREAK", MACRO_BREAK, MACRO_ACTION, false },
	{ "BUFF", MACRO_NOTHING, MACRO_DEC, false },
	{ "CAPACITY", MACRO_CAPACITY, MACRO_DEC, false },
	{ "CPUID", MACRO_CPUID, MACRO_DEC, false },
	{ "D1", MACRO_D1, MACRO_WORD, false },
	{ "D2", MACRO_D2, MACRO_WORD, false },
	{ "D3", MACRO_D3, MACRO_WORD, false },
	{ "D4", MACRO_D4, MACRO_WORD, false },
	{ "D5", MACRO_D5, MACRO_WORD, false },
	{ "DATAPOINTER", MACRO_DATAPOINTER, MACRO_HEX, true },
	{ "DEFAULT", MACRO_DEFAULT, MACRO_ACTION, false },
	{ "ERROR", MACRO_ERROR, MACRO_ACTION, false },
	{ "EXECPATH", MACRO_EXECPATH, MACRO_TEXT, false },
	{ "GENERIC", MACRO_GENERIC, MACRO_DEC, false },
	{ "HD", MACRO_HD, MACRO_HEX, false },
	{ "HL", MACRO_HL, MACRO_HEX, false },
	{ "HOOKENV", MACRO_HOOKENV, MACRO_DEC, false },
	{ "HT", MACRO_HT, MACRO_DIGITS, false },
	{ "INTERRUPTED", MACRO_INTERRUPTED, MACRO_TEXT, false },
	{ "IPADDR", MACRO_NOTHING, MACRO_DEC, false },
	{ "L1", MACRO_L1, MACRO_LONG, false },
	{ "L2", MACRO_L2, MACRO_LONG, false },
	{ "L3", MACRO_L3, MACRO_LONG, false },
	{ "L4", MACRO_L4, MACRO_LONG, false },
	{ "L5", MACRO_L5, MACRO_LONG, false },
	{ "LARGEDATATYPES", MACRO_NOTHING, MACRO_DEC, false },
	{ "LOGFILE", MACRO_LOGFILE, MACRO_TEXT, false },
	{ "LOGIDX", MACRO_LOGIDX, MACRO_DEC, false },
	{ "LOGIDX0", MACRO_LOGIDX0, MACRO_DEC, false },
	{ "MCR0", MACRO_NOTHING, MACRO_DEC, false },
	{ "MCR1", MACRO_NOTHING, MACRO_DEC, false },
	{ "MCRA", MACRO_NOTHING, MACRO_DEC, false },
	{ "PID", MACRO_PID, MACRO_DEC, false },
	{ "PMC1", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC2", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC3", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC4", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC5", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC6", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC7", MACRO_NOTHING, MACRO_DEC, false },
	{ "PMC8", MACRO_NOTHING, MACRO_DEC, false },
	{ "PRI", MACRO_PRI, MACRO_DEC, false },
	{ "PURR", MACRO_NOTHING, MACRO_DEC, false },
	{ "RELLINENO", MACRO_RELLINENO, MACRO_DEC, false },
	{ "REPORTEDCPUS", MACRO_REPORTEDCPUS, MACRO_DEC, false },
	{ "SKIP", MACRO_SKIP, MACRO_ACTION, false },
	{ "STOP", MACRO_STOP, MACRO_ACTION, false },
	{ "SVC", MACRO_SVC, MACRO_TEXT, false },
	{ "THRESHOLD", MACRO_THRESHOLD, MACRO_DEC, false },
	{ "TID", MACRO_TID, MACRO_DEC, false },
	{ "TOTALCPUS", MACRO_TOTALCPUS, MACRO_DEC, false },
	{ "TRACEDCPUS", MACRO_TRACEDCPUS, MACRO_DEC, false },
	{ "TRACEENV", MACRO_TRACEENV, MACRO_DEC, false },
	{ "TRACEID", MACRO_TRACEID, MACRO_ID, false },
	{ "UNDERWAY", MACRO_UNDERWAY, MACRO_TEXT, false },
	{ "WORDSIZE", MACRO_WORDSIZE, MACRO_DEC, false },
	{ NULL, N_MACROS, MACRO_ACTION, false },
};

/* As strcmp() of a name with its terminated row. */
static int compare_name(const char *name, size_t n_name, const char *row)
{
	size_t n_row = strlen(row);
	int order = memcmp(name, row, n_name < n_row ? n_name : n_row);

	return order ? order : (n_name > n_row) - (n_name < n_row);
}

const struct macro_row *macro_find(const char *name, size_t n_name)
{
	size_t low = 0, high = sizeof(macro_rows) / sizeof(*macro_rows) - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = compare_name(name, n_name, macro_rows[middle].name);

		if (order == 0)
			return &macro_rows[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

unsigned macro_base(const struct macro_row *row)
{
	static const uint8_t bases[] = {
		[MACRO_HEX] = 16,
		[MACRO_WORD] = 16,
		[MACRO_LONG] = 16,
		[MACRO_DIGITS] = 16,
		[MACRO_ID] = 16,
		[MACRO_DEC] = 10,
		[MACRO_TEXT] = 0,
		[MACRO_ACTION] = 0,
	};

	return bases[row->form];
}
