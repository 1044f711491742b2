/* SPDX-License-Identifier: MIT */
#include "dialect/posix/posix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>

#include <rastrum/effect.h>

#include "tests/tap.h"

static void check_catalogue(void)
{
	struct model model;
	size_t n_before, n_preloaded = 0;

	ok(model_init(&model), "a model begins");
	n_before = model.n_types;
	while (posix_preloaded_at(n_preloaded))
		n_preloaded++;
	ok(posix_catalogue(&model) && model.n_types == n_before + 9 + n_preloaded + 5,
		"the predefined events, those of the preload library and of the kernel are known beforehand");
	model_done(&model);
}

/* Waiting threads are not ready, others are. Each leaves its processor. */
static void check_switches(void)
{
	const struct posix_switch *in = posix_switch("sched_in", 0), *wait = posix_switch("sched_wait", 0),
				  *preempt = posix_switch("sched_preempt", 0);

	ok(in && in->effects[0].kind == RST_EFFECT_SWITCH && in->effects[0].thread.from == RST_FROM_SELF,
		"a switch to a thread shows the running thread");
	ok(wait && wait->effects[0].thread.from == RST_FROM_UNKNOWN &&
			wait->effects[0].state == RST_STATE_WAITING,
		"one that waits leaves its processor and is not ready");
	ok(preempt && preempt->effects[0].thread.from == RST_FROM_UNKNOWN &&
			preempt->effects[0].state == RST_STATE_READY,
		"one that is preempted stays ready");
	ok(!posix_switch("sched_in", 1) && !posix_switch("sched", 0),
		"what has fields or another name is none");
}

/* One thread has three names, then a thread of another process has its number. */
static void check_names(void)
{
	static const char *const names[] = { "first", "second", "third" };
	struct posix posix = { .types = NULL };
	struct model model;
	const struct rst_context *contexts[3], *other;
	struct log_task task = { .pid = 100, .tid = 101 };
	bool has_memory = model_init(&model);

	model.objects.is_by_kind = true;
	model_count_ids(&model, 1U << RST_OBJECT_THREAD);
	for (int i = 0; i < 3 && has_memory; i++) {
		memcpy(task.name, names[i], strlen(names[i]) + 1);
		has_memory = posix_task(&posix, &model, &task, NULL, false);
		posix.seq = (uint64_t)i;
		contexts[i] = posix_context(&posix, &model, 100, 101);
		has_memory = has_memory && contexts[i];
	}
	other = posix_context(&posix, &model, 200, 101);
	ok(has_memory && other, "a thread with three names, and one of another process");
	ok(has_memory && contexts[1] != contexts[0] && strcmp(contexts[2]->name, "third") == 0,
		"each name has a context of its own");
	ok(has_memory && contexts[1]->thread == contexts[0] && contexts[2]->thread == contexts[0],
		"and all are one thread");
	ok(has_memory && other && other->thread == other && other->process == 200,
		"that of another process is another thread");
	map_done(&posix.names);
	map_done(&posix.threads);
	map_done(&posix.processes);
	map_done(&posix.called);
	model_done(&model);
}

/* Fields that a program described beyond 64 KiB, and one that is larger than any data. */
static void check_far_fields(void)
{
	static const struct {
		struct log_type type;
		struct log_field fields[4];
	} said = { { .id = 100, .n_fields = 4, .name = "far" },
		{ { "samples", POSIX_TRACE_TEXT_NP, 70000 }, { "number", POSIX_TRACE_SIGNED_NP, 4 },
			{ "huge", POSIX_TRACE_TEXT_NP, UINT32_MAX },
			{ "behind", POSIX_TRACE_SIGNED_NP, 4 } } };
	struct posix posix = { .types = NULL };
	struct model model;
	const struct rst_layout *layout = NULL;

	if (model_init(&model) && posix_describe(&posix, &model, (const uint8_t *)&said, sizeof(said), false))
		layout = posix_layout_make(&model, posix.types[100], POSIX_AS_DESCRIBED, true, true);
	const struct rst_field *fields = layout && layout->n_fields == 6 ? layout->fields + 3 : NULL;

	ok(fields && fields[0].type == RST_TEXT && fields[0].n_bytes == 70000,
		"a field may have more than 64 KiB");
	ok(fields && fields[1].type == RST_SIGNED && fields[1].n_bytes == 4 &&
			fields[1].offset == fields[0].offset + 70000,
		"the field behind it keeps its type");
	ok(fields && fields[2].type == RST_BYTES && fields[2].n_bytes == 0 &&
			fields[2].offset == fields[1].offset + 4,
		"one that no data can fill is the rest of the data, as bytes");
	free(posix.types);
	model_done(&model);
}

/*
 * All events of the dialect's tables are hooks, except for a few. A program's own event of such a name is not
 * a hook.
 */
static void check_hooks(void)
{
	static const char without[] = " POSIX_TRACE_UNNAMED_USEREVENT sys_thread_name sys_module "
				      "sys_shared_memory sys_memory_unmap";
	struct rst_type own = { .name = "sched_in", .label = "user event" };
	char names[1024] = "";
	size_t n_hooks = 0;
	struct model model;

	ok(model_init(&model) && posix_catalogue(&model), "the events are known");
	for (size_t i = 0; i < model.n_types; i++) {
		const struct rst_type *type = model.types[i];
		const struct hook *hook = posix_hook(type);

		if (type->marker != RST_EVENT)
			continue;
		n_hooks += hook != NULL;
		if (!hook)
			snprintf(names + strlen(names), sizeof(names) - strlen(names), " %s", type->name);
	}
	is_text(names, without, "all are hooks of AIX's trace but those that it has no counterpart of");
	is_number(n_hooks, posix_n_hooks(), "and no hook is for an event that there is not");
	ok(!posix_hook(&own), "a program's own event of such a name is no hook");
	own.label = "thread runs";
	ok(posix_hook(&own) && posix_hook(&own)->id == 0x106, "a switch to a thread is hook 106");
	model_done(&model);
}

int main(void)
{
	check_hooks();
	check_far_fields();
	check_catalogue();
	check_switches();
	check_names();
	return tap_done();
}
