/* SPDX-License-Identifier: MIT */
/*
 * Compiling and running: memory that runs out, limits, cuts at every byte. The cases test the meaning of
 * templates.
 */
#include "template/compile/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/machine/code.h"
#include "template/machine/ops.h"
#include "tests/tap.h"

static const char everything[] = "010 1.0 \"@\" one X2 U4 {{ $n = U1 * 2 }} LOOP $n { X0 } $90F \"end\" "
				 "$n%D4 \\n \\t A4.8 S1 `x=$HD` \\\n"
				 "	BITFLAGS X2, 1 \"a\" \"-\", & 6 2 \"b\" X1, 1 \"one\", 300 { $D1 }, "
				 "\\* \"other\" A2, ab \"AB\", cd \"CD\" \\\n"
				 "	$PID $EXECPATH F4 T4 E1 B0.4 B1.4 G8 W1 O0.3 R1 endtimer(1, 2) "
				 "starttimer(1, 2) {{ $DATAPOINTER = 4 }} X1\n"
				 "90F 1.0 \"SUB\" X1 $910\n910 1.0 \"\" U1, 0 \"none\", 1000000 \"many\"\n"
				 "020 1.0 \"@\" LOOP $D1 { \"turn\" } \"after\"\n"
				 "021 1.0 \"@\" $021\n"
				 "022 1.0 \"@\" LOOP $D1 { LOOP $D1 { LOOP $D1 { $023 } } }\n"
				 "023 1.0 \"\" \"a text that is repeated until there is too much of it, be "
				 "it by turns or by bytes\"\n";

static int64_t give_number(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	return (int64_t)macro;
}

static struct text give_text(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	(void)macro;
	return (struct text){ "log", 3 };
}

static struct text give_process(const struct entry *entry, uint64_t pid)
{
	(void)entry;
	(void)pid;
	return (struct text){ 0 };
}

static const struct entry_host host = { give_number, give_text, give_process };

static struct template_set *load(void)
{
	struct template_set *set = template_set_new("aix");
	struct diags diags = { 0 };

	template_set_add(set, template_file_of("test", everything, sizeof(everything) - 1), &diags);
	diags_done(&diags);
	return set;
}

static const struct unit *bind(struct template_set *set, const char *key, struct diags *diags)
{
	return bind_stanza(set, template_set_find(set, key, 3), &(struct binding){ .word_bytes = 4 }, diags);
}

/* The text of an entry, terminated, in *out. */
static const char *run(struct runner *runner, struct outbuf *out, const struct unit *unit,
	const uint8_t *bytes, size_t n_bytes)
{
	const struct aix_hook_spec spec = { .hook_type = -1, .hook_data = -1, .hook_id = -1 };
	struct entry entry = { .host = &host, .path = { "path", 4 } };
	struct aix_hook hook;

	out->at = out->start;
	if (entry_of_aix(&entry, &hook, bytes, n_bytes, &spec)) {
		runner->out = out;
		runner->room_after = 1;
		out->at = run_unit(runner, unit, &entry, out->at);
	}
	*out->at = '\0';
	return out->start;
}

/*
 * Numbers of an event's layout are there as fields are, are known when a template is compiled, and give way
 * to fields.
 */
static void check_traits(void)
{
	static const char text[] =
		"# dialect: threadx\nA 1.0 \"@\" $wide\",\" $low $wide, 10 \"ten\", 12 \"twelve\" "
		"{{ $n = $wide + 1 }} $n%U1 $wide%X1\nB 1.0 \"@\" {{ $wide = 1 }}\n";
	static const struct rst_field fields[] = { { .name = "low", .type = RST_UNSIGNED, .n_bytes = 1 } };
	const struct rst_constant traits[] = { { 10, "wide" }, { 99, "low" } },
				  others[] = { { 12, "wide" }, { 99, "low" } };
	static const struct rst_type type = { .name = "A" };
	const struct rst_layout layout = { .type = &type,
		.n_fields = 1,
		.fields = fields,
		.n_traits = 2,
		.traits = traits },
				other = {
					.type = &type,
					.n_fields = 1,
					.fields = fields,
					.n_traits = 2,
					.traits = others,
				};
	struct template_set *set = template_set_new("threadx");
	struct diags diags = { 0 };
	struct runner *runner = calloc(1, sizeof(*runner));
	struct outbuf out = { 0 };
	struct entry entry = { .bytes = (const uint8_t *)"\x07", .n_bytes = 1, .host = &host };

	outbuf_init(&out, OUTBUF_MEMORY);
	template_set_add(set, template_file_of("test", text, sizeof(text) - 1), &diags);
	for (int i = 0; i < 2; i++) {
		const struct binding binding = { .word_bytes = 4, .layout = i ? &other : &layout };
		const struct unit *unit = bind_stanza(set, template_set_find(set, "A", 1), &binding, &diags);

		out.at = out.start;
		runner->out = &out;
		runner->room_after = 1;
		out.at = run_unit(runner, unit, &entry, out.at);
		*out.at = '\0';
		is_text(out.start, i ? "12, 7 twelve 13 0C" : "10, 7 ten 11 0A",
			i ? "each layout has its own"
			  : "a number of the layout prints and counts; a field of its name is first");
	}
	ok(diags.n_errors == 0, "and nothing is wrong with that");
	ok(!bind_stanza(set, template_set_find(set, "B", 1),
		   &(struct binding){ .word_bytes = 4, .layout = &layout }, &diags) &&
			diags.n_errors == 1,
		"it cannot be assigned to");
	outbuf_done(&out);
	free(runner);
	diags_done(&diags);
	template_set_free(set);
}

static size_t count_ops(const struct unit *unit, const struct op *op)
{
	size_t n = 0;

	for (size_t i = 0; unit && i < unit->n_code; i++)
		n += unit->code[i].op == op;
	return n;
}

/* A value that is known when a template is compiled takes no instruction when it runs. */
static void check_known(void)
{
	static const char text[] =
		"030 1.0 \"@\" $WORDSIZE, 4 \"four\" , 8 \"eight\" $nothing, 1 \"one\" \"end\"\n"
		"040 1.0 \"@\" \"a\" $041 `$041`\"b\" LOOP U1 { $041 }\n041 1.0 \"SUB\" $042\n"
		"042 1.0 \"\" X1 \"behind\"\n";
	static const uint8_t bytes[] = { 0x04, 0x0a, 1, 2, 1, 4, 0, 0 };
	struct template_set *set = template_set_new("aix");
	struct runner *runner = calloc(1, sizeof(*runner));
	struct diags diags = { 0 };
	struct outbuf out;
	const struct unit *unit;

	outbuf_init(&out, OUTBUF_MEMORY);
	template_set_add(set, template_file_of("test", text, sizeof(text) - 1), &diags);
	unit = bind(set, "030", &diags);
	is_text(run(runner, &out, unit, bytes, sizeof(bytes)), "four end",
		"a SWITCH over a known number prints its case");
	is_number(count_ops(unit, &op_switch), 0, "and is not decided when it runs");
	unit = bind(set, "040", &diags);
	is_text(run(runner, &out, unit, bytes, sizeof(bytes)), "a SUB 01 behind SUB 02 behindb SUB 04 behind",
		"a subroutine prints the same in its place and as a call");
	is_number(count_ops(unit, &op_call), 1, "only the call in a loop stays one");
	outbuf_done(&out);
	free(runner);
	diags_done(&diags);
	template_set_free(set);
}

/* Subroutines as deep as they may be, and one deeper. */
static void check_depth(void)
{
	static const uint8_t bytes[] = { 0x05, 0x0a, 0, 0 };
	char text[64 * (RUN_CALLS_MAX + 2)], *end = text;
	struct template_set *set = template_set_new("aix");
	struct runner *runner = calloc(1, sizeof(*runner));
	struct diags diags = { 0 };
	struct outbuf out;

	outbuf_init(&out, OUTBUF_MEMORY);
	for (unsigned i = 0; i <= RUN_CALLS_MAX; i++)
		end += sprintf(end, "5%02X 1.0 \"\" $5%02X\n", i, i + 1);
	end += sprintf(end, "5%02X 1.0 \"\" \"the last\"\n", RUN_CALLS_MAX + 1);
	template_set_add(set, template_file_of("test", text, (size_t)(end - text)), &diags);
	is_text(run(runner, &out, bind(set, "501", &diags), bytes, sizeof(bytes)), "the last",
		"subroutines may be ten deep");
	is_number(count_ops(bind(set, "501", &diags), &op_call), 0, "all of them are put in place");
	is_text(run(runner, &out, bind(set, "500", &diags), bytes, sizeof(bytes)), "<nesting>",
		"and no deeper");
	outbuf_done(&out);
	free(runner);
	diags_done(&diags);
	template_set_free(set);
}

static void check_no_memory(void)
{
	bool is_clean = true, is_done = false;
	long n = 0;

	while (!is_done && n < 10000) {
		struct template_set *set = load();
		struct diags diags = { 0 };

		tap_fail_alloc_after(n++);
		const struct unit *unit = bind(set, "010", &diags);

		tap_fail_alloc_after(-1);
		is_done = unit && !diags.has_no_memory;
		is_clean = is_clean && (is_done || diags.has_no_memory);
		diags_done(&diags);
		template_set_free(set);
	}
	ok(is_clean && is_done && n > 5, "memory that runs out while compiling is told (%ld allocations)", n);
}

/* Every length of an entry from its hook word on: more is printed with each byte, never another beginning. */
static void check_cuts(struct template_set *set, struct runner *runner, struct outbuf *out)
{
	static const uint8_t whole[] = { 0x01, 0x08, 0x00, 0x40, 0, 0, 0, 2, 1, 2, 0, 'a', 'b', 'c', 'd', 2,
		'x', 'y', 0, 3, 1, 'c', 'd', 0x3f, 0x80, 0, 0, 0x3b, 0x9a, 0xca, 0, 2, 0xa5, 0xc3, 0xff, 1, 2,
		3, 4, 5, 6, 7, 8, 9, 10 };
	struct diags diags = { 0 };
	const struct unit *unit = bind(set, "010", &diags);
	size_t n_before = 0;
	bool is_growing = true, is_marked = true;

	for (size_t n = 4; n <= sizeof(whole); n++) {
		uint8_t *bytes = malloc(n);

		memcpy(bytes, whole, n);
		const char *text = run(runner, out, unit, bytes, n), *marker = strstr(text, "*TRUNC*");
		size_t n_text = marker ? (size_t)(marker - text) : strlen(text);

		is_growing = is_growing && n_text >= n_before;
		is_marked = is_marked && (marker ? marker[7] == '\0' : n == sizeof(whole) || n_text);
		n_before = n_text;
		free(bytes);
	}
	ok(is_growing && is_marked, "an entry cut at any byte prints what is there, and the marker");
	ok(runner->n_truncated > 10, "and each cut is counted");
	diags_done(&diags);
}

static void check_limits(struct template_set *set, struct runner *runner, struct outbuf *out)
{
	static const uint8_t endless[] = { 0x01, 0x0a, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff };
	struct diags diags = { 0 };
	const char *text = run(runner, out, bind(set, "020", &diags), endless, sizeof(endless));

	ok(strstr(text, "turn after") && runner->n_limit == 1, "a garbage count ends, and the entry goes on");
	is_number(runner->n_turns, RUN_LOOP_MAX, "after as many turns as a loop may have");
	text = run(runner, out, bind(set, "021", &diags), endless, sizeof(endless));
	is_text(text, "<nesting>", "a template that calls itself ends with a sentence");
	is_number(runner->n_nesting, 1, "and is counted");
	text = run(runner, out, bind(set, "022", &diags), endless, sizeof(endless));
	ok(runner->n_limit > 1 && strstr(text, "<loop limit>") && strlen(text) < RUN_TEXT_MAX + 4096,
		"loops in loops do not make endless text");
	diags_done(&diags);
}

/* A line that cannot grow is given up; what was there before stays. */
static void check_no_room(struct template_set *set, struct runner *runner)
{
	static const uint8_t endless[] = { 0x01, 0x0a, 0x00, 0x00, 0x7f, 0xff, 0xff, 0xff };
	struct diags diags = { 0 };
	const struct unit *unit = bind(set, "022", &diags);
	struct outbuf out;

	outbuf_init(&out, OUTBUF_MEMORY);
	tap_fail_alloc_after(0);
	run(runner, &out, unit, endless, sizeof(endless));
	tap_fail_alloc_after(-1);
	ok(out.error != 0, "text for which there is no memory ends, and the output knows it");
	outbuf_done(&out);
	diags_done(&diags);
}

/*
 * A recording may have thousands of types that differ in their names only; and types go with their recording.
 */
static void check_types(void)
{
	static const char text[] = "EVENT 1.0 \"@\" $value $helper\nhelper 1.0 \"\" $value%X2\n";
	const struct rst_field one = { .name = "value", .n_bytes = 4 }, same = one,
			       other = { .name = "value", .offset = 4, .n_bytes = 4 };
	static const struct rst_type types[] = { { .name = "EVENT+1", .name_bytes = 7 },
		{ .name = "EVENT+2", .name_bytes = 7 }, { .name = "EVENT+3", .name_bytes = 7 } };
	const struct rst_layout layouts[] = { { .type = &types[0], .n_fields = 1, .fields = &one },
		{ .type = &types[1], .n_fields = 1, .fields = &same },
		{ .type = &types[2], .n_fields = 1, .fields = &other } };
	struct template_set *set = template_set_new("test");
	struct diags diags = { 0 };
	const struct unit *units[3];

	template_set_add(set, template_file_of("test", text, sizeof(text) - 1), &diags);
	for (size_t i = 0; i < 3; i++) {
		const struct binding binding = { .word_bytes = 4, .layout = &layouts[i] };

		units[i] = bind_stanza(set, template_set_find_event(set, types[i].name, types[i].name_bytes),
			&binding, &diags);
	}
	ok(units[0] && units[0] == units[1], "layouts with the same fields share their code");
	ok(units[2] && units[2] != units[0], "and those with others have their own");
	is_number(set->n_units, 4, "so have the helpers that they call");
	bind_forget(set);
	ok(set->n_units == 0 && !template_set_find(set, "EVENT", 5)->units, "all of it can be forgotten");
	const struct binding binding = { .word_bytes = 4, .layout = &layouts[2] };

	ok(bind_stanza(set, template_set_find(set, "EVENT", 5), &binding, &diags), "and is bound anew");
	diags_done(&diags);
	template_set_free(set);
}

/* Fields that stand aside are left out of what is made from the fields, whichever they are. */
static void check_aside(void)
{
	static const struct rst_field fields[] = {
		{ .name = "a", .n_bytes = 4, .is_aside = true },
		{ .name = "b", .n_bytes = 4, .offset = 4 },
		{ .name = "c", .n_bytes = 4, .is_aside = true },
		{ .name = "d", .n_bytes = 4, .offset = 8 },
	};
	static const struct rst_type type = { .name = "T", .name_bytes = 1, .label = "t" };
	const struct rst_layout layout = { .type = &type, .n_fields = 4, .fields = fields };
	struct arena arena = { 0 };
	const char *text = generate_text(&arena, &layout);

	ok(text && strcmp(text, "T 1.0 L=KERN \"@t\" \"b=\"$b\", d=\"$d") == 0,
		"fields that stand aside are left out of texts made from the fields (%s)",
		text ? text : "no memory");
	arena_done(&arena);
}

int main(void)
{
	struct template_set *set = load();
	struct runner *runner = calloc(1, sizeof(*runner));
	struct outbuf out;

	check_no_memory();
	check_types();
	outbuf_init(&out, OUTBUF_MEMORY);
	check_cuts(set, runner, &out);
	check_limits(set, runner, &out);
	check_no_room(set, runner);
	outbuf_done(&out);
	free(runner);
	template_set_free(set);
	check_aside();
	check_traits();
	check_known();
	check_depth();
	return tap_done();
}
