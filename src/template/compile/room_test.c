/* SPDX-License-Identifier: MIT */
/*
 * Room: a unit says how many bytes its text takes, and what may be longer asks for more. Here a line has just
 * the room that was said, so that every byte beyond it is found out, by the sanitizers if not by the count.
 */
#include <stdlib.h>
#include <string.h>

#include "template/compile/bind.h"
#include "template/machine/code.h"
#include "tests/tap.h"

enum { ROOM_AFTER = 7, TEMPLATE_MAX = 16000 };

static const char long_name[] = "a name that is as long as a name can be";

static int64_t give_number(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	(void)macro;
	return INT64_MIN;
}

/* $SVC is as long as what a unit has room for, others are longer. */
static struct text give_text(const struct entry *entry, enum macro_id macro)
{
	static char text[RUN_TEXT_ROOM + 40];

	(void)entry;
	memset(text, 't', sizeof(text));
	return (struct text){ text, macro == MACRO_SVC ? RUN_TEXT_ROOM : sizeof(text) };
}

static struct text give_process(const struct entry *entry, uint64_t pid)
{
	(void)entry;
	return pid & 1 ? (struct text){ long_name, sizeof(long_name) - 1 } : (struct text){ NULL, 0 };
}

static const struct entry_host host = { give_number, give_text, give_process };

static uint8_t bytes[4096];

/* The template is one item, many times; *ret_n_text is how much text came of it. */
static bool has_room(const char *item, unsigned n_items, size_t *ret_n_text)
{
	struct template_set *set = template_set_new("aix");
	struct runner *runner = calloc(1, sizeof(*runner));
	struct outbuf out = { .fd = OUTBUF_MEMORY };
	struct diags diags = { 0 };
	const struct entry entry = {
		.bytes = bytes, .n_bytes = sizeof(bytes), .path = { "/bin/a-path", 11 }, .host = &host
	};
	char text[TEMPLATE_MAX];
	size_t n = (size_t)sprintf(text, "010 1.0 \"@\" ");

	for (unsigned i = 0; i < n_items; i++)
		n += (size_t)sprintf(text + n, " %s", item);
	template_set_add(set, template_file_of("test", text, n), &diags);
	const struct unit *unit = bind_stanza(
		set, template_set_find(set, "010", 3), &(struct binding){ .word_bytes = 4 }, &diags);
	size_t room = unit ? unit->room + ROOM_AFTER : 1;

	out.start = out.at = malloc(room);
	out.end = out.start + room;
	*runner = (struct runner){ .out = &out, .room_after = ROOM_AFTER, .margin = 100 };
	runner->timers = calloc(RUN_TIMERS, sizeof(struct timer_slot));
	const char *end = unit ? run_unit(runner, unit, &entry, out.at) : out.at;
	bool is_good = unit && !out.error && (size_t)(out.end - end) >= ROOM_AFTER;

	*ret_n_text = (size_t)(end - out.start);
	outbuf_done(&out);
	free(runner->timers);
	free(runner);
	diags_done(&diags);
	template_set_free(set);
	return is_good;
}

static void check_items(void)
{
	static const char *const items[] = { "$EXECPATH", "$SVC", "$LOGFILE", "$PID", "$TRACEID", "$D1",
		"X16", "X1", "D8", "U8", "o8", "F8", "F4", "T8", "E1", "P4", "B0.64", "HB", "A16", "A300",
		"A0", "A8.40", "A1.300", "A0.3", "A0.300", "S1", "S2", "\\n", "\\t",
		"starttimer(1, 2) endtimer(1, 2)", "{{ $x = 3 }} $x%X16",
		"BITFLAGS X1, 0 \"nothing\" \"something\", 61 \"a\"", "U1, 97 \"is a\", \\* { X1 \"other\" }",
		"LOOP B0.2 { \"turn\" X1 }", "G4 A4, aaaa \"four\", bbbb X1", "`a $EXECPATH b`" };

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		size_t n_text;
		bool is_good = has_room(items[i], 100, &n_text);

		ok(is_good && n_text > 0, "100 times %s have room: %zu bytes", items[i], n_text);
	}
}

/* A large number in a code reserves no room before there is text. */
static void check_wide(void)
{
	static const char *const items[] = { "A65535", "A0.65535", "A1.65535", "A65535.65535" };

	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
		struct template_set *set = template_set_new("aix");
		struct diags diags = { 0 };
		char text[TEMPLATE_MAX];
		size_t n = (size_t)sprintf(text, "010 1.0 \"@\" ");

		for (unsigned item = 0; item < 1000; item++)
			n += (size_t)sprintf(text + n, " %s", items[i]);
		template_set_add(set, template_file_of("test", text, n), &diags);
		const struct unit *unit = bind_stanza(
			set, template_set_find(set, "010", 3), &(struct binding){ .word_bytes = 4 }, &diags);

		ok(unit && unit->room < 1000 * 2 * RUN_TEXT_ROOM, "1000 times %s take no room by themselves",
			items[i]);
		diags_done(&diags);
		template_set_free(set);
	}
}

/* From one stop to the next: looking at the whole line for each tab would take a minute. */
static void check_tabs(void)
{
	size_t n_text;
	bool is_good = has_room("{{ $n = 65535 }} LOOP $n { \\t \\t }", 1, &n_text);

	ok(is_good && n_text == 2 * 65535 * 8, "many tabs in one line cost what they are");
}

int main(void)
{
	memset(bytes, 'a', sizeof(bytes));
	check_items();
	check_wide();
	check_tabs();
	return tap_done();
}
