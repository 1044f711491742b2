/* SPDX-License-Identifier: MIT */
/* rst_trace_field_text(): the text of a field as users of the library get it. */
#include <string.h>

#include <rastrum/rastrum.h>

#include "tests/image.h"
#include "tests/tap.h"

enum { IMAGE_ROOM = 4096 };

static const struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 32,
	.n_registry = 2,
	.n_events = 2,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

/* The field of that name of a row. */
static const struct rst_field *field_of(const struct rst_batch *batch, size_t row, const char *name)
{
	const struct rst_layout *found = batch->layout[row];

	for (unsigned i = 0; i < found->n_fields; i++)
		if (strcmp(found->fields[i].name, name) == 0)
			return &found->fields[i];
	return NULL;
}

static void check_text(struct rst_trace *trace, const struct rst_batch *batch, const char *name,
	const char *text, const char *sentence)
{
	const struct rst_field *field = field_of(batch, 0, name);
	size_t n_bytes = 0;
	const char *got = field ? rst_trace_field_text(trace, batch, 0, field, &n_bytes) : NULL;

	is_text(got, text, sentence);
	ok(got && strlen(got) == n_bytes, "%s: its length is right", sentence);
}

static void check_texts(struct rst_trace *trace, const struct rst_batch *batch)
{
	const struct rst_field bytes = { .type = RST_BYTES, .offset = 4, .n_bytes = 2 },
			       beyond = { .type = RST_UNSIGNED, .offset = UINT32_MAX, .n_bytes = 4 },
			       words = { .type = RST_SEQUENCE,
				       .n_bytes = 8,
				       .item_type = RST_HEX,
				       .item_bytes = 4 };

	check_text(trace, batch, "queue_ptr", "inbox", "an object has its name");
	check_text(trace, batch, "wait_option", "TX_WAIT_FOREVER", "a constant has its name");
	check_text(trace, batch, "enqueued", "1", "a number is in decimal");
	is_text(rst_trace_field_text(trace, batch, 0, &bytes, NULL), "0090", "bytes are hexadecimal digits");
	is_text(rst_trace_field_text(trace, batch, 0, &words, NULL), "[0x2000, 0x9000]",
		"a sequence has its elements");
	is_text(rst_trace_field_text(trace, batch, 0, &beyond, NULL), "?",
		"what is cut off is a question mark");
}

int main(void)
{
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
		{ .type = TXTB_TYPE_QUEUE, .address = 0x2000, .name = "inbox" },
	};
	const struct txtb_event events[] = {
		{ .thread = 0x1000, .id = 69, .stamp = 1, .info = { 0x2000, 0x9000, 0xffffffff, 1 } },
		{ .thread = 0x1000, .id = 69, .stamp = 2, .info = { 0x2000, 0x9000, 0, 2 } },
	};
	uint8_t image[IMAGE_ROOM];
	const struct rst_batch *batch;
	struct rst_trace *trace = NULL;

	image_fill(&layout, image, 0, objects, events, layout.n_events);
	if (ok(rst_trace_open_bytes(&trace, image, (size_t)txtb_image_bytes(&layout), "test", NULL, NULL) ==
				    RST_OK &&
			    rst_trace_next(trace, &batch, NULL) == RST_OK,
		    "there is an event")) {
		tap_fail_alloc_after(0);
		ok(!rst_trace_field_text(trace, batch, 0, field_of(batch, 0, "queue_ptr"), NULL),
			"without memory there is no text");
		tap_fail_alloc_after(-1);
		check_texts(trace, batch);
	}
	rst_trace_free(trace);
	return tap_done();
}
