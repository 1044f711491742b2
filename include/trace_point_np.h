/* SPDX-License-Identifier: MIT */
/*
 * <trace_point_np.h>: trace points that name themselves. A line in the program
 *
 *	POSIX_TRACE_POINT_NP(deadline_missed);
 *	POSIX_TRACE_EVENT_NP(cycle, number, late_by);
 *
 * defines a type of event with that name; the type is opened when the program or library is loaded. The
 * arguments, at most twelve, give the fields of its data: numbers, pointers, and texts, of which 64 bytes are
 * kept. Texts are char pointers and arrays; in C++ also std::string and other classes with its data() and
 * size(). While no stream is attached to the process, a point costs one load and one untaken branch. Like
 * posix_trace_event(), it may stand in a signal handler. Points with one name and the same fields are one
 * type; others with that name are called name~2, name~3 and so on. Not part of any standard; needs GNU C 11
 * or C++ 11.
 */
#ifndef POSIX_TRACE_POINT_NP_H
#define POSIX_TRACE_POINT_NP_H

#include <trace_field_np.h>

#ifdef __cplusplus
extern "C" {
#endif

extern struct posix_trace_enabled_np posix_trace_enabled_np_ __attribute__((visibility("hidden")));
__attribute__((weak, visibility("hidden"))) struct posix_trace_enabled_np posix_trace_enabled_np_;

/* The linker puts these symbols around the points of a program or library. They are weak, as a file may have
 * no points. */
extern struct posix_trace_point_np *const __start_posix_trace_points[]
	__attribute__((weak, visibility("hidden")));
extern struct posix_trace_point_np *const __stop_posix_trace_points[]
	__attribute__((weak, visibility("hidden")));

/* A program that defines POSIX_TRACE_POINTS_LATER_NP before this header opens its points itself, by
 * posix_trace_points_open_np() with the two addresses and the flag above, when it wants to. For C only. */
#ifndef POSIX_TRACE_POINTS_LATER_NP
__attribute__((weak, visibility("hidden"), constructor)) void posix_trace_points_loaded_np_(void);
__attribute__((weak, visibility("hidden"), constructor)) void posix_trace_points_loaded_np_(void)
{
	posix_trace_points_open_np(
		__start_posix_trace_points, __stop_posix_trace_points, &posix_trace_enabled_np_);
}
__attribute__((weak, visibility("hidden"), destructor)) void posix_trace_points_unloaded_np_(void);
__attribute__((weak, visibility("hidden"), destructor)) void posix_trace_points_unloaded_np_(void)
{
	posix_trace_points_close_np(&posix_trace_enabled_np_);
}
#endif

#ifdef __cplusplus
}

/* Opens one point when the program or library is loaded. A section as in C does not work: points of inline
 * functions and templates lie in sections of their own, and g++ does not mix those with others of the same
 * name. The function above passes the flag. */
template <class Tag> struct posix_trace_loader_np_ {
	posix_trace_loader_np_()
	{
		struct posix_trace_point_np *const point = Tag::point();

		posix_trace_points_open_np(&point, &point + 1, NULL);
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
#else
/* An entry in the list of points. */
#define POSIX_TRACE_LOAD_NP(variable)                              \
	static struct posix_trace_point_np *const variable##_entry \
		__attribute__((section("posix_trace_points"), used)) = &variable
#endif

#define POSIX_TRACE_IS_ENABLED_NP() \
	__builtin_expect(*(volatile unsigned int *)&posix_trace_enabled_np_.posix_is_enabled, 0)

/* A point of this name, a string, with these fields; for the macros below. */
#define POSIX_TRACE_DEFINE_POINT_NP(variable, name, fields, n_fields)                                  \
	static struct posix_trace_point_np variable = { POSIX_TRACE_UNNAMED_USEREVENT, n_fields, name, \
		fields };                                                                              \
	POSIX_TRACE_LOAD_NP(variable)

/* An event without data. */
#define POSIX_TRACE_POINT_NP(name)                                               \
	do {                                                                     \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, #name, NULL, 0);  \
		if (POSIX_TRACE_IS_ENABLED_NP())                                 \
			posix_trace_point_event_np(&posix_trace_point, NULL, 0); \
	} while (0)

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
	{ #value, POSIX_TRACE_KEPT_KIND_NP(value), sizeof(POSIX_TRACE_KEPT_TYPE_NP(value)) },
#define POSIX_TRACE_MEMBER_NP(number, value) POSIX_TRACE_KEPT_TYPE_NP(value) posix_value_##number;
#define POSIX_TRACE_STORE_NP(number, value) \
	posix_trace_data.posix_value_##number = POSIX_TRACE_KEPT_NP(value);

/*
 * An event with the values of one to twelve expressions, each evaluated once, and only while a stream traces.
 */
#define POSIX_TRACE_EVENT_NP(name, ...)                                                                \
	do {                                                                                           \
		static const struct posix_trace_field_np posix_trace_fields[] = { POSIX_TRACE_EACH_NP( \
			POSIX_TRACE_FIELD_NP, __VA_ARGS__) };                                          \
		POSIX_TRACE_DEFINE_POINT_NP(posix_trace_point, #name, posix_trace_fields,              \
			sizeof posix_trace_fields / sizeof posix_trace_fields[0]);                     \
		if (POSIX_TRACE_IS_ENABLED_NP()) {                                                     \
			struct __attribute__((packed)) {                                               \
				POSIX_TRACE_EACH_NP(POSIX_TRACE_MEMBER_NP, __VA_ARGS__)                \
			} posix_trace_data;                                                            \
			POSIX_TRACE_EACH_NP(POSIX_TRACE_STORE_NP, __VA_ARGS__)                         \
			posix_trace_point_event_np(                                                    \
				&posix_trace_point, &posix_trace_data, sizeof posix_trace_data);       \
		}                                                                                      \
	} while (0)

#endif
