/* SPDX-License-Identifier: MIT */
/*
 * Names. The registry has no time: it holds the last object of each address when the dump was taken. Create
 * and delete events show which object an address had before that. While their kind of object differs from the
 * registry's kind, the registry's name does not apply. If they have the same kind, the registry's name is
 * used throughout, because a re-created object of the same kind at the same address is nearly always the same
 * object of the program.
 */
#include "base/cursor.h"
#include "base/text.h"
#include "dialect/threadx/threadx.h"

/* tx_trace.h: TX_TRACE_OBJECT_TYPE_*; 0 is a slot that was never used, 15 to 20 are reserved. */
static const struct {
	enum rst_object_kind kind;
	const char *parameter[2]; /* names of the two parameters, if they have a meaning */
} object_types[] = {
	[1] = { RST_OBJECT_THREAD, { "stack_start", "stack_size" } },
	[2] = { RST_OBJECT_TIMER, { "initial_ticks", "reschedule_ticks" } },
	[3] = { RST_OBJECT_QUEUE, { "queue_bytes", "message_words" } },
	[4] = { RST_OBJECT_SEMAPHORE, { "initial_count", NULL } },
	[5] = { RST_OBJECT_MUTEX, { "inherit", NULL } },
	[6] = { RST_OBJECT_EVENT_FLAGS, { NULL, NULL } },
	[7] = { RST_OBJECT_BLOCK_POOL, { "pool_bytes", "block_size" } },
	[8] = { RST_OBJECT_BYTE_POOL, { "pool_bytes", NULL } },
	[9] = { RST_OBJECT_MEDIA, { "fat_cache_size", "sector_cache_size" } },
	[10] = { RST_OBJECT_FILE, { NULL, NULL } },
	[11] = { RST_OBJECT_IP, { "stack_start", "stack_size" } },
	[12] = { RST_OBJECT_PACKET_POOL, { "payload_size", "packets" } },
	[13] = { RST_OBJECT_TCP_SOCKET, { "type_of_service", "window_size" } },
	[14] = { RST_OBJECT_UDP_SOCKET, { "type_of_service", "receive_queue_maximum" } },
	[21] = { RST_OBJECT_USB_HOST_DEVICE, { NULL, NULL } },
	[22] = { RST_OBJECT_USB_HOST_INTERFACE, { NULL, NULL } },
	[23] = { RST_OBJECT_USB_HOST_ENDPOINT, { NULL, NULL } },
	[24] = { RST_OBJECT_USB_HOST_CLASS, { NULL, NULL } },
	[25] = { RST_OBJECT_USB_DEVICE, { NULL, NULL } },
	[26] = { RST_OBJECT_USB_DEVICE_INTERFACE, { NULL, NULL } },
	[27] = { RST_OBJECT_USB_DEVICE_ENDPOINT, { NULL, NULL } },
	[28] = { RST_OBJECT_USB_DEVICE_CLASS, { NULL, NULL } },
};

enum { TYPE_QUEUE = 3 };

/* A parameter of more than 16 MiB is an address: of a stack, or of what took the parameter's place. */
enum { PARAMETER_MAX = 1 << 24 };

enum { N_OBJECT_TYPES = sizeof(object_types) / sizeof(object_types[0]), DETAILS_MAX = 11 };

/* A slot of the registry, as recorded. */
struct slot {
	uint64_t index;
	unsigned available, type, reserved1, reserved2;
	uint64_t address, parameter[2];
	unsigned word_bytes;
	const uint8_t *name;
	size_t name_bytes;
};

static void slot_load(struct slot *slot, const struct tx_image *image, const uint8_t *at, uint64_t index)
{
	const uint8_t *name = at + (size_t)4 * image->layout.word;
	const uint8_t *nul = memchr(name, 0, image->name_bytes);

	*slot = (struct slot){
		.index = index,
		.available = at[0],
		.type = at[1],
		.reserved1 = at[2],
		.reserved2 = at[3],
		.address = tx_word(image, at, 1),
		.parameter = { tx_word(image, at, 2), tx_word(image, at, 3) },
		.word_bytes = image->layout.word,
		.name = name,
		.name_bytes = nul ? (size_t)(nul - name) : image->name_bytes,
	};
}

static enum rst_object_kind kind_of_type(unsigned type)
{
	return type < N_OBJECT_TYPES ? object_types[type].kind : RST_OBJECT_UNKNOWN;
}

static void add_number(
	struct rst_detail *details, size_t *n_details, const char *name, uint64_t number, bool is_raw)
{
	details[(*n_details)++] = (struct rst_detail){
		.name = name, .type = RST_DETAIL_NUMBER, .number = number, .is_raw = is_raw
	};
}

/*
 * Returns the capacity in messages. For a queue that is older than the trace, tx_trace_enable() stores one
 * word per message, and no message size.
 */
static uint64_t queue_capacity(const struct slot *slot)
{
	uint64_t message_bytes = (slot->parameter[1] ? slot->parameter[1] : 1) * slot->word_bytes;

	return message_bytes ? slot->parameter[0] / message_bytes : 0;
}

/* Adds the slot's facts other than kind, address and name. The keys are those of the format's documents. */
static bool slot_details(struct model *model, struct rst_object *object, const struct slot *slot)
{
	struct rst_detail *details = arena_alloc(&model->arena, DETAILS_MAX * sizeof(*details));
	char *hex = arena_alloc(&model->arena, 2 * slot->name_bytes + 1);
	size_t n = 0;

	if (!details || !hex)
		return false;
	text_put_hex_bytes(hex, slot->name, slot->name_bytes);
	add_number(details, &n, "index", slot->index, true);
	add_number(details, &n, "available", slot->available, true);
	add_number(details, &n, "type", slot->type, true);
	add_number(details, &n, "p1", slot->parameter[0], true);
	add_number(details, &n, "p2", slot->parameter[1], true);
	/* tx_trace_object_register.c: the top bit states that a priority was stored; at most 1023. */
	add_number(details, &n, "priority", (uint64_t)(slot->reserved1 & 3) << 8 | slot->reserved2,
		!(slot->reserved1 & 0x80));
	if (!(slot->reserved1 & 0x80))
		details[n - 1].type = RST_DETAIL_NULL;
	details[n++] = (struct rst_detail){
		.name = "name_hex", .type = RST_DETAIL_TEXT, .text = hex, .is_raw = true
	};
	for (size_t i = 0; i < 2 && slot->type < N_OBJECT_TYPES; i++)
		if (object_types[slot->type].parameter[i]) {
			add_number(details, &n, object_types[slot->type].parameter[i], slot->parameter[i],
				false);
			if (slot->parameter[i] > PARAMETER_MAX)
				details[n - 1].type = RST_DETAIL_HEX;
		}
	if (slot->available)
		details[n++] =
			(struct rst_detail){ .name = "deleted", .type = RST_DETAIL_BOOL, .number = true };
	if (slot->type == TYPE_QUEUE)
		add_number(details, &n, "capacity", object->capacity = queue_capacity(slot), false);
	object->details = details;
	object->n_details = n;
	return true;
}

static bool register_slot(struct threadx *tx, struct model *model, const struct slot *slot, uint64_t seq)
{
	enum rst_object_kind kind = kind_of_type(slot->type);
	const struct rst_object *latest =
		objects_latest(&model->objects, 0, slot->address, RST_OBJECT_UNKNOWN);
	struct rst_object *object;

	/* In a later dump of the same ring most slots hold known facts. */
	if (latest && latest->kind == kind && latest->from_seq < seq && latest->name) {
		char name[4 * 256 + 1];
		size_t n = slot->name_bytes < 256 ? slot->name_bytes : 256;
		size_t n_clean = (size_t)(text_keep(name, slot->name, n) - name);

		if (n_clean == latest->name_bytes && memcmp(name, latest->name, n_clean) == 0)
			return true;
	}
	object = objects_add(&model->objects, &model->arena, 0, slot->address, kind, seq);
	if (object && !object_is_kept(&model->objects, object))
		return true;
	return object && objects_name(&model->objects, &model->arena, object, slot->name, slot->name_bytes) &&
	       slot_details(model, object, slot) && map_set(&tx->registered, slot->address, object);
}

static bool register_slots(
	struct threadx *tx, struct model *model, const struct tx_image *image, uint64_t seq, bool is_live)
{
	uint64_t from = image->objects_at < image->n_bytes ? image->objects_at : image->n_bytes;
	struct cursor c = cursor_over(image->bytes + from, image->n_bytes - from);
	const uint8_t *at;

	for (uint64_t i = 0; i < image->n_objects && (at = cursor_take(&c, image->object_bytes)) != NULL;
		i++) {
		struct slot slot;

		slot_load(&slot, image, at, i);
		/* The type shows a used slot: the start clears addresses, but not parameters and names. */
		if (slot.type != 0 && (slot.available == 0) == is_live &&
			!register_slot(tx, model, &slot, seq))
			return false;
	}
	return true;
}

/* An address may be in a live slot and in a released slot. The live slot counts, so it is registered last. */
bool tx_objects_register(struct threadx *tx, struct model *model, const struct tx_image *image, uint64_t seq)
{
	return register_slots(tx, model, image, seq, false) && register_slots(tx, model, image, seq, true);
}

/*
 * Begins an object at an address, from seq on: the registry's object if the kind agrees, else an object
 * without a name.
 */
static bool begin_object(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq)
{
	const struct rst_object *known = map_find(&tx->registered, address);
	struct rst_object *object = objects_add(&model->objects, &model->arena, 0, address, kind, seq);

	if (!object)
		return false;
	if (!object_is_kept(&model->objects, object))
		return true;
	if (known && known->kind == kind) {
		object->name = known->name;
		object->name_bytes = known->name_bytes;
		object->capacity = known->capacity;
		object->details = known->details;
		object->n_details = known->n_details;
	}
	return true;
}

bool tx_objects_born(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq)
{
	const struct rst_object *latest = objects_latest(&model->objects, 0, address, RST_OBJECT_UNKNOWN);

	return (latest && latest->kind == kind) || begin_object(tx, model, address, kind, seq);
}

/* An object of another kind ended here: the registry's object came later, and this one never had a name. */
bool tx_objects_dead(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq)
{
	struct rst_object *latest = objects_latest(&model->objects, 0, address, RST_OBJECT_UNKNOWN);
	const struct rst_object *known = map_find(&tx->registered, address);
	struct rst_object *copy;

	if (!latest || latest->kind == kind)
		return true;
	if (latest == known) {
		copy = arena_alloc(&model->arena, sizeof(*copy));
		if (!copy)
			return false;
		*copy = *latest;
		if (!map_set(&tx->registered, address, copy))
			return false;
		known = copy;
	}
	latest->kind = kind;
	latest->name = NULL;
	latest->name_bytes = latest->n_details = 0;
	latest->capacity = 0;
	return !known || begin_object(tx, model, address, known->kind, seq + 1);
}
