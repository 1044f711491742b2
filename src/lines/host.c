/* SPDX-License-Identifier: MIT */
/*
 * The data of an event that templates use besides its payload: context, core, time and the position in the
 * report.
 */
#include "lines/format.h"
#include "template/machine/code.h"

static const struct report_line *line_of(const struct entry *entry)
{
	return entry->host_data;
}

static int64_t host_type_id(const struct report_line *line)
{
	return line->plan->hook ? line->plan->hook->id : line->layout->id;
}

static int64_t host_context_id(const struct report_line *line)
{
	return (int64_t)line->batch->context[line->row]->id;
}

/* That of the thread, as the column PID has it; else what the event has as a field. */
static int64_t host_process_id(const struct report_line *line)
{
	const uint64_t process = line->batch->context[line->row]->process;
	struct value_source values = { 0 };

	if (process)
		return (int64_t)process;
	values_open(&values, line->batch, line->row);
	for (unsigned i = 0; i < line->layout->n_fields; i++) {
		const struct rst_field *field = &line->layout->fields[i];

		if (strcmp(field->name, "process") == 0 && value_is_there(&values, field))
			return (int64_t)value_number(&values, field);
	}
	return 0;
}

static int64_t host_core(const struct report_line *line)
{
	uint16_t core = rst_batch_core(line->batch, line->row);

	return core == RST_NO_CORE ? 0 : core;
}

static int64_t host_priority(const struct report_line *line)
{
	int16_t priority = rst_batch_priority(line->batch, line->row);

	return priority == RST_NO_PRIORITY ? 0 : priority;
}

/* That of the thread, which is its priority where none is recorded. */
static int64_t host_threshold(const struct report_line *line)
{
	int16_t threshold = rst_batch_threshold(line->batch, line->row);

	return threshold == RST_NO_PRIORITY ? host_priority(line) : threshold;
}

/* The capacity of the first object that the event is about. */
static int64_t host_capacity(const struct report_line *line)
{
	struct value_source values = { .trace = line->input->trace, .names = line->input->runner.names };

	values_open(&values, line->batch, line->row);
	for (unsigned i = 0; i < line->layout->n_fields; i++) {
		const struct rst_field *field = &line->layout->fields[i];

		if (field->type != RST_OBJECT || !value_is_there(&values, field))
			continue;
		const uint64_t id = value_number(&values, field);
		const struct rst_object *object = rst_trace_find_object(
			line->input->trace, values.process, id, field->object_kind, values.seq);

		value_use(&values, id, object);
		return object ? (int64_t)object->capacity : 0;
	}
	return 0;
}

static int64_t host_line_number(const struct report_line *line)
{
	return (int64_t)line->report->n_lines + 1;
}

/* Few templates use it, so cores are counted only when one does. */
static int64_t host_n_cores(const struct report_line *line)
{
	struct report_input *input = line->input;

	for (size_t i = 0; line->batch->core && i < line->batch->n_events; i++)
		if (line->batch->core[i] != RST_NO_CORE && line->batch->core[i] >= input->n_cores)
			input->n_cores = line->batch->core[i] + 1U;
	return input->n_cores ? input->n_cores : 1;
}

/* Nanoseconds since the first event; in ticks with runner.counts_ticks. */
static int64_t host_now(const struct report_line *line)
{
	const struct times *times = &line->input->times;
	uint64_t ticks = line->batch->ticks[line->row];

	return times->hz ? times_distance_ns(times, times->first, ticks) : (int64_t)(ticks - times->first);
}

static int64_t host_number(const struct entry *entry, enum macro_id macro)
{
	static int64_t (*const numbers[N_MACROS])(const struct report_line *line) = {
		[MACRO_TRACEID] = host_type_id,
		[MACRO_PID] = host_process_id,
		[MACRO_TID] = host_context_id,
		[MACRO_CPUID] = host_core,
		[MACRO_PRI] = host_priority,
		[MACRO_THRESHOLD] = host_threshold,
		[MACRO_CAPACITY] = host_capacity,
		[MACRO_RELLINENO] = host_line_number,
		[MACRO_TOTALCPUS] = host_n_cores,
		[MACRO_TRACEDCPUS] = host_n_cores,
		[MACRO_REPORTEDCPUS] = host_n_cores,
		[MACRO_NOW] = host_now,
	};

	return numbers[macro] ? numbers[macro](line_of(entry)) : 0;
}

static struct text name_of(const struct rst_context *context)
{
	return context ? (struct text){ context->name, context->name_bytes } : (struct text){ "", 0 };
}

struct text report_service(const struct report_line *line)
{
	const struct rst_type *type = line->layout->type;
	const struct text label = line->plan->unit->stanza->label;

	if (line->batch->context[line->row]->kind == RST_CONTEXT_ISR)
		return name_of(line->batch->context[line->row]);
	if (line->plan->hook) {
		const char *service = line->plan->hook->service;

		return service ? (struct text){ service, strlen(service) } : (struct text){ "", 0 };
	}
	if (line->plan->level != LEVEL_SVC)
		return (struct text){ "", 0 };
	if (type->label[0])
		return (struct text){ type->label, strlen(type->label) };
	return label.n_bytes ? label : (struct text){ type->name, type->name_bytes };
}

static struct text host_text(const struct entry *entry, enum macro_id macro)
{
	const struct report_line *line = line_of(entry);
	struct report_input *input = line->input;

	if (macro == MACRO_UNDERWAY)
		return open_spans_text(&input->spans, input->trace, line->batch, line->row);
	if (macro == MACRO_INTERRUPTED)
		return name_of(rst_batch_interrupted(line->batch, line->row));
	if (macro == MACRO_SVC)
		return report_service(line);
	return macro == MACRO_LOGFILE ? input->path : (struct text){ "", 0 };
}

/*
 * The name of the process at this event. The text is empty if it has no name or the dialect has no processes.
 */
static struct text host_process(const struct entry *entry, uint64_t pid)
{
	const struct report_line *line = line_of(entry);
	/* In a merged trace, numbers in payloads are those of the trace that the event is of. */
	const uint64_t scope = pid == entry->process ? 0 : entry->process;
	const struct rst_object *process = rst_trace_find_object(
		line->input->trace, scope, pid, RST_OBJECT_PROCESS, line->batch->seq[line->row]);

	if (!process || !process->name_bytes)
		return (struct text){ NULL, 0 };
	return (struct text){ process->name, process->name_bytes };
}

const struct entry_host report_host = {
	.number = host_number,
	.text = host_text,
	.process = host_process,
};
