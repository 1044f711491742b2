#!/bin/sh
# SPDX-License-Identifier: MIT
# `make version`: writes a version into the public headers, `tools/version.sh MAJOR.MINOR.PATCH`. tests/house/version.t compares
# all places.
set -eu

if ! printf '%s\n' "${1-}" | grep -Eqx '([0-9]{1,3}\.){2}[0-9]{1,3}'; then
	echo "usage: tools/version.sh MAJOR.MINOR.PATCH, each below 1000" >&2
	exit 2
fi
IFS=. read -r major minor patch <<END
$1
END
for header in include/rastrum/version.h include/trace_version_np.h; do
	sed -E -i -e "s/^(#define \w+_VERSION_MAJOR\w*) .*/\1 $major/" \
		-e "s/^(#define \w+_VERSION_MINOR\w*) .*/\1 $minor/" \
		-e "s/^(#define \w+_VERSION_PATCH\w*) .*/\1 $patch/" "$header"
done
