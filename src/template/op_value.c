/* SPDX-License-Identifier: MIT */
/* The stack: loads that read no bytes of a run, arithmetic of 64 bits that wraps (D7), timers. */
#include "base/load.h"
#include "base/text.h"
#include "template/ops.h"

static char *push(struct runner *run, char *p, int64_t value)
{
	*run->top++ = value;
	return p;
}

static char *load_number(struct runner *run, char *p, const struct insn *insn)
{
	return push(run, p, insn->number);
}

static char *load_slot(struct runner *run, char *p, const struct insn *insn)
{
	return push(run, p, run->slots[insn->a]);
}

static char *store_slot(struct runner *run, char *p, const struct insn *insn)
{
	run->slots[insn->a] = *--run->top;
	if (run->n_slots <= insn->a)
		run->n_slots = insn->a + 1;
	return p;
}

static char *load_field(struct runner *run, char *p, const struct insn *insn)
{
	const struct rst_field *field = insn->field;

	if (__builtin_expect(field->type == RST_SIGNED, 0))
		return push(run, p, value_signed(&run->values, field));
	return push(run, p, (int64_t)value_number(&run->values, field));
}

static char *cut_field(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	return push(run, p, 0);
}

/* --- built-in macros -------------------------------------------------------------------------------------------------- */

/* Data word n, from 1 on; what is not there is 0 (D18). Only AIX entries have them. */
static int64_t data_word(const struct runner *run, unsigned n)
{
	const struct binding *binding = &run->unit->binding;
	unsigned word = binding->word_bytes;
	size_t at = (size_t)n * word;

	if (binding->type || at + word > run->entry->n_bytes || (run->entry->is_generic && n > 1))
		return 0;
	return (int64_t)load_word(run->entry->bytes + at, word, true);
}

static int64_t macro_value(const struct runner *run, enum macro_id id)
{
	const struct entry *entry = run->entry;

	if (id >= MACRO_D1 && id <= MACRO_D5)
		return data_word(run, 1U + (unsigned)(id - MACRO_D1));
	if (id >= MACRO_L1 && id <= MACRO_L5)
		return data_word(run, 1U + (unsigned)(id - MACRO_L1));
	switch ((unsigned)id) {
	case MACRO_DATAPOINTER:
		return run->pointer >> 3;
	case MACRO_BASEPOINTER:
		return run->base;
	case MACRO_GENERIC:
		return entry->is_generic;
	case MACRO_HD:
		return entry->hook_data;
	case MACRO_HL:
		return entry->hook_bytes;
	case MACRO_HT:
		return entry->hook_type;
	case MACRO_HB:
		return entry->n_variable;
	case MACRO_NOTHING:
		return 0;
	default:
		return entry->host->number(entry, id);
	}
}

static char *load_macro(struct runner *run, char *p, const struct insn *insn)
{
	return push(run, p, macro_value(run, (enum macro_id)insn->a));
}

/* --- arithmetic ------------------------------------------------------------------------------------------------------- */

static char *low_unsigned(struct runner *run, char *p, const struct insn *insn)
{
	run->top[-1] &= (int64_t)(UINT64_MAX >> (64 - insn->b));
	return p;
}

static char *low_signed(struct runner *run, char *p, const struct insn *insn)
{
	unsigned n_unused = 64 - insn->b;

	run->top[-1] = (int64_t)((uint64_t)run->top[-1] << n_unused) >> n_unused;
	return p;
}

static char *add(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] + (uint64_t)run->top[0]);
	return p;
}

static char *subtract(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] - (uint64_t)run->top[0]);
	return p;
}

static char *multiply(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] * (uint64_t)run->top[0]);
	return p;
}

/* Toward zero; by zero it is 0, and counted; the one quotient that does not fit wraps. */
static char *divide(struct runner *run, char *p, const struct insn *insn)
{
	int64_t divisor = *--run->top;

	(void)insn;
	if (divisor == 0) {
		run->n_div0++;
		run->top[-1] = 0;
	} else if (divisor == -1) {
		run->top[-1] = (int64_t)(0 - (uint64_t)run->top[-1]);
	} else {
		run->top[-1] /= divisor;
	}
	return p;
}

static char * and (struct runner * run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] &= run->top[0];
	return p;
}

static char *negate(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top[-1] = (int64_t)(0 - (uint64_t)run->top[-1]);
	return p;
}

/* --- timers (D25) ------------------------------------------------------------------------------------------------------ */

enum { TIMER_PROBES = 16 };

static bool is_pair(const struct timer_slot *slot, const int64_t *pair)
{
	return slot->is_used && slot->first == pair[0] && slot->second == pair[1];
}

/* The slot of a pair, or where it may go: a free one, else the one of a few that was started first. */
static struct timer_slot *find_timer(struct runner *run, const int64_t *pair)
{
	uint64_t home = ((uint64_t)pair[0] * 0x9e3779b97f4a7c15U) ^ ((uint64_t)pair[1] * 0xc2b2ae3d27d4eb4fU);
	struct timer_slot *best = NULL;

	for (unsigned i = 0; i < TIMER_PROBES; i++) {
		struct timer_slot *slot = &run->timers[((home >> 32) + i) % RUN_TIMERS];

		if (is_pair(slot, pair))
			return slot;
		if (!best || (best->is_used && (!slot->is_used || slot->start < best->start)))
			best = slot;
	}
	return best;
}

static char *start_timer(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top -= 2;
	if (!run->timers)
		return p;
	struct timer_slot *slot = find_timer(run, run->top);

	*slot = (struct timer_slot){ .first = run->top[0],
		.second = run->top[1],
		.start = run->entry->host->number(run->entry, MACRO_NOW),
		.is_used = true };
	return p;
}

static char *end_timer(struct runner *run, char *p, const struct insn *insn)
{
	enum { NS_PER_USEC = 1000 };
	const struct timer_slot *slot;
	uint64_t passed;

	run->top -= 2;
	slot = run->timers ? find_timer(run, run->top) : NULL;
	if (!slot || !is_pair(slot, run->top)) {
		run_pass_piece(run, insn);
		return p;
	}
	passed = (uint64_t)run->entry->host->number(run->entry, MACRO_NOW) - (uint64_t)slot->start;
	p = run_open_piece(run, p, insn, true);
	run_close_piece(run, insn->b);
	*p++ = '[';
	if (run->counts_ticks) {
		p = text_put_signed(p, (int64_t)passed);
		return text_put_literal(p, " ticks]");
	}
	p = text_put_signed(p, (int64_t)passed / NS_PER_USEC);
	return text_put_literal(p, " usec]");
}

const struct op op_number = { .name = "number", .run = load_number, .operands = "number" };
const struct op op_load_field = {
	.name = "load_field", .run = load_field, .cut = cut_field, .reads = READS_PAYLOAD, .operands = "field"
};
const struct op op_load_macro = { .name = "load_macro", .run = load_macro, .operands = "macro" };
const struct op op_load_slot = { .name = "load_slot", .run = load_slot, .operands = "a" };
const struct op op_store_slot = { .name = "store_slot", .run = store_slot, .operands = "a" };
const struct op op_low_signed = { .name = "low_signed", .run = low_signed, .operands = "b" };
const struct op op_low_unsigned = { .name = "low_unsigned", .run = low_unsigned, .operands = "b" };
const struct op op_add = { .name = "add", .run = add };
const struct op op_subtract = { .name = "subtract", .run = subtract };
const struct op op_multiply = { .name = "multiply", .run = multiply };
const struct op op_divide = { .name = "divide", .run = divide };
const struct op op_and = { .name = "and", .run = and};
const struct op op_negate = { .name = "negate", .run = negate };
const struct op op_start_timer = { .name = "start_timer", .run = start_timer };
const struct op op_end_timer = { .name = "end_timer", .run = end_timer, .operands = "glue" };
