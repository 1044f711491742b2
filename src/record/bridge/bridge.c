/* SPDX-License-Identifier: MIT */
#include "record/bridge/bridge.h"
#include "record/bridge/user_events.h"
#include "record/posix/sink.h"
#include "record/posix/stream.h"
#include "record/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Beyond the descriptors that programs usually use. */
#define DESCRIPTOR_MIN 512

/*
 * In a child this belongs to another process until the child turns the bridge on; what is registered is the
 * child's, too.
 */
static struct {
	_Atomic pid_t
		holder; /* the process that changes all members that event_bridge() does not read; else 0 */
	const struct bridge_kernel *kernel;
	trace_id_t trid;     /* an empty stream, which enables trace points */
	_Atomic pid_t owner; /* the process that has made it; 0 before that */
	_Atomic int fd;	     /* never closed: a trace point may be about to write to it */
	dev_t device;
	ino_t inode;
	struct bridge_type {
		_Atomic uint32_t is_enabled; /* written by the kernel */
		_Atomic uint32_t index;	     /* 1 more than the kernel's write index; 0 if not bridged */
		struct user_events_layout layout;
	} types[NAMES_END];
} bridge = { .fd = -1 };

/* --- trace points --------------------------------------------------------------------------------------- */

/* Programs close descriptors that are not their own; then the number may be another file's. */
static bool is_ours(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 && st.st_dev == bridge.device && st.st_ino == bridge.inode;
}

/*
 * Writes the write index, the fixed bytes, and the rest, with a word in front of it that has its length and
 * offset.
 */
static void event_write(
	int fd, const struct bridge_type *type, uint32_t index, const void *data, size_t length)
{
	static const char zeros[USER_EVENTS_PART_MAX];
	const struct user_events_layout *layout = &type->layout;
	size_t n_fixed = length < layout->n_fixed ? length : layout->n_fixed, n_rest = length - n_fixed;
	uint32_t where;
	struct iovec parts[6] = { { &index, sizeof(index) }, { (void *)(uintptr_t)data, n_fixed },
		{ (void *)(uintptr_t)zeros, layout->n_fixed - n_fixed } };
	int n_parts = 3;

	if (layout->has_rest) {
		n_rest = n_rest < USER_EVENTS_PART_MAX ? n_rest : USER_EVENTS_PART_MAX;
		where = (uint32_t)(n_rest + layout->rest_is_text) << 16;
		parts[n_parts++] = (struct iovec){ &where, sizeof(where) };
		parts[n_parts++] = (struct iovec){ (char *)(uintptr_t)data + n_fixed, n_rest };
		parts[n_parts++] = (struct iovec){ (void *)(uintptr_t)zeros, layout->rest_is_text };
	}
	/* writev() is a cancellation point; what the kernel does not take is lost */
	syscall(SYS_writev, fd, parts, n_parts);
}

/*
 * Writes one event, if its type is bridged and the kernel has enabled it: the sink of the slow path. The
 * acquire of `index` pairs with the release in type_add(), so that the layout is complete, and that of `fd`
 * with the store in kernel_open(). Relaxed: when the kernel changes is_enabled, or the bridge its owner, an
 * event more or less is written.
 */
static void event_bridge(trace_event_id_t id, const void *data, size_t length)
{
	const struct bridge_type *type = &bridge.types[id < NAMES_END ? id : 0];
	uint32_t index = atomic_load_explicit(&type->index, memory_order_acquire);
	int fd = atomic_load_explicit(&bridge.fd, memory_order_acquire), error = errno;

	if (index == 0 || !(atomic_load_explicit(&type->is_enabled, memory_order_relaxed) & 1) ||
		atomic_load_explicit(&bridge.owner, memory_order_relaxed) != (pid_t)process_self.writer.pid)
		return;
	if (is_ours(fd))
		event_write(fd, type, index - 1, data, length);
	errno = error;
}

/* --- the set of types ----------------------------------------------------------------------------------- */

static int control_kernel(int fd, unsigned long request, void *argument)
{
	return ioctl(fd, request, argument);
}

const struct bridge_kernel bridge_user_events = { "/sys/kernel/tracing/user_events_data", control_kernel };

/* A write index belongs to the descriptor that was used to get it. */
static int kernel_open(const struct bridge_kernel *kernel)
{
	struct stat st;
	int fd = open(kernel->path, O_RDWR | O_CLOEXEC | O_NOCTTY), high;

	if (fd < 0)
		return errno == ENOENT || errno == ENODEV ? ENOTSUP : errno;
	high = fcntl(fd, F_DUPFD_CLOEXEC, DESCRIPTOR_MIN);
	if (high >= 0) {
		close(fd);
		fd = high;
	}
	if (fstat(fd, &st) < 0) {
		close(fd);
		return EIO;
	}
	bridge.kernel = kernel;
	bridge.device = st.st_dev;
	bridge.inode = st.st_ino;
	atomic_store(&bridge.fd, fd);
	return 0;
}

static int type_add(const struct names *names, trace_event_id_t id)
{
	struct bridge_type *type = &bridge.types[id];
	char description[USER_EVENTS_DESCRIPTION_MAX];
	struct user_events_add add = { .size = sizeof(add),
		.enable_size = sizeof(type->is_enabled),
		.enable_address = (uint64_t)(uintptr_t)&type->is_enabled,
		.description = (uint64_t)(uintptr_t)description };

	if (!user_events_describe(names, id, description, &type->layout))
		return 0;
	if (bridge.kernel->control(atomic_load(&bridge.fd), USER_EVENTS_ADD, &add) < 0)
		return errno == ENOTTY ? ENOTSUP : errno;
	atomic_store_explicit(&type->index, add.write_index + 1, memory_order_release);
	return 0;
}

/* A trace point that has loaded the index may write once more. */
static int type_drop(struct bridge_type *type)
{
	struct user_events_drop drop = { .size = sizeof(drop),
		.disable_address = (uint64_t)(uintptr_t)&type->is_enabled };
	int error = 0;

	atomic_store(&type->index, 0);
	if (bridge.kernel->control(atomic_load(&bridge.fd), USER_EVENTS_DROP, &drop) < 0)
		error = errno;
	atomic_store(&type->is_enabled, 0);
	return error;
}

static bool is_wanted(const trace_event_set_t *types, trace_event_id_t id)
{
	int is = 0;

	return types && posix_trace_eventset_ismember(id, types, &is) == 0 && is;
}

static int types_set(const struct names *names, const trace_event_set_t *types, size_t *ret_n)
{
	int first_error = 0, error;

	*ret_n = 0;
	for (trace_event_id_t id = POSIX_TRACE_UNNAMED_USEREVENT; id < NAMES_END; id++) {
		bool is_there = atomic_load(&bridge.types[id].index) != 0;

		error = 0;
		if (is_there && !is_wanted(types, id))
			error = type_drop(&bridge.types[id]);
		else if (!is_there && is_wanted(types, id))
			error = type_add(names, id);
		first_error = first_error ? first_error : error;
		*ret_n += atomic_load(&bridge.types[id].index) != 0;
	}
	return first_error;
}

/* Opens the descriptor at first, and again when the application has closed it: then all indexes are void. */
static int kernel_begin(
	const struct bridge_kernel *kernel, const struct names *names, const trace_event_set_t *types)
{
	int fd = atomic_load(&bridge.fd), error;
	size_t n_types;

	if (fd < 0 ? !types : is_ours(fd))
		return 0;
	error = kernel_open(kernel);
	if (!error && fd >= 0)
		error = types_set(names, NULL, &n_types);
	return error;
}

/* --- the stream ----------------------------------------------------------------------------------------- */

static int stream_begin(void)
{
	trace_attr_t attr;
	int error;

	if (atomic_load(&bridge.owner) == getpid())
		return 0;
	posix_trace_attr_init(&attr);
	posix_trace_attr_setname(&attr, "bridge");
	posix_trace_attr_setstreamsize(&attr, 1);
	posix_trace_attr_setmaxdatasize(&attr, 0);
	error = posix_trace_create(0, &attr, &bridge.trid);
	posix_trace_attr_destroy(&attr);
	if (!error)
		atomic_store(&bridge.owner, getpid());
	return error;
}

static void stream_end(void)
{
	if (atomic_load(&bridge.owner) == getpid())
		posix_trace_shutdown(bridge.trid);
	atomic_store(&bridge.owner, 0);
}

static int set_locked(const struct bridge_kernel *kernel, const trace_event_set_t *types)
{
	const struct names *names = process_names();
	size_t n_types;
	int error;

	if (!names)
		return ENOMEM;
	error = kernel_begin(kernel, names, types);
	if (!error && types)
		error = stream_begin();
	if (error)
		return error;
	error = types_set(names, types, &n_types);
	atomic_store(&event_sink, n_types > 0 ? event_bridge : NULL);
	if (n_types == 0)
		stream_end();
	return error;
}

/* A child may find it held by a thread of its parent: then the holder is another process. */
static void bridge_hold(void)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	pid_t self = getpid(), holder = 0;

	while (!atomic_compare_exchange_weak(&bridge.holder, &holder, self)) {
		if (holder != self)
			continue;
		nanosleep(&moment, NULL);
		holder = 0;
	}
}

int bridge_set(const struct bridge_kernel *kernel, const trace_event_set_t *types)
{
	struct stream_calm calm = stream_calm_begin();
	int error;

	bridge_hold();
	error = set_locked(kernel, types);
	atomic_store(&bridge.holder, 0);
	return stream_calm_end(&calm, error);
}

int posix_trace_bridge_np(const trace_event_set_t *types)
{
	return bridge_set(&bridge_user_events, types);
}
