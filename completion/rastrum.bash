# SPDX-License-Identifier: MIT
# Completion of rastrum in bash. It has no list of options: `rastrum complete` answers what can stand at the cursor.

# A word as a program would get it, in $plain, and the quote that is still open at its end, in $quote. Nothing is expanded
# but a ~/ at the front.
__rastrum_unquote()
{
	local text=$1 at char

	plain="" quote=""
	[[ $text == "~/"* ]] && text=$HOME/${text#"~/"}
	for ((at = 0; at < ${#text}; at++)); do
		char=${text:at:1}
		case $quote$char in
		"''" | '""') quote="" ;;
		"'"?) plain+=$char ;;
		"'" | '"') quote=$char ;;
		"\\" | '"\')
			((++at))
			plain+=${text:at:1}
			;;
		*) plain+=$char ;;
		esac
	done
}

# A candidate as it is to be inserted, in $inserted, where $quote is open.
__rastrum_quote()
{
	case $quote in
	"")
		printf -v inserted %q "$1"
		inserted=${inserted//"\\,"/,} # which means nothing here, and parts a list
		;;
	"'") inserted=${1//"'"/"'\\''"} ;;
	*)
		inserted=${1//\\/\\\\}
		inserted=${inserted//\"/\\\"}
		inserted=${inserted//\$/\\\$}
		inserted=${inserted//\`/\\\`}
		;;
	esac
}

# What readline has broken at = and : is one word again: $words, the number of the one at the cursor in $index, the place of
# its first part in COMP_WORDS in $first, and its text up to the cursor in $raw.
__rastrum_words()
{
	local line=$COMP_LINE place=0 start=0 blanks at last=0

	words=() index=0 raw=""
	for ((at = 0; at < ${#COMP_WORDS[@]}; at++)); do
		blanks=${line%%[![:space:]]*}
		line=${line:${#blanks}}
		((place += ${#blanks}))
		if ((at == 0)) || [[ -n $blanks ]]; then
			words+=("")
			start=$place
			first[${#words[@]} - 1]=$at
		fi
		last=$((${#words[@]} - 1))
		words[last]+=${COMP_WORDS[at]}
		line=${line:${#COMP_WORDS[at]}}
		((place += ${#COMP_WORDS[at]}))
		if ((at == COMP_CWORD)); then
			index=$last
			raw=${COMP_LINE:start:COMP_POINT-start}
		fi
	done
}

# What readline leaves as it is: the word up to the quote that is open, else up to the last place where it breaks words.
__rastrum_kept()
{
	local text=$raw

	if [[ -n $quote ]]; then
		text=${text%"$quote"*}
	elif [[ $text == *[=:]* ]]; then
		text=${text%"${text##*[=:]}"}
	else
		text=""
	fi
	__rastrum_unquote "$text"
	kept=$plain
}

_rastrum()
{
	local words index raw first=() plain quote kept inserted kind before answer=() arguments=() word line

	COMPREPLY=()
	__rastrum_words
	for word in "${words[@]}"; do
		__rastrum_unquote "$word"
		arguments+=("$plain")
	done
	__rastrum_unquote "$raw"
	arguments[index]=$plain
	before=$plain
	mapfile -t answer < <("${arguments[0]}" complete $((index - 1)) "${arguments[@]:1}" 2>/dev/null)
	read -r kind line <<<"${answer[0]}"
	case $kind in
	files) return ;;
	program)
		if declare -F _command_offset >/dev/null; then
			_command_offset "${first[line + 1]}"
		elif ((line + 1 == index)); then
			mapfile -t COMPREPLY < <(compgen -c -- "$plain")
		fi
		return
		;;
	list | part) compopt -o nospace ;;
	esac
	compopt +o default
	local quoted=$quote
	__rastrum_kept
	quote=$quoted
	before=${before:0:line}
	for line in "${answer[@]:1}"; do
		word=$before${line%%$'\t'*}
		__rastrum_quote "${word#"$kept"}"
		COMPREPLY+=("$inserted")
	done
}

complete -o default -o nosort -F _rastrum rastrum
