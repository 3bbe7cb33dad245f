# SPDX-License-Identifier: MIT
# fish completion for monocle(1): offers what `monocle completion --answer` says.

# The files that may follow $argv[1] in a word that begins with $argv[2], if they end in one of the other words.
function __monocle_files
    set -l prefix $argv[1]
    set -l ends (string escape --style=regex -- $argv[3..])
    for line in (complete -C "'' "(string sub --start (math 1 + (string length -- "$prefix")) -- "$argv[2]"))
        set -l name (string split \t -- $line)[1]
        if not set -q argv[3]; or string match -qr -- "(/|"(string join '|' -- $ends)")\$" $name
            echo $prefix$line
        end
    end
end

function __monocle
    set -l words (commandline -opc)
    set -l typed (commandline -ct)
    set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
    for line in (command $program completion --answer -- $words[2..] "$typed" 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case :files
                __monocle_files $parts[2] "$typed" (string split -n ' ' -- $parts[3])
            case :open
                # fish has no word for it, and adds a blank only where one word is left.
            case :programs
                __fish_complete_command
            case :command
                set -l rest (math $parts[2] + 2)
                complete -C (string join ' ' -- (string escape -- $words[$rest..]) "$typed")
            case '*'
                echo $line
        end
    end
end

complete -c monocle -f -k -a '(__monocle)'
