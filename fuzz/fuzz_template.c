/* SPDX-License-Identifier: MIT */
/*
 * Templates over entries: the compiled code and the reference interpreter (tests/template/ref_interp.h) must
 * give the same text, outcome and counts. The input:
 *
 *	byte 0     bit 0: the template is made of the rest of the bytes (template_maker.h), not their text
 *	           bits 1-2: an entry of AIX, 32 bits; 64 bits; an event of a type
 *	           bit 3: a generic entry; bit 4: the clock counts ticks; bit 5: lines have a margin
 *	           bit 6: run what is made for a type or hook without a template; bit 7: dump what each pass made
 *	byte 1     how many bytes of entry follow, up to 127
 *	…          the entry, then the bytes of the template
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/load.h"
#include "fuzz/template_maker.h"
#include "template/compile/bind.h"
#include "template/dump/dump.h"
#include "template/machine/run.h"
#include "tests/template/effect_round.h"
#include "tests/template/ref_interp.h"

enum {
	ENTRY_BYTES_MAX = 127,
	TIMER_PAIRS_MAX = 64, /* far from the number that the runner begins to forget at */
	TURNS_MANY = 4096,    /* an entry that takes more is the last of its input */
	ROOM_AFTER = 40,
	ROOM_LARGE = 1 << 16,
};

struct fuzz_case {
	bool is_made, is_64, is_aix, is_generic, counts_ticks, has_margin, wants_generated, wants_dumps;
	const uint8_t *entry;
	size_t n_entry;
	const uint8_t *template;
	size_t n_template;
	bool is_slow;
	struct maker maker;
	struct rst_layout other_layout;
	struct rst_field other_fields[MAKER_FIELDS_MAX];
	struct template_set *set;
	struct diags diags;
	struct binding binding; /* of the entries under way */
	struct stanza *stanza;
	struct ref_interp interp;
	struct runner *runner;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* --- hosts of entries ----------------------------------------------------------------------------------- */

static int64_t fuzz_number(const struct entry *entry, enum macro_id macro)
{
	const int64_t seq = (int64_t)entry->seq;

	if (macro == MACRO_NOW)
		return 1000000 + seq * 123456;
	return macro == MACRO_TRACEID ? 0x10 + seq : seq * 40000 + (int64_t)macro - 20;
}

static struct text fuzz_text(const struct entry *entry, enum macro_id macro)
{
	(void)entry;
	if (macro == MACRO_SVC)
		return (struct text){ " a system call with a name that is longer than most ", 52 };
	return (struct text){ "trace.log", 9 };
}

static struct text fuzz_process(const struct entry *entry, uint64_t pid)
{
	(void)entry;
	return pid & 1 ? (struct text){ "/usr/bin/awk", 12 } : (struct text){ NULL, 0 };
}

static const struct entry_host fuzz_host = { fuzz_number, fuzz_text, fuzz_process };

static struct entry fuzz_entry(
	const struct fuzz_case *fuzz, const uint8_t *bytes, size_t n_bytes, uint64_t seq)
{
	const bool is_generic = fuzz->is_generic && fuzz->is_aix;
	const unsigned word = fuzz->binding.word_bytes;

	return (struct entry){ .bytes = bytes,
		.n_bytes = n_bytes,
		.start = !fuzz->is_aix ? 0
			 : word == 8   ? 6
			 : is_generic  ? 4
				       : 2,
		.seq = seq,
		.path = seq & 1 ? (struct text){ "/bin/ksh", 8 } : (struct text){ "", 0 },
		.host = &fuzz_host,
		.is_generic = is_generic,
		.hook_type = word == 8 ? 0xc000 : 9,
		.hook_data = n_bytes > 3 ? load_u16(bytes + 2, true) : (uint16_t)17,
		.hook_bytes = (uint32_t)n_bytes,
		.n_variable = is_generic && n_bytes > 2 * word ? (uint32_t)(n_bytes - 2 * word) : 0 };
}

/* --- one entry, twice ----------------------------------------------------------------------------------- */

static void tell(const struct fuzz_case *fuzz, const struct entry *entry, const char *what)
{
	fprintf(stderr, "%s differs; %s, %u bytes a word, place %u, generic %d, entry ", what,
		fuzz->is_aix ? "aix" : "event", fuzz->binding.word_bytes, (unsigned)entry->seq,
		entry->is_generic);
	for (size_t i = 0; i < entry->n_bytes; i++)
		fprintf(stderr, "%02X", entry->bytes[i]);
	for (unsigned i = 0; fuzz->binding.layout && i < fuzz->binding.layout->n_fields; i++)
		fprintf(stderr, "\n   field %s type %d at %u, %u bytes, big endian %d, zero is none %d",
			fuzz->binding.layout->fields[i].name, (int)fuzz->binding.layout->fields[i].type,
			fuzz->binding.layout->fields[i].offset, fuzz->binding.layout->fields[i].n_bytes,
			fuzz->binding.layout->fields[i].is_big_endian,
			fuzz->binding.layout->fields[i].zero_is_none);
	fprintf(stderr, "\n%.*s\n", (int)fuzz->n_template, (const char *)fuzz->template);
}

static void must(bool holds, const struct fuzz_case *fuzz, const struct entry *entry, const char *what)
{
	if (holds)
		return;
	tell(fuzz, entry, what);
	abort();
}

/*
 * The room is as small as can be, so that what is written beyond what was asked for is found out; or it is
 * large, since loops may then be run in one go.
 */
static void compare_entry(struct fuzz_case *fuzz, const struct entry *entry, const struct unit *unit)
{
	const size_t n_room = entry->seq & 2 ? ROOM_LARGE : 1;
	struct outbuf out = { .start = malloc(n_room), .fd = OUTBUF_MEMORY };
	struct ref_interp *interp = &fuzz->interp;
	struct runner *runner = fuzz->runner;
	const char *text;
	size_t n_text;
	const enum run_outcome outcome = interp_run(interp, fuzz->stanza, entry, &text, &n_text);

	if (!out.start)
		abort();
	out.at = out.start;
	out.end = out.start + n_room;
	runner->out = &out;
	const char *end = run_unit(runner, unit, entry, out.at);
	const size_t n_run = (size_t)(end - out.start);

	must(end >= out.start && (size_t)(out.end - end) >= ROOM_AFTER, fuzz, entry, "room behind the text");
	if (runner->n_work > RUN_WORK_MAX) { /* instructions, which the reference does not count */
		interp->n_truncated = runner->n_truncated;
		interp->n_nesting = runner->n_nesting;
		interp->n_limit = runner->n_limit;
		interp->n_div0 = runner->n_div0;
		free(out.start);
		return;
	}
	if (n_run != n_text || memcmp(text, out.start, n_text) != 0)
		fprintf(stderr, "reference: '%s'\ncode:      '%.*s'\n", text, (int)n_run, out.start);
	must(n_run == n_text && memcmp(text, out.start, n_text) == 0, fuzz, entry, "text");
	must(outcome == runner->outcome, fuzz, entry, "outcome");
	must(interp->n_truncated == runner->n_truncated, fuzz, entry, "R01");
	must(interp->n_nesting == runner->n_nesting, fuzz, entry, "R02");
	must(interp->n_limit == runner->n_limit, fuzz, entry, "R03");
	must(interp->n_div0 == runner->n_div0, fuzz, entry, "R04");
	free(out.start);
}

/* The entry, and what is left of it when it is cut off; each in memory that ends where it does. */
static void compare_entries(struct fuzz_case *fuzz, const struct unit *unit)
{
	const size_t lengths[] = { fuzz->n_entry, fuzz->n_entry * 3 / 4, fuzz->n_entry, 9, 7, 4, 1, 0 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		const size_t n_bytes = lengths[i] < fuzz->n_entry ? lengths[i] : fuzz->n_entry;
		uint8_t *bytes = malloc(n_bytes + !n_bytes);

		if (!bytes)
			abort();
		memcpy(bytes, fuzz->entry, n_bytes);
		const struct entry entry = fuzz_entry(fuzz, bytes, n_bytes, i);

		fuzz->is_slow |= fuzz->interp.n_turns > TURNS_MANY;
		if (fuzz->interp.n_timers < TIMER_PAIRS_MAX && !fuzz->is_slow)
			compare_entry(fuzz, &entry, unit);
		free(bytes);
	}
}

/* --- templates ------------------------------------------------------------------------------------------ */

/* Every diagnosis has a place in its file, and can be printed. */
static void check_diags(const struct diags *diags)
{
	FILE *null = fopen("/dev/null", "w");

	for (size_t i = 0; null && i < diags->n_items; i++) {
		const struct diag *diag = &diags->items[i];

		const bool has_place =
			diag->at >= diag->file->text && diag->at <= diag->file->text + diag->file->n_bytes;

		if (!has_place || (diag->kind != DIAG_ADVICE && !diag_meaning(diag->number))) {
			fprintf(stderr, "diagnosis %s '%s': %s\n", diag->number, diag->what,
				has_place ? "unknown number" : "is not in its file");
			abort();
		}
		diag_print(diag, null);
	}
	if (null)
		fclose(null);
}

static void load_template(struct fuzz_case *fuzz)
{
	struct template_file *file = template_file_of("fuzz", (const char *)fuzz->template, fuzz->n_template);

	fuzz->set = template_set_new(fuzz->is_aix ? "aix" : "fuzz");
	if (!file || !fuzz->set || template_set_add(fuzz->set, file, &fuzz->diags) != RST_OK)
		abort();
}

static struct stanza *choose_stanza(const struct fuzz_case *fuzz)
{
	const char *name = fuzz->is_aix ? "010" : "EVENT";
	struct template_set *set = fuzz->set;
	struct stanza *stanza = template_set_find_event(set, name, strlen(name));

	if (fuzz->wants_generated)
		return fuzz->is_aix ? generate_unknown(set) : generate_stanza(set, &fuzz->maker.layout);
	return !stanza && set->n_stanzas && !set->stanzas[0]->is_bad ? set->stanzas[0] : stanza;
}

/* Effects of the layout name its fields, and are what they were when they are printed and read again. */
static void check_layout_effects(struct fuzz_case *fuzz)
{
	struct rst_layout layout = fuzz->maker.layout;

	if (fuzz->is_aix)
		return;
	layout.n_effects = 0;
	if (!bind_effects(fuzz->set, &layout, &fuzz->diags))
		abort();
	for (unsigned i = 0; i < layout.n_effects; i++)
		if (!effect_survives(&layout, &layout.effects[i]))
			abort();
}

static void dump_passes_of(const struct fuzz_case *fuzz)
{
	FILE *null = fopen("/dev/null", "w");

	for (const struct dump_pass *pass = dump_passes; null && pass->name; pass++)
		pass->file(fuzz->set, fuzz->set->files[0], &fuzz->binding, null);
	if (null)
		fclose(null);
}

/*
 * The other kind of entry that the same stanza is bound to: of other words, or with a field that is
 * elsewhere.
 */
static struct binding other_binding(struct fuzz_case *fuzz)
{
	struct maker *maker = &fuzz->maker;

	if (fuzz->is_aix)
		return (struct binding){ .word_bytes = fuzz->is_64 ? 4 : 8 };
	memcpy(fuzz->other_fields, maker->fields, sizeof(maker->fields));
	fuzz->other_layout = maker->layout;
	fuzz->other_layout.fields = fuzz->other_fields;
	fuzz->other_fields[maker_pick(maker, MAKER_FIELDS_MAX)].offset++;
	fuzz->other_layout.n_fields -= fuzz->other_layout.n_fields && maker_pick(maker, 2);
	return (struct binding){ .word_bytes = 4, .layout = &fuzz->other_layout };
}

static void run_bound(struct fuzz_case *fuzz, const struct binding *binding)
{
	const struct unit *unit = bind_stanza(fuzz->set, fuzz->stanza, binding, &fuzz->diags);

	fuzz->binding = *binding;
	if (interp_accepts(&fuzz->interp, fuzz->stanza) != (unit != NULL)) {
		fprintf(stderr, "%s\n%.*s\n", unit ? "bound, but bad" : "not bound", (int)fuzz->n_template,
			(const char *)fuzz->template);
		abort();
	}
	if (unit)
		compare_entries(fuzz, unit);
}

static void run_case(struct fuzz_case *fuzz)
{
	const struct binding first = { .word_bytes = fuzz->is_64 ? 8 : 4,
		.layout = fuzz->is_aix ? NULL : &fuzz->maker.layout };
	const struct binding second = other_binding(fuzz);

	load_template(fuzz);
	check_set(fuzz->set, true, &fuzz->diags);
	fuzz->stanza = choose_stanza(fuzz);
	fuzz->interp = (struct ref_interp){ .set = fuzz->set,
		.binding = &fuzz->binding,
		.counts_ticks = fuzz->counts_ticks,
		.margin = fuzz->has_margin ? 5 : 0 };
	fuzz->runner->room_after = ROOM_AFTER;
	fuzz->runner->margin = fuzz->interp.margin;
	fuzz->runner->counts_ticks = fuzz->counts_ticks;
	check_layout_effects(fuzz);
	if (fuzz->stanza) {
		run_bound(fuzz, &first);
		run_bound(fuzz, &second);
		run_bound(fuzz, &first);
	}
	if (fuzz->wants_dumps)
		dump_passes_of(fuzz);
	check_diags(&fuzz->diags);
}

static bool read_case(struct fuzz_case *fuzz, const uint8_t *data, size_t size)
{
	enum { KIND_64 = 1, KIND_EVENT = 2 };

	if (size < 2)
		return false;
	const unsigned kind = data[0] >> 1 & 3;

	fuzz->is_made = data[0] & 1;
	fuzz->is_64 = kind == KIND_64;
	fuzz->is_aix = kind < KIND_EVENT;
	fuzz->is_generic = data[0] & 8;
	fuzz->counts_ticks = data[0] & 16;
	fuzz->has_margin = data[0] & 32;
	fuzz->wants_generated = data[0] & 64;
	fuzz->wants_dumps = data[0] & 128;
	fuzz->n_entry = data[1] % (ENTRY_BYTES_MAX + 1);
	data += 2;
	size -= 2;
	if (fuzz->n_entry > size)
		fuzz->n_entry = size;
	fuzz->entry = data;
	fuzz->template = data + fuzz->n_entry;
	fuzz->n_template = size - fuzz->n_entry;
	return true;
}

static void make_template(struct fuzz_case *fuzz)
{
	struct maker *maker = &fuzz->maker;

	maker->at = fuzz->template;
	maker->end = maker->at + fuzz->n_template;
	maker->is_aix = fuzz->is_aix;
	if (!fuzz->is_aix)
		maker_make_type(maker);
	if (!fuzz->is_made)
		return;
	maker_make_file(maker);
	fuzz->template = (const uint8_t *)maker->text;
	fuzz->n_template = maker->n_text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_case *fuzz = calloc(1, sizeof(*fuzz));

	if (!fuzz)
		return 0;
	fuzz->runner = calloc(1, sizeof(*fuzz->runner));
	if (fuzz->runner && read_case(fuzz, data, size)) {
		fuzz->runner->timers = calloc(RUN_TIMERS, sizeof(struct timer_slot));
		make_template(fuzz);
		run_case(fuzz);
		interp_done(&fuzz->interp);
		diags_done(&fuzz->diags);
		template_set_free(fuzz->set);
		free(fuzz->runner->timers);
	}
	free(fuzz->runner);
	free(fuzz);
	return 0;
}
