#!/bin/bash
# The manual pages and completions have the options that --help has, and no others.
. "$(dirname "$0")/common.sh"

# The options in a text, one a line.
options() { grep -oE -- '(^|[^-A-Za-z0-9_])(--[A-Za-z][A-Za-z-]*[a-z]|-[A-Za-z])\b' | grep -oE -- '--?[A-Za-z].*' | sort -u; }

# Those of --help stand at the beginning of their line, those of the manual in
# paragraphs with a tag.
of_help() { "$1" --help | sed -nE 's/^  (-[^ ]*( ?,-[^ ]*)*).*/\1/p' | tr ',' '\n' | options; }
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
of_zsh() { sed "/^_arguments/d; s/\[[^]]*\]//g; s/:.*//" "$1" | tr "{},'()" '\n' | options; }

same() { # WHAT A B
  diff <(echo "$2") <(echo "$3") || fail "$1: --help (<) and it (>) differ"
}

for program in bpflink btfdedup bpfskel; do
  help=$(of_help "$program")
  (($(wc -l <<<"$help") > 5)) || fail "$program --help shows hardly any options"
  same "$program(1)" "$help" "$(of_manual "$PREFIX/share/man/man1/$program.1")"
  same 'bash completion' "$help" "$(of_bash "$PREFIX/share/bash-completion/completions/$program" "$program")"
  same 'zsh completion' "$help" "$(of_zsh "$PREFIX/share/zsh/vendor-completions/_$program")"

  if command -v man >/dev/null; then
    man --warnings -l -Tutf8 "$PREFIX/share/man/man1/$program.1" 2>warnings >/dev/null
    [[ ! -s warnings ]] || fail "$program(1): $(<warnings)"
  fi
  if command -v zsh >/dev/null; then zsh -n "$PREFIX/share/zsh/vendor-completions/_$program"; fi
done
