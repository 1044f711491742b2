/* SPDX-License-Identifier: MIT */
#include "dialect/threadx/events.h"

#include <stdio.h>
#include <string.h>

#include "dialect/event_table.h"

#define CONSTANTS(list, rows_) static const struct rst_constants list = { #list, N_ROWS(rows_), rows_ }

/* tx_api.h: thread execution status values. */
static const struct rst_constant thread_state_rows[] = { { 0, "TX_READY" }, { 1, "TX_COMPLETED" },
	{ 2, "TX_TERMINATED" }, { 3, "TX_SUSPENDED" }, { 4, "TX_SLEEP" }, { 5, "TX_QUEUE_SUSP" },
	{ 6, "TX_SEMAPHORE_SUSP" }, { 7, "TX_EVENT_FLAG" }, { 8, "TX_BLOCK_MEMORY" }, { 9, "TX_BYTE_MEMORY" },
	{ 10, "TX_IO_DRIVER" }, { 11, "TX_FILE" }, { 12, "TX_TCP_IP" }, { 13, "TX_MUTEX_SUSP" },
	{ 14, "TX_PRIORITY_CHANGE" } };
CONSTANTS(thread_state, thread_state_rows);

/*
 * tx_api.h: wait options; anything between is a number of timer ticks. A sign-extended -1 occurs with wide
 * words.
 */
static const struct rst_constant wait_option_rows[] = { { 0, "TX_NO_WAIT" },
	{ 0xffffffff, "TX_WAIT_FOREVER" }, { UINT64_MAX, "TX_WAIT_FOREVER" } };
CONSTANTS(wait_option, wait_option_rows);

static const struct rst_constant get_option_rows[] = { { 0, "TX_OR" }, { 1, "TX_OR_CLEAR" }, { 2, "TX_AND" },
	{ 3, "TX_AND_CLEAR" } };
CONSTANTS(get_option, get_option_rows);

static const struct rst_constant set_option_rows[] = { { 0, "TX_OR" }, { 2, "TX_AND" } };
CONSTANTS(set_option, set_option_rows);

static const struct rst_constant inherit_rows[] = { { 0, "TX_NO_INHERIT" }, { 1, "TX_INHERIT" } };
CONSTANTS(inherit, inherit_rows);

static const struct rst_constant activate_rows[] = { { 0, "TX_NO_ACTIVATE" }, { 1, "TX_AUTO_ACTIVATE" } };
CONSTANTS(activate, activate_rows);

/* fx_api.h */
static const struct rst_constant open_type_rows[] = { { 0, "FX_OPEN_FOR_READ" }, { 1, "FX_OPEN_FOR_WRITE" },
	{ 2, "FX_OPEN_FOR_READ_FAST" } };
CONSTANTS(open_type, open_type_rows);

static const struct rst_constant seek_from_rows[] = { { 0, "FX_SEEK_BEGIN" }, { 1, "FX_SEEK_END" },
	{ 2, "FX_SEEK_FORWARD" }, { 3, "FX_SEEK_BACK" } };
CONSTANTS(seek_from, seek_from_rows);

/* nx_api.h */
static const struct rst_constant packet_status_rows[] = { { 0xaaaaaaaa, "NX_PACKET_ALLOCATED" },
	{ 0xffffffff, "NX_PACKET_FREE" }, { 0xbbbbbbbb, "NX_DRIVER_TX_DONE" },
	{ 0xeeeeeeee, "NX_PACKET_ENQUEUED" } };
CONSTANTS(packet_status, packet_status_rows);

static const struct rst_constant tcp_state_rows[] = { { 1, "NX_TCP_CLOSED" }, { 2, "NX_TCP_LISTEN_STATE" },
	{ 3, "NX_TCP_SYN_SENT" }, { 4, "NX_TCP_SYN_RECEIVED" }, { 5, "NX_TCP_ESTABLISHED" },
	{ 6, "NX_TCP_CLOSE_WAIT" }, { 7, "NX_TCP_FIN_WAIT_1" }, { 8, "NX_TCP_FIN_WAIT_2" },
	{ 9, "NX_TCP_CLOSING" }, { 10, "NX_TCP_TIMED_WAIT" }, { 11, "NX_TCP_LAST_ACK" } };
CONSTANTS(tcp_state, tcp_state_rows);

/* ux_api.h: error codes. */
static const struct rst_constant usb_error_rows[] = { { 0x11, "UX_TOO_MANY_DEVICES" },
	{ 0x12, "UX_MEMORY_INSUFFICIENT" }, { 0x13, "UX_NO_TD_AVAILABLE" }, { 0x14, "UX_NO_ED_AVAILABLE" },
	{ 0x15, "UX_SEMAPHORE_ERROR" }, { 0x16, "UX_THREAD_ERROR" }, { 0x17, "UX_MUTEX_ERROR" },
	{ 0x18, "UX_EVENT_ERROR" }, { 0x19, "UX_MEMORY_CORRUPTED" }, { 0x1a, "UX_MEMORY_ARRAY_FULL" },
	{ 0x1b, "UX_FATAL_ERROR" }, { 0x1c, "UX_ALREADY_ACTIVATED" }, { 0x21, "UX_TRANSFER_STALLED" },
	{ 0x22, "UX_TRANSFER_NO_ANSWER" }, { 0x23, "UX_TRANSFER_ERROR" },
	{ 0x24, "UX_TRANSFER_MISSED_FRAME" }, { 0x25, "UX_TRANSFER_NOT_READY" },
	{ 0x26, "UX_TRANSFER_BUS_RESET" }, { 0x27, "UX_TRANSFER_BUFFER_OVERFLOW" },
	{ 0x28, "UX_TRANSFER_APPLICATION_RESET" }, { 0x29, "UX_TRANSFER_DATA_LESS_THAN_EXPECTED" },
	{ 0x31, "UX_PORT_RESET_FAILED" }, { 0x32, "UX_CONTROLLER_INIT_FAILED" },
	{ 0x33, "UX_CONTROLLER_DEAD" }, { 0x41, "UX_NO_BANDWIDTH_AVAILABLE" },
	{ 0x42, "UX_DESCRIPTOR_CORRUPTED" }, { 0x43, "UX_OVER_CURRENT_CONDITION" },
	{ 0x44, "UX_DEVICE_ENUMERATION_FAILURE" }, { 0x50, "UX_DEVICE_HANDLE_UNKNOWN" },
	{ 0x51, "UX_CONFIGURATION_HANDLE_UNKNOWN" }, { 0x52, "UX_INTERFACE_HANDLE_UNKNOWN" },
	{ 0x53, "UX_ENDPOINT_HANDLE_UNKNOWN" }, { 0x54, "UX_FUNCTION_NOT_SUPPORTED" },
	{ 0x55, "UX_CONTROLLER_UNKNOWN" }, { 0x56, "UX_PORT_INDEX_UNKNOWN" }, { 0x57, "UX_NO_CLASS_MATCH" },
	{ 0x58, "UX_HOST_CLASS_ALREADY_INSTALLED" }, { 0x59, "UX_HOST_CLASS_UNKNOWN" },
	{ 0x5a, "UX_CONNECTION_INCOMPATIBLE" }, { 0x5b, "UX_HOST_CLASS_INSTANCE_UNKNOWN" },
	{ 0x5c, "UX_TRANSFER_TIMEOUT" }, { 0x5d, "UX_BUFFER_OVERFLOW" }, { 0x5e, "UX_NO_ALTERNATE_SETTING" },
	{ 0x5f, "UX_NO_DEVICE_CONNECTED" }, { 0x60, "UX_HOST_CLASS_PROTOCOL_ERROR" },
	{ 0x61, "UX_HOST_CLASS_MEMORY_ERROR" }, { 0x62, "UX_HOST_CLASS_MEDIA_NOT_SUPPORTED" },
	{ 0x63, "UX_CLASS_MALFORMED_PACKET_RECEIVED_ERROR" }, { 0x70, "UX_HOST_CLASS_HID_REPORT_OVERFLOW" },
	{ 0x71, "UX_HOST_CLASS_HID_USAGE_OVERFLOW" }, { 0x72, "UX_HOST_CLASS_HID_TAG_UNSUPPORTED" },
	{ 0x73, "UX_HOST_CLASS_HID_PUSH_OVERFLOW" }, { 0x74, "UX_HOST_CLASS_HID_POP_UNDERFLOW" },
	{ 0x75, "UX_HOST_CLASS_HID_COLLECTION_OVERFLOW" }, { 0x76, "UX_HOST_CLASS_HID_COLLECTION_UNDERFLOW" },
	{ 0x77, "UX_HOST_CLASS_HID_MIN_MAX_ERROR" }, { 0x78, "UX_HOST_CLASS_HID_DELIMITER_ERROR" },
	{ 0x79, "UX_HOST_CLASS_HID_REPORT_ERROR" }, { 0x7a, "UX_HOST_CLASS_HID_PERIODIC_REPORT_ERROR" },
	{ 0x7b, "UX_HOST_CLASS_HID_UNKNOWN" }, { 0x80, "UX_HOST_CLASS_AUDIO_WRONG_TYPE" },
	{ 0x81, "UX_HOST_CLASS_AUDIO_WRONG_INTERFACE" }, { 0x90, "UX_CLASS_CDC_ECM_LINK_STATE_DOWN_ERROR" },
	{ 0xff, "UX_ERROR" } };
CONSTANTS(usb_error, usb_error_rows);

/* The vocabulary of the tables, see event_table.h and events.def. */
#define OBJECT(name, kind)     { #name, RST_OBJECT, RST_OBJECT_##kind, NULL, false },
#define THREAD(name)	       OBJECT(name, THREAD)
#define TIMER(name)	       OBJECT(name, TIMER)
#define QUEUE(name)	       OBJECT(name, QUEUE)
#define SEMAPHORE(name)	       OBJECT(name, SEMAPHORE)
#define MUTEX(name)	       OBJECT(name, MUTEX)
#define EVENT_FLAGS(name)      OBJECT(name, EVENT_FLAGS)
#define BLOCK_POOL(name)       OBJECT(name, BLOCK_POOL)
#define BYTE_POOL(name)	       OBJECT(name, BYTE_POOL)
#define MEDIA(name)	       OBJECT(name, MEDIA)
#define FILE(name)	       OBJECT(name, FILE)
#define IP(name)	       OBJECT(name, IP)
#define PACKET_POOL(name)      OBJECT(name, PACKET_POOL)
#define TCP(name)	       OBJECT(name, TCP_SOCKET)
#define UDP(name)	       OBJECT(name, UDP_SOCKET)
#define HOST_DEVICE(name)      OBJECT(name, USB_HOST_DEVICE)
#define HOST_INTERFACE(name)   OBJECT(name, USB_HOST_INTERFACE)
#define HOST_ENDPOINT(name)    OBJECT(name, USB_HOST_ENDPOINT)
#define HOST_CLASS(name)       OBJECT(name, USB_HOST_CLASS)
#define USB_DEVICE(name)       OBJECT(name, USB_DEVICE)
#define DEVICE_INTERFACE(name) OBJECT(name, USB_DEVICE_INTERFACE)
#define DEVICE_ENDPOINT(name)  OBJECT(name, USB_DEVICE_ENDPOINT)
#define DEVICE_CLASS(name)     OBJECT(name, USB_DEVICE_CLASS)
#define ADDRESS(name)	       { #name, RST_ADDRESS, RST_OBJECT_UNKNOWN, NULL, false },
#define STACK(name)	       { #name, RST_ADDRESS, RST_OBJECT_UNKNOWN, NULL, true },
#define NUMBER(name)	       { #name, RST_UNSIGNED, RST_OBJECT_UNKNOWN, NULL, false },
#define HEX(name)	       { #name, RST_HEX, RST_OBJECT_UNKNOWN, NULL, false },
#define IPV4(name)	       { #name, RST_IPV4, RST_OBJECT_UNKNOWN, NULL, false },
#define ENUM(name, constants)  { #name, RST_ENUM, RST_OBJECT_UNKNOWN, &constants, false },
#define WORD(name)	       { #name, RST_WORD, RST_OBJECT_UNKNOWN, NULL, false },
#define UNUSED		       { NULL, RST_UNSIGNED, RST_OBJECT_UNKNOWN, NULL, false },

/* Effects. */
#define I1		   ARGUMENT(1)
#define I2		   ARGUMENT(2)
#define I3		   ARGUMENT(3)
#define I4		   ARGUMENT(4)
#define ONE		   .amount = CONSTANT(1), .unit = RST_UNIT_COUNT
#define COUNT(of)	   .amount = of, .unit = RST_UNIT_COUNT
#define BYTES(of)	   .amount = of, .unit = RST_UNIT_BYTES
#define TICKS(of)	   .limit = of, .unit = RST_UNIT_KERNEL_TICKS
#define ASKS_FOR(why)	   .phase = RST_ASKS, .reason = RST_REASON_##why
#define STATE_OF(of)	   .code = of, .codes = &thread_states
#define HOLDS_NOW(of, ...) E(LEVEL, .object = I1, .value = of, .unit = RST_UNIT_COUNT, __VA_ARGS__)
#define FREE_NOW(of, ...) \
	E(LEVEL, .object = I1, .value = of, .unit = RST_UNIT_COUNT, .is_free = true, __VA_ARGS__)

/* Reasons why an event has no effect, if many events share the reason. */
#define QUERY	  NO_EFFECT("it only reads")
#define SETTING	  NO_EFFECT("it sets up what no thread waits for")
#define CALLBACK  NO_EFFECT("it registers a function or a class")
#define ON_MEDIA  NO_EFFECT("waits for the media are events of its mutex")
#define PROTOCOL  NO_EFFECT("a step of a protocol: what threads wait for are events of their own")
#define NOT_OWNED .name = "it puts a mutex that it does not own"
#define REQUEST	  NO_EFFECT("a request of a class or device: what threads wait for are events of their own")

/*
 * tx_api.h: thread execution status values, as reasons. A change of priority takes a ready thread out of its
 * list and back.
 */
CODES(thread_states, { UINT64_MAX, 0, RST_STATE_READY, RST_REASON_NONE, RST_DONE },
	{ UINT64_MAX, 1, RST_STATE_ENDED, RST_REASON_NONE, RST_DONE },
	{ UINT64_MAX, 2, RST_STATE_ENDED, RST_REASON_NONE, RST_DONE },
	{ UINT64_MAX, 3, RST_STATE_WAITING, RST_REASON_SUSPENDED, RST_DONE },
	{ UINT64_MAX, 4, RST_STATE_WAITING, RST_REASON_SLEEP, RST_DONE },
	{ UINT64_MAX, 5, RST_STATE_WAITING, RST_REASON_QUEUE, RST_DONE },
	{ UINT64_MAX, 6, RST_STATE_WAITING, RST_REASON_SEMAPHORE, RST_DONE },
	{ UINT64_MAX, 7, RST_STATE_WAITING, RST_REASON_FLAGS, RST_DONE },
	{ UINT64_MAX, 8, RST_STATE_WAITING, RST_REASON_MEMORY, RST_DONE },
	{ UINT64_MAX, 9, RST_STATE_WAITING, RST_REASON_MEMORY, RST_DONE },
	{ UINT64_MAX, 10, RST_STATE_WAITING, RST_REASON_IO, RST_DONE },
	{ UINT64_MAX, 11, RST_STATE_WAITING, RST_REASON_IO, RST_DONE },
	{ UINT64_MAX, 12, RST_STATE_WAITING, RST_REASON_IO, RST_DONE },
	{ UINT64_MAX, 13, RST_STATE_WAITING, RST_REASON_LOCK, RST_DONE },
	{ UINT64_MAX, 14, RST_STATE_READY, RST_REASON_NONE, RST_DONE },
	{ 0, 0, RST_STATE_WAITING, RST_REASON_OTHER, RST_DONE })

#define EVENT(id, constant, service, fields, effects) { id, #constant, service, fields, effects },

static const struct tx_event events[] = {
#include "dialect/threadx/events.def"
};

static const struct tx_event events_netx_old[] = {
#include "dialect/threadx/events_netx_old.def"
};

static const struct tx_event *find_in(const struct tx_event *rows, size_t n_rows, uint32_t id)
{
	size_t low = 0;

	while (low < n_rows) {
		size_t middle = low + (n_rows - low) / 2;

		if (rows[middle].id == id)
			return &rows[middle];
		if (rows[middle].id < id)
			low = middle + 1;
		else
			n_rows = middle;
	}
	return NULL;
}

const struct tx_event *tx_event_find(uint32_t id, bool is_old_netx)
{
	const struct tx_event *old =
		is_old_netx ? find_in(events_netx_old, N_ROWS(events_netx_old), id) : NULL;

	return old ? old : find_in(events, N_ROWS(events), id);
}

bool tx_event_has(const struct tx_event *event, enum rst_effect_kind kind, unsigned *ret_word)
{
	const struct rst_effect *effect = event->effects;

	for (; effect && effect->kind != RST_EFFECT_NONE; effect++)
		if (effect->kind == kind && effect->object.from > 0) {
			*ret_word = (unsigned)effect->object.from - 1;
			return true;
		}
	return false;
}

/* Each information word is a field. A word without a name in the table is spare, for kernels that use it. */
static void bind_fields(
	struct rst_field *fields, int8_t *field_of, const struct tx_event *event, unsigned word, bool is_big)
{
	static const char *const spare[TX_INFO_WORDS] = { "info_1", "info_2", "info_3", "info_4" };

	for (unsigned i = 0; i < TX_INFO_WORDS; i++) {
		const struct tx_field *field = &event->fields[i];

		field_of[i] = (int8_t)i;
		fields[i] = (struct rst_field){
			.name = field->name ? field->name : spare[i],
			.type = field->name ? field->type : RST_WORD,
			.offset = (uint32_t)(i * word),
			.n_bytes = (uint32_t)word,
			.is_big_endian = is_big,
			.zero_is_none = field->type == RST_OBJECT,
			.is_aside = !field->name,
			.is_spare = !field->name,
			.is_stack = field->is_stack,
			.object_kind = field->kind,
			.constants = field->constants,
		};
	}
}

const struct rst_layout *tx_event_bind(
	struct model *model, const struct tx_event *event, uint32_t id, unsigned word, bool is_big)
{
	struct rst_field *fields = arena_alloc(&model->arena, TX_INFO_WORDS * sizeof(*fields));
	int8_t field_of[TX_INFO_WORDS];

	if (!fields)
		return NULL;
	bind_fields(fields, field_of, event, word, is_big);
	struct rst_layout layout = { .n_fields = TX_INFO_WORDS, .fields = fields };

	if (!effects_give(&layout, model, event->effects, field_of))
		return NULL;
	return model_add_layout(model,
		&(struct rst_type){ .id = id, .name = event->constant, .label = event->service }, &layout);
}

const struct rst_layout *tx_event_bind_unlisted(struct model *model, uint32_t id, unsigned word, bool is_big)
{
	static const struct {
		uint32_t first;
		const char *constant, *service;
	} ranges[] = {
		{ 4096, "TX_TRACE_USER_EVENT_START", "user event" },
		{ 1025, "TML_TRACE_USER_EVENT_START", "user event of the old range" },
		{ 0, "TX_TRACE_UNKNOWN", "unknown event" },
	};
	const struct tx_event unlisted = { .fields =
						   FIELDS(WORD(info1) WORD(info2) WORD(info3) WORD(info4)) };
	struct tx_event event = unlisted;
	char *name = arena_alloc(&model->arena, 48);
	size_t i = 0;

	if (!name)
		return NULL;
	while (id < ranges[i].first)
		i++;
	snprintf(name, 48, "%s+%u", ranges[i].constant, id - ranges[i].first);
	event.constant = name;
	event.service = ranges[i].service;
	return tx_event_bind(model, &event, id, word, is_big);
}

static bool is_listed(const char *constant)
{
	for (size_t i = 0; i < N_ROWS(events); i++)
		if (strcmp(events[i].constant, constant) == 0)
			return true;
	return false;
}

/*
 * Words of 32 bits, low byte first, are the commonest. An event of both numberings of NetX is added once,
 * with the newer number: its fields are the same.
 */
bool tx_events_catalogue(struct model *model)
{
	enum { WORD_BYTES = 4, USER = 4096, OLD_USER = 1025, UNKNOWN = 0 };
	static const uint32_t ranges[] = { USER, OLD_USER, UNKNOWN };
	bool is_good = true;

	for (size_t i = 0; i < N_ROWS(events) && is_good; i++)
		is_good = tx_event_bind(model, &events[i], events[i].id, WORD_BYTES, false) != NULL;
	for (size_t i = 0; i < N_ROWS(events_netx_old) && is_good; i++)
		is_good = is_listed(events_netx_old[i].constant) ||
			  tx_event_bind(model, &events_netx_old[i], events_netx_old[i].id, WORD_BYTES, false);
	for (size_t i = 0; i < N_ROWS(ranges) && is_good; i++)
		is_good = tx_event_bind_unlisted(model, ranges[i], WORD_BYTES, false) != NULL;
	return is_good;
}
