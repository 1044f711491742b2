/* SPDX-License-Identifier: MIT */
/*
 * Binds a description. A length or a tag is a path to another field, which may lie in the same structure,
 * around it, or in an earlier part of the packet or event. Which field it is depends on where the type is
 * used. So each use of a structure becomes a copy of its own. In it each such field gets a place among the
 * kept values: the reader stores it there, and the array or variant takes it from there.
 */
#include <stdio.h>
#include <string.h>

#include "dialect/ctf/ctf.h"

enum { SEGMENT_MAX = 256 };

struct around {
	const struct ctf_class *class;
	struct ctf_member *members; /* the copies … */
	size_t n_members;	    /* … that are bound already */
};

struct binder {
	struct ctf_trace *trace;
	struct ctf_fault *fault;
	bool has_no_memory;
	enum ctf_part part;
	const struct ctf_class *parts[CTF_N_PARTS]; /* bound already */
	struct around around[2 * CTF_DEPTH_MAX];
	unsigned depth;	  /* of structures … */
	unsigned n_inner; /* … and of all types */
	int n_kept;	  /* of the event */
};

bool ctf_is_name(const char *a, const char *b)
{
	return strcmp(a, b) == 0 || strcmp(ctf_bare_name(a), b) == 0 || strcmp(a, ctf_bare_name(b)) == 0;
}

static void *binder_room(struct binder *binder, size_t n_bytes)
{
	void *room = arena_alloc(&binder->trace->arena, n_bytes);

	binder->has_no_memory |= !room;
	return room;
}

static const struct ctf_class *refuse(struct binder *binder, const char *what, const char *name)
{
	if (!binder->fault->what[0])
		ctf_refuse(binder->fault, 0, "%s%s%.60s", what, name[0] ? ": " : "", name);
	return NULL;
}

/* --- paths ---------------------------------------------------------------------------------------------- */

/* Takes the next name of a path. Returns what is behind it, or NULL at the end. */
static const char *path_step(const char *path, char name[SEGMENT_MAX])
{
	const size_t n = strcspn(path, "."), n_name = n < SEGMENT_MAX ? n : SEGMENT_MAX - 1;

	memcpy(name, path, n_name);
	name[n_name] = '\0';
	return path[n] ? path + n + 1 : NULL;
}

static struct ctf_member *find_member(
	struct binder *binder, struct ctf_member *members, size_t n_members, const char *name)
{
	binder->trace->n_looks += n_members;
	if (binder->trace->n_looks > CTF_LOOKS_MAX) {
		refuse(binder, "too many fields have lengths or tags that refer to them", name);
		return NULL;
	}
	for (size_t i = n_members; i-- > 0;)
		if (strcmp(members[i].name, name) == 0)
			return &members[i];
	for (size_t i = n_members; i-- > 0;)
		if (ctf_is_name(members[i].name, name))
			return &members[i];
	return NULL;
}

/* Follows a path through structures; variants have no names of their own in it. */
static struct ctf_member *follow(
	struct binder *binder, struct ctf_member *members, size_t n_members, const char *path)
{
	char name[SEGMENT_MAX];
	struct ctf_member *member;

	for (;;) {
		path = path_step(path, name);
		member = find_member(binder, members, n_members, name);
		if (!member || !path)
			return member;
		if (member->class->kind != CTF_STRUCTURE && member->class->kind != CTF_VARIANT)
			return NULL;
		members = member->class->members;
		n_members = member->class->n_members;
	}
}

/* A path that begins with the name of a part. The outermost structure of the part that is being bound. */
static bool follow_absolute(struct binder *binder, const char *path, struct ctf_member **ret)
{
	static const char *const names[] = { [CTF_PACKET_HEADER] = "trace.packet.header.",
		[CTF_PACKET_CONTEXT] = "stream.packet.context.",
		[CTF_EVENT_HEADER] = "stream.event.header.",
		[CTF_STREAM_CONTEXT] = "stream.event.context.",
		[CTF_EVENT_CONTEXT] = "event.context.",
		[CTF_PAYLOAD] = "event.fields." };

	for (size_t i = 0; i < CTF_N_PARTS; i++) {
		const size_t n = strlen(names[i]);

		if (strncmp(path, names[i], n) != 0)
			continue;
		*ret = NULL;
		if (i == binder->part && binder->depth)
			*ret = follow(
				binder, binder->around[0].members, binder->around[0].n_members, path + n);
		else if (binder->parts[i])
			*ret = follow(
				binder, binder->parts[i]->members, binder->parts[i]->n_members, path + n);
		return true;
	}
	return false;
}

static struct ctf_member *find_target(struct binder *binder, const char *path)
{
	struct ctf_member *member;

	if (follow_absolute(binder, path, &member))
		return member;
	for (unsigned i = binder->depth; i-- > 0;) {
		member = follow(binder, binder->around[i].members, binder->around[i].n_members, path);
		if (member)
			return member;
	}
	for (int i = (int)binder->part - 1; i >= 0; i--)
		if (binder->parts[i]) {
			member = follow(binder, binder->parts[i]->members, binder->parts[i]->n_members, path);
			if (member)
				return member;
		}
	return NULL;
}

/* Gives a field a place among the kept values. Places of headers are the same for all events of the trace. */
static bool bind_keep(struct binder *binder, struct ctf_member *target)
{
	if (target->keep >= 0)
		return true;
	if (target->is_early && binder->trace->n_held < CTF_HELD_MAX)
		target->keep = binder->trace->n_held++;
	else if (!target->is_early && CTF_HELD_MAX + binder->n_kept < CTF_VALUES_MAX)
		target->keep = CTF_HELD_MAX + binder->n_kept++;
	return target->keep >= 0 ||
	       refuse(binder, "too many fields have lengths or tags that refer to them", target->name);
}

static bool refer(struct binder *binder, struct ctf_class *class, const struct ctf_class **ret_selector)
{
	struct ctf_member *target = class->of ? find_target(binder, class->of) : NULL;

	if (!target)
		return refuse(
			binder, "a length or tag is no field before its use", class->of ? class->of : "?");
	if (target->class->kind != CTF_INTEGER && target->class->kind != CTF_ENUMERATION)
		return refuse(binder, "a length or tag is no integer", class->of);
	if (!bind_keep(binder, target))
		return false;
	class->from = target->keep;
	*ret_selector = target->class;
	return true;
}

/* --- types ---------------------------------------------------------------------------------------------- */

static const struct ctf_class *bind_class(struct binder *binder, const struct ctf_class *class);

static struct ctf_class *class_copy(struct binder *binder, const struct ctf_class *class)
{
	struct ctf_class *copy;

	if (++binder->trace->n_classes > CTF_CLASSES_MAX) {
		refuse(binder, "the description has more types than can be read", "");
		return NULL;
	}
	copy = binder_room(binder, sizeof(*copy));
	if (copy)
		*copy = *class;
	return copy;
}

static const struct ctf_clock *find_clock(const struct ctf_trace *trace, const char *name)
{
	for (const struct ctf_clock *clock = trace->clocks; clock; clock = clock->next)
		if (strcmp(clock->name, name) == 0)
			return clock;
	return NULL;
}

static const struct ctf_class *bind_scalar(struct binder *binder, const struct ctf_class *class)
{
	struct ctf_class *own = (struct ctf_class *)(uintptr_t) class; /* no use of it differs from another */
	const enum ctf_order order = class->order == CTF_NATIVE ? binder->trace->order : class->order;

	own->is_big = order == CTF_BIG;
	if (class->clock_name && !class->clock) {
		own->clock = find_clock(binder->trace, class->clock_name);
		if (!own->clock)
			return refuse(binder, "there is no such clock", class->clock_name);
		if (!binder->trace->clock)
			binder->trace->clock = own->clock;
	}
	return class;
}

/* The purposes of fields by their names. */
static const struct {
	enum ctf_part part;
	const char *name;
	enum ctf_role role;
} roles[] = { { CTF_PACKET_HEADER, "magic", CTF_MAGIC }, { CTF_PACKET_HEADER, "uuid", CTF_UUID },
	{ CTF_PACKET_HEADER, "stream_id", CTF_STREAM_ID },
	{ CTF_PACKET_HEADER, "stream_instance_id", CTF_INSTANCE_ID },
	{ CTF_PACKET_CONTEXT, "packet_size", CTF_PACKET_SIZE },
	{ CTF_PACKET_CONTEXT, "content_size", CTF_CONTENT_SIZE },
	{ CTF_PACKET_CONTEXT, "timestamp_begin", CTF_BEGIN },
	{ CTF_PACKET_CONTEXT, "timestamp_end", CTF_END },
	{ CTF_PACKET_CONTEXT, "events_discarded", CTF_DISCARDED },
	{ CTF_PACKET_CONTEXT, "packet_seq_num", CTF_PACKET_NUMBER },
	{ CTF_PACKET_CONTEXT, "cpu_id", CTF_CPU }, { CTF_EVENT_HEADER, "id", CTF_EVENT_ID } };

static enum ctf_role role_of(enum ctf_part part, const struct ctf_member *member)
{
	const bool is_array = member->class->kind == CTF_ARRAY;
	const bool is_number = member->class->kind == CTF_INTEGER || member->class->kind == CTF_ENUMERATION;

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (roles[i].part == part && strcmp(roles[i].name, member->name) == 0)
			return (roles[i].role == CTF_UUID ? is_array && member->class->n_items == 16
							  : is_number)
				       ? roles[i].role
				       : CTF_PLAIN;
	return CTF_PLAIN;
}

/* A description without clocks may have stamps: those of Zephyr. Their rate is not known. */
static const struct ctf_clock *plain_clock(struct binder *binder)
{
	struct ctf_clock *clock = binder->trace->plain_clock;

	if (!clock)
		binder->trace->plain_clock = clock = binder_room(binder, sizeof(*clock));
	if (clock)
		clock->name = "";
	return clock;
}

/* Stamps that do not name their clock have the only one that there is. */
static bool give_clock(struct binder *binder, struct ctf_member *member)
{
	const bool is_stamp = member->role == CTF_BEGIN || member->role == CTF_END ||
			      (binder->part == CTF_EVENT_HEADER && strcmp(member->name, "timestamp") == 0);
	const struct ctf_clock *clock = binder->trace->clocks;
	struct ctf_class *copy;

	if (!is_stamp || member->class->kind != CTF_INTEGER || member->class->clock || (clock && clock->next))
		return true;
	if (!clock)
		clock = plain_clock(binder);
	copy = class_copy(binder, member->class);
	if (!copy || !clock)
		return false;
	copy->clock = clock;
	if (!binder->trace->clock)
		binder->trace->clock = clock;
	member->class = copy;
	return true;
}

static void enter(struct binder *binder, const struct ctf_class *class, struct ctf_member *members)
{
	binder->around[binder->depth++] = (struct around){ class, members, 0 };
}

static const struct ctf_class *bind_structure(struct binder *binder, const struct ctf_class *class)
{
	struct ctf_class *copy = class_copy(binder, class);
	struct ctf_member *members =
		copy ? binder_room(binder, (class->n_members + 1) * sizeof(*members)) : NULL;

	if (!members)
		return NULL;
	enter(binder, class, members);
	copy->members = members;
	binder->trace->n_classes += class->n_members;
	for (size_t i = 0; i < class->n_members; i++) {
		struct ctf_member *member = &members[i];

		*member = class->members[i];
		member->keep = -1;
		member->is_early = binder->part <= CTF_STREAM_CONTEXT;
		member->class = bind_class(binder, class->members[i].class);
		if (!member->class)
			return NULL;
		member->role = role_of(binder->part, member);
		if (!give_clock(binder, member))
			return NULL;
		if (member->class->align > copy->align)
			copy->align = member->class->align;
		binder->around[binder->depth - 1].n_members = i + 1;
	}
	binder->depth--;
	return copy;
}

static const struct ctf_class *bind_array(struct binder *binder, const struct ctf_class *class)
{
	struct ctf_class *copy = class_copy(binder, class);
	const struct ctf_class *selector;

	if (!copy || (class->kind == CTF_SEQUENCE && !refer(binder, copy, &selector)))
		return NULL;
	copy->item = bind_class(binder, class->item);
	if (!copy->item)
		return NULL;
	copy->align = copy->item->align;
	return copy;
}

/* Finds the option of each label once, so that a value needs no comparison of names. */
static bool match_options(struct binder *binder, struct ctf_class *variant)
{
	const struct ctf_class *selector = variant->selector;
	struct map names = { 0 };
	bool is_good = true;

	variant->options = binder_room(binder, (selector->n_labels + 1) * sizeof(struct ctf_member *));
	for (size_t i = variant->n_members; variant->options && i-- > 0 && is_good;) {
		const char *name = ctf_bare_name(variant->members[i].name);

		is_good = map_set(&names, map_text_key(name, strlen(name)), &variant->members[i]);
	}
	for (size_t i = 0; variant->options && i < selector->n_labels; i++) {
		const char *name = ctf_bare_name(selector->labels[i].name);
		const struct ctf_member *option = map_find(&names, map_text_key(name, strlen(name)));

		variant->options[i] =
			option && ctf_is_name(option->name, selector->labels[i].name) ? option : NULL;
	}
	map_done(&names);
	is_good &= variant->options &&
		   ctf_index_labels(&binder->trace->arena, selector, variant->options, &variant->starts);
	binder->has_no_memory |= !is_good;
	return is_good;
}

static const struct ctf_class *bind_variant(struct binder *binder, const struct ctf_class *class)
{
	struct ctf_class *copy = class_copy(binder, class);
	struct ctf_member *members =
		copy ? binder_room(binder, (class->n_members + 1) * sizeof(*members)) : NULL;

	if (!members || !refer(binder, copy, &copy->selector))
		return NULL;
	if (copy->selector->kind != CTF_ENUMERATION)
		return refuse(binder, "a tag is no enumeration", class->of);
	copy->members = members;
	copy->align = 1;
	binder->trace->n_classes += class->n_members;
	for (size_t i = 0; i < class->n_members; i++) {
		members[i] = class->members[i];
		members[i].keep = -1;
		members[i].is_early = binder->part <= CTF_STREAM_CONTEXT;
		members[i].class = bind_class(binder, class->members[i].class);
		if (!members[i].class)
			return NULL;
		members[i].role = role_of(binder->part, &members[i]);
	}
	return match_options(binder, copy) ? copy : NULL;
}

static const struct ctf_class *bind_class(struct binder *binder, const struct ctf_class *class)
{
	static const struct ctf_class *(*const binders[])(struct binder *, const struct ctf_class *) = {
		[CTF_INTEGER] = bind_scalar,
		[CTF_ENUMERATION] = bind_scalar,
		[CTF_REAL] = bind_scalar,
		[CTF_STRING] = bind_scalar,
		[CTF_STRUCTURE] = bind_structure,
		[CTF_ARRAY] = bind_array,
		[CTF_SEQUENCE] = bind_array,
		[CTF_VARIANT] = bind_variant,
	};

	const struct ctf_class *bound;

	if (binder->n_inner >= 2 * CTF_DEPTH_MAX)
		return refuse(binder, "types are nested too deeply", "");
	binder->n_inner++;
	bound = binders[class->kind](binder, class);
	binder->n_inner--;
	return bound;
}

static bool bind_part(struct binder *binder, enum ctf_part part, const struct ctf_class **class)
{
	binder->part = part;
	binder->depth = binder->n_inner = 0;
	binder->parts[part] = NULL;
	if (*class)
		*class = binder->parts[part] = bind_class(binder, *class);
	else
		return true;
	return *class != NULL;
}

/* --- streams and events --------------------------------------------------------------------------------- */

static bool bind_streams(struct binder *binder)
{
	struct ctf_trace *trace = binder->trace;

	if (!bind_part(binder, CTF_PACKET_HEADER, &trace->packet_header))
		return false;
	for (struct ctf_stream_class *stream = trace->streams; stream; stream = stream->next) {
		for (int part = CTF_PACKET_CONTEXT; part <= CTF_STREAM_CONTEXT; part++)
			if (!bind_part(binder, (enum ctf_part)part, &stream->parts[part]))
				return false;
		if (map_find(&trace->stream_ids, stream->id))
			return refuse(binder, "two streams have the same id", "");
		if (!map_set(&trace->stream_ids, stream->id, stream)) {
			binder->has_no_memory = true;
			return false;
		}
	}
	return true;
}

static struct ctf_stream_class *stream_of(const struct ctf_trace *trace, const struct ctf_event *event)
{
	if (!event->has_stream_id && trace->streams && !trace->streams->next)
		return trace->streams;
	return map_find(&trace->stream_ids, event->stream_id);
}

static bool bind_event(struct binder *binder, struct ctf_event *event)
{
	struct ctf_stream_class *stream = stream_of(binder->trace, event);

	if (!stream)
		return refuse(binder, "an event belongs to a stream that is not described",
			event->name ? event->name : "?");
	memcpy(binder->parts, stream->parts, sizeof(binder->parts));
	binder->parts[CTF_PACKET_HEADER] = binder->trace->packet_header;
	binder->n_kept = 0;
	for (int part = CTF_EVENT_CONTEXT; part <= CTF_PAYLOAD; part++)
		if (!bind_part(binder, (enum ctf_part)part, &event->parts[part]))
			return false;
	memcpy(event->parts, stream->parts, CTF_EVENT_CONTEXT * sizeof(event->parts[0]));
	if (ctf_count_fields(event) > CTF_FIELDS_MAX)
		return refuse(
			binder, "an event has more fields than can be read", event->name ? event->name : "?");
	stream->n_events++;
	stream->only = event;
	binder->has_no_memory |= !map_set(&stream->events, event->id, event);
	return !binder->has_no_memory;
}

/* A trace without a block for its stream has one without headers. */
static bool add_plain_stream(struct binder *binder)
{
	struct ctf_trace *trace = binder->trace;

	if (!trace->streams) {
		trace->streams = binder_room(binder, sizeof(*trace->streams));
		trace->n_streams = 1;
	}
	return trace->streams != NULL;
}

enum rst_status ctf_bind(struct ctf_trace *trace, struct ctf_fault *fault)
{
	struct binder binder = { .trace = trace, .fault = fault };
	bool is_good;

	fault->what[0] = '\0';
	is_good = add_plain_stream(&binder) && bind_streams(&binder);
	for (struct ctf_event *event = trace->events; event && is_good; event = event->next)
		is_good = bind_event(&binder, event);
	if (is_good)
		return RST_OK;
	return binder.has_no_memory || !fault->what[0] ? RST_E_NOMEM : RST_E_DAMAGED;
}
