/* SPDX-License-Identifier: MIT */
/* Texts that are kept are those that the template would make, for every event; and they are kept. */
#include "lines/text_cache.h"

#include "tests/image.h"
#include "tests/tap.h"
#include "tests/texts.h"

enum { IMAGE_ROOM = 4096 };

static void check_recording(const char *path, bool omits_subject)
{
	struct texts f;

	if (!ok(rst_trace_open(&f.trace, path, NULL, NULL) == RST_OK && texts_start(&f, NULL), "%s opens",
		    path))
		return;
	f.input.runner.omits_subject = omits_subject;
	ok(texts_are_all_same(&f), "%s: all texts are those of the templates, %s their subjects", path,
		omits_subject ? "without" : "with");
	texts_stop(&f);
}

/* --- what changes a text that is kept ------------------------------------------------------------------- */

enum { CREATE = 60, DELETE = 61, SEND = 69, RUNNING = 6 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 16,
	.n_registry = 3,
	.n_events = 7,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

/* Two threads send to one queue, of which the registry has the name of a second life. */
static void open_image(struct texts *f, uint8_t image[IMAGE_ROOM])
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
		{ .type = TXTB_TYPE_THREAD, .address = 0x1100, .name = "high" },
		{ .type = TXTB_TYPE_QUEUE, .address = 0x2000, .name = "line" },
	};
	const struct txtb_event events[] = {
		{ .thread = 0x1000, .id = SEND, .stamp = 1, .info = { 0x2000, 0x9000, 0, 1 } },
		{ .thread = 0x1100, .id = SEND, .stamp = 2, .info = { 0x2000, 0x9100, 0, 1 } },
		{ .thread = 0x1000, .id = SEND, .stamp = 3, .info = { 0x2000, 0x9000, 0, 2 } },
		{ .thread = 0x1000, .id = DELETE, .stamp = 4, .info = { 0x2000, 0x9200, 0, 0 } },
		{ .thread = 0x1000, .id = CREATE, .stamp = 5, .info = { 0x2000, 0x9200, 2, 5 } },
		{ .thread = 0x1000, .id = SEND, .stamp = 6, .info = { 0x2000, 0x9000, 0, 1 } },
		{ .thread = 0x1000, .id = RUNNING, .stamp = 7 },
	};

	image_fill(&layout, image, 0, objects, events, layout.n_events);
	rst_trace_open_bytes(&f->trace, image, (size_t)txtb_image_bytes(&layout), "some.trx", NULL, NULL);
}

static struct text_use *use_of(struct texts *f, size_t row)
{
	return plan_of(&f->input, f->batch->layout[row])->use;
}

static void check_what_is_kept(void)
{
	static const char sends[] = "TX_TRACE_QUEUE_SEND 1.0 \"@\" $EXECPATH \" sends to \" "
				    "$queue_ptr\nTX_TRACE_RUNNING 1.0 \"@\" $CPUID\n";
	static const struct set_off other[N_SET_OFF] = { { "<", ">", 1, 1 }, { "<", ">", 1, 1 } };
	uint8_t image[IMAGE_ROOM];
	char first[TEXTS_MAX], again[TEXTS_MAX];
	struct texts f;

	open_image(&f, image);
	ok(texts_start(&f, sends), "a trace is there");
	input_refresh(&f.input);
	f.input.runner.omits_subject = true;
	ok(use_of(&f, 5) && !use_of(&f, 6), "texts with the number of the core are not kept");
	const struct text fifth = texts_make(&f, 5, true, first);

	/* Templates would set names off otherwise now; texts that are kept are as they were. */
	f.input.runner.set_off = other;
	ok(text_is_same(fifth, texts_make(&f, 5, true, again)), "a text that is kept is not made again");
	f.input.runner.omits_subject = false;
	const struct text named = texts_make(&f, 5, true, again);

	again[named.n_bytes] = '\0';
	ok(strstr(again, "low sends to 'line'") != NULL, "it stands behind the subject of the event");
	ok(strstr((texts_make(&f, 1, true, again), again), "<") != NULL,
		"in front of the event that it was made for it does not hold: an id may mean something else");
	texts_stop(&f);
}

static void check_lives(bool omits_subject)
{
	uint8_t image[IMAGE_ROOM];
	struct texts f;

	open_image(&f, image);
	ok(texts_start(&f, NULL), "a trace is there");
	f.input.runner.omits_subject = omits_subject;
	ok(texts_are_all_same(&f), "an object in the place of another one has its own texts, %s subjects",
		omits_subject ? "without" : "with");
	texts_stop(&f);
}

/* The fields that the template reads are the key, and those alone. */
static void check_keys(void)
{
	static const char sends[] = "TX_TRACE_QUEUE_SEND 1.0 \"@\" $enqueued\n";
	uint8_t image[IMAGE_ROOM];
	struct text_use *use;
	struct texts f;

	open_image(&f, image);
	ok(texts_start(&f, sends), "a trace is there");
	use = use_of(&f, 0);
	if (!ok(use != NULL, "its texts are kept"))
		return;
	is_number(use->n_words, 1, "the key has one word,");
	is_number((uint64_t)use->at[0], 8, "the last one of the payload,");
	is_number(use->mask[0], UINT64_C(0xffffffff) << 32, "of which the template reads a half");
	ok(!use->has_context && !use->has_subject && use->need == 16, "and nothing else");
	use->credit = 1;
	for (int i = 0; i < 2; i++) {
		char text[TEXTS_MAX];

		texts_make(&f, 2 * (size_t)i, true, text);
	}
	ok(use->credit < -1, "without credit none are looked for,");
	use->credit = 0;
	ok(!text_use_is_due(use) && text_use_is_due(use), "but some after a while");
	texts_stop(&f);
}

int main(void)
{
	static const char *const paths[] = {
		"tests/data/threadx/basic_objects.trx",
		"tests/data/threadx/second_boundary_linux64.trx",
		"tests/data/threadx/smp_ulong64.trx",
		"tests/data/threadx/isr_nested.trx",
		"tests/data/rkh/r1_default.bin",
		"tests/data/rkh/r4_nonseq_ts8_ptr16.bin",
		"tests/data/liteos/m_arm32_full_agent/online.tlv",
		"tests/data/liteos/a_arm32_smp4_core_count/offline.bin",
		"tests/data/liteos/a_lp64_smp2_reset_filter/client_dump.tlv",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		check_recording(paths[i], true);
		check_recording(paths[i], false);
	}
	check_what_is_kept();
	check_lives(true);
	check_lives(false);
	check_keys();
	return tap_done();
}
