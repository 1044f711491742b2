/* SPDX-License-Identifier: MIT */
/*
 * Codes. Reads that follow each other straight on share one run, which is checked once: the data pointer is
 * then known as an offset from the run's first byte, also through O and R. A position that G or W sets waits
 * for the next run, so that both are one instruction.
 */
#include "template/compile/lower.h"

enum {
	RUN_BITS_MAX = 1 << 30, /* of one run; what goes further begins another */
	DEC_ROOM = 21,
};

/* --- runs ----------------------------------------------------------------------------------------------- */

void lower_end_run(struct lower *lower)
{
	if (lower->run != NO_INSN) {
		lower->code[lower->run].b = lower->run_bits;
		lower->now.phase = (int)(lower->run_bits & 7);
		lower->run = NO_INSN;
	}
	if (lower->go >= 0) {
		lower_emit(lower, &op_go, 0)->number = lower->go;
		lower->now.phase = (int)(lower->go & 7);
		lower->go = -1;
	}
}

static void open_run(struct lower *lower, bool is_byte)
{
	int64_t go = lower->go;
	struct insn *insn;

	lower->go = -1;
	if (go >= 0) {
		go = is_byte ? (go + 7) & ~(int64_t)7 : go;
		insn = lower_emit(lower, &op_run_at, 0);
		insn->number = go;
		lower->run_bits = (uint32_t)(go & 7);
	} else {
		insn = lower_emit(lower, is_byte ? &op_run : &op_run_bits, 0);
		lower->run_bits = is_byte ? 0 : (uint32_t)lower->now.phase;
	}
	/* When there is no memory for code, nothing of it is kept. */
	lower->run = lower->has_memory ? (uint32_t)lower->n_code - 1 : NO_INSN;
}

/* Takes bits of the run where the data pointer is; returns their offset in it, in bits. */
static uint32_t take_bits(struct lower *lower, uint32_t n_bits, bool is_byte)
{
	uint32_t offset, need;

	if (lower->run != NO_INSN && lower->run_bits > RUN_BITS_MAX)
		lower_end_run(lower);
	if (lower->run == NO_INSN)
		open_run(lower, is_byte);
	if (lower->run == NO_INSN)
		return 0;
	if (is_byte)
		lower->run_bits = (lower->run_bits + 7) & ~7U;
	offset = lower->run_bits;
	lower->run_bits += n_bits;
	need = (lower->run_bits + 7) / 8;
	if (lower->code[lower->run].a < need)
		lower->code[lower->run].a = need;
	return offset;
}

/* An instruction that takes n_bytes of the run. */
static struct insn *emit_read(
	struct lower *lower, const struct op *op, unsigned n_bytes, size_t room, enum lead lead)
{
	uint32_t offset = take_bits(lower, 8 * n_bytes, true) / 8;
	struct insn *insn = lower_emit(lower, op, room);

	insn->a = offset;
	insn->b = n_bytes;
	insn->need = offset + n_bytes;
	insn->lead = (uint8_t)lead;
	return insn;
}

/* --- numbers -------------------------------------------------------------------------------------------- */

static unsigned bytes_of(const struct lower *lower, const struct code *code)
{
	return code_bytes(code, lower->unit->binding.word_bytes);
}

static void load_bits(struct lower *lower, const struct code *code, enum lead lead)
{
	unsigned n_bits = 8U * code->n_bytes + code->part;
	bool is_here = lower->run == NO_INSN && lower->go < 0 && lower->now.phase == PHASE_UNKNOWN;
	uint32_t offset = is_here ? 0 : take_bits(lower, n_bits, false);
	struct insn *insn = lower_emit(lower, is_here ? &op_load_bits_here : &op_load_bits, 0);

	insn->a = offset;
	insn->b = n_bits;
	insn->need = is_here ? 0 : (offset + n_bits + 7) / 8;
	insn->lead = (uint8_t)lead;
}

void lower_load_code(struct lower *lower, const struct code *code, enum lead lead)
{
	enum { NUMBER_BYTES = 8 };
	unsigned n_bytes = bytes_of(lower, code);
	struct insn *insn;

	if (code->letter == CODE_BITS) {
		load_bits(lower, code, lead);
		return;
	}
	if (code->letter == CODE_HB || code->letter == CODE_HT) {
		lower_load_macro(lower, code->letter == CODE_HB ? MACRO_HB : MACRO_HT);
		return;
	}
	insn = emit_read(lower,
		code->letter == CODE_SIGNED || (code->letter == CODE_TIME && n_bytes == NUMBER_BYTES)
			? &op_load_signed
			: &op_load_unsigned,
		n_bytes, 0, lead);
	if (n_bytes > NUMBER_BYTES) { /* numbers have 64 bits: the lowest ones (D7) */
		insn->a += n_bytes - NUMBER_BYTES;
		insn->b = NUMBER_BYTES;
	}
}

/* --- codes that print ----------------------------------------------------------------------------------- */

static void print_hex(struct lower *lower, const struct code *code)
{
	static const struct op *const by_size[] = {
		[1] = &op_hex_1, [2] = &op_hex_2, [4] = &op_hex_4, [8] = &op_hex_8
	};
	enum { SIZES = sizeof(by_size) / sizeof(by_size[0]) };
	unsigned n_bytes = bytes_of(lower, code);
	enum lead lead = lower_lead(lower);
	const struct op *op = n_bytes < SIZES && by_size[n_bytes] ? by_size[n_bytes] : &op_hex;

	emit_read(lower, op, n_bytes, 2 * (size_t)n_bytes, lead);
	lower_after_data(lower, code->letter == CODE_HEX_TIGHT);
}

static void print_decimal(struct lower *lower, const struct code *code)
{
	unsigned n_bytes = bytes_of(lower, code);
	enum lead lead = lower_lead(lower);
	const struct op *op = code->letter == CODE_SIGNED ? &op_signed : &op_unsigned;

	if (n_bytes == 4)
		op = code->letter == CODE_SIGNED ? &op_signed_4 : &op_unsigned_4;
	emit_read(lower, op, n_bytes, DEC_ROOM, lead);
	lower_after_data(lower, false);
}

/* For a text of n bytes and a blank. */
static size_t text_room(size_t n)
{
	return 1 + (n < RUN_TEXT_ROOM ? n : RUN_TEXT_ROOM);
}

static void print_ascii(struct lower *lower, const struct code *code)
{
	unsigned n_bytes = bytes_of(lower, code);
	bool is_tight = code->letter == CODE_ASCII_TIGHT || lower->is_quoted;
	struct insn *insn;

	if (code->has_part && code->part > 0) { /* padded, so never empty */
		enum lead lead = lower_lead(lower);

		insn = emit_read(lower, &op_ascii_field, n_bytes, text_room(code->part), lead);
		insn->number = code->part;
		lower_after_data(lower, false);
		return;
	}
	uint8_t glue = lower_glue(lower);

	insn = emit_read(
		lower, is_tight ? &op_ascii_tight : &op_ascii, n_bytes, text_room(n_bytes), LEAD_GLUE);
	insn->glue = glue;
	insn->number = code->has_part ? 0 : n_bytes;
	lower->now.glue = GLUE_KEEP;
}

static void print_counted(struct lower *lower, const struct code *code)
{
	const struct op *op = lower->is_quoted ? &op_counted_tight : &op_counted;

	lower_end_run(lower);
	lower_emit_glued(lower, op, text_room(RUN_TEXT_ROOM))->b = bytes_of(lower, code);
	lower->now = (struct flow_state){ .glue = GLUE_KEEP, .phase = 0 };
}

static void print_loaded(struct lower *lower, const struct code *code)
{
	enum lead lead = lower_lead(lower);

	lower_load_code(lower, code, lead);
	lower_print(lower, code);
}

/* A0.n: blanks that take the place of all blanks around them. */
static void print_spacing(struct lower *lower, const struct code *code)
{
	lower_blanks(lower, code->part);
}

/* --- moves ---------------------------------------------------------------------------------------------- */

static void go_to(struct lower *lower, const struct code *code)
{
	lower_end_run(lower);
	lower->go = 8 * (int64_t)code->n_bytes + code->part;
}

static void go_to_word(struct lower *lower, const struct code *code)
{
	lower_end_run(lower);
	lower->go = 8 * (int64_t)code->n_bytes * lower->unit->binding.word_bytes;
}

static void go_forward(struct lower *lower, const struct code *code)
{
	uint32_t n_bits = 8 * bytes_of(lower, code) + code->part;

	if (lower->go >= 0) {
		lower->go += n_bits;
	} else if (lower->run != NO_INSN && lower->run_bits <= RUN_BITS_MAX) {
		lower->run_bits += n_bits;
	} else {
		lower_end_run(lower);
		lower_emit(lower, &op_forward, 0)->a = n_bits;
		if (lower->now.phase != PHASE_UNKNOWN)
			lower->now.phase = (int)(((unsigned)lower->now.phase + n_bits) & 7);
	}
}

static void go_back(struct lower *lower, const struct code *code)
{
	unsigned n_bytes = bytes_of(lower, code);

	if (lower->go >= 0) {
		lower->go = lower->go / 8 > n_bytes ? 8 * (lower->go / 8 - n_bytes) : 0;
	} else if (lower->run != NO_INSN && lower->run_bits / 8 >= n_bytes) {
		lower->run_bits = 8 * (lower->run_bits / 8 - n_bytes);
	} else {
		lower_end_run(lower);
		lower_emit(lower, &op_back, 0)->a = n_bytes;
		lower->now.phase = 0;
	}
}

static void (*const lower_codes[N_CODES])(struct lower *lower, const struct code *code) = {
	[CODE_ASCII] = print_ascii,
	[CODE_ASCII_TIGHT] = print_ascii,
	[CODE_SPACING] = print_spacing,
	[CODE_COUNTED] = print_counted,
	[CODE_BITS] = print_loaded,
	[CODE_HEX] = print_hex,
	[CODE_HEX_TIGHT] = print_hex,
	[CODE_SIGNED] = print_decimal,
	[CODE_UNSIGNED] = print_decimal,
	[CODE_OCTAL] = print_loaded,
	[CODE_FLOAT] = print_loaded,
	[CODE_TIME] = print_loaded,
	[CODE_ERRNO] = print_loaded,
	[CODE_PROCESS] = print_loaded,
	[CODE_HB] = print_loaded,
	[CODE_HT] = print_loaded,
	[CODE_GO] = go_to,
	[CODE_FORWARD] = go_forward,
	[CODE_BACK] = go_back,
	[CODE_WORD] = go_to_word,
};

void lower_code(struct lower *lower, const struct node *node)
{
	lower_codes[node->code.letter](lower, &node->code);
}
