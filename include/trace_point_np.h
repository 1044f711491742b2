/* SPDX-License-Identifier: MIT */
/*
 * <trace_point_np.h>: trace points that name themselves. A line in the program
 *
 *	POSIX_TRACE_POINT_NP(deadline_missed);
 *	POSIX_TRACE_EVENT_NP(cycle, number, late_by);
 *
 * is a type of event with that name, opened when the program or library is loaded; the fields of its data are
 * described from the arguments (numbers and pointers, twelve at most). While no stream is attached to the process it
 * costs one load and one untaken branch. Like posix_trace_event() it may stand in a signal handler. Points with one name
 * and the same fields are one type; others with that name are called name~2, name~3 and so on. Not part of any
 * standard; needs GNU C 11 or C++ 11.
 */
#ifndef POSIX_TRACE_POINT_NP_H
#define POSIX_TRACE_POINT_NP_H

#include <trace.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct posix_trace_gate_np posix_trace_gate_np_ __attribute__((visibility("hidden")));
__attribute__((weak, visibility("hidden"))) struct posix_trace_gate_np posix_trace_gate_np_;

/* What the linker puts around the points of a program or library; weak: a file may have none. */
extern struct posix_trace_point_np *const __start_posix_trace_points[]
	__attribute__((weak, visibility("hidden")));
extern struct posix_trace_point_np *const __stop_posix_trace_points[]
	__attribute__((weak, visibility("hidden")));

/* A program that defines POSIX_TRACE_POINTS_LATER_NP before this header opens its points itself, by
 * posix_trace_points_open_np() with the two addresses above and the gate, when it wants to. For C only. */
#ifndef POSIX_TRACE_POINTS_LATER_NP
__attribute__((weak, visibility("hidden"), constructor)) void posix_trace_points_loaded_np_(void);
__attribute__((weak, visibility("hidden"), constructor)) void posix_trace_points_loaded_np_(void)
{
	posix_trace_points_open_np(
		__start_posix_trace_points, __stop_posix_trace_points, &posix_trace_gate_np_);
}
__attribute__((weak, visibility("hidden"), destructor)) void posix_trace_points_unloaded_np_(void);
__attribute__((weak, visibility("hidden"), destructor)) void posix_trace_points_unloaded_np_(void)
{
	posix_trace_points_close_np(&posix_trace_gate_np_);
}
#endif

#ifdef __cplusplus
}

/* Opens one point when the program or library is loaded. A section as in C cannot be used: points of inline functions and
 * templates lie in sections of their own, which g++ does not mix with others of the same name. The gate is opened above. */
template <class Tag> struct posix_trace_loader_np_ {
	posix_trace_loader_np_()
	{
		static struct posix_trace_point_np *const points[] = { Tag::point() };

		posix_trace_points_open_np(points, points + 1, NULL);
	}
	static posix_trace_loader_np_ loader;
};
template <class Tag> posix_trace_loader_np_<Tag> posix_trace_loader_np_<Tag>::loader;

#define POSIX_TRACE_LOAD_NP(variable)                       \
	struct variable##_tag {                             \
		static struct posix_trace_point_np *point() \
		{                                           \
			return &variable;                   \
		}                                           \
	};                                                  \
	(void)&posix_trace_loader_np_<variable##_tag>::loader

template <class Type, bool is_enum> struct posix_trace_sign_np_ {
	enum { kind = Type(-1) < Type(1) ? POSIX_TRACE_SIGNED_NP : POSIX_TRACE_UNSIGNED_NP };
};
template <class Type>
struct posix_trace_sign_np_<Type, true> : posix_trace_sign_np_<__underlying_type(Type), false> {
};

/* What kinds of field values of a type are: as a number or address, and where text is wanted. */
template <class Type> struct posix_trace_value_np_ {
	enum { kind = posix_trace_sign_np_<Type, __is_enum(Type)>::kind, text_kind = kind, text_size = 8 };
};
template <int Kind, int TextKind, int TextSize> struct posix_trace_other_value_np_ {
	enum { kind = Kind, text_kind = TextKind, text_size = TextSize };
};
typedef posix_trace_other_value_np_<POSIX_TRACE_REAL_NP, POSIX_TRACE_REAL_NP, 8> posix_trace_real_np_;
typedef posix_trace_other_value_np_<POSIX_TRACE_ADDRESS_NP, POSIX_TRACE_ADDRESS_NP, 8>
	posix_trace_address_np_;
typedef posix_trace_other_value_np_<POSIX_TRACE_ADDRESS_NP, POSIX_TRACE_TEXT_NP, 64> posix_trace_text_np_;
template <> struct posix_trace_value_np_<float> : posix_trace_real_np_ {
};
template <> struct posix_trace_value_np_<double> : posix_trace_real_np_ {
};
template <> struct posix_trace_value_np_<long double> : posix_trace_real_np_ {
};
template <> struct posix_trace_value_np_<decltype(nullptr)> : posix_trace_address_np_ {
};
template <class Type> struct posix_trace_value_np_<Type *> : posix_trace_address_np_ {
};
template <> struct posix_trace_value_np_<char *> : posix_trace_text_np_ {
};
template <> struct posix_trace_value_np_<const char *> : posix_trace_text_np_ {
};

/* Only ever declared: the type of a value once it is passed on, an array's being that of a pointer. */
template <class Type> Type posix_trace_passed_np_(Type value);

#define POSIX_TRACE_TYPE_NP(value)	decltype(posix_trace_passed_np_(value))
#define POSIX_TRACE_KIND_NP(value)	posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::kind
#define POSIX_TRACE_TEXT_KIND_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_kind
#define POSIX_TRACE_TEXT_SIZE_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_size
#define POSIX_TRACE_SCALAR_NP(value)	(void)0 /* other values have no kind */

extern "C" {
#else
/* An entry in the list of points. */
#define POSIX_TRACE_LOAD_NP(variable)                              \
	static struct posix_trace_point_np *const variable##_entry \
		__attribute__((section("posix_trace_points"), used)) = &variable

#define POSIX_TRACE_TYPE_NP(value) __typeof__(((void)0, (value)))
/* What kind a value is, without evaluating it. */
#define POSIX_TRACE_KIND_NP(value)                             \
	_Generic((value), float                                \
		 : POSIX_TRACE_REAL_NP, double                 \
		 : POSIX_TRACE_REAL_NP, long double            \
		 : POSIX_TRACE_REAL_NP, char                   \
		 : POSIX_TRACE_SIGNED_NP, signed char          \
		 : POSIX_TRACE_SIGNED_NP, short                \
		 : POSIX_TRACE_SIGNED_NP, int                  \
		 : POSIX_TRACE_SIGNED_NP, long                 \
		 : POSIX_TRACE_SIGNED_NP, long long            \
		 : POSIX_TRACE_SIGNED_NP, _Bool                \
		 : POSIX_TRACE_UNSIGNED_NP, unsigned char      \
		 : POSIX_TRACE_UNSIGNED_NP, unsigned short     \
		 : POSIX_TRACE_UNSIGNED_NP, unsigned int       \
		 : POSIX_TRACE_UNSIGNED_NP, unsigned long      \
		 : POSIX_TRACE_UNSIGNED_NP, unsigned long long \
		 : POSIX_TRACE_UNSIGNED_NP, default            \
		 : POSIX_TRACE_ADDRESS_NP)
#define POSIX_TRACE_TEXT_KIND_NP(value) \
	_Generic((value), char *                 \
		 : POSIX_TRACE_TEXT_NP, const char * \
		 : POSIX_TRACE_TEXT_NP, default  \
		 : POSIX_TRACE_KIND_NP(value))
#define POSIX_TRACE_TEXT_SIZE_NP(value) _Generic((value), char * : 64, const char * : 64, default : 8)
/* Refuses what is no number and no pointer. */
#define POSIX_TRACE_SCALAR_NP(value)	(void)sizeof(!(value))
#endif

#define POSIX_TRACE_IS_OPEN_NP() \
	__builtin_expect(*(volatile unsigned int *)&posix_trace_gate_np_.posix_gate_open, 0)

/* A point of this name, a string, with these fields; for the macros below. */
#define POSIX_TRACE_DEFINE_POINT_NP(variable, name, fields, n_fields)                                  \
	static struct posix_trace_point_np variable = { POSIX_TRACE_UNNAMED_USEREVENT, n_fields, name, \
		fields };                                                                              \
	POSIX_TRACE_LOAD_NP(variable)

/* A string literal that is no longer than names may be: else the array here has a negative size. */
#define POSIX_TRACE_NAME_NP(name) \
	(&(name)[0 * sizeof(char[sizeof(name) <= TRACE_EVENT_NAME_MAX + 1 ? 1 : -1])])

/* An event without data. */
#define POSIX_TRACE_NAMED_POINT_NP(is_wanted, name)                                                 \
	do {                                                                                        \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, POSIX_TRACE_NAME_NP(name), NULL, 0); \
		if (is_wanted)                                                                      \
			posix_trace_point_event_np(&posix_trace_point, NULL, 0);                    \
	} while (0)
#define POSIX_TRACE_POINT_NP(name) POSIX_TRACE_NAMED_POINT_NP(POSIX_TRACE_IS_OPEN_NP(), #name)

/* do(number, argument) for each argument. */
#define POSIX_TRACE_1_NP(do_, a)		      do_(1, a)
#define POSIX_TRACE_2_NP(do_, a, b)		      POSIX_TRACE_1_NP(do_, a) do_(2, b)
#define POSIX_TRACE_3_NP(do_, a, b, c)		      POSIX_TRACE_2_NP(do_, a, b) do_(3, c)
#define POSIX_TRACE_4_NP(do_, a, b, c, d)	      POSIX_TRACE_3_NP(do_, a, b, c) do_(4, d)
#define POSIX_TRACE_5_NP(do_, a, b, c, d, e)	      POSIX_TRACE_4_NP(do_, a, b, c, d) do_(5, e)
#define POSIX_TRACE_6_NP(do_, a, b, c, d, e, f)	      POSIX_TRACE_5_NP(do_, a, b, c, d, e) do_(6, f)
#define POSIX_TRACE_7_NP(do_, a, b, c, d, e, f, g)    POSIX_TRACE_6_NP(do_, a, b, c, d, e, f) do_(7, g)
#define POSIX_TRACE_8_NP(do_, a, b, c, d, e, f, g, h) POSIX_TRACE_7_NP(do_, a, b, c, d, e, f, g) do_(8, h)
#define POSIX_TRACE_9_NP(do_, a, b, c, d, e, f, g, h, i) \
	POSIX_TRACE_8_NP(do_, a, b, c, d, e, f, g, h) do_(9, i)
#define POSIX_TRACE_10_NP(do_, a, b, c, d, e, f, g, h, i, j) \
	POSIX_TRACE_9_NP(do_, a, b, c, d, e, f, g, h, i) do_(10, j)
#define POSIX_TRACE_11_NP(do_, a, b, c, d, e, f, g, h, i, j, k) \
	POSIX_TRACE_10_NP(do_, a, b, c, d, e, f, g, h, i, j) do_(11, k)
#define POSIX_TRACE_12_NP(do_, a, b, c, d, e, f, g, h, i, j, k, l) \
	POSIX_TRACE_11_NP(do_, a, b, c, d, e, f, g, h, i, j, k) do_(12, l)
#define POSIX_TRACE_PICK_NP(a, b, c, d, e, f, g, h, i, j, k, l, name, ...) name
#define POSIX_TRACE_EACH_NP(do_, ...)                                                                     \
	POSIX_TRACE_PICK_NP(__VA_ARGS__, POSIX_TRACE_12_NP, POSIX_TRACE_11_NP, POSIX_TRACE_10_NP,         \
		POSIX_TRACE_9_NP, POSIX_TRACE_8_NP, POSIX_TRACE_7_NP, POSIX_TRACE_6_NP, POSIX_TRACE_5_NP, \
		POSIX_TRACE_4_NP, POSIX_TRACE_3_NP, POSIX_TRACE_2_NP, POSIX_TRACE_1_NP, )                 \
	(do_, __VA_ARGS__)

#define POSIX_TRACE_FIELD_NP(number, value) \
	{ #value, POSIX_TRACE_KIND_NP(value), sizeof(POSIX_TRACE_TYPE_NP(value)) },
#define POSIX_TRACE_MEMBER_NP(number, value) POSIX_TRACE_TYPE_NP(value) posix_value_##number;
#define POSIX_TRACE_STORE_NP(number, value)  posix_trace_data.posix_value_##number = (value);

/* An event with the values of one to twelve expressions, each evaluated once, and only when somebody traces. */
#define POSIX_TRACE_EVENT_NP(name, ...)                                                                \
	do {                                                                                           \
		static const struct posix_trace_field_np posix_trace_fields[] = { POSIX_TRACE_EACH_NP( \
			POSIX_TRACE_FIELD_NP, __VA_ARGS__) };                                          \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, #name, posix_trace_fields,              \
			sizeof posix_trace_fields / sizeof posix_trace_fields[0]);                     \
		if (POSIX_TRACE_IS_OPEN_NP()) {                                                        \
			struct __attribute__((packed)) {                                               \
				POSIX_TRACE_EACH_NP(POSIX_TRACE_MEMBER_NP, __VA_ARGS__)                \
			} posix_trace_data;                                                            \
			POSIX_TRACE_EACH_NP(POSIX_TRACE_STORE_NP, __VA_ARGS__)                         \
			posix_trace_point_event_np(                                                    \
				&posix_trace_point, &posix_trace_data, sizeof posix_trace_data);       \
		}                                                                                      \
	} while (0)

/*
 * What <trace_probe_np.h> and <trace_scope_np.h> are made of: events whose name is a string, whose numbers and addresses
 * take 8 bytes each and whose text takes 64. So the same name with the same fields in many places is one type,
 * whatever the width of the expressions there.
 */
static inline __attribute__((always_inline, unused)) unsigned char *posix_trace_put_text_np_(
	unsigned char *to, const char *text)
{
	unsigned int n = 0;

	for (; text && n < 64 && text[n]; n++)
		to[n] = (unsigned char)text[n];
	for (; n < 64; n++)
		to[n] = 0;
	return to + 64;
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

/* Puts a value of this kind behind the others; where the next one goes. */
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
		POSIX_TRACE_SCALAR_NP(posix_trace_value);                                    \
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

#ifdef __cplusplus
}
#endif

#endif
