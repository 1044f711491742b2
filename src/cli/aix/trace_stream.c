/* SPDX-License-Identifier: MIT */
/*
 * The stream of a session. Its filter lets only the hooks of its channel pass. By mode ("trace Command"):
 *
 *	alternate   the log is written during the session; with -L it begins again when it is full (-s: stops)
 *	circular    no log: the newest entries stay in memory, and are written when the session ends (-l).
 *		    Entries of rare hooks have a ring of their own (<trace_hook_np.h>)
 *	single      memory is filled once, then recording stops (-f)
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/aix/trace.h"
#include "cli/cli.h"

#define BUFFER_BYTES ((size_t)4 << 20)
/* A generic entry of 64 bits with its 4096 bytes. */
#define ENTRY_BYTES  4112

#define HOOK_ON	       0x00190000u /* 001 and 002, without data words; the channel is the hook data */
#define HOOK_OFF       0x00290000u
/*
 * 002 of a session with two rings: entries that common and rare hooks have lost so far, and three words more,
 * as two are five.
 */
#define HOOK_OFF_RINGS 0x002e0000u

static bool trace_stream_is_given(uint64_t number)
{
	return number != UINT64_MAX;
}

static bool has_log(const struct trace_args *args)
{
	return !args->is_circular;
}

static int log_policy(const struct trace_args *args)
{
	if (!trace_stream_is_given(args->log_bytes))
		return POSIX_TRACE_APPEND;
	return args->stops_when_full ? POSIX_TRACE_UNTIL_FULL : POSIX_TRACE_LOOP;
}

static int stream_policy(const struct trace_args *args)
{
	return args->is_circular ? POSIX_TRACE_LOOP
	       : args->is_single ? POSIX_TRACE_UNTIL_FULL
				 : POSIX_TRACE_FLUSH;
}

/* The message of -m is the stream's name, which reports and `rastrum info` show. */
static int set_name(const struct trace_stream *stream, trace_attr_t *attr)
{
	char name[TRACE_NAME_MAX + 1];

	if (stream->args->message)
		snprintf(name, sizeof(name), "%s", stream->args->message);
	else
		snprintf(name, sizeof(name), "channel %d", stream->channel);
	return posix_trace_attr_setname(attr, name);
}

static int make_attributes(const struct trace_stream *stream, trace_attr_t *ret_attr)
{
	const struct trace_args *args = stream->args;
	int error = posix_trace_attr_init(ret_attr);

	if (error == 0)
		error = set_name(stream, ret_attr);
	if (error == 0) /* other processes can open no other */
		error = posix_trace_attr_setinherited(ret_attr, POSIX_TRACE_INHERITED);
	if (error == 0)
		error = posix_trace_attr_setstreamfullpolicy(ret_attr, stream_policy(args));
	if (error == 0)
		error = posix_trace_attr_setstreamsize(ret_attr, trace_stream_is_given(args->buffer_bytes)
									 ? (size_t)args->buffer_bytes
									 : BUFFER_BYTES);
	if (error == 0)
		error = posix_trace_attr_setrare_np(ret_attr, args->is_circular);
	if (error == 0)
		error = posix_trace_attr_setlogfullpolicy(ret_attr, log_policy(args));
	if (error == 0 && trace_stream_is_given(args->log_bytes))
		error = posix_trace_attr_setlogsize(ret_attr, (size_t)args->log_bytes);
	if (error == 0)
		error = posix_trace_attr_setmaxdatasize(ret_attr, ENTRY_BYTES);
	return error;
}

/* Everything but the hooks of the channel. */
static int set_filter(const struct trace_stream *stream)
{
	trace_event_set_t set;
	int error = posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS);

	for (int word_bytes = 4; error == 0 && word_bytes <= 8; word_bytes += 4)
		error = posix_trace_eventset_del(POSIX_TRACE_HOOK_TYPE_NP(stream->channel, word_bytes), &set);
	return error ? error : posix_trace_set_filter(stream->trid, &set, POSIX_TRACE_SET_EVENTSET);
}

static enum rst_status trace_stream_fail(
	const char *what, int error, const char *advice, struct rst_error *err)
{
	error_set(err, error == ENOENT ? RST_E_UNSUPPORTED : RST_E_IO, RST_NO_OFFSET, "%s: %s", what,
		strerror(error));
	error_advise(err, "%s", advice);
	return err->status;
}

static enum rst_status set_hooks(const struct trace_stream *stream, struct rst_error *err)
{
	struct posix_trace_hooks_np disabled, common, rare;
	int error;

	error_try(trace_hooks_read(stream->args, &disabled, err));
	error_try(trace_rings_read(stream->args, &common, &rare, err));
	error = set_filter(stream);
	if (error == 0)
		error = posix_trace_set_hooks_np(stream->trid, &disabled);
	if (error == 0 && stream->args->is_circular)
		error = posix_trace_set_rare_np(stream->trid, &common, &rare);
	return error ? trace_stream_fail("cannot filter the session's stream", error,
			       "this is an error of rastrum", err)
		     : RST_OK;
}

enum rst_status trace_stream_begin(struct trace_stream *stream, struct rst_error *err)
{
	trace_attr_t attr;
	int error = make_attributes(stream, &attr);

	if (error == 0 && has_log(stream->args))
		error = posix_trace_create_withlog(0, &attr, stream->log.fd, &stream->trid);
	else if (error == 0)
		error = posix_trace_create(0, &attr, &stream->trid);
	if (error)
		return trace_stream_fail("cannot make the session's stream", error,
			"its memory is in /dev/shm (see -T), its log is written by posix-trace-consumer",
			err);
	stream->is_made = true;
	error_try(set_hooks(stream, err));
	/* If this process is killed, its consumer completes the log under the name that was wanted. */
	return has_log(stream->args) ? logfile_keep(&stream->log, err) : RST_OK;
}

static void put_own(const struct trace_stream *stream, uint32_t hook, const uint32_t *words, size_t n_words)
{
	uint32_t entry[6] = { hook | (uint32_t)stream->channel };

	if (n_words)
		memcpy(entry + 1, words, n_words * sizeof(*words));
	posix_trace_hook_np(POSIX_TRACE_HOOK_TYPE_NP(stream->channel, 4), entry[0], entry,
		(1 + n_words) * sizeof(*words));
}

static uint32_t word_of(unsigned long long n)
{
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static void put_off(const struct trace_stream *stream)
{
	struct posix_trace_rings_np rings;

	if (posix_trace_get_rare_np(stream->trid, &rings) == 0)
		put_own(stream, HOOK_OFF_RINGS,
			(const uint32_t[5]){
				word_of(rings.posix_common_lost), word_of(rings.posix_rare_lost) },
			5);
	else
		put_own(stream, HOOK_OFF, NULL, 0);
}

int trace_stream_turn(struct trace_stream *stream, bool is_on)
{
	int error;

	if (stream->is_on == is_on)
		return 0;
	if (!is_on)
		put_off(stream);
	error = is_on ? posix_trace_start(stream->trid) : posix_trace_stop(stream->trid);
	if (error == 0 && is_on)
		put_own(stream, HOOK_ON, NULL, 0);
	if (error == 0)
		stream->is_on = is_on;
	return error;
}

int trace_stream_end(struct trace_stream *stream, bool discards)
{
	struct rst_error err;
	int error = 0, end_error;

	if (!stream->is_made)
		return 0;
	stream->is_made = false;
	trace_stream_turn(stream, false);
	if (discards)
		error = posix_trace_clear(stream->trid);
	else if (!has_log(stream->args))
		error = posix_trace_snapshot_np(stream->trid, stream->log.fd);
	end_error = posix_trace_shutdown(stream->trid);
	if (logfile_keep(&stream->log, &err) < 0 && error == 0)
		error = EIO;
	logfile_close(&stream->log); /* the next session may write the file */
	return error ? error : end_error;
}
