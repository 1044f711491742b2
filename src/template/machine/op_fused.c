/* SPDX-License-Identifier: MIT */
/*
 * Quick ways of instructions that do those behind them as well. The code stays as it is: jumps may lead into
 * the middle, and the careful loop and the dump do not use quick ways. A quick way leaves to the single
 * operations all that it cannot do at once.
 */
#include "base/load.h"
#include "template/machine/ops.h"

enum { FUSED_MAX = 5 };

struct fusion {
	const struct op *ops[FUSED_MAX];       /* those that follow each other; fewer end with NULL */
	bool (*fits)(const struct insn *insn); /* whether their operands do; NULL: always */
	char *(*quick)(struct runner *run, char *p, const struct insn *insn);
	char *(*checked)(struct runner *run, char *p,
		const struct insn *insn); /* where a field may be missing; NULL: quick */
};

/* --- a LOOP over numbers in hexadecimal ----------------------------------------------------------------- */

enum {
	ROW_ASK = 1,
	ROW_RUN,
	ROW_HEX,
	ROW_NEXT,
	ROW_END,
	ROW_WORK = ROW_NEXT, /* instructions of a turn */
	ROW_FEW = 32,	     /* turns that need fewer looks */
};

/* The numbers lie side by side, with a blank between them. */
static bool fits_row(const struct insn *insn)
{
	const struct insn *begin = &insn[ROW_RUN], *hex = &insn[ROW_HEX];

	return insn[ROW_ASK].b && hex->a == 0 && begin->a == hex->b && begin->b == 8 * hex->b &&
	       insn->b == ROW_WORK && insn[ROW_NEXT].glue == GLUE_DATA;
}

/* Whether n_turns more, of n_text bytes in all, are within the limits that take_turn() has. */
static inline bool row_has_room(const struct runner *run, const char *p, uint64_t n_turns, uint64_t n_text)
{
	return run->n_turns <= RUN_TURNS_MAX - n_turns && run->n_work <= RUN_WORK_MAX - n_turns * ROW_WORK &&
	       (uint64_t)(p - run->out->start) - run->start <= RUN_TEXT_MAX - n_text &&
	       (uint64_t)(run->out->end - p) >= n_text + run->values.room_after;
}

/*
 * Where the bytes of a row begin. Returns NULL if its turns are to be taken one by one, since something may
 * be missing.
 */
static inline const uint8_t *row_see(
	const struct runner *run, const char *p, uint64_t n_turns, unsigned n_bytes)
{
	enum { MANY = RUN_LOOP_MAX / 2 };
	const uint64_t turn_text = 2 * n_bytes + 1, byte = (uint64_t)(((run->pointer + 7) >> 3) + run->base),
		       n_entry = run->entry->n_bytes;

	if (n_turns - 1 >= ROW_FEW
			? n_turns - 1 >= MANY || !row_has_room(run, p, n_turns, n_turns * turn_text)
			: !row_has_room(run, p, ROW_FEW, ROW_FEW * turn_text))
		return NULL;
	return byte <= n_entry && n_turns * n_bytes <= n_entry - byte ? run->entry->bytes + byte : NULL;
}

/* One look at what there is for all turns, in place of one for each. */
static inline __attribute__((always_inline)) char *put_row(struct runner *run, char *p,
	const struct insn *insn, unsigned n_bytes, char *(*put)(char *p, const uint8_t *bytes))
{
	const uint64_t n_turns = (uint64_t)run->top[-1];
	const uint8_t *bytes = row_see(run, p, n_turns, n_bytes), *end;

	if (!bytes)
		return insn->op->quick(run, p, insn);
	end = bytes + n_turns * n_bytes;
	run->top--;
	run->n_turns += (unsigned)n_turns;
	run->n_work += (unsigned)n_turns * ROW_WORK;
	run->pointer = 8 * ((end - run->entry->bytes) - run->base);
	if (glue_needs_blank(insn->glue == GLUE_KEEP ? run->glue : insn->glue, true))
		*p++ = ' ';
	run->glue = GLUE_DATA;
	for (;;) {
		p = put(p, bytes);
		bytes += n_bytes;
		if (bytes == end)
			return run_go(run, p, insn + ROW_END);
		*p++ = ' ';
	}
}

static char *put_row_1(struct runner *run, char *p, const struct insn *insn)
{
	return put_row(run, p, insn, 1, upper_put_1);
}

static char *put_row_2(struct runner *run, char *p, const struct insn *insn)
{
	return put_row(run, p, insn, 2, upper_put_2);
}

static char *put_row_4(struct runner *run, char *p, const struct insn *insn)
{
	return put_row(run, p, insn, 4, upper_put_4);
}

static char *put_row_8(struct runner *run, char *p, const struct insn *insn)
{
	return put_row(run, p, insn, 8, upper_put_8);
}

/* --- words of the hook, as stanza 007 has them ---------------------------------------------------------- */

static char *put_text_id(struct runner *run, char *p, const struct insn *insn)
{
	const struct entry *entry = run->entry;

	p = run_put_short(p, insn);
	p = upper_put_id(p, (uint64_t)entry->host->number(entry, (enum macro_id)insn[1].a));
	return run_go(run, p, insn + 3);
}

static char *put_text_type(struct runner *run, char *p, const struct insn *insn)
{
	p = run_put_short(p, insn);
	p = upper_put_digits(p, run->entry->hook_type);
	return run_go(run, p, insn + 3);
}

static char *put_text_data(struct runner *run, char *p, const struct insn *insn)
{
	p = run_put_short(p, insn);
	p = upper_put_four(p, run->entry->hook_data);
	return run_go(run, p, insn + 3);
}

/* Macros that values[] of op_value.c does not have. */
static bool fits_id(const struct insn *insn)
{
	return insn[1].a == MACRO_TRACEID;
}

static char *go_by_generic(struct runner *run, char *p, const struct insn *insn)
{
	return run_go(run, p, run->unit->code + switch_find(insn[1].table, run->entry->is_generic));
}

/* --- numbers that are known, and slots ------------------------------------------------------------------ */

static bool fits_pointer(const struct insn *insn)
{
	return insn->number >= 0 && insn->number <= UINT16_MAX;
}

static char *set_pointer(struct runner *run, char *p, const struct insn *insn)
{
	run->pointer = 8 * insn->number;
	return run_go(run, p, insn + 2);
}

/* Bytes divided by those of a word, kept, and used at once. */
static bool fits_words(const struct insn *insn)
{
	const int64_t word_bytes = insn[1].number;

	return (word_bytes == 4 || word_bytes == 8) && insn[3].a == insn[4].a;
}

static char *count_words(struct runner *run, char *p, const struct insn *insn)
{
	const int64_t n_words = run->entry->hook_bytes >> (insn[1].number == 8 ? 3 : 2);
	const unsigned slot = insn[3].a;

	run->slots[slot] = n_words;
	if (run->n_slots <= slot)
		run->n_slots = slot + 1;
	run_push(run, n_words);
	return run_go(run, p, insn + 5);
}

/* --- fields of four bytes ------------------------------------------------------------------------------- */

/* Where it is missing, nothing is left out. */
static bool fits_low(const struct insn *insn)
{
	return insn->b == 0;
}

static bool is_there(const struct runner *run, const struct insn *insn)
{
	return insn->need <= run->entry->n_bytes;
}

/* A missing field counts as 0 (cut_field() of op_value.c). */
static inline char *go_by_low(struct runner *run, char *p, const struct insn *insn, bool is_checked)
{
	const bool has_value = !is_checked || is_there(run, insn);
	const uint32_t value = has_value ? load_u32(run->values.payload + insn->a, false) : 0;

	return run_go(run, p, run->unit->code + switch_find(insn[1].table, value));
}

static char *go_by_low_4(struct runner *run, char *p, const struct insn *insn)
{
	return go_by_low(run, p, insn, false);
}

static char *go_by_low_4_checked(struct runner *run, char *p, const struct insn *insn)
{
	return go_by_low(run, p, insn, true);
}

static char *put_text_number(struct runner *run, char *p, const struct insn *insn)
{
	p = run_put_short(p, insn);
	p = text_put_dec_over(p, load_u32(run->values.payload + insn[1].a, insn[1].b));
	return run_go(run, p, insn + 2);
}

static char *put_text_number_checked(struct runner *run, char *p, const struct insn *insn)
{
	if (is_there(run, &insn[1]))
		return put_text_number(run, p, insn);
	p = run_put_short(p, insn);
	*p++ = '?';
	return run_go(run, p, insn + 2);
}

/* --- fields that may not be there ----------------------------------------------------------------------- */

static char *read_if_there(struct runner *run, char *p, const struct insn *insn)
{
	if (!is_there(run, insn)) {
		p = insn->op->cut(run, p, insn);
		return run_go(run, p, run->next);
	}
	return insn->op->quick ? insn->op->quick(run, p, insn) : insn->op->run(run, p, insn);
}

/* --- which there are ------------------------------------------------------------------------------------ */

static const struct fusion fusions[] = {
	{ .ops = { &op_text_short, &op_load_macro, &op_print_id }, .fits = fits_id, .quick = put_text_id },
	{ .ops = { &op_text_short, &op_load_hook_type, &op_print_digits }, .quick = put_text_type },
	{ .ops = { &op_text_short, &op_load_hook_data, &op_print_hex_wide }, .quick = put_text_data },
	{ .ops = { &op_text_short, &op_field_number_4 },
		.quick = put_text_number,
		.checked = put_text_number_checked },
	{ .ops = { &op_load_low_4, &op_switch },
		.fits = fits_low,
		.quick = go_by_low_4,
		.checked = go_by_low_4_checked },
	{ .ops = { &op_load_generic, &op_switch }, .quick = go_by_generic },
	{ .ops = { &op_number, &op_store_pointer }, .fits = fits_pointer, .quick = set_pointer },
	{ .ops = { &op_load_hook_bytes, &op_number, &op_divide, &op_store_slot, &op_load_slot },
		.fits = fits_words,
		.quick = count_words },
	{ .ops = { &op_loop, &op_ask, &op_run, &op_hex_1, &op_next }, .fits = fits_row, .quick = put_row_1 },
	{ .ops = { &op_loop, &op_ask, &op_run, &op_hex_2, &op_next }, .fits = fits_row, .quick = put_row_2 },
	{ .ops = { &op_loop, &op_ask, &op_run, &op_hex_4, &op_next }, .fits = fits_row, .quick = put_row_4 },
	{ .ops = { &op_loop, &op_ask, &op_run, &op_hex_8, &op_next }, .fits = fits_row, .quick = put_row_8 },
};

static bool begins(const struct fusion *fusion, const struct insn *insn, size_t n_left)
{
	for (size_t i = 0; i < FUSED_MAX && fusion->ops[i]; i++)
		if (i >= n_left || insn[i].op != fusion->ops[i])
			return false;
	return !fusion->fits || fusion->fits(insn);
}

static const struct fusion *find_fusion(const struct insn *insn, size_t n_left)
{
	for (size_t i = 0; i < sizeof(fusions) / sizeof(fusions[0]); i++)
		if (begins(&fusions[i], insn, n_left))
			return &fusions[i];
	return NULL;
}

void insns_make_quick(struct insn *code, size_t n_code, bool is_checked)
{
	for (size_t at = 0; at < n_code; at++) {
		struct insn *insn = &code[at];
		const struct fusion *fusion = find_fusion(insn, n_code - at);

		if (fusion)
			insn->quick = is_checked && fusion->checked ? fusion->checked : fusion->quick;
		else if (is_checked && insn->need && insn->op->reads == READS_PAYLOAD)
			insn->quick = read_if_there;
		else
			insn->quick = insn->op->quick ? insn->op->quick : insn->op->run;
	}
}
