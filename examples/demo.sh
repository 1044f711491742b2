#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo`: real recordings of every system, in words, on some hundred lines.
set -eu
: "${RASTRUM:=build/release/rastrum}"
RASTRUM=$(realpath "$RASTRUM")
built=$(dirname "$RASTRUM")
# The consumer process of this build, not one that may be installed.
export POSIX_TRACE_CONSUMER="$built/posix-trace-consumer" PAGER=cat

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp tests/data/threadx/priority_inversion.trx "$work/"
cp tests/data/rkh/d1_bitflips.bin "$work/serial.rkh"
cp tests/data/liteos/m_arm32_default/offline.bin "$work/ring.bin"
cp examples/aix/hooks.trcfmt "$work/"
cd "$work"

# The command as a user types it, and what it does. Status 3, of a damaged input, is part of the show.
show() {
	printf '\n$ rastrum'
	for word; do
		case $word in
		*\**) printf " '%s'" "$word" ;;
		*) printf ' %s' "$word" ;;
		esac
	done
	printf '\n'
	"$RASTRUM" "$@" || test $? = 3
}
say() {
	printf '\n--- %s\n' "$*"
}

say "ThreadX: a board's trace buffer was saved to a file. Why did 'high' wait?"
show report --clock-hz 1G --from 2.8ms --to 9.7ms priority_inversion.trx

say "What went wrong? A finding, and the events that prove it"
show explain --clock-hz 1G --to 11ms priority_inversion.trx

say "Where did the time go? One page"
show stats --clock-hz 1G priority_inversion.trx

say "Does it meet its requirements? Status 1 where a rule is broken, and why"
cat > my.rules <<'END'
high is served: wait(thread high, mutex "resource (plain)") < 5ms
low has time:   run(thread low) 20%..90%
END
cat my.rules
printf '\n$ rastrum check --clock-hz 1G my.rules priority_inversion.trx | grep -v event\n'
{ "$RASTRUM" check --clock-hz 1G my.rules priority_inversion.trx || test $? = 1; } | grep -v event

say "The wording is a text file. Two lines of your own:"
cat > mine.trcfmt <<'END'
# dialect: threadx
TX_TRACE_MUTEX_GET 1.0 "@" $EXECPATH " -> " $mutex_ptr" of "$owner_thread_ptr
END
cat mine.trcfmt
show report --templates mine.trcfmt -t "*MUTEX_GET" priority_inversion.trx

say "The file was cut in transfer: one sentence, and all that could be read"
head -c 2600 priority_inversion.trx > cut.trx
show report --last 3 cut.trx

say "RKH: frames from a serial line, with one bit wrong in every fiftieth"
show report --limit 4 --type RKH_TE_SM_STATE serial.rkh

say "LiteOS: a ring in memory, whose layout is found by looking"
show report --limit 6 ring.bin

say "Linux: five threads of a program record into one <trace.h> stream"
printf '\n$ ./producer_consumer run.rst\n'
"$built/examples/posix/producer_consumer" run.rst
show report --from 20ms --limit 6 run.rst

say "A program that was not changed: two threads of sort(1) share a mutex"
seq 400000 -1 1 > numbers
# The kernel's switches are recorded where it allows that.
sched=--sched
"$RASTRUM" record -q --sched -o probe.rst -- true 2>/dev/null || sched=
show record --system $sched -- sort --parallel=2 -S64M -no sorted numbers
show report --type 'sys_thread*,sys_mutex*' --limit 6 sort.rst
show stats sort.rst

say "AIX's trace: a session, a program with hooks, and the report in columns"
printf '\n$ ./hooks hooks.rst\n'
RASTRUM=$RASTRUM "$built/examples/aix/hooks" hooks.rst
show trcrpt -t hooks.trcfmt hooks.rst

cat <<END

--- What to try next

  export PATH=$built:\$PATH
  rastrum info tests/data/threadx/priority_inversion.trx
  rastrum report YOUR.DUMP                 docs/CAPTURE.md: how to get one
  rastrum record --system -- YOUR PROGRAM  then: rastrum report PROGRAM.rst
  rastrum help report                      every option, with examples
  man man/posixtrace.7                     <trace.h> for your own events
  make install PREFIX=\$HOME/.local         docs/INSTALL.md: packages, too
END

say "A timeline in the browser: the inversion, and beside it the recorded program"
printf '\n$ rastrum view --clock-hz 1G priority_inversion.trx sort.rst\n'
# The server goes on behind the demo, and takes the folder with it when it ends.
trap - EXIT
setsid sh -c 'timeout "$2" "$0" view --no-browser --clock-hz 1G priority_inversion.trx sort.rst > link
	rm -rf "$1"' "$RASTRUM" "$work" "${DEMO_SECONDS:-600}" < /dev/null > /dev/null 2>&1 &
tries=100
while ! [ -s link ] && [ $((tries -= 1)) -gt 0 ]; do
	sleep 0.1
done
cat link
printf 'Open this link; the server ends by itself in %s minutes.\n' $((${DEMO_SECONDS:-600} / 60))
