/* SPDX-License-Identifier: MIT */
/* The facts about an open trace that <rastrum/trace.h> gives, and how much of the trace is read. */
#include "model/effect.h"
#include "trace/live.h"
#include "trace/trace_parts.h"

const struct rst_metadata *rst_trace_metadata(struct rst_trace *trace)
{
	const struct model *model = &trace->model;
	const struct source_about about = source_about(trace->sources[0]);

	trace->metadata = (struct rst_metadata){
		.path = trace->set ? trace->set->path : about.name,
		.dialect = model->recorded_as ? model->recorded_as : trace->dialect->name,
		.wrapping = about.wrappings,
		.target = model->target,
		.clock_hz = model->clock_hz,
		.clock = model_clock(model),
		.clock_bits = model->clock_bits,
		.clock_direction = model->clock_is_down ? RST_CLOCK_DOWN : RST_CLOCK_UP,
		.has_first_ticks = model->has_first_ticks,
		.has_switches = model->has_switches,
		.first_ticks = model->first_ticks,
		.n_details = model->n_details,
		.details = model->details,
		.n_warnings = model->n_warnings,
		.warnings = model->warnings,
	};
	if (trace->names) {
		trace->metadata.n_symbols = symbol_names_n_programs(trace->names);
		trace->metadata.n_addresses = symbol_names_counts(trace->names)->n_addresses;
		trace->metadata.n_named = symbol_names_counts(trace->names)->n_named;
	}
	return &trace->metadata;
}

uint64_t rst_trace_gaps(const struct rst_trace *trace, const struct rst_gap **ret_gaps, size_t *ret_n_kept)
{
	*ret_gaps = trace->model.gaps;
	*ret_n_kept = trace->model.n_gaps;
	return trace->model.n_gaps_all;
}

/* How many bytes of the present input are read, of n_all in its file. */
static double bytes_done(const struct rst_trace *trace, const struct source_about *about)
{
	const struct chunk_carrier *carrier = &trace->carrier;
	const double n_all = (double)about->n_file, n_run = (double)carrier->run.n_bytes;

	if (!trace->is_whole)
		return (double)about->n_read;
	if (!trace->has_chunk || n_run == 0)
		return n_all;
	if (trace->dialect->share && !carrier->is_joint)
		return n_all * trace->dialect->share(trace->state, &carrier->chunk);
	return n_all * (double)chunk_carrier_used(carrier) / n_run;
}

uint64_t trace_bytes(const struct rst_trace *trace)
{
	return trace->n_bytes;
}

int trace_percent(const struct rst_trace *trace)
{
	double done = 0, all = 0;

	for (size_t i = 0; i < trace->n_sources; i++) {
		const struct source_about about = source_about(trace->sources[i]);

		if (!about.n_file)
			return -1;
		all += (double)about.n_file;
		if (i < trace->n_read)
			done += (double)about.n_file;
		else if (i == trace->n_read)
			done += bytes_done(trace, &about);
	}
	if (trace->carrier.chunk.behind == CHUNK_ENDS && trace->dialect->chunks == CHUNKS_WHOLE &&
		trace->dialect->share)
		done = all * trace->dialect->share(trace->state, &trace->carrier.chunk);
	return done < all ? (int)(done * 100 / all) : 100;
}

bool rst_trace_is_damaged(const struct rst_trace *trace)
{
	return trace->model.n_damages != 0;
}

const struct rst_object *rst_trace_object(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.objects.n_all ? trace->model.objects.all[n] : NULL;
}

const struct rst_context *rst_trace_find_thread(
	struct rst_trace *trace, uint64_t process, uint64_t id, uint64_t seq)
{
	struct model *model = &trace->model;

	return contexts_find(&model->contexts, &model->objects, &model->arena, process, id, seq);
}

const struct rst_type *rst_trace_type(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.n_types ? trace->model.types[n] : NULL;
}

const struct rst_layout *rst_trace_layout(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.n_layouts ? trace->model.layouts[n] : NULL;
}

const struct rst_context *rst_trace_context(const struct rst_trace *trace, size_t n)
{
	return n < trace->model.contexts.n_all ? &trace->model.contexts.all[n]->public : NULL;
}

const struct rst_origin *rst_trace_origin(const struct rst_trace *trace, size_t n)
{
	const struct origins *origins = &trace->model.origins;

	return n && n <= origins->n_all ? &origins->all[n - 1]->public : NULL;
}

bool rst_effect_read(struct rst_trace *trace, const struct rst_batch *batch, size_t row,
	const struct rst_effect *effect, struct rst_effect_facts *ret)
{
	return effect_read(&trace->model, batch, row, effect, ret);
}

bool rst_effects_read(struct rst_trace *trace, const struct rst_batch *batch, size_t row, uint64_t wanted,
	const struct rst_effect_facts *const **ret_facts, size_t *ret_n_facts)
{
	return effects_read(&trace->model, batch, row, wanted, ret_facts, ret_n_facts);
}

enum rst_status rst_trace_give_effects(
	struct rst_trace *trace, rst_effects_fn *give, void *context, struct rst_error *err)
{
	struct model *model = &trace->model;

	model->give_effects = give;
	model->effects_context = context;
	for (size_t i = 0; i < model->n_layouts; i++)
		if (!model_give_effects(model, model->layouts[i]))
			return error_nomem(err);
	return RST_OK;
}

const struct rst_carried *rst_trace_carried(const struct rst_trace *trace)
{
	return trace->model.is_part ? &trace->model.carried : NULL;
}
