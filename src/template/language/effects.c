/* SPDX-License-Identifier: MIT */
#include "template/language/effects.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#define K(kind) (1U << RST_EFFECT_##kind)

enum {
	REQUESTS = K(ACQUIRE) | K(SEND) | K(RECEIVE) | K(ALLOCATE),
	TIMERS = K(ARM) | K(DISARM) | K(EXPIRE),
	OF_OBJECTS = REQUESTS | K(RELEASE) | K(FREE) | K(CREATE) | K(DELETE) | K(STATE) | TIMERS,
	OF_THREADS = REQUESTS | K(WAIT) | K(RELEASE) | K(FREE) | K(BEGIN) | K(END) | K(PRIORITY) | K(ERROR),
	SPANS = K(BEGIN) | K(END),
};

static const char *phase_word(unsigned value)
{
	return rst_phase_name((enum rst_phase)value);
}

static const char *state_word(unsigned value)
{
	return rst_state_name((enum rst_state)value);
}

static const char *reason_word(unsigned value)
{
	return rst_reason_name((enum rst_reason)value);
}

static const char *unit_word(unsigned value)
{
	return rst_unit_name((enum rst_unit)value);
}

static const char *kind_word(unsigned value)
{
	return rst_object_kind_name((enum rst_object_kind)value);
}

#define OPERAND(member, kinds, needed)                                                                    \
	{                                                                                                 \
#member, EFFECT_WORD_OPERAND, offsetof(struct rst_effect, member), kinds, needed, NULL, 0 \
	}
#define CHOICE(name, member, kinds, words, n)                                                     \
	{                                                                                         \
		name, EFFECT_WORD_CHOICE, offsetof(struct rst_effect, member), kinds, 0, words, n \
	}

const struct effect_word effect_words[] = {
	OPERAND(thread, OF_THREADS | K(SCHEDULE) | K(SWITCH) | K(WAKE), K(SCHEDULE) | K(SWITCH) | K(WAKE)),
	OPERAND(object, OF_OBJECTS | SPANS | K(WAIT) | K(WAKE) | K(LEVEL) | K(ERROR), OF_OBJECTS),
	OPERAND(other, K(ACQUIRE) | K(RELEASE) | K(SEND) | K(STATE) | K(ERROR), 0),
	OPERAND(value, K(LEVEL) | K(ALLOCATE) | K(FREE) | K(PRIORITY) | K(INTERRUPT_IN) | K(ERROR) | K(ARM),
		K(LEVEL) | K(PRIORITY)),
	OPERAND(amount, K(SEND) | K(RECEIVE) | K(ALLOCATE) | K(FREE) | K(ACQUIRE) | K(RELEASE), 0),
	OPERAND(limit, K(WAIT) | K(ARM) | REQUESTS, 0),
	OPERAND(capacity, K(CREATE) | K(LEVEL), 0),
	OPERAND(key, SPANS, 0),
	{ "name", EFFECT_WORD_NAME, offsetof(struct rst_effect, name), SPANS | K(LEVEL) | K(ERROR), 0, NULL,
		0 },
	CHOICE("phase", phase,
		REQUESTS | K(WAIT) | K(WAKE) | K(FREE) | K(DELETE) | K(STATE) | K(GAP) | K(ERROR), phase_word,
		RST_N_PHASES),
	CHOICE("state", state, K(CREATE) | K(SWITCH) | K(WAIT), state_word, RST_N_STATES),
	CHOICE("reason", reason, REQUESTS | K(WAIT) | K(WAKE) | K(SWITCH), reason_word, RST_N_REASONS),
	CHOICE("unit", unit, REQUESTS | K(WAIT) | K(ARM) | K(FREE) | K(LEVEL) | K(CREATE), unit_word,
		RST_N_UNITS),
	CHOICE("kind", object_kind, OF_OBJECTS | SPANS | K(WAIT) | K(WAKE) | K(LEVEL) | K(ERROR), kind_word,
		RST_N_OBJECT_KINDS),
	{ "is", EFFECT_WORD_FLAG, 0,
		K(ACQUIRE) | K(RELEASE) | K(SEND) | K(RECEIVE) | K(LEVEL) | K(SWITCH) | K(END), 0, NULL, 0 },
	{ NULL, EFFECT_WORD_FLAG, 0, 0, 0, NULL, 0 },
};

const struct effect_flag effect_flags[] = {
	{ "free", offsetof(struct rst_effect, is_free), K(LEVEL) },
	{ "change", offsetof(struct rst_effect, is_change), K(LEVEL) },
	{ "shared", offsetof(struct rst_effect, is_shared), K(ACQUIRE) },
	{ "partial", offsetof(struct rst_effect, is_partial),
		K(ACQUIRE) | K(RELEASE) | K(SEND) | K(RECEIVE) | K(LEVEL) | K(SWITCH) },
	{ "counted", offsetof(struct rst_effect, is_counted), K(ACQUIRE) },
	{ "handed_over", offsetof(struct rst_effect, is_handed_over), K(LEVEL) | K(RELEASE) },
	{ "any", offsetof(struct rst_effect, is_any), K(END) },
	{ NULL, 0, 0 },
};

bool effect_phase_fits(enum rst_effect_kind kind, enum rst_phase phase)
{
	static const uint32_t kinds[RST_N_PHASES] = {
		[RST_DONE] = REQUESTS | K(WAIT) | K(WAKE) | K(DELETE) | K(FREE) | K(ERROR),
		[RST_ASKS] = REQUESTS | K(WAIT) | K(DELETE) | K(FREE),
		[RST_GAVE_UP] = REQUESTS | K(WAIT) | K(WAKE) | K(ERROR),
		[RST_ENTERS] = K(STATE) | K(GAP),
		[RST_LEAVES] = K(STATE) | K(GAP),
		[RST_IS_IN] = K(STATE) | K(GAP),
	};

	return effect_kind_has(kinds[phase], kind);
}

bool effect_is_by_self(enum rst_effect_kind kind)
{
	return effect_kind_has(OF_THREADS, kind);
}

/* --- printing ------------------------------------------------------------------------------------------- */

static void print_operand(FILE *out, const struct rst_layout *layout, const struct rst_operand *of)
{
	if (of->from == RST_FROM_CONSTANT)
		fprintf(out, "%" PRId32, of->add);
	else if (of->from == RST_FROM_SELF)
		fputs("self", out);
	else if (of->from == RST_FROM_TYPE)
		fputs("event", out);
	else if (of->from == RST_FROM_UNKNOWN)
		fputs("unknown", out);
	else
		fprintf(out, "$%s", layout->fields[of->from - 1].name);
	if (of->from > 0 && of->add)
		fprintf(out, "%+" PRId32, of->add);
}

static void print_flags(FILE *out, const struct rst_effect *effect)
{
	for (const struct effect_flag *flag = effect_flags; flag->name; flag++)
		if (*(const bool *)((const char *)effect + flag->offset))
			fprintf(out, " is=%s", flag->name);
}

static void print_word(FILE *out, const struct rst_layout *layout, const struct rst_effect *effect,
	const struct effect_word *word)
{
	const char *at = (const char *)effect + word->offset;
	const struct rst_operand *of = (const struct rst_operand *)(const void *)at;
	unsigned value;

	switch (word->type) {
	case EFFECT_WORD_OPERAND:
		if (of->from == RST_FROM_NOTHING) {
			if (of == &effect->thread && effect_is_by_self(effect->kind))
				fputs(" thread=none", out);
			return;
		}
		fprintf(out, " %s=", word->name);
		print_operand(out, layout, of);
		return;
	case EFFECT_WORD_CHOICE:
		memcpy(&value, at, sizeof(value));
		if (value)
			fprintf(out, " %s=%s", word->name, word->choice(value));
		return;
	case EFFECT_WORD_NAME:
		if (effect->name)
			fprintf(out, " %s=\"%s\"", word->name, effect->name);
		return;
	case EFFECT_WORD_FLAG:
		print_flags(out, effect);
	}
}

static void print_condition(FILE *out, const struct rst_layout *layout, const struct rst_condition *condition)
{
	static const char *const tests[] = {
		[RST_TEST_IS] = "=",
		[RST_TEST_IS_NOT] = "!=",
		[RST_TEST_AT_LEAST] = ">=",
		[RST_TEST_BELOW] = "<",
		[RST_TEST_HAS] = "&",
		[RST_TEST_LACKS] = "!&",
		[RST_TEST_HAS_ALL] = "&=",
		[RST_TEST_LACKS_SOME] = "!&=",
		[RST_TEST_IS_SELF] = "=self",
		[RST_TEST_IS_OTHER] = "!=self",
	};
	const bool has_number = condition->test != RST_TEST_IS_SELF && condition->test != RST_TEST_IS_OTHER;

	print_operand(out, layout, &condition->of);
	fputs(tests[condition->test], out);
	if (condition->with.from != RST_FROM_NOTHING)
		print_operand(out, layout, &condition->with);
	else if (has_number && condition->value > 0xffff)
		fprintf(out, "0x%" PRIx64, condition->value);
	else if (has_number)
		fprintf(out, "%" PRIu64, condition->value);
}

/* Prints the meaning of each number of a code: the state, and why the thread waits. */
static void print_codes(FILE *out, const struct rst_state_codes *codes)
{
	for (size_t i = 0; i < codes->n_rows; i++) {
		const struct rst_state_code *row = &codes->rows[i];

		fprintf(out, "\n    %" PRIu64, row->value);
		if (row->mask != UINT64_MAX)
			fprintf(out, " of the bits 0x%" PRIx64, row->mask);
		fprintf(out, ": %s", rst_state_name(row->state));
		if (row->reason)
			fprintf(out, ", %s", rst_reason_name(row->reason));
		if (row->phase)
			fprintf(out, ", %s", rst_phase_name(row->phase));
	}
}

void effect_print(FILE *out, const struct rst_layout *layout, const struct rst_effect *effect)
{
	fputs(rst_effect_name(effect->kind), out);
	for (const struct effect_word *word = effect_words; word->name; word++)
		print_word(out, layout, effect, word);
	if (effect->codes && effect->code.from > 0)
		fprintf(out, " code=$%s", layout->fields[effect->code.from - 1].name);
	for (size_t i = 0; i < RST_CONDITIONS_MAX && effect->when[i].test; i++) {
		fputs(i ? " and " : " when ", out);
		print_condition(out, layout, &effect->when[i]);
	}
	if (effect->codes && effect->code.from > 0)
		print_codes(out, effect->codes);
}
