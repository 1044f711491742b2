/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary that the tables of events of all dialects share (events.def), for the one file that includes the table.
 * Each dialect defines what a field is, and how many there are.
 */
#ifndef DIALECT_EVENT_TABLE_H
#define DIALECT_EVENT_TABLE_H

#include <rastrum/type.h>

#define N_ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define FIELDS(...)         \
	{                   \
		__VA_ARGS__ \
	}
#define ROLES(...)          \
	{                   \
		__VA_ARGS__ \
	}
#define R(kind, object, thread, value, amount) { RST_ROLE_##kind, object, thread, value, amount },
#define NO_ROLE				       { RST_ROLE_NONE, __, __, __, __ },

/* In a role: the context of the event, and nothing. */
enum { SELF = RST_SELF, __ = RST_NO_FIELD };

#endif
