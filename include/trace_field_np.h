/* SPDX-License-Identifier: MIT */
/*
 * Describes an expression as a field of an event, without evaluating it: its type, its kind, and its kind and
 * size if text is wanted. Only the headers that define trace points use it; programs include those headers.
 */
#ifndef POSIX_TRACE_FIELD_NP_H
#define POSIX_TRACE_FIELD_NP_H

#include <trace.h>

/* Bytes of a text in an event; a longer text is cut. */
#define POSIX_TRACE_TEXT_BYTES_NP 64
struct posix_trace_text_np_ {
	char posix_text[POSIX_TRACE_TEXT_BYTES_NP];
};

/* Reads at most `size` bytes; a null pointer is an empty text. */
static inline __attribute__((always_inline, unused)) struct posix_trace_text_np_ posix_trace_text_of_np_(
	const char *text, size_t size)
{
	struct posix_trace_text_np_ copy = { { 0 } };

	for (size_t i = 0; text && i < size && i < sizeof copy.posix_text && text[i]; i++)
		copy.posix_text[i] = text[i];
	return copy;
}

#ifdef __cplusplus
#include <type_traits>

/* Declared, but never defined: gives the type of a value after it is passed to a function. An array becomes a
 * pointer. */
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

/*
 * The part of a value that an event keeps. It is the text of a char pointer, of a char array, or of an object
 * whose data() and size() give chars (std::string, std::string_view). For any other type it is the value
 * itself.
 */
extern "C++" {
template <> struct posix_trace_value_np_<posix_trace_text_np_> {
	enum { kind = POSIX_TRACE_TEXT_NP };
};

template <class Type> struct posix_trace_is_chars_np_ {
	enum { value = std::is_same<Type, char *>::value || std::is_same<Type, const char *>::value };
};

template <class Type>
inline __attribute__((always_inline))
typename std::enable_if<!std::is_class<Type>::value && !posix_trace_is_chars_np_<Type>::value, Type>::type
posix_trace_kept_np_(Type value)
{
	return value;
}

template <class Type>
inline __attribute__((always_inline))
typename std::enable_if<posix_trace_is_chars_np_<Type>::value, posix_trace_text_np_>::type
posix_trace_kept_np_(const Type &text)
{
	return posix_trace_text_of_np_(text, POSIX_TRACE_TEXT_BYTES_NP);
}

template <size_t size>
inline __attribute__((always_inline)) posix_trace_text_np_ posix_trace_kept_np_(const char (&text)[size])
{
	return posix_trace_text_of_np_(text, size);
}

template <class Type>
inline __attribute__((always_inline)) typename std::enable_if<
	std::is_class<Type>::value &&
		std::is_convertible<decltype(static_cast<const Type *>(0)->data()), const char *>::value &&
		std::is_integral<decltype(static_cast<const Type *>(0)->size())>::value,
	posix_trace_text_np_>::type
posix_trace_kept_np_(const Type &text)
{
	return posix_trace_text_of_np_(text.data(), text.size());
}
}

#define POSIX_TRACE_KEPT_NP(value)	posix_trace_kept_np_(value)
#define POSIX_TRACE_KEPT_TYPE_NP(value) decltype(posix_trace_kept_np_(value))
#define POSIX_TRACE_KEPT_KIND_NP(value) posix_trace_value_np_<POSIX_TRACE_KEPT_TYPE_NP(value)>::kind

#define POSIX_TRACE_TYPE_NP(value)	decltype(posix_trace_passed_np_(value))
#define POSIX_TRACE_KIND_NP(value)	posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::kind
#define POSIX_TRACE_TEXT_KIND_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_kind
#define POSIX_TRACE_TEXT_SIZE_NP(value) posix_trace_value_np_<POSIX_TRACE_TYPE_NP(value)>::text_size
#else
#define POSIX_TRACE_TYPE_NP(value) __typeof__(((void)0, (value)))
/* A value that is neither a number nor a pointer fails to compile: it has no `!`. */
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

/*
 * The part of a value that an event keeps: the text of a char pointer or a char array, else the value itself.
 * Both sides of a choice must compile for every value: if the value is not text, a null pointer stands for
 * it. The code reads an array no further than its size; the type of an array differs from the type of a
 * pointer.
 */
#define POSIX_TRACE_CHARS_NP(value) \
	_Generic((value), char * : (value), const char * : (value), default : (const char *)0)
#define POSIX_TRACE_IS_NP(value, type) \
	__builtin_types_compatible_p(__typeof__(POSIX_TRACE_CHARS_NP(value)), type)
#define POSIX_TRACE_CHARS_SIZE_NP(value)                                            \
	(POSIX_TRACE_IS_NP(value, char *) || POSIX_TRACE_IS_NP(value, const char *) \
			? (size_t)POSIX_TRACE_TEXT_BYTES_NP                         \
			: sizeof(POSIX_TRACE_CHARS_NP(value)))
#define POSIX_TRACE_TEXT_OF_NP(value) \
	posix_trace_text_of_np_(POSIX_TRACE_CHARS_NP(value), POSIX_TRACE_CHARS_SIZE_NP(value))
#define POSIX_TRACE_KEPT_NP(value) \
	_Generic((value), char *                       \
		 : POSIX_TRACE_TEXT_OF_NP(value), const char * \
		 : POSIX_TRACE_TEXT_OF_NP(value), default \
		 : (value))
#define POSIX_TRACE_KEPT_TYPE_NP(value) __typeof__(((void)0, POSIX_TRACE_KEPT_NP(value)))
#define POSIX_TRACE_KEPT_KIND_NP(value) POSIX_TRACE_TEXT_KIND_NP(value)
#endif

#endif
