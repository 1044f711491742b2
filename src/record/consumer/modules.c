/* SPDX-License-Identifier: MIT */
#include "record/consumer/modules.h"

const struct modules_range *modules_find(const struct modules *modules, uint32_t pid, uint64_t address)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		const struct modules_range *range = &modules->range[i];

		if (range->pid == pid && address >= range->start && address < range->end)
			return range;
	}
	return NULL;
}

bool modules_know(const struct modules *modules, uint32_t pid, uint64_t address)
{
	return modules_find(modules, pid, address) != NULL;
}

static bool ranges_overlap(const struct modules_range *one, const struct modules_range *other)
{
	return one->pid == other->pid && one->start < other->end && other->start < one->end;
}

/* The first written range that this one replaces. Returns NULL if there is no such range. */
static struct modules_range *covered_by(struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++)
		if (ranges_overlap(&modules->range[i], range))
			return &modules->range[i];
	return NULL;
}

/* The slot for a range: that of a range which it covers, else a free one, else the next to be replaced. */
static struct modules_range *slot_for(struct modules *modules, const struct modules_range *range)
{
	struct modules_range *covered = covered_by(modules, range);

	if (covered)
		return covered;
	if (modules->n < MODULES_MAX)
		return &modules->range[modules->n++];
	modules->next = (modules->next + 1) % MODULES_MAX;
	return &modules->range[modules->next];
}

static bool is_written(const struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		const struct modules_range *old = &modules->range[i];

		if (old->pid == range->pid && old->start == range->start && old->end == range->end &&
			old->mark == range->mark)
			return true;
	}
	return false;
}

/* When a range replaces another one only in part, the rest of the old one is no longer known. */
static void forget_covered(struct modules *modules, const struct modules_range *range)
{
	for (uint32_t i = 0; i < modules->n; i++) {
		struct modules_range *old = &modules->range[i];

		if (old != range && ranges_overlap(old, range))
			old->end = old->start;
	}
}

static bool has_room(struct modules *modules)
{
	if (modules->n_written < MODULES_WRITTEN_MAX)
		return true;
	modules->n_passed_over++;
	return false;
}

static int module_write(struct modules *modules, const struct modules_range *range,
	const struct log_module *module, const char *path, struct log_writer *log)
{
	struct modules_range *slot;
	/* events written before refer to the old range */
	int error = covered_by(modules, range) ? log_flush(log) : 0;

	if (error == 0)
		error = log_module(log, module, path);
	if (error)
		return error;
	modules->n_written++;
	slot = slot_for(modules, range);
	*slot = *range;
	forget_covered(modules, slot);
	return 0;
}

int modules_add(struct modules *modules, const struct log_module *module, const char *path, uint32_t mark,
	struct log_writer *log)
{
	const struct modules_range range = { module->pid, mark, module->address,
		module->address + module->size };

	if (range.end <= range.start || is_written(modules, &range) || !has_room(modules))
		return 0;
	return module_write(modules, &range, module, path, log);
}

/* The build id is read only when the range is written. */
static int mapping_write(
	struct modules *modules, struct log_module *module, uint32_t mark, struct log_writer *log)
{
	const struct modules_range range = { module->pid, mark, module->address,
		module->address + module->size };
	const char *path;

	if (is_written(modules, &range) || !has_room(modules))
		return 0;
	path = mapped_identify(&modules->mapped, module);
	if (path)
		return module_write(modules, &range, module, path, log);
	modules->n_passed_over++;
	return 0;
}

int modules_write(
	struct modules *modules, uint32_t pid, const struct modules_proof *proof, struct log_writer *log)
{
	struct mapped *mapped = &modules->mapped;
	struct log_module module;
	uint32_t mark;
	int error = 0;

	if (!mapped_open(mapped, pid))
		return 0;
	if (!proof || mapped_has(mapped, proof->memory, proof->address))
		while (error == 0 && mapped_next(mapped, pid, &module, &mark))
			error = mapping_write(modules, &module, mark, log);
	mapped_close(mapped);
	return error;
}

void modules_forget(struct modules *modules, uint32_t pid)
{
	for (uint32_t i = 0; i < modules->n;) {
		if (modules->range[i].pid == pid)
			modules->range[i] = modules->range[--modules->n];
		else
			i++;
	}
}
