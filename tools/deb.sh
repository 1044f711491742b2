#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the Debian packages of the tree in the current folder: `tools/deb.sh FOLDER [OPTION OF dpkg-buildpackage...]`. FOLDER
# gets the source package, the binary packages, and the tree that they are built in, which has packaging/debian as debian/.
set -eu

folder=${1:?usage: tools/deb.sh FOLDER [OPTION...]}
shift
version=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
upstream=${version%-*}
tree=$folder/rastrum-$upstream

# What git has or would have and is there; all but what was built where there is no git.
list_files() {
	if git rev-parse --is-inside-work-tree >/dev/null 2>&1; then
		git ls-files --cached --others --exclude-standard
	else
		find . '(' -path ./build -o -path ./.git ')' -prune -o ! -type d -printf '%P\n'
	fi > "$1.all"
	while read -r file; do
		[ ! -e "$file" ] || printf '%s\n' "$file"
	done < "$1.all" | LC_ALL=C sort > "$1"
	rm "$1.all"
}

mkdir -p "$folder"
rm -rf "$tree" "$folder"/*rastrum* "$folder"/*posixtrace* "$folder"/*aixtrace*
list_files "$folder/files"
# The same bytes from the same files: times of the changelog, no names of users.
epoch=$(dpkg-parsechangelog -l packaging/debian/changelog -S Timestamp)
source=$folder/rastrum_$upstream.orig.tar.gz
tar --use-compress-program='gzip -n' -cf "$source" --no-recursion --mtime="@$epoch" --owner=0 --group=0 --numeric-owner \
	--mode=go=rX,u+w --transform="s,^,rastrum-$upstream/,S" -T "$folder/files"
tar -C "$folder" -xzf "$source"
cp -R "$tree/packaging/debian" "$tree/debian"

# What is set for the build in the source tree is not meant for this one.
unset BUILD CC CFLAGS CONSUMERDIR CPPFLAGS DESTDIR LDFLAGS LIBDIR LIBEXECDIR MAKEFLAGS MAKELEVEL MFLAGS OUT PREFIX WERROR ZSHDIR
cd "$tree"
exec dpkg-buildpackage -us -uc "$@"
