/* SPDX-License-Identifier: MIT */
/* The registry of the ThreadX voice; the file that includes this has chosen how its free slots are counted. */
#ifndef TESTS_THREADX_REGISTRY_H
#define TESTS_THREADX_REGISTRY_H

#include <string.h>

#include "tests/tap.h"

#define TX_ENABLE_EVENT_TRACE

#include "embed/threadx/tx_trace.h"

#include "embed/threadx/tx_trace_enable.c"
#include "embed/threadx/tx_trace_insert.c"
#include "embed/threadx/tx_trace_registry.c"

static ULONG registry_memory[512];
static UINT registry_priority;

static UINT priority_get(VOID *thread)
{
	(VOID) thread;
	return registry_priority;
}

static const TX_TRACE_PROGRAM registry_program = { NULL, priority_get, NULL };

static void begin(ULONG n_slots)
{
	tx_trace_disable();
	tx_trace_program_set(NULL);
	memset(registry_memory, 0xa5, sizeof(registry_memory));
	tx_trace_enable(registry_memory, sizeof(registry_memory), n_slots);
}

static void add(uintptr_t object, const char *name)
{
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_QUEUE, object, name, 1, 2)
}

static void drop(uintptr_t object)
{
	TX_TRACE_OBJECT_UNREGISTER(object)
}

static const TX_TRACE_OBJECT_ENTRY *slot_at(unsigned i)
{
	return &_tx_trace_registry_start_ptr[i];
}

static bool name_is(unsigned i, const char *name)
{
	return strcmp((const char *)slot_at(i)->tx_trace_object_entry_name, name) == 0;
}

static bool is_free(unsigned i)
{
	return slot_at(i)->tx_trace_object_entry_available == 1;
}

static void check_search(void)
{
	begin(4);
	add(0x10, "a");
	add(0x20, "b");
	add(0x30, "c");
	ok(name_is(0, "a") && name_is(1, "b") && name_is(2, "c"),
		"objects take the slots one after the other");
	drop(0x20);
	ok(is_free(1) && name_is(1, "b"), "an object that is gone leaves its name");
	add(0x20, "b again");
	ok(name_is(1, "b again") && !is_free(1), "at the same address it takes the same slot");
	drop(0x10);
	add(0x40, "d");
	ok(name_is(3, "d") && is_free(0), "another prefers a slot that was never used");
	drop(0x30);
	add(0x50, "e");
	ok(name_is(0, "e") && is_free(2),
		"then takes the last free one on the way around from where the search stood");
	add(0x60, "f");
	ok(name_is(2, "f"), "until all are taken");
}

static void check_slots(void)
{
	const TX_TRACE_OBJECT_ENTRY *slot;

	begin(4);
	slot = slot_at(0);
	ok(is_free(0) && slot->tx_trace_object_entry_thread_pointer == 0 &&
			slot->tx_trace_object_entry_type == 0 &&
			slot->tx_trace_object_entry_param_1 == 0xa5a5a5a5,
		"a slot never used is free and has no address; the rest is as it was");
	registry_priority = 1023;
	tx_trace_program_set(&registry_program);
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_THREAD, 0x10, "0123456789abcdef0123456789ABCDEF", 7, 8)
	ok(slot->tx_trace_object_entry_type == 1 && slot->tx_trace_object_entry_reserved1 == 0x83 &&
			slot->tx_trace_object_entry_reserved2 == 0xff &&
			slot->tx_trace_object_entry_param_1 == 7 && slot->tx_trace_object_entry_param_2 == 8,
		"a thread has its priority and both parameters");
	ok(name_is(0, "0123456789abcdef0123456789ABCDE"), "a name is cut to 31 characters");
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_TIMER, 0x20, NULL, 0, 0)
	slot = slot_at(1);
	ok(name_is(1, "") && slot->tx_trace_object_entry_name[1] == 0xa5,
		"no name is an empty one, and no more");
	ok(slot->tx_trace_object_entry_reserved1 == 0 && slot->tx_trace_object_entry_reserved2 == 0,
		"what is no thread has no priority");
	registry_priority = TX_TRACE_NO_PRIORITY;
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_THREAD, 0x30, "t", 0, 0)
	is_number(slot_at(2)->tx_trace_object_entry_reserved1, 0, "nor a thread whose priority is not known");
}

static void check_refused(void)
{
	begin(2);
	add(0x10, "a");
	add(0x20, "b");
	add(0x30, "c");
	add(0x40, "d");
	ok(name_is(0, "a") && name_is(1, "b"), "when all slots are taken, nothing is registered");
	is_number(_tx_trace_objects_refused, 2, "and what was not is counted");
	drop(0x50);
	is_number(_tx_trace_available_registry_entries, 0, "an object that was not registered frees none");
	begin(2);
	add(0, "null");
	ok(is_free(0) && _tx_trace_objects_refused == 1, "address 0 is refused: it marks slots never used");
	drop(0);
	is_number(_tx_trace_available_registry_entries, 2, "nor is it unregistered");
	begin(0);
	add(0x10, "a");
	drop(0x10);
	is_number(_tx_trace_objects_refused, 1, "a registry may have no slots");
	tx_trace_disable();
	add(0x20, "b");
	is_number(_tx_trace_objects_refused, 1, "off, nothing is registered or refused");
}

#endif
