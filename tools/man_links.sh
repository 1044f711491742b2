#!/bin/sh
# SPDX-License-Identifier: MIT
# man_links.sh FOLDER PAGE...: what else manual pages are called, as rows for install.sh. A page whose NAME section has
# several names is found by each: `man posix_trace_stop` shows posix_trace_start.3.
folder=$1
shift
for page; do
	awk -v folder="$folder" -v page="${page##*/}" '
		/^\.Sh / { is_name = $2 == "NAME" }
		is_name && $1 == ".Nm" {
			section = substr(page, length(page))
			name = $2 "." section
			if (name != page)
				print "alias", folder "/man" section, name, page
		}' "$page"
done
