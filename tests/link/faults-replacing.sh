#!/bin/bash
# The link replaces its reports first, and its object last: if a call fails, the old object is there,
# and every other file is the old or the new one, whole. A signal does not divide them.
. "$(dirname "$0")/common.sh"

strace -qq -e trace=none true 2>/dev/null || skip 'strace may not trace a program here'

compile a <<<'SEC("socket") int prog(struct __sk_buff *ctx) { return ctx->len; }'
export ASAN_OPTIONS=detect_leaks=0 # LeakSanitizer fails under strace
calls=rename,renameat,renameat2,linkat

# prepare: out/ holds an old object, map and page
prepare() {
  rm -rf out
  mkdir out
  for file in object map page; do echo "old $file" >out/$file; done
}

# state: the files in out/, one a line
state() { (cd out && md5sum -- $(ls -A)); }

# faulty INJECTION COMMAND...: out/ is complete if COMMAND succeeds; otherwise the object is the old
# one, and each report a whole one
faulty() {
  local injection=$1 status=0 line
  shift
  prepare
  strace -f -qq -o trace -e trace=$calls -e "inject=$injection" "$@" 2>errors || status=$?
  grep -q INJECTED trace || return 1
  if [[ $status == 0 ]]; then
    expect "$new" state
    [[ ! -s errors ]] || fail "$injection: says $(<errors)"
  else
    state | grep -F "$(grep ' object$' <<<"$old")" >/dev/null || fail "$injection: replaces the object"
    while read -r line; do
      grep -qxF "$line" <<<"$old"$'\n'"$new" || fail "$injection: leaves $line"
    done < <(state)
    [[ $(<errors) == *': error: out/'*': cannot put the output in its place: '* ]] || fail "$injection: says $(<errors)"
  fi
}

# all_faults COMMAND...: makes each call that changes file names fail
all_faults() {
  local call n
  prepare
  old=$(state)
  "$@"
  new=$(state)
  for call in rename linkat; do
    for ((n = 1; ; n++)); do faulty $call:error=EIO:when=$n "$@" || break; done
  done
  # A signal between two renames waits until all are done.
  for call in rename linkat; do
    for n in 1 2 3 4; do
      prepare
      strace -f -qq -o trace -e trace=$calls -e inject=$call:signal=SIGTERM:when=$n "$@" 2>errors || true
      [[ $(state) == "$new" || $(state) == "$old" ]] || fail "SIGTERM at $call $n leaves"$'\n'"$(state)"
    done
  done
}
all_faults "$BPFLINK" a.o -o out/object --Map out/map --size-map out/page --dependency-file out/d
all_faults "$BPFLINK" a.o -o out/new --Map out/map --size-map out/page
all_faults "$BTFDEDUP" a.o -o out/object --size-map out/page

# Of the names that stay, the object's is renamed last.
prepare
strace -f -qq -o trace -e trace=$calls "$BPFLINK" a.o -o out/object --Map out/map --json out/json
[[ $(grep -E 'rename' trace | tail -n 1) == *'"out/object"'* ]] || fail "$(<trace)"

# The sticky bit of a directory protects another user's file: an error before any work.
if ((EUID == 0)); then
  another_user "$BPFLINK"
  program=$programs/${BPFLINK##*/}
  prepare
  chmod 1777 out
  chmod 666 out/*
  for extra in '-o out/new --Map out/map' '-o out/object' '-o out/new --size-map out/page'; do
    before=$(state)
    status=0
    "${as_user[@]}" strace -f -qq -o /dev/null "$program" absent.o $extra 2>errors || status=$?
    [[ $status == 1 ]] || fail "$extra: exit status $status"
    expect_error "${extra##* }: cannot open output file: it is another user's, and 'out' has the sticky bit"
    expect "$before" state
  done
  "$program" a.o -o out/object # root may

  # A link that another user made there is not followed, even by root.
  echo precious >precious
  "${as_user[@]}" ln -s "$tmp/precious" out/trap
  for extra in '-o out/trap' '-o out/new --Map out/trap' '-o out/new --reproduce out/trap'; do
    status=0
    "$BPFLINK" a.o $extra 2>errors || status=$?
    [[ $status == 1 ]] || fail "$extra: exit status $status"
    expect_error "out/trap: cannot open output file: 'out/trap' is another user's link in a shared directory"
    [[ $(<precious) == precious && ! -e out/new ]] || fail "$extra has written something"
  done
  ln -sf "$tmp/precious" out/own_link
  "$BPFLINK" a.o -o out/own_link
  [[ $(head -c 4 precious) == $'\x7fELF' ]] || fail 'a link of the own user is not followed'
  "${as_user[@]}" "$program" a.o -o out/own
  "${as_user[@]}" "$program" a.o -o out/own
fi
