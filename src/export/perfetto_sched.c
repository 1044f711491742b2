/* SPDX-License-Identifier: MIT */
/*
 * Writes what cores run as ftrace's events (ftrace_event_bundle.proto, sched.proto). From them Perfetto draws
 * its own tracks of processors and of the states of threads.
 *
 *	sched_switch	a core runs another thread: from intervals of cores. The next interval of the previous
 *			thread has that thread's new state. It may end, and so become known, much later: until
 *			then the switch waits with the thread
 *	sched_waking	a thread becomes ready, and what caused that is known
 *
 * A thread that is interrupted stays on its core, as in Linux. While it is not known what a core runs, it
 * runs "(unknown)".
 */
#include "base/array.h"
#include "export/perfetto.h"

enum {
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID = 2,
	SWITCH_PREV_STATE = 4,
	SWITCH_NEXT_COMM = 5,
	SWITCH_NEXT_PID = 6,
	WAKING_COMM = 1,
	WAKING_PID = 2,
	WAKING_SUCCESS = 4,
	WAKING_CORE = 5,

	BUNDLE_BYTES = 16 * 1024,

	/* Linux' task states. */
	TASK_READY = 0,
	TASK_SLEEPS = 1,
	TASK_WAITS = 2, /* uninterruptible: for a lock, memory, input or output */
	TASK_STOPPED = 4,
	TASK_DEAD = 0x10,
};

/* --- bundles -------------------------------------------------------------------------------------------- */

static struct perfetto_core *core_reach(struct export *export, uint16_t core)
{
	struct perfetto *perfetto = export->state;
	struct perfetto_core *cores =
		array_reach(perfetto->cores, &perfetto->cores_room, core, sizeof(*cores));

	if (!cores)
		return NULL;
	perfetto->cores = cores;
	return &cores[core];
}

static void bundle_write(struct export *export)
{
	struct perfetto *perfetto = export->state;
	struct outbuf *bundle = &perfetto->bundle, *out = export->out;
	struct perfetto_core *core = &perfetto->cores[perfetto->bundle_core];
	const size_t n_bytes = (size_t)(bundle->at - bundle->start);
	struct packet packet;
	char *start;

	if (bundle->error)
		out->error = bundle->error;
	if (!perfetto->has_bundle || !packet_begin(&packet, export, n_bytes, 0))
		return;
	start = out->at = proto_begin(out->at, PACKET_FTRACE, PROTO_LENGTH);
	out->at = proto_number(out->at, BUNDLE_CORE, perfetto->bundle_core);
	if (core->has_lost)
		out->at = proto_number(out->at, BUNDLE_HAS_LOST, 1);
	if (n_bytes)
		out->at = text_put(out->at, bundle->start, n_bytes);
	proto_end(start, out->at, PROTO_LENGTH);
	packet_end(&packet);
	core->has_lost = false;
	bundle->at = bundle->start;
	perfetto->has_bundle = false;
}

/* Makes room for an event in the bundle of a core. Returns NULL if there is no room. */
static char *event_room(struct export *export, uint16_t core, size_t n_texts)
{
	struct perfetto *perfetto = export->state;
	struct outbuf *bundle = &perfetto->bundle;

	if (perfetto->has_bundle &&
		(perfetto->bundle_core != core || bundle->at - bundle->start > BUNDLE_BYTES))
		bundle_write(export);
	perfetto->has_bundle = true;
	perfetto->bundle_core = core;
	return outbuf_reserve(bundle, PACKET_ROOM + n_texts) ? bundle->at : NULL;
}

/* --- switches ------------------------------------------------------------------------------------------- */

static uint64_t task_state(enum rst_state state, enum rst_reason reason)
{
	if (state == RST_STATE_ENDED)
		return TASK_DEAD;
	if (state != RST_STATE_WAITING)
		return TASK_READY;
	if (reason == RST_REASON_SUSPENDED)
		return TASK_STOPPED;
	return reason == RST_REASON_LOCK || reason == RST_REASON_MEMORY || reason == RST_REASON_IO
		       ? TASK_WAITS
		       : TASK_SLEEPS;
}

/* The name of a thread for ftrace, "comm". NULL is Linux' idle thread, whose number is 0. */
static struct text comm_of(const struct perfetto_track *track, char room[NUMBER_ROOM])
{
	return track ? name_of_entity(&track->subject.entity, room) : (struct text){ "swapper", 7 };
}

static void perfetto_sched_switch_put(struct export *export, const struct perfetto_leave *leave,
	struct perfetto_track *track, uint64_t state)
{
	char prev_room[NUMBER_ROOM], next_room[NUMBER_ROOM];
	const struct text prev = comm_of(track, prev_room), next = comm_of(leave->next, next_room);
	char *start, *inner, *p = event_room(export, leave->core, prev.n_bytes + next.n_bytes);
	const uint32_t prev_tid = track ? track_tid(export, track) : 0,
		       next_tid = leave->next ? track_tid(export, leave->next) : 0;
	struct perfetto *perfetto = export->state;

	if (!p)
		return;
	start = p = proto_begin(p, BUNDLE_EVENT, PROTO_LENGTH);
	p = proto_number(p, FTRACE_TIMESTAMP, perfetto_time(export, leave->at));
	p = proto_number(p, FTRACE_PID, prev_tid);
	inner = p = proto_begin(p, FTRACE_SWITCH, PROTO_LENGTH);
	p = proto_bytes(p, SWITCH_PREV_COMM, prev.bytes, prev.n_bytes);
	p = proto_number(p, SWITCH_PREV_PID, prev_tid);
	p = proto_number(p, SWITCH_PREV_STATE, state);
	p = proto_bytes(p, SWITCH_NEXT_COMM, next.bytes, next.n_bytes);
	p = proto_number(p, SWITCH_NEXT_PID, next_tid);
	proto_end(inner, p, PROTO_LENGTH);
	proto_end(start, p, PROTO_LENGTH);
	perfetto->bundle.at = p;
}

static void leave_close(
	struct export *export, struct perfetto_track *track, enum rst_state state, enum rst_reason reason)
{
	track->leave.is_open = false;
	perfetto_sched_switch_put(export, &track->leave, track, task_state(state, reason));
}

/* A core stops running a thread, or leaves the idle state (NULL). */
static void core_leave(
	struct export *export, const struct perfetto_core *core, const struct perfetto_leave *leave)
{
	struct perfetto_track *track = core->now;
	const struct perfetto_after *after = track && !core->after.is_known ? &track->after : &core->after;

	if (!track) {
		perfetto_sched_switch_put(export, leave, NULL, TASK_READY);
		return;
	}
	if (after->is_known && after->at >= leave->at) {
		perfetto_sched_switch_put(export, leave, track, task_state(after->state, after->reason));
		return;
	}
	if (track->leave.is_open)
		leave_close(export, track, RST_STATE_READY, RST_REASON_NONE);
	track->leave = *leave;
}

static bool perfetto_sched_core_see(struct export *export, const struct piece *piece)
{
	static const struct rst_entity unknown = {
		.form = RST_ENTITY_THING, .kind = "unknown thread", .name = "(unknown)", .name_bytes = 9
	};
	const struct rst_interval *interval = piece->interval;
	const uint16_t number = (uint16_t)interval->subject.id;
	struct perfetto_core *core = core_reach(export, number);
	struct perfetto_track *next = NULL;
	const bool is_unknown =
		interval->state == RST_STATE_UNKNOWN ||
		(interval->state == RST_STATE_RUNNING && interval->object.form != RST_ENTITY_THING);

	if (!core)
		return false;
	if (interval->state == RST_STATE_INTERRUPT)
		return true;
	if (is_unknown || interval->state == RST_STATE_RUNNING) {
		next = track_reach(export, GROUP_THREADS, is_unknown ? &unknown : &interval->object);
		if (!next || !track_uuid(export, GROUP_THREADS, next, 0))
			return false;
		next->core = number;
	}
	if (!core->is_known || core->now != next)
		core_leave(export, core,
			&(struct perfetto_leave){
				.is_open = true, .core = number, .at = piece->from, .next = next });
	if (core->now != next)
		core->after.is_known = false;
	core->is_known = true;
	core->now = next;
	return true;
}

/* --- what threads do ------------------------------------------------------------------------------------ */

static bool waking_put(struct export *export, const struct placed *placed)
{
	const struct piece *piece = placed->piece;
	const struct rst_interval *interval = piece->interval;
	struct perfetto_track *track = placed->track, *waker = placed->waker;
	struct perfetto *perfetto = export->state;
	char room[NUMBER_ROOM];
	const struct text comm = comm_of(track, room);
	const uint16_t target = interval->core != RST_NO_CORE ? interval->core
				: track->core != RST_NO_CORE  ? track->core
							      : 0;
	char *start, *inner, *p;

	if (!core_reach(export, target))
		return false;
	const uint16_t core = waker->core != RST_NO_CORE ? waker->core : target;

	p = event_room(export, core, comm.n_bytes);
	if (!p)
		return true;
	start = p = proto_begin(p, BUNDLE_EVENT, PROTO_LENGTH);
	p = proto_number(p, FTRACE_TIMESTAMP, perfetto_time(export, piece->from));
	p = proto_number(p, FTRACE_PID, track_tid(export, waker));
	inner = p = proto_begin(p, FTRACE_WAKING, PROTO_LENGTH);
	p = proto_bytes(p, WAKING_COMM, comm.bytes, comm.n_bytes);
	p = proto_number(p, WAKING_PID, track_tid(export, track));
	p = proto_number(p, WAKING_SUCCESS, 1);
	p = proto_number(p, WAKING_CORE, target);
	proto_end(inner, p, PROTO_LENGTH);
	proto_end(start, p, PROTO_LENGTH);
	perfetto->bundle.at = p;
	return true;
}

/* The switch has the first state after a run. */
static void after_see(struct perfetto *perfetto, struct perfetto_track *track, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;

	if (interval->state == RST_STATE_RUNNING || interval->state == RST_STATE_INTERRUPTED) {
		track->after.is_known = false;
		if (interval->core != RST_NO_CORE)
			track->core = interval->core;
		return;
	}
	if (track->after.is_known)
		return;
	track->after = (struct perfetto_after){ true, piece->from, interval->state, interval->reason };
	if (track->core < perfetto->cores_room && perfetto->cores[track->core].now == track)
		perfetto->cores[track->core].after = track->after;
}

static bool perfetto_sched_thread_see(struct export *export, const struct placed *placed)
{
	const struct piece *piece = placed->piece;
	struct perfetto_track *track = placed->track;

	if (track->leave.is_open && piece->from >= track->leave.at)
		leave_close(export, track, piece->interval->state, piece->interval->reason);
	after_see(export->state, track, piece);
	return !placed->waker || waking_put(export, placed);
}

bool sched_see(struct export *export, const struct placed *placed)
{
	if (placed->group == GROUP_CORES)
		return perfetto_sched_core_see(export, placed->piece);
	return placed->piece->interval->kind != RST_INTERVAL_THREAD ||
	       perfetto_sched_thread_see(export, placed);
}

/* --- losses, and the end -------------------------------------------------------------------------------- */

bool sched_lose(struct export *export, uint16_t core)
{
	struct perfetto *perfetto = export->state;

	for (size_t i = 0; i < perfetto->cores_room; i++)
		if (perfetto->cores[i].is_known && (core == RST_NO_CORE || core == i)) {
			if (perfetto->has_bundle)
				bundle_write(export);
			perfetto->cores[i].has_lost = true;
			if (!event_room(export, (uint16_t)i, 0))
				return false;
			bundle_write(export);
		}
	return true;
}

bool sched_end(struct export *export)
{
	struct perfetto *perfetto = export->state;
	const struct subjects *threads = &perfetto->tracks[GROUP_THREADS];

	for (size_t i = 0; i < threads->n; i++) {
		/* A subject is the first member of its record. */
		struct perfetto_track *track = (struct perfetto_track *)(void *)threads->all[i];

		if (track->leave.is_open)
			leave_close(export, track, RST_STATE_READY, RST_REASON_NONE);
	}
	if (perfetto->has_bundle)
		bundle_write(export);
	return true;
}
