/* SPDX-License-Identifier: MIT */
/* The same where free slots are counted as ThreadX does. */
#define TX_TRACE_ORIGINAL_COUNTS 1

#include "embed/threadx/registry.inc"

static void check_counts(void)
{
	begin(2);
	add(0x10, "a");
	add(0x10, "again");
	ok(name_is(0, "a") && name_is(1, "again"), "an object that is registered again costs another slot");
	add(0x20, "b");
	is_number(_tx_trace_objects_refused, 1, "and the next finds none");
	drop(0x10);
	drop(0x10);
	is_number(_tx_trace_available_registry_entries, 2, "one that is unregistered again counts twice");

	begin(3);
	add(0x10, "first life");
	add(0x20, "b");
	drop(0x10);
	drop(0x20);
	add(0x10, "second life");
	drop(0x10);
	ok(!is_free(2), "of two slots of an address the first is unregistered, whichever lives");
}

int main(void)
{
	check_search();
	check_slots();
	check_refused();
	check_counts();
	return tap_done();
}
