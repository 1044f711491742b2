#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages that are missing for a purpose: `tools/need.sh PURPOSE`.
# Gives apt only what is absent, prints its names, and without the right to install prints the one line to run.
set -eu

build="gcc make pkg-config binutils libc6-dev zlib1g-dev libzstd-dev liblzma-dev libbz2-dev libelf-dev libdw-dev libiberty-dev libmicrohttpd-dev libncurses-dev libsqlite3-dev"
check="$build g++ python3 perl clang-format mandoc gzip zstd zsh fish xz-utils bzip2 chromium fonts-dejavu-core sqlite3 jq babeltrace2 protobuf-compiler gtkwave tmux"
fuzz="$build clang libclang-rt-14-dev"
embed="$build g++ python3 valgrind gcc-arm-none-eabi qemu-system-arm gcc-riscv64-unknown-elf qemu-system-misc"

deb="$build debhelper dpkg-dev perl python3"
packages="$deb lintian mmdebstrap"

case "${1-}" in
build) wanted=$build ;;
check) wanted=$check ;;
fuzz) wanted=$fuzz ;;
embed) wanted=$embed ;;
deb) wanted=$deb ;;
packages) wanted=$packages ;;
*)
	echo "usage: tools/need.sh build|check|fuzz|embed|deb|packages" >&2
	exit 2
	;;
esac

if ! command -v dpkg-query >/dev/null 2>&1; then
	echo "need.sh: this is no Debian; the packages wanted are: $wanted" >&2
	exit 0
fi
missing=""
for package in $wanted; do
	status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
	[ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

line="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" = 0 ]; then
	run=""
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
	run="sudo"
else
	echo "Missing:$missing. Please run:" | fold -s -w 79 >&2
	echo "    sudo apt-get update && sudo $line" >&2
	exit 1
fi
echo "Installing what is missing:$missing" | fold -s -w 79
$run apt-get -qq update
# Of a minimal Debian apt complains about packages that nothing here needs: its words matter if it fails.
if ! words=$(DEBIAN_FRONTEND=noninteractive $run $line 2>&1); then
	printf '%s\n' "$words" >&2
	exit 1
fi
