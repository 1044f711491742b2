#!/bin/sh
# SPDX-License-Identifier: MIT
# `make demo`: one real recording of every dialect that is there so far, in words.
set -eu
: "${RASTRUM:=build/release/rastrum}"
dump=tests/data/threadx/priority_inversion.trx

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

echo "A board ran ThreadX and its trace buffer was dumped to a file. What is in it?"
show "$RASTRUM" info "$dump"
echo
echo "What happened? A low thread holds a mutex that a high one wants, and a medium one gets in between:"
show "$RASTRUM" report --limit 34 "$dump"
echo
echo "Only what concerns the mutex, as JSON Lines, from a dump that was cut in transfer:"
cut=$(mktemp)
trap 'rm -f "$cut"' EXIT
head -c 2600 "$dump" > "$cut"
status=0
show "$RASTRUM" report --format jsonl --object 'resource*' "$cut" || status=$?
echo "(exit status $status: input damaged, what could be read was given)"
