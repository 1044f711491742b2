#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the periodic task, records a run of it, and tests the rules: the same on a desk and on a build server. The status is
# that of `rastrum check`: 1, because the task has a fault that it was given.
set -e
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-build-check}
mkdir -p "$folder"
# shellcheck disable=SC2046
${CC:-cc} -o "$folder/periodic" "$here/../posix/periodic.c" $(pkg-config --cflags --libs posixtrace)
"$folder/periodic" "$folder/periodic.rst"
"${RASTRUM:-rastrum}" check "$here/periodic.rules" "$folder/periodic.rst"
