/* SPDX-License-Identifier: MIT */
/*
 * The floor for reading: what a formatter written by hand for one fixed record costs, without types, names,
 * order or bounds. Whatever the product does is measured in multiples of it.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "bench/bench.h"

enum { FLOOR_OUT_BYTES = 1 << 18, FLOOR_LINE_MAX = 256, N_NAMES = 8 };

#define NS_PER_SECOND 1000000000U

struct floor_record {
	uint64_t time;
	uint32_t id, core;
	uint64_t a, b;
};

static const char *const names[N_NAMES] = { "sched_switch", "irq_entry", "irq_exit", "sem_take", "sem_give",
	"queue_send", "queue_recv", "user" };

struct line_out {
	char *start, *at, *end;
	int fd;
	bool is_good;
	uint64_t second; /* that the cached hours, minutes and seconds are of */
	char clock[16];
	size_t name_bytes[N_NAMES];
};

/* Writes nine digits without a loop: the unit of reading must not be slow. */
static char *put_nine(char *p, uint32_t v)
{
	const uint32_t high = v / 100000000;
	const uint64_t eight = htole64(text_eight(v - high * 100000000));

	*p = (char)('0' + high);
	memcpy(p + 1, &eight, sizeof(eight));
	return p + 9;
}

bool floor_make(struct floor_records *floor, size_t n_records, int fd)
{
	uint64_t time = 1000000000000U, x = 88172645463325252U;

	*floor = (struct floor_records){ .n_records = n_records, .fd = fd };
	floor->records = calloc(n_records, sizeof(*floor->records));
	for (size_t i = 0; floor->records && i < n_records; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		time += 100 + x % 2000;
		floor->records[i] = (struct floor_record){
			.time = time, .id = x >> 20 & 7, .core = x >> 40 & 1, .a = x >> 44, .b = i
		};
	}
	return floor->records != NULL;
}

void floor_done(struct floor_records *floor)
{
	free(floor->records);
	floor->records = NULL;
}

bool floor_copy(void *context)
{
	struct floor_records *floor = context;
	size_t n_bytes = floor->n_records * sizeof(*floor->records);
	char *copy = malloc(n_bytes);

	if (!copy)
		return false;
	memcpy(copy, floor->records, n_bytes);
	floor->check += (unsigned char)copy[n_bytes / 2];
	free(copy);
	return true;
}

bool floor_scan(void *context)
{
	struct floor_records *floor = context;
	uint64_t sum = 0;

	for (size_t i = 0; i < floor->n_records; i++)
		sum += (floor->records[i].time ^ floor->records[i].a) + floor->records[i].id;
	*(volatile uint64_t *)&floor->check = sum;
	return true;
}

static bool line_out_init(struct line_out *out, int fd)
{
	*out = (struct line_out){
		.start = malloc(FLOOR_OUT_BYTES), .fd = fd, .is_good = true, .second = UINT64_MAX
	};
	out->at = out->start;
	out->end = out->start + (FLOOR_OUT_BYTES - FLOOR_LINE_MAX);
	for (size_t i = 0; i < N_NAMES; i++)
		out->name_bytes[i] = strlen(names[i]);
	return out->start != NULL;
}

static void line_out_flush(struct line_out *out)
{
	for (const char *p = out->start; p < out->at && out->is_good;) {
		ssize_t n = write(out->fd, p, (size_t)(out->at - p));

		out->is_good = n > 0;
		p += n;
	}
	out->at = out->start;
}

static char *put_stamp(struct line_out *out, char *p, uint64_t ns)
{
	uint64_t second = ns / NS_PER_SECOND;

	if (second != out->second) {
		snprintf(out->clock, sizeof(out->clock), "[%02u:%02u:%02u.", (unsigned)(second / 3600 % 24),
			(unsigned)(second / 60 % 60), (unsigned)(second % 60));
		out->second = second;
	}
	memcpy(p, out->clock, 10);
	p = put_nine(p + 10, (uint32_t)(ns - second * NS_PER_SECOND));
	return text_put_literal(p, "] ");
}

bool floor_line_short(void *context)
{
	struct floor_records *floor = context;
	struct line_out out;

	if (!line_out_init(&out, floor->fd))
		return false;
	for (size_t i = 0; i < floor->n_records; i++) {
		const struct floor_record *r = &floor->records[i];
		char *p = put_stamp(&out, out.at, r->time);

		p = text_put(p, names[r->id & 7], out.name_bytes[r->id & 7]);
		*p++ = ' ';
		p = text_put_dec(p, r->a);
		*p++ = ' ';
		p = text_put_dec(p, r->b);
		*p++ = '\n';
		out.at = p;
		if (out.at > out.end)
			line_out_flush(&out);
	}
	line_out_flush(&out);
	free(out.start);
	return out.is_good;
}

bool floor_line_long(void *context)
{
	struct floor_records *floor = context;
	struct line_out out;
	uint64_t before = floor->n_records ? floor->records[0].time : 0;

	if (!line_out_init(&out, floor->fd))
		return false;
	for (size_t i = 0; i < floor->n_records; i++) {
		const struct floor_record *r = &floor->records[i];
		char *p = put_stamp(&out, out.at, r->time);

		p = text_put_literal(p, "(+0.");
		p = put_nine(p, (uint32_t)(r->time - before));
		before = r->time;
		p = text_put_literal(p, ") host bench:");
		p = text_put(p, names[r->id & 7], out.name_bytes[r->id & 7]);
		p = text_put_literal(p, ": { cpu_id = ");
		p = text_put_dec(p, r->core);
		p = text_put_literal(p, " }, { a = ");
		p = text_put_dec(p, r->a);
		p = text_put_literal(p, ", b = ");
		p = text_put_dec(p, r->b);
		p = text_put_literal(p, " }\n");
		out.at = p;
		if (out.at > out.end)
			line_out_flush(&out);
	}
	line_out_flush(&out);
	free(out.start);
	return out.is_good;
}

bool floor_line_printf(void *context)
{
	struct floor_records *floor = context;
	uint64_t before = floor->n_records ? floor->records[0].time : 0;
	int fd = dup(floor->fd);
	FILE *out = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!out)
		return false;
	setvbuf(out, NULL, _IOFBF, FLOOR_OUT_BYTES);
	for (size_t i = 0; i < floor->n_records; i++) {
		const struct floor_record *r = &floor->records[i];
		unsigned second = (unsigned)(r->time / NS_PER_SECOND % 86400);

		fprintf(out,
			"[%02u:%02u:%02u.%09u] (+0.%09u) host bench:%s: { cpu_id = %u }, { a = %llu, b = "
			"%llu }\n",
			second / 3600, second / 60 % 60, second % 60, (unsigned)(r->time % NS_PER_SECOND),
			(unsigned)(r->time - before), names[r->id & 7], r->core, (unsigned long long)r->a,
			(unsigned long long)r->b);
		before = r->time;
	}
	return fclose(out) == 0;
}
