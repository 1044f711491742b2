/* SPDX-License-Identifier: MIT */
#include "fuzz/template_maker.h"

#include <string.h>

#define ONE_OF(maker, list) ((list)[maker_pick((maker), sizeof(list) / sizeof((list)[0]))])

enum { LEVELS_MAX = 5, ITEMS_MAX = 8 };

static void make_items(struct maker *maker);
static void make_expression(struct maker *maker);

unsigned maker_pick(struct maker *maker, unsigned n)
{
	return maker->at < maker->end ? *maker->at++ % n : 0;
}

static void put(struct maker *maker, const char *text)
{
	size_t n_text = strlen(text);

	if (n_text > MAKER_TEXT_MAX - maker->n_text)
		return;
	memcpy(maker->text + maker->n_text, text, n_text);
	maker->n_text += n_text;
}

/* --- small parts ---------------------------------------------------------------------------------------- */

static void make_blank(struct maker *maker)
{
	static const char *const blanks[] = { " ", "", "  ", " ", "\t", " \\\n", "" };

	put(maker, ONE_OF(maker, blanks));
}

static void make_word(struct maker *maker)
{
	static const char *const words[] = { "\"a\"", "\" b\"", "\"c \"", "\"\"", "word", "\" \"", "x=", ":",
		"\"d  e\"", "\"\xc3\xa9\"", "\"q\\\"\\\\\"", "(", "\"1\t2\"", "n=U1", "Z9", "\"\xff\"" };

	put(maker, ONE_OF(maker, words));
}

/* Codes that are numbers. */
static void make_number_code(struct maker *maker)
{
	static const char *const codes[] = { "X1", "X2", "U1", "D1", "B0.3", "X4", "HB", "HT", "D2", "U2",
		"U4", "U3", "D8", "o1", "o2", "oW", "XW", "UW", "DW", "B1", "B2.3", "B0.1", "B0.8", "E1",
		"E2", "P4", "T4", "X8", "X3", "D3", "HD", "HL", "X0", "B8", "T8", "E4", "U7", "X9", "B0.64" };

	put(maker, ONE_OF(maker, codes));
}

/* Codes that print what is no number, and moves. */
static void make_other_code(struct maker *maker)
{
	static const char *const codes[] = { "A1", "A4", "A0", "S1", "A0.3", "A5.8", "A5.2", "G4", "G8", "O1",
		"R1", "W1", "X16", "S2", "SW", "F4", "F8", "G4.3", "O0.5", "R0", "W0", "O2.3", "OW", "RW",
		"A0.0", "A16", "A3.0", "G0", "R9", "O1.0", "G2.12", "A0.1", "W5", "A200", "X13", "S4" };

	put(maker, ONE_OF(maker, codes));
}

static void make_macro_name(struct maker *maker)
{
	static const char *const names[] = { "$x", "$y", "$z", "$HD", "$D1", "$DATAPOINTER", "$BASEPOINTER",
		"$HL", "$L1", "$nothing", "$GENERIC", "$HOOKENV", "$PID", "$TID", "$D2", "$D5", "$L3", "$HT",
		"$WORDSIZE", "$TRACEENV", "$PMC3", "$RELLINENO", "$CPUID", "$PRI", "$LOGIDX", "$LOGIDX0",
		"$TOTALCPUS" };
	static const char *const fields[] = { "$queue", "$value", "$flags", "$state", "$ip", "$abc_", "$HD",
		"$ptr", "$text" };

	put(maker, !maker->is_aix && maker_pick(maker, 2) ? ONE_OF(maker, fields) : ONE_OF(maker, names));
}

static void make_cast(struct maker *maker)
{
	static const char *const casts[] = { "", "", "", "", "%X1", "%X2", "%D1", "%D4", "%U2", "%o4",
		"%B0.5", "%X8", "%U8", "%XW", "%W", "%B1.3", "%X0", "%X16", "%T4", "%O2", "%D3", "%X3", "%DW",
		"%B8" };

	put(maker, ONE_OF(maker, casts));
}

static void make_macro(struct maker *maker)
{
	make_macro_name(maker);
	make_cast(maker);
}

static void make_text_macro(struct maker *maker)
{
	static const char *const names[] = { "$EXECPATH", "$SVC", "$TRACEID", "$LOGFILE", "$text", "$raw" };

	put(maker, ONE_OF(maker, names));
}

static void make_selector(struct maker *maker)
{
	if (maker_pick(maker, 2))
		make_macro(maker);
	else
		make_number_code(maker);
}

/* --- expressions ---------------------------------------------------------------------------------------- */

static void make_operand(struct maker *maker)
{
	static const char *const numbers[] = { "0", "1", "2", "7", "0x10", "255", "0xFFFFFFFF", "8",
		"9223372036854775807", "0x8000000000000000", "65535", "3" };

	switch (maker_pick(maker, 6)) {
	case 0:
	case 1:
		put(maker, ONE_OF(maker, numbers));
		break;
	case 2:
		make_number_code(maker);
		break;
	case 3:
		put(maker, "- ");
		make_operand(maker);
		break;
	case 4:
		put(maker, "( ");
		make_expression(maker);
		put(maker, " )");
		break;
	default:
		make_macro(maker);
		break;
	}
}

static void make_expression(struct maker *maker)
{
	static const char *const operators[] = { " + ", " - ", " * ", " / ", " & " };

	make_operand(maker);
	for (unsigned i = maker_pick(maker, 4); i > 1 && maker->at < maker->end; i--) {
		put(maker, ONE_OF(maker, operators));
		make_operand(maker);
	}
}

/* --- statements ----------------------------------------------------------------------------------------- */

static void make_group(struct maker *maker)
{
	put(maker, "{");
	make_blank(maker);
	make_items(maker);
	make_blank(maker);
	put(maker, "}");
}

static void make_quoted(struct maker *maker)
{
	static const char *const chunks[] = { "a", " ", "b: ", "X1", "$x", " U1 ", "=$HD ", "A4", "A0.2",
		"X0", "$EXECPATH", "[D1]", "O1", "$BREAK", "$90F", "$PID%X2", "R1", "/" };

	put(maker, "`");
	for (unsigned i = maker_pick(maker, 6); i; i--)
		put(maker, ONE_OF(maker, chunks));
	put(maker, "`");
}

static void make_body(struct maker *maker)
{
	static const char *const words[] = { "one", "U1", "n=X1", "\"two \"", "A4", "$5" };

	switch (maker_pick(maker, 4)) {
	case 0:
		make_word(maker);
		break;
	case 1:
		put(maker, ONE_OF(maker, words));
		break;
	case 2:
		make_group(maker);
		break;
	default:
		make_quoted(maker);
		break;
	}
}

static void make_switch(struct maker *maker)
{
	static const char *const texts[] = { "ab", "\"x y\"", "\"\"", "/bin/ksh", "\"ab \"", "3",
		"\"a\\\"b\"", "010", "?", "aabb", "Thu" };
	static const char *const numbers[] = { "0", "1", "10", "2", "-1", "0x1", "ff", "77", "100", "4096",
		"4", "3", "5", "101", "0xFFFF", "FFFF", "ENOENT", "READY", "65535", "-2", "1000000",
		"0x80000000" };
	bool is_text = maker_pick(maker, 5) == 4;
	static const char *const codes[] = { "A4", "S1", "A5.8", "F4", "T4", "A0", "A5.2", "A3.0" };

	if (!is_text)
		make_selector(maker);
	else if (maker_pick(maker, 2))
		make_text_macro(maker);
	else
		put(maker, ONE_OF(maker, codes));
	for (unsigned i = maker_pick(maker, 6) + 1; i; i--) {
		put(maker, ", ");
		put(maker, maker_pick(maker, 6) == 5 ? "\\*"
			   : is_text		     ? ONE_OF(maker, texts)
						     : ONE_OF(maker, numbers));
		put(maker, " ");
		make_body(maker);
	}
}

static void make_loop(struct maker *maker)
{
	static const char *const counts[] = { "{{ $n = 2 }} LOOP $n", "{{ $n = U1 & 3 }} LOOP $n",
		"LOOP B0.2", "LOOP $GENERIC", "{{ $n = 3 }} LOOP $n", "{{ $n = D1 & 1 - 1 }} LOOP $n",
		"LOOP B0.3", "{{ $n = $value & 3 }} LOOP $n" };
	static const char *const large_counts[] = { "LOOP HB", "LOOP U1", "LOOP $value", "LOOP D1",
		"LOOP U4" };
	enum { LARGE_EVERY = 40 };

	if (maker_pick(maker, LARGE_EVERY) == LARGE_EVERY - 1)
		put(maker, ONE_OF(maker, large_counts));
	else
		put(maker, ONE_OF(maker, counts));
	make_blank(maker);
	make_group(maker);
}

static void make_flags(struct maker *maker)
{
	static const char *const values[] = { "1", "2", "4", "10", "0", "3", "0x20", "o17", "40", "80", "7" };
	static const char *const masks[] = { "& 3 1", "& 030 020", "& 0F0 040", "& 7 7", "&1 0" };
	static const char *const texts[] = { " \"a\"", " \"b \"", " \"\"", " c", " \" d\"" };
	static const char *const otherwise[] = { "", "", " \"-\"", " \"\"", " \"no \"" };

	put(maker, "BITFLAGS ");
	make_selector(maker);
	for (unsigned i = maker_pick(maker, 4) + 1; i; i--) {
		put(maker, ", ");
		put(maker, maker_pick(maker, 3) == 2 ? ONE_OF(maker, masks) : ONE_OF(maker, values));
		put(maker, ONE_OF(maker, texts));
		put(maker, ONE_OF(maker, otherwise));
	}
}

static void make_assign(struct maker *maker)
{
	static const char *const begins[] = { "{{ $x = ", "{{ $y = ", "{{ $z = ", "{{ $DATAPOINTER = ",
		"{{ $BASEPOINTER = ", "{{ $x = ", "{{ $y = " };

	put(maker, ONE_OF(maker, begins));
	make_expression(maker);
	put(maker, " }}");
}

static void make_timer(struct maker *maker)
{
	static const char *const pairs[] = { "(1,2)", "(1, $HD & 1)", "(0x10,U1)", "($TID,1)", "(1, 1)",
		"( X1 & 1 , 2 )" };

	put(maker, maker_pick(maker, 2) ? "endtimer" : "starttimer");
	put(maker, ONE_OF(maker, pairs));
}

static void make_small(struct maker *maker)
{
	static const char *const smalls[] = { "\\n", "\\t", "{{ $x }}", "$90F", "$4A1F", "$helper",
		"$DEFAULT", "$EXECPATH", "{{ $y = 1 }}", "$SVC", "$bcd", "$TRACEID", "\\n", "\\t", "$text",
		"$raw", "$queue", "$state", "$ip", "$BREAK", "$ERROR", "$STOP", "$SKIP" };

	put(maker, ONE_OF(maker, smalls));
}

static void make_item(struct maker *maker)
{
	static void (*const items[])(struct maker * maker) = { make_word, make_number_code, make_other_code,
		make_small, make_macro, make_word, make_number_code, make_other_code, make_small, make_assign,
		make_switch, make_timer, make_quoted, make_flags, make_loop, make_switch, make_text_macro };

	ONE_OF(maker, items)(maker);
}

static void make_items(struct maker *maker)
{
	if (maker->n_levels == LEVELS_MAX)
		return;
	maker->n_levels++;
	for (unsigned i = maker_pick(maker, ITEMS_MAX); i && maker->at < maker->end; i--) {
		make_item(maker);
		make_blank(maker);
	}
	maker->n_levels--;
}

static void make_stanza(struct maker *maker, const char *key)
{
	static const char *const labels[] = { " \"@T\"", " \"label\"", " \"\"", " \"ends \"", "",
		" L=SVC \"l\"" };

	put(maker, key);
	put(maker, " 1.0");
	put(maker, ONE_OF(maker, labels));
	make_blank(maker);
	for (unsigned i = 0; i < 3; i++)
		make_items(maker);
	put(maker, "\n");
}

/* --- effects: their choices come from the end of the input, so that those of stanzas stay --------------- */

static unsigned pick_last(struct maker *maker, unsigned n)
{
	return maker->at < maker->end ? *--maker->end % n : 0;
}

#define LAST_OF(maker, list) ((list)[pick_last((maker), sizeof(list) / sizeof((list)[0]))])

static void make_effect_field(struct maker *maker)
{
	static const char *const names[] = { "$queue", "$value", "$state", "$abc", "$D1", "$D5", "$HD",
		"$flags-1", "$value+2", "$text", "$none", "$", "3", "self", "unknown", "event", "0x10" };

	put(maker, LAST_OF(maker, names));
}

static void make_effect_word(struct maker *maker)
{
	static const char *const operands[] = {
		" object=", " thread=", " value=", " key=", " other=", " amount=", " limit=", " capacity="
	};
	static const char *const choices[] = { " phase=asks", " phase=gave_up", " phase=in", " phase=leaves",
		" name=\"a b\"", " name=\"", " unit=bytes", " kind=mutex", " is=free", " is=any",
		" is=shared", " reason=lock", " state=ready", " statt=ready", " phase=", "=", " unit=\"x\"" };

	if (pick_last(maker, 3) == 0) {
		put(maker, LAST_OF(maker, choices));
		return;
	}
	put(maker, LAST_OF(maker, operands));
	make_effect_field(maker);
}

static void make_effect(struct maker *maker)
{
	static const char *const kinds[] = { "begin", "end", "acquire", "release", "send", "receive", "level",
		"state", "wake", "wait", "switch", "schedule", "allocate", "free", "create", "delete",
		"priority", "interrupt_in", "interrupt_out", "none", "bgin", "" };
	static const char *const tests[] = { "=", "!=", ">=", "<", "<=", ">", "&", "!&", "~" };
	static const char *const compared[] = { "1", "0", "READY", "self", "0xffffffffffffffff", "FOO", "" };

	put(maker, "# effect: ");
	put(maker, LAST_OF(maker, kinds));
	for (unsigned i = pick_last(maker, 5); i; i--)
		make_effect_word(maker);
	for (unsigned i = pick_last(maker, 4), n = i; i; i--) {
		put(maker, i == n ? " when " : " and ");
		make_effect_field(maker);
		put(maker, LAST_OF(maker, tests));
		put(maker, LAST_OF(maker, compared));
	}
	put(maker, "\n");
}

/* --- what is asked for ---------------------------------------------------------------------------------- */

void maker_make_file(struct maker *maker)
{
	static const char *const callees[] = { "90F", "4A1F", "008", "helper" };

	if (!maker->is_aix)
		put(maker, "# dialect: fuzz\n");
	for (unsigned i = pick_last(maker, 4); i; i--)
		make_effect(maker);
	make_stanza(maker, maker->is_aix ? "010" : "EVENT");
	for (unsigned i = 0; i < sizeof(callees) / sizeof(callees[0]) && maker->at < maker->end; i++)
		if (!maker->is_aix || strcmp(callees[i], "helper") != 0)
			make_stanza(maker, callees[i]);
}

/*
 * Counted or a span, and some bytes a sequence: by what was picked already, so that inputs of the corpus keep
 * their meaning.
 */
static void make_extent(struct rst_field *field)
{
	enum { SPAN_BYTES = 8, COUNT_BYTES = 6, ITEM_BYTES = 3 };
	const unsigned picked = field->n_bytes;

	field->extent = picked % 2 ? RST_EXTENT_SPAN : RST_EXTENT_COUNTED;
	field->n_bytes = picked % 2 ? SPAN_BYTES : picked / 2 % COUNT_BYTES + 1;
	if (field->type == RST_BYTES && field->offset % 2) {
		field->type = RST_SEQUENCE;
		field->item_type = RST_SIGNED;
		field->item_bytes = (uint8_t)(picked % ITEM_BYTES + 1);
	}
}

void maker_make_type(struct maker *maker)
{
	static const struct rst_constant rows[] = { { 0, "NONE" }, { 1, "READY" }, { 2, "RUNNING" },
		{ 7, "READY" }, { 255, "LAST" } };
	static const struct rst_constants constants = { "states", sizeof(rows) / sizeof(rows[0]), rows };
	static const char *const names[MAKER_FIELDS_MAX] = { "queue", "value", "flags", "state", "ip", "abc",
		"text", "raw" };
	static const enum rst_field_type types[MAKER_FIELDS_MAX] = { RST_OBJECT, RST_UNSIGNED, RST_HEX,
		RST_ENUM, RST_IPV4, RST_SIGNED, RST_TEXT, RST_BYTES };
	enum { LAST_OFFSET = 24, NUMBER_BYTES = 8, ROW_BYTES = 12 };

	for (unsigned i = 0; i < MAKER_FIELDS_MAX; i++) {
		const bool is_row = types[i] == RST_TEXT || types[i] == RST_BYTES;

		maker->fields[i] = (struct rst_field){ .name = names[i],
			.type = types[i],
			.offset = maker_pick(maker, LAST_OFFSET),
			.n_bytes =
				is_row ? maker_pick(maker, ROW_BYTES) : maker_pick(maker, NUMBER_BYTES) + 1,
			.is_big_endian = maker_pick(maker, 2),
			.zero_is_none = maker_pick(maker, 2),
			.constants = types[i] == RST_ENUM ? &constants : NULL };
		/* A number that may mean "none" becomes a word, which may be anything. */
		if (types[i] == RST_UNSIGNED && maker->fields[i].zero_is_none)
			maker->fields[i].type = RST_WORD;
		if (is_row && maker->fields[i].zero_is_none)
			make_extent(&maker->fields[i]);
	}
	maker->type = (struct rst_type){ .id = 17, .name = "EVENT", .label = "event", .name_bytes = 5 };
	maker->layout = (struct rst_layout){ .type = &maker->type,
		.id = 17,
		.n_fields = maker_pick(maker, MAKER_FIELDS_MAX + 1),
		.fields = maker->fields };
}
