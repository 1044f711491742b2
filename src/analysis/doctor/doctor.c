/* SPDX-License-Identifier: MIT */
#include "analysis/doctor/doctor.h"

const char *const weight_names[] = { "hint", "warning", "error" };

const struct diagnosis *const diagnoses[] = {
	&diagnosis_empty,
	&diagnosis_text_mode,
	&diagnosis_damage,
	&diagnosis_link_full,
	&diagnosis_lost,
	&diagnosis_reset,
	&diagnosis_clock_stands,
	&diagnosis_clock_counts,
	&diagnosis_clock_wraps,
	&diagnosis_clock_unknown,
	&diagnosis_registry_full,
	&diagnosis_nameless,
	&diagnosis_buffer_short,
	&diagnosis_no_switches,
	&diagnosis_unknown_share,
	&diagnosis_no_interrupts,
	&diagnosis_no_reasons,
	&diagnosis_short_events,
	&diagnosis_vendor,
	&diagnosis_guess,
	NULL,
};
