#!/bin/bash
# The completions that the programs write, as each shell gives them.
. "$(dirname "$0")/common.sh"

for program in bpflink btfdedup bpfskel bpfcore; do
  for shell in bash zsh fish; do "$(dirname "$BPFLINK")/$program" --completion $shell >"$program.$shell"; done
done
mkdir dir && touch dir.o

# offers WORD...: bash's completions of the last word
offers_bash() {
  # shellcheck disable=SC1090 # the file under test
  (
    . "./$1.bash"
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    "_$1"
    printf '%s\n' "${COMPREPLY[@]}"
  )
}
expect '--keep-section
--keep-type
--keep-debug' offers_bash bpflink --keep
expect '' offers_bash bpflink --license ''
expect $'@dir\n@dir.o' sort <(offers_bash bpflink @di)
expect $'dir\ndir.o' sort <(offers_bash bpfcore --kernel di)
# bash takes "--dump=" as two words, and "--dump=ra" as three
expect $'c\nrust\nraw' offers_bash btfdedup --dump =
expect 'raw' offers_bash btfdedup --dump = ra
expect '--dump=raw' offers_bash btfdedup --dump=ra # with another COMP_WORDBREAKS

# zsh completes at a terminal only: each list that a function of completion adds is written down.
cat >zsh-offers <<'EOF'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PROMPT= fpath=($PWD/zsh $fpath); autoload -U compinit; compinit -u -d $PWD/dump
compadd() {
  local -a hits; builtin compadd -O hits "$@"; (($#hits)) && print -rl -- $hits >>hits; builtin compadd "$@"
}
complete() { zle complete-word; touch completed; }; zle -N complete; bindkey "^I" complete
zle-line-init() { touch ready; }; zle -N zle-line-init'
while [[ ! -e ready ]]; do sleep 0.05; done
zpty -w -n shell "$1"$'\t'
while [[ ! -e completed ]]; do sleep 0.05; done
zpty -d shell
EOF
mkdir zsh && for program in bpflink btfdedup bpfskel bpfcore; do mv $program.zsh "zsh/_$program"; done
offers_zsh() {
  rm -f ready completed && : >hits
  timeout 60 zsh -f zsh-offers "$*"
  sort -u hits
}
offers_fish() { fish --no-config -c "source $1.fish; complete -C '$*'" | cut -f 1 | sed 's/^--.*=//; s/\/$//' | sort -u; }

# offers ANSWER WORD...: what all shells complete
offers() {
  expect "$1" sort -u <(offers_bash "${@:2}")
  for shell in zsh fish; do
    if command -v $shell >/dev/null; then expect "$1" offers_$shell "${@:2}"; fi
  done
}
offers $'check\nload\nminimize' bpfcore ''
offers $'dir\ndir.o' bpfcore check di
offers 'dir' bpfcore check --modules di
offers $'always\nauto\nnever' bpflink --color-diagnostics ''
offers $'0\n1\n2\n3' bpfskel --lto-O ''
offers $'c\nraw\nrust' btfdedup --dump ''
offers 'dir' bpflink -L di
offers 'classic-header' bpflink --target ''
for shell in zsh fish; do
  command -v $shell >/dev/null || continue
  expect $'c\nraw\nrust' offers_$shell btfdedup --dump=
  expect '3' offers_$shell bpflink --lto-O=3
  expect $'dir\ndir.o' offers_$shell bpfcore check --kernel=di
done

# Texts are quoted: "'", "[" and ":"
grep -qF -e "'--color-diagnostics=[Color messages\\: auto (on a terminal)" zsh/_bpflink || mistake 'zsh: texts'
grep -qF -e "-d 'Print why SYMBOL or a type, such as \\'struct NAME\\', is" bpflink.fish || mistake 'fish: texts'
for shell in zsh fish; do
  command -v $shell >/dev/null || ((mistakes)) || skip "$shell is not installed; the others were tested"
done
