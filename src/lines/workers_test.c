/* SPDX-License-Identifier: MIT */
/*
 * Threads that cannot have the trace, and threads that have another one. tests/cli/threads.t compares what
 * they write.
 */
#include "lines/workers.h"

#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "lines/format.h"
#include "tests/image.h"
#include "tests/tap.h"
#include "trace/place.h"

enum { IMAGE_ROOM = 1 << 20, N_EVENTS = 20000, N_OTHER = 4000, RUNNING = 6 };

static struct txtb_layout layout = { .word_bytes = 4,
	.name_bytes = 16,
	.n_registry = 1,
	.n_events = N_EVENTS,
	.base = 0x20000000,
	.timer_mask = TXTB_MASK_32 };

/* The input of a thread. */
struct supply {
	const uint8_t *image;
	bool has_templates;
	size_t n_cut;	    /* bytes at the end of the image that are not there */
	bool is_waited_for; /* the first thread formats one batch, and leaves the next ones to the others */
	atomic_uint n_opened, n_closed;
};

static void supply_wait(void *context, uint64_t n_events)
{
	struct supply *supply = context;

	(void)n_events;
	while (supply->is_waited_for && supply->n_closed == 0)
		sched_yield();
}

static bool supply_open(void *context, struct report_input *input, void **ret_owned)
{
	struct supply *supply = context;

	supply->n_opened++;
	*ret_owned = supply->has_templates ? template_set_new("threadx") : NULL;
	input->templates = *ret_owned;
	input->diags = &input->own_diags;
	return supply->image &&
	       rst_trace_open_bytes(&input->trace, supply->image,
		       (size_t)txtb_image_bytes(&layout) - supply->n_cut, "some.trx", NULL, NULL) == RST_OK;
}

static void supply_close(void *context, struct report_input *input, void *owned)
{
	struct supply *supply = context;

	rst_trace_free(input->trace);
	template_set_free(owned);
	supply->n_closed++;
}

static void make_image(uint8_t *image, uint64_t n_events)
{
	static struct txtb_event events[N_EVENTS];
	const struct txtb_object objects[] = {
		{ .type = TXTB_TYPE_THREAD, .address = 0x1000, .name = "low" },
	};

	for (uint64_t i = 0; i < n_events; i++)
		events[i] = (struct txtb_event){ .thread = 0x1000,
			.id = RUNNING,
			.priority = txtb_priority(7, 7),
			.stamp = (uint32_t)(100 + 5 * i) };
	memset(image, 0, IMAGE_ROOM);
	image_fill(&layout, image, 0, objects, events, n_events);
}

/* Lines go to a file, since what stays in memory is for one thread. */
static enum rst_status report_by(
	const uint8_t *image, unsigned n_threads, struct supply *supply, int fd, struct rst_error *err)
{
	static const struct filter_spec all;
	const struct report_opener opener = { .open = supply_open, .close = supply_close, .context = supply };
	struct report_input input = { .trace = NULL };
	struct report report = { .options = { .filter = &all, .format = &report_format_text },
		.n_left = UINT64_MAX,
		.n_threads = n_threads,
		.progress = supply_wait,
		.progress_context = supply,
		.opener = &opener };
	enum rst_status status = RST_E_NOMEM;
	struct outbuf out;

	if (!outbuf_init(&out, fd))
		return status;
	report.out = &out;
	if (rst_trace_open_bytes(
		    &input.trace, image, (size_t)txtb_image_bytes(&layout), "some.trx", NULL, err) == RST_OK)
		status = report_trace(&report, &input, err);
	outbuf_flush(&out);
	outbuf_done(&out);
	rst_trace_free(input.trace);
	return status;
}

static off_t lines_size(const uint8_t *image, unsigned n_threads, struct supply *supply,
	enum rst_status expected, const char *what)
{
	const int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	struct rst_error err = { .status = RST_OK };
	const enum rst_status status = report_by(image, n_threads, supply, fd, &err);
	const off_t size = lseek(fd, 0, SEEK_END);

	close(fd);
	ok(status == expected && (status >= 0 || strcmp(err.what, "the file changed while it was read") == 0),
		"%s", what);
	ok(supply->n_opened == supply->n_closed, "what a thread has opened, it closes");
	return size;
}

/*
 * Allocations in front of the first thread: from then on, which one fails would depend on which thread runs.
 */
static void check_no_memory(void)
{
	enum { N_ALLOCATIONS = 12 };
	static const struct filter_spec all;
	struct supply none = { .has_templates = false };
	const struct report_opener opener = { .open = supply_open, .close = supply_close, .context = &none };
	struct report report = {
		.options = { .filter = &all }, .n_left = UINT64_MAX, .n_threads = 2, .opener = &opener
	};
	struct report_input input = { .report = &report };
	struct outbuf out;
	unsigned n_failed = 0;

	if (!outbuf_init(&out, STDOUT_FILENO))
		return;
	report.out = &out;
	for (long n = 0; n < N_ALLOCATIONS; n++) {
		struct rst_error err;

		tap_fail_alloc_after(n);
		n_failed += workers_init(&input, &err) == RST_E_NOMEM && !report.worker;
		tap_fail_alloc_after(-1);
	}
	outbuf_done(&out);
	ok(n_failed == N_ALLOCATIONS && none.n_opened == 0,
		"memory that runs out before they start is an error");
}

int main(void)
{
	static uint8_t image[IMAGE_ROOM], other[IMAGE_ROOM];
	struct supply none = { .has_templates = false }, half = { .has_templates = true };
	struct supply same = { .image = image, .has_templates = true },
		      changed = { .image = other, .has_templates = true, .is_waited_for = true };
	struct supply shorter = changed;
	off_t size;

	if (txtb_image_bytes(&layout) > IMAGE_ROOM)
		return tap_done();
	shorter.n_cut = 1;
	make_image(image, N_EVENTS);
	make_image(other, N_OTHER);
	size = lines_size(image, 1, &none, RST_OK, "one thread opens nothing for others");
	ok(size > N_EVENTS && none.n_opened == 0, "and writes a line for each event");
	ok(lines_size(image, 4, &none, RST_OK, "threads that cannot open the trace leave it to the first") ==
				size &&
			none.n_opened == 3,
		"which writes all of it");
	ok(lines_size(image, 3, &half, RST_OK, "so do threads that have nothing but templates") == size,
		"with the same lines");
	ok(lines_size(image, 3, &same, RST_OK, "threads that can open it share the work") == size,
		"with the same lines");
	lines_size(image, 2, &changed, RST_E_DAMAGED, "a thread that reads something else is found out");
	lines_size(image, 2, &shorter, RST_E_DAMAGED, "one whose file is shorter is found out");
	check_no_memory();
	return tap_done();
}
