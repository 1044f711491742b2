/* SPDX-License-Identifier: MIT */
/*
 * The loop that waits while a program runs. Signals are blocked and read from a descriptor. So each signal is
 * handled between two looks at the recording, and no signal ends the recorder before the log is complete.
 *
 * The program gets the signals of its terminal itself, since it is in the recorder's process group. A signal
 * that was sent to the recorder alone is passed on. Neither ends the recording: the end of the program does.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/steady.h"
#include "cli/cli.h"
#include "cli/record/record.h"

static const int ending_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
enum { N_ENDING_SIGNALS = sizeof(ending_signals) / sizeof(ending_signals[0]) };

#define NS_PER_MS 1000000U

/* --- words ---------------------------------------------------------------------------------------------- */

/* "USR1", "SIGUSR1", "10"; 0: none. */
static int signal_of(const char *word)
{
	const char *name = strncmp(word, "SIG", 3) == 0 ? word + 3 : word;
	char *end;
	long number = strtol(word, &end, 10);

	if (end != word)
		return *end == '\0' && number > 0 && number < NSIG ? (int)number : 0;
	for (int i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);

		if (known && strcmp(known, name) == 0)
			return i;
	}
	return 0;
}

/* Those that cannot be waited for, that mean a fault of ours, and that are dealt with otherwise. */
static bool is_usable(int number)
{
	static const int others[] = { SIGKILL, SIGSTOP, SIGCHLD, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTSTP };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (others[i] == number)
			return false;
	for (size_t i = 0; i < N_ENDING_SIGNALS; i++)
		if (ending_signals[i] == number)
			return false;
	return number > 0;
}

enum rst_status waiting_parse_snapshot(
	const struct text_list *words, int *ret_signal, bool *ret_at_exit, struct rst_error *err)
{
	*ret_signal = 0;
	*ret_at_exit = words->n_items == 0;
	for (size_t i = 0; i < words->n_items; i++) {
		int number = signal_of(words->items[i]);

		if (strcmp(words->items[i], "EXIT") == 0) {
			*ret_at_exit = true;
		} else if (is_usable(number) && *ret_signal == 0) {
			*ret_signal = number;
		} else {
			error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--snapshot-on cannot be '%s'%s",
				words->items[i], is_usable(number) ? ": there is a signal already" : "");
			error_advise(
				err, "it is EXIT, a signal like USR1, or both with a comma between them");
			return RST_E_USAGE;
		}
	}
	return RST_OK;
}

/* --- signals -------------------------------------------------------------------------------------------- */

/* A signal that is ignored (nohup, a job of a shell script) stays so, for us and for the program. */
static void watch_signal(struct waiting *waiting, int number)
{
	struct sigaction action;

	if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN)
		sigaddset(&waiting->watched, number);
}

enum rst_status waiting_begin(struct waiting *waiting, struct rst_error *err)
{
	sigemptyset(&waiting->watched);
	for (size_t i = 0; i < N_ENDING_SIGNALS; i++)
		watch_signal(waiting, ending_signals[i]);
	signal(SIGCHLD, SIG_DFL); /* ignored, it would take the program's exit status away */
	sigaddset(&waiting->watched, SIGCHLD);
	if (waiting->snapshot_signal)
		sigaddset(&waiting->watched, waiting->snapshot_signal);
	sigprocmask(SIG_BLOCK, &waiting->watched, &waiting->before);
	waiting->process_fd = -1;
	waiting->signal_fd = signalfd(-1, &waiting->watched, SFD_CLOEXEC | SFD_NONBLOCK);
	if (waiting->signal_fd < 0)
		return error_set(
			err, RST_E_IO, RST_NO_OFFSET, "cannot wait for signals: %s", strerror(errno));
	return RST_OK;
}

enum rst_status waiting_for_process(struct waiting *waiting, pid_t pid, struct rst_error *err)
{
	waiting->process_fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (waiting->process_fd >= 0)
		return RST_OK;
	if (errno == ENOSYS) {
		error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET, "--pid needs Linux 5.3 or later");
		return RST_E_UNSUPPORTED;
	}
	/* The number of a thread is EINVAL. */
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot trace process %ld: %s", (long)pid,
		errno == ESRCH || errno == EINVAL ? "there is no such process" : strerror(errno));
	return RST_E_IO;
}

/* A signal of the terminal to its whole group has code SI_KERNEL; the program got it, too. */
static void pass_on(const struct program *program, const struct signalfd_siginfo *info)
{
	if (info->ssi_code <= 0 && kill(program->pid, (int)info->ssi_signo) != 0)
		fprintf(stderr, "rastrum: cannot pass SIG%s on to the program: %s\n",
			sigabbrev_np((int)info->ssi_signo), strerror(errno));
}

/* False when the wait is over. */
static bool take_signals(struct waiting *waiting, struct recording *recording)
{
	struct signalfd_siginfo info;

	while (read(waiting->signal_fd, &info, sizeof(info)) == sizeof(info)) {
		if ((int)info.ssi_signo == waiting->snapshot_signal)
			recording_snapshot(recording);
		else if (info.ssi_signo == SIGCHLD)
			continue;
		else if (waiting->program)
			pass_on(waiting->program, &info);
		else
			return false;
	}
	return !waiting->program || !program_has_ended(waiting->program);
}

/* --- waiting -------------------------------------------------------------------------------------------- */

/* Milliseconds until something is to be done without a signal; -1 if nothing is. */
static int pause_of(const struct waiting *waiting, const struct recording *recording)
{
	int pause = recording_pause(recording);
	uint64_t now, left;

	if (!waiting->duration_ns || !recording->is_on)
		return pause;
	now = steady_ns();
	left = now < waiting->end_ns ? (waiting->end_ns - now) / NS_PER_MS + 1 : 0;
	return pause >= 0 && (uint64_t)pause < left ? pause : left < INT32_MAX ? (int)left : INT32_MAX;
}

/* When the time has passed, a process is left alone; a program goes on without being recorded. */
static bool time_has_passed(const struct waiting *waiting)
{
	return waiting->duration_ns && steady_ns() >= waiting->end_ns;
}

/* Some shells report this, but only for their own children. */
static void tell_killed(const struct program *program, struct recording *recording)
{
	int number = program_killer(program);
	const char *name = number ? sigabbrev_np(number) : NULL;

	if (!number)
		return;
	recording_note_killed(recording, number);
	live_line_clear(&recording->line);
	if (name)
		fprintf(stderr, "rastrum: the program was killed by SIG%s (%s)\n", name, sigdescr_np(number));
	else
		fprintf(stderr, "rastrum: the program was killed by signal %d\n", number);
}

void waiting_run(struct waiting *waiting, struct recording *recording)
{
	struct pollfd files[] = {
		{ .fd = waiting->signal_fd, .events = POLLIN },
		{ .fd = waiting->process_fd, .events = POLLIN },
	};

	recording->signal_fd = waiting->signal_fd;
	recording->snapshot_signal = waiting->snapshot_signal;
	waiting->end_ns = steady_ns() + waiting->duration_ns;
	while (take_signals(waiting, recording)) {
		if (files[1].revents)
			break;
		if (recording->is_on && time_has_passed(waiting)) {
			recording_end(recording);
			if (!waiting->program)
				break;
			continue; /* while the log was ended, the program's SIGCHLD may have been read */
		}
		if (poll(files, 2, pause_of(waiting, recording)) == 0)
			recording_look(recording);
	}
	if (waiting->program)
		tell_killed(waiting->program, recording);
	recording_end(recording);
}

void waiting_done(struct waiting *waiting)
{
	if (waiting->signal_fd >= 0)
		close(waiting->signal_fd);
	if (waiting->process_fd >= 0)
		close(waiting->process_fd);
}
