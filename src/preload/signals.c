/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers, recorded when they begin and when they end. If a handler is left by a jump, its end is not
 * recorded.
 *
 * For each handler that the program sets, the kernel gets a doorway of ours that calls it. A doorway's
 * handler never changes, so only the kernel keeps which one is set. Nothing has to be changed together with
 * it, and no lock is needed. Children have their parents' handlers, and a query is answered from the doorway
 * that the kernel returns. Flags and masks are the program's own. When all doorways are in use, further
 * handlers are set directly and are not recorded.
 */
#include "preload/preload.h"

#include <signal.h>
#include <ucontext.h>

enum { DOORWAYS = 64, WITH_SENDER = DOORWAYS / 2 };

/*
 * Those from WITH_SENDER on are for handlers with SA_SIGINFO: only for these does the kernel give the sender
 * of the signal.
 */
static uintptr_t handlers[DOORWAYS];

/* The address that the signal interrupted. */
static const void *interrupted_at(const void *context)
{
#if defined(__x86_64__)
	const ucontext_t *machine = context;

	return (const void *)(uintptr_t)machine->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	const ucontext_t *machine = context;

	return (const void *)(uintptr_t)machine->uc_mcontext.pc;
#else
	return (void)context, NULL;
#endif
}

/* The sender's pid; 0 if it is the kernel, or unknown. */
static uint64_t sender_of(unsigned int doorway, const siginfo_t *info)
{
	bool is_sent = doorway >= WITH_SENDER &&
		       (info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL);

	return is_sent ? (uint64_t)info->si_pid : 0;
}

static void deliver(unsigned int doorway, int signal, siginfo_t *info, void *context)
{
	uintptr_t handler = __atomic_load_n(&handlers[doorway], __ATOMIC_ACQUIRE);

	if (is_traced()) {
		module_meet((const void *)handler);
		event_tell(PRELOAD_SIGNAL_BEGIN, interrupted_at(context), (uint64_t)signal, handler,
			sender_of(doorway, info));
	}
	((void (*)(int, siginfo_t *, void *))handler)(signal, info, context);
	if (is_traced())
		event_tell(PRELOAD_SIGNAL_END, interrupted_at(context), (uint64_t)signal, handler);
}

/* Expands a macro for each number. */
#define EIGHT(each, n) each(n##0) each(n##1) each(n##2) each(n##3) each(n##4) each(n##5) each(n##6) each(n##7)
#define ALL(each)       \
	EIGHT(each, 0)  \
	EIGHT(each, 01) \
	EIGHT(each, 02) EIGHT(each, 03) EIGHT(each, 04) EIGHT(each, 05) EIGHT(each, 06) EIGHT(each, 07)
#define DOORWAY(n)                                                          \
	static void doorway_##n(int signal, siginfo_t *info, void *context) \
	{                                                                   \
		deliver(n, signal, info, context);                          \
	}
#define DOORWAY_NAME(n) doorway_##n,

ALL(DOORWAY)
static void (*const doorways[DOORWAYS])(int, siginfo_t *, void *) = { ALL(DOORWAY_NAME) };

static uintptr_t doorway_of(unsigned int doorway)
{
	return (uintptr_t)doorways[doorway];
}

/* SIG_DFL, SIG_IGN, SIG_ERR, SIG_HOLD. */
static bool is_word(uintptr_t handler)
{
	return handler + 1 <= 3;
}

/* The handler behind a doorway; any other value is returned as it is. */
static uintptr_t without_doorway(uintptr_t handler)
{
	for (unsigned int i = 0; i < DOORWAYS; i++)
		if (doorway_of(i) == handler)
			return __atomic_load_n(&handlers[i], __ATOMIC_ACQUIRE);
	return handler;
}

/* The handler's doorway, which stays the same for ever. */
static uintptr_t with_doorway(uintptr_t handler, bool has_sender)
{
	unsigned int first = has_sender ? WITH_SENDER : 0;

	if (is_word(handler) || without_doorway(handler) != handler)
		return handler;
	for (unsigned int i = first; i < first + WITH_SENDER; i++) {
		uintptr_t found = 0;

		if (__atomic_compare_exchange_n(
			    &handlers[i], &found, handler, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
			found == handler)
			return doorway_of(i);
	}
	return handler;
}

NEXT(sigaction);
PRELOAD_PUBLIC int sigaction(int signal, const struct sigaction *action, struct sigaction *ret_before)
{
	struct sigaction ours;
	int result;

	if (action) {
		ours = *action;
		ours.sa_handler = (sighandler_t)with_doorway(
			(uintptr_t)action->sa_handler, action->sa_flags & SA_SIGINFO);
	}
	result = CALL_NEXT(sigaction, signal, action ? &ours : NULL, ret_before);
	if (result == 0 && ret_before)
		ret_before->sa_handler = (sighandler_t)without_doorway((uintptr_t)ret_before->sa_handler);
	return result;
}

#define SIGNAL(name)                                                                           \
	NEXT(name);                                                                            \
	PRELOAD_PUBLIC sighandler_t name(int number, sighandler_t handler)                     \
	{                                                                                      \
		return (sighandler_t)without_doorway((uintptr_t)CALL_NEXT(                     \
			name, number, (sighandler_t)with_doorway((uintptr_t)handler, false))); \
	}

sighandler_t bsd_signal(int, sighandler_t);
/* Old programs use it. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
SIGNAL(signal)
SIGNAL(bsd_signal)
SIGNAL(sysv_signal)
SIGNAL(__sysv_signal)
SIGNAL(ssignal)
SIGNAL(sigset)
