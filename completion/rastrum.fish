# SPDX-License-Identifier: MIT
# Completion of rastrum in fish. It has no list of options: `rastrum complete` answers what can stand at the cursor.

function __rastrum_complete
    set -l before (commandline -opc)
    set -l all (commandline -op)
    set -l raw (commandline -ct)
    set -l word (string unescape -- $raw; or echo -- $raw)
    set -l behind (count $before)
    test -n "$raw"; and set behind (math $behind + 1)
    set -l after $all[(math $behind + 1)..-1]
    set -l answer ($before[1] complete (math (count $before) - 1) $before[2..-1] "$word" $after 2>/dev/null)
    set -l first (string split ' ' -- $answer[1])
    set -l kept (string sub -l $first[2] -- "$word")
    switch $first[1]
        case files
            for line in (__fish_complete_path (string sub -s (math $first[2] + 1) -- "$word"))
                echo -- $kept$line
            end
        case program
            set -l command $before[(math $first[2] + 2)..-1] "$word"
            complete -C (string join -- ' ' (string escape -- $command))
        case words list part
            for line in $answer[2..-1]
                echo -- $kept$line
            end
    end
end

complete -c rastrum -f -a '(__rastrum_complete)'
