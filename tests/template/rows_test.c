/* SPDX-License-Identifier: MIT */
/*
 * Loops over numbers that lie side by side, which the machine runs in one go where nothing is missing: they
 * must read as the reference interpreter has them, also where bytes, room, turns, or the text's limit end
 * within them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template/compile/bind.h"
#include "template/machine/code.h"
#include "tests/tap.h"
#include "tests/template/ref_interp.h"

enum { ENTRY_MAX = 70000, ROOM_AFTER = 40, ROOM_LARGE = 4 << 20 };

static int64_t give_number(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	return macro == MACRO_TRACEID ? 0x1234 : 7;
}

static struct text give_text(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	(void)macro;
	return (struct text){ "", 0 };
}

static struct text give_process(const struct entry *entry, uint64_t pid)
{
	(void)entry;
	(void)pid;
	return (struct text){ NULL, 0 };
}

static const struct entry_host host = { give_number, give_text, give_process };

struct case_of_row {
	const char *body; /* $five is 5 */
	unsigned n_bytes; /* of the entry */
};

static const struct case_of_row cases[] = {
	{ "LOOP $five {X1}", 64 },
	{ "LOOP $five {X2} \"end\"", 64 },
	{ "\"begin\" LOOP $five {X4}", 64 },
	{ "LOOP $five {X8} {{ $n = 3 }} LOOP $n {X1}", 64 },
	{ "LOOP $five {XW} XW", 64 },
	{ "X1 LOOP $five {X1} LOOP $five {XW} $DATAPOINTER", 64 },
	{ "LOOP $five {`X1`}", 64 },
	{ "LOOP $five { X1 } X1", 64 },
	{ "LOOP $five {X0} LOOP $five {X1 O1} LOOP $five {X3}", 64 },
	{ "LOOP $five {\"a\" X1} LOOP $five {X1 \"a\"} LOOP $five {X1 X1}", 64 },
	{ "{{ $n = 0 }} LOOP $n {X1} X1", 64 },
	{ "{{ $n = 0 - 5 }} LOOP $n {X1} X1", 64 },
	{ "B0.3 LOOP $five {X1} X1", 64 },
	{ "{{ $n = 33 }} LOOP $n {X1} X1", 64 },
	{ "{{ $n = 32 }} LOOP $n {X2} X1", 128 },
	{ "{{ $n = 16 }} LOOP $n {X4} X1", 64 },
	{ "{{ $n = 16 }} LOOP $n {X4} X1", 63 },
	{ "{{ $n = 16 }} LOOP $n {X4} X1", 50 },
	{ "LOOP $five {X8} X1", 41 },
	{ "LOOP $five {X8}", 10 },
	{ "LOOP $five {X8}", 8 },
	{ "{{ $BASEPOINTER = 3 }} LOOP $five {X2} X1", 64 },
	{ "{{ $BASEPOINTER = 60 }} LOOP $five {X2} X1", 64 },
	{ "{{ $BASEPOINTER = 0 - 9 }} LOOP $five {X2} X1", 64 },
	{ "{{ $DATAPOINTER = 0 - 9 }} {{ $BASEPOINTER = 12 }} LOOP $five {X2} X1 $DATAPOINTER", 64 },
	{ "{{ $DATAPOINTER = 0 - 9 }} LOOP $five {X2} X1", 64 },
	{ "{{ $DATAPOINTER = 100000 }} LOOP $five {X2} X1", 64 },
	{ "{{ $words = $HL / $WORDSIZE }} LOOP $words {XW} $words", 64 },
	{ "{{ $words = $HL / $WORDSIZE }} LOOP $words {XW}", 66 },
	{ "{{ $half = $HL / 2 }} {{ $rest = $HL / 4 }} $half $rest", 66 },
	{ "{{ $turns = 3 }} LOOP $turns { {{ $DATAPOINTER = 4 }} LOOP $five {X1} \",\" }", 64 },
	{ "\"id\" $TRACEID \"type\" HT \"data\" $HD $GENERIC, 1 { $D1 }, \\* { $D2 }", 64 },
	/* Limits of turns, and of the text. */
	{ "{{ $n = 32768 }} LOOP $n {X1} X1", 60000 },
	{ "{{ $n = 32769 }} LOOP $n {X1} X1", 60000 },
	{ "{{ $n = 65536 }} LOOP $n {X1} X1", 70000 },
	{ "{{ $n = 65537 }} LOOP $n {X1} X1", 70000 },
	{ "{{ $n = 65537 }} LOOP $n {X1} X1", 65000 },
	{ "{{ $turns = 65536 }} LOOP $turns { {{ $DATAPOINTER = 4 }} {{ $n = 20 }} LOOP $n {X1} }", 64 },
	{ "{{ $turns = 65536 }} LOOP $turns { {{ $DATAPOINTER = 4 }} {{ $n = 50 }} LOOP $n {X1} }", 64 },
	{ "{{ $turns = 65536 }} LOOP $turns { {{ $DATAPOINTER = 4 }} {{ $n = 7 }} LOOP $n {X8} }", 64 },
	{ "{{ $turns = 65530 }} LOOP $turns { {{ $n = 15 }} LOOP $n { {{ $n = 15 }} } } {{ $n = 96 }} LOOP "
	  "$n {X1} \"end\"",
		128 },
	{ "{{ $turns = 65530 }} LOOP $turns { {{ $n = 15 }} LOOP $n { {{ $n = 15 }} } } {{ $n = 97 }} LOOP "
	  "$n {X1} \"end\"",
		128 },
	{ "{{ $turns = 10 }} LOOP $turns { {{ $DATAPOINTER = 4 }} {{ $n = 32000 }} LOOP $n {X2} }", 65000 },
};

static uint8_t bytes[ENTRY_MAX];

struct both {
	struct ref_interp interp;
	struct runner *runner;
	const struct unit *unit;
	const struct stanza *stanza;
	struct entry entry;
};

/* The room at the beginning is what decides whether turns are taken one by one. */
static bool is_same(struct both *both, size_t n_room)
{
	struct outbuf out = { .start = malloc(n_room), .fd = OUTBUF_MEMORY };
	const char *text, *end;
	size_t n_text;
	bool is_same;

	out.at = out.start;
	out.end = out.start + n_room;
	both->runner->out = &out;
	both->runner->n_limit = both->runner->n_truncated = both->interp.n_limit = both->interp.n_truncated =
		0;
	interp_run(&both->interp, both->stanza, &both->entry, &text, &n_text);
	end = run_unit(both->runner, both->unit, &both->entry, out.at);
	is_same = (size_t)(end - out.start) == n_text && memcmp(text, out.start, n_text) == 0 &&
		  (size_t)(out.end - end) >= ROOM_AFTER && both->interp.n_limit == both->runner->n_limit &&
		  both->interp.n_truncated == both->runner->n_truncated;
	if (!is_same)
		printf("# reference: %zu bytes, '%.200s'; machine: %zu bytes, '%.200s'\n", n_text, text,
			(size_t)(end - out.start), out.start);
	free(out.start);
	return is_same;
}

static void check_row(const struct case_of_row *row, unsigned word_bytes)
{
	const struct binding binding = { .word_bytes = word_bytes };
	struct template_set *set = template_set_new("aix");
	struct both both = { .interp = { .set = set, .binding = &binding },
		.runner = calloc(1, sizeof(struct runner)),
		.entry = { .bytes = bytes,
			.n_bytes = row->n_bytes,
			.start = 2,
			.hook_type = 0xe,
			.hook_data = 0x12ab,
			.hook_bytes = row->n_bytes - word_bytes,
			.host = &host } };
	struct diags diags = { 0 };
	char text[256];
	const size_t n = (size_t)snprintf(text, sizeof(text), "010 1.0 \"@\" {{ $five = 5 }} %s", row->body);
	struct stanza *stanza;

	template_set_add(set, template_file_of("test", text, n), &diags);
	both.stanza = stanza = template_set_find(set, "010", 3);
	both.unit = stanza ? bind_stanza(set, stanza, &binding, &diags) : NULL;
	both.runner->room_after = ROOM_AFTER;
	ok(both.unit && is_same(&both, 1) && is_same(&both, ROOM_LARGE), "%s over %u bytes, words of %u",
		row->body, row->n_bytes, word_bytes);
	free(both.runner);
	interp_done(&both.interp);
	diags_done(&diags);
	template_set_free(set);
}

int main(void)
{
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(i * 7 + i / 256);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_row(&cases[i], 4);
		check_row(&cases[i], 8);
	}
	return tap_done();
}
