/* SPDX-License-Identifier: MIT */
/*
 * Lines "# effect:": what they give to layouts, to traces, and that the effects of every dialect read as they
 * print.
 */
#include <rastrum/trace.h>

#include "dialect/dialect.h"
#include "tests/tap.h"
#include "tests/template/effect_round.h"

static const struct rst_constant wait_rows[] = { { 0, "NO_WAIT" }, { 0xffffffff, "FOR_EVER" } };
static const struct rst_constants waits = { "wait", 2, wait_rows };
static const struct rst_field fields[] = {
	{ .name = "lock", .type = RST_OBJECT, .offset = 0, .n_bytes = 4, .zero_is_none = true },
	{ .name = "owner", .type = RST_OBJECT, .offset = 4, .n_bytes = 4, .zero_is_none = true },
	{ .name = "wait", .type = RST_ENUM, .offset = 8, .n_bytes = 4, .constants = &waits },
	{ .name = "add", .type = RST_UNSIGNED, .offset = 12, .n_bytes = 4 },
	{ .name = "words", .type = RST_TEXT, .offset = 16 },
};
enum { LOCK = 1, OWNER, WAIT, ADD, N_FIELDS = 5 };

struct fixture {
	struct template_set *set;
	struct diags diags;
	struct rst_type type;
	struct rst_layout layout;
};

static bool setup(struct fixture *f, const char *dialect, const char *text)
{
	struct template_file *file = template_file_of("test", text, strlen(text));

	*f = (struct fixture){ .set = template_set_new(dialect) };
	f->type = (struct rst_type){ .name = "EVENT", .name_bytes = 5, .label = "" };
	f->layout = (struct rst_layout){ .type = &f->type, .n_fields = N_FIELDS, .fields = fields };
	if (!f->set)
		file = template_file_free(file);
	return file && f->set && template_set_add(f->set, file, &f->diags) == RST_OK;
}

static void teardown(struct fixture *f)
{
	template_set_free(f->set);
	diags_done(&f->diags);
}

#define EVENT "\nEVENT 1.0 \"@\" x\n"

static void check_words(void)
{
	struct fixture f;

	setup(&f, "test",
		"# effect: acquire object=$lock phase=asks other=$owner limit=$wait-1 unit=kernel_ticks "
		"when $owner!=self and $wait=FOR_EVER and $add_>3" EVENT);
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 1 && !f.diags.n_items,
		"a line is an effect");
	const struct rst_effect *effect = f.layout.effects;

	ok(effect->kind == RST_EFFECT_ACQUIRE && effect->phase == RST_ASKS && effect->object.from == LOCK &&
			effect->other.from == OWNER && effect->unit == RST_UNIT_KERNEL_TICKS,
		"it has its kind, its phase and its fields");
	ok(effect->thread.from == RST_FROM_SELF,
		"without a thread it is the event's own context that does it");
	ok(effect->limit.from == WAIT && effect->limit.add == -1, "a number may be added to a field");
	ok(effect->when[0].test == RST_TEST_IS_OTHER && effect->when[0].of.from == OWNER,
		"a field is compared with the event's context");
	ok(effect->when[1].test == RST_TEST_IS && effect->when[1].value == 0xffffffff,
		"a field is compared with its constant by name");
	ok(effect->when[2].test == RST_TEST_AT_LEAST && effect->when[2].value == 4 &&
			effect->when[2].of.from == ADD,
		"a field that is called like a hook may have an underscore, and > is at least the next "
		"number");
	teardown(&f);
	setup(&f, "test",
		"# effect: begin name=\"a\" when $wait>$add_+1 and $add_!&=$wait and $lock&=6" EVENT);
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 1 && !f.diags.n_items,
		"conditions may compare two fields");
	effect = f.layout.effects;
	ok(effect->when[0].test == RST_TEST_AT_LEAST && effect->when[0].with.from == ADD &&
			effect->when[0].with.add == 2,
		"a field behind the sign may have a number added, and > is at least the next number");
	ok(effect->when[1].test == RST_TEST_LACKS_SOME && effect->when[1].with.from == WAIT &&
			effect->when[2].test == RST_TEST_HAS_ALL && effect->when[2].value == 6,
		"bits may be all there, or not all");
	teardown(&f);
}

static void check_dialects(void)
{
	static const struct rst_effect own[] = {
		{ .kind = RST_EFFECT_SEND, .object = { .from = LOCK }, .thread = { .from = RST_FROM_SELF } }
	};
	struct fixture f;

	setup(&f, "test", "# effect: begin name=\"a\"\n# a comment\n# EFFECT: end name=\"a\"" EVENT);
	f.layout.n_effects = 1;
	f.layout.effects = own;
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 3 &&
			f.layout.effects[0].kind == RST_EFFECT_SEND &&
			f.layout.effects[2].kind == RST_EFFECT_END,
		"the dialect's effects stay, and those of the lines come behind them");
	teardown(&f);
	setup(&f, "test", "# effect: none\n# effect: begin name=\"a\"" EVENT);
	f.layout.n_effects = 1;
	f.layout.effects = own;
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 1 &&
			f.layout.effects[0].kind == RST_EFFECT_BEGIN,
		"none takes the dialect's effects away");
	teardown(&f);
	setup(&f, "test", "# effect: none" EVENT);
	f.layout.n_effects = 1;
	f.layout.effects = own;
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 0 && f.layout.no_effect,
		"none alone leaves nothing, which has a reason");
	teardown(&f);
	setup(&f, "test", "# effect: begin name=\"a\"" EVENT "EVENT 1.0 \"@\" y\n");
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 0,
		"the effects of a stanza that another one takes the place of are gone");
	teardown(&f);
}

static bool tells(const char *line, const char *number)
{
	char text[200];
	struct fixture f;
	bool is_told;

	snprintf(text, sizeof(text), "# effect: %s" EVENT, line);
	setup(&f, "test", text);
	is_told = bind_effects(f.set, &f.layout, &f.diags) && f.diags.n_items == 1 &&
		  strcmp(f.diags.items[0].number, number) == 0 && f.layout.n_effects == 0;
	if (!is_told)
		printf("# %s: %s %s\n", line, f.diags.n_items ? f.diags.items[0].number : "nothing",
			f.diags.n_items ? f.diags.items[0].what : "");
	teardown(&f);
	return is_told;
}

static void check_faults(void)
{
	ok(tells("", "T17") && tells("begins", "T17") && tells("begin,", "T17"), "what is no effect is T17");
	ok(tells("begin nam=\"a\"", "T18") && tells("begin name", "T18") && tells("begin name=a", "T18") &&
			tells("begin name=\"\"", "T18") && tells("begin name=\"a", "T18") &&
			tells("begin name=\"a\"b", "T18") && tells("begin name=\"a\" name=\"b\"", "T18") &&
			tells("begin key=$", "T18") && tells("begin key=\"a\"", "T18") &&
			tells("begin key=event", "T18") && tells("begin key=0x80000000", "T18") &&
			tells("begin key=$add+x", "T18") && tells("end is=shared", "T18") &&
			tells("begin is=any", "T18") && tells("none begin", "T18"),
		"a bad word or value is T18");
	ok(tells("send", "T19") && tells("wake", "T19") && tells("level object=$lock", "T19") &&
			tells("state object=$lock other=1", "T19") &&
			tells("state object=$lock phase=in", "T19"),
		"an effect without what it needs is T19");
	ok(tells("send object=$lock phase=in", "T20") && tells("state object=$lock phase=asks", "T20") &&
			tells("wake thread=$lock phase=asks", "T20"),
		"a phase that is not the effect's is T20");
	ok(tells("send object=$lok", "T21") && tells("send object=$words", "T21") &&
			tells("begin key=$lok", "T21"),
		"a field that is not there, or is no number, is T21");
	ok(tells("begin when", "T22") && tells("begin when lock=1", "T22") &&
			tells("begin when $lock", "T22") && tells("begin when $lock=", "T22") &&
			tells("begin when $lock>self", "T22") && tells("begin when $lock=NO_WAIT", "T22") &&
			tells("begin when $lock=1 or $lock=2", "T22") &&
			tells("begin when $add>18446744073709551615", "T22") &&
			tells("begin when $add>$lock+2147483647", "T22") &&
			tells("begin when $add=$lok", "T21") &&
			tells("begin when $add=1 and $add=1 and $add=1 and $add=1", "T22"),
		"a bad condition is T22");
}

static void check_aix(void)
{
	static const struct rst_field words[] = {
		{ .name = "data", .type = RST_HEX, .offset = 2, .n_bytes = 2 },
		{ .name = "d1", .type = RST_HEX, .offset = 4, .n_bytes = 4 }
	};
	struct fixture f;

	setup(&f, "aix",
		"# effect: begin name=\"a\" key=$D1 when $HD=1\n# effect: end name=\"a\" key=$D1 when $D2=1\n"
		"010 1.0 \"@\" x\n");
	f.type.name = "010";
	f.type.name_bytes = 3;
	f.layout.hook_bytes = 4;
	f.layout.fields = words;
	f.layout.n_fields = 2;
	ok(bind_effects(f.set, &f.layout, &f.diags) && f.layout.n_effects == 1 && !f.diags.n_items &&
			f.layout.effects->key.from == 2 && f.layout.effects->when[0].of.from == 1,
		"of an entry the fields are its words, and a line with a word that it lacks does nothing");
	check_effects(template_set_find_event(f.set, "010", 3), NULL, &f.diags);
	ok(f.diags.n_items == 0, "all words of entries are known");
	teardown(&f);
}

/* Each effect of each event of a dialect, but those with numbers of states, which lines do not have. */
static void check_round(const struct dialect *dialect)
{
	struct model model;
	bool is_good = model_init(&model) && dialect->catalogue && dialect->catalogue(&model);
	unsigned n = 0;

	for (size_t i = 0; is_good && i < model.n_layouts; i++)
		for (unsigned e = 0; e < model.layouts[i]->n_effects; e++) {
			const struct rst_effect *effect = &model.layouts[i]->effects[e];

			if (effect->codes)
				continue;
			n++;
			is_good &= effect_survives(model.layouts[i], effect);
		}
	ok(is_good, "the effects of %s read as they print", dialect->name);
	printf("# %u\n", n);
	model_done(&model);
}

static bool give_fails(void *context, struct rst_layout *layout)
{
	(void)context;
	(void)layout;
	return false;
}

static bool give_counts(void *context, struct rst_layout *layout)
{
	size_t *n = context;

	(*n)++;
	layout->no_effect = "given";
	return true;
}

/* An AIX recording of one stamped entry without data. */
static void check_traces(void)
{
	static const uint8_t bytes[] = { 'R', 'S', 'T', 'A', 1, 1, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x09,
		0, 1, 0, 0, 0, 7, 0, 0, 0, 9 };
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;
	struct rst_error err;
	size_t n = 0;

	ok(rst_trace_open_bytes(&trace, bytes, sizeof(bytes), "test", NULL, &err) == RST_OK &&
			rst_trace_give_effects(trace, give_counts, &n, &err) == RST_OK && n >= 2,
		"layouts that a trace has are given effects at once");
	n = 0;
	ok(rst_trace_next(trace, &batch, &err) == RST_OK && n == 1 && batch->layout[0]->no_effect,
		"those that come are given theirs before an event has them");
	rst_trace_free(trace);
	trace = NULL;
	ok(rst_trace_open_bytes(&trace, bytes, sizeof(bytes), "test", NULL, &err) == RST_OK &&
			rst_trace_give_effects(trace, give_fails, NULL, &err) == RST_E_NOMEM,
		"without memory that is reported");
	ok(rst_trace_next(trace, &batch, &err) == RST_E_NOMEM, "and when it runs out later, too");
	rst_trace_free(trace);
}

static void check_memory(void)
{
	bool is_clean = true;
	long n = 0;

	for (bool is_done = false; !is_done && n < 100; n++) {
		struct fixture f;

		tap_fail_alloc_after(n);
		is_done = setup(&f, "test", "# effect: begin name=\"a\" key=$add when $wait=NO_WAIT" EVENT) &&
			  bind_effects(f.set, &f.layout, &f.diags);
		tap_fail_alloc_after(-1);
		is_clean &= !is_done || f.layout.n_effects == 1;
		teardown(&f);
	}
	ok(is_clean && n > 3 && n < 100, "memory may run out anywhere");
}

int main(void)
{
	check_words();
	check_dialects();
	check_faults();
	check_aix();
	for (size_t i = 0; dialects[i]; i++)
		if (dialects[i]->catalogue)
			check_round(dialects[i]);
	check_traces();
	check_memory();
	return tap_done();
}
