/* SPDX-License-Identifier: MIT */
/*
 * Follows which thread has each core, for tracers whose switches are known. Most of their events do not name
 * the thread that made them: it is the one that was switched in last on their core, or an interrupt above it.
 * After a loss nothing of this is known any more.
 */
#include <string.h>

#include "base/load.h"
#include "dialect/ctf/ctf.h"

enum { SLOT_BYTES = 8 };

static uint64_t number_at(const struct ctf_event *event, const uint8_t *payload, unsigned field)
{
	return load_u64(payload + SLOT_BYTES * event->number_of[field], false);
}

static bool has_number(const struct ctf_event *event, unsigned field)
{
	return event->number_of[field] >= 0;
}

void ctf_forget_cores(struct ctf *ctf)
{
	for (size_t i = 0; i < ctf->n_traces; i++)
		if (ctf->traces[i]->cores)
			memset(ctf->traces[i]->cores, 0, CTF_CORES_MAX * sizeof(struct ctf_core));
}

/* A tracer that has no field for the core is that of a kernel for one core. */
static struct ctf_core *core_of(const struct ctf_stream *stream, const uint8_t *payload, uint16_t *ret_number)
{
	const struct ctf_trace *trace = stream->trace;
	const struct ctf_event *event = stream->event;
	uint64_t number = stream->core;

	if (!trace->tracer_table) {
		*ret_number = stream->core;
		return NULL;
	}
	if (!trace->tracer_table->has_streams_of_cores)
		number = event->core_slot >= 0 ? load_u64(payload + SLOT_BYTES * event->core_slot, false) : 0;
	*ret_number = number < CTF_CORES_MAX ? (uint16_t)number : stream->core;
	return number < CTF_CORES_MAX ? &trace->cores[number] : NULL;
}

/* --- contexts ------------------------------------------------------------------------------------------- */

static const struct rst_context *thread_context(
	struct ctf *ctf, struct model *model, const struct ctf_core *core)
{
	if (!core->has_thread)
		return model->unknown;
	if (core->is_idle)
		return contexts_special(&model->contexts, &model->arena, RST_CONTEXT_IDLE, 0);
	return contexts_thread(&model->contexts, &model->objects, &model->arena, core->thread, ctf->seq);
}

static const struct rst_context *interrupt_context(struct model *model, const struct ctf_core *core)
{
	const struct ctf_interrupt *interrupt = &core->interrupts[core->n_interrupts - 1];

	if (!interrupt->has_number)
		return contexts_special(&model->contexts, &model->arena, RST_CONTEXT_ISR, 0);
	return contexts_isr(&model->contexts, &model->arena, interrupt->number);
}

/* --- what an event changes ------------------------------------------------------------------------------ */

static void enter_interrupt(struct ctf_core *core, bool has_number, uint64_t number)
{
	if (core->n_interrupts == CTF_NESTING_MAX)
		memmove(core->interrupts, core->interrupts + 1,
			(CTF_NESTING_MAX - 1) * sizeof(*core->interrupts));
	else
		core->n_interrupts++;
	core->interrupts[core->n_interrupts - 1] = (struct ctf_interrupt){ has_number, number };
}

static void before_row(struct ctf_core *core, const struct ctf_event *event, const uint8_t *payload)
{
	const enum ctf_act act = event->meaning ? event->meaning->act : CTF_ACT_NONE;

	if (act == CTF_ACT_ISR_IN)
		enter_interrupt(
			core, has_number(event, 0), has_number(event, 0) ? number_at(event, payload, 0) : 0);
	if (act == CTF_ACT_SOFT_IN)
		enter_interrupt(core, true, CTF_SOFTIRQS + number_at(event, payload, 0));
	if (act == CTF_ACT_SWITCH || act == CTF_ACT_OUT) { /* it says which thread has the core until now */
		const uint64_t thread = number_at(event, payload, 0);

		if (core->thread != thread)
			core->is_asking = false;
		core->is_idle = act == CTF_ACT_SWITCH ? thread == 0 : core->has_thread && core->is_idle;
		core->has_thread = true;
		core->thread = thread;
		core->n_interrupts = 0;
	}
}

static void take_thread(struct ctf_core *core, uint64_t thread, bool is_idle)
{
	*core = (struct ctf_core){ .has_thread = true, .thread = thread, .is_idle = is_idle };
}

static void take_request(struct ctf_core *core, const struct ctf_event *event, const uint8_t *payload)
{
	const enum ctf_act act = event->meaning ? event->meaning->act : CTF_ACT_NONE;

	if (!core->has_thread || core->n_interrupts)
		return;
	core->is_asking = act == CTF_ACT_ASKS_SELF ||
			  (act == CTF_ACT_ASKS && number_at(event, payload, 0) == core->thread);
}

static void after_row(
	struct ctf_core *core, const struct ctf_event *event, const uint8_t *payload, bool is_other)
{
	const enum ctf_act act = event->meaning ? event->meaning->act : CTF_ACT_NONE;

	if (act == CTF_ACT_IN)
		take_thread(core, number_at(event, payload, 0), is_other);
	else if (act == CTF_ACT_SWITCH && has_number(event, 1))
		take_thread(core, number_at(event, payload, 1), number_at(event, payload, 1) == 0);
	else if (act == CTF_ACT_OUT)
		*core = (struct ctf_core){ .has_thread = false };
	else if (act == CTF_ACT_ISR_OUT)
		core->n_interrupts -= core->n_interrupts > 0;
	else if (act == CTF_ACT_READY && number_at(event, payload, 0) == core->thread)
		core->is_asking = false;
	else if (act != CTF_ACT_READY)
		take_request(core, event, payload);
}

/* --- Zephyr's idle threads ------------------------------------------------------------------------------ */

/* The kernel calls them "idle", or "idle 00" with several cores. */
static bool is_idle_name(struct ctf_text name)
{
	static const char idle[] = "idle";
	const size_t n = sizeof(idle) - 1;

	return name.n_bytes >= n && memcmp(name.bytes, idle, n) == 0 &&
	       (name.n_bytes == n || name.bytes[n] == ' ');
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static struct ctf_text text_at(const struct ctf_event *event, const uint8_t *payload, unsigned field)
{
	const uint8_t *at = payload + SLOT_BYTES * event->field_of[field];
	const char *text = (const char *)payload + load_u32(at, false);

	return (struct ctf_text){ text, strnlen(text, load_u32(at + 4, false)) };
}

/* Names threads. The name "unknown" stands for none in Zephyr. */
static bool take_names(
	struct ctf *ctf, struct model *model, const struct ctf_event *event, const uint8_t *payload)
{
	static const char none[] = "unknown";

	for (size_t i = 0; i < CTF_MEANING_NAMES; i++) {
		const struct ctf_meaning_name *name = &event->meaning->names[i];
		struct ctf_text text;
		uint64_t id;

		if (!event->has_names[i])
			continue;
		text = text_at(event, payload, name->name - 1U);
		id = number_at(event, payload, name->id - 1U);
		if (!text.n_bytes ||
			(text.n_bytes == sizeof(none) - 1 && memcmp(text.bytes, none, text.n_bytes) == 0) ||
			(id == 0 && name->kind == RST_OBJECT_THREAD))
			continue;
		if (!ctf_name_object(
			    model, name->kind, id, text, event->meaning->act == CTF_ACT_CREATE, ctf->seq))
			return false;
	}
	return true;
}

static bool is_other_form(const struct ctf_core *core, const struct ctf_event *event, const uint8_t *payload)
{
	const struct ctf_meaning *meaning = event->meaning;

	if (!meaning || !meaning->effects[1])
		return false;
	if (meaning->act == CTF_ACT_IN)
		return event->has_names[0] && is_idle_name(text_at(event, payload, 1));
	return core->is_asking && core->has_thread && number_at(event, payload, 0) == core->thread;
}

bool ctf_follow(struct ctf *ctf, struct model *model, const struct ctf_stream *stream, const uint8_t *payload,
	struct ctf_shown *ret)
{
	const struct ctf_event *event = stream->event;
	struct ctf_core *core = core_of(stream, payload, &ret->core);

	ret->is_other = false;
	ret->depth = 0;
	ret->interrupted = NULL;
	if (!core)
		return true;
	if (event->meaning && !take_names(ctf, model, event, payload))
		return false;
	ret->is_other = is_other_form(core, event, payload);
	before_row(core, event, payload);
	if (!ret->context || event->thread_slot < 0)
		ret->context = thread_context(ctf, model, core);
	if (core->n_interrupts && ret->context) {
		ret->interrupted = ret->context;
		ret->context = interrupt_context(model, core);
		ret->depth = (uint8_t)core->n_interrupts;
	}
	if (ret->context)
		after_row(core, event, payload, ret->is_other);
	return ret->context != NULL;
}
