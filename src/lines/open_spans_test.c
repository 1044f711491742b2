/* SPDX-License-Identifier: MIT */
/* Rows by hand, of no dialect: effects alone define what is under way. */
#include "lines/open_spans.h"

#include <rastrum/effect.h>
#include <string.h>

#include "tests/tap.h"

enum { ROWS = 16 };

static const struct rst_constant jobs[] = { { 0, "rest" }, { 7, "wash" } };
static const struct rst_constants job_names = { "job", 2, jobs };

static const struct rst_field fields[] = {
	{ .name = "object", .type = RST_OBJECT, .offset = 0, .n_bytes = 1 },
	{ .name = "job", .type = RST_ENUM, .offset = 1, .n_bytes = 1, .constants = &job_names },
	{ .name = "level", .type = RST_SIGNED, .offset = 2, .n_bytes = 2, .is_big_endian = true },
	{ .name = "who", .type = RST_OBJECT, .offset = 2, .n_bytes = 2, .is_big_endian = true },
};
enum { OBJECT, JOB, LEVEL, WHO, N_FIELDS };

#define FIELD(n)                \
	{                       \
		.from = (n) + 1 \
	}
#define SELF                          \
	{                             \
		.from = RST_FROM_SELF \
	}

static const struct rst_effect effects[] = {
	{ .kind = RST_EFFECT_BEGIN, .thread = SELF, .object = FIELD(JOB) },
	{ .kind = RST_EFFECT_BEGIN, .thread = SELF, .object = FIELD(LEVEL) },
	{ .kind = RST_EFFECT_BEGIN, .thread = SELF, .name = "paint", .key = FIELD(LEVEL) },
	{ .kind = RST_EFFECT_BEGIN, .thread = SELF },
	{ .kind = RST_EFFECT_BEGIN, .thread = FIELD(OBJECT), .object = FIELD(JOB) },
	{ .kind = RST_EFFECT_BEGIN, .thread = SELF, .object = FIELD(WHO) },
	{ .kind = RST_EFFECT_END, .thread = SELF, .object = FIELD(JOB) },
	{ .kind = RST_EFFECT_END, .thread = SELF, .is_any = true },
	{ .kind = RST_EFFECT_END, .thread = SELF, .name = "paint", .key = FIELD(LEVEL) },
	{ .kind = RST_EFFECT_SEND, .thread = SELF, .object = FIELD(JOB) },
};
enum {
	BEGIN,
	BEGIN_LEVEL,
	BEGIN_NAME,
	BEGIN_NOTHING,
	BEGIN_OTHER,
	BEGIN_WHO,
	END,
	END_ANY,
	END_NAME,
	PLAIN,
	LOSS,
	N_TYPES
};

static const struct rst_context contexts[] = {
	{ .kind = RST_CONTEXT_THREAD, .index = 0, .name = "a" },
	{ .kind = RST_CONTEXT_THREAD, .index = 100, .name = "b" },
	{ .kind = RST_CONTEXT_ISR, .index = 2, .name = "isr" },
};
enum { A, B, ISR };

/* Object 1, the job 7, the level -2. */
static const uint8_t one[] = { 1, 7, 0xff, 0xfe, 'w' }, two[] = { 2, 0, 0, 5, 0 };

struct fixture {
	struct rst_type types[N_TYPES];
	struct rst_layout layouts[N_TYPES];
	struct template_set *templates;
	struct rst_trace *trace; /* of no events */
	struct diags diags;
	struct open_spans spans;
	struct rst_batch batch;
	uint64_t seq[ROWS];
	const struct rst_type *type[ROWS];
	const struct rst_layout *layout[ROWS];
	const struct rst_context *context[ROWS];
	const uint8_t *payload[ROWS];
	uint32_t payload_bytes[ROWS];
};

static bool setup(struct fixture *f, const char *templates)
{
	static const uint8_t header[16] = { 'R', 'S', 'T', 'A', 1, 0, 4 }; /* of an AIX recording */
	struct rst_error err;
	struct template_file *file = template_file_of("test", templates, strlen(templates));

	memset(f, 0, sizeof(*f));
	for (uint32_t i = 0; i < N_TYPES; i++) {
		f->types[i] = (struct rst_type){ .index = i, .marker = i < LOSS ? RST_EVENT : RST_LOSS };
		f->layouts[i] = (struct rst_layout){ .type = &f->types[i],
			.index = i,
			.n_fields = N_FIELDS,
			.fields = fields,
			.n_effects = i < LOSS,
			.effects = &effects[i < LOSS ? i : 0] };
	}
	f->templates = template_set_new("none");
	f->batch = (struct rst_batch){ .seq = f->seq,
		.type = f->type,
		.layout = f->layout,
		.context = f->context,
		.payload = f->payload,
		.payload_bytes = f->payload_bytes };
	return rst_trace_open_bytes(&f->trace, header, sizeof(header), "test", NULL, &err) == RST_OK &&
	       f->templates && file && template_set_add(f->templates, file, &f->diags) == RST_OK &&
	       open_spans_init(&f->spans, f->templates);
}

static void teardown(struct fixture *f)
{
	open_spans_done(&f->spans);
	template_set_free(f->templates);
	diags_done(&f->diags);
	f->trace = rst_trace_free(f->trace);
}

static void add_bytes(struct fixture *f, int type, int context, const uint8_t *payload, uint32_t n_bytes)
{
	size_t row = f->batch.n_events++;

	f->seq[row] = row;
	f->type[row] = &f->types[type];
	f->layout[row] = &f->layouts[type];
	f->context[row] = &contexts[context];
	f->payload[row] = payload;
	f->payload_bytes[row] = n_bytes;
}

static void add(struct fixture *f, int type, int context, const uint8_t *payload)
{
	add_bytes(f, type, context, payload, sizeof(one));
}

static void is_underway(struct fixture *f, size_t row, const char *expected, const char *sentence)
{
	const struct text text = open_spans_text(&f->spans, f->trace, &f->batch, row);
	char got[100] = "";

	memcpy(got, text.bytes, text.n_bytes < sizeof(got) ? text.n_bytes : sizeof(got) - 1);
	is_text(got, expected, sentence);
}

static const char asks[] = "helper 1.0 \"@\" x $y, 1 { a LOOP U1 { $UNDERWAY } }\n";

static void check_work(void)
{
	struct fixture f;

	ok(setup(&f, asks) && f.spans.is_wanted, "a template asks, deep within");
	add(&f, PLAIN, A, one);
	add(&f, BEGIN, A, one);
	add(&f, PLAIN, B, one);
	add(&f, PLAIN, A, two);
	add(&f, END, A, two);
	add(&f, PLAIN, A, two);
	add(&f, END, A, one);
	add(&f, PLAIN, A, one);
	is_underway(&f, 0, "", "before anything begins nothing is under way");
	is_underway(&f, 1, "wash", "what begins is under way, as its field prints");
	is_underway(&f, 2, "", "another thread has no part in it");
	is_underway(&f, 3, "wash", "the thread is at it, whatever the event is about");
	is_underway(&f, 3, "wash", "a second question has the same answer");
	is_underway(&f, 5, "wash", "the end of span on another object ends nothing");
	is_underway(&f, 6, "wash", "the event that ends it still belongs to it");
	is_underway(&f, 7, "", "behind it nothing is under way");
	teardown(&f);
}

static void check_batches(void)
{
	struct fixture f;

	ok(setup(&f, asks), "two threads are at work");
	add(&f, BEGIN, A, one);
	add(&f, BEGIN_LEVEL, B, one);
	ok(open_spans_end_batch(&f.spans, f.trace, &f.batch), "this batch uses none");
	f.batch.n_events = 0;
	add(&f, PLAIN, B, two);
	add(&f, PLAIN, A, two);
	add(&f, BEGIN_LEVEL, A, two);
	add(&f, LOSS, A, NULL);
	add(&f, PLAIN, A, two);
	add(&f, PLAIN, B, two);
	add(&f, BEGIN, A, two);
	add(&f, PLAIN, A, two);
	is_underway(&f, 0, "-2", "work goes on in the next batch");
	is_underway(&f, 1, "wash", "the other thread's, too");
	is_underway(&f, 2, "5", "what begins takes the place of what went on");
	is_underway(&f, 4, "", "behind a loss nothing is known of it");
	is_underway(&f, 5, "", "nor of any other");
	is_underway(&f, 7, "rest", "but of what began behind the loss");
	ok(open_spans_end_batch(&f.spans, f.trace, &f.batch), "the batch is done");
	teardown(&f);
}

static void check_values(void)
{
	struct fixture f;

	ok(setup(&f, asks), "work of all kinds");
	add(&f, BEGIN, ISR, one);
	add(&f, BEGIN_WHO, A, one);
	add(&f, END, A, two);
	add(&f, PLAIN, A, one);
	add(&f, END_ANY, A, two);
	add(&f, BEGIN_NOTHING, A, one);
	add(&f, BEGIN_NAME, A, one);
	add(&f, END_NAME, A, two);
	add(&f, END_NAME, A, one);
	add(&f, PLAIN, A, one);
	add_bytes(&f, BEGIN_LEVEL, A, one, 3);
	add(&f, BEGIN_OTHER, B, one);
	is_underway(&f, 0, "", "interrupts are many in one, so that nothing is known of them");
	is_underway(&f, 1, "0xfffe", "an object without a name is its id");
	is_underway(&f, 3, "0xfffe", "the end of a span on another object ends nothing");
	is_underway(&f, 5, "", "work without an object and a name says nothing");
	is_underway(&f, 6, "paint", "work with a name is called so");
	is_underway(&f, 8, "paint", "the end of a span with another key ends nothing");
	is_underway(&f, 9, "", "behind the end with its key nothing is under way");
	is_underway(&f, 10, "", "an event that is cut off in front of its object begins nothing");
	is_underway(&f, 11, "", "work that another thread is given is not the event's own");
	teardown(&f);
}

static void check_need(void)
{
	struct fixture f;
	bool is_clean = true;

	ok(setup(&f, "helper 1.0 \"@\" $UNDER $y \"$UNDERWAY\"\n") && !f.spans.is_wanted,
		"where no template asks nothing is followed");
	teardown(&f);
	for (long n = 0; n < 2; n++) {
		is_clean &= setup(&f, asks);
		add(&f, BEGIN, B, one);
		tap_fail_alloc_after(n);
		is_clean &= !open_spans_end_batch(&f.spans, f.trace, &f.batch);
		tap_fail_alloc_after(-1);
		teardown(&f);
	}
	ok(is_clean, "without memory the report is told");
}

int main(void)
{
	check_work();
	check_batches();
	check_values();
	check_need();
	return tap_done();
}
