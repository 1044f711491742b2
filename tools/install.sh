#!/bin/sh
# SPDX-License-Identifier: MIT
# What `make install` and `make uninstall` do. `install.sh put RECORD` puts files where the rows on its standard input
# want them, and adds the files and folders that it made to RECORD. `install.sh remove RECORD` removes what RECORD lists:
# nothing else, and no folder that holds anything else.
#
# Rows, and what they install:
#	program FOLDER FILE...		mode 755
#	data FOLDER FILE...		mode 644
#	text FOLDER FILE...		mode 644, through the sed script $INSTALL_PATHS, without ".in" at the end of its name:
#					texts that name paths of the installation
#	page FOLDER FILE...		like text, and a link to the page for each other name in its section NAME
#	named FOLDER NAME FILE		mode 644, under another name
#	link FOLDER NAME TARGET		a symbolic link
#	alias FOLDER NAME PAGE		a manual page that shows another one of its folder
#
# $DESTDIR stands in front of every path, and in none of RECORD's. Folders end in "/" there.
set -euf

DESTDIR=${DESTDIR-}
record=${2-}
place=$DESTDIR$record
made=""

note() {
	made="$made$1
"
}

make_folder() {
	[ ! -d "$DESTDIR$1/" ] || return 0
	if [ "$1" = / ]; then # the staging folder is not ours to remove
		mkdir -p "$DESTDIR"
		return
	fi
	make_folder "$(dirname "$1")"
	install -d -m 755 "$DESTDIR$1"
	note "$1/"
}

put_text() {
	rm -f "$DESTDIR$2"
	sed -e "$INSTALL_PATHS" "$1" > "$DESTDIR$2"
	chmod 644 "$DESTDIR$2"
}

put_alias() {
	folder_name=${2%/*}
	rm -f "$DESTDIR$2"
	echo ".so ${folder_name##*/}/$1" > "$DESTDIR$2"
	chmod 644 "$DESTDIR$2"
}

put_file() {
	case $1 in
	program) install -m 755 "$2" "$DESTDIR$3" ;;
	data | named) install -m 644 "$2" "$DESTDIR$3" ;;
	text | page) put_text "$2" "$3" ;;
	link) ln -sfn "$2" "$DESTDIR$3" ;;
	alias) put_alias "$2" "$3" ;;
	*)
		echo "install.sh: there is no row '$1'" >&2
		return 1
		;;
	esac
	note "$3"
}

# "posix_trace_start.3" also has the name posix_trace_stop.
put_page() {
	page=${1##*/}
	put_file page "$1" "$2/$page"
	for name in $(sed -n '/^\.Sh NAME/,/^\.Nd/s/^\.Nm \([A-Za-z0-9_-]*\).*/\1/p' "$1"); do
		[ "$name.${page##*.}" = "$page" ] || put_file link "$page" "$2/$name.${page##*.}"
	done
}

put_row() {
	kind=$1 folder=$2
	shift 2
	[ $# -gt 0 ] || return 0
	make_folder "$folder"
	case $kind in
	named) put_file "$kind" "$2" "$folder/$1" ;;
	link | alias) put_file "$kind" "$2" "$folder/$1" ;;
	page) for file; do put_page "$file" "$folder"; done ;;
	text) for file; do name=${file##*/} && put_file text "$file" "$folder/${name%.in}"; done ;;
	*) for file; do put_file "$kind" "$file" "$folder/${file##*/}"; done ;;
	esac
}

put() {
	while read -r row; do
		[ -z "$row" ] || put_row $row
	done
	make_folder "$(dirname "$record")"
	note "$record"
	[ ! -f "$place" ] || made="$made$(cat "$place")"
	printf '%s\n' "$made" | sed '/^$/d' | LC_ALL=C sort -u > "$place.new"
	chmod 644 "$place.new"
	mv "$place.new" "$place"
}

# The record goes first, as one of its own lines; a folder comes behind what is in it.
remove() {
	if [ ! -f "$place" ]; then
		echo "Nothing is removed: there is no $place, which \`make install\` writes. Give the same PREFIX and DESTDIR." >&2
		exit 1
	fi
	LC_ALL=C sort -r "$place" | while read -r path; do
		case $path in
		*/) [ ! -d "$DESTDIR$path" ] || [ -n "$(ls -A "$DESTDIR$path")" ] || rmdir "$DESTDIR$path" ;;
		*) rm -f "$DESTDIR$path" ;;
		esac
	done
}

case ${1-} in
put | remove) "$1" ;;
*)
	echo "usage: [DESTDIR=FOLDER] tools/install.sh put|remove RECORD" >&2
	exit 2
	;;
esac
