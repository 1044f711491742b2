/* SPDX-License-Identifier: MIT */
/*
 * Attributes. Setters reject policies that do not exist; sizes are checked when a stream is made, because
 * only then all of them are known (XSH posix_trace_attr_getlogsize() leaves it open).
 */
#include "record/buffer/pool.h"
#include "record/kernel/clock.h"
#include "record/posix/stream.h"
#include <trace_hook_np.h>

#include <errno.h>
#include <string.h>

#define ATTR_MARK	    0x72747461u
#define ATTR_STREAM_SIZE    (1u << 20)
#define ATTR_LOG_SIZE	    (16u << 20)
#define ATTR_DATA_SIZE	    512u
#define ATTR_POLICY_NOT_SET 0

_Static_assert(POSIX_TRACE_NAME_BYTES_NP == TRACE_NAME_MAX + 1 &&
		       POSIX_TRACE_SET_WORDS_NP == (64 + TRACE_USER_EVENT_MAX) / 64,
	"<trace_types_np.h> has the limits as numbers");

static struct posix_trace_time_np_ attr_time_of(int64_t seconds, uint32_t nanoseconds)
{
	return (struct posix_trace_time_np_){ seconds, (long)nanoseconds };
}

static struct timespec timespec_of(struct posix_trace_time_np_ time)
{
	return (struct timespec){ .tv_sec = (time_t)time.posix_trace_seconds,
		.tv_nsec = time.posix_trace_nanoseconds };
}

/* Names and versions end with NUL within TRACE_NAME_MAX bytes, so that a buffer of that size holds them. */
_Static_assert(sizeof("rastrum " POSIX_TRACE_VERSION_STRING_NP) <= TRACE_NAME_MAX, "the version fits");

bool attr_is_valid(const trace_attr_t *attr)
{
	return attr && attr->posix_trace_mark == ATTR_MARK;
}

static bool is_among(int value, const int *good, size_t n_good)
{
	for (size_t i = 0; i < n_good; i++)
		if (good[i] == value)
			return true;
	return false;
}

static bool is_inheritance(int value)
{
	static const int good[] = { POSIX_TRACE_CLOSE_FOR_CHILD, POSIX_TRACE_INHERITED };

	return is_among(value, good, sizeof(good) / sizeof(good[0]));
}

static bool is_stream_policy(int value)
{
	static const int good[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_FLUSH };

	return is_among(value, good, sizeof(good) / sizeof(good[0]));
}

static bool is_log_policy(int value)
{
	static const int good[] = { POSIX_TRACE_LOOP, POSIX_TRACE_UNTIL_FULL, POSIX_TRACE_APPEND };

	return is_among(value, good, sizeof(good) / sizeof(good[0]));
}

int posix_trace_attr_init(trace_attr_t *attr)
{
	if (!attr)
		return EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->posix_trace_mark = ATTR_MARK;
	attr->posix_trace_stream_policy = ATTR_POLICY_NOT_SET;
	attr->posix_trace_log_policy = POSIX_TRACE_LOOP;
	attr->posix_trace_inheritance = POSIX_TRACE_CLOSE_FOR_CHILD;
	attr->posix_trace_stream_size = ATTR_STREAM_SIZE;
	attr->posix_trace_log_size = ATTR_LOG_SIZE;
	attr->posix_trace_data_size = ATTR_DATA_SIZE;
	attr->posix_trace_resolution = attr_time_of(0, clock_resolution(clock_choose()));
	strcpy(attr->posix_trace_version, "rastrum " POSIX_TRACE_VERSION_STRING_NP);
	return 0;
}

int posix_trace_attr_destroy(trace_attr_t *attr)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_mark = 0;
	return 0;
}

/* Whether a stream can have these sizes; the log's has no meaning with APPEND, and without a log. */
static bool sizes_can_work(const trace_attr_t *attr, bool has_log)
{
	if (attr->posix_trace_stream_size == 0 || attr->posix_trace_data_size > LOG_DATA_MAX)
		return false;
	return !has_log || attr->posix_trace_log_policy == POSIX_TRACE_APPEND ||
	       attr->posix_trace_log_size > 0;
}

int attr_resolve(const trace_attr_t *attr, bool has_log, trace_attr_t *ret_attr)
{
	trace_attr_t resolved;

	posix_trace_attr_init(&resolved);
	if (attr) {
		if (!attr_is_valid(attr))
			return EINVAL;
		resolved = *attr;
	}
	if (resolved.posix_trace_stream_policy == ATTR_POLICY_NOT_SET)
		resolved.posix_trace_stream_policy = has_log ? POSIX_TRACE_FLUSH : POSIX_TRACE_LOOP;
	if (resolved.posix_trace_stream_policy == POSIX_TRACE_FLUSH && !has_log)
		return EINVAL;
	if (resolved.posix_trace_rare && (has_log || resolved.posix_trace_stream_policy != POSIX_TRACE_LOOP))
		return EINVAL;
	if (resolved.posix_trace_compress &&
		(!has_log || resolved.posix_trace_log_policy == POSIX_TRACE_LOOP))
		return EINVAL;
	if (!is_stream_policy(resolved.posix_trace_stream_policy) ||
		!is_log_policy(resolved.posix_trace_log_policy) ||
		!is_inheritance(resolved.posix_trace_inheritance) || !sizes_can_work(&resolved, has_log))
		return EINVAL;
	*ret_attr = resolved;
	return 0;
}

/* The rest of the room is zeros. */
static void name_put(char *to, size_t room, const char *name)
{
	size_t length = strnlen(name, TRACE_NAME_MAX - 1);

	memmove(to, name, length);
	memset(to + length, 0, room - length);
}

void attr_take(const struct log_attributes *from, trace_attr_t *ret_attr)
{
	posix_trace_attr_init(ret_attr);
	ret_attr->posix_trace_stream_policy = (int)from->stream_policy;
	ret_attr->posix_trace_log_policy = (int)from->log_policy;
	ret_attr->posix_trace_inheritance = (int)from->inheritance;
	ret_attr->posix_trace_stream_size = from->stream_size;
	ret_attr->posix_trace_log_size = from->log_size;
	ret_attr->posix_trace_data_size = from->data_size;
	ret_attr->posix_trace_created = attr_time_of(from->created_seconds, from->created_nanoseconds);
	ret_attr->posix_trace_resolution = attr_time_of(
		from->resolution_nanoseconds / 1000000000, from->resolution_nanoseconds % 1000000000);
	name_put(ret_attr->posix_trace_version, sizeof(ret_attr->posix_trace_version), from->version);
	name_put(ret_attr->posix_trace_name, sizeof(ret_attr->posix_trace_name), from->name);
}

int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *ret_resolution)
{
	if (!attr_is_valid(attr) || !ret_resolution)
		return EINVAL;
	*ret_resolution = timespec_of(attr->posix_trace_resolution);
	return 0;
}

int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *ret_created)
{
	if (!attr_is_valid(attr) || !ret_created)
		return EINVAL;
	*ret_created = timespec_of(attr->posix_trace_created);
	return 0;
}

int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *ret_version)
{
	if (!attr_is_valid(attr) || !ret_version)
		return EINVAL;
	name_put(ret_version, strnlen(attr->posix_trace_version, TRACE_NAME_MAX - 1) + 1,
		attr->posix_trace_version);
	return 0;
}

int posix_trace_attr_getname(const trace_attr_t *attr, char *ret_name)
{
	if (!attr_is_valid(attr) || !ret_name)
		return EINVAL;
	name_put(ret_name, strnlen(attr->posix_trace_name, TRACE_NAME_MAX - 1) + 1, attr->posix_trace_name);
	return 0;
}

int posix_trace_attr_setname(trace_attr_t *attr, const char *name)
{
	if (!attr_is_valid(attr) || !name)
		return EINVAL;
	name_put(attr->posix_trace_name, sizeof(attr->posix_trace_name), name);
	return 0;
}

int posix_trace_attr_getinherited(const trace_attr_t *restrict attr, int *restrict ret_inheritance)
{
	if (!attr_is_valid(attr) || !ret_inheritance)
		return EINVAL;
	*ret_inheritance = attr->posix_trace_inheritance;
	return 0;
}

int posix_trace_attr_setinherited(trace_attr_t *attr, int inheritance)
{
	if (!attr_is_valid(attr) || !is_inheritance(inheritance))
		return EINVAL;
	attr->posix_trace_inheritance = inheritance;
	return 0;
}

int posix_trace_attr_getswitches_np(const trace_attr_t *restrict attr, int *restrict ret_are_wanted)
{
	if (!attr_is_valid(attr) || !ret_are_wanted)
		return EINVAL;
	*ret_are_wanted = attr->posix_trace_switches;
	return 0;
}

int posix_trace_attr_setswitches_np(trace_attr_t *attr, int are_wanted)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_switches =
		are_wanted ? POSIX_TRACE_SWITCHES_NP | (are_wanted & POSIX_TRACE_PAGE_FAULTS_NP) : 0;
	return 0;
}

int posix_trace_attr_getcompress_np(const trace_attr_t *restrict attr, int *restrict ret_is_compressed)
{
	if (!attr_is_valid(attr) || !ret_is_compressed)
		return EINVAL;
	*ret_is_compressed = attr->posix_trace_compress;
	return 0;
}

int posix_trace_attr_setcompress_np(trace_attr_t *attr, int is_compressed)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_compress = is_compressed != 0;
	return 0;
}

int posix_trace_attr_getrare_np(const trace_attr_t *attr, int *ret_has_ring)
{
	if (!attr_is_valid(attr) || !ret_has_ring)
		return EINVAL;
	*ret_has_ring = attr->posix_trace_rare;
	return 0;
}

int posix_trace_attr_setrare_np(trace_attr_t *attr, int has_ring)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_rare = has_ring != 0;
	return 0;
}

int posix_trace_attr_getlogfullpolicy(const trace_attr_t *restrict attr, int *restrict ret_policy)
{
	if (!attr_is_valid(attr) || !ret_policy)
		return EINVAL;
	*ret_policy = attr->posix_trace_log_policy;
	return 0;
}

int posix_trace_attr_setlogfullpolicy(trace_attr_t *attr, int policy)
{
	if (!attr_is_valid(attr) || !is_log_policy(policy))
		return EINVAL;
	attr->posix_trace_log_policy = policy;
	return 0;
}

/* It is not known here whether there will be a log, so an unset policy shows as without one (choice 3). */
int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *restrict attr, int *restrict ret_policy)
{
	if (!attr_is_valid(attr) || !ret_policy)
		return EINVAL;
	*ret_policy = attr->posix_trace_stream_policy == ATTR_POLICY_NOT_SET
			      ? POSIX_TRACE_LOOP
			      : attr->posix_trace_stream_policy;
	return 0;
}

int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int policy)
{
	if (!attr_is_valid(attr) || !is_stream_policy(policy))
		return EINVAL;
	attr->posix_trace_stream_policy = policy;
	return 0;
}

int posix_trace_attr_getlogsize(const trace_attr_t *restrict attr, size_t *restrict ret_size)
{
	if (!attr_is_valid(attr) || !ret_size)
		return EINVAL;
	*ret_size = (size_t)attr->posix_trace_log_size;
	return 0;
}

int posix_trace_attr_setlogsize(trace_attr_t *attr, size_t size)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_log_size = size;
	return 0;
}

int posix_trace_attr_getmaxdatasize(const trace_attr_t *restrict attr, size_t *restrict ret_size)
{
	if (!attr_is_valid(attr) || !ret_size)
		return EINVAL;
	*ret_size = (size_t)attr->posix_trace_data_size;
	return 0;
}

int posix_trace_attr_setmaxdatasize(trace_attr_t *attr, size_t size)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_data_size = size;
	return 0;
}

/* The largest is FILTER, with the old and the new set. */
int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *restrict attr, size_t *restrict ret_size)
{
	if (!attr_is_valid(attr) || !ret_size)
		return EINVAL;
	*ret_size = pool_event_size(2 * sizeof(trace_event_set_t));
	return 0;
}

int posix_trace_attr_getmaxusereventsize(
	const trace_attr_t *restrict attr, size_t data_length, size_t *restrict ret_size)
{
	size_t kept = data_length < LOG_DATA_MAX ? data_length : LOG_DATA_MAX;

	if (!attr_is_valid(attr) || !ret_size)
		return EINVAL;
	if (kept > attr->posix_trace_data_size)
		kept = (size_t)attr->posix_trace_data_size;
	*ret_size = pool_event_size(kept);
	return 0;
}

int posix_trace_attr_getstreamsize(const trace_attr_t *restrict attr, size_t *restrict ret_size)
{
	if (!attr_is_valid(attr) || !ret_size)
		return EINVAL;
	*ret_size = (size_t)attr->posix_trace_stream_size;
	return 0;
}

int posix_trace_attr_setstreamsize(trace_attr_t *attr, size_t size)
{
	if (!attr_is_valid(attr))
		return EINVAL;
	attr->posix_trace_stream_size = size;
	return 0;
}
