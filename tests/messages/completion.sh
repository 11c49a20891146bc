#!/bin/bash
# The completions that the programs write: their suggestions, and that shells accept them.
. "$(dirname "$0")/common.sh"

"$BPFLINK" --completion bash >bpflink.bash
. ./bpflink.bash
# offers WORD...: bash's completions of the last word
offers() {
  COMP_WORDS=(bpflink "$@") COMP_CWORD=$#
  _bpflink
  echo "${COMPREPLY[@]}"
}
expect '--keep-section --keep-type --keep-debug' offers --keep
expect 'auto always never' offers --color-diagnostics ''
expect '' offers --license ''
mkdir dir && touch dir.o
expect $'dir\ndir.o' sort <(offers di | tr ' ' '\n')
expect 'dir' offers -L di
expect $'@dir\n@dir.o' sort <(offers @di | tr ' ' '\n')
grep -q "offer -W 'c raw'" <("$BTFDEDUP" --completion bash) || mistake 'btfdedup: no words for --dump'
grep -q 'offer -d ;;' bpflink.bash || mistake 'no directories for -L'

"$BPFLINK" --completion zsh >_bpflink
expect "#compdef bpflink
# zsh completion of bpflink(1)

_arguments -s -S \\
  '-h[Print this help and exit]' \\" head -n 5 _bpflink
grep -qF -e "  '*-L[Look for archives in DIR]:directory:_files -/' \\" _bpflink || mistake '-L: no directories'
grep -qF -e "  '--color-diagnostics[Color messages\\: auto (on a terminal), always or never]:word:(auto always never)' \\" _bpflink ||
  mistake '--color-diagnostics: no words'
expect "  '*:file:_files'" tail -n 1 _bpflink
if command -v zsh >/dev/null; then zsh -n _bpflink; fi
