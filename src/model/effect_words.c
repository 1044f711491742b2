/* SPDX-License-Identifier: MIT */
/* The words of effects: in JSON, in `template doc`, and after `# effect:` in template files. */
#include <rastrum/state.h>

static const char *const effect_words[RST_N_EFFECTS] = {
	[RST_EFFECT_NONE] = "none",
	[RST_EFFECT_SCHEDULE] = "schedule",
	[RST_EFFECT_SWITCH] = "switch",
	[RST_EFFECT_WAKE] = "wake",
	[RST_EFFECT_WAIT] = "wait",
	[RST_EFFECT_INTERRUPT_IN] = "interrupt_in",
	[RST_EFFECT_INTERRUPT_OUT] = "interrupt_out",
	[RST_EFFECT_ACQUIRE] = "acquire",
	[RST_EFFECT_RELEASE] = "release",
	[RST_EFFECT_SEND] = "send",
	[RST_EFFECT_RECEIVE] = "receive",
	[RST_EFFECT_LEVEL] = "level",
	[RST_EFFECT_ALLOCATE] = "allocate",
	[RST_EFFECT_FREE] = "free",
	[RST_EFFECT_CREATE] = "create",
	[RST_EFFECT_DELETE] = "delete",
	[RST_EFFECT_BEGIN] = "begin",
	[RST_EFFECT_END] = "end",
	[RST_EFFECT_STATE] = "state",
	[RST_EFFECT_PRIORITY] = "priority",
	[RST_EFFECT_GAP] = "gap",
	[RST_EFFECT_ERROR] = "error",
	[RST_EFFECT_ARM] = "arm",
	[RST_EFFECT_DISARM] = "disarm",
	[RST_EFFECT_EXPIRE] = "expire",
};

static const char *const phase_words[RST_N_PHASES] = {
	[RST_DONE] = "done",
	[RST_ASKS] = "asks",
	[RST_GAVE_UP] = "gave_up",
	[RST_ENTERS] = "enters",
	[RST_LEAVES] = "leaves",
	[RST_IS_IN] = "in",
};

static const char *const state_words[RST_N_STATES] = {
	[RST_STATE_UNKNOWN] = "unknown",
	[RST_STATE_RUNNING] = "running",
	[RST_STATE_READY] = "ready",
	[RST_STATE_WAITING] = "waiting",
	[RST_STATE_INTERRUPTED] = "interrupted",
	[RST_STATE_CREATED] = "created",
	[RST_STATE_ENDED] = "ended",
	[RST_STATE_IDLE] = "idle",
	[RST_STATE_INTERRUPT] = "interrupt",
	[RST_STATE_HELD] = "held",
};

static const char *const reason_words[RST_N_REASONS] = {
	[RST_REASON_NONE] = "none",
	[RST_REASON_SLEEP] = "sleep",
	[RST_REASON_LOCK] = "lock",
	[RST_REASON_SEMAPHORE] = "semaphore",
	[RST_REASON_QUEUE] = "queue",
	[RST_REASON_FLAGS] = "flags",
	[RST_REASON_MEMORY] = "memory",
	[RST_REASON_IO] = "io",
	[RST_REASON_JOIN] = "join",
	[RST_REASON_CHILD] = "child",
	[RST_REASON_SUSPENDED] = "suspended",
	[RST_REASON_OTHER] = "other",
};

static const char *const unit_words[RST_N_UNITS] = {
	[RST_UNIT_NONE] = "none",
	[RST_UNIT_COUNT] = "count",
	[RST_UNIT_BYTES] = "bytes",
	[RST_UNIT_KERNEL_TICKS] = "kernel_ticks",
	[RST_UNIT_NS] = "ns",
};

static const char *const interval_words[RST_N_INTERVAL_KINDS] = {
	[RST_INTERVAL_THREAD] = "thread",
	[RST_INTERVAL_CORE] = "core",
	[RST_INTERVAL_LOCK] = "lock",
	[RST_INTERVAL_INTERRUPT] = "interrupt",
	[RST_INTERVAL_SPAN] = "span",
	[RST_INTERVAL_LEVEL] = "level",
	[RST_INTERVAL_MACHINE] = "machine",
};

static const char *const certainty_words[RST_N_CERTAINTIES] = {
	[RST_CERTAINTY_UNKNOWN] = "unknown",
	[RST_CERTAINTY_INFERRED] = "inferred",
	[RST_CERTAINTY_EXACT] = "exact",
};

static const char *word_of(const char *const *words, unsigned n_words, unsigned which)
{
	return which < n_words ? words[which] : "none";
}

const char *rst_effect_name(enum rst_effect_kind kind)
{
	return word_of(effect_words, RST_N_EFFECTS, kind);
}

const char *rst_phase_name(enum rst_phase phase)
{
	return word_of(phase_words, RST_N_PHASES, phase);
}

const char *rst_state_name(enum rst_state state)
{
	return word_of(state_words, RST_N_STATES, state);
}

const char *rst_reason_name(enum rst_reason reason)
{
	return word_of(reason_words, RST_N_REASONS, reason);
}

const char *rst_unit_name(enum rst_unit unit)
{
	return word_of(unit_words, RST_N_UNITS, unit);
}

const char *rst_interval_kind_name(enum rst_interval_kind kind)
{
	return word_of(interval_words, RST_N_INTERVAL_KINDS, kind);
}

const char *rst_certainty_name(enum rst_certainty certainty)
{
	return word_of(certainty_words, RST_N_CERTAINTIES, certainty);
}
