#!/bin/sh
# bpftool-bpflink: accepts bpftool's command line. `gen object` is a partial link by bpflink; `gen
# skeleton` and `gen subskeleton` run bpfskel, if it is installed; everything else runs the real
# bpftool. So `make BPFTOOL=bpftool-bpflink` links a project with bpflink. The programs are those
# that BPFLINK_PROGRAMS names, those beside this file, unless everybody may put one there, or those
# where this was installed.
#
# Options are recognized like bpftool's, with getopt_long(3): they may stand anywhere, short ones in
# clusters, and all names may be abbreviated.
set -eu

here=$(dirname "$(readlink -f "$0")")

fail() {
  printf 'bpftool-bpflink: error: %s\n' "$1" >&2
  exit 1
}

# find_programs: sets `programs` to the directory of bpflink and bpfskel
find_programs() {
  programs=${BPFLINK_PROGRAMS:-$here}
  if [ -n "${BPFLINK_PROGRAMS:-}" ]; then return; fi
  if [ ! -x "$here/bpflink" ] || [ -n "$(find "$here" -prune -perm -0002)" ]; then programs='@CMAKE_INSTALL_FULL_BINDIR@'; fi
}

# is_prefix PREFIX NAME
is_prefix() {
  case $2 in
    "${1:-nothing}"*) true ;;
    *) false ;;
  esac
}

# Sets `kind` to `option`, or to `argument` if the option takes the next argument. Sets `owner` to
# `bpftool` for options that a link does not support.
classify_long() {
  kind=option
  name=${1%%=*}
  if [ "$name" = b ]; then owner=bpftool # ambiguous
  elif is_prefix "$name" json || is_prefix "$name" pretty; then json=yes
  elif is_prefix "$name" debug; then verbose=yes
  elif is_prefix "$name" base-btf; then [ "$name" != "$1" ] || kind=argument
  elif is_prefix "$name" use-loader; then light=yes
  elif ! { is_prefix "$name" bpffs || is_prefix "$name" nomount || is_prefix "$name" mapcompat || is_prefix "$name" legacy; }; then
    owner=bpftool
  fi
}

classify_short() {
  kind=option
  letters=$1
  while [ -n "$letters" ]; do
    rest=${letters#?}
    case ${letters%"$rest"} in
      j | p) json=yes ;;
      d) verbose=yes ;;
      L) light=yes ;;
      B) kind=${rest:+option} kind=${kind:-argument} rest='' ;;
      f | m | n | l) ;;
      *) owner=bpftool ;;
    esac
    letters=$rest
  done
}

# classify ARGUMENT: as above, or `word`.
classify() {
  if [ "$kind" = argument ]; then kind=option # the argument of an option
  elif [ "$words_only" = yes ]; then kind=word
  else
    case $1 in
      --) kind=option words_only=yes ;;
      --*) classify_long "${1#--}" ;;
      -?*) classify_short "${1#-}" ;;
      *) kind=word ;;
    esac
  fi
}

# become_bpftool ARGUMENT...: runs the real bpftool. A link or copy of this file with bpftool's
# name, in a directory early in PATH, is skipped. On Debian, few users have the sbin of its bpftool
# in PATH.
become_bpftool() {
  if [ -n "${BPFLINK_BPFTOOL:-}" ]; then exec "$BPFLINK_BPFTOOL" "$@"; fi
  IFS=:
  set -f
  for directory in $PATH /usr/local/sbin /usr/sbin /sbin; do
    candidate=${directory:-.}/bpftool
    if [ -f "$candidate" ] && [ -x "$candidate" ] && ! cmp -s "$candidate" "$0"; then exec "$candidate" "$@"; fi
  done
  fail "no bpftool in PATH, which does everything but 'gen object'; BPFLINK_BPFTOOL names another place"
}

# file_name NAME: sets `file` to a spelling that bpflink reads as a file, not as an option
file_name() {
  case $1 in
    [-@]*) file=./$1 ;;
    *) file=$1 ;;
  esac
}

# link_object OUTPUT INPUT...: with libbpf's meaning: undefined externs stay, but not in silence.
link_object() {
  [ $# -ge 2 ] || fail "'gen object' needs an output and at least one input"
  file_name "$1"
  output=$file
  shift
  for argument do # rotate through all arguments
    file_name "$argument"
    shift
    set -- "$@" "$file"
  done
  if [ "$json" = yes ]; then set -- "$@" --json-diagnostics; fi
  if [ "$verbose" = yes ]; then set -- "$@" -v; fi
  [ -x "$programs/bpflink" ] ||
    fail "no bpflink in $here, nor in $programs: install it, or name its directory with BPFLINK_PROGRAMS"
  status=0
  "$programs/bpflink" -r --warn-unresolved-symbols -o "$output" "$@" || status=$?
  if [ "$json" = yes ]; then # bpftool's answer on standard output
    if [ $status = 0 ]; then echo; else echo '{"error":"the link failed, see standard error"}'; fi
  fi
  exit $status
}

# write_skeleton OBJECT [name NAME]
write_skeleton() {
  words=wrong
  case $# in
    1) words=right ;;
    3) if is_prefix "$2" name; then words=right && set -- --name "$3" "$1"; fi ;;
  esac
  [ $words = right ] || fail "'gen $command' takes an object and, after the word 'name', a name"
  if [ $command = subskeleton ]; then set -- --subskeleton "$@"; fi
  exec "$programs/bpfskel" "$@"
}

kind=option words_only=no owner=bpflink json=no verbose=no light=no
kinds=''
command=''
for argument do
  classify "$argument"
  kinds="$kinds $kind"
  if [ "$kind" = word ]; then
    case $command in
      '') if is_prefix "$argument" gen; then command=gen; else command=other; fi ;;
      gen)
        if is_prefix "$argument" object; then command=object
        elif is_prefix "$argument" skeleton; then command=skeleton
        elif is_prefix "$argument" subskeleton; then command=subskeleton
        else command=other
        fi
        ;;
    esac
  fi
done
find_programs
case $command in
  object) ;;
  *skeleton) if [ $light = yes ] || [ ! -x "$programs/bpfskel" ]; then owner=bpftool; fi ;;
  *) owner=bpftool ;;
esac
if [ $owner = bpftool ]; then become_bpftool "$@"; fi

for kind in $kinds; do # drop what is not a word
  argument=$1
  shift
  if [ "$kind" = word ]; then set -- "$@" "$argument"; fi
done
shift 2
case $command in
  object) link_object "$@" ;;
  *skeleton) write_skeleton "$@" ;;
esac
