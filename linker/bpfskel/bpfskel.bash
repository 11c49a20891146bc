# bash completion of bpfskel(1)
_bpfskel() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='-h --help --version -o --output --name --c --cpp --rust'

  COMPREPLY=()
  if [[ $previous == --name ]]; then return; fi
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    @*) mapfile -t COMPREPLY < <(compgen -P @ -f -- "${current#@}") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _bpfskel bpfskel
