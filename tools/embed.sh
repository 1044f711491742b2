#!/bin/sh
# SPDX-License-Identifier: MIT
# Files as C, for the program to carry: `tools/embed.sh template/set/search.h template_builtin templates/*.trcfmt > templates.c`
# writes the array template_builtins[] of struct template_builtin of that header: name, bytes, number of bytes. A file is a list
# of numbers, not a string, because compilers need not take strings of more than 4095 bytes.
set -eu

header=$1 struct=$2
shift 2

echo '/* SPDX-License-Identifier: MIT */'
echo '/* Made by tools/embed.sh. */'
echo "#include \"$header\""

n=0
for file; do
	[ -f "$file" ] && [ -r "$file" ] || { echo "embed.sh: cannot read $file" >&2; exit 1; }
	printf '\nstatic const unsigned char text_%d[] = {\n' "$n"
	od -An -v -tu1 -- "$file" | sed 's/^ */\t/; s/  */, /g; s/$/,/'
	printf '\t0\n};\n'
	n=$((n + 1))
done

printf '\nconst struct %s %ss[] = {\n' "$struct" "$struct"
n=0
for file; do
	name=$(basename -- "$file" | sed 's/[\\"]/\\&/g')
	printf '\t{ "%s", (const char *)text_%d, sizeof(text_%d) - 1 },\n' "$name" "$n" "$n"
	n=$((n + 1))
done
printf '\t{ NULL, NULL, 0 },\n};\n'
