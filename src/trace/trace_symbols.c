/* SPDX-License-Identifier: MIT */
/*
 * Symbols of the user's programs (`--symbols`): names for addresses that the recording does not name. A name
 * in the recording itself always has priority.
 */
#include <rastrum/field.h>

#include "trace/trace_parts.h"

static const struct rst_object *find_name(void *state, uint64_t address, enum rst_object_kind kind)
{
	return symbol_names_find(state, address, kind);
}

static bool warn_of_programs(struct rst_trace *trace)
{
	const struct symbol_elf *program;
	const char *path;

	for (size_t i = 0; (program = symbol_names_program(trace->names, i, &path)) != NULL; i++)
		if (!symbol_elf_facts(program)->n_symbols &&
			!model_warn(&trace->model,
				"%s has no symbols, it is stripped: give the file as the linker wrote it",
				path))
			return false;
	return true;
}

enum rst_status trace_symbols_open(struct rst_trace *trace, const struct rst_open *how, struct rst_error *err)
{
	const struct dialect *dialect = trace->dialect;

	if (!how->n_symbols)
		return RST_OK;
	error_try(symbol_names_open(&trace->names, how->n_symbols, how->symbols, err));
	if (dialect_rare(dialect)->take_symbols)
		dialect_rare(dialect)->take_symbols(trace->state, trace->names);
	else
		trace->model.contexts.naming = (struct naming){ find_name, trace->names, RST_OBJECT_THREAD };
	return warn_of_programs(trace) ? RST_OK : error_nomem(err);
}

/* Whether ids of this kind are addresses in the user's programs. */
static bool has_addresses(const struct rst_trace *trace, enum rst_object_kind kind)
{
	return !dialect_rare(trace->dialect)->take_symbols &&
	       !(trace->model.objects.counted_kinds >> kind & 1);
}

/* --- while it is read ----------------------------------------------------------------------------------- */

/* Warns if a program is of another machine than the recording. Returns false if memory ran out. */
static bool check_program(struct rst_trace *trace, const struct rst_field *field)
{
	const struct symbol_elf *program;
	const char *path;

	trace->has_checked_programs = true;
	for (size_t i = 0; (program = symbol_names_program(trace->names, i, &path)) != NULL; i++) {
		const struct symbol_elf_facts *facts = symbol_elf_facts(program);
		bool is_good = true;

		if (!facts->n_symbols || facts->is_list)
			continue;
		if (trace->dialect->has_machine_order && facts->is_big_endian != field->is_big_endian)
			is_good = model_warn(&trace->model,
				"%s is the program of a %s-endian machine, and the trace is of a %s-endian "
				"one: "
				"its names may be wrong",
				path, facts->is_big_endian ? "big" : "little",
				field->is_big_endian ? "big" : "little");
		else if (facts->n_bits > 8U * field->n_bytes)
			is_good = model_warn(&trace->model,
				"%s is a program of %u bits, and the addresses of the trace have %u: its "
				"names may "
				"be wrong",
				path, facts->n_bits, 8U * field->n_bytes);
		if (!is_good)
			return false;
	}
	return true;
}

/* Returns false if memory ran out. */
static bool see_field(
	struct rst_trace *trace, const struct rst_batch *batch, size_t row, const struct rst_field *field)
{
	const uint64_t id = rst_field_number(field, batch->payload[row], batch->payload_bytes[row]);

	if (!id)
		return true;
	if (!trace->has_checked_programs && field->n_bytes >= 4 && !check_program(trace, field))
		return false;
	if (field->type == RST_ADDRESS)
		rst_trace_find_symbol(trace, id);
	else
		rst_trace_find_object(
			trace, batch->context[row]->process, id, field->object_kind, batch->seq[row]);
	return true;
}

enum rst_status trace_symbols_see(
	struct rst_trace *trace, const struct rst_batch *batch, struct rst_error *err)
{
	bool is_good = true;

	if (!trace->names || dialect_rare(trace->dialect)->take_symbols)
		return RST_OK;
	for (size_t row = 0; row < batch->n_events && is_good; row++) {
		const struct rst_layout *layout = batch->layout[row];

		for (unsigned i = 0; i < layout->n_fields && is_good; i++) {
			const struct rst_field *field = &layout->fields[i];

			if (field->type == RST_ADDRESS || (field->type == RST_OBJECT && !field->is_number))
				is_good = see_field(trace, batch, row, field);
		}
	}
	return is_good && !symbol_names_counts(trace->names)->lacks_memory ? RST_OK : error_nomem(err);
}

const struct rst_object *rst_trace_find_symbol(struct rst_trace *trace, uint64_t address)
{
	const struct rst_object *recorded, *named;

	if (!trace->names || dialect_rare(trace->dialect)->take_symbols)
		return NULL;
	recorded = objects_latest(&trace->model.objects, 0, address, RST_OBJECT_UNKNOWN);
	named = symbol_names_find(trace->names, address, RST_OBJECT_UNKNOWN);
	return named && recorded && recorded->name_bytes && recorded->name != named->name ? NULL : named;
}

/* Returns the symbol for an object that the recording does not name, or the object itself. */
static const struct rst_object *with_symbol(const struct rst_trace *trace, const struct rst_object *object,
	uint64_t id, enum rst_object_kind kind)
{
	const struct rst_object *named = NULL;

	if ((!object || !object->name_bytes) && has_addresses(trace, kind))
		named = symbol_names_find(trace->names, id, kind);
	return named ? named : object;
}

/* Finds an object in a merged trace, or in one with symbols. */
static __attribute__((noinline)) const struct rst_object *find_elsewhere(
	struct rst_trace *trace, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	const struct origins *origins = trace->model.objects.origins;
	const struct origin_process *of =
		origins && !process && kind == RST_OBJECT_PROCESS ? origins_process(origins, id) : NULL;

	/*
	 * The id is the process's number in the merged trace; its own trace has the object under its own
	 * number.
	 */
	if (of && of->own) {
		process = of->origin->public.process;
		id = of->own;
	}
	const struct rst_object *object = objects_at(&trace->model.objects, process, id, kind, seq);

	return trace->names ? with_symbol(trace, object, id, kind) : object;
}

/* If an id belongs to only one object, it means the same at every place, so *found keeps it. */
static __attribute__((noinline)) const struct rst_object *find_anew(struct trace_found *found,
	const struct objects *objects, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	struct object_chain *chain = objects_chain(objects, process, id, kind);
	const struct rst_object *object = object_chain_find(chain, kind, seq);

	if (!chain || !chain->first->later)
		*found = (struct trace_found){ id, process, kind, objects->generation, object };
	return object;
}

const struct rst_object *rst_trace_find_object(
	struct rst_trace *trace, uint64_t process, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	const struct objects *objects = &trace->model.objects;
	struct trace_found *found =
		&trace->found[(id ^ (uint64_t)kind << 48) * 0x9e3779b97f4a7c15U >> (64 - TRACE_FOUND_BITS)];

	if (__builtin_expect(objects->origins || trace->names, 0))
		return find_elsewhere(trace, process, id, kind, seq);
	if (found->id == id && found->process == process && found->kind == kind &&
		found->generation == objects->generation)
		return found->object;
	return find_anew(found, objects, process, id, kind, seq);
}

/* --- at the end ----------------------------------------------------------------------------------------- */

/* Gives symbol names to objects that the recording does not name. */
static void name_objects(struct rst_trace *trace)
{
	struct objects *objects = &trace->model.objects;

	for (size_t i = 0; i < objects->n_all; i++) {
		struct rst_object *object = objects->all[i];
		const struct rst_object *named = NULL;

		if (!object->name_bytes && !object->is_number)
			named = symbol_names_find(trace->names, object->id, object->kind);
		if (!named)
			continue;
		object->name = named->name;
		object->name_bytes = named->name_bytes;
	}
}

/*
 * Adds objects for symbols that the trace refers to, but that are no objects of the recording. Returns false
 * if memory ran out.
 */
static bool add_objects(struct rst_trace *trace)
{
	struct model *model = &trace->model;
	const struct rst_object *named;

	for (size_t i = 0; (named = symbol_names_object(trace->names, i)) != NULL; i++) {
		struct rst_object *object = objects_latest(&model->objects, 0, named->id, named->kind);

		if (object)
			continue;
		object = objects_add(&model->objects, &model->arena, 0, named->id, named->kind, 0);
		if (!object)
			return false;
		object->is_number = false;
		object->name = named->name;
		object->name_bytes = named->name_bytes;
		object->n_details = named->n_details;
		object->details = named->details;
	}
	return true;
}

/* Warns of a program that names nothing in a log, which identifies programs by their build ids. */
static bool warn_of_build(struct model *model, const struct symbol_elf *program, const char *path)
{
	if (!symbol_elf_facts(program)->n_symbols) /* has been reported */
		return true;
	if (symbol_elf_facts(program)->is_list)
		return model_warn(model,
			"%s names no address outside of the log's modules, whose own files have the names",
			path);
	if (!symbol_elf_is(program, NULL, 0))
		return model_warn(model,
			"%s has no build id, by which logs know programs: link it with -Wl,--build-id", path);
	return model_warn(model,
		"no module of the log has the build id of %s: is that the program that was recorded?", path);
}

static bool warn_of_builds(struct rst_trace *trace)
{
	const struct symbol_elf *program;
	const char *path;

	for (size_t i = 0; (program = symbol_names_program(trace->names, i, &path)) != NULL; i++)
		if (!symbol_names_is_used(trace->names, i) && !warn_of_build(&trace->model, program, path))
			return false;
	return true;
}

static bool warn_of_counts(struct rst_trace *trace)
{
	const struct symbol_counts *counts = symbol_names_counts(trace->names);
	struct model *model = &trace->model;
	const struct symbol_elf *first;
	const char *path;

	first = symbol_names_program(trace->names, 0, &path);
	if (counts->n_addresses && !counts->n_named && symbol_elf_facts(first)->n_symbols &&
		!model_warn(model, "no address of the trace is in %s: is that the program that was recorded?",
			path))
		return false;
	return !counts->is_full || model_warn(model, "only the first %d addresses are looked for in symbols",
					   SYMBOL_ADDRESSES_MAX);
}

enum rst_status trace_symbols_end(struct rst_trace *trace, struct rst_error *err)
{
	bool is_good;

	if (!trace->names)
		return RST_OK;
	if (dialect_rare(trace->dialect)->take_symbols) {
		is_good = warn_of_builds(trace);
	} else {
		name_objects(trace);
		is_good = add_objects(trace) && warn_of_counts(trace);
	}
	if (is_good && symbol_names_counts(trace->names)->lacks_library)
		is_good = model_warn(&trace->model,
			"files and lines are not shown, since libdw.so.1 (package libdw1) is not installed");
	return is_good && !symbol_names_counts(trace->names)->lacks_memory ? RST_OK : error_nomem(err);
}
