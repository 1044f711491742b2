/* SPDX-License-Identifier: MIT */
/*
 * The base of <trace_probe_np.h> and <trace_scope_np.h>: events whose name is a string, whose numbers and
 * addresses take 8 bytes each, and whose text takes 64. So the same name with the same fields in many places
 * is one type, whatever the width of the expressions.
 */
#ifndef POSIX_TRACE_WIDE_NP_H
#define POSIX_TRACE_WIDE_NP_H

#include <trace_point_np.h>

/* A string literal. If it is longer than a name may be, the array here has a negative size. */
#define POSIX_TRACE_NAME_NP(name) \
	(&(name)[0 * sizeof(char[sizeof(name) <= TRACE_EVENT_NAME_MAX + 1 ? 1 : -1])])

/* An event without data. */
#define POSIX_TRACE_NAMED_POINT_NP(is_wanted, name)                                                 \
	do {                                                                                        \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, POSIX_TRACE_NAME_NP(name), NULL, 0); \
		if (is_wanted)                                                                      \
			posix_trace_point_event_np(&posix_trace_point, NULL, 0);                    \
	} while (0)

static inline __attribute__((always_inline, unused)) unsigned char *posix_trace_put_text_np_(
	unsigned char *to, const char *text)
{
	const struct posix_trace_text_np_ copy = posix_trace_text_of_np_(text, POSIX_TRACE_TEXT_BYTES_NP);

	__builtin_memcpy(to, &copy, sizeof copy);
	return to + sizeof copy;
}

static inline __attribute__((always_inline, unused)) unsigned char *posix_trace_put_real_np_(
	unsigned char *to, const void *value, size_t size)
{
	double real = 0;
	float narrow;
	long double wide;

	if (size == sizeof narrow) {
		__builtin_memcpy(&narrow, value, sizeof narrow);
		real = (double)narrow;
	} else if (size == sizeof real) {
		__builtin_memcpy(&real, value, sizeof real);
	} else {
		__builtin_memcpy(&wide, value, sizeof wide);
		real = (double)wide;
	}
	__builtin_memcpy(to, &real, sizeof real);
	return to + 8;
}

/* Appends a value of this kind; returns the place for the next one. */
static inline __attribute__((always_inline, unused)) unsigned char *posix_trace_put_np_(
	unsigned char *to, int kind, const void *value, size_t size)
{
	const int is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	size_t n = size < 8 ? size : 8;
	unsigned long long bits = 0;
	const char *text;

	if (kind == POSIX_TRACE_REAL_NP)
		return posix_trace_put_real_np_(to, value, size);
	if (kind == POSIX_TRACE_TEXT_NP) {
		__builtin_memcpy(&text, value, sizeof text);
		return posix_trace_put_text_np_(to, text);
	}
	__builtin_memcpy((unsigned char *)&bits + (is_little ? 0 : 8 - n), value, n);
	if (kind == POSIX_TRACE_SIGNED_NP)
		bits = (unsigned long long)((long long)(bits << (64 - 8 * n)) >> (64 - 8 * n));
	__builtin_memcpy(to, &bits, sizeof bits);
	return to + 8;
}

#define POSIX_TRACE_PUT_NP(kind, value)                                                      \
	{                                                                                    \
		POSIX_TRACE_TYPE_NP(value) posix_trace_value = (value);                      \
		posix_trace_at = posix_trace_put_np_(                                        \
			posix_trace_at, kind, &posix_trace_value, sizeof posix_trace_value); \
	}

/* each(field), each(size) and each(put) over the arguments; name is a string of up to 63 characters. */
#define POSIX_TRACE_WIDE_EVENT_NP(is_wanted, name, each, field, size, put, ...)                        \
	do {                                                                                           \
		static const struct posix_trace_field_np posix_trace_fields[] = { each(                \
			field, __VA_ARGS__) };                                                         \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, POSIX_TRACE_NAME_NP(name),              \
			posix_trace_fields, sizeof posix_trace_fields / sizeof posix_trace_fields[0]); \
		if (is_wanted) {                                                                       \
			unsigned char posix_trace_data[0 each(size, __VA_ARGS__)];                     \
			unsigned char *posix_trace_at = posix_trace_data;                              \
			each(put, __VA_ARGS__) posix_trace_point_event_np(                             \
				&posix_trace_point, posix_trace_data, sizeof posix_trace_data);        \
		}                                                                                      \
	} while (0)

#endif
