/* SPDX-License-Identifier: MIT */
/* Which slot an object gets, what its slot says, and how free slots are counted. */
#define TX_TRACE_ORIGINAL_COUNTS 0

#include "embed/threadx/registry.inc"

/* Checks the counts that ThreadX gets wrong. */
static void check_counts(void)
{
	begin(2);
	add(0x10, "a");
	add(0x10, "again");
	ok(name_is(0, "again") && _tx_trace_available_registry_entries == 1,
		"an object that is registered again while it lives keeps its slot");
	add(0x20, "b");
	ok(name_is(1, "b"), "so that the next still finds one");
	drop(0x10);
	drop(0x10);
	is_number(_tx_trace_available_registry_entries, 1, "one that is unregistered again is free once");

	begin(3);
	add(0x10, "first life");
	add(0x20, "b");
	drop(0x10);
	drop(0x20);
	add(0x10, "second life");
	ok(name_is(0, "first life") && name_is(2, "second life"), "an address may stand in two slots");
	drop(0x10);
	ok(is_free(2), "then the one that lives is unregistered");
}

int main(void)
{
	check_search();
	check_slots();
	check_refused();
	check_counts();
	return tap_done();
}
