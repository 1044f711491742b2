/* SPDX-License-Identifier: MIT */
/*
 * The built-in macros: one row for each name. Their values come from the entry and its host (machine/run.h).
 */
#ifndef TEMPLATE_LANGUAGE_MACROS_H
#define TEMPLATE_LANGUAGE_MACROS_H

#include <stdbool.h>
#include <stddef.h>

enum macro_id {
	MACRO_DATAPOINTER,
	MACRO_BASEPOINTER,
	MACRO_HOOKENV,
	MACRO_TRACEENV,
	MACRO_WORDSIZE,
	MACRO_GENERIC,
	MACRO_D1,
	MACRO_D2,
	MACRO_D3,
	MACRO_D4,
	MACRO_D5,
	MACRO_L1,
	MACRO_L2,
	MACRO_L3,
	MACRO_L4,
	MACRO_L5,
	MACRO_HD,
	MACRO_HL,
	MACRO_HT,
	MACRO_TRACEID,
	MACRO_PID,
	MACRO_TID,
	MACRO_CPUID,
	MACRO_PRI,
	MACRO_THRESHOLD,
	MACRO_CAPACITY,
	MACRO_EXECPATH,
	MACRO_SVC,
	MACRO_UNDERWAY,
	MACRO_INTERRUPTED,
	MACRO_RELLINENO,
	MACRO_TOTALCPUS,
	MACRO_TRACEDCPUS,
	MACRO_REPORTEDCPUS,
	MACRO_LOGFILE,
	MACRO_LOGIDX,
	MACRO_LOGIDX0,
	MACRO_NOTHING, /* those of AIX alone, which are worth 0 here (D36) */
	MACRO_ERROR,
	MACRO_DEFAULT,
	MACRO_BREAK,
	MACRO_SKIP,
	MACRO_STOP,
	/* These have no names: codes and timers use them. */
	MACRO_HB,
	MACRO_NOW, /* nanoseconds, or ticks */
	N_MACROS
};

/* How a macro prints without a cast (D6). */
enum macro_form {
	MACRO_HEX,    /* four digits, eight or sixteen where the value needs them */
	MACRO_WORD,   /* as XW */
	MACRO_LONG,   /* as X8 */
	MACRO_DIGITS, /* hexadecimal without leading zeros, as HT */
	MACRO_ID,     /* hexadecimal, three digits or more: a hook id as the report prints it */
	MACRO_DEC,
	MACRO_TEXT,
	MACRO_ACTION, /* not a value: something happens */
};

struct macro_row {
	const char *name; /* without the $ */
	enum macro_id id;
	enum macro_form form;
	bool is_assignable;
};

/* Returns NULL if no built-in has this name. */
const struct macro_row *macro_find(const char *name, size_t n_name);

/* All rows, for lists; the last has no name. */
extern const struct macro_row macro_rows[];

/* 16 or 10, the base that match values of a SWITCH over the macro are read in; 0 if text is compared. */
unsigned macro_base(const struct macro_row *row);

#endif
