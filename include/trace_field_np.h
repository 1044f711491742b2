/* SPDX-License-Identifier: MIT */
/*
 * What an expression is as a field of an event, without evaluating it: its type, its kind, and its kind and size where
 * text is wanted. For the headers that define trace points; programs include those.
 */
#ifndef POSIX_TRACE_FIELD_NP_H
#define POSIX_TRACE_FIELD_NP_H

#include <trace.h>

/* Bytes of a text in an event; numbers and addresses have 8 there. */
#define POSIX_TRACE_TEXT_BYTES_NP 64

#ifdef __cplusplus
#include <type_traits>

/* Only ever declared: the type of a value once it is passed on, an array's being that of a pointer. */
template <class Type> Type posix_trace_passed_np_(Type value);

template <class Type> struct posix_trace_value_np_ {
	static_assert(std::is_scalar<Type>::value, "a field is a number or a pointer");
	typedef typename std::conditional<std::is_enum<Type>::value, std::underlying_type<Type>,
		std::remove_cv<Type>>::type::type number;
	enum {
		is_text = std::is_same<Type, char *>::value || std::is_same<Type, const char *>::value,
		kind = std::is_floating_point<number>::value ? POSIX_TRACE_REAL_NP
		       : !std::is_arithmetic<number>::value  ? POSIX_TRACE_ADDRESS_NP
		       : std::is_signed<number>::value	     ? POSIX_TRACE_SIGNED_NP
							     : POSIX_TRACE_UNSIGNED_NP,
		text_kind = is_text ? POSIX_TRACE_TEXT_NP : kind,
		text_size = is_text ? POSIX_TRACE_TEXT_BYTES_NP : 8
	};
};

#define POSIX_TRACE_TYPE_NP(value)	decltype(posix_trace_passed_np_(value))
#define POSIX_TRACE_KIND_NP(value)	posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::kind
#define POSIX_TRACE_TEXT_KIND_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_kind
#define POSIX_TRACE_TEXT_SIZE_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_size
#else
#define POSIX_TRACE_TYPE_NP(value) __typeof__(((void)0, (value)))
/* What is no number and no pointer has no `!`. */
#define POSIX_TRACE_KIND_NP(value)                              \
	(_Generic((value), float                                \
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
		  : POSIX_TRACE_ADDRESS_NP) +                   \
		0 * (int)sizeof(!*(POSIX_TRACE_TYPE_NP(value) *)0))
#define POSIX_TRACE_TEXT_KIND_NP(value) \
	_Generic((value), char *                 \
		 : POSIX_TRACE_TEXT_NP, const char * \
		 : POSIX_TRACE_TEXT_NP, default  \
		 : POSIX_TRACE_KIND_NP(value))
#define POSIX_TRACE_TEXT_SIZE_NP(value) \
	_Generic((value), char * : POSIX_TRACE_TEXT_BYTES_NP, const char * : POSIX_TRACE_TEXT_BYTES_NP, default : 8)
#endif

#endif
