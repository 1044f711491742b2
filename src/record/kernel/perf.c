/* SPDX-License-Identifier: MIT */
#include "record/kernel/perf.h"
#include <string.h>

/* The members in front of the sample id; perf_event_open(2), "MMAP layout". */
struct task_body {
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time;
};
struct comm_body {
	uint32_t pid, tid; /* the name follows, ended by NUL */
};
struct lost_body {
	uint64_t id, n_lost;
};
struct sample_id {
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
};
_Static_assert(sizeof(struct perf_event_header) + sizeof(struct sample_id) == PERF_RECORD_LEAST,
	"the shortest record is a head and a sample id");

typedef void take_function(
	const struct perf_event_header *head, const void *body, size_t n_body, struct perf_record *record);

static void take_switch(
	const struct perf_event_header *head, const void *body, size_t n_body, struct perf_record *record)
{
	(void)body;
	(void)n_body;
	if (!(head->misc & PERF_RECORD_MISC_SWITCH_OUT))
		record->kind = PERF_IN;
	else
		record->kind = head->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? PERF_PREEMPT : PERF_WAIT;
}

static void take_task(
	const struct perf_event_header *head, const void *body, size_t n_body, struct perf_record *record)
{
	struct task_body task;

	(void)n_body;
	memcpy(&task, body, sizeof task);
	record->kind = head->type == PERF_RECORD_FORK ? PERF_FORK : PERF_EXIT;
	record->pid = task.pid;
	record->tid = task.tid;
	record->parent_pid = task.parent_pid;
	record->parent_tid = task.parent_tid;
}

static void take_comm(
	const struct perf_event_header *head, const void *body, size_t n_body, struct perf_record *record)
{
	const size_t n_name = n_body - sizeof(struct comm_body);
	struct comm_body comm;

	(void)head;
	memcpy(&comm, body, sizeof comm);
	record->kind = PERF_NAME;
	record->pid = comm.pid;
	record->tid = comm.tid;
	memcpy(record->name, (const char *)body + sizeof comm,
		n_name < PERF_NAME_BYTES ? n_name : PERF_NAME_BYTES - 1);
	/* behind the NUL is padding with any bytes */
	memset(record->name + strnlen(record->name, PERF_NAME_BYTES), 0,
		PERF_NAME_BYTES - strnlen(record->name, PERF_NAME_BYTES));
}

static void take_lost(
	const struct perf_event_header *head, const void *body, size_t n_body, struct perf_record *record)
{
	struct lost_body lost;

	(void)head;
	(void)n_body;
	memcpy(&lost, body, sizeof lost);
	record->kind = PERF_LOST;
	record->n_lost = lost.n_lost;
}

static const struct {
	size_t n_body; /* at least */
	take_function *take;
} takers[] = {
	[PERF_RECORD_LOST] = { sizeof(struct lost_body), take_lost },
	[PERF_RECORD_COMM] = { sizeof(struct comm_body), take_comm },
	[PERF_RECORD_EXIT] = { sizeof(struct task_body), take_task },
	[PERF_RECORD_FORK] = { sizeof(struct task_body), take_task },
	[PERF_RECORD_SWITCH] = { 0, take_switch },
};

/* The members of PERF_SAMPLE_FAULT, in this order; no sample id follows. */
struct fault_sample {
	uint64_t instruction;
	uint32_t pid, tid;
	uint64_t time, address;
	uint32_t cpu, reserved;
};

static void take_fault(const void *body, size_t n_body, struct perf_record *record)
{
	struct fault_sample fault;

	if (n_body < sizeof fault)
		return;
	memcpy(&fault, body, sizeof fault);
	*record = (struct perf_record){ .kind = PERF_FAULT,
		.pid = fault.pid,
		.tid = fault.tid,
		.cpu = fault.cpu,
		.time = fault.time,
		.instruction = fault.instruction,
		.address = fault.address };
}

/* Numbers of threads that have ended, or of none. */
static int is_nobody(uint32_t number)
{
	return number == 0 || number > INT32_MAX;
}

void perf_parse(const void *bytes, size_t n_bytes, struct perf_record *ret_record)
{
	struct perf_event_header head;
	struct sample_id id;
	size_t n_body;

	*ret_record = (struct perf_record){ .kind = PERF_OTHER };
	if (n_bytes < PERF_RECORD_LEAST)
		return;
	memcpy(&head, bytes, sizeof head);
	memcpy(&id, (const char *)bytes + n_bytes - sizeof id, sizeof id);
	n_body = n_bytes - PERF_RECORD_LEAST;
	ret_record->pid = id.pid;
	ret_record->tid = id.tid;
	ret_record->cpu = id.cpu;
	ret_record->time = id.time;
	if (head.type == PERF_RECORD_SAMPLE)
		take_fault((const char *)bytes + sizeof head, n_bytes - sizeof head, ret_record);
	else if (head.type < sizeof takers / sizeof takers[0] && takers[head.type].take &&
		 n_body >= takers[head.type].n_body)
		takers[head.type].take(&head, (const char *)bytes + sizeof head, n_body, ret_record);
	if (ret_record->kind != PERF_LOST && (is_nobody(ret_record->pid) || is_nobody(ret_record->tid)))
		ret_record->kind = PERF_OTHER;
}
