/* SPDX-License-Identifier: MIT */
/* The worked example of docs/LOG.md is what the writer writes. */
#include "log/log_test.h"

static struct image example_log(void)
{
	const struct log_start start = { .content = LOG_CONTENT_POSIX,
		.clock = LOG_CLOCK_MONOTONIC,
		.clock_hz = 1000000000,
		.start_seconds = 1700000000,
		.pid = 4242,
		.host = "pi",
		.command = "./ticker -n 2",
		.policy = POSIX_TRACE_APPEND };
	const struct log_type type = { .id = 65, .n_fields = 1, .name = "tick" };
	const struct log_field field = { .name = "count", .kind = POSIX_TRACE_UNSIGNED_NP, .size = 4 };
	struct log_event event = { .type = 65,
		.length = 4,
		.cpu = 1,
		.ticks = 1000,
		.address = 0x401136,
		.pid = 4242,
		.tid = 4243,
		.thread = 0x7f0000000700 };
	const int fd = memory_file();
	struct sample sample;
	struct image image;

	sample_begin(&sample, fd, &start);
	log_clock_pair(&sample.writer,
		&(struct log_clock_pair){
			.ticks = 900, .monotonic = 900, .realtime = 1700000000000000000, .error = 50 });
	log_type(&sample.writer, &type, &field);
	log_event(&sample.writer, &event, (unsigned char[]){ 1, 0, 0, 0 });
	event.ticks = 2500;
	log_event(&sample.writer, &event, (unsigned char[]){ 2, 0, 0, 0 });
	log_finish(&sample.writer, &(struct log_end){ .reason = LOG_END_EXIT });
	image = image_of(fd);
	sample_done(&sample);
	close(fd);
	return image;
}

/* As hexdump(1) -C does it, a star for lines that repeat the one before. */
static char *dump(const struct image *image)
{
	char *text = malloc(image->n * 6 + 200), *to = text;
	bool is_starred = false;

	for (size_t at = 0; at < image->n; at += 16) {
		const size_t n = image->n - at < 16 ? image->n - at : 16;
		const unsigned char *line = image->bytes + at;

		if (at >= 16 && n == 16 && memcmp(line, line - 16, 16) == 0) {
			to += is_starred ? 0 : sprintf(to, "*\n");
			is_starred = true;
			continue;
		}
		is_starred = false;
		to += sprintf(to, "%08zx ", at);
		for (size_t i = 0; i < 16; i++)
			to += i < n ? sprintf(to, "%s%02x", i == 8 ? "  " : " ", line[i])
				    : sprintf(to, "%s  ", i == 8 ? "  " : " ");
		to += sprintf(to, "  |");
		for (size_t i = 0; i < n; i++)
			*to++ = (char)(line[i] >= ' ' && line[i] < 127 ? line[i] : '.');
		to += sprintf(to, "|\n");
	}
	sprintf(to, "%08zx\n", image->n);
	return text;
}

int main(void)
{
	struct image image = example_log(), page;
	struct found found = found_in(image.bytes, image.n, 4);
	char *text = dump(&image);

	page.bytes = tap_slurp("docs/LOG.md", &page.n);
	page.bytes = realloc(page.bytes, page.n + 1);
	page.bytes[page.n] = 0;
	ok(!found.error && found.n_blocks == 4 && found.n_damages == 0,
		"the example of docs/LOG.md is a log");
	if (!ok(sizeof(void *) != 8 || __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__ ||
			    strstr((const char *)page.bytes, text),
		    "and it is what the writer writes"))
		printf("%s", text);
	free(text);
	free(page.bytes);
	free(image.bytes);
	found_done(&found);
	return tap_done();
}
