#!/bin/bash
# --help shows a program's table of options. Manual pages and completions have exactly these options.
# README.md, the library's interfaces, the bindings and bpftool-bpflink name no others. The C++ library
# has every link option of the command line.
. "$(dirname "$0")/common.sh"

# The options in a text, one a line
options() { grep -oE -- '(^|[^-A-Za-z0-9_])(--[A-Za-z][A-Za-z-]*[A-Za-z]|-[A-Za-z])\b' | grep -oE -- '--?[A-Za-z].*' | sort -u; }

# --help has options at the beginning of a line, the manual in tagged paragraphs.
rows() { "$1" --help | sed -nE 's/^  (-[^ ]*( ?,-[^ ]*)*).*/\1/p' | sed 's/\[=.*//'; }
of_help() { rows "$1" | tr ',' '\n' | options; }
of_manual() {
  sed -n '/^\.SH OPTIONS/,/^\.SH EXIT/p' "$1" | sed 's/\\-/-/g' | grep -A 1 '^\.TP' |
    grep '^\.B' | sed 's/\\fI.*//; s/"//g; s/,/ /g' | options
}
of_bash() {
  # shellcheck disable=SC1090 # the file under test
  (
    . "$1"
    COMP_WORDS=("$2" -) COMP_CWORD=1
    "_$2" "$2" - "$2"
    printf '%s\n' "${COMPREPLY[@]}"
  ) | options
}
of_fish() { sed "s/'[^']*'//g; s/ -[acdfnrxF]\>//g; s/ -l / --/g; s/ -[so] / -/g" "$1" | options; }
of_zsh() { sed "/^_arguments/d; s/\[[^]]*\]//g; s/:.*//" "$1" | tr "{},'()" '\n' | options; }

same() { # WHAT A B
  diff <(echo "$2") <(echo "$3") || fail "$1: --help (<) and it (>) differ"
}

mkdir "$tmp/tables"
for program in bpflink btfdedup bpfskel bpfcore; do
  help=$(of_help "$program")
  (($(wc -l <<<"$help") > 5)) || fail "$program --help shows hardly any options"
  echo "$help" >"$tmp/tables/$program"
  same "$program(1)" "$help" "$(of_manual "$PREFIX/share/man/man1/$program.1")"
  same 'bash completion' "$help" "$(of_bash "$PREFIX/share/bash-completion/completions/$program" "$program")"
  same 'zsh completion' "$help" "$(of_zsh "$PREFIX/share/zsh/site-functions/_$program")"
  same 'fish completion' "$help" "$(of_fish "$PREFIX/share/fish/vendor_completions.d/$program.fish")"
done

# ---- Every text names existing options only.

# names WHAT PROGRAMS [OTHER...]: each option on standard input is in a table of these programs or is
# one of OTHER, another program's options; there is at least one
names() {
  local named unknown
  named=$(options)
  [[ $named ]] || fail "$1: names no option"
  # shellcheck disable=SC2086 # several words
  unknown=$(comm -23 <(echo "$named") <({
    (cd "$tmp/tables" && cat $2)
    printf '%s\n' "${@:3}"
  } | sort -u))
  [[ -z $unknown ]] || fail "$1: no option of $2: ${unknown//$'\n'/ }"
}
any='bpflink btfdedup bpfskel bpfcore'
long() { grep -oE -- '(^|[^-A-Za-z0-9_])--[A-Za-z][A-Za-z-]*'; }
spans() { grep -ohE '`-[^`]*`' "$@"; } # `-x` and `--license TEXT`, not `.data`
page() { sed 's/\\-/-/g' "$PREFIX/share/man/man${1##*.}/$1"; }
readme=$tmp/readme
cat "$repository"/{.,linker,dedup,tests/bench}/README.md >"$readme"

# Options of cmake, pkg-config, ld (as missing ones) and tests/bench/run.sh
long <"$readme" | names README.md "$any" --build --install --preset --target --cflags --libs --defsym --plot
for program in bpflink btfdedup bpfskel bpfcore; do # commands of a single program
  grep -oE "(^|[^-/A-Za-z])$program( [^#|&;\`)]*)" "$readme" | names "README.md, commands of $program" $program
done

# Options of clang, of other linkers, and of bpf-linker, which bpflink accepts and does not list
page bpflink.1 | long | names 'bpflink(1)' 'bpflink btfdedup' --target --start-group --as-needed \
  --cpu --btf --debug --dump-module
page btfdedup.1 | long | names 'btfdedup(1)' btfdedup
page bpfskel.1 | long | names 'bpfskel(1)' 'bpfskel btfdedup'
page bpfcore.1 | long | names 'bpfcore(1)' 'bpfcore btfdedup'
for name in bpflink-bpftool.7 bpflink-reports.5 bpflink-cmake.7 bpftool-bpflink.1 bpflink2go.1; do
  page $name | long | names $name "$any"
done

cd "$repository"
spans include/bpflink/*.h{,pp} | names 'the headers' "$any"
spans linker/interfaces/rust/src/*.rs | names 'the crate' 'bpflink bpfcore'
grep -ohE '"--[a-z-]+"' linker/interfaces/go/*.go | tr -d '"' | names bpflink2go bpflink
sed -n '/^link_object/,/^}/p' linker/programs/bpftool/bpftool-bpflink.sh | grep -F -e '$programs/bpflink' -e '"$@" -' |
  names 'bpftool-bpflink, gen object' bpflink
sed -n '/^write_skeleton/,/^}/p' linker/programs/bpftool/bpftool-bpflink.sh | grep -F 'set -- -' |
  names 'bpftool-bpflink, gen skeleton' bpfskel

# ---- The C++ library has the link options: a field or a function names each. That in C takes them by
# the table.

# interface FILE FIRST LAST: the options that this part of FILE names
interface() { sed -n "/^$2/,/^$3/p" "$1" | spans | options; }
interface include/bpflink/linker.hpp 'struct LinkOptions' '};' >"$tmp/cpp"
interface include/bpflink/linker.hpp 'class Linker' '};' >>"$tmp/cpp"

declare -A command_line=(
  [--help]='of the program' [--version]='of the program'
  [--output]='an argument of link_to_file() and its like'
  [--no-whole-archive]='ends what --whole-archive begins on a command line'
  [--strip-debug]='the default' [--strip-all]='-x and the default'
  [--shrink]='four others'
  [--verbose]='diagnostics are the program'\''s to print' [--quiet]='the same'
  [--print-gc-sections]='the same' [--error-limit]='the same' [--color-diagnostics]='the same'
  [--json-diagnostics]='the same'
  [--reproduce]='it writes the command line down' [--reproduce-all]='a word on that'
  [--cref]='the report is the program'\''s to print' [--emit-stats]='the same'
)
while IFS=, read -r -a row; do
  option=${row[-1]}
  # named: the interface names one of the option's spellings
  named() { grep -qxF -f <(printf '%s\n' "${row[@]}") "$tmp/cpp"; }
  if [[ -v command_line[$option] ]]; then
    if named; then fail "$option is not of the command line alone"; fi
    unset "command_line[$option]"
    continue
  fi
  named || fail "include/bpflink/linker.hpp: no $option"
done < <(rows bpflink)
[[ -z "${!command_line[*]}" ]] || fail "bpflink has no ${!command_line[*]}"
