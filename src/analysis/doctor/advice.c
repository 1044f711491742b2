/* SPDX-License-Identifier: MIT */
/*
 * A table: the change on the target, for each dialect. docs/CAPTURE.md, docs/LIVE.md and the READMEs of
 * dialects and of embed/ have the reasons. A row without a dialect is for all that have no row of their own.
 */
#include <inttypes.h>
#include <string.h>

#include "analysis/doctor/doctor.h"

struct advice_row {
	enum advice advice;
	const char *dialect; /* NULL: any */
	const char *change;  /* a sentence */
	const char *code;    /* lines, with {n} and {m} for numbers and {k} for n in KiB; or NULL */
};

#define SEND_RAW "stty -F /dev/ttyACM0 115200 raw -echo"

static const struct advice_row rows[] = {
	{ ADVICE_EMPTY, "threadx",
		"Build ThreadX, its middleware and the application with the switch, and call "
		"tx_trace_enable() first in "
		"tx_application_define().",
		"-DTX_ENABLE_EVENT_TRACE\n"
		"tx_trace_enable(trace_buffer, sizeof(trace_buffer), 40);" },
	{ ADVICE_EMPTY, "liteos",
		"Build the kernel with LOSCFG_KERNEL_TRACE, start the trace, and let the mask take events.",
		"LOS_TraceStart();\n"
		"LOS_TraceEventMaskSet(TRACE_HWI_FLAG | TRACE_TASK_FLAG);" },
	{ ADVICE_EMPTY, "rkh", "Let events through: at the start the filters hold everything back.",
		"RKH_FILTER_OFF_ALL_SIGNALS();\n"
		"RKH_FILTER_OFF_GROUP_ALL_EVENTS(RKH_TG_SM);" },
	{ ADVICE_EMPTY, "compact", "Want events: at first none is wanted.",
		"rastrum_bits_set(trace.bits, 0, RASTRUM_COMPACT_IDS, 1);" },
	{ ADVICE_EMPTY, "aix", "Switch the channel on.", "trcon(0);" },
	{ ADVICE_EMPTY, "posix",
		"Start the stream, and record events that no filter keeps out; or record what a program does "
		"that does "
		"not trace itself.",
		"posix_trace_start(trid);\n"
		"rastrum record --system --sched -- PROGRAM" },
	{ ADVICE_TEXT_MODE, NULL, "Transfer in binary mode, and make the terminal raw.", SEND_RAW },

	{ ADVICE_DAMAGE, "threadx",
		"Halt the core or stop the trace, and copy the buffer again, with the size from its header; "
		"over a serial "
		"line, raw or as Intel HEX, whose lines have checksums.",
		"tx_trace_disable();\n" SEND_RAW },
	{ ADVICE_DAMAGE, "liteos",
		"Stop the trace while the buffer is copied; a serial line must be raw, at the target's rate.",
		"LOS_TraceStop();\n" SEND_RAW },
	{ ADVICE_DAMAGE, "rkh",
		"Make the line raw, start the reader before the target, keep other output off the line, and "
		"let only one task "
		"drain the ring.",
		SEND_RAW "\nrastrum report -d rkh --serial /dev/ttyACM0 --baud 115200" },
	{ ADVICE_DAMAGE, "posix",
		"Copy the log again when its program has ended, and look at the disk it was on.", NULL },
	{ ADVICE_DAMAGE, NULL, "Transfer it again; a serial line must be raw, at the target's rate.",
		SEND_RAW },

	{ ADVICE_LOST, "threadx",
		"Copy the buffer away each time that it is full, or make it larger by {k} KiB.",
		"tx_trace_buffer_full_notify(copy_away);" },
	{ ADVICE_LOST, "liteos", "Make the buffer {k} KiB larger, or record fewer kinds of events.",
		"#define LOSCFG_TRACE_BUFFER_SIZE (10000 + {n})\n"
		"LOS_TraceEventMaskSet(TRACE_HWI_FLAG | TRACE_TASK_FLAG);" },
	{ ADVICE_LOST, "rkh",
		"Drain the ring more often (rkh_trc_flush() from the idle loop), or make it {k} KiB larger; "
		"512 bytes are usual.",
		"#define RKH_CFG_TRC_SIZEOF_STREAM (512u + {n}u)" },
	{ ADVICE_LOST, "posix", "Make the stream at least {k} KiB larger than it is, or record fewer events.",
		"rastrum record --stream-size {s} …\n"
		"posix_trace_attr_setstreamsize(&attr, {t});" },
	{ ADVICE_LOST, "compact", "Take blocks more often, or give the recorder {k} KiB more.",
		"static uint32_t memory[1024 + {n} / 4];" },
	{ ADVICE_LOST, "aix", "Take bytes more often, or give the channel {k} KiB more.",
		"static rastrum_aix_word_t memory[1024 + {n} / sizeof(rastrum_aix_word_t)];" },
	{ ADVICE_LOST, NULL, "Give the recorder {k} KiB more, or record fewer events.", NULL },
	{ ADVICE_LINK, NULL,
		"Start the reader before the target, and keep the connection: what the target sends "
		"meanwhile is lost.",
		NULL },
	{ ADVICE_DATAGRAMS, NULL, "This machine reads too late: give its sockets more room, or send less.",
		"sysctl -w net.core.rmem_max=8388608" },
	{ ADVICE_OVERRUN, NULL,
		"This machine reads its serial device too late: let the target wait, or send more slowly.",
		"stty -F /dev/ttyACM0 crtscts" },
	{ ADVICE_BAUD, "rkh", "Or send at {n} baud.", "rastrum report -d rkh --serial DEVICE --baud {n}" },
	{ ADVICE_BAUD, "liteos", "Or send at {n} baud.",
		"rastrum report -d liteos --serial DEVICE --baud {n}" },
	{ ADVICE_BAUD, "compact", "Or send at {n} baud.",
		"rastrum report -d compact --serial DEVICE --baud {n}" },
	{ ADVICE_BAUD, "aix", "Or send at {n} baud.", "rastrum report -d aix --serial DEVICE --baud {n}" },

	{ ADVICE_RESET, "threadx",
		"Look at the last events in front of it for the reason. To keep them, dump before "
		"tx_trace_enable() runs again, "
		"with the buffer in memory that a reset leaves.",
		"ULONG trace_buffer[8192] __attribute__((section(\".noinit\")));" },
	{ ADVICE_RESET, "posix", "Report each log by itself.", NULL },
	{ ADVICE_RESET, NULL,
		"Look at the last events in front of it for the reason, such as a watchdog; report each "
		"begin by itself.",
		NULL },

	{ ADVICE_CLOCK_STANDS, "threadx",
		"Switch the cycle counter on, both bits; it may also stop while the core sleeps in WFI.",
		"*(volatile uint32_t *)0xE000EDFC |= 1u << 24; /* DEMCR.TRCENA */\n"
		"*(volatile uint32_t *)0xE0001000 |= 1u; /* DWT_CTRL.CYCCNTENA */" },
	{ ADVICE_CLOCK_STANDS, "rkh", "Let rkh_trc_getts() return a counter that runs.",
		"RKH_TS_T rkh_trc_getts(void) { return TIMER->COUNT; }" },
	{ ADVICE_CLOCK_STANDS, NULL, "Let the port's stamp be a counter that runs (embed/port/port.h).",
		"#define RASTRUM_STAMP() (TIMER->COUNT)" },
	{ ADVICE_CLOCK_COUNTS, "threadx",
		"Define a clock before ThreadX is built; without one its port counts events.",
		"#define TX_TRACE_TIME_SOURCE (*(volatile ULONG *)0xE0001004)\n"
		"#define TX_TRACE_TIME_MASK 0xFFFFFFFFUL" },
	{ ADVICE_CLOCK_COUNTS, "rkh", "Let rkh_trc_getts() return a counter that runs.",
		"RKH_TS_T rkh_trc_getts(void) { return TIMER->COUNT; }" },
	{ ADVICE_CLOCK_COUNTS, NULL, "Let the port's stamp be a counter that runs (embed/port/port.h).",
		"#define RASTRUM_STAMP() (TIMER->COUNT)" },
	{ ADVICE_CLOCK_WRAPS, "threadx",
		"Choose a slower or wider counter, or record one event in each round, as in a tick "
		"interrupt.",
		"tx_trace_isr_enter_insert(0); tx_trace_isr_exit_insert(0);" },
	{ ADVICE_CLOCK_WRAPS, "rkh", "Use wider stamps, or a slower counter.",
		"#define RKH_CFGPORT_TRC_SIZEOF_TSTAMP 32" },
	{ ADVICE_CLOCK_WRAPS, NULL,
		"Choose a slower or wider counter, or record one event in each round, as in a tick "
		"interrupt.",
		NULL },
	{ ADVICE_CLOCK_UNKNOWN, "threadx",
		"A dump never has it: tell the reader how fast TX_TRACE_TIME_SOURCE counts, which is the "
		"core's "
		"frequency for the cycle counter.",
		"--clock-hz 168MHz" },
	{ ADVICE_CLOCK_UNKNOWN, "rkh", "Announce it when the trace is opened, or tell the reader.",
		"RKH_TRC_SEND_CFG(10000);    or    --clock-hz 10000" },
	{ ADVICE_CLOCK_UNKNOWN, "compact", "Send it among the names, or tell the reader.",
		"{ RASTRUM_NAME_CLOCK, 64000000, NULL },    or    --clock-hz 64MHz" },
	{ ADVICE_CLOCK_UNKNOWN, "aix", "Compile the recorder with it, or tell the reader.",
		"-DRASTRUM_AIX_CLOCK_HZ=64000000    or    --clock-hz 64MHz" },
	{ ADVICE_CLOCK_UNKNOWN, NULL, "Tell the reader.", "--clock-hz 168MHz" },
	{ ADVICE_NO_STAMPS, "rkh", "Let frames have stamps.", "#define RKH_CFG_TRC_TSTAMP_EN 1" },
	{ ADVICE_NO_STAMPS, NULL, "Record with a clock.", NULL },

	{ ADVICE_REGISTRY, "threadx",
		"Give the registry more places: the third argument. Each takes 48 bytes.",
		"tx_trace_enable(trace_buffer, sizeof(trace_buffer), {n});" },
	{ ADVICE_NAMELESS, "threadx",
		"Give threads names when they are created, and enable the trace before or while they live.",
		"tx_thread_create(&thread, \"motor\", …);" },
	{ ADVICE_NAMELESS, "liteos", "Let the kernel keep the names of as many tasks.",
		"#define LOSCFG_TRACE_OBJ_MAX_NUM {n}" },
	{ ADVICE_NAMELESS, "rkh",
		"Record the names of active objects at the start, or give the program, whose variables they "
		"are.",
		"RKH_TR_FWK_AO(motor);    or    --symbols PROGRAM" },
	{ ADVICE_NAMELESS, "compact", "Send names at the start, and again when a reader joins.",
		"{ RASTRUM_NAME_TASK, 1, \"motor\" },\n"
		"rastrum_compact_names(names, n_names, &next, wire);" },

	{ ADVICE_BUFFER, "threadx",
		"Make it so large that ten such waits fit, or leave out what you do not need "
		"(tx_trace_event_filter()).",
		"tx_trace_enable(trace_buffer, {k} * 1024, {m});" },
	{ ADVICE_BUFFER, "liteos",
		"Make it so large that ten such waits fit, or record fewer kinds of events "
		"(LOS_TraceEventMaskSet()).",
		"#define LOSCFG_TRACE_BUFFER_SIZE ({k} * 1024)" },
	{ ADVICE_BUFFER, "posix", "Make it so large that ten such waits fit, or filter events.",
		"rastrum record --log-size {k}Ki …    or    --ring {k}Ki" },
	{ ADVICE_BUFFER, "compact", "Make it so large that ten such waits fit.",
		"static uint32_t memory[{k} * 1024 / 4];" },
	{ ADVICE_BUFFER, "aix", "Make it so large that ten such waits fit.",
		"static rastrum_aix_word_t memory[{k} * 1024 / sizeof(rastrum_aix_word_t)];" },
	{ ADVICE_BUFFER, NULL, "Make it so large that ten such waits fit: {k} KiB.", NULL },

	{ ADVICE_SWITCHES, "threadx", "Let the kernel's internal events in; all groups are on at first.",
		"tx_trace_event_unfilter(TX_TRACE_INTERNAL_EVENTS);" },
	{ ADVICE_SWITCHES, "liteos", "Let events of tasks in.",
		"LOS_TraceEventMaskSet(TRACE_TASK_FLAG | TRACE_HWI_FLAG);" },
	{ ADVICE_SWITCHES, "posix", "Record context switches, too; the kernel tells them.",
		"rastrum record --sched …\n"
		"posix_trace_attr_setswitches_np(&attr, POSIX_TRACE_SWITCHES_NP);" },
	{ ADVICE_SWITCHES, "compact", "Record switches of tasks in the kernel's hook.",
		"rastrum_task_switch(&trace, task_number);" },

	{ ADVICE_MEND_LOSSES, NULL, "See to it first that no event is lost or damaged.", NULL },
	{ ADVICE_CORES, "liteos", "If the target has several cores, record the core of each event.",
		"#define LOSCFG_TRACE_FRAME_CORE_MSG 1" },
	{ ADVICE_NO_SWITCH, NULL,
		"No whole kind of events is missing: see whose time it is, and whether a filter keeps some "
		"of its events out.",
		"rastrum stats --table load" },

	{ ADVICE_INTERRUPTS, "threadx", "Record both ends in each handler, with its number.",
		"tx_trace_isr_enter_insert(number); … tx_trace_isr_exit_insert(number);" },
	{ ADVICE_INTERRUPTS, "liteos", "Let events of interrupts in, beside those that you record.",
		"LOS_TraceEventMaskSet(TRACE_TASK_FLAG | TRACE_HWI_FLAG);" },
	{ ADVICE_INTERRUPTS, "compact", "Record both ends in each handler.",
		"rastrum_isr_enter(&trace, number); … rastrum_isr_exit(&trace);" },

	{ ADVICE_REASONS, "posix", "Record what threads ask for, too.", "rastrum record --system --sched …" },
	{ ADVICE_REASONS, "liteos", "Let events in of what tasks wait for.",
		"LOS_TraceEventMaskSet(TRACE_TASK_FLAG | TRACE_HWI_FLAG | TRACE_QUE_FLAG |\n"
		"                      TRACE_EVENT_FLAG | TRACE_SEM_FLAG | TRACE_MUX_FLAG);" },
	{ ADVICE_REASONS, "threadx", "Let events of all services in; a filter keeps them out.",
		"tx_trace_event_unfilter(TX_TRACE_ALL_EVENTS);" },
	{ ADVICE_PARAMS, "liteos", "Let frames have as many.", "#define LOSCFG_TRACE_FRAME_MAX_PARAMS {n}" },
};

static const struct advice_row *row_find(enum advice advice, const char *dialect)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].advice == advice && (!rows[i].dialect || strcmp(rows[i].dialect, dialect) == 0))
			return &rows[i];
	return NULL;
}

/*
 * The number that stands for {n} and so on; s and t: the size of a POSIX stream that is n larger, in MiB and
 * in bytes.
 */
static void figure_put(const struct exam *exam, struct phrase *phrase, char name, uint64_t n, uint64_t m)
{
	enum { KIB = 1024, MIB = KIB * KIB };
	const uint64_t stream = exam_detail_number(exam, "stream_min_size"),
		       wanted = (stream + n + MIB - 1) / MIB;

	if (name == 's')
		phrase_words(phrase, "%" PRIu64 "Mi", wanted);
	else if (name == 't')
		phrase_words(phrase, "%" PRIu64, wanted * MIB);
	else
		phrase_words(phrase, "%" PRIu64, name == 'k' ? (n + KIB - 1) / KIB : name == 'm' ? m : n);
}

static void template_put(
	const struct exam *exam, struct phrase *phrase, const char *template, uint64_t n, uint64_t m)
{
	for (const char *p = template; *p;) {
		const size_t plain = strcspn(p, "{");

		phrase_words(phrase, "%.*s", (int)plain, p);
		p += plain;
		if (*p && p[1] && p[2] == '}') {
			figure_put(exam, phrase, p[1], n, m);
			p += 3;
		} else if (*p) {
			phrase_words(phrase, "%c", *p++);
		}
	}
}

bool dialect_has_whole_cores(const char *dialect)
{
	return strcmp(dialect, "posix") != 0;
}

bool advice_exists(const struct exam *exam, enum advice advice)
{
	return row_find(advice, exam->metadata->dialect) != NULL;
}

bool advice_put(
	const struct exam *exam, enum advice advice, uint64_t n, uint64_t m, struct complaint *complaint)
{
	const struct advice_row *row = row_find(advice, exam->metadata->dialect);

	if (!row)
		return false;
	if (complaint->change.n_bytes)
		phrase_words(&complaint->change, " ");
	if (complaint->code.n_bytes && row->code)
		phrase_words(&complaint->code, "\n");
	template_put(exam, &complaint->change, row->change, n, m);
	if (row->code)
		template_put(exam, &complaint->code, row->code, n, m);
	return true;
}
