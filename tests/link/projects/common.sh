# Functions for the project cases: all of tests/link/common.sh, the ways to link a project, and the
# loader.
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

: "${BPF_RUN:?the loader}"

# A case compares the ways with each other and with its own expectations. It does not compare with
# the peer, which takes no archives, drops nothing and keeps dead code of weak functions.
differential() { :; }

# summary: everything that must be independent of the way to link and the order of the files
summary() {
  python3 "$here/summary.py" out.o
  types | sort
}

programs() { func_info | awk '$1 != ".text" { print $1, $3 }' | sort; }
maps() { datasec .maps | awk '{ print $1, $3 }' | sort; }

# link_as WAY REFERENCE ARGUMENT...: links into out.o, which obeys all rules for outputs and has the
# same summary as the other outputs of REFERENCE. `run_all` runs it later.
link_as() {
  local way=$1 reference=$2
  shift 2
  "$BPFLINK" --verify "$@" -o out.o || fail "$way: bpflink $* exits with $?"
  python3 "$bpfobj" check out.o || fail "$way: out.o breaks the rules above"
  lint out.o | sort -u >new.lint
  comm -13 known.lint new.lint >added.lint
  [[ ! -s added.lint ]] || fail "$way: eu-elflint:"$'\n'"$(<added.lint)"
  changes_nothing
  summary >got
  [[ -s got ]] || fail "$way: nothing to compare"
  if [[ ! -e $reference.summary ]]; then cp got "$reference.summary"; fi
  diff "$reference.summary" got || fail "$way: < as linked first, > as linked now"
  cp out.o "linked.$((++ways)).o"
  if [[ $reference == *.gc ]]; then cp out.o gc.o; fi
}

# partly OUTPUT INPUT...: a partial link, whose output also obeys the rules
partly() {
  local output=$1
  shift
  "$BPFLINK" --verify -r "$@" -o "$output" || fail "bpflink -r $* exits with $?"
  python3 "$bpfobj" check "$output" || fail "$output breaks the rules above"
}

# in_all_ways NAME: links the objects of the arrays `main` and `library` in three orders: all at
# once, the library first and then all, two files at a time, and with the library as an archive;
# each with and without --gc-sections. Nobody uses the library objects in `unneeded`. The references
# are NAME.whole, NAME.needed without the unneeded objects, and NAME.gc.
in_all_ways() {
  local name=$1 order file i
  local files=("${main[@]}" "${library[@]}") needed=() ordered reversed interleaved pairs members
  for file in "${library[@]}"; do
    if [[ " ${unneeded[*]} " != *" $file "* ]]; then needed+=("$file"); fi
  done
  for file in "${files[@]}"; do lint "$file"; done | sort -u >known.lint
  rm -f linked.*.o
  ways=0
  for ((i = ${#files[@]} - 1; i >= 0; i--)); do reversed+=("${files[i]}"); done
  for i in 1 0 2; do
    for ((; i < ${#files[@]}; i += 3)); do interleaved+=("${files[i]}"); done
  done
  for order in files reversed interleaved; do
    ordered=()
    local -n objects=$order
    ordered=("${objects[@]}")
    members=() pairs=()
    local mains=() of_needed=()
    for file in "${ordered[@]}"; do
      if [[ " ${main[*]} " == *" $file "* ]]; then mains+=("$file"); else members+=("$file"); fi
      if [[ " ${unneeded[*]} " != *" $file "* ]]; then of_needed+=("$file"); fi
    done
    partly library.part.o "${members[@]}"
    for ((i = 0; i < ${#ordered[@]}; i += 2)); do
      partly "pair$i.part.o" "${ordered[@]:i:2}"
      pairs+=("pair$i.part.o")
    done
    rm -f library.a thin.a
    llvm-ar-19 rc library.a "${members[@]}"
    llvm-ar-19 rcT thin.a "${members[@]}"

    link_as "$order" "$name.whole" "${ordered[@]}"
    link_as "$order, library first" "$name.whole" library.part.o "${mains[@]}"
    link_as "$order, in pairs" "$name.whole" "${pairs[@]}"
    link_as "$order, --whole-archive" "$name.whole" --whole-archive library.a --no-whole-archive "${mains[@]}"
    link_as "$order, what is needed" "$name.needed" "${of_needed[@]}"
    link_as "$order, archive" "$name.needed" "${mains[@]}" library.a
    link_as "$order, thin archive first" "$name.needed" thin.a "${mains[@]}"
    link_as "$order, --gc-sections" "$name.gc" --gc-sections "${ordered[@]}"
    link_as "$order, library first, --gc-sections" "$name.gc" --gc-sections "${mains[@]}" library.part.o
    link_as "$order, in pairs, --gc-sections" "$name.gc" --gc-sections "${pairs[@]}"
    link_as "$order, archive, --gc-sections" "$name.gc" --gc-sections library.a "${mains[@]}"
  done
}

# run_all CHECK...: every output of in_all_ways loads and passes the checks
run_all() {
  local i status
  for ((i = 1; i <= ways; i++)); do
    status=0
    "$BPF_RUN" "linked.$i.o" "$@" >ran 2>&1 || status=$?
    if ((status != 0)); then cat ran; fi
    ((status == 0)) || exit "$status"
  done
}
