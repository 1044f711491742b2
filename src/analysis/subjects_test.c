/* SPDX-License-Identifier: MIT */
#include "analysis/subjects.h"

#include "tests/tap.h"

struct record {
	struct subject subject;
	unsigned n_met;
};

static struct rst_entity thing(const char *kind, uint64_t id, const char *name)
{
	return (struct rst_entity){ .form = RST_ENTITY_THING,
		.kind = kind,
		.id = id,
		.name = name,
		.name_bytes = name ? strlen(name) : 0 };
}

static struct record *meet(struct subjects *subjects, struct rst_entity entity)
{
	struct record *record = subject_of(subjects, &entity);

	record->n_met++;
	return record;
}

static bool is_called(struct subjects *subjects, size_t n, struct table *table, const char *name)
{
	struct table_cell cell;

	return subject_name(subjects, subjects->all[n], table, &cell) && cell.is_there &&
	       cell.text.n_bytes == strlen(name) && memcmp(cell.text.bytes, name, cell.text.n_bytes) == 0;
}

static void check_finding(void)
{
	struct subjects subjects = { .record_bytes = sizeof(struct record) };
	char own_kind[] = "thread", own_name[] = "work";
	struct rst_entity other = thing("thread", 1, NULL);

	meet(&subjects, thing("thread", 1, NULL));
	ok(meet(&subjects, thing(own_kind, 1, "low"))->n_met == 2 && subjects.n == 1,
		"a thing is known by kind and id; the words may be others of the same letters");
	ok(meet(&subjects, thing("mutex", 1, NULL))->n_met == 1, "one id of two kinds is two things");
	other.process = 7;
	ok(meet(&subjects, other)->n_met == 1, "and so is one of two processes");
	meet(&subjects, thing("span", 9, "work"));
	ok(meet(&subjects, thing("span", 9, own_name))->n_met == 2 &&
			meet(&subjects, thing("span", 9, "rest"))->n_met == 1,
		"spans are known by their names, too");
	other = thing("thread", 5, NULL);
	ok(!subject_find(&subjects, &other) && subjects.n == 5, "looking for what is not there adds nothing");
	subjects_done(&subjects);
}

static void check_names(void)
{
	struct subjects subjects = { .record_bytes = sizeof(struct record) };
	struct table table = { .n_columns = 1 };
	struct rst_entity number = { .form = RST_ENTITY_NUMBER, .id = 15, .is_number = true };

	meet(&subjects, thing("thread", 0x20, "worker"));
	meet(&subjects, thing("thread", 0x40, NULL));
	meet(&subjects, number);
	meet(&subjects, thing("thread", 0x60, "worker"));
	meet(&subjects, thing("mutex", 0x80, "worker"));
	meet(&subjects, thing("thread", 0x40, "late"));
	ok(is_called(&subjects, 1, &table, "late"), "a name that comes later counts");
	ok(is_called(&subjects, 2, &table, "15"), "a number is its digits");
	ok(is_called(&subjects, 0, &table, "worker (0x20)") &&
			is_called(&subjects, 3, &table, "worker (0x60)"),
		"two of one name have their ids behind it");
	ok(is_called(&subjects, 4, &table, "worker"), "but not a thing of another kind");
	table_done(&table);
	subjects_done(&subjects);
}

static void check_memory(void)
{
	struct subjects subjects = { .record_bytes = sizeof(struct record) };
	struct rst_entity entity = thing("thread", 0, NULL);
	unsigned n_failures = 0;

	for (long n = 0; n < 20; n++) {
		tap_fail_alloc_after(n % 3);
		for (unsigned i = 0; i < 40; i++, entity.id++)
			n_failures += !subject_of(&subjects, &entity);
		tap_fail_alloc_after(-1);
	}
	ok(n_failures > 0 && subject_of(&subjects, &entity),
		"without memory there is no record; with it, all goes on");
	subjects_done(&subjects);
}

int main(void)
{
	check_finding();
	check_names();
	check_memory();
	return tap_done();
}
