/* SPDX-License-Identifier: MIT */
#include "input/wrapping/member.h"

#include <string.h>

enum member_step member_judge(
	const struct member_answer *answers, size_t n_answers, int result, const char **ret_reason)
{
	for (size_t i = 0; i < n_answers; i++) {
		if (answers[i].result != result)
			continue;
		if (answers[i].reason)
			*ret_reason = answers[i].reason;
		return answers[i].step;
	}
	return MEMBER_BROKEN;
}

static void members_skip_padding(struct wrapping_io *io)
{
	while (io->n_in && !*io->in)
		wrapping_use(io, 1);
}

/* If the chunk cuts the magic, this compares only its beginning; the codec checks the rest. */
static bool members_is_magic(const struct member_codec *codec, const struct wrapping_io *io)
{
	const size_t n = io->n_in < codec->n_magic ? io->n_in : codec->n_magic;

	return memcmp(io->in, codec->magic, n) == 0;
}

static enum rst_status members_foreign(
	const struct member_codec *codec, struct wrapping_io *io, uint64_t offset)
{
	wrapping_fault(io, offset, wrapping_rest(io, offset),
		"what follows the %s data is no %s data; it is left out", codec->name, codec->name);
	return RST_END;
}

/* Finds the next member. Returns RST_OK if it has begun, or if finding it needs more input. */
static enum rst_status members_begin(const struct member_codec *codec, struct members *members,
	struct wrapping_io *io, struct rst_error *err)
{
	if (members->is_further)
		members_skip_padding(io);
	if (!io->n_in)
		return io->is_last ? RST_END : RST_OK;
	if (members->is_further && !members_is_magic(codec, io))
		return members_foreign(codec, io, io->offset);
	if (!codec->begin(members))
		return error_nomem(err);
	members->offset = io->offset;
	members->has_made = false;
	members->is_inside = true;
	return RST_OK;
}

static enum rst_status members_fault(const struct member_codec *codec, const struct members *members,
	struct wrapping_io *io, const char *reason)
{
	if (members->is_further && !members->has_made)
		return members_foreign(codec, io, members->offset);
	wrapping_fault(io, io->offset, wrapping_rest(io, io->offset),
		"%s data is corrupt here (%s); what came before is given", codec->name, reason);
	return RST_END;
}

static enum rst_status members_too_large(
	const struct member_codec *codec, const struct members *members, struct wrapping_io *io)
{
	wrapping_fault(io, members->offset, wrapping_rest(io, members->offset),
		"%s data needs over %u MiB of memory to unpack; unpack it with %s first", codec->name,
		(unsigned)(MEMBER_MEMORY_MAX >> 20), codec->command);
	return RST_END;
}

/* Handles a member that goes on. Returns RST_MORE if unpacking goes on, too. */
static enum rst_status members_starve(const struct member_codec *codec, struct wrapping_io *io)
{
	if (io->n_in || !io->n_out)
		return RST_MORE;
	if (!io->is_last)
		return RST_OK;
	wrapping_fault(io, io->offset, 0, "%s data is cut here; what came before is given", codec->name);
	return RST_END;
}

/* Takes one step in the current member. Returns RST_MORE if there is more to do. */
static enum rst_status members_step(const struct member_codec *codec, struct members *members,
	struct wrapping_io *io, struct rst_error *err)
{
	const char *reason = "damaged";
	const size_t n_in = io->n_in, n_out = io->n_out;
	const enum member_step step = codec->step(members, io, &reason);

	members->has_made |= io->n_out < n_out;
	switch (step) {
	case MEMBER_ENDED:
		members->is_inside = false;
		members->is_further = true;
		return RST_MORE;
	case MEMBER_NO_MEMORY:
		return error_nomem(err);
	case MEMBER_TOO_LARGE:
		return members_too_large(codec, members, io);
	case MEMBER_BROKEN:
		return members_fault(codec, members, io, reason);
	case MEMBER_GOES_ON:
		break;
	}
	if (n_in && n_out && io->n_in == n_in &&
		io->n_out == n_out) /* a decoder without progress would loop forever */
		return members_fault(codec, members, io, "it does not go on");
	return members_starve(codec, io);
}

enum rst_status members_decode(
	const struct member_codec *codec, void *state, struct wrapping_io *io, struct rst_error *err)
{
	struct members *members = state;
	enum rst_status status = RST_MORE;

	while (io->n_out && status == RST_MORE) {
		if (!members->is_inside) {
			status = members_begin(codec, members, io, err);
			if (!members->is_inside)
				return status;
		}
		status = members_step(codec, members, io, err);
	}
	return status == RST_MORE ? RST_OK : status;
}
