/* SPDX-License-Identifier: MIT */
/*
 * The vocabulary that the tables of events of all dialects share (events.def), for the one file that includes
 * the table. Each dialect defines what a field is, and how many there are.
 */
#ifndef DIALECT_EVENT_TABLE_H
#define DIALECT_EVENT_TABLE_H

#include <rastrum/effect.h>

#define N_ROWS(table) (sizeof(table) / sizeof((table)[0]))

#define FIELDS(...)         \
	{                   \
		__VA_ARGS__ \
	}
/*
 * EFFECTS(E(ACQUIRE, .object = I1, .thread = BY_SELF, WHEN(IS(I3, 0))) …) makes rows of <rastrum/effect.h>.
 * The dialect defines I1, I2, … as ARGUMENT(1), ARGUMENT(2), …. The list ends with a row without an effect;
 * if it is the only row, its name is the reason why the event has no effect.
 */
#define EFFECTS(...)   ((const struct rst_effect[]){ __VA_ARGS__{ .kind = RST_EFFECT_NONE } })
#define NO_EFFECT(why) ((const struct rst_effect[]){ { .kind = RST_EFFECT_NONE, .name = why } })
#define E(effect, ...) { .kind = RST_EFFECT_##effect, __VA_ARGS__ },

/*
 * Operands: an argument, an argument plus a number, a constant, the event's context, the event's type, an
 * unknown value.
 */
#define ARGUMENT(n)         \
	{                   \
		.from = (n) \
	}
#define PLUS(n, more)                      \
	{                                  \
		.from = (n), .add = (more) \
	}
#define CONSTANT(n)                                   \
	{                                             \
		.from = RST_FROM_CONSTANT, .add = (n) \
	}
#define BY_SELF                       \
	{                             \
		.from = RST_FROM_SELF \
	}
#define OF_EVENT                      \
	{                             \
		.from = RST_FROM_TYPE \
	}
#define NOT_KNOWN                        \
	{                                \
		.from = RST_FROM_UNKNOWN \
	}

/* Conditions, up to three in WHEN(): IS(I3, 0), IS_OTHER(I3). */
#define WHEN(...) .when = { __VA_ARGS__ }
#define IS(of_, n)                                           \
	{                                                    \
		.of = of_, .test = RST_TEST_IS, .value = (n) \
	}
#define IS_NOT(of_, n)                                           \
	{                                                        \
		.of = of_, .test = RST_TEST_IS_NOT, .value = (n) \
	}
#define AT_LEAST(of_, n)                                           \
	{                                                          \
		.of = of_, .test = RST_TEST_AT_LEAST, .value = (n) \
	}
#define BELOW(of_, n)                                           \
	{                                                       \
		.of = of_, .test = RST_TEST_BELOW, .value = (n) \
	}
#define HAS(of_, bits)                                           \
	{                                                        \
		.of = of_, .test = RST_TEST_HAS, .value = (bits) \
	}
#define LACKS(of_, bits)                                           \
	{                                                          \
		.of = of_, .test = RST_TEST_LACKS, .value = (bits) \
	}
/* The same, with another number of the event in place of n. */
#define HAS_OF(of_, with_)                                     \
	{                                                      \
		.of = of_, .test = RST_TEST_HAS, .with = with_ \
	}
#define LACKS_OF(of_, with_)                                     \
	{                                                        \
		.of = of_, .test = RST_TEST_LACKS, .with = with_ \
	}
#define HAS_ALL_OF(of_, with_)                                     \
	{                                                          \
		.of = of_, .test = RST_TEST_HAS_ALL, .with = with_ \
	}
#define LACKS_SOME_OF(of_, with_)                                     \
	{                                                             \
		.of = of_, .test = RST_TEST_LACKS_SOME, .with = with_ \
	}
#define IS_SELF(of_)                                \
	{                                           \
		.of = of_, .test = RST_TEST_IS_SELF \
	}
#define IS_OTHER(of_)                                \
	{                                            \
		.of = of_, .test = RST_TEST_IS_OTHER \
	}

/* A dialect's numbers of states: CODES(name, { mask, value, state, reason, phase }, …). */
#define CODES(name_, ...)                                                    \
	static const struct rst_state_code name_##_rows[] = { __VA_ARGS__ }; \
	static const struct rst_state_codes name_ = { N_ROWS(name_##_rows), name_##_rows };

/* Stands for "no argument" in a table. */
enum { __ = RST_NO_FIELD };

#endif
