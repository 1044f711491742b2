/* SPDX-License-Identifier: MIT */
/* The stack: loads that read no bytes of a run, arithmetic of 64 bits that wraps (D7), timers. */
#include "base/check.h"
#include "base/load.h"
#include "base/text.h"
#include "template/machine/ops.h"

static char *load_number(struct runner *run, char *p, const struct insn *insn)
{
	run_push(run, insn->number);
	return p;
}

static char *load_number_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, load_number(run, p, insn), insn);
}

static char *load_slot(struct runner *run, char *p, const struct insn *insn)
{
	run_push(run, run->slots[insn->a]);
	return p;
}

static char *load_slot_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, load_slot(run, p, insn), insn);
}

static char *store_slot(struct runner *run, char *p, const struct insn *insn)
{
	run->slots[insn->a] = run_pop(run);
	if (run->n_slots <= insn->a)
		run->n_slots = insn->a + 1;
	return p;
}

static char *store_slot_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, store_slot(run, p, insn), insn);
}

static char *load_field(struct runner *run, char *p, const struct insn *insn)
{
	const struct rst_field *field = insn->field;

	if (__builtin_expect(field->type == RST_SIGNED, 0))
		run_push(run, value_signed(&run->values, field));
	else
		run_push(run, (int64_t)value_number(&run->values, field));
	return p;
}

static char *load_field_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, load_field(run, p, insn), insn);
}

static inline char *load_low(struct runner *run, char *p, const struct insn *insn, unsigned n_bytes)
{
	run_push(run, (int64_t)load_uint(run->values.payload + insn->a, n_bytes, false));
	return run_on(run, p, insn);
}

static char *load_low_1(struct runner *run, char *p, const struct insn *insn)
{
	return load_low(run, p, insn, 1);
}

static char *load_low_2(struct runner *run, char *p, const struct insn *insn)
{
	return load_low(run, p, insn, 2);
}

static char *load_low_4(struct runner *run, char *p, const struct insn *insn)
{
	return load_low(run, p, insn, 4);
}

static char *load_low_8(struct runner *run, char *p, const struct insn *insn)
{
	return load_low(run, p, insn, 8);
}

/* 0 in an expression; where b instructions would print it, "?" in their place. */
static char *cut_field(struct runner *run, char *p, const struct insn *insn)
{
	if (!insn->b) {
		run_push(run, 0);
		return p;
	}
	*p++ = '?';
	run->next = insn + 1 + insn->b;
	return p;
}

/* --- built-in macros ------------------------------------------------------------------------------------ */

/* Data words, from the first on; one that is not there is 0 (D18). Only AIX entries have them. */
static int64_t value_of_word(const struct runner *run, enum macro_id id)
{
	const struct binding *binding = &run->unit->binding;
	unsigned n = 1 + (unsigned)(id < MACRO_L1 ? id - MACRO_D1 : id - MACRO_L1),
		 word = binding->word_bytes;
	size_t at = (size_t)n * word;

	if (binding->layout || at + word > run->entry->n_bytes || (run->entry->is_generic && n > 1))
		return 0;
	return (int64_t)load_word(run->entry->bytes + at, word, true);
}

static int64_t value_of_pointer(const struct runner *run, enum macro_id id)
{
	(void)id;
	return run->pointer >> 3;
}

static int64_t value_of_base(const struct runner *run, enum macro_id id)
{
	(void)id;
	return run->base;
}

/* The values of macros about the hook. */
static int64_t value_of_hook(const struct runner *run, enum macro_id id)
{
	const struct entry *entry = run->entry;

	if (id == MACRO_HD)
		return entry->hook_data;
	if (id == MACRO_HL)
		return entry->hook_bytes;
	if (id == MACRO_HT)
		return entry->hook_type;
	return id == MACRO_HB ? entry->n_variable : entry->is_generic;
}

static int64_t value_of_nothing(const struct runner *run, enum macro_id id)
{
	(void)run;
	(void)id;
	return 0;
}

/* The host gives the values of all others. */
static int64_t (*const values[N_MACROS])(const struct runner *run, enum macro_id id) = {
	[MACRO_DATAPOINTER] = value_of_pointer,
	[MACRO_BASEPOINTER] = value_of_base,
	[MACRO_GENERIC] = value_of_hook,
	[MACRO_D1] = value_of_word,
	[MACRO_D2] = value_of_word,
	[MACRO_D3] = value_of_word,
	[MACRO_D4] = value_of_word,
	[MACRO_D5] = value_of_word,
	[MACRO_L1] = value_of_word,
	[MACRO_L2] = value_of_word,
	[MACRO_L3] = value_of_word,
	[MACRO_L4] = value_of_word,
	[MACRO_L5] = value_of_word,
	[MACRO_HD] = value_of_hook,
	[MACRO_HL] = value_of_hook,
	[MACRO_HT] = value_of_hook,
	[MACRO_HB] = value_of_hook,
	[MACRO_NOTHING] = value_of_nothing,
};

static char *load_macro(struct runner *run, char *p, const struct insn *insn)
{
	enum macro_id id = (enum macro_id)insn->a;

	run_push(run, values[id] ? values[id](run, id) : run->entry->host->number(run->entry, id));
	return p;
}

static char *load_macro_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, load_macro(run, p, insn), insn);
}

/* The same of what is in the entry, which most templates of hooks use. */
static inline char *load_of_entry(struct runner *run, char *p, const struct insn *insn, int64_t value)
{
	run_push(run, value);
	return run_on(run, p, insn);
}

static char *load_generic(struct runner *run, char *p, const struct insn *insn)
{
	return load_of_entry(run, p, insn, run->entry->is_generic);
}

static char *load_hook_data(struct runner *run, char *p, const struct insn *insn)
{
	return load_of_entry(run, p, insn, run->entry->hook_data);
}

static char *load_hook_bytes(struct runner *run, char *p, const struct insn *insn)
{
	return load_of_entry(run, p, insn, run->entry->hook_bytes);
}

static char *load_hook_type(struct runner *run, char *p, const struct insn *insn)
{
	return load_of_entry(run, p, insn, run->entry->hook_type);
}

static char *load_variable(struct runner *run, char *p, const struct insn *insn)
{
	return load_of_entry(run, p, insn, run->entry->n_variable);
}

/* --- arithmetic ----------------------------------------------------------------------------------------- */

static char *low_unsigned(struct runner *run, char *p, const struct insn *insn)
{
	run->top[-1] &= (int64_t)(UINT64_MAX >> (64 - insn->b));
	return p;
}

static char *low_unsigned_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, low_unsigned(run, p, insn), insn);
}

static char *low_signed(struct runner *run, char *p, const struct insn *insn)
{
	unsigned n_unused = 64 - insn->b;

	run->top[-1] = (int64_t)((uint64_t)run->top[-1] << n_unused) >> n_unused;
	return p;
}

static char *numbers_add(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] + (uint64_t)run->top[0]);
	return p;
}

static char *numbers_subtract(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] - (uint64_t)run->top[0]);
	return p;
}

static char *numbers_subtract_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, numbers_subtract(run, p, insn), insn);
}

static char *numbers_multiply(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] = (int64_t)((uint64_t)run->top[-1] * (uint64_t)run->top[0]);
	return p;
}

static char *numbers_multiply_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, numbers_multiply(run, p, insn), insn);
}

/* Rounds toward zero. A division by zero gives 0 and is counted; the one quotient that does not fit wraps. */
static char *numbers_divide(struct runner *run, char *p, const struct insn *insn)
{
	int64_t divisor = run_pop(run);

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

static char *numbers_divide_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, numbers_divide(run, p, insn), insn);
}

static char *and_bits(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top--;
	run->top[-1] &= run->top[0];
	return p;
}

static char *number_negate(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top[-1] = (int64_t)(0 - (uint64_t)run->top[-1]);
	return p;
}

/* --- timers (D25) --------------------------------------------------------------------------------------- */

enum { TIMER_PROBES = 16 };

static bool is_pair(const struct timer_slot *slot, int64_t first, int64_t second)
{
	return slot->is_used && slot->first == first && slot->second == second;
}

/* The slot of a pair, or one that it may take: a free one, otherwise the oldest of a few. */
static struct timer_slot *find_timer(struct runner *run, int64_t first, int64_t second)
{
	uint64_t home = ((uint64_t)first * 0x9e3779b97f4a7c15U) ^ ((uint64_t)second * 0xc2b2ae3d27d4eb4fU);
	struct timer_slot *best = NULL;

	for (unsigned i = 0; i < TIMER_PROBES; i++) {
		struct timer_slot *slot = &run->timers[((home >> 32) + i) % RUN_TIMERS];

		if (is_pair(slot, first, second))
			return slot;
		if (!best || (best->is_used && (!slot->is_used || slot->start < best->start)))
			best = slot;
	}
	return best;
}

void run_start_timer(struct runner *run, int64_t first, int64_t second, int64_t now)
{
	check(run->timers);
	*find_timer(run, first, second) =
		(struct timer_slot){ .first = first, .second = second, .start = now, .is_used = true };
}

static char *start_timer(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->top -= 2;
	if (run->timers)
		run_start_timer(
			run, run->top[0], run->top[1], run->entry->host->number(run->entry, MACRO_NOW));
	return p;
}

/* As AIX reports have it. */
static char *put_passed(const struct runner *run, char *p, int64_t passed)
{
	enum { NS_PER_USEC = 1000 };

	*p++ = '[';
	p = text_put_signed(p, run->counts_ticks ? passed : passed / NS_PER_USEC);
	return run->counts_ticks ? text_put_literal(p, " ticks]") : text_put_literal(p, " usec]");
}

/* In words. */
static char *put_after(const struct runner *run, char *p, int64_t passed)
{
	p = text_put_literal(p, "after ");
	if (!run->counts_ticks)
		return text_put_signed_duration(p, passed);
	p = text_put_signed(p, passed);
	return text_put_literal(p, " ticks");
}

/* b: in words. */
static char *end_timer(struct runner *run, char *p, const struct insn *insn)
{
	const struct timer_slot *slot;
	uint64_t passed;

	run->top -= 2;
	slot = run->timers ? find_timer(run, run->top[0], run->top[1]) : NULL;
	if (!slot || !is_pair(slot, run->top[0], run->top[1])) {
		run_take_glue(run, insn);
		return p;
	}
	passed = (uint64_t)run->entry->host->number(run->entry, MACRO_NOW) - (uint64_t)slot->start;
	p = run_open_part(run, p, insn, true);
	run_close_part(run, false);
	return insn->b ? put_after(run, p, (int64_t)passed) : put_passed(run, p, (int64_t)passed);
}

const struct op op_number = { "number", load_number, "number", READS_NOTHING, NULL, load_number_on };
const struct op op_load_field = { "load_field", load_field, "field", READS_PAYLOAD, cut_field,
	load_field_on };
const struct op op_load_low_1 = { "load_field", load_field, "field", READS_PAYLOAD, cut_field, load_low_1 };
const struct op op_load_low_2 = { "load_field", load_field, "field", READS_PAYLOAD, cut_field, load_low_2 };
const struct op op_load_low_4 = { "load_field", load_field, "field", READS_PAYLOAD, cut_field, load_low_4 };
const struct op op_load_low_8 = { "load_field", load_field, "field", READS_PAYLOAD, cut_field, load_low_8 };
const struct op op_load_macro = { "load_macro", load_macro, "macro", READS_NOTHING, NULL, load_macro_on };
const struct op op_load_generic = { "load_macro", load_macro, "macro", READS_NOTHING, NULL, load_generic };
const struct op op_load_hook_data = { "load_macro", load_macro, "macro", READS_NOTHING, NULL,
	load_hook_data };
const struct op op_load_hook_bytes = { "load_macro", load_macro, "macro", READS_NOTHING, NULL,
	load_hook_bytes };
const struct op op_load_hook_type = { "load_macro", load_macro, "macro", READS_NOTHING, NULL,
	load_hook_type };
const struct op op_load_variable = { "load_macro", load_macro, "macro", READS_NOTHING, NULL, load_variable };
const struct op op_load_slot = { "load_slot", load_slot, "a", READS_NOTHING, NULL, load_slot_on };
const struct op op_store_slot = { "store_slot", store_slot, "a", READS_NOTHING, NULL, store_slot_on };
const struct op op_low_signed = { "low_signed", low_signed, "b", READS_NOTHING, NULL, NULL };
const struct op op_low_unsigned = { "low_unsigned", low_unsigned, "b", READS_NOTHING, NULL, low_unsigned_on };
const struct op op_add = { "add", numbers_add, NULL, READS_NOTHING, NULL, NULL };
const struct op op_subtract = { "subtract", numbers_subtract, NULL, READS_NOTHING, NULL,
	numbers_subtract_on };
const struct op op_multiply = { "multiply", numbers_multiply, NULL, READS_NOTHING, NULL,
	numbers_multiply_on };
const struct op op_divide = { "divide", numbers_divide, NULL, READS_NOTHING, NULL, numbers_divide_on };
const struct op op_and = { "and", and_bits, NULL, READS_NOTHING, NULL, NULL };
const struct op op_negate = { "negate", number_negate, NULL, READS_NOTHING, NULL, NULL };
const struct op op_start_timer = { "start_timer", start_timer, NULL, READS_NOTHING, NULL, NULL };
const struct op op_end_timer = { "end_timer", end_timer, "b glue", READS_NOTHING, NULL, NULL };
