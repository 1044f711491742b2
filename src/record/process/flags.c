/* SPDX-License-Identifier: MIT */
/*
 * Enabled flags of programs and libraries (struct posix_trace_enabled_np): the control page is mapped in
 * place of their page, so that a trace point tests the shared page with one load. Under the process's lock,
 * but for process_add_flag() and process_drop_flag(), which take it.
 */
#include "record/process/process_own.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FLAGS_MAX 64

static struct {
	_Atomic uint32_t n;
	struct posix_trace_enabled_np *flags[FLAGS_MAX];
} table;

static bool flag_show(struct posix_trace_enabled_np *flag)
{
	/* A second mapping of shared memory needs no descriptor of it: mremap(2), old size 0. */
	return sizeof *flag == CONTROL_BYTES && process_control.magic == CONTROL_MAGIC &&
	       syscall(SYS_mremap, &process_control, 0, CONTROL_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED, flag) ==
		       (long)(uintptr_t)flag;
}

static void flag_use(struct posix_trace_enabled_np *flag)
{
	if (!flag_show(flag))
		*(volatile unsigned int *)&flag->posix_is_enabled =
			1; /* its points test the process each time */
}

void flags_follow(void)
{
	uint32_t n = atomic_load(&table.n);

	for (uint32_t i = 0; i < n; i++)
		if (table.flags[i])
			flag_use(table.flags[i]);
}

void process_add_flag(struct posix_trace_enabled_np *flag)
{
	struct process_held held;
	uint32_t n, i = 0;

	process_thread();
	held = process_lock();
	n = atomic_load(&table.n);
	while (i < n && table.flags[i] && table.flags[i] != flag)
		i++;
	if (i < FLAGS_MAX) {
		table.flags[i] = flag;
		if (i == n)
			atomic_store(&table.n, n + 1);
		flag_use(flag);
	} else {
		flag->posix_is_enabled = 1;
	}
	process_unlock(&held);
}

void process_drop_flag(struct posix_trace_enabled_np *flag)
{
	struct process_held held = process_lock();

	for (uint32_t i = 0; i < atomic_load(&table.n); i++) {
		if (table.flags[i] == flag)
			table.flags[i] = NULL;
	}
	process_unlock(&held);
}
