/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "template/dump/dump.h"
#include "tests/tap.h"

/* The dump of the stanzas of a text, which lives until the next call. */
static const char *tree_in(const char *dialect, const char *text)
{
	static char *dump;
	struct diags diags = { 0 };
	struct template_set *set = template_set_new(dialect);
	size_t n_dump;
	FILE *out;

	free(dump);
	dump = NULL;
	out = open_memstream(&dump, &n_dump);
	template_set_add(set, template_file_of("test", text, strlen(text)), &diags);
	for (size_t i = 0; i < diags.n_items; i++)
		fprintf(out, "%s ", diags.items[i].number);
	dump_parse(set, set->files[0], NULL, out);
	fclose(out);
	diags_done(&diags);
	template_set_free(set);
	return dump;
}

/* The items of a template, a line each, without the line of the stanza and the empty one at the end. */
static const char *items_of(const char *items)
{
	static char tree[4000];
	char text[1000], *newline;

	snprintf(text, sizeof(text), "010 1.0 \"\" %s\n", items);
	snprintf(tree, sizeof(tree), "%s", tree_in("aix", text));
	newline = strchr(tree, '\n');
	tree[strlen(tree) - 1] = '\0';
	return newline && strncmp(tree, "STANZA", 6) == 0 ? newline + 1 : tree;
}

static void check_head(void)
{
	is_text(tree_in("aix", "010 1.2 L=APPL \"@x\"\n"), "STANZA 010 1.2 APPL \"x\" hidden\n\n",
		"a template has a key, a version, a level, and a label that @ hides");
	is_text(tree_in("aix", "0a0 1.0"), "STANZA 0A0 1.0 KERN\n\n", "level and label may be missing");
	is_text(tree_in("aix", "12c0 1.0 \"\""), "STANZA 12C 1.0 KERN \"\"\n\n",
		"a hook id is in upper case, and hhh0 is hhh (D30)");
	is_text(tree_in("aix", "12c1 1.0 \"a\\\"b\""), "STANZA 12C1 1.0 KERN \"a\\\"b\"\n\n",
		"other ids of four digits stay");
	is_text(tree_in("threadx", "TX_A+1 1.0\nab0 1.0"),
		"STANZA TX_A+1 1.0 KERN\n\nSTANZA AB0 1.0 KERN\n\n",
		"elsewhere keys are names, and hook ids");
}

static void check_items(void)
{
	is_text(items_of("one  two"), "  _TEXT \"one\"\n  _TEXT \"two\"\n", "words are texts");
	is_text(items_of("X4\"b\" \\n\\t"), "  _CODE X4\n  TEXT \"b\"\n  _NEWLINE\n  TAB\n",
		"codes are codes where white space or quotes end them");
	is_text(items_of("x len=U2 a=b=X4 k=v x=HD"),
		"  _TEXT \"x\"\n  _TEXT \"len=\"\n  CODE U2\n  _TEXT \"a=b=\"\n  CODE X4\n  _TEXT \"k=v\"\n"
		"  _TEXT \"x=\"\n  MACRO $HD\n",
		"a code behind the last = of a word is a code (D22)");
	is_text(items_of("HD HL HB HT"), "  _MACRO $HD\n  _MACRO $HL\n  _CODE HB\n  _CODE HT\n",
		"HD and HL are spellings of macros (D35)");
	is_text(items_of("rv=$x%D4ms $y"), "  _TEXT \"rv=\"\n  MACRO $x%D4\n  TEXT \"ms\"\n  _MACRO $y\n",
		"a macro has its cast");
	is_text(items_of("a, b G4, c"),
		"  _TEXT \"a\"\n  TEXT \",\"\n  _TEXT \"b\"\n  _CODE G4\n  TEXT \",\"\n  _TEXT \"c\"\n",
		"a comma behind what has no value is text");
	is_text(items_of("\"a\\\"b\\\\c\\d\\\ne\" \"\x01\xff\ttab \xc3\xa9\""),
		"  _TEXT \"a\\\"b\\\\c\\\\d e\"\n  _TEXT \"\\\\x01\\\\xff\\ttab \xc3\xa9\"\n",
		"texts lose their escapes and are made clean, but for tabs");
	is_text(items_of("x \"a\\\\\nb\""), "  _TEXT \"x\"\n  _TEXT \"a\\\\ b\"\n",
		"the last backslash of a line is a continuation, and so not escaped");
}

static void check_quoted(void)
{
	is_text(items_of("x `hd=$HD%U2 word=X2, HD:\\` \\q`"),
		"  _TEXT \"x\"\n  _QUOTED\n    TEXT \"hd=\"\n    MACRO $HD%U2\n    TEXT \" word=\"\n    CODE "
		"X2\n"
		"    TEXT \", \"\n    MACRO $HD\n    TEXT \":` \\\\q\"\n",
		"codes and macros in backquotes are parts between texts (D27)");
	is_text(items_of("x ``"), "  _TEXT \"x\"\n  _QUOTED\n", "they may hold nothing");
	is_text(items_of("`X2(X4)[X8]a-X2 X2b`"),
		"  _QUOTED\n    CODE X2\n    TEXT \"(\"\n    CODE X4\n    TEXT \")[\"\n    CODE X8\n"
		"    TEXT \"]a-X2 X2b\"\n",
		"words in them end at signs, too, but a part of a word is no code");
	is_text(items_of("`a\\\nb`"), "  _QUOTED\n    TEXT \"a b\"\n", "a continuation in them is a blank");
}

static void check_switch(void)
{
	is_text(items_of("X2, 1 \"a b\", -2 c , \"d e\" { X4 y } , \\* `f` z"),
		"  _SWITCH\n    CODE X2\n    case \"1\"\n      TEXT \"a b\"\n    case \"-2\"\n      TEXT "
		"\"c\"\n"
		"    case \"d e\" quoted\n      CODE X4\n      _TEXT \"y\"\n    case *\n      QUOTED\n"
		"        TEXT \"f\"\n  _TEXT \"z\"\n",
		"a comma behind a code starts a SWITCH, white space in it does not count");
	is_text(items_of("$x%U2 ,* X4, 2 k=X1"),
		"  _SWITCH\n    MACRO $x%U2\n    case *\n      CODE X4\n    case \"2\"\n      TEXT \"k=\"\n  "
		"    CODE X1\n",
		"* alone matches anything, and one word may be a code");
	is_text(items_of("k=X1, 1 {} 2"),
		"  _TEXT \"k=\"\n  SWITCH\n    CODE X1\n    case \"1\"\n  _TEXT \"2\"\n",
		"the code of a name is a selector, a group may be empty");
	is_text(items_of("X1, 1 { X2, 3 a, 4 { b } }, 2 c"),
		"  _SWITCH\n    CODE X1\n    case \"1\"\n      SWITCH\n        CODE X2\n        case \"3\"\n"
		"          TEXT \"a\"\n        case \"4\"\n          TEXT \"b\"\n    case \"2\"\n      TEXT "
		"\"c\"\n",
		"groups hold whole statements");
	is_text(items_of("A4, abc d, \"*\" e"),
		"  _SWITCH\n    CODE A4\n    case \"abc\"\n      TEXT \"d\"\n    case \"*\" quoted\n      "
		"TEXT \"e\"\n",
		"a quoted * is a text to match");
}

static void check_loop(void)
{
	is_text(items_of("LOOP U1 { X1 \":\"X2 }x"),
		"  _LOOP\n    CODE U1\n    body\n      CODE X1\n      _TEXT \":\"\n      CODE X2\n  TEXT "
		"\"x\"\n",
		"LOOP has a count and a group");
	is_text(items_of("LOOP $n%D2{}"), "  _LOOP\n    MACRO $n%D2\n    body\n", "the count may be a macro");
	is_text(items_of("LOOPS BITFLAGSX \"LOOP\""),
		"  _TEXT \"LOOPS\"\n  _TEXT \"BITFLAGSX\"\n  _TEXT \"LOOP\"\n",
		"only the whole word is a statement");
}

static void check_flags(void)
{
	is_text(items_of("BITFLAGS $p%o4, 00400 \"r\" \"-\", 0x1F w"),
		"  _BITFLAGS\n    MACRO $p%o4\n    flag 0x100 \"r\" else \"-\"\n    flag 0x1f \"w\"\n",
		"values are octal with an octal selector, 0x says otherwise");
	is_text(items_of("BITFLAGS X2, 10 a, o10 b, & 030 010 I &0f0 40 \"q\" x"),
		"  _BITFLAGS\n    CODE X2\n    flag 0x10 \"a\"\n    flag 0x8 \"b\"\n    flag & 0x30 0x10 "
		"\"I\"\n"
		"    flag & 0xf0 0x40 \"q\"\n  _TEXT \"x\"\n",
		"… else hexadecimal, o says otherwise; & is a mask");
	is_text(items_of("BITFLAGS X2, 1 a 2 b \"\" D4 \"c\""),
		"  _BITFLAGS\n    CODE X2\n    flag 0x1 \"a\"\n    flag 0x2 \"b\" else \"\"\n  _CODE D4\n  "
		"_TEXT \"c\"\n",
		"without a comma a list goes on with what is a value and no code");
	is_text(items_of("BITFLAGS X2, 1 a, D4 \"c\", \"d\""),
		"  _BITFLAGS\n    CODE X2\n    flag 0x1 \"a\"\n    flag 0xd4 \"c\"\n  _TEXT \"d\"\n",
		"behind a comma any value is one, and a string ends the list");
	is_text(items_of("BITFLAGS X2, 1 a 2"),
		"  _BITFLAGS\n    CODE X2\n    flag 0x1 \"a\"\n  _TEXT \"2\"\n",
		"a value without a text behind it is none of the list");
}

static void check_expressions(void)
{
	is_text(items_of("{{ $a = 1 + 2 * 3 - 4 & X2 }}"),
		"  _ASSIGN $a\n    BINARY &\n      BINARY -\n        BINARY +\n          NUMBER 1\n          "
		"BINARY *\n"
		"            NUMBER 2\n            NUMBER 3\n        NUMBER 4\n      CODE X2\n  slot 0 $a\n",
		"* binds tighter than +, + tighter than &, equal ones group to the left (D7)");
	is_text(items_of("{{ $a = -( 1 - --2 ) / -0x10 }}"),
		"  _ASSIGN $a\n    BINARY /\n      NEGATE\n        BINARY -\n          NUMBER 1\n          "
		"NUMBER 2\n"
		"      NEGATE\n        NUMBER 16\n  slot 0 $a\n",
		"parentheses and signs; two signs are none");
	is_text(items_of("{{ $b }} {{ $a=$b%D2 }} {{ $b = HD }} {{ $DATAPOINTER = 8 }}"),
		"  _DECLARE $b\n  _ASSIGN $a\n    MACRO $b%D2\n  _ASSIGN $b\n    MACRO $HD\n"
		"  _ASSIGN $DATAPOINTER\n    NUMBER 8\n  slot 0 $b\n  slot 1 $a\n",
		"macros have slots in the order of their definition, built-in ones have none");
	is_text(items_of("starttimer(0x10,$TID)endtimer( (1+2) , X2 )"),
		"  _STARTTIMER\n    NUMBER 16\n    MACRO $TID\n  ENDTIMER\n    BINARY +\n      NUMBER 1\n    "
		"  NUMBER 2\n"
		"    CODE X2\n",
		"timers have two arguments");
	is_text(tree_in("threadx", "A 1.0 {{ $bad = 18446744073709551615 }}"),
		"STANZA A 1.0 KERN\n  ASSIGN $bad\n    NUMBER -1\n  slot 0 $bad\n\n",
		"outside of AIX any name is a macro; numbers have 64 bits");
}

/* The first diagnosis of a text, "T05:3:14", or "ok". */
static const char *fault_in(const char *dialect, const char *text)
{
	static char fault[40];
	struct diags diags = { 0 };
	struct template_set *set = template_set_new(dialect);
	unsigned line, column;

	template_set_add(set, template_file_of("test", text, strlen(text)), &diags);
	snprintf(fault, sizeof(fault), "ok");
	if (diags.n_items) {
		diag_position(&diags.items[0], &line, &column);
		snprintf(fault, sizeof(fault), "%s:%u:%u", diags.items[0].number, line, column);
	}
	if (diags.n_items > 1)
		snprintf(fault, sizeof(fault), "%zu diagnoses", diags.n_items);
	diags_done(&diags);
	template_set_free(set);
	return fault;
}

static void check_faults(void)
{
	static const struct {
		const char *text, *fault;
	} faults[] = {
		{ "13 1.0", "T01:1:1" },
		{ "01000 1.0", "T01:1:1" },
		{ "TX_A 1.0", "T01:1:1" },
		{ "\"010\" 1.0", "T01:1:1" },
		{ "+ 010 1.0", "T01:1:1" },
		{ "-010 1.0", "T01:1:1" },
		{ "010", "T02:1:4" },
		{ "010 \"x\"", "T02:1:5" },
		{ "010 1", "T02:1:5" },
		{ "010 1.", "T02:1:5" },
		{ "010 1.0x", "T02:1:5" },
		{ "010 1.1234567890", "T02:1:5" },
		{ "010 1.0 L=USER", "T03:1:9" },
		{ "010 1.0 L=", "T03:1:9" },
		{ "010 1.0 \"x", "T04:1:9" },
		{ "010 1.0 X2, 1 { `x", "T04:1:17" },
		{ "010 1.0 X2, 1 { x", "T05:1:15" },
		{ "010 1.0 x }", "T05:1:11" },
		{ "010 1.0 x { y }", "T05:1:11" },
		{ "010 1.0 LOOP X1 { X1 } }", "T05:1:24" },
		{ "010 1.0 X2,", "T06:1:12" },
		{ "010 1.0 X2, 1", "T06:1:14" },
		{ "010 1.0 X2, 1 a,", "T06:1:17" },
		{ "010 1.0 X2, 1 $x", "T06:1:15" },
		{ "010 1.0 X2, 1 {{ $x }}", "T06:1:15" },
		{ "010 1.0 X2, 1 LOOP X1 {}", "T06:1:15" },
		{ "010 1.0 X2, $x a", "T06:1:13" },
		{ "010 1.0 X2, 1 \\n", "T06:1:15" },
		{ "010 1.0 x \\*", "T06:1:11" },
		{ "010 1.0 X17", "T08:1:9" },
		{ "010 1.0 len=X17", "T08:1:13" },
		{ "010 1.0 $x%D9", "T08:1:12" },
		{ "010 1.0 `a X17`", "T08:1:12" },
		{ "010 1.0 `a $x%X17`", "T08:1:15" },
		{ "010 1.0 {{ $a = F5 }}", "T08:1:17" },
		{ "010 1.0 \\q", "T09:1:9" },
		{ "010 1.0 x \\ \n", "T09:1:11" },
		{ "010 1.0 LOOP 4 {X1}", "T10:1:14" },
		{ "010 1.0 LOOP A4 {X1}", "T10:1:14" },
		{ "010 1.0 LOOP G4 {X1}", "T10:1:14" },
		{ "010 1.0 LOOP U1 X1", "T10:1:17" },
		{ "010 1.0 LOOP", "T10:1:13" },
		{ "010 1.0 BITFLAGS F4, 1 a", "T11:1:18" },
		{ "010 1.0 BITFLAGS X2 1 a", "T11:1:21" },
		{ "010 1.0 BITFLAGS X2, a", "T11:1:23" },
		{ "010 1.0 BITFLAGS X2, g x", "T11:1:22" },
		{ "010 1.0 BITFLAGS X2, \"a\"", "T11:1:22" },
		{ "010 1.0 BITFLAGS o2, 8 x", "W03:1:22" },
		{ "010 1.0 BITFLAGS o2, 8a x", "T11:1:22" },
		{ "010 1.0 BITFLAGS o2, &8 1 x", "W03:1:23" },
		{ "010 1.0 $HD%E4", "W06:1:13" },
		{ "010 1.0 $HD%A4", "W06:1:13" },
		{ "010 1.0 $HD%HB", "W06:1:13" },
		{ "010 1.0 `a $HD%T8 b`", "W06:1:16" },
		{ "010 1.0 $HD%X4 $HD%D2 $HD%U1 $HD%B0.3 $HD%o2 $HD%O4 $HD%W $HD%ns X17", "T08:1:66" },
		{ "010 1.0 BITFLAGS X2, o8 x", "T11:1:22" },
		{ "010 1.0 BITFLAGS X8, 10000000000000000 x", "T11:1:22" },
		{ "010 1.0 BITFLAGS X2, &3", "T11:1:24" },
		{ "010 1.0 BITFLAGS X2, &g 1 x", "T11:1:22" },
		{ "010 1.0 BITFLAGS X2, & 1 x", "T11:1:26" },
		{ "010 1.0 BITFLAGS X2, 1 a, }", "T11:1:27" },
		{ "010 1.0 $", "T12:1:9" },
		{ "010 1.0 `$`", "T12:1:10" },
		{ "010 1.0 {{ $a = 1 }", "T12:1:19" },
		{ "010 1.0 {{ a = 1 }}", "T12:1:12" },
		{ "010 1.0 {{ $a 1 }}", "T12:1:15" },
		{ "010 1.0 {{ $a = }}", "T12:1:17" },
		{ "010 1.0 {{ $a = 1 + }}", "T12:1:21" },
		{ "010 1.0 {{ $a = (1 }}", "T12:1:20" },
		{ "010 1.0 {{ $a = b }}", "T12:1:17" },
		{ "010 1.0 {{ $a = A4 }}", "T12:1:17" },
		{ "010 1.0 {{ $a = G4 }}", "T12:1:17" },
		{ "010 1.0 {{ $a = 1 % 2 }}", "T12:1:19" },
		{ "010 1.0 {{ $a = \"1\" }}", "T12:1:17" },
		{ "010 1.0 {{ $a%X4 = 1 }}", "T12:1:14" },
		{ "010 1.0 {{ $a = 18446744073709551616 }}", "T12:1:17" },
		{ "010 1.0 {{ $a = 0x1ffffffffffffffff }}", "T12:1:17" },
		{ "010 1.0 {{ $HD = 1 }}", "T13:1:12" },
		{ "010 1.0 {{ $PID }}", "T13:1:12" },
		{ "010 1.0 {{ $bad = 1 }}", "T13:1:12" },
		{ "010 1.0 {{ $0AD1 }}", "T13:1:12" },
		{ "010 1.0 endtimer", "T15:1:9" },
		{ "010 1.0 endtimer()", "T15:1:18" },
		{ "010 1.0 endtimer(1)", "T15:1:19" },
		{ "010 1.0 endtimer(1,)", "T15:1:20" },
		{ "010 1.0 endtimer(1,2", "T15:1:21" },
		{ "010 1.0 endtimer(1,2,3)", "T15:1:21" },
		{ "010 1.0\n010 1.1", "T16:2:1" },
		{ "010 1.0\n0100 1.1", "T16:2:1" },
		{ "010 1.0 \"a\\nb\"", "W04:1:11" },
		{ "# c\n\n010 1.0 \\\n\tX17\n", "T08:4:2" },
	};

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		const char *fault = fault_in("aix", faults[i].text);

		ok(strcmp(fault, faults[i].fault) == 0, "%.*s is %s (%s)", (int)strcspn(faults[i].text, "\n"),
			faults[i].text, faults[i].fault, fault);
	}
	is_text(fault_in("threadx", "1A 1.0"), "T01:1:1", "a name does not begin with a digit");
	is_text(fault_in("threadx", "A 1.0 {{ $HD = 1 }}"), "T13:1:10",
		"built-in macros are so in every dialect");
}

/* before, then n times middle. */
static const char *repeat(const char *before, const char *middle, size_t n)
{
	static char *text;
	size_t n_before = strlen(before), n_middle = strlen(middle);

	free(text);
	text = malloc(n_before + n * n_middle + 1);
	memcpy(text, before, n_before);
	for (size_t i = 0; i < n; i++)
		memcpy(text + n_before + i * n_middle, middle, n_middle);
	text[n_before + n * n_middle] = '\0';
	return text;
}

static void check_limits(void)
{
	enum { MANY = 100000 };
	char text[8000] = "010 1.0 ", *p = text + 8;

	is_text(fault_in("aix", repeat("010 1.0 ", "LOOP X1 {", MANY)), "T14:1:593",
		"groups nested 65 deep are too many, and a hundred thousand do no harm");
	is_text(fault_in("aix", repeat("010 1.0 {{ $a = ", "(", MANY)), "T14:1:81", "… nor do parentheses");
	is_text(fault_in("aix", repeat("010 1.0 {{ $a = 1", "+1", MANY)), "T14:1:528", "… nor operators");
	is_text(fault_in("aix", repeat("010 1.0 {{ $a = 1", "-", MANY)), "T12:1:100018", "… nor signs");
	is_text(fault_in("aix", repeat("010 1.0 ", "X1, 1 a ", MANY)), "ok", "a long list is no deep one");
	is_text(fault_in("aix", repeat("010 1.0 $x%X1", "1", MANY)), "T08:1:12",
		"a size may have many digits");
	for (unsigned i = 0; i < 255; i++)
		p += sprintf(p, "{{ $m%u }}", i);
	is_text(fault_in("aix", text), "ok", "a template may have 255 macros");
	sprintf(p, "{{ $m0 }} {{ $BASEPOINTER = 1 }}");
	is_text(fault_in("aix", text), "ok", "… and define them again");
	sprintf(p, "{{ $more }}");
	ok(strncmp(fault_in("aix", text), "T14", 3) == 0, "… but not 256");
}

/* Bytes that are like a template, and others. Only crashes and sanitizers can fail it. */
static void check_garbage(void)
{
	static const char *const bits[] = { "010 1.0 ", "\n", "\\\n", "\\\r\n", "\"", "`", "{", "}", "{{",
		"}}", "$a", "$", "%X4", "%", ",", "\\n", "\\*", "\\", "X4", "X17", "LOOP ", "BITFLAGS ",
		"starttimer(", "endtimer", "(", ")", "=", "+", "-", "&", "1", "0x", " ", "\t", "#", "L=KERN",
		"@", "\xff", "\xc3", "HD", "B0.5" };
	uint64_t state = 1;
	size_t n_templates = 0;

	for (unsigned round = 0; round < 3000; round++) {
		char text[600] = "010 1.0 ";
		size_t n = round & 1 ? 8 : 0;

		for (unsigned i = 0; i < 60; i++) {
			const char *bit;

			state = state * 6364136223846793005U + 1442695040888963407U;
			bit = bits[(state >> 33) % (sizeof(bits) / sizeof(*bits))];
			memcpy(text + n, bit, strlen(bit));
			n += strlen(bit);
			if ((state >> 50) % 29 == 0)
				text[n++] = (char)(state >> 55);
		}
		struct diags diags = { 0 };
		struct template_set *set = template_set_new(round & 2 ? "aix" : "x");

		template_set_add(set, template_file_of("test", text, n), &diags);
		n_templates += set->n_stanzas;
		diags_done(&diags);
		template_set_free(set);
	}
	ok(n_templates > 1000, "whatever is in a file, it is read to its end");
}

/* One line with an arena that has room for n_left bytes and no more; RST_OK or RST_E_NOMEM. */
static enum rst_status parse_within(const char *text, size_t n_left)
{
	enum { CHUNK_BYTES = 16 * 1024 };
	struct diags diags = { 0 };
	struct template_file *file = template_file_of("test", text, strlen(text));
	struct arena arena = { 0 };
	struct lexer lexer;
	struct stanza *stanza;
	enum rst_status status;

	lexer_init(&lexer, file, &diags);
	lexer_line(&lexer);
	arena_alloc(&arena, CHUNK_BYTES); /* from here on chunks have their full size */
	arena_alloc(&arena, CHUNK_BYTES - n_left);
	tap_fail_alloc_after(0);
	status = parse_stanza(&stanza, &lexer, KEY_HOOK, &arena, &diags);
	tap_fail_alloc_after(-1);
	lexer_done(&lexer);
	arena_done(&arena);
	diags_done(&diags);
	template_file_free(file);
	return status;
}

static void check_no_memory(void)
{
	static const char *const lines[] = {
		"010 1.0 L=APPL \"a\\\"b\" x len=U2, 1 { `a $b%X4 X2` }, \\* HD $x%D2 \\n\\t",
		"011 1.0 LOOP $n { BITFLAGS X2, 1 \"a\" \"b\", & 3 1 \"\xff\" }",
		"012 1.0 {{ $n = -(1+HD) }} endtimer(1,$x%X4)",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		size_t n = 0;

		while (n < 8000 && parse_within(lines[i], n) == RST_E_NOMEM)
			n += 16;
		ok(n > 500 && parse_within(lines[i], n) == RST_OK,
			"without memory for one of its nodes, a template is refused as such");
	}
}

int main(void)
{
	check_head();
	check_items();
	check_quoted();
	check_switch();
	check_loop();
	check_flags();
	check_expressions();
	check_faults();
	check_limits();
	check_garbage();
	check_no_memory();
	return tap_done();
}
