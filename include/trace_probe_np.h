/* SPDX-License-Identifier: MIT */
/*
 * <trace_probe_np.h>: the probes of <sys/sdt.h> (USDT: DTRACE_PROBE and STAP_PROBE with their arguments) as
 * trace points. DTRACE_PROBE2(pool, take, worker, n_free) records an event of type "pool:take" with the
 * fields arg1 and arg2, of 8 bytes each; tools for probes use the same field names. Include this header in
 * place of <sys/sdt.h>, or let the compiler do so (-include trace_probe_np.h): a later <sys/sdt.h> is empty
 * then. If <sys/sdt.h> was included before, each probe is both.
 *
 * Like trace points, probes cost a load and a branch while no stream traces, and evaluate their arguments
 * only while a stream traces; probes of <sys/sdt.h> always evaluate them. There are no semaphores
 * (..._ENABLED() stays as it was) and no STAP_PROBE_ASM(). Text is recorded as an address, as in <sys/sdt.h>.
 * See trace_probe_np(3).
 */
#ifndef POSIX_TRACE_PROBE_NP_H
#define POSIX_TRACE_PROBE_NP_H

#include <trace_wide_np.h>

#ifdef _SYS_SDT_H
#ifndef _SDT_PROBE
#error "this <sys/sdt.h> has no _SDT_PROBE; include <trace_probe_np.h> alone"
#endif
#define POSIX_TRACE_SDT_NP(provider, name, n, arguments) _SDT_PROBE(provider, name, n, arguments)
#else
#define _SYS_SDT_H					 1
#define POSIX_TRACE_SDT_NP(provider, name, n, arguments) (void)0
#endif

#define POSIX_TRACE_ARG_FIELD_NP(number, value) { "arg" #number, POSIX_TRACE_KIND_NP(value), 8 },
#define POSIX_TRACE_ARG_SIZE_NP(number, value)	+8
#define POSIX_TRACE_ARG_PUT_NP(number, value)	POSIX_TRACE_PUT_NP(POSIX_TRACE_KIND_NP(value), value)

/* Provider and name may be macros, so they are not strings yet. */
#define POSIX_TRACE_PROBE_NP(n, provider, name, ...)                                            \
	do {                                                                                    \
		POSIX_TRACE_SDT_NP(provider, name, n, (__VA_ARGS__));                           \
		POSIX_TRACE_WIDE_EVENT_NP(POSIX_TRACE_IS_ENABLED_NP(), #provider ":" #name,     \
			POSIX_TRACE_EACH_NP, POSIX_TRACE_ARG_FIELD_NP, POSIX_TRACE_ARG_SIZE_NP, \
			POSIX_TRACE_ARG_PUT_NP, __VA_ARGS__);                                   \
	} while (0)
#define POSIX_TRACE_BARE_PROBE_NP(provider, name)                                             \
	do {                                                                                  \
		POSIX_TRACE_SDT_NP(provider, name, 0, ());                                    \
		POSIX_TRACE_NAMED_POINT_NP(POSIX_TRACE_IS_ENABLED_NP(), #provider ":" #name); \
	} while (0)

#undef STAP_PROBEV
#undef STAP_PROBE
#undef STAP_PROBE1
#undef STAP_PROBE2
#undef STAP_PROBE3
#undef STAP_PROBE4
#undef STAP_PROBE5
#undef STAP_PROBE6
#undef STAP_PROBE7
#undef STAP_PROBE8
#undef STAP_PROBE9
#undef STAP_PROBE10
#undef STAP_PROBE11
#undef STAP_PROBE12
#undef DTRACE_PROBE
#undef DTRACE_PROBE1
#undef DTRACE_PROBE2
#undef DTRACE_PROBE3
#undef DTRACE_PROBE4
#undef DTRACE_PROBE5
#undef DTRACE_PROBE6
#undef DTRACE_PROBE7
#undef DTRACE_PROBE8
#undef DTRACE_PROBE9
#undef DTRACE_PROBE10
#undef DTRACE_PROBE11
#undef DTRACE_PROBE12

#define STAP_PROBE(provider, name)		   POSIX_TRACE_BARE_PROBE_NP(provider, name)
#define STAP_PROBE1(provider, name, a)		   POSIX_TRACE_PROBE_NP(1, provider, name, a)
#define STAP_PROBE2(provider, name, a, b)	   POSIX_TRACE_PROBE_NP(2, provider, name, a, b)
#define STAP_PROBE3(provider, name, a, b, c)	   POSIX_TRACE_PROBE_NP(3, provider, name, a, b, c)
#define STAP_PROBE4(provider, name, a, b, c, d)	   POSIX_TRACE_PROBE_NP(4, provider, name, a, b, c, d)
#define STAP_PROBE5(provider, name, a, b, c, d, e) POSIX_TRACE_PROBE_NP(5, provider, name, a, b, c, d, e)
#define STAP_PROBE6(provider, name, a, b, c, d, e, f) \
	POSIX_TRACE_PROBE_NP(6, provider, name, a, b, c, d, e, f)
#define STAP_PROBE7(provider, name, a, b, c, d, e, f, g) \
	POSIX_TRACE_PROBE_NP(7, provider, name, a, b, c, d, e, f, g)
#define STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h) \
	POSIX_TRACE_PROBE_NP(8, provider, name, a, b, c, d, e, f, g, h)
#define STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i) \
	POSIX_TRACE_PROBE_NP(9, provider, name, a, b, c, d, e, f, g, h, i)
#define STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j) \
	POSIX_TRACE_PROBE_NP(10, provider, name, a, b, c, d, e, f, g, h, i, j)
#define STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k) \
	POSIX_TRACE_PROBE_NP(11, provider, name, a, b, c, d, e, f, g, h, i, j, k)
#define STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l) \
	POSIX_TRACE_PROBE_NP(12, provider, name, a, b, c, d, e, f, g, h, i, j, k, l)

#define DTRACE_PROBE(provider, name)			   STAP_PROBE(provider, name)
#define DTRACE_PROBE1(provider, name, a)		   STAP_PROBE1(provider, name, a)
#define DTRACE_PROBE2(provider, name, a, b)		   STAP_PROBE2(provider, name, a, b)
#define DTRACE_PROBE3(provider, name, a, b, c)		   STAP_PROBE3(provider, name, a, b, c)
#define DTRACE_PROBE4(provider, name, a, b, c, d)	   STAP_PROBE4(provider, name, a, b, c, d)
#define DTRACE_PROBE5(provider, name, a, b, c, d, e)	   STAP_PROBE5(provider, name, a, b, c, d, e)
#define DTRACE_PROBE6(provider, name, a, b, c, d, e, f)	   STAP_PROBE6(provider, name, a, b, c, d, e, f)
#define DTRACE_PROBE7(provider, name, a, b, c, d, e, f, g) STAP_PROBE7(provider, name, a, b, c, d, e, f, g)
#define DTRACE_PROBE8(provider, name, a, b, c, d, e, f, g, h) \
	STAP_PROBE8(provider, name, a, b, c, d, e, f, g, h)
#define DTRACE_PROBE9(provider, name, a, b, c, d, e, f, g, h, i) \
	STAP_PROBE9(provider, name, a, b, c, d, e, f, g, h, i)
#define DTRACE_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j) \
	STAP_PROBE10(provider, name, a, b, c, d, e, f, g, h, i, j)
#define DTRACE_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k) \
	STAP_PROBE11(provider, name, a, b, c, d, e, f, g, h, i, j, k)
#define DTRACE_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l) \
	STAP_PROBE12(provider, name, a, b, c, d, e, f, g, h, i, j, k, l)

/* Provider, name and as many arguments as there are. */
#define POSIX_TRACE_PICK_PROBE_NP(a, b, c, d, e, f, g, h, i, j, k, l, m, n, probe, ...) probe
#define STAP_PROBEV(...)                                                                                   \
	POSIX_TRACE_PICK_PROBE_NP(__VA_ARGS__, STAP_PROBE12, STAP_PROBE11, STAP_PROBE10, STAP_PROBE9,      \
		STAP_PROBE8, STAP_PROBE7, STAP_PROBE6, STAP_PROBE5, STAP_PROBE4, STAP_PROBE3, STAP_PROBE2, \
		STAP_PROBE1, STAP_PROBE, )                                                                 \
	(__VA_ARGS__)

#endif
