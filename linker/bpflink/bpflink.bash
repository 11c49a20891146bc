# bash completion of bpflink(1)
_bpflink() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local options='
    -h --help --version -o --output -r --relocatable --threads -v --verbose -q --quiet --fatal-warnings
    --error-limit --color-diagnostics --json-diagnostics
    -l --library -L --library-path --whole-archive --no-whole-archive --license --no-check-types --no-warn-odr
    --gc-sections --print-gc-sections -u --undefined --keep-section --keep-debug -S --strip-debug
    --localize-hidden --redefine-sym --prefix-symbols --prefix-symbols-of -x --discard-all -s --strip-all
    --Map --cref -y --trace-symbol --dependency-file --emit-stats --json --size-map --explain --verify'

  COMPREPLY=()
  case $previous in
    -L | --library-path)
      mapfile -t COMPREPLY < <(compgen -d -- "$current")
      return
      ;;
    --color-diagnostics)
      mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$current")
      return
      ;;
    --license)
      mapfile -t COMPREPLY < <(compgen -W 'GPL' -- "$current")
      return
      ;;
    -l | --library | -u | --undefined | --keep-section | -y | --trace-symbol | --explain | --error-limit | --threads)
      return
      ;;
  esac
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current") ;;
    @*) mapfile -t COMPREPLY < <(compgen -P @ -f -- "${current#@}") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _bpflink bpflink
