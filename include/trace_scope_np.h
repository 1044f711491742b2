/* SPDX-License-Identifier: MIT */
/*
 * <trace_scope_np.h>: trace points as programs for Perfetto write them.
 *
 *	TRACE_EVENT("render", "draw", "frame", number);		"render:draw:begin" now, "render:draw:end" at the end of the block
 *	TRACE_EVENT_BEGIN("render", "wait");			"render:wait:begin"
 *	TRACE_EVENT_END("render");				"render:end", of what the thread began last
 *	TRACE_EVENT_INSTANT("render", "skip", "why", text);	"render:skip"
 *	TRACE_COUNTER("render", "queued", n_queued);		"render:queued:counter" with the field "value"
 *
 * Category, name and keys are string literals, 63 characters together. There may be up to eight keys, each
 * with a value. A value is a number or an address, of 8 bytes, or a char pointer, of whose text 64 bytes are
 * kept. Values are evaluated once, and only while a stream traces. The end of a scope is recorded if a stream
 * traced at its beginning. TRACE_EVENT() is a declaration, and may stand wherever a declaration may; goto and
 * case must not jump over it. Tracks, flows, own times and dynamic names are missing; trace_scope_np(3) has
 * the list.
 */
#ifndef POSIX_TRACE_SCOPE_NP_H
#define POSIX_TRACE_SCOPE_NP_H

#include <trace_wide_np.h>

#ifdef __cplusplus
struct posix_trace_scope_np_ {
	const struct posix_trace_point_np *end; /* NULL if no stream traced when the scope began */
	~posix_trace_scope_np_()
	{
		if (end && POSIX_TRACE_IS_ENABLED_NP())
			posix_trace_point_event_np(end, NULL, 0);
	}
};
#define POSIX_TRACE_AT_END_NP
#else
struct posix_trace_scope_np_ {
	const struct posix_trace_point_np *end; /* NULL if no stream traced when the scope began */
};
static inline __attribute__((always_inline, unused)) void posix_trace_scope_end_np_(
	const struct posix_trace_scope_np_ *scope)
{
	if (scope->end && POSIX_TRACE_IS_ENABLED_NP())
		posix_trace_point_event_np(scope->end, NULL, 0);
}
#define POSIX_TRACE_AT_END_NP __attribute__((unused, cleanup(posix_trace_scope_end_np_)))
#endif

/* do(key, value) for each pair. */
#define POSIX_TRACE_PAIRS_1_NP(do_, k1, v1)	    do_(k1, v1)
#define POSIX_TRACE_PAIRS_2_NP(do_, k1, v1, k2, v2) POSIX_TRACE_PAIRS_1_NP(do_, k1, v1) do_(k2, v2)
#define POSIX_TRACE_PAIRS_3_NP(do_, k1, v1, k2, v2, k3, v3) \
	POSIX_TRACE_PAIRS_2_NP(do_, k1, v1, k2, v2) do_(k3, v3)
#define POSIX_TRACE_PAIRS_4_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4) \
	POSIX_TRACE_PAIRS_3_NP(do_, k1, v1, k2, v2, k3, v3) do_(k4, v4)
#define POSIX_TRACE_PAIRS_5_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5) \
	POSIX_TRACE_PAIRS_4_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4) do_(k5, v5)
#define POSIX_TRACE_PAIRS_6_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6) \
	POSIX_TRACE_PAIRS_5_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5) do_(k6, v6)
#define POSIX_TRACE_PAIRS_7_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7) \
	POSIX_TRACE_PAIRS_6_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6) do_(k7, v7)
#define POSIX_TRACE_PAIRS_8_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7, k8, v8) \
	POSIX_TRACE_PAIRS_7_NP(do_, k1, v1, k2, v2, k3, v3, k4, v4, k5, v5, k6, v6, k7, v7) do_(k8, v8)
#define POSIX_TRACE_PICK_17_NP(                                                                  \
	a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, chosen, ...) \
	chosen
#define POSIX_TRACE_PICK_16_NP(                                                             \
	a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, chosen, ...) \
	chosen
#define POSIX_TRACE_PAIRS_NP(do_, ...)                                                                 \
	POSIX_TRACE_PICK_16_NP(__VA_ARGS__, POSIX_TRACE_PAIRS_8_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, \
		POSIX_TRACE_PAIRS_7_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_6_NP,     \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_5_NP,                             \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_4_NP,                             \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_3_NP,                             \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_2_NP,                             \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_PAIRS_1_NP, )                           \
	(do_, __VA_ARGS__)

#define POSIX_TRACE_PAIR_FIELD_NP(key, value) \
	{ key, POSIX_TRACE_TEXT_KIND_NP(value), POSIX_TRACE_TEXT_SIZE_NP(value) },
#define POSIX_TRACE_PAIR_SIZE_NP(key, value) +POSIX_TRACE_TEXT_SIZE_NP(value)
#define POSIX_TRACE_PAIR_PUT_NP(key, value)  POSIX_TRACE_PUT_NP(POSIX_TRACE_TEXT_KIND_NP(value), value)

/* An event whose name is three strings in a row, with pairs or without. */
#define POSIX_TRACE_KEYLESS_NP(is_wanted, before, behind, name) \
	POSIX_TRACE_NAMED_POINT_NP(is_wanted, before name behind)
#define POSIX_TRACE_KEYED_NP(is_wanted, before, behind, name, ...)                     \
	POSIX_TRACE_WIDE_EVENT_NP(is_wanted, before name behind, POSIX_TRACE_PAIRS_NP, \
		POSIX_TRACE_PAIR_FIELD_NP, POSIX_TRACE_PAIR_SIZE_NP, POSIX_TRACE_PAIR_PUT_NP, __VA_ARGS__)
#define POSIX_TRACE_NAMED_EVENT_NP(is_wanted, before, behind, ...)                                          \
	POSIX_TRACE_PICK_17_NP(__VA_ARGS__, POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP,        \
		POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_KEYED_NP,              \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, \
		POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_KEYED_NP,              \
		POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, \
		POSIX_TRACE_KEYED_NP, POSIX_TRACE_A_KEY_HAS_NO_VALUE_NP, POSIX_TRACE_KEYLESS_NP, )          \
	(is_wanted, before, behind, __VA_ARGS__)

#define TRACE_EVENT_BEGIN(category, ...) \
	POSIX_TRACE_NAMED_EVENT_NP(POSIX_TRACE_IS_ENABLED_NP(), category ":", ":begin", __VA_ARGS__)
/* category, and pairs if there are any */
#define TRACE_EVENT_END(...) POSIX_TRACE_NAMED_EVENT_NP(POSIX_TRACE_IS_ENABLED_NP(), "", ":end", __VA_ARGS__)
#define TRACE_EVENT_INSTANT(category, ...) \
	POSIX_TRACE_NAMED_EVENT_NP(POSIX_TRACE_IS_ENABLED_NP(), category ":", "", __VA_ARGS__)
#define TRACE_COUNTER(category, name, value) \
	POSIX_TRACE_NAMED_EVENT_NP(          \
		POSIX_TRACE_IS_ENABLED_NP(), category ":", ":counter", name, "value", value)

/* Categories need no declaration. They are not switched one by one: a filter selects types. */
#define TRACE_EVENT_CATEGORY_ENABLED(category)	 POSIX_TRACE_IS_ENABLED_NP()
#define PERFETTO_DEFINE_CATEGORIES(...)		 struct posix_trace_no_categories_np_
#define PERFETTO_TRACK_EVENT_STATIC_STORAGE(...) struct posix_trace_no_categories_np_

#define POSIX_TRACE_FIRST_NP(first, ...) first
#define POSIX_TRACE_SCOPE_NP(end_point, scope, category, ...)                                           \
	POSIX_TRACE_DEFINE_POINT_NP(end_point,                                                          \
		POSIX_TRACE_NAME_NP(category ":" POSIX_TRACE_FIRST_NP(__VA_ARGS__, ) ":end"), NULL, 0); \
	const struct posix_trace_scope_np_ scope POSIX_TRACE_AT_END_NP = {                              \
		POSIX_TRACE_IS_ENABLED_NP() ? &end_point : NULL                                         \
	};                                                                                              \
	POSIX_TRACE_NAMED_EVENT_NP(scope.end != NULL, category ":", ":begin", __VA_ARGS__)
#define POSIX_TRACE_SCOPE_OF_NP(number, category, ...) \
	POSIX_TRACE_SCOPE_NP(posix_trace_end_##number, posix_trace_scope_##number, category, __VA_ARGS__)
#define POSIX_TRACE_SCOPE_NUMBER_NP(number, category, ...) \
	POSIX_TRACE_SCOPE_OF_NP(number, category, __VA_ARGS__)
#define TRACE_EVENT(category, ...) POSIX_TRACE_SCOPE_NUMBER_NP(__COUNTER__, category, __VA_ARGS__)

#endif
