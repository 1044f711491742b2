/* SPDX-License-Identifier: MIT */
/*
 * --filter. A stream's filter is a set of types that are not recorded, and types are known when their names
 * have been opened. So plain names are opened before the program begins, and hold from its first event. The
 * types that match a pattern become known while the program runs: a new type is recorded until its name has
 * been seen, so that no wanted event is missed. Case is ignored, as in `report -t`: a plain name is opened as
 * it is, in lower and in upper case. A type that mixes them in another way is recorded only after it has been
 * seen; a message reports that.
 */
#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "cli/record/record.h"
#include "record/process/names.h"

static bool is_pattern(const char *name)
{
	return strpbrk(name, "*?[") != NULL;
}

/* Whether the name is left out, or among the wanted. */
static bool pattern_matches(const struct text_list *list, const char *name, bool is_left_out)
{
	for (size_t i = 0; i < list->n_items; i++) {
		const char *item = list->items[i];

		if ((item[0] == '!') == is_left_out &&
			fnmatch(item + is_left_out, name, FNM_NOESCAPE | FNM_CASEFOLD) == 0)
			return true;
	}
	return false;
}

static bool is_recorded(const struct pick *pick, trace_event_id_t id, const char *name)
{
	if (pattern_matches(pick->list, name, true))
		return false;
	return !pick->has_wanted || id <= POSIX_TRACE_FLUSH_STOP ||
	       (pick->has_sched && sched_has_name(name)) || pattern_matches(pick->list, name, false);
}

bool pick_leaves_out(const struct pick *pick, const char *name)
{
	return pick->list && pattern_matches(pick->list, name, true);
}

enum rst_status pick_check(struct pick *pick, const struct text_list *list, struct rst_error *err)
{
	bool has_wanted_pattern = false;

	*pick = (struct pick){ .list = list };
	for (size_t i = 0; i < list->n_items; i++) {
		bool is_left_out = list->items[i][0] == '!';
		const char *name = list->items[i] + is_left_out;

		if (!name[0] || (!is_pattern(name) && strlen(name) > TRACE_EVENT_NAME_MAX)) {
			error_set(err, RST_E_USAGE, RST_NO_OFFSET,
				"--filter: no event can have the name '%s'", name);
			error_advise(err, "names have 1 to %d characters", TRACE_EVENT_NAME_MAX);
			return RST_E_USAGE;
		}
		has_wanted_pattern |= !is_left_out && is_pattern(name);
		pick->has_wanted |= !is_left_out;
	}
	pick->is_open = !pick->has_wanted || has_wanted_pattern;
	pick->needs_looks = list->n_items > 0;
	return RST_OK;
}

/* POSIX_TRACE_START and posix_trace_start are both the type of that number. */
static bool is_predefined(const char *name)
{
	for (trace_event_id_t id = 1; id <= POSIX_TRACE_UNNAMED_USEREVENT; id++) {
		const char *known = names_predefined(id);

		if (known && strcasecmp(known, name) == 0)
			return true;
	}
	return false;
}

static enum rst_status open_name(trace_id_t trid, const char *name, struct rst_error *err)
{
	trace_event_id_t id = 0;
	int error = posix_trace_trid_eventid_open(trid, name, &id);

	if (error == 0 && id == POSIX_TRACE_UNNAMED_USEREVENT)
		error = ENOSPC;
	if (error)
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "--filter: cannot use the name '%s': %s", name,
			error == ENOSPC ? "there are too many types of events" : strerror(error));
	return RST_OK;
}

/* The same name in the case that a program may well use. */
static enum rst_status open_in_case(
	trace_id_t trid, const char *name, int (*to_case)(int), struct rst_error *err)
{
	char other[TRACE_EVENT_NAME_MAX + 1];
	size_t n = 0;

	for (; name[n] && n < TRACE_EVENT_NAME_MAX; n++)
		other[n] = (char)to_case((unsigned char)name[n]);
	other[n] = '\0';
	return strcmp(other, name) == 0 ? RST_OK : open_name(trid, other, err);
}

/* All names that are no patterns become types that the stream knows. */
static enum rst_status open_names(const struct pick *pick, trace_id_t trid, struct rst_error *err)
{
	for (size_t i = 0; i < pick->list->n_items; i++) {
		const char *name = pick->list->items[i] + (pick->list->items[i][0] == '!');

		if (is_pattern(name) || is_predefined(name))
			continue;
		error_try(open_name(trid, name, err));
		if (name != pick->list->items[i]) /* what is left out may come late, as a message says */
			continue;
		error_try(open_in_case(trid, name, tolower, err));
		error_try(open_in_case(trid, name, toupper, err));
	}
	return RST_OK;
}

/* Brings the set up to date with the types that have come since the last time. */
static int take_new_types(struct pick *pick, trace_id_t trid, bool *ret_is_changed)
{
	char name[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	int error, is_end;

	*ret_is_changed = false;
	for (;;) {
		int was_left_out = 0;

		error = posix_trace_eventtypelist_getnext_id(trid, &id, &is_end);
		if (error || is_end)
			return error;
		error = posix_trace_eventid_get_name(trid, id, name);
		if (error)
			return error;
		posix_trace_eventset_ismember(id, &pick->filter, &was_left_out);
		if (is_recorded(pick, id, name) != was_left_out)
			continue;
		error = was_left_out ? posix_trace_eventset_del(id, &pick->filter)
				     : posix_trace_eventset_add(id, &pick->filter);
		if (error)
			return error;
		*ret_is_changed = true;
		if (was_left_out)
			strcpy(pick->late, name);
	}
}

int pick_look(struct pick *pick, trace_id_t trid)
{
	bool is_changed;
	int error = take_new_types(pick, trid, &is_changed);

	if (error || !is_changed)
		return error;
	return posix_trace_set_filter(trid, &pick->filter, POSIX_TRACE_SET_EVENTSET);
}

enum rst_status pick_begin(struct pick *pick, trace_id_t trid, struct rst_error *err)
{
	bool is_changed;
	int error;

	if (pick->list->n_items == 0)
		return RST_OK;
	error_try(open_names(pick, trid, err));
	if (pick->is_open)
		posix_trace_eventset_empty(&pick->filter);
	else
		posix_trace_eventset_fill(&pick->filter, POSIX_TRACE_ALL_EVENTS);
	error = take_new_types(pick, trid, &is_changed);
	pick->late[0] = '\0'; /* nothing was recorded yet */
	if (error == 0)
		error = posix_trace_set_filter(trid, &pick->filter, POSIX_TRACE_SET_EVENTSET);
	if (error)
		return error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot set the filter: %s", strerror(error));
	return RST_OK;
}
