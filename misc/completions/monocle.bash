# SPDX-License-Identifier: MIT
# bash completion for monocle(1): offers what `monocle completion --answer` says.

# Readline cuts words at = and :, too. Sets, up to the cursor, `words` to the whole ones, `places` to where each begins
# in COMP_WORDS, and `last` to the piece that Readline replaces.
_monocle_words()
{
	local rest=${COMP_LINE:0:COMP_POINT} next i
	words=() places=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		next=${rest#"${rest%%[![:space:]]*}"}
		last=${COMP_WORDS[i]}
		((i == COMP_CWORD)) && last=$next
		if ((i > 0)) && [[ $next == "$rest" ]]; then
			words[${#words[@]} - 1]+=$last
		else
			words+=("$last") places+=("$i")
		fi
		rest=${next:${#last}}
	done
	[[ $last == [=:]* ]] && last=
}

# The files whose names begin with $1 and end in one of the other words, and folders.
_monocle_files()
{
	local begin=$1 end
	shift
	if (($# == 0)); then
		compgen -f -- "$begin"
		return
	fi
	{
		compgen -d -- "$begin"
		for end; do
			compgen -f -X "!*$end" -- "$begin"
		done
	} | sort -u
}

_monocle()
{
	local words places last typed kept line first second third program=${COMP_WORDS[0]/#\~\//$HOME/}
	COMPREPLY=()
	_monocle_words
	typed=${words[${#words[@]} - 1]}
	kept=${typed%"$last"}
	# As many tabs as there are: in IFS two of them would be one.
	while IFS= read -r line; do
		first=${line%%$'\t'*} second=${line#*$'\t'} third=${line##*$'\t'}
		second=${second%%$'\t'*}
		case $first in
		:files)
			compopt -o filenames
			# shellcheck disable=SC2086
			mapfile -t COMPREPLY < <(_monocle_files "${typed#"$second"}" $third)
			;;
		:open)
			compopt -o nospace
			;;
		:programs)
			mapfile -t COMPREPLY < <(compgen -c -- "$typed")
			;;
		:command)
			compopt -o default
			# Of the package bash-completion.
			declare -F _command_offset >/dev/null && _command_offset "${places[second + 1]}"
			;;
		*)
			[[ $first == *[=:] ]] && compopt -o nospace
			COMPREPLY+=("${first#"$kept"}")
			;;
		esac
	done < <("$program" completion --answer -- "${words[@]:1}" 2>/dev/null)
}

complete -F _monocle monocle
