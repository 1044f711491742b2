/* SPDX-License-Identifier: MIT */
/* The events of the profile lttng-kernel, as kernel_metadata.c describes them. */
#include <stdio.h>
#include <string.h>

#include "export/ctf.h"

enum { HEAD_BYTES = 4 + 8 };

/* Makes room for an event, and puts its header. Returns NULL if memory ran out. */
static char *event_begin(struct export *export, uint16_t core, uint64_t at, uint32_t id, size_t n_bytes,
	struct ctf_stream **ret_stream)
{
	const uint64_t ticks = ctf_ticks(export, at);
	struct ctf *ctf = export->state;
	struct ctf_stream *stream = ctf_stream_of(export, core);
	char *p;

	if (!stream || !ctf_event_reserve(export, stream, HEAD_BYTES + n_bytes))
		return NULL;
	if (ctf_is_empty(ctf, stream))
		stream->begin = ticks;
	stream->end = ticks;
	*ret_stream = stream;
	p = ctf_put_le(stream->packet.at, id, 4);
	return ctf_put_le(p, ticks, 8);
}

/* Puts a name as a C string: readers would take bytes behind a NUL for the next field. */
static char *kernel_events_put_name(char *p, const struct kernel_task *task)
{
	const size_t n = strnlen(task->name, task->n_name);

	memcpy(p, task->name, n);
	p[n] = '\0';
	return p + n + 1;
}

static char *put_task(char *p, const struct kernel_task *task)
{
	p = kernel_events_put_name(p, task);
	p = ctf_put_le(p, (uint32_t)task->tid, 4);
	return ctf_put_le(p, (uint32_t)task->priority, 4);
}

static size_t task_bytes(const struct kernel_task *task)
{
	return task->n_name + 1 + 4 + 4;
}

bool kernel_put_switch(struct export *export, uint16_t core, uint64_t at, const struct kernel_task *from,
	int64_t state, const struct kernel_task *to)
{
	struct ctf_stream *stream;
	char *p =
		event_begin(export, core, at, KERNEL_SWITCH, task_bytes(from) + 8 + task_bytes(to), &stream);

	if (!p)
		return false;
	p = put_task(p, from);
	p = ctf_put_le(p, (uint64_t)state, 8);
	stream->packet.at = put_task(p, to);
	return true;
}

bool kernel_put_wake(struct export *export, uint16_t core, uint64_t at, enum kernel_event event,
	const struct kernel_task *target, int32_t cpu)
{
	struct ctf_stream *stream;
	char *p = event_begin(export, core, at, event, task_bytes(target) + 4, &stream);

	if (!p)
		return false;
	p = put_task(p, target);
	stream->packet.at = ctf_put_le(p, (uint32_t)cpu, 4);
	return true;
}

bool kernel_put_task(struct export *export, uint16_t core, uint64_t at, enum kernel_event event,
	const struct kernel_task *target)
{
	struct ctf_stream *stream;
	char *p = event_begin(export, core, at, event, task_bytes(target), &stream);

	if (p)
		stream->packet.at = put_task(p, target);
	return p;
}

bool kernel_put_fork(struct export *export, uint16_t core, uint64_t at, const struct kernel_task *parent,
	const struct kernel_task *child)
{
	struct ctf_stream *stream;
	char *p = event_begin(export, core, at, KERNEL_FORK, task_bytes(parent) + task_bytes(child), &stream);

	if (!p)
		return false;
	p = kernel_events_put_name(p, parent);
	p = ctf_put_le(p, (uint32_t)parent->tid, 4);
	p = ctf_put_le(p, (uint32_t)parent->tid, 4);
	p = kernel_events_put_name(p, child);
	p = ctf_put_le(p, (uint32_t)child->tid, 4);
	stream->packet.at = ctf_put_le(p, (uint32_t)child->tid, 4);
	return true;
}

bool kernel_put_irq(struct export *export, uint16_t core, uint64_t at, int32_t irq, bool is_entry)
{
	struct ctf_stream *stream;
	char *p =
		event_begin(export, core, at, is_entry ? KERNEL_IRQ_ENTRY : KERNEL_IRQ_EXIT, 4 + 32, &stream);

	if (!p)
		return false;
	p = ctf_put_le(p, (uint32_t)irq, 4);
	if (!is_entry)
		p = ctf_put_le(p, 1, 4); /* IRQ_HANDLED */
	else if (irq == KERNEL_NO_IRQ)
		p += sprintf(p, "interrupt") + 1;
	else
		p += sprintf(p, "interrupt %d", irq) + 1;
	stream->packet.at = p;
	return true;
}

bool kernel_put_service(
	struct export *export, uint16_t core, uint64_t at, uint32_t type, bool is_entry, bool gave_up)
{
	enum { AGAIN = -11 }; /* -EAGAIN */
	struct ctf_stream *stream;
	char *p = event_begin(export, core, at, KERNEL_SERVICES + 2 * type + !is_entry, 8, &stream);

	if (p)
		stream->packet.at = is_entry ? p : ctf_put_le(p, gave_up ? (uint64_t)AGAIN : 0, 8);
	return p;
}

/*
 * Puts a loss between two packets. The second packet has no event, since perhaps no event comes after the
 * loss.
 */
bool kernel_put_loss(struct export *export, uint16_t core, uint64_t at, uint64_t n_events)
{
	struct ctf_stream *stream = ctf_stream_of(export, core);

	if (!stream)
		return false;
	ctf_packet_end(export, stream);
	stream->begin = stream->end = ctf_ticks(export, at);
	if (!stream->number)
		ctf_packet_write(export, stream);
	stream->n_lost += n_events;
	ctf_packet_write(export, stream);
	return true;
}
