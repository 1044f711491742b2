#!/bin/sh
# SPDX-License-Identifier: MIT
# Replays every fuzzer's kept inputs, among them those that once broke something.
BUILD=${BUILD:-release}
n=0
for fuzzer in "build/$BUILD"/fuzz/fuzz_*; do
	[ -x "$fuzzer" ] || continue
	name=$(basename "$fuzzer")
	n=$((n + 1))
	if "$fuzzer" "fuzz/corpus/$name"/* >/dev/null 2>"build/$BUILD/$name.err"; then
		echo "ok $n - $name survives its corpus"
	else
		echo "not ok $n - $name survives its corpus"
		sed 's/^/# /' "build/$BUILD/$name.err" | head -n 20
	fi
done
echo "1..$n"
