# SPDX-License-Identifier: MIT
# bash completion for monocle(1)

_monocle_modules()
{
	monocle list 2>/dev/null | awk '{ print $1 }'
}

# The command that `monocle run` starts begins at the first word that is neither an option nor an option's value.
_monocle_run_command()
{
	local i
	for ((i = 2; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		--)
			echo $((i + 1))
			return
			;;
		-o | --output | --profile | --process)
			((i++))
			[[ ${COMP_WORDS[i]} == = ]] && ((i++))
			;;
		= | -*) ;;
		*)
			[[ ${COMP_WORDS[i - 1]} == = ]] && continue
			echo "$i"
			return
			;;
		esac
	done
}

_monocle()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} start
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "run report flame diff convert list doctor help --help --version" -- "$cur")
		return
	fi
	if [[ $command == run ]]; then
		start=$(_monocle_run_command)
		if [[ -n $start ]] && declare -F _command_offset >/dev/null; then
			_command_offset "$start"
			return
		fi
	fi
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $command,$prev in
	run,--profile)
		mapfile -t COMPREPLY < <(compgen -W "$(_monocle_modules)" -- "$cur")
		return
		;;
	report,--sort)
		mapfile -t COMPREPLY < <(compgen -W "self total calls" -- "$cur")
		return
		;;
	diff,--sort)
		mapfile -t COMPREPLY < <(compgen -W "self total" -- "$cur")
		return
		;;
	report,--format | diff,--format)
		mapfile -t COMPREPLY < <(compgen -W "text tsv json" -- "$cur")
		return
		;;
	convert,--to)
		mapfile -t COMPREPLY < <(compgen -W "collapsed speedscope pprof firefox perfetto" -- "$cur")
		return
		;;
	run,-o | flame,-o | diff,-o | convert,-o)
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		return
		;;
	help,*)
		mapfile -t COMPREPLY < <(compgen -W "run report flame diff convert list doctor" -- "$cur")
		return
		;;
	esac
	case $command,$cur in
	run,-*) mapfile -t COMPREPLY < <(compgen -W "--profile= -o --all --process= -q --help --" -- "$cur") ;;
	report,-*) mapfile -t COMPREPLY < <(compgen -W "--sort= -n --tree --format= --help" -- "$cur") ;;
	flame,-*) mapfile -t COMPREPLY < <(compgen -W "-o --icicle --no-icicle --thread= --min-share= --help" -- "$cur") ;;
	diff,-*)
		mapfile -t COMPREPLY < <(compgen -W "--sort= -n --tree --normalize --value= --format= -o --help" -- "$cur")
		;;
	convert,-*) mapfile -t COMPREPLY < <(compgen -W "--to= -o --value= --help" -- "$cur") ;;
	list,-* | doctor,-*) mapfile -t COMPREPLY < <(compgen -W "--help" -- "$cur") ;;
	run,*) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	report,* | flame,* | diff,* | convert,*)
		mapfile -t COMPREPLY < <(for end in .pb.gz .pb .spool .collapsed.txt .speedscope.json; do compgen -f -X "!*$end" -- "$cur"; done
			compgen -d -- "$cur")
		;;
	esac
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

complete -o filenames -F _monocle monocle
