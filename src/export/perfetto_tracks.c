/* SPDX-License-Identifier: MIT */
/* Tracks of Perfetto's format: their descriptors (track_descriptor.proto), processes and threads. */
#include "export/perfetto.h"

enum {
	TRACK_DEPTHS = 256,	/* of spans of one thread; deeper ones share the last */
	SPANS_BEHIND = 1 << 22, /* numbers of all other tracks are small, so that few bytes are written */
	TIDS_BEHIND = 1 << 22,	/* Linux gives no greater number */
};

static const char *const group_names[N_GROUPS] = { NULL, "Cores", "Interrupts", "Contexts", "Spans", "Locks",
	"State machines", "Levels", NULL };

/* --- descriptors ---------------------------------------------------------------------------------------- */

struct descriptor {
	uint64_t uuid, parent; /* parent 0: none */
	struct text name;
	unsigned kind; /* TRACK_PROCESS, TRACK_THREAD, TRACK_COUNTER; 0: none of them */
	uint32_t pid, tid;
};

static void put_descriptor(struct export *export, const struct descriptor *descriptor)
{
	struct packet packet;
	char *start, *inner, *p;

	if (!packet_begin(&packet, export, 2 * descriptor->name.n_bytes, FLAG_NEEDS))
		return;
	start = p = proto_begin(export->out->at, PACKET_DESCRIPTOR, PROTO_LENGTH);
	p = proto_number(p, TRACK_UUID, descriptor->uuid);
	p = proto_bytes(p, TRACK_NAME, descriptor->name.bytes, descriptor->name.n_bytes);
	if (descriptor->parent)
		p = proto_number(p, TRACK_PARENT, descriptor->parent);
	if (descriptor->kind == TRACK_COUNTER)
		p = proto_bytes(p, TRACK_COUNTER, NULL, 0);
	if (descriptor->kind == TRACK_PROCESS) {
		inner = p = proto_begin(p, TRACK_PROCESS, PROTO_LENGTH);
		p = proto_number(p, PROCESS_PID, descriptor->pid);
		p = proto_bytes(p, PROCESS_NAME, descriptor->name.bytes, descriptor->name.n_bytes);
		proto_end(inner, p, PROTO_LENGTH);
	}
	if (descriptor->kind == TRACK_THREAD) {
		inner = p = proto_begin(p, TRACK_THREAD, PROTO_LENGTH);
		p = proto_number(p, THREAD_PID, descriptor->pid);
		p = proto_number(p, THREAD_TID, descriptor->tid);
		p = proto_bytes(p, THREAD_NAME, descriptor->name.bytes, descriptor->name.n_bytes);
		proto_end(inner, p, PROTO_LENGTH);
	}
	proto_end(start, p, PROTO_LENGTH);
	export->out->at = p;
	packet_end(&packet);
}

/* --- processes and threads ------------------------------------------------------------------------------ */

static bool is_thread(const struct rst_entity *entity)
{
	return entity->form == RST_ENTITY_THING && entity->kind && strcmp(entity->kind, "thread") == 0;
}

/*
 * The id of a thread is its number if that comes from an operating system with processes; else ids are
 * counted.
 */
uint32_t track_tid(struct export *export, struct perfetto_track *track)
{
	struct perfetto *perfetto = export->state;
	const struct rst_entity *entity = &track->subject.entity;

	if (track->tid)
		return track->tid;
	if (entity->process && entity->is_number && entity->id > perfetto->n_tids &&
		entity->id < TIDS_BEHIND && is_thread(entity))
		return track->tid = (uint32_t)entity->id;
	if (perfetto->tracks[GROUP_PROCESSES].n && perfetto->n_tids < TIDS_BEHIND)
		perfetto->n_tids = TIDS_BEHIND;
	return track->tid = ++perfetto->n_tids;
}

static struct text process_name(struct export *export, uint64_t process, char room[NUMBER_ROOM])
{
	const struct rst_object *object =
		rst_trace_find_object(export->trace, 0, process, RST_OBJECT_PROCESS, UINT64_MAX);

	if (object && object->name_bytes)
		return (struct text){ object->name, object->name_bytes };
	return (struct text){ room, (size_t)(text_put_dec(room, process) - room) };
}

/*
 * The process of a thread, with its descriptor; of threads without one: all of the target. Returns 0 if
 * memory ran out.
 */
static uint32_t pid_of(struct export *export, uint64_t number)
{
	const struct rst_entity process = { .form = RST_ENTITY_NUMBER, .id = number, .is_number = true };
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	struct perfetto *perfetto = export->state;
	struct perfetto_track *track;
	char room[NUMBER_ROOM];
	const char *target = metadata->target ? metadata->target : metadata->dialect;

	if (!number && perfetto->tid_of_target)
		return perfetto->tid_of_target;
	if (!number) {
		if (perfetto->tracks[GROUP_PROCESSES].n && perfetto->n_tids < TIDS_BEHIND)
			perfetto->n_tids = TIDS_BEHIND;
		perfetto->tid_of_target = ++perfetto->n_tids;
		put_descriptor(export, &(struct descriptor){ .uuid = GROUP_PROCESSES,
					       .name = { target, strlen(target) },
					       .kind = TRACK_PROCESS,
					       .pid = perfetto->tid_of_target });
		return perfetto->tid_of_target;
	}
	track = track_reach(export, GROUP_PROCESSES, &process);
	if (!track)
		return 0;
	if (!track->tid) {
		track->tid = number < TIDS_BEHIND ? (uint32_t)number : track_tid(export, track);
		put_descriptor(export, &(struct descriptor){ .uuid = track->uuid,
					       .name = process_name(export, number, room),
					       .kind = TRACK_PROCESS,
					       .pid = track->tid });
	}
	return track->tid;
}

/* --- tracks --------------------------------------------------------------------------------------------- */

static void describe_group(struct export *export, enum group group)
{
	struct perfetto *perfetto = export->state;

	if (!perfetto->has_group[group])
		put_descriptor(export, &(struct descriptor){ .uuid = group,
					       .name = { group_names[group], strlen(group_names[group]) } });
	perfetto->has_group[group] = true;
}

static bool describe(struct export *export, enum group group, struct perfetto_track *track, unsigned depth)
{
	const struct rst_entity *entity = &track->subject.entity;
	const bool is_rest = track->subject.is_rest;
	char room[NUMBER_ROOM];
	struct descriptor descriptor = { .uuid = track->uuid + depth,
		.name = is_rest ? (struct text){ "(others)", 8 } : name_of_entity(entity, room),
		.kind = group == GROUP_LEVELS ? TRACK_COUNTER : 0 };

	track->name = entity->name;
	if (group == GROUP_THREADS && is_thread(entity) && !is_rest) {
		descriptor.kind = TRACK_THREAD;
		descriptor.pid = pid_of(export, entity->process);
		descriptor.tid = track_tid(export, track);
		if (!descriptor.pid)
			return false;
	} else {
		describe_group(export, group);
		descriptor.parent = group;
	}
	put_descriptor(export, &descriptor);
	return true;
}

struct perfetto_track *track_reach(struct export *export, enum group group, const struct rst_entity *entity)
{
	struct perfetto *perfetto = export->state;
	struct subjects *tracks = &perfetto->tracks[group];
	struct perfetto_track *track;

	tracks->record_bytes = sizeof(*track);
	track = subject_of(tracks, entity);
	if (track && !track->uuid) {
		track->uuid = group == GROUP_SPANS ? SPANS_BEHIND + TRACK_DEPTHS * perfetto->n_span_uuids++
						   : N_GROUPS + perfetto->n_uuids++;
		track->core = RST_NO_CORE;
	}
	return track;
}

uint64_t track_uuid_slow(
	struct export *export, enum group group, struct perfetto_track *track, unsigned depth)
{
	if (depth >= TRACK_DEPTHS)
		depth = TRACK_DEPTHS - 1;
	if (track->n_depths && track->name != track->subject.entity.name)
		track->n_depths = 0; /* it has got a name since then */
	for (; track->n_depths <= depth; track->n_depths++)
		if (!describe(export, group, track, track->n_depths))
			return 0;
	return track->uuid + depth;
}

static bool ends_reach(struct perfetto *perfetto, struct perfetto_track *track, unsigned depth)
{
	const unsigned n = depth < track->n_ends ? track->n_ends : 2 * depth + 2;
	uint64_t *ends = track->ends;

	if (n == track->n_ends)
		return true;
	ends = arena_alloc(&perfetto->arena, n * sizeof(*ends));
	if (!ends)
		return false;
	if (track->n_ends)
		memcpy(ends, track->ends, track->n_ends * sizeof(*ends));
	track->ends = ends;
	track->n_ends = n;
	return true;
}

bool track_span_depth(
	struct export *export, struct perfetto_track *track, const struct piece *piece, unsigned *ret_depth)
{
	unsigned depth = piece->interval->depth;

	while (depth < track->n_ends && depth < TRACK_DEPTHS - 1 && track->ends[depth] > piece->from)
		depth++;
	depth = depth < TRACK_DEPTHS ? depth : TRACK_DEPTHS - 1;
	*ret_depth = depth;
	if (!ends_reach(export->state, track, depth))
		return false;
	track->ends[depth] = piece->to;
	return true;
}

uint64_t track_of(struct export *export, enum group group, const struct rst_entity *entity, unsigned depth)
{
	struct perfetto_track *track = track_reach(export, group, entity);

	return track ? track_uuid(export, group, track, depth) : 0;
}
