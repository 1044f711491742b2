/* SPDX-License-Identifier: MIT */
/*
 * Merges the streams of all traces to rows. Each stream shows its next event, whose header has been read; a
 * heap has the earliest one on top, and of equal stamps the one of the earlier stream. Only then the event's
 * fields are read, straight into the batch's memory. All clocks become one (clocks.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "dialect/ctf/ctf.h"
#include "model/field.h"

enum { SLOT_BYTES = 8 };

/* --- streams -------------------------------------------------------------------------------------------- */

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static bool rows_has_role(const struct ctf_packet *packet, enum ctf_role role)
{
	return packet->has_roles >> role & 1;
}

/* Packets of one stream may lie in several files; without a number of the stream, each file is one. */
static int compare_streams(const struct ctf_packet *a, const struct ctf_packet *b)
{
	const bool has_instance = rows_has_role(a, CTF_INSTANCE_ID) && rows_has_role(b, CTF_INSTANCE_ID);

	if (a->trace_index != b->trace_index)
		return compare_numbers(a->trace_index, b->trace_index);
	if (a->class != b->class)
		return compare_numbers(a->class ? a->class->index : 0, b->class ? b->class->index : 0);
	if (has_instance)
		return compare_numbers(a->roles[CTF_INSTANCE_ID], b->roles[CTF_INSTANCE_ID]);
	return compare_numbers((uintptr_t)a->file, (uintptr_t)b->file);
}

static int compare_packets(const void *first, const void *second)
{
	const struct ctf_packet *a = first, *b = second;
	const int order = compare_streams(a, b);

	if (order)
		return order;
	if (rows_has_role(a, CTF_PACKET_NUMBER) && rows_has_role(b, CTF_PACKET_NUMBER) &&
		a->roles[CTF_PACKET_NUMBER] != b->roles[CTF_PACKET_NUMBER])
		return compare_numbers(a->roles[CTF_PACKET_NUMBER], b->roles[CTF_PACKET_NUMBER]);
	if (rows_has_role(a, CTF_BEGIN) && rows_has_role(b, CTF_BEGIN) &&
		a->roles[CTF_BEGIN] != b->roles[CTF_BEGIN])
		return compare_numbers(a->roles[CTF_BEGIN], b->roles[CTF_BEGIN]);
	return compare_numbers(a->number, b->number);
}

static bool add_stream(struct ctf *ctf, size_t from, size_t n_packets, size_t *n_held)
{
	const struct ctf_packet *first = &ctf->packets[from];
	struct ctf_stream *stream = &ctf->streams[ctf->n_streams];
	struct ctf_trace *trace = ctf->traces[first->trace_index];

	*stream = (struct ctf_stream){ .trace = trace,
		.packets = first,
		.n_packets = n_packets,
		.index = (uint32_t)ctf->n_streams++,
		.kept = ctf->held + *n_held };
	*n_held += (size_t)trace->n_held;
	return true;
}

/* No more streams are merged: packets from this one on are left out. */
static bool leave_out_streams(struct ctf *ctf, size_t from)
{
	struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = ctf->packets[from].at,
		.what = "there are more streams than can be read, and the packets of this one and those "
			"behind it "
			"are left out",
		.source = ctf->packets[from].file->name };

	for (size_t i = from; i < ctf->n_packets; i++)
		gap.n_bytes += ctf->packets[i].n_bytes;
	ctf->n_packets = from;
	return ctf_owe(ctf, &gap);
}

static bool allocate_streams(struct ctf *ctf, size_t n_streams, size_t n_held)
{
	ctf->streams = calloc(n_streams + 1, sizeof(*ctf->streams));
	ctf->heap = calloc(n_streams + 1, sizeof(struct ctf_stream *));
	ctf->held = calloc(n_held + 1, sizeof(*ctf->held));
	ctf->kept = calloc(CTF_VALUES_MAX, sizeof(*ctf->kept));
	return ctf->streams && ctf->heap && ctf->held && ctf->kept;
}

/* Sorts packets by their streams, and makes room for these. */
static bool count_streams(struct ctf *ctf)
{
	size_t n_streams = 0, n_held = 0;

	if (ctf->n_packets)
		qsort(ctf->packets, ctf->n_packets, sizeof(*ctf->packets), compare_packets);
	for (size_t i = 0; i < ctf->n_packets; i++)
		if (i == 0 || compare_streams(&ctf->packets[i - 1], &ctf->packets[i]) != 0) {
			if (n_streams == CTF_MERGED_MAX)
				return leave_out_streams(ctf, i) && allocate_streams(ctf, n_streams, n_held);
			n_streams++;
			n_held += (size_t)ctf->traces[ctf->packets[i].trace_index]->n_held;
		}
	return allocate_streams(ctf, n_streams, n_held);
}

/* Sorts packets into streams. */
static bool divide_packets(struct ctf *ctf)
{
	size_t n_held = 0, from = 0;

	if (!count_streams(ctf))
		return false;
	for (size_t i = 0; i < ctf->n_packets; from = i) {
		for (i++; i < ctf->n_packets; i++)
			if (compare_streams(&ctf->packets[i - 1], &ctf->packets[i]) != 0)
				break;
		add_stream(ctf, from, i - from, &n_held);
	}
	return true;
}

/* --- the heap ------------------------------------------------------------------------------------------- */

static bool is_before(const struct ctf_stream *a, const struct ctf_stream *b)
{
	return a->ticks != b->ticks ? a->ticks < b->ticks : a->index < b->index;
}

/* Moves the stream on top down to its place. */
static void sift_down(struct ctf *ctf)
{
	struct ctf_stream **heap = ctf->heap, *moved = heap[0];
	size_t at = 0;

	for (;;) {
		size_t next = 2 * at + 1;

		if (next >= ctf->n_heap)
			break;
		if (next + 1 < ctf->n_heap && is_before(heap[next + 1], heap[next]))
			next++;
		if (!is_before(heap[next], moved))
			break;
		heap[at] = heap[next];
		at = next;
	}
	heap[at] = moved;
}

static void heap_add(struct ctf *ctf, struct ctf_stream *stream)
{
	size_t at = ctf->n_heap++;

	for (; at && is_before(stream, ctf->heap[(at - 1) / 2]); at = (at - 1) / 2)
		ctf->heap[at] = ctf->heap[(at - 1) / 2];
	ctf->heap[at] = stream;
}

static void heap_pop(struct ctf *ctf)
{
	ctf->heap[0] = ctf->heap[--ctf->n_heap];
	if (ctf->n_heap)
		sift_down(ctf);
}

/* --- all traces ----------------------------------------------------------------------------------------- */

static bool prepare_meaning(struct ctf_trace *trace)
{
	trace->tracer_table = ctf_tracer_of(trace);
	if (trace->tracer_table)
		trace->cores = arena_alloc(&trace->arena, CTF_CORES_MAX * sizeof(*trace->cores));
	return !trace->tracer_table || trace->cores;
}

static enum rst_status describe(struct ctf_trace *trace, size_t n_arena_max, struct model *model,
	struct ctf_fault *fault, struct rst_error *err)
{
	struct ctf_text text;
	enum rst_status status;
	uint32_t index = 1;
	bool is_cut;

	trace->arena.n_max = n_arena_max;
	if (trace->metadata.n_bytes > CTF_METADATA_MAX)
		return ctf_refuse(fault, 0, "it has more than %zu MiB", CTF_METADATA_MAX >> 20);
	status = ctf_metadata_text(trace, &text, &is_cut) ? ctf_describe(trace, text, fault) : RST_E_NOMEM;
	if (status == RST_OK)
		status = ctf_bind(trace, fault);
	if (status < 0 && trace->arena.is_spent)
		return ctf_refuse(
			fault, 0, "descriptions take more memory than %zu MiB", CTF_ARENA_MAX >> 20);
	if (status == RST_E_NOMEM)
		return error_nomem(err);
	for (struct ctf_stream_class *stream = trace->streams; stream; stream = stream->next)
		stream->index = index++;
	if (status == RST_OK && !prepare_meaning(trace))
		return error_nomem(err);
	if (status == RST_OK && is_cut &&
		!model_warn(model, "%s is cut: events that it does not describe cannot be read",
			trace->metadata.name))
		return error_nomem(err);
	return status;
}

bool ctf_owe(struct ctf *ctf, const struct rst_gap *gap)
{
	struct rst_gap *due = array_room(ctf->due, ctf->n_due, &ctf->due_room, sizeof(*gap));

	ctf_forget_cores(ctf);
	if (due)
		ctf->due = due;
	if (due)
		due[ctf->n_due++] = *gap;
	return due != NULL;
}

/* A trace of several whose description is not understood costs itself. */
static bool owe_trace(
	struct ctf *ctf, struct model *model, struct ctf_trace *trace, const struct ctf_fault *fault)
{
	char what[sizeof(fault->what) + 64];

	snprintf(what, sizeof(what), "line %llu of the description is not understood: %s",
		(unsigned long long)fault->line, fault->what);
	trace->fault = arena_copy(&model->arena, what, strlen(what));
	return trace->fault && ctf_owe(ctf, &(struct rst_gap){ .marker = RST_DAMAGE,
						    .n_bytes = trace->metadata.n_bytes,
						    .what = trace->fault,
						    .source = trace->metadata.name });
}

static enum rst_status refuse_trace(
	const struct ctf_trace *trace, const struct ctf_fault *fault, struct rst_error *err)
{
	if (fault->line)
		error_set(err, RST_E_DAMAGED, RST_NO_OFFSET,
			"line %llu of the description is not understood: %s", (unsigned long long)fault->line,
			fault->what);
	else
		error_set(err, RST_E_DAMAGED, RST_NO_OFFSET, "the description is not understood: %s",
			fault->what);
	error_advise(err, "babeltrace2 may tell more of it");
	error_name(err, trace->metadata.name);
	return RST_E_DAMAGED;
}

/* The memory that descriptions may still take; an arena without a limit would have 0. */
static size_t arena_left(const struct ctf *ctf)
{
	size_t n_left = CTF_ARENA_MAX;

	for (size_t i = 0; i < ctf->n_traces; i++)
		n_left -= ctf->traces[i]->arena.n_bytes < n_left ? ctf->traces[i]->arena.n_bytes : n_left;
	return n_left ? n_left : 1;
}

static enum rst_status rows_take_trace(struct ctf *ctf, size_t n, struct model *model, struct rst_error *err)
{
	struct ctf_trace *trace = ctf->traces[n];
	struct ctf_fault fault = { 0 };
	const enum rst_status status = describe(trace, arena_left(ctf), model, &fault, err);
	const size_t n_before = ctf->n_packets;

	if (status == RST_E_NOMEM)
		return status;
	if (status < 0 && ctf->n_traces == 1)
		return refuse_trace(trace, &fault, err);
	if (status < 0)
		return owe_trace(ctf, model, trace, &fault) ? RST_OK : error_nomem(err);
	for (size_t i = 0; i < trace->n_files; i++) {
		bool is_stream = true;

		if (!ctf_find_packets(ctf, trace, &trace->files[i], &is_stream))
			return error_nomem(err);
		if (!is_stream && !model_warn(model, "%s is no stream of this trace, and is passed over",
					  trace->files[i].name))
			return error_nomem(err);
	}
	for (size_t i = n_before; i < ctf->n_packets; i++)
		ctf->packets[i].trace_index = (uint32_t)n;
	return RST_OK;
}

static bool give_details(struct ctf *ctf, struct model *model)
{
	const struct ctf_trace *first = ctf->traces[0];
	bool is_one_host = true;

	for (size_t i = 1; i < ctf->n_traces; i++)
		is_one_host &= first->hostname && ctf->traces[i]->hostname &&
			       strcmp(first->hostname, ctf->traces[i]->hostname) == 0;
	if (first->hostname && is_one_host) {
		char *name = arena_alloc(&model->arena, 4 * strlen(first->hostname) + 1);

		if (!name)
			return false;
		*text_keep(name, (const uint8_t *)first->hostname, strlen(first->hostname)) = '\0';
		model->target = name;
	}
	return model_detail_number(model, "traces", ctf->n_traces) &&
	       model_detail_number(model, "streams", ctf->n_streams) &&
	       model_detail_number(model, "packets", ctf->n_packets) &&
	       (!first->tracer || model_detail_text(model, "tracer", first->tracer)) &&
	       (!first->domain || model_detail_text(model, "domain", first->domain));
}

enum rst_status ctf_make_streams(struct ctf *ctf, struct model *model, struct rst_error *err)
{
	for (size_t i = 0; i < ctf->n_traces; i++)
		error_try(rows_take_trace(ctf, i, model, err));
	if (!divide_packets(ctf) || !ctf_join_clocks(ctf, model) ||
		(ctf->n_traces && !give_details(ctf, model)))
		return error_nomem(err);
	return RST_OK;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

/* Steps a stream to its next event, and puts it into the heap. The gaps before it are due. */
static bool step(struct ctf *ctf, struct ctf_stream *stream, struct model *model, bool *ret_is_there)
{
	struct rst_gap gap;
	enum ctf_step how;

	while ((how = ctf_next_event(ctf, stream, model, &gap)) == CTF_STEP_GAP)
		if (!ctf_owe(ctf, &gap))
			return false;
	*ret_is_there = how == CTF_STEP_EVENT;
	stream->ticks = ctf_row_ticks(stream->trace, stream->stamp);
	return how != CTF_STEP_NOMEM;
}

static uint64_t slot_number(const uint8_t *payload, int slot)
{
	return load_u64(payload + SLOT_BYTES * slot, false);
}

static struct ctf_text slot_text(const uint8_t *payload, int slot)
{
	const uint8_t *at = payload + SLOT_BYTES * slot;
	const char *text = (const char *)payload + load_u32(at, false);

	return (struct ctf_text){ text, strnlen(text, load_u32(at + 4, false)) };
}

bool ctf_name_object(struct model *model, enum rst_object_kind kind, uint64_t id, struct ctf_text name,
	bool is_new, uint64_t seq)
{
	struct rst_object *object = objects_latest(&model->objects, 0, id, kind);

	if (object && !is_new)
		return true;
	object = objects_add(&model->objects, &model->arena, 0, id, kind, seq);
	return object && objects_name(&model->objects, &model->arena, object, (const uint8_t *)name.bytes,
				 name.n_bytes);
}

/* The thread that the contexts of an event name. Returns NULL if memory ran out. */
static const struct rst_context *context_of(
	struct ctf *ctf, struct model *model, const struct ctf_stream *stream, const uint8_t *payload)
{
	const struct ctf_event *event = stream->event;
	const struct rst_context *context;
	uint64_t id, process;

	if (event->thread_slot < 0)
		return model->unknown;
	id = slot_number(payload, event->thread_slot);
	process =
		event->process_slot >= 0 ? slot_number(payload, event->process_slot) : stream->trace->process;
	if (event->name_slot >= 0) {
		const struct ctf_text name = slot_text(payload, event->name_slot);

		if (!ctf_name_object(model, RST_OBJECT_THREAD, id, name, false, ctf->seq) ||
			(id == process &&
				!ctf_name_object(model, RST_OBJECT_PROCESS, id, name, false, ctf->seq)))
			return NULL;
	}
	context = contexts_thread(&model->contexts, &model->objects, &model->arena, id, ctf->seq);
	if (context && context->kind == RST_CONTEXT_THREAD && context->process != process)
		contexts_own(context, process);
	return context;
}

static bool read_parts(struct ctf_reader *reader, const struct ctf_event *event, uint8_t *payload)
{
	for (int part = CTF_STREAM_CONTEXT; part <= CTF_PAYLOAD; part++)
		if (!ctf_read_columns(reader, event, (enum ctf_part)part, payload))
			return false;
	return true;
}

/* The result of reading an event. */
enum taken { TAKEN, TAKEN_DAMAGE, TAKEN_NO_ROOM, TAKEN_NO_MEMORY };

static void add_row(struct ctf *ctf, struct ctf_stream *stream, struct batch *batch,
	const struct ctf_shown *shown, const uint8_t *payload, size_t n_payload)
{
	const size_t row = batch_row(batch, CTF_COLUMNS,
		&(struct batch_row){ .ticks = stream->ticks,
			.stamp = stream->stamp,
			.seq = ctf->seq++,
			.layout = stream->event->layouts[shown->is_other],
			.context = shown->context,
			.payload = payload,
			.n_payload = n_payload });

	ctf->n_back += stream->ticks < ctf->last_ticks;
	ctf->last_ticks = stream->ticks;
	batch->core[row] = shown->core;
	batch->interrupted[row] = shown->interrupted;
	batch->depth[row] = shown->depth;
}

static enum taken rows_take_event(struct ctf *ctf, struct ctf_stream *stream, struct model *model,
	struct batch *batch, const char **ret_why)
{
	struct ctf_event *event = (struct ctf_event *)(uintptr_t)stream->event;
	const size_t at = (batch->n_scratch + SLOT_BYTES - 1) & ~(size_t)(SLOT_BYTES - 1);
	struct ctf_time time = stream->time;
	struct ctf_shown shown;
	struct ctf_out out;
	size_t n_slots;
	uint8_t *payload;

	if (!event->layouts[0] && !ctf_make_layout(stream->trace, event, model))
		return TAKEN_NO_MEMORY;
	n_slots = (size_t)SLOT_BYTES * event->n_slots;
	if (at > batch->scratch_bytes || batch->scratch_bytes - at < n_slots)
		return TAKEN_NO_ROOM;
	payload = batch->scratch + at;
	memset(payload, 0, n_slots);
	out = (struct ctf_out){ (char *)payload + n_slots, (char *)batch->scratch + batch->scratch_bytes,
		false };
	memcpy(ctf->kept, stream->kept, (size_t)stream->trace->n_held * sizeof(*ctf->kept));
	struct ctf_reader reader = {
		.bits = stream->bits, .from = stream->event_at, .kept = ctf->kept, .out = &out, .time = &time
	};

	if (!read_parts(&reader, event, payload)) {
		*ret_why = reader.fault;
		return TAKEN_DAMAGE;
	}
	if (out.is_full)
		return TAKEN_NO_ROOM;
	if (reader.bits.at == stream->event_at) {
		*ret_why = "an event without a single bit";
		return TAKEN_DAMAGE;
	}
	shown.context = context_of(ctf, model, stream, payload);
	if (!shown.context || !ctf_follow(ctf, model, stream, payload, &shown) ||
		!ctf_layout(event, shown.is_other, model))
		return TAKEN_NO_MEMORY;
	batch_scratch(batch, (size_t)(out.at - (char *)payload));
	stream->bits = reader.bits;
	stream->time = time;
	add_row(ctf, stream, batch, &shown, payload, (size_t)(out.at - (char *)payload));
	return TAKEN;
}

/* Gives out the event on top of the heap. Returns RST_MORE if the batch must go out first. */
static enum rst_status rows_take_top(
	struct ctf *ctf, struct model *model, struct batch *batch, struct rst_error *err)
{
	struct ctf_stream *stream = ctf->heap[0];
	const char *why = NULL;
	enum taken taken = rows_take_event(ctf, stream, model, batch, &why);
	struct rst_gap gap;
	bool is_there;

	if (taken == TAKEN_NO_MEMORY)
		return error_nomem(err);
	if (taken == TAKEN_NO_ROOM && batch->n_events)
		return RST_MORE;
	if (taken != TAKEN) {
		ctf_give_up(stream, stream->event_at, why ? why : "the event here is too large", &gap);
		if (!ctf_owe(ctf, &gap))
			return error_nomem(err);
	}
	if (!step(ctf, stream, model, &is_there))
		return error_nomem(err);
	if (is_there)
		sift_down(ctf);
	else
		heap_pop(ctf);
	return RST_OK;
}

static bool put_due(struct ctf *ctf, struct model *model, struct batch *batch)
{
	while (ctf->n_put < ctf->n_due && !batch_is_full(batch))
		if (!model_put_gap(model, batch, &ctf->due[ctf->n_put++]))
			return false;
	if (ctf->n_put == ctf->n_due)
		ctf->n_put = ctf->n_due = 0;
	return true;
}

static enum rst_status finish(struct ctf *ctf, struct model *model, struct rst_error *err)
{
	const uint64_t n_back = ctf->n_back;

	ctf->n_back = 0;
	if (n_back &&
		!model_warn(model,
			"time steps back %llu times within streams; these events are shown where they stand",
			(unsigned long long)n_back))
		return error_nomem(err);
	return RST_END;
}

enum rst_status ctf_rows(struct ctf *ctf, struct model *model, struct batch *batch, struct rst_error *err)
{
	for (;;) {
		enum rst_status status = RST_OK;

		if (!put_due(ctf, model, batch))
			return error_nomem(err);
		if (batch_is_full(batch))
			return RST_OK;
		if (ctf->n_begun < ctf->n_streams) {
			struct ctf_stream *stream = &ctf->streams[ctf->n_begun++];
			bool is_there;

			if (!step(ctf, stream, model, &is_there))
				return error_nomem(err);
			if (is_there)
				heap_add(ctf, stream);
			continue;
		}
		if (!ctf->n_heap)
			return finish(ctf, model, err);
		status = rows_take_top(ctf, model, batch, err);
		if (status == RST_MORE)
			return RST_OK;
		error_try(status);
	}
}
