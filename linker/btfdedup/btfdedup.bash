# bash completion of btfdedup(1)
_btfdedup() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='
    -h --help --version -o --output --elf --update --base --flatten --distill --linked --sort
    --explain --dump --size-map --stats --json --threads'

  COMPREPLY=()
  case $previous in
    --dump)
      mapfile -t COMPREPLY < <(compgen -W 'c raw' -- "$current")
      return
      ;;
    --explain | --threads)
      return
      ;;
  esac
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    @*) mapfile -t COMPREPLY < <(compgen -P @ -f -- "${current#@}") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _btfdedup btfdedup
