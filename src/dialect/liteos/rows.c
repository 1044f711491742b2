/* SPDX-License-Identifier: MIT */
/*
 * Frames to rows of a batch. A frame does not show what ran: it names the task, even in an interrupt. With a
 * core word, hwiActive shows an interrupt. Without it, an interrupt lasts from HWI_RESPONSE_IN to
 * HWI_RESPONSE_OUT of the same task, because an interrupted task cannot run elsewhere meanwhile.
 */
#include "dialect/liteos/liteos.h"

/* The types of the table, by constant. */
#define EVENT(type, constant, label, fields, effects) TYPE_##constant = type,
#define HUAWEI(type, constant, label, fields, effects)
#define ON_A(type, constant, label, fields, effects)
#define ONLY_A(type, constant, label, fields, effects) TYPE_##constant = type,
enum {
#include "dialect/liteos/events.def"
	INTERRUPTS_MAX = 4096 /* larger numbers are no interrupts */
};
#undef EVENT
#undef HUAWEI
#undef ON_A
#undef ONLY_A

static bool is_same(const struct liteos_layout *a, const struct liteos_layout *b)
{
	return a->variant == b->variant && a->ptr == b->ptr && a->is_big == b->is_big &&
	       a->has_pid == b->has_pid && a->has_core == b->has_core && a->has_count == b->has_count &&
	       a->is_printed == b->is_printed && a->n_lr == b->n_lr && a->n_params == b->n_params;
}

bool liteos_use_layout(struct liteos *liteos, const struct liteos_layout *layout)
{
	unsigned shape = 0;

	while (shape < liteos->n_shapes && !is_same(&liteos->shapes[shape], layout))
		shape++;
	if (shape == LITEOS_SHAPES_MAX)
		return false;
	if (shape == liteos->n_shapes)
		liteos->shapes[liteos->n_shapes++] = *layout;
	if (!liteos->layout.frame_bytes || liteos->layout.variant != layout->variant)
		liteos_events_fixed(layout->variant, liteos->fixed);
	liteos->shape = shape;
	liteos->layout = *layout;
	return true;
}

void liteos_load_frame(
	const struct liteos_layout *layout, const uint8_t *bytes, uint32_t n_bytes, struct liteos_frame *ret)
{
	const bool is_big = layout->is_big;

	*ret = (struct liteos_frame){
		.type = load_u32(bytes, is_big),
		.task = load_u32(bytes + 4, is_big),
		.pid = layout->has_pid ? load_u32(bytes + layout->pid_at, is_big) : 0,
		.time = load_u64(bytes + layout->time_at, is_big),
		.identity = load_word(bytes + layout->identity_at, layout->ptr, is_big),
		.core_word = layout->has_core ? load_u32(bytes + layout->core_at, is_big) : 0,
		.count = layout->has_count ? load_u32(bytes + layout->count_at, is_big) : 0,
		.bytes = bytes,
		.n_bytes = n_bytes,
	};
}

/* --- types ---------------------------------------------------------------------------------------------- */

/* Bytes up to the last param that is there. paramCount has four bits, so it is ignored beyond 15 params. */
static inline uint32_t payload_bytes(
	const struct liteos_layout *layout, const struct liteos_frame *frame, struct liteos_core core)
{
	unsigned n = layout->n_params;

	if (layout->has_core && !layout->is_printed && n <= 15 && core.n_params < n)
		n = core.n_params;
	const uint32_t n_bytes = layout->params_at + n * layout->ptr;

	return n_bytes < frame->n_bytes ? n_bytes : frame->n_bytes;
}

static inline bool has_fixed_params(const struct liteos *liteos, uint32_t type)
{
	const uint32_t module = type >> LITEOS_NUMBER_BITS;

	return module && (module & (module - 1)) == 0 &&
	       liteos->fixed[__builtin_ctz(module)] >> (type & 15) & 1;
}

/* How many params the event has, if its type does not decide that. */
static inline unsigned varying_params(
	const struct liteos *liteos, const struct liteos_frame *frame, uint32_t n_payload)
{
	const struct liteos_layout *layout = &liteos->layout;

	if (__builtin_expect(has_fixed_params(liteos, frame->type), 1) || n_payload <= layout->params_at)
		return 0;
	return (n_payload - layout->params_at) / layout->ptr;
}

static const struct rst_layout *row_bind(
	struct liteos *liteos, struct model *model, uint32_t type, unsigned n_params, uint64_t key)
{
	const struct liteos_layout *layout = &liteos->layout;
	const struct rst_constants **states = &liteos->states[layout->variant];
	const struct rst_layout *bound;

	if (!*states)
		*states = liteos_states(model, layout->variant);
	bound = *states ? liteos_bind_type(model, type, n_params, layout, *states) : NULL;
	/* The map does not write through its values; it has no const ones. */
	return bound && map_set(&liteos->rows, key, model->layouts[bound->index]) ? bound : NULL;
}

static inline uint64_t type_key(const struct liteos *liteos, uint32_t type, unsigned n_params)
{
	return (uint64_t)1 << 63 | (uint64_t)liteos->shape << 48 | (uint64_t)n_params << 32 | type;
}

/*
 * Programs number their events with one bit for the module. Any other number may be a program's, too, but a
 * flipped bit also makes such numbers. So, if no check proves the bytes, one note reports it. Returns false
 * if memory ran out.
 */
static bool number_doubt(struct liteos *liteos, struct model *model, uint32_t type)
{
	if (liteos->has_doubted || liteos->form == LITEOS_STREAM || liteos_is_likely(type))
		return true;
	liteos->has_doubted = true;
	return model_warn(model,
		"an event has the number 0x%x, which is not one module's: a program defined it, or it is "
		"damage",
		type);
}

/*
 * Beyond LITEOS_UNLISTED_MAX, all numbers that are in no table and have the same number of params share one
 * type, so that memory does not grow with them.
 */
static const struct rst_layout *row_find(
	struct liteos *liteos, struct model *model, uint32_t type, unsigned n_params, uint64_t key)
{
	const struct rst_layout *bound = map_find(&liteos->rows, key);

	if (bound || liteos_is_listed(type, liteos->layout.variant))
		return bound ? bound : row_bind(liteos, model, type, n_params, key);
	if (!number_doubt(liteos, model, type))
		return NULL;
	if (liteos->n_unlisted == LITEOS_UNLISTED_MAX) {
		key = type_key(liteos, LITEOS_ANY_NUMBER, n_params);
		bound = map_find(&liteos->rows, key);
		return bound ? bound : row_bind(liteos, model, LITEOS_ANY_NUMBER, n_params, key);
	}
	liteos->n_unlisted++;
	return row_bind(liteos, model, type, n_params, key);
}

static inline const struct rst_layout *row_layout(
	struct liteos *liteos, struct model *model, uint32_t type, unsigned n_params)
{
	const uint64_t key = type_key(liteos, type, n_params);
	struct liteos_recent *recent = &liteos->recent[(type ^ type >> 5 ^ n_params << 3) & 255];

	if (__builtin_expect(recent->key != key, 0)) {
		const struct rst_layout *bound = row_find(liteos, model, type, n_params, key);

		if (!bound)
			return NULL;
		*recent = (struct liteos_recent){ key, bound };
	}
	return recent->row;
}

/* --- interrupts ----------------------------------------------------------------------------------------- */

void liteos_forget_interrupts(struct liteos *liteos)
{
	liteos->n_open = 0;
}

static bool is_there(const struct liteos_open *open, uint16_t core, uint32_t task)
{
	return open->core == core && (core != RST_NO_CORE || open->task == task);
}

static const struct liteos_open *open_newest(const struct liteos *liteos, uint16_t core, uint32_t task)
{
	for (unsigned i = liteos->n_open; i-- > 0;)
		if (is_there(&liteos->open[i], core, task))
			return &liteos->open[i];
	return NULL;
}

static unsigned open_depth(const struct liteos *liteos, uint16_t core, uint32_t task)
{
	unsigned n = 0;

	for (unsigned i = 0; i < liteos->n_open; i++)
		n += is_there(&liteos->open[i], core, task);
	return n;
}

/*
 * Ends the newest interrupt with this number on the core or task, and those that began in it. With is_any,
 * ends all interrupts there.
 */
static void open_end(struct liteos *liteos, uint16_t core, uint32_t task, bool is_any, uint64_t number)
{
	unsigned from = liteos->n_open, n = 0;

	for (unsigned i = 0; i < liteos->n_open; i++)
		if (is_there(&liteos->open[i], core, task) && (!is_any || from == liteos->n_open) &&
			(is_any || liteos->open[i].number == number))
			from = i;
	for (unsigned i = 0; i < liteos->n_open; i++)
		if (i < from || !is_there(&liteos->open[i], core, task))
			liteos->open[n++] = liteos->open[i];
	liteos->n_open = n;
}

static void open_begin(struct liteos *liteos, uint16_t core, uint32_t task, uint64_t number)
{
	/* Ends an interrupt of the same number that is still open: its end was not recorded. */
	open_end(liteos, core, task, false, number);
	if (liteos->n_open == LITEOS_OPEN_MAX)
		memmove(liteos->open, liteos->open + 1, --liteos->n_open * sizeof(liteos->open[0]));
	liteos->open[liteos->n_open++] = (struct liteos_open){ number, task, core };
}

/* The cause of an event. */
struct cause {
	uint16_t core;
	uint8_t depth;
	const struct rst_context *context, *interrupted;
};

static inline bool row_thread(
	struct liteos *liteos, struct model *model, const struct liteos_frame *frame, struct cause *cause)
{
	bool has_memory = true;

	if (__builtin_expect(model->contexts.n_all >= LITEOS_TASKS_MAX, 0) &&
		!model_keeps_thread(model, frame->task, &has_memory))
		cause->context = model->unknown;
	else
		cause->context = contexts_thread(
			&model->contexts, &model->objects, &model->arena, frame->task, liteos->seq);
	return has_memory && cause->context != NULL;
}

/* Sets the cause to an interrupt; number is NULL if its number is unknown. */
static bool row_interrupt(struct liteos *liteos, struct model *model, const struct liteos_frame *frame,
	const uint64_t *number, struct cause *cause)
{
	const unsigned depth = open_depth(liteos, cause->core, frame->task);

	if (!row_thread(liteos, model, frame, cause))
		return false;
	cause->interrupted = cause->context;
	cause->depth = (uint8_t)(depth ? depth : 1);
	cause->context = number && *number < INTERRUPTS_MAX
				 ? contexts_isr(&model->contexts, &model->arena, *number)
				 : contexts_special(&model->contexts, &model->arena, RST_CONTEXT_ISR, 0);
	return cause->context != NULL;
}

/* Takes rows with open interrupts, rows at which one begins or ends, and rows whose core word shows one. */
static __attribute__((noinline)) bool row_context_slow(struct liteos *liteos, struct model *model,
	const struct liteos_frame *frame, unsigned n_active, struct cause *cause)
{
	const uint16_t core = cause->core;
	const struct liteos_open *open;
	uint64_t number;
	bool is_good;

	if (frame->type == TYPE_HWI_RESPONSE_IN)
		open_begin(liteos, core, frame->task, frame->identity);
	if (frame->type == TYPE_HWI_RESPONSE_IN || frame->type == TYPE_HWI_RESPONSE_OUT) {
		is_good = row_interrupt(liteos, model, frame, &frame->identity, cause);
		if (frame->type == TYPE_HWI_RESPONSE_OUT)
			open_end(liteos, core, frame->task, false, frame->identity);
		return is_good;
	}
	/* Tasks are switched only after all interrupts have ended. */
	if (core != RST_NO_CORE ? n_active == 0 : frame->type == TYPE_TASK_SWITCH) {
		open_end(liteos, core, frame->task, true, 0);
		return row_thread(liteos, model, frame, cause);
	}
	open = open_newest(liteos, core, frame->task);
	if (!open && core == RST_NO_CORE)
		return row_thread(liteos, model, frame, cause);
	number = open ? open->number : 0;
	return row_interrupt(liteos, model, frame, open ? &number : NULL, cause);
}

/* --- rows ----------------------------------------------------------------------------------------------- */

bool liteos_add_row(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct liteos_frame *frame)
{
	const struct liteos_layout *layout = &liteos->layout;
	const struct liteos_core core = liteos_core_of(frame->core_word, layout->is_big);
	const uint32_t n_payload = payload_bytes(layout, frame, core);
	const struct rst_layout *fields =
		row_layout(liteos, model, frame->type, varying_params(liteos, frame, n_payload));
	struct cause cause = { .core = layout->has_core ? (uint16_t)core.cpu : RST_NO_CORE };
	bool is_plain = !liteos->n_open && !core.interrupts && frame->type != TYPE_HWI_RESPONSE_IN &&
			frame->type != TYPE_HWI_RESPONSE_OUT;
	size_t row;

	if (!fields || !(is_plain ? row_thread(liteos, model, frame, &cause)
				  : row_context_slow(liteos, model, frame, core.interrupts, &cause)))
		return false;
	row = batch_row(batch, LITEOS_COLUMNS,
		&(struct batch_row){
			.ticks = run_clock_ticks(&liteos->clock, frame->time),
			.stamp = frame->time,
			.seq = liteos->seq++,
			.layout = fields,
			.context = cause.context,
			.payload = frame->bytes,
			.n_payload = n_payload,
		});
	batch->core[row] = cause.core;
	batch->interrupted[row] = cause.interrupted;
	batch->depth[row] = cause.depth;
	if (frame->time > liteos->greatest_time)
		liteos->greatest_time = frame->time;
	return true;
}

bool liteos_begin_run(struct liteos *liteos, struct model *model, struct batch *batch, const char *source,
	uint64_t offset, const char *what)
{
	if (!model_put_run(model, batch, source, offset, what))
		return false;
	run_clock_begin(&liteos->clock, model_run_begin(model, batch));
	liteos->greatest_time = 0;
	liteos_forget_interrupts(liteos);
	return true;
}

bool liteos_put_gap(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct rst_gap *gap)
{
	if (!model_put_gap(model, batch, gap))
		return false;
	liteos_forget_interrupts(liteos);
	return true;
}
