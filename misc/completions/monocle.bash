# SPDX-License-Identifier: MIT
# bash completion for monocle(1)

_monocle_modules()
{
	monocle list 2>/dev/null | awk '{ print $1 }'
}

# --- rows ---
# Made by doc/gen_command.py of the rows of commands, options and formats.
_monocle_commands='run env report flame html diff convert merge snapshot list new doctor'
_monocle_profiles='.collapsed.txt .mcov .mlpd .pb .pb.gz .speedscope.json .spool'

# The options of a command.
_monocle_options()
{
	case $1 in
	run) echo '--profile= -o --all --process= --embedded-mono --merge --snapshots= --unchecked -q --help --' ;;
	env) echo '--profile= --format= -o --all --process= --embedded-mono --help' ;;
	report) echo '--sort= -n --tree --slow --topic= --shot= --all-frames --fold --mine --focus= --ignore= --hide= --thread= --process= --names= --threads --by= --missed --annotate= --source-root= --map= --fail-under= --format= --help' ;;
	flame) echo '-o --icicle --no-icicle --topic= --shot= --all-frames --fold --mine --focus= --ignore= --hide= --thread= --process= --names= --threads --min-share= --help' ;;
	html) echo '-o --title= --source-root= --map= --no-sources --help' ;;
	diff) echo '--sort= -n --tree --normalize --value= --topic= --shot= --all-frames --fold --mine --focus= --ignore= --hide= --thread= --process= --names= --format= -o --help' ;;
	convert) echo '--to= -o --value= --topic= --shot= --all-frames --fold --mine --focus= --ignore= --hide= --thread= --process= --names= --relative-to= --map= --whole-lines --help' ;;
	merge) echo '-o --help' ;;
	snapshot) echo '--reset -o --help' ;;
	list) echo '-v --help' ;;
	new) echo '--lang= --help' ;;
	doctor) echo '--help' ;;
	esac
}

# The spellings of a command's options that take a value.
_monocle_with_value()
{
	case $1 in
	run) echo '--profile -o --output --process --snapshots' ;;
	env) echo '--profile --format -o --output --process' ;;
	report) echo '--sort -n --topic --shot --focus --ignore --hide --thread --process --names --by --annotate --source-root --map --fail-under --format' ;;
	flame) echo '-o --output --topic --shot --focus --ignore --hide --thread --process --names --min-share' ;;
	html) echo '-o --output --title --source-root --map' ;;
	diff) echo '--sort -n --value --topic --shot --focus --ignore --hide --thread --process --names --format -o --output' ;;
	convert) echo '--to -o --output --value --topic --shot --focus --ignore --hide --thread --process --names --relative-to --map' ;;
	merge) echo '-o --output' ;;
	snapshot) echo '-o --output' ;;
	list) echo '' ;;
	new) echo '--lang' ;;
	esac
}

# The values of COMMAND,OPTION.
_monocle_choices()
{
	case $1 in
	env,--format) echo 'shell systemd docker compose kubernetes' ;;
	report,--sort) echo 'self total calls path missed percent' ;;
	report,--topic) echo 'calls samples alloc exceptions monitor gc handles heapshot' ;;
	report,--names) echo 'csharp mono' ;;
	report,--by) echo 'file class method assembly' ;;
	report,--format) echo 'text tsv json' ;;
	flame,--topic) echo 'calls samples alloc exceptions monitor gc handles heapshot' ;;
	flame,--names) echo 'csharp mono' ;;
	diff,--sort) echo 'self total' ;;
	diff,--topic) echo 'calls samples alloc exceptions monitor gc handles heapshot' ;;
	diff,--names) echo 'csharp mono' ;;
	diff,--format) echo 'text tsv json' ;;
	convert,--to) echo 'collapsed speedscope mlpd pprof firefox perfetto cobertura lcov opencover jacoco sonar' ;;
	convert,--topic) echo 'calls samples alloc exceptions monitor gc handles heapshot' ;;
	convert,--names) echo 'csharp mono' ;;
	new,--lang) echo 'c cpp csharp rust pascal' ;;
	esac
}

# Is the value of COMMAND,OPTION the name of a file? Is a command's operand?
_monocle_files()
{
	case $1 in
	run,-o) echo 'any' ;;
	run,--output) echo 'any' ;;
	run,--snapshots) echo 'any' ;;
	env,-o) echo 'any' ;;
	env,--output) echo 'any' ;;
	report,--source-root) echo 'any' ;;
	flame,-o) echo 'any' ;;
	flame,--output) echo 'any' ;;
	html,-o) echo 'any' ;;
	html,--output) echo 'any' ;;
	html,--source-root) echo 'any' ;;
	diff,-o) echo 'any' ;;
	diff,--output) echo 'any' ;;
	convert,-o) echo 'any' ;;
	convert,--output) echo 'any' ;;
	convert,--relative-to) echo 'any' ;;
	merge,-o) echo 'any' ;;
	merge,--output) echo 'any' ;;
	snapshot,-o) echo 'any' ;;
	snapshot,--output) echo 'any' ;;
	report) echo 'profile' ;;
	flame) echo 'profile' ;;
	html) echo 'profile' ;;
	diff) echo 'profile' ;;
	convert) echo 'profile' ;;
	merge) echo 'profile' ;;
	snapshot) echo 'profile' ;;
	doctor) echo 'program' ;;
	esac
}
# --- end of rows ---

# The command that `monocle run` starts begins at the first word that is neither an option nor an option's value.
_monocle_run_command()
{
	local i with_value=" $(_monocle_with_value run) "
	for ((i = 2; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then
			echo $((i + 1))
			return
		elif [[ $with_value == *" ${COMP_WORDS[i]} "* ]]; then
			((i++))
			[[ ${COMP_WORDS[i]} == = ]] && ((i++))
		elif [[ ${COMP_WORDS[i]} != = && ${COMP_WORDS[i]} != -* && ${COMP_WORDS[i - 1]} != = ]]; then
			echo "$i"
			return
		fi
	done
}

_monocle()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} start words
	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$_monocle_commands help --help --version" -- "$cur")
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
	words=$(_monocle_choices "$command,$prev")
	[[ $command,$prev == @(run|env),--profile ]] && words=$(_monocle_modules)
	[[ $command == help ]] && words=$_monocle_commands
	if [[ -n $words ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
	elif [[ -n $(_monocle_files "$command,$prev") ]]; then
		mapfile -t COMPREPLY < <(compgen -f -- "$cur")
	elif [[ $cur == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$(_monocle_options "$command")" -- "$cur")
	elif [[ $command == run || $(_monocle_files "$command") == program ]]; then
		mapfile -t COMPREPLY < <(compgen -c -- "$cur")
	elif [[ -n $(_monocle_files "$command") ]]; then
		mapfile -t COMPREPLY < <(for end in $_monocle_profiles; do compgen -f -X "!*$end" -- "$cur"; done
			compgen -d -- "$cur")
	fi
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace
}

complete -o filenames -F _monocle monocle
