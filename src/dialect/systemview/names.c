/* SPDX-License-Identifier: MIT */
/*
 * Some packets describe others. They name tasks, interrupts, resources, markers and samples. They also tell
 * the clock and the operating system. Names come late and hold for the whole recording, so a first pass takes
 * them from a file.
 *
 * Evidence chooses the operating system's table of event names, because three numberings of FreeRTOS have one
 * name. An END_CALL, or an id from 205 on, means the port for version 11. ESP-IDF names its device or itself.
 * Otherwise it is the port for version 10.
 */
#include <ctype.h>
#include <string.h>

#include "base/text.h"
#include "dialect/systemview/systemview.h"

enum {
	FREERTOS11_FIRST = 205,
	FREERTOS11_GIVE_ISR = 163,
	FREERTOS11_TAKE = 165,
	PARTS_MAX = 256,
	MODULE_FIELDS = 8,
	TEXT_MAX = 512,
	SAMPLE_SIGNED = 1,
	SAMPLE_REAL = 2
};

static const uint8_t numbers[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
	21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34 };

static bool keep_number(struct map *map, uint64_t key, uint8_t number)
{
	check(number < sizeof(numbers));
	return map_set(map, key, (void *)(uintptr_t)&numbers[number]);
}

/* Names an object once; the model has room for so many. */
static bool name_object(
	struct sv *sv, struct model *model, enum rst_object_kind kind, uint64_t id, struct text name)
{
	struct rst_object *object = objects_latest(&model->objects, 0, id, kind);

	if (object && object->kind == kind && object->name)
		return true;
	if (!object || object->kind != kind) {
		if (sv->n_names++ >= SV_NAMES_MAX)
			return sv->n_names != SV_NAMES_MAX + 1 ||
			       model_warn(model, "there are so many names that later ones are left out");
		object = objects_add(&model->objects, &model->arena, 0, id, kind, sv->seq);
	}
	return object && objects_name(&model->objects, &model->arena, object, (const uint8_t *)name.bytes,
				 name.n_bytes);
}

enum rst_object_kind sv_handle_kind(const struct sv *sv, uint64_t id)
{
	const uint8_t *kind = map_find(&sv->handles, id);

	return kind ? (enum rst_object_kind) * kind : RST_OBJECT_QUEUE;
}

void sv_names_choose(struct sv *sv)
{
	const struct sv_set *set = sv->set;

	if (sv->is_set_given)
		return;
	if (sv->os_set)
		set = sv->os_set;
	else if (sv->is_freertos)
		set = sv_set_find(sv->is_freertos11 ? "freertos11" : sv->is_esp ? "esp-idf" : "freertos10");
	if (set != sv->set) {
		map_done(&sv->layouts);
		sv->layouts = (struct map){ 0 };
	}
	sv->set = set;
}

/* --- system descriptions ------------------------------------------------------------------------------- */

static bool detail(struct model *model, const char *name, struct text text)
{
	char kept[4 * TEXT_MAX + 1];

	if (text.n_bytes > TEXT_MAX)
		text.n_bytes = TEXT_MAX;
	*text_keep(kept, (const uint8_t *)text.bytes, text.n_bytes) = '\0';
	return model_detail_text(model, name, kept);
}

static bool begins(struct text text, const char *with)
{
	const size_t n = strlen(with);

	return text.n_bytes >= n && memcmp(text.bytes, with, n) == 0;
}

static bool begins_fold(struct text text, const char *with)
{
	return text.n_bytes >= strlen(with) && text_is_same_fold(text.bytes, with, strlen(with));
}

static void take_system(struct sv *sv, struct text name)
{
	static const struct {
		const char *begin, *set;
	} systems[] = { { "Zephyr", "zephyr" }, { "ThreadX", "threadx" }, { "Azure", "threadx" },
		{ "NuttX", "nuttx" }, { "uC/OS-III", "ucos3" }, { "uC/OS-II", "ucos2" },
		{ "Micrium", "ucos3" } };

	sv->is_freertos |= begins_fold(name, "FreeRTOS");
	for (size_t i = 0; i < sizeof(systems) / sizeof(systems[0]) && !sv->os_set; i++)
		if (begins_fold(name, systems[i].begin))
			sv->os_set = sv_set_find(systems[i].set);
}

static bool take_interrupt(struct sv *sv, struct model *model, struct text part)
{
	uint64_t number = 0;
	size_t at = 2;

	for (; at < part.n_bytes && isdigit((unsigned char)part.bytes[at]) && at < 12; at++)
		number = 10 * number + (uint64_t)(part.bytes[at] - '0');
	if (at == 2 || at >= part.n_bytes || part.bytes[at] != '=')
		return true;
	return name_object(sv, model, RST_OBJECT_INTERRUPT, number,
		(struct text){ part.bytes + at + 1, part.n_bytes - at - 1 });
}

static bool take_part(struct sv *sv, struct model *model, struct text part)
{
	static const struct {
		const char *key, *name;
	} keys[] = { { "N=", "application" }, { "D=", "device" }, { "C=", "core" }, { "O=", "os" } };

	if (begins(part, "I#"))
		return take_interrupt(sv, model, part);
	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct text value = { part.bytes + 2, part.n_bytes < 2 ? 0 : part.n_bytes - 2 };

		if (!begins(part, keys[i].key))
			continue;
		if (i == 1)
			sv->is_esp |= begins_fold(value, "ESP");
		if (i == 3)
			take_system(sv, value);
		if (sv->has_details >> i & 1)
			return true;
		sv->has_details |= 1U << i;
		return detail(model, keys[i].name, value);
	}
	return true;
}

/* Takes the part up to the next comma. */
static struct text next_part(struct text *rest)
{
	const char *comma = rest->n_bytes ? memchr(rest->bytes, ',', rest->n_bytes) : NULL;
	struct text part = { rest->bytes, comma ? (size_t)(comma - rest->bytes) : rest->n_bytes };
	const size_t n = part.n_bytes + (comma != NULL);

	*rest = (struct text){ rest->bytes + n, rest->n_bytes - n };
	while (part.n_bytes && part.bytes[0] == ' ')
		part = (struct text){ part.bytes + 1, part.n_bytes - 1 };
	return part;
}

static bool take_sysdesc(struct sv *sv, struct model *model, struct text text)
{
	for (unsigned i = 0; text.n_bytes && i < PARTS_MAX; i++)
		if (!take_part(sv, model, next_part(&text)))
			return false;
	sv_names_choose(sv);
	return true;
}

/* --- modules ------------------------------------------------------------------------------------------- */

/* Takes a word up to a blank or another end. */
static struct text next_word(struct text *rest)
{
	struct text word;

	while (rest->n_bytes && rest->bytes[0] == ' ')
		*rest = (struct text){ rest->bytes + 1, rest->n_bytes - 1 };
	word = (struct text){ rest->bytes, 0 };
	while (word.n_bytes < rest->n_bytes && rest->bytes[word.n_bytes] != ' ')
		word.n_bytes++;
	*rest = (struct text){ rest->bytes + word.n_bytes, rest->n_bytes - word.n_bytes };
	return word;
}

/* A name for a type or a field: letters, digits and underscores; others become underscores. */
static char *keep_name(struct model *model, struct text before, struct text name)
{
	const size_t n = (before.n_bytes ? before.n_bytes + 1 : 0) + name.n_bytes;
	char *kept = arena_alloc(&model->arena, n + 2), *p = kept;

	if (!kept)
		return NULL;
	if (name.n_bytes && !before.n_bytes && isdigit((unsigned char)name.bytes[0]))
		*p++ = '_';
	if (before.n_bytes) {
		p = text_put(p, before.bytes, before.n_bytes);
		*p++ = '_';
	}
	p = text_put(p, name.bytes, name.n_bytes);
	*p = '\0';
	for (char *c = kept; c < p; c++)
		if (!isalnum((unsigned char)*c) || (unsigned char)*c >= 0x80)
			*c = '_';
	return kept;
}

/* The type of a field by its format, as in printf. */
static uint8_t format_type(struct text format)
{
	while (format.n_bytes && (isdigit((unsigned char)format.bytes[0]) || format.bytes[0] == '.'))
		format = (struct text){ format.bytes + 1, format.n_bytes - 1 };
	switch (format.n_bytes ? format.bytes[0] : 'u') {
	case 'd':
	case 'i':
		return SV_SIGNED;
	case 'x':
	case 'X':
		return SV_HEX;
	case 'p':
		return SV_POINTER;
	case 's':
		return SV_TEXT;
	case 't':
	case 'T':
		return SV_TASK;
	default:
		return SV_NUMBER;
	}
}

static bool take_module_field(struct model *model, struct sv_module_event *event, struct text word)
{
	const char *equals = word.n_bytes ? memchr(word.bytes, '=', word.n_bytes) : NULL;
	struct text name = { word.bytes, equals ? (size_t)(equals - word.bytes) : 0 };
	struct text format = { word.bytes + name.n_bytes, word.n_bytes - name.n_bytes };
	struct sv_field *field = &event->fields[event->n_fields];
	const char *percent = format.n_bytes ? memchr(format.bytes, '%', format.n_bytes) : NULL;

	if (!name.n_bytes || !percent || event->n_fields == MODULE_FIELDS)
		return true;
	format = (struct text){ percent + 1, (size_t)(format.bytes + format.n_bytes - percent - 1) };
	field->name = keep_name(model, (struct text){ "", 0 }, name);
	field->type = format_type(format);
	field->kind = field->type == SV_TASK ? RST_OBJECT_THREAD : RST_OBJECT_UNKNOWN;
	event->n_fields++;
	return field->name != NULL;
}

/* Takes "2 Error Code=%d". */
static bool take_module_event(
	struct sv *sv, struct model *model, uint64_t offset, struct text module, struct text part)
{
	struct text word = next_word(&part);
	struct sv_module_event *event;
	uint64_t number = 0, id;

	if (!word.n_bytes || word.n_bytes > 5)
		return true;
	for (size_t i = 0; i < word.n_bytes; i++) {
		if (!isdigit((unsigned char)word.bytes[i]))
			return true;
		number = 10 * number + (uint64_t)(word.bytes[i] - '0');
	}
	id = offset + number;
	word = next_word(&part);
	if (id < SV_ID_OWN || id > SV_ID_MAX || !word.n_bytes || map_find(&sv->modules, id))
		return true;
	event = arena_alloc(&model->arena, sizeof(*event));
	if (!event)
		return false;
	event->fields = arena_alloc(&model->arena, (MODULE_FIELDS + 1) * sizeof(*event->fields));
	event->name = keep_name(model, module, word);
	event->n_fields = 0;
	if (!event->fields || !event->name)
		return false;
	while (part.n_bytes)
		if (!take_module_field(model, event, next_word(&part)))
			return false;
	return map_set(&sv->modules, id, event);
}

static bool take_module(struct sv *sv, struct model *model, uint64_t offset, struct text text)
{
	for (unsigned i = 0; text.n_bytes && i < PARTS_MAX; i++) {
		const struct text part = next_part(&text);

		if (begins(part, "M=")) {
			char *name = keep_name(model, (struct text){ "", 0 },
				(struct text){ part.bytes + 2, part.n_bytes - 2 });

			if (!name || !map_set(&sv->module_names, offset, name))
				return false;
		} else if (part.n_bytes) {
			const char *name = map_find(&sv->module_names, offset);

			if (!take_module_event(sv, model, offset,
				    name ? (struct text){ name, strlen(name) } : (struct text){ "", 0 },
				    part))
				return false;
		}
	}
	return true;
}

/* --- packets ------------------------------------------------------------------------------------------- */

static bool take_init(struct sv *sv, struct model *model, const uint8_t *at, const uint8_t *end)
{
	uint64_t values[4];

	for (unsigned i = 0; i < 4; i++)
		if (!sv_number(&at, end, 5, &values[i]))
			return true;
	if (sv->has_init)
		return true;
	sv->has_init = true;
	sv->ram_base = (uint32_t)values[2];
	sv->shift = values[3] < 32 ? (unsigned)values[3] : 0;
	if (!sv->wanted_hz)
		model->clock_hz = values[0];
	if (!sv->ram_base && !sv->shift) {
		model_count_ids(model, 1U << RST_OBJECT_THREAD);
		model->objects.is_by_kind = true;
	}
	return model_detail_number(model, "sys_freq", values[0]) &&
	       model_detail_number(model, "cpu_freq", values[1]) &&
	       model_detail_hex(model, "ram_base", values[2]) &&
	       model_detail_number(model, "id_shift", values[3]);
}

/* Notes the kind of a handle that END_CALL returns from the call that creates it. */
static bool take_end_call(struct sv *sv, const uint8_t *at, const uint8_t *end)
{
	static const uint8_t kinds[] = {
		[SV_CREATES_MUTEX] = RST_OBJECT_MUTEX, [SV_CREATES_SEMAPHORE] = RST_OBJECT_SEMAPHORE
	};
	const struct sv_event *event;
	uint64_t id, value;

	if (!sv->is_freertos11 && sv->is_freertos) {
		sv->is_freertos11 = true;
		sv_names_choose(sv);
	}
	if (!sv_number(&at, end, 5, &id) || id >= SV_ID_PLAUSIBLE)
		return true;
	sv->ends[id / 64] |= 1ULL << id % 64;
	event = sv_event_find(sv->set, (uint32_t)id);
	if (!event || event->role < SV_CREATES_MUTEX || !sv_number(&at, end, 10, &value) || !value)
		return true;
	return keep_number(&sv->handles, sv_whole_id(sv, value), kinds[event->role]);
}

/* A handle that is taken or given is a semaphore, unless its creation made it a mutex. */
static bool take_semaphore(struct sv *sv, const uint8_t *at, const uint8_t *end)
{
	uint64_t id;

	if (!sv_number(&at, end, 10, &id) || map_find(&sv->handles, sv_whole_id(sv, id)))
		return true;
	return keep_number(&sv->handles, sv_whole_id(sv, id), RST_OBJECT_SEMAPHORE);
}

static bool take_ex(struct sv *sv, struct model *model, const uint8_t *at, const uint8_t *end)
{
	const bool is_ok = true;
	uint64_t ex, id, type;
	struct text name;

	if (!sv_number(&at, end, 5, &ex) || (ex != SV_EX_NAME_MARKER && ex != SV_EX_REGISTER_DATA) ||
		!sv_number(&at, end, 5, &id) || !sv_text(&at, end, &name))
		return is_ok;
	if (ex == SV_EX_NAME_MARKER)
		return name_object(sv, model, RST_OBJECT_FUNCTION, id, name);
	if (sv_number(&at, end, 5, &type) && (type == SAMPLE_SIGNED || type == SAMPLE_REAL) &&
		!keep_number(&sv->samples, id, (uint8_t)type))
		return false;
	return name_object(sv, model, RST_OBJECT_MEMORY, id, name);
}

static bool take_named(struct sv *sv, struct model *model, const struct sv_packet *packet)
{
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;
	uint64_t id, other;
	struct text name;

	if (packet->id == SV_SYSDESC)
		return !sv_text(&at, end, &name) || take_sysdesc(sv, model, name);
	if (!sv_number(&at, end, 10, &id))
		return true;
	if (packet->id == SV_NAME_RESOURCE) {
		id = sv_whole_id(sv, id);
		return !sv_text(&at, end, &name) || name_object(sv, model, sv_handle_kind(sv, id), id, name);
	}
	if (!sv_number(&at, end, 5, &other) || !sv_text(&at, end, &name))
		return true;
	if (packet->id == SV_MODULEDESC)
		return take_module(sv, model, other, name);
	return name_object(sv, model, RST_OBJECT_THREAD, sv_whole_id(sv, id), name);
}

bool sv_names_take(struct sv *sv, struct model *model, const struct sv_packet *packet)
{
	const uint8_t *at = packet->payload, *end = at + packet->n_payload;

	switch (packet->id) {
	case SV_SYSDESC:
	case SV_TASK_INFO:
	case SV_MODULEDESC:
	case SV_NAME_RESOURCE:
		return take_named(sv, model, packet);
	case SV_INIT:
		return take_init(sv, model, at, end);
	case SV_END_CALL:
		return take_end_call(sv, at, end);
	case SV_EX:
		return take_ex(sv, model, at, end);
	default:
		if (packet->id >= FREERTOS11_FIRST && packet->id < SV_ID_MODULES && !sv->is_freertos11 &&
			!sv->is_esp) {
			sv->is_freertos11 = true;
			sv_names_choose(sv);
		}
		return !sv->is_freertos11 ||
		       (packet->id != FREERTOS11_TAKE && packet->id != FREERTOS11_GIVE_ISR) ||
		       take_semaphore(sv, at, end);
	}
}

bool sv_names_head(struct sv *sv, struct model *model, const struct sv_head *head)
{
	const struct {
		const char *name;
		struct text text;
	} rows[] = { { "version", head->version }, { "author", head->author },
		{ "record_time", head->record_time }, { "title", head->title },
		{ "description", head->description } };

	if (head->is_cut && !model_warn(model, "the file ends inside of its head, before the first packet"))
		return false;
	sv->is_esp |= begins_fold(head->author, "Espressif");
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].text.n_bytes || sv->has_details >> (8 + i) & 1)
			continue;
		sv->has_details |= 1U << (8 + i);
		if (!detail(model, rows[i].name, rows[i].text))
			return false;
	}
	return true;
}
