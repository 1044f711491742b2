/* SPDX-License-Identifier: MIT */
/* Names: a registry without room, threads without names. */
#include <inttypes.h>
#include <string.h>

#include "analysis/doctor/doctor.h"

/* Threads with events. */
struct threads {
	uint64_t n, n_nameless, n_events; /* events of those without a name */
	const struct rst_context *busiest;
	uint64_t most;
};

static struct threads threads_count(const struct exam *exam)
{
	struct threads threads = { 0 };

	for (size_t i = 0; i < exam->contexts_room; i++) {
		const struct rst_context *context =
			exam->contexts[i] ? rst_trace_context(exam->scan->trace, i) : NULL;

		if (!context || context->kind != RST_CONTEXT_THREAD)
			continue;
		threads.n++;
		if (context->has_name)
			continue;
		threads.n_nameless++;
		threads.n_events += exam->contexts[i];
		if (exam->contexts[i] > threads.most) {
			threads.most = exam->contexts[i];
			threads.busiest = context;
		}
	}
	return threads;
}

static const struct rst_detail *detail_of(const struct rst_object *object, const char *name)
{
	for (size_t i = 0; i < object->n_details; i++)
		if (strcmp(object->details[i].name, name) == 0)
			return &object->details[i];
	return NULL;
}

/*
 * How many places of ThreadX's registry have an object that was not deleted; others are free for new objects.
 */
static uint64_t places_taken(const struct exam *exam)
{
	const struct rst_object *object;
	uint64_t n = 0;

	for (size_t i = 0; (object = rst_trace_object(exam->scan->trace, i)) != NULL; i++) {
		const struct rst_detail *available = detail_of(object, "available");

		n += available && !available->number && detail_of(object, "index");
	}
	return n;
}

static bool is_registry_full(const struct exam *exam)
{
	const uint64_t capacity = exam_detail_number(exam, "registry_capacity");

	return capacity && places_taken(exam) >= capacity;
}

static void nameless_put(const struct exam *exam, struct complaint *complaint, const struct threads *threads)
{
	const struct rst_entity busiest = rst_entity_of_context(threads->busiest);

	phrase_thread(&complaint->evidence, &busiest);
	phrase_words(&complaint->evidence, " has ");
	phrase_count(&complaint->evidence, threads->most, "event, ", "events, ");
	phrase_share(&complaint->evidence, (double)threads->most, (double)exam->n_events);
	phrase_words(&complaint->evidence, " of all.");
}

/* A full registry is as large as it should be, unless something has no name. */
static void look_at_registry(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct threads threads = threads_count(exam);
	const uint64_t capacity = exam_detail_number(exam, "registry_capacity");
	struct complaint *complaint;

	if (!(threads.n_nameless || exam->n_unnamed) || !is_registry_full(exam))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_WARNING);
	phrase_words(&complaint->wrong,
		"The registry is full: later objects have no names, and read as addresses.");
	phrase_words(&complaint->evidence, "All %" PRIu64 " places are taken", capacity);
	if (threads.n_nameless) {
		phrase_words(&complaint->evidence, "; %" PRIu64 " of ", threads.n_nameless);
		phrase_count(&complaint->evidence, threads.n, "thread has", "threads have");
		phrase_words(&complaint->evidence, " no name: ");
		nameless_put(exam, complaint, &threads);
	} else {
		phrase_words(&complaint->evidence, "; ");
		phrase_count(&complaint->evidence, exam->n_unnamed, "event is", "events are");
		phrase_words(&complaint->evidence, " about objects without names.");
	}
	/*
	 * How many were refused is not recorded: twice as many places, and at least one for each that is
	 * missed.
	 */
	advice_put(exam, ADVICE_REGISTRY, 2 * capacity + threads.n_nameless, 0, complaint);
}

/*
 * Threads that are older than the recording, such as those of the kernel, have no names in some dialects. If
 * half of the threads have no name, the recorder does not record names.
 */
static void look_for_nameless(struct exam *exam, const struct diagnosis *diagnosis)
{
	const struct threads threads = threads_count(exam);
	struct complaint *complaint;

	if (!threads.n_nameless || threads.n_nameless < threads.n - threads.n_nameless ||
		is_registry_full(exam) || !advice_exists(exam, ADVICE_NAMELESS))
		return;
	complaint = complaint_add(exam, diagnosis, WEIGHT_HINT);
	advice_put(exam, ADVICE_NAMELESS, exam_detail_number(exam, "maxObjCount") + threads.n, 0, complaint);
	phrase_words(&complaint->wrong, "%" PRIu64 " of ", threads.n_nameless);
	phrase_count(&complaint->wrong, threads.n, "thread has no name.", "threads have no names.");
	nameless_put(exam, complaint, &threads);
}

const struct diagnosis diagnosis_registry_full = {
	.name = "registry_full",
	.about = "the registry has no place for more names",
	.look = look_at_registry,
};

const struct diagnosis diagnosis_nameless = {
	.name = "nameless",
	.about = "half of the threads or more have no names",
	.look = look_for_nameless,
};
