/* SPDX-License-Identifier: MIT */
/* Each service: its results in their order, what it records, and what ThreadX does wrong there. */
#include <string.h>

#include "tests/tap.h"

#define TX_ENABLE_EVENT_TRACE
#define TX_TRACE_TIME_SOURCE test_now

static unsigned test_now;

#include "embed/threadx/fx_trace.h"

#include "embed/threadx/tx_trace_enable.c"
#include "embed/threadx/tx_trace_insert.c"
#include "embed/threadx/tx_trace_interrupt.c"
#include "embed/threadx/tx_trace_products.c"
#include "embed/threadx/tx_trace_registry.c"

enum { N_SLOTS = 4, N_OBJECTS = 3, N_USED = 2, ID = 5000 };

/* Header, registry and ring, with some bytes more than they need. */
struct image {
	TX_TRACE_HEADER header;
	TX_TRACE_OBJECT_ENTRY objects[N_OBJECTS];
	TX_TRACE_BUFFER_ENTRY ring[N_SLOTS];
	ULONG tail[2];
};

enum { EXACT = sizeof(struct image) - sizeof(((struct image *)0)->tail) };

static struct image image, other;

UINT _tx_thread_interrupt_control(UINT new_posture)
{
	return new_posture + 100;
}

static UINT user(ULONG id, ULONG value)
{
	return tx_trace_user_event_insert(id, value, value + 1, value + 2, value + 3);
}

/* Off, nothing set, memory dirty. */
static void begin(void)
{
	static const TX_TRACE_CONTEXT nowhere;

	tx_trace_disable();
	tx_trace_buffer_full_notify(NULL);
	tx_trace_program_set(NULL);
	_tx_trace_context = nowhere;
	memset(&image, 0xa5, sizeof(image));
	memset(&other, 0xa5, sizeof(other));
	test_now = 1000;
}

static void begin_on(void)
{
	begin();
	tx_trace_enable(&image, sizeof(image), N_OBJECTS);
}

static const TX_TRACE_BUFFER_ENTRY *last(void)
{
	return &image.ring[N_USED];
}

static ULONG used(const struct image *of)
{
	return (of->header.tx_trace_header_buffer_current_pointer -
		       of->header.tx_trace_header_buffer_start_pointer) /
	       (ULONG)sizeof(TX_TRACE_BUFFER_ENTRY);
}

static void check_enable(void)
{
	uintptr_t highest = UINTPTR_MAX - sizeof(ULONG) + 1;
	static const UCHAR dirt[8] = { 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5 };

	begin();
	is_number(tx_trace_enable(&image, EXACT - sizeof(image.ring) + 31, N_OBJECTS), TX_SIZE_ERROR,
		"memory without room for an event is refused");
	is_number(tx_trace_enable(NULL, sizeof(image), N_OBJECTS), TX_SIZE_ERROR, "no memory is refused");
	is_number(tx_trace_enable((UCHAR *)&image + 1, sizeof(image) - 1, N_OBJECTS), TX_SIZE_ERROR,
		"memory that does not begin at a word is refused");
	is_number(tx_trace_enable(&image, sizeof(image), 0x05555556), TX_SIZE_ERROR,
		"a registry whose size does not fit in a word is refused");
	is_number(tx_trace_enable(&image, 0xffffffff, 0xffffffff), TX_SIZE_ERROR, "so is the largest of all");
	is_number(tx_trace_enable((VOID *)highest, sizeof(image), 0), TX_SIZE_ERROR,
		"memory beyond the last address is refused");
	is_number(image.ring[0].tx_trace_buffer_entry_thread_pointer, 0xa5a5a5a5, "and nothing is written");

	is_number(tx_trace_enable(&image, EXACT - sizeof(image.ring) + 32, N_OBJECTS), TX_SUCCESS,
		"room for one event is enough");
	tx_trace_disable();
	is_number(
		tx_trace_enable(&image, sizeof(image), N_OBJECTS), TX_SUCCESS, "and what is left over stays");
	ok(memcmp(image.tail, dirt, sizeof(dirt)) == 0 && used(&image) == N_USED, "as it was");
	is_number(tx_trace_enable(&image, 8, 0), TX_SIZE_ERROR, "the size is looked at first");
	is_number(tx_trace_enable(&other, sizeof(other), 0), TX_NOT_DONE, "then whether tracing is on");
	ok(image.ring[0].tx_trace_buffer_entry_event_id == TX_TRACE_RUNNING &&
			image.ring[1].tx_trace_buffer_entry_event_id == TX_TRACE_RUNNING &&
			image.ring[2].tx_trace_buffer_entry_thread_pointer == 0 &&
			image.ring[2].tx_trace_buffer_entry_event_id == 0xa5a5a5a5,
		"two events begin a trace; of entries never written only the thread is cleared");
}

static void check_disable(void)
{
	begin_on();
	is_number(tx_trace_disable(), TX_SUCCESS, "what is on can be disabled");
	is_number(tx_trace_disable(), TX_NOT_DONE, "once");
	is_number(user(ID, 1), TX_NOT_DONE, "a user event is refused when tracing is off");
	TX_TRACE_IN_LINE_INSERT(TX_TRACE_TIME_GET, 1, 2, 3, 4, TX_TRACE_TIME_EVENTS)
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_TIMER, 16, "late", 0, 0)
	ok(used(&image) == N_USED && image.objects[0].tx_trace_object_entry_available == 1,
		"and neither events nor objects reach the memory");
	ok(_tx_trace_header_ptr == &image.header && _tx_trace_buffer_start_ptr == image.ring &&
			_tx_trace_buffer_end_ptr == image.ring + N_SLOTS && !_tx_trace_registry_start_ptr,
		"the pointers to what was recorded stay");
	is_number(tx_trace_enable(&other, sizeof(other), N_OBJECTS), TX_SUCCESS, "other memory begins anew");
	is_number(used(&other), N_USED, "with its own two events");
	_tx_trace_initialize();
	ok(!_tx_trace_header_ptr && user(ID, 1) == TX_NOT_DONE, "initialization forgets it all");
}

static void check_filter(void)
{
	begin_on();
	is_number(tx_trace_event_filter(TX_TRACE_USER_EVENTS), TX_SUCCESS, "a group is filtered");
	is_number(user(ID, 1), TX_SUCCESS, "a filtered event is a success");
	is_number(used(&image), N_USED, "that is not recorded");
	tx_trace_isr_enter_insert(3);
	is_number(used(&image), N_USED + 1, "other groups are");
	tx_trace_event_filter(TX_TRACE_ALL_EVENTS);
	tx_trace_isr_enter_insert(3);
	is_number(used(&image), N_USED + 1, "until they are filtered, too");
	is_number(
		tx_trace_event_unfilter(TX_TRACE_USER_EVENTS), TX_SUCCESS, "the group is let through again");
	user(ID, 1);
	is_number(used(&image), 0, "and recorded");
	is_number(
		_tx_trace_event_enable_bits, ~(ULONG)TX_TRACE_ALL_EVENTS, "\"all\" are those of the kernel");
	tx_trace_disable();
	tx_trace_enable(&image, sizeof(image), 0);
	is_number(_tx_trace_event_enable_bits, 0xffffffff, "enabling opens the filter");
}

static bool is_context(ULONG state, uintptr_t thread, ULONG first, ULONG second)
{
	begin_on();
	_tx_trace_context.system_state = state;
	_tx_trace_context.thread = (VOID *)thread;
	_tx_trace_context.priority = 7;
	_tx_trace_context.preempt_threshold = 3;
	user(ID, 1);
	return last()->tx_trace_buffer_entry_thread_pointer == first &&
	       last()->tx_trace_buffer_entry_thread_priority == second;
}

static VOID tell_context(TX_TRACE_CONTEXT *context)
{
	context->thread = (VOID *)0x40;
	context->priority = 1;
}

static void check_contexts(void)
{
	static const TX_TRACE_PROGRAM program = { tell_context, NULL, NULL };

	ok(is_context(0, 0x1234, 0x1234, 0x80030007), "a thread's event has its priority and threshold");
	ok(is_context(1, 0x1234, 0xffffffff, 0x1234), "an interrupt's has the thread that it interrupted");
	ok(is_context(0xf0f0f0ef, 0, 0xffffffff, 0), "or nothing, when the system was idle");
	ok(is_context(TX_INITIALIZE_IN_PROGRESS, 0x1234, 0xf0f0f0f0, 0), "initialization has its mark");
	ok(is_context(TX_INITIALIZE_ALMOST_DONE, 0x1234, 0xf0f0f0f0, 0), "and is one in both its states");
	ok(is_context(0, 0, 0xf0f0f0f0, 0), "no thread at all is initialization, or the entry would be none");
	begin_on();
	tx_trace_program_set(&program);
	_tx_trace_context.preempt_threshold = 5;
	user(ID, 1);
	ok(last()->tx_trace_buffer_entry_thread_pointer == 0x40 &&
			last()->tx_trace_buffer_entry_thread_priority == 0x80050001,
		"a callback sets the values that the program has");
}

static void check_events(void)
{
	begin_on();
	_tx_trace_context.system_state = 2;
	_tx_trace_context.preempt_disable = 9;
	tx_trace_isr_exit_insert(17);
	ok(last()->tx_trace_buffer_entry_event_id == TX_TRACE_ISR_EXIT &&
			last()->tx_trace_buffer_entry_information_field_2 == 17 &&
			last()->tx_trace_buffer_entry_information_field_3 == 2 &&
			last()->tx_trace_buffer_entry_information_field_4 == 9,
		"the end of an interrupt has its number, the depth, and whether preemption is disabled");
	ok(last()->tx_trace_buffer_entry_information_field_1 - TX_TRACE_WORD_(__builtin_frame_address(0)) +
				4096 <
			8192,
		"and where the stack is");
	begin_on();
	test_now = 77;
	is_number(tx_interrupt_control(1), 101, "interrupts are controlled by the program's function");
	ok(last()->tx_trace_buffer_entry_event_id == TX_TRACE_INTERRUPT_CONTROL &&
			last()->tx_trace_buffer_entry_information_field_1 == 1 &&
			last()->tx_trace_buffer_entry_time_stamp == 77,
		"and the new posture is recorded");
	begin_on();
	user(65535, 0xfffffffe);
	ok(last()->tx_trace_buffer_entry_event_id == 65535 &&
			last()->tx_trace_buffer_entry_information_field_1 == 0xfffffffe &&
			last()->tx_trace_buffer_entry_information_field_4 == 1,
		"a user event keeps its number and its four words");
}

/* --- the ring is full ----------------------------------------------------------------------------------- */

static struct {
	unsigned n_calls;
	VOID *buffer;
	bool was_in_order;
} notice;

static VOID notice_full(VOID *buffer)
{
	notice.n_calls++;
	notice.buffer = buffer;
	notice.was_in_order = used(buffer) == 0;
}

static VOID swap(VOID *buffer)
{
	notice_full(buffer);
	tx_trace_disable();
	tx_trace_enable(buffer == &image ? &other : &image, sizeof(image), N_OBJECTS);
}

static VOID stop(VOID *buffer)
{
	notice_full(buffer);
	tx_trace_disable();
	memset(buffer, 0, sizeof(image)); /* nothing may write there afterwards */
}

static VOID record_more(VOID *buffer)
{
	notice_full(buffer);
	user(ID + 1, 0);
}

static void check_full(void)
{
	static const struct image nothing;

	begin_on();
	notice.n_calls = 0;
	is_number(tx_trace_buffer_full_notify(notice_full), TX_SUCCESS,
		"a full ring calls the notice function");
	for (ULONG i = 0; i < 2 * N_SLOTS; i++)
		user(ID, i);
	ok(notice.n_calls == 2 && notice.buffer == &image && notice.was_in_order,
		"each time the ring is full");
	ok(image.ring[0].tx_trace_buffer_entry_information_field_1 == N_SLOTS + 2 &&
			image.ring[2].tx_trace_buffer_entry_information_field_1 == N_SLOTS,
		"the newest events replace the oldest");
	is_number(tx_trace_overwritten_get(), 2 + N_SLOTS, "the number of overwritten events can be read");
	tx_trace_buffer_full_notify(NULL);
	for (ULONG i = 0; i < N_SLOTS; i++)
		user(ID, i);
	is_number(notice.n_calls, 2, "and calls none where none is set");
	tx_trace_disable();
	is_number(tx_trace_overwritten_get(), 2 + 2 * N_SLOTS, "also of a trace that has ended");

	begin_on();
	tx_trace_buffer_full_notify(record_more);
	for (ULONG i = 0; i < N_SLOTS; i++)
		user(ID, i);
	ok(image.ring[0].tx_trace_buffer_entry_event_id == ID + 1 &&
			image.ring[1].tx_trace_buffer_entry_event_id == ID,
		"what is called may record");

	begin_on();
	tx_trace_buffer_full_notify(stop);
	user(ID, 0);
	is_number(user(ID, 1), TX_SUCCESS, "the last event is a success although it ends the trace");
	is_number(user(ID, 2), TX_NOT_DONE, "the next is refused");
	ok(memcmp(&image, &nothing, sizeof(image)) == 0,
		"and the memory is the program's from the callback on");

	begin_on();
	notice.n_calls = 0;
	tx_trace_buffer_full_notify(swap);
	for (ULONG i = 0; i < 3; i++)
		user(ID, i);
	ok(notice.n_calls == 1 && image.ring[3].tx_trace_buffer_entry_information_field_1 == 1 &&
			other.ring[2].tx_trace_buffer_entry_information_field_1 == 2 && used(&other) == 3,
		"what is called may go on with other memory, and no event is lost");
	for (ULONG i = 3; i < 100; i++)
		user(ID, i);
	is_number(notice.n_calls, 50, "again and again");

	begin();
	tx_trace_buffer_full_notify(swap);
	is_number(tx_trace_enable(&image, EXACT - sizeof(image.ring) + 32, N_OBJECTS), TX_SUCCESS,
		"a ring that its first events fill is not swapped for ever");
}

/* --- fields that become known later --------------------------------------------------------------------- */

static bool is_patched(TX_TRACE_BUFFER_ENTRY *event, ULONG stamp, ULONG id)
{
	TX_TRACE_BUFFER_ENTRY before = *last();

	FX_TRACE_EVENT_UPDATE(event, stamp, id, 0, 99, 0, 0)
	return memcmp(&before, last(), sizeof(before)) != 0;
}

static void check_update(void)
{
	TX_TRACE_BUFFER_ENTRY *event = NULL;
	ULONG stamp = 5;

	begin_on();
	FX_TRACE_IN_LINE_INSERT(FX_TRACE_FILE_READ, 1, 2, 3, 4, FX_TRACE_FILE_EVENTS, &event, &stamp)
	ok(event == last() && stamp == 1000, "an event that is completed later gives its entry and stamp");
	ok(!is_patched(event, stamp + 1, FX_TRACE_FILE_READ), "an entry of another time is not changed");
	ok(!is_patched(event, stamp, FX_TRACE_FILE_WRITE),
		"nor one of another event, though the clock stood still");
	ok(!is_patched(NULL, stamp, FX_TRACE_FILE_READ), "nor none");
	ok(is_patched(event, stamp, FX_TRACE_FILE_READ) &&
			event->tx_trace_buffer_entry_information_field_2 == 99 &&
			event->tx_trace_buffer_entry_information_field_1 == 1,
		"the right one is, but for fields that are 0");
	for (ULONG i = 0; i < N_SLOTS; i++)
		user(ID, i);
	ok(!is_patched(event, stamp, FX_TRACE_FILE_READ), "one that was overwritten is not");
	TX_TRACE_EVENT_INSERT(TX_TRACE_BYTE_ALLOCATE, 1, 0, 3, 4, TX_TRACE_BYTE_POOL_EVENTS, &event, NULL)
	tx_trace_disable();
	ok(!is_patched(event, test_now, TX_TRACE_BYTE_ALLOCATE), "nor anything when tracing is off");
	tx_trace_enable(&other, sizeof(other), N_OBJECTS);
	ok(!is_patched(event, test_now, TX_TRACE_BYTE_ALLOCATE), "nor memory that is no longer traced into");

	tx_trace_event_filter(FX_TRACE_ALL_EVENTS);
	FX_TRACE_IN_LINE_INSERT(FX_TRACE_FILE_READ, 1, 2, 3, 4, FX_TRACE_FILE_EVENTS, &event, &stamp)
	ok(event == NULL && stamp == 0, "of an event that is filtered there is no entry to change");
}

/* The guide's names are those of the same places. */
static void check_guide_names(void)
{
	const TX_TRACE_CONTROL_HEADER *header = &image.header;
	const TX_TRACE_OBJECT_REGISTRY_ENTRY *object = &image.objects[0];

	begin_on();
	ok(header->tx_trace_control_header_id == TX_TRACE_VALID &&
			header->tx_trace_control_header_object_registry_name_size ==
				TX_TRACE_OBJECT_REGISTRY_NAME &&
			header->tx_trace_control_header_buffer_current_pointer ==
				TX_TRACE_WORD_(&image.ring[2]) &&
			sizeof(*header) == sizeof(TX_TRACE_HEADER),
		"the header has the names of the guide, too");
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_TIMER, &other, "timer", 7, 9)
	ok(!object->tx_trace_object_registry_entry_object_available &&
			object->tx_trace_object_registry_entry_object_type == TX_TRACE_OBJECT_TYPE_TIMER &&
			object->tx_trace_thread_registry_entry_object_pointer == TX_TRACE_WORD_(&other) &&
			object->tx_trace_object_registry_entry_object_parameter_2 == 9,
		"so has the registry");
	is_text((const char *)object->tx_trace_thread_registry_entry_object_name, "timer", "with its names");
}

int main(void)
{
	check_enable();
	check_disable();
	check_filter();
	check_contexts();
	check_events();
	check_full();
	check_update();
	check_guide_names();
	return tap_done();
}
