#compdef monocle
# SPDX-License-Identifier: MIT
# zsh completion for monocle(1): offers what `monocle completion --answer` says.

_monocle() {
	local line program=${(Q)words[1]/#\~\//$HOME/}
	local -a parts ends closed open
	for line in "${(@f)$($program completion --answer -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}"; do
		parts=("${(@ps:\t:)line}")
		case $parts[1] in
		('') ;;
		(:files)
			compset -p ${#parts[2]}
			ends=(${=parts[3]})
			if (( $#ends )); then
				_files -g "*(${(j:|:)ends})(-.)"
			else
				_files
			fi
			;;
		(:open)
			open+=($closed)
			closed=()
			;;
		(:programs)
			_command_names -e
			;;
		(:command)
			(( CURRENT -= parts[2] + 1 ))
			shift $(( parts[2] + 1 )) words
			_normal
			return
			;;
		(*[=:])
			open+=("${parts[1]//:/\\:}:$parts[2]")
			;;
		(*)
			closed+=("${parts[1]//:/\\:}:$parts[2]")
			;;
		esac
	done
	(( $#closed + $#open )) && _describe -V monocle closed -- open -S ''
}

# A file in fpath is the function's body; eval and source define it.
if [[ $funcstack[1] == _monocle ]]; then
	_monocle "$@"
else
	compdef _monocle monocle
fi
