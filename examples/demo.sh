#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo`: one real recording of every dialect that is there so far, in words.
set -eu
: "${RASTRUM:=build/release/rastrum}"
dump=tests/data/threadx/priority_inversion.trx
cut=$(mktemp)
mine=$(mktemp).trcfmt
log=$(mktemp)
trap 'rm -f "$cut" "${mine%.trcfmt}" "$mine" "$log"' EXIT
built=$(dirname "$RASTRUM")
examples=$built/examples/posix
# The consumer of this build, not one that may be installed.
export POSIX_TRACE_CONSUMER="$built/posix-trace-consumer"

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

echo "A board ran ThreadX and its trace buffer was dumped to a file. What is in it?"
show "$RASTRUM" info "$dump"
echo
echo "What happened? A low thread holds a mutex that a high one wants, and a medium one gets in between."
echo "The sentences come from templates/threadx.trcfmt, a text file:"
show "$RASTRUM" report --limit 34 "$dump"
echo
echo "Should one event read otherwise? Two lines of one's own, and no compiler:"
cat > "$mine" <<'END'
# dialect: threadx
TX_TRACE_MUTEX_GET 1.0 "@" ">>> " $EXECPATH " -> " $mutex_ptr", owner "$owner_thread_ptr", count "$ownership_count
END
printf '\n'
cat "$mine"
show "$RASTRUM" report --templates "$mine" --type 'TX_TRACE_MUTEX*' "$dump"
echo
echo "The same in the layout of AIX's trcrpt, where the level of an event is the column of its text:"
show "$RASTRUM" report --templates "$mine" --format aix --clock-hz 1G --type 'TX_TRACE_MUTEX*,TX_TRACE_THREAD_S*' --limit 12 "$dump"
echo
echo "An active-object framework, RKH, sends frames over a serial line and names its own objects as it goes:"
show "$RASTRUM" report --type 'RKH_TE_SM_*,RKH_TE_SMA_FIFO,RKH_TE_USER*' --limit 14 tests/data/rkh/r1_default.bin
echo
echo "The same line with one bit wrong in every fiftieth frame: what is intact is there, what is not is counted:"
status=0
show "$RASTRUM" report --type RKH_TE_SM_STATE --limit 6 tests/data/rkh/d1_bitflips.bin || status=$?
echo
echo "LiteOS leaves a ring in memory, which says neither how it is laid out nor where it begins:"
show "$RASTRUM" report --limit 12 tests/data/liteos/m_arm32_default/offline.bin
echo
echo "Only what concerns the mutex, as JSON Lines, from a dump that was cut in transfer:"
head -c 2600 "$dump" > "$cut"
status=0
show "$RASTRUM" report --format jsonl --object 'resource*' "$cut" || status=$?
echo "(exit status $status: input damaged, what could be read was given)"
echo
echo "POSIX had tracing of its own, <trace.h>, and no Linux C library ever did. What is a stream like when nobody says how?"
show "$examples/default_attributes"
echo
echo "Five threads and a queue between them record into one stream, which a consumer copies to a log:"
show "$examples/producer_consumer" "$log"
echo
echo "Who waited because the queue was full, and who took the next item? Places of calls come from the program's symbols:"
show "$RASTRUM" report --from 20ms --limit 16 "$log"
echo
echo "The whole of it, in counts:"
show "$RASTRUM" info "$log"
echo
echo "A program that was never changed tells, too. Two threads of sort: who makes whom, who waits for which mutex, who has it?"
seq 400000 -1 1 > "$cut"
show "$RASTRUM" record --system -o "$log" -- sort --parallel=2 -S 64M -n -o "$cut" "$cut"
show "$RASTRUM" report --type 'sys_program*,sys_thread*,sys_mutex*,sys_condition_wa*' --limit 10 "$log"
echo
echo "And Rastrum records on targets: a Cortex-M3 in qemu, with interrupts that come upon the recorder itself."
show python3 embed/check/demo.py "$built/demo" "$RASTRUM"
