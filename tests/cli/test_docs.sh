#!/usr/bin/env bash
# What is made from the tables: up to date, well-formed, and, for completions, doing its work in
# the real shells.
# shellcheck disable=SC2016,SC2317
set -u
# shellcheck source=tests/cli/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# ---- up to date ---------------------------------------------------------------------------------

check "docs are made" "$ROOT/tools/make-docs" "$ESSE" "$WORK/fresh"

current() { # path
    diff -u "$ROOT/$1" "$WORK/fresh/$1" && return
    echo "hint: run 'make docs' and commit $1" >&2
    return 1
}

for path in completions/esse.bash completions/_esse completions/esse.fish docs/levels.md docs/levels.svg; do
    check "$path is current" current "$path"
done
for page in "$WORK"/fresh/man/*.1; do
    check "man/${page##*/} is current" current "man/${page##*/}"
done
check "prose is wrapped" bash -c 'cd "$1" && git ls-files -z "*.md" | xargs -0 tools/wrap-docs --check' - "$ROOT"
same "man/ holds no other page" "$(cd "$WORK/fresh/man" && ls)" "$(cd "$ROOT/man" && ls)"

# ---- man pages ----------------------------------------------------------------------------------

commands=$("$ESSE" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
check "--help lists commands" test -n "$commands"
case " $(echo "$commands" | tr '\n' ' ')" in
*" docs "*) fail "docs is hidden" "it is in --help" ;;
*) pass "docs is hidden" ;;
esac
for command in $commands; do
    check "$command has a man page" test -s "$ROOT/man/esse-$command.1"
    has "$command is in esse.1" "$(cat "$ROOT/man/esse.1")" "esse\\-$command"
done

if command -v mandoc >/dev/null; then
    for page in "$ROOT"/man/*.1; do
        check "mandoc likes ${page##*/}" mandoc -T lint -W warning "$page"
    done
    # Every option that help explains is on the page, as one types it.
    for command in $commands; do
        text=$(mandoc -T ascii "$ROOT/man/esse-$command.1" | sed $'s/.\b//g')
        for option in $("$ESSE" "$command" --help | sed -n '/ $/d; /^options:/,/^$/s/^  ....\(--[a-z-]*\).*/\1/p'); do
            has "esse-$command.1 tells of $option" "$text" "$option"
        done
    done
else
    skip "man pages are well-formed" "no mandoc"
fi

expect "docs: an unknown kind is bad usage" 64 "$ESSE" docs tcsh
expect "docs: a hidden command has no page" 64 "$ESSE" docs man docs
expect "docs: bash takes no command" 64 "$ESSE" docs bash check
expect "docs: a full disk is an error" 74 bash -c '"$1" docs man >/dev/full' - "$ESSE"

# ---- completions --------------------------------------------------------------------------------

mkdir files
: >files/h.jsonl
: >files/h.edn
cd files || exit 70
bash_file=$ROOT/completions/esse.bash zsh_folder=$ROOT/completions fish_file=$ROOT/completions/esse.fish

# What bash offers behind these words, the last of which is being typed.
in_bash() {
    bash --norc -c '. "$1"; shift
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _esse; echo "${COMPREPLY[*]}"' - "$bash_file" "$@"
}
check "bash: no errors" bash -n "$bash_file"
same "bash: a command" "collect check classic convert" "$(in_bash esse c)"
same "bash: an option" "--budget" "$(in_bash esse check --b)"
same "bash: a choice" "jepsen-edn" "$(in_bash esse check --format j)"
same "bash: a choice after =" "elle-json" "$(in_bash esse check --format = e)"
same "bash: all choices after =" "native jepsen-edn elle-json plume awdit dbcop cobra trace log" "$(in_bash esse stats --format =)"
same "bash: a short option's choice" "native" "$(in_bash esse check -f n)"
same "bash: a level" "serializable session-serializable sequential" "$(in_bash esse check --level se)"
same "bash: the last level" "causal,PRAM,read-your-writes" \
    "$(in_bash esse check -l causal,PRAM,read-y)"
same "bash: a number is left alone" "" "$(in_bash esse gen --txns '')"
same "bash: a workload" "rw-register" "$(in_bash esse gen -n 10 rw)"
same "bash: an anomaly to plant" "lost-update" "$(in_bash esse gen --anomaly lo | tr ' ' '\n' | grep u)"
same "bash: a file" "h.edn h.jsonl" "$(in_bash esse check h | tr ' ' '\n' | sort | xargs)"
same "bash: a file for an option" "h.edn" "$(in_bash esse gen -o h.e)"
same "bash: an anomaly to explain" "garbage-read" "$(in_bash esse levels gar)"
same "bash: help" "convert" "$(in_bash esse help con)"
same "bash: hidden commands stay hidden" "" "$(in_bash esse doc)"
same "bash: hidden options stay hidden" "" "$(in_bash esse levels --markd)"

# What the line becomes when TAB is hit behind it, in an interactive zsh on a terminal of its own.
in_zsh() {
    zsh -f -c '
        zmodload zsh/zpty
        zpty shell "TERM=dumb zsh -f -i"
        zpty -w shell "PS1= PS2= PROMPT_EOL_MARK=; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
        zpty -w shell "show() { print -rn -- \$BUFFER >$2; exit }; zle -N show; bindkey ^X show"
        zpty -w shell "setopt no_list_ambiguous no_beep; print re\"\"ady"
        zpty -m shell text "*ready*"
        zpty -n -w shell "$3"$'"'\\t\\x18'"'
        repeat 100; do [[ -s $2 ]] && break; sleep 0.05; done
        zpty -d shell' - "$zsh_folder" "$WORK/line" "$1" >/dev/null 2>&1
    cat "$WORK/line" 2>/dev/null
    rm -f "$WORK/line"
}
if command -v zsh >/dev/null; then
    check "zsh: no errors" zsh -n "$zsh_folder/_esse"
    same "zsh: a command" "esse convert " "$(in_zsh 'esse con')"
    same "zsh: an option" "esse check --verbose " "$(in_zsh 'esse check --verb')"
    same "zsh: a choice" "esse check --format jepsen-edn " "$(in_zsh 'esse check --format j')"
    same "zsh: a choice after =" "esse check --format=elle-json " "$(in_zsh 'esse check --format=e')"
    # zsh puts the comma of a list and takes it back when a space follows.
    same "zsh: a level" "esse check --level linearizable," "$(in_zsh 'esse check --level lin')"
    same "zsh: the last level" "esse check -l causal,read-your-writes," \
        "$(in_zsh 'esse check -l causal,read-y')"
    same "zsh: a workload" "esse gen rw-register " "$(in_zsh 'esse gen rw')"
    same "zsh: a file" "esse check h.edn " "$(in_zsh 'esse check h.e')"
    same "zsh: an anomaly to explain" "esse levels garbage-read " "$(in_zsh 'esse levels garb')"
    same "zsh: hidden commands stay hidden" "esse doc" "$(in_zsh 'esse doc')"
else
    skip "zsh completion" "no zsh"
fi

in_fish() {
    HOME=$WORK fish --no-config -c 'source $argv[1]; complete -C $argv[2]' "$fish_file" "$1" |
        cut -f 1 | xargs
}
if command -v fish >/dev/null; then
    check "fish: no errors" fish --no-execute "$fish_file"
    same "fish: a command" "check classic collect convert" "$(in_fish 'esse c')"
    same "fish: an option" "--format" "$(in_fish 'esse check --for')"
    same "fish: a choice" "jepsen-edn" "$(in_fish 'esse check --format j')"
    same "fish: a choice after =" "--format=elle-json" "$(in_fish 'esse check --format=e')"
    same "fish: a level" "linearizable" "$(in_fish 'esse check --level lin')"
    same "fish: the last level" "causal,read-your-writes" "$(in_fish 'esse check -l causal,read-y')"
    same "fish: the last level after =" "--level=causal,read-your-writes" \
        "$(in_fish 'esse check --level=causal,read-y')"
    same "fish: a workload" "rw-register" "$(in_fish 'esse gen rw')"
    same "fish: a number is left alone" "" "$(in_fish 'esse gen --txns ')"
    same "fish: a file" "h.edn" "$(in_fish 'esse check h.e')"
    same "fish: an anomaly to explain" "garbage-read" "$(in_fish 'esse levels garb')"
    same "fish: hidden commands stay hidden" "" "$(in_fish 'esse doc')"
else
    skip "fish completion" "no fish"
fi

finish
