/* SPDX-License-Identifier: MIT */
#include "dialect/store/carried.h"

#include <string.h>

#include "dialect/store/codec.h"
#include "tests/tap.h"

static struct rst_entity thing(const char *kind, uint64_t id, const char *name)
{
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = kind,
		.id = id,
		.name = name,
		.name_bytes = name ? strlen(name) : 0 };
}

/* Thread A runs, has a lock, and got the lock at a moment; a queue has a level. */
static void make_items(
	struct rst_interval intervals[3], struct rst_beginning *beginning, struct rst_carried *carried)
{
	const struct rst_entity thread = thing("thread", 0x20, "A"), lock = thing("mutex", 0x30, NULL);

	intervals[0] = (struct rst_interval){ .kind = RST_INTERVAL_THREAD,
		.state = RST_STATE_RUNNING,
		.certainty = RST_CERTAINTY_EXACT,
		.core = 1,
		.subject = thread,
		.from = 5,
		.to = 20,
		.from_seq = RST_NO_SEQ,
		.to_seq = 7 };
	intervals[1] = (struct rst_interval){ .kind = RST_INTERVAL_LOCK,
		.state = RST_STATE_HELD,
		.core = RST_NO_CORE,
		.subject = lock,
		.object = thread,
		.from = 15,
		.to = 60,
		.from_seq = 6,
		.to_seq = RST_NO_SEQ };
	intervals[2] = (struct rst_interval){ .kind = RST_INTERVAL_LEVEL,
		.state = RST_N_STATES,
		.core = RST_NO_CORE,
		.subject = thing("queue", 0x40, "Q"),
		.from = 1,
		.to = 25,
		.from_seq = 2,
		.to_seq = 8,
		.has_value = true,
		.value = 3,
		.value_type = RST_SIGNED };
	*beginning = (struct rst_beginning){ .kind = RST_INTERVAL_LOCK,
		.subject = lock,
		.object = thread,
		.at = 15,
		.seq = 6,
		.core = RST_NO_CORE,
		.n_intervals = 1 };
	*carried = (struct rst_carried){
		.intervals = intervals, .n_intervals = 3, .beginnings = beginning, .n_beginnings = 1
	};
}

/* A block with these items behind its second row; events 4 and 5 are there, and from 9 on. */
static void make_block(struct bytes *to)
{
	struct carried_writer writer = { .model = NULL };
	struct rst_interval intervals[3];
	struct rst_beginning beginning;
	struct rst_carried carried;
	bool is_good = carried_number_row(&writer, 4, true) && carried_number_row(&writer, 5, true) &&
		       carried_number_row(&writer, 9, false) && carried_number_row(&writer, 9, true);

	make_items(intervals, &beginning, &carried);
	to->n = 0;
	ok(is_good && carried_add(&writer, &carried, 2) && carried_write(&writer, to) && to->n,
		"a block is written");
	carried_writer_done(&writer);
}

static const struct rst_carried first_part = {
	.recording = 77, .from = 10, .to = 30, .first_event = 4, .end_event = 10, .n_events = 40
};

static bool is_as_written(const struct rst_carried *got)
{
	struct rst_interval intervals[3];
	struct rst_beginning beginning;
	struct rst_carried carried;
	bool is_good =
		got->n_beginnings == 1 && got->beginnings[0].at == 15 && got->beginnings[0].n_intervals == 1;

	make_items(intervals, &beginning, &carried);
	for (size_t i = 0; i < got->n_intervals; i++) {
		const struct rst_interval *one = &got->intervals[i], *other = &intervals[i];

		is_good &= one->kind == other->kind && one->state == other->state &&
			   one->from == other->from && one->to == other->to &&
			   one->from_seq == other->from_seq && one->to_seq == other->to_seq &&
			   one->core == other->core && one->value == other->value &&
			   one->value_type == other->value_type && one->subject.id == other->subject.id &&
			   one->object.id == other->object.id &&
			   strcmp(one->subject.kind, other->subject.kind) == 0 &&
			   one->subject.name_bytes == other->subject.name_bytes;
	}
	return is_good;
}

static void test_round(void)
{
	struct carried_reader reader = { .n_left = 0 };
	struct bytes block = { 0 };
	struct model model;
	uint64_t n_missing, numbers[4];
	bool is_part;

	make_block(&block);
	ok(model_init(&model) && carried_begin(&reader, &model, &first_part, &is_part, &n_missing) && is_part,
		"a part begins");
	ok(carried_read(&reader, &model, block.at, block.n, NULL) == RST_OK, "the block is read");
	for (size_t i = 0; i < 4; i++)
		numbers[i] = carried_next_number(&reader, i != 2);
	ok(numbers[0] == 4 && numbers[1] == 5 && numbers[2] == 9 && numbers[3] == 9,
		"rows have the numbers of the recording, and a marker that of the next event");
	ok(carried_take(&reader, &model, 1) && model.carried.n_intervals == 0,
		"nothing comes in front of its row");
	ok(carried_take(&reader, &model, 2) && model.carried.n_intervals == 1 &&
			is_as_written(&model.carried),
		"then what the part shows comes, as it was written");
	ok(carried_end(&reader, &model) && model.carried.n_intervals == 1,
		"what ends behind the part waits for the next part, and so does all behind it");
	ok(carried_finish(&reader, &model) && model.carried.n_intervals == 3 && is_as_written(&model.carried),
		"and comes at the end if no part follows");
	carried_reader_done(&reader);
	model_done(&model);
	bytes_done(&block);
}

static void test_next_part(void)
{
	const struct rst_carried second = {
		.recording = 77, .from = 25, .to = 70, .first_event = 9, .end_event = 20, .n_events = 40
	};
	struct rst_carried other = second, far = second;
	struct carried_reader reader = { .n_left = 0 };
	struct bytes block = { 0 };
	struct model model;
	uint64_t n_missing;
	bool is_part;

	make_block(&block);
	ok(model_init(&model) && carried_begin(&reader, &model, &first_part, &is_part, &n_missing) &&
			is_part && carried_read(&reader, &model, block.at, block.n, NULL) == RST_OK &&
			carried_end(&reader, &model),
		"a part is read to its end");
	model.carried.n_intervals = model.carried.n_beginnings = 0;
	other.recording = 78;
	ok(carried_begin(&reader, &model, &other, &is_part, &n_missing) && !is_part,
		"no part of another recording comes behind it");
	far.first_event = 15;
	ok(carried_begin(&reader, &model, &second, &is_part, &n_missing) && is_part && n_missing == 0 &&
			model.carried.to == 70 && model.carried.end_event == 20,
		"the next part does, and the window grows");
	ok(carried_had(&reader, 9, true, 26) && !carried_had(&reader, 10, true, 30) &&
			carried_had(&reader, 10, false, 30) && !carried_had(&reader, 10, false, 31),
		"rows that both have are known");
	ok(carried_read(&reader, &model, block.at, block.n, NULL) == RST_OK &&
			carried_take(&reader, &model, 2) && carried_end(&reader, &model) &&
			carried_finish(&reader, &model) && model.carried.n_intervals == 3,
		"intervals that both have come once");
	far.first_event = 25;
	far.end_event = 26;
	ok(carried_begin(&reader, &model, &far, &is_part, &n_missing) && is_part && n_missing == 5,
		"missing events are counted");
	carried_reader_done(&reader);
	model_done(&model);
	bytes_done(&block);
}

/* Reads a block; whatever is in it, what comes out is sound. */
static bool read_broken(const struct bytes *block)
{
	struct carried_reader reader = { .n_left = 0 };
	struct model model;
	uint64_t n_missing;
	bool is_part;
	bool is_sound = model_init(&model) &&
			carried_begin(&reader, &model, &first_part, &is_part, &n_missing) && is_part;

	if (carried_read(&reader, &model, block->at, block->n, NULL) == RST_OK) {
		for (size_t i = 0; i < 8; i++)
			carried_next_number(&reader, true);
		is_sound &= carried_end(&reader, &model) && carried_finish(&reader, &model);
	}
	for (size_t i = 0; i < model.carried.n_intervals; i++) {
		const struct rst_interval *interval = &model.carried.intervals[i];

		is_sound &= interval->from <= interval->to && interval->kind < RST_N_INTERVAL_KINDS &&
			    interval->state <= RST_N_STATES && interval->reason < RST_N_REASONS &&
			    interval->certainty < RST_N_CERTAINTIES &&
			    (interval->subject.form != RST_ENTITY_THING || interval->subject.kind);
	}
	carried_reader_done(&reader);
	model_done(&model);
	return is_sound;
}

static void test_broken(void)
{
	struct bytes block = { 0 };
	bool is_sound = true;
	size_t n_whole;

	make_block(&block);
	n_whole = block.n;
	for (size_t i = 0; i < n_whole; i++) {
		const uint8_t was = block.at[i];

		for (unsigned bit = 0; bit < 8; bit++) {
			block.at[i] = (uint8_t)(was ^ 1 << bit);
			is_sound &= read_broken(&block);
		}
		block.at[i] = was;
	}
	ok(is_sound, "whatever bit is wrong, what comes out is sound");
	for (block.n = 0; block.n < n_whole; block.n++)
		is_sound &= read_broken(&block);
	ok(is_sound, "wherever a block ends, too");
	bytes_done(&block);
}

static void test_find(void)
{
	static const uint8_t none[STORE_HEAD_BYTES + 8];
	struct rst_carried part;

	ok(!part_find(none, sizeof(none), &part) && !part_find(none, 0, &part),
		"a store without PART is no part");
}

int main(void)
{
	test_round();
	test_next_part();
	test_broken();
	test_find();
	return tap_done();
}
