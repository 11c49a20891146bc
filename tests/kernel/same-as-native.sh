#!/bin/bash
# Random programs of several files, by clang, by bpf-gcc and by both, linked in all ways, compute in the
# kernel what the same files compute on this machine, linked by the native linker. And every instruction
# of an output is held against the inputs' (same_code.py), for big-endian objects as well.
#
#   SEEDS='1 2 3'     the programs
#   COMPILERS='...'   sets of compilers: clang, gcc, mixed, rust, clang-be, gcc-be, mixed-be; bitcode, which
#                     LLVM optimizes as one program, mixed-bitcode, with objects of both compilers, and
#                     rust-bitcode, with one file more; by default a seed has one to three
#   CC, BPF_GCC       commands, e.g. ones that enter the root of a newer suite
#   RUST_BPF          a command that makes the BPF object $2 of the Rust file $1; the set `rust` needs it
#   RUST_BITCODE      a command that makes bitcode of it; the set `rust-bitcode` needs it
#   RUST_NATIVE       the same for this machine
#   KEEP=DIRECTORY    where programs are kept with which something is wrong
#
# The verifier cannot follow the code of every compiler. Such a program counts as refused only if the
# verifier says so, if the linked instructions are the inputs', and if the peer's output does no better.
# tests/random-programs.sh runs this with a newer suite's compilers.
. "$(dirname "$0")/common.sh"
generator=$here/random_programs.py judge=${bpfobj%/*}/same_code.py
BPF_GCC=${BPF_GCC:-bpf-gcc}
gas=
if version=$($BPF_GCC -Wa,--version -x assembler -c /dev/null -o /dev/null 2>/dev/null); then
  version=$(sed -n '1s/.* //p' <<<"$version")
  gas=gas
  if [[ $(printf '%s\n' "$version" 2.41 | sort -V | head -n 1) != 2.41 ]]; then gas=old-gas; fi
fi
# sets_of SEED
sets_of() {
  local by_default=('clang gcc-be' 'mixed bitcode' 'gcc mixed-be mixed-bitcode')
  if [[ ${COMPILERS:-} || ! $gas ]]; then
    echo "${COMPILERS:-clang}"
  else
    echo "${by_default[$1 % 3]}"
  fi
}

macros=('-DSEC(x)=__attribute__((section(x), used))' '-D__weak=__attribute__((weak))'
  '-D__noinline=__attribute__((noinline))' '-D__hidden=__attribute__((visibility("hidden")))')
# bpf-gcc 12 makes such a section writable, and no linker merges it with clang's.
if [[ $gas == old-gas ]]; then macros+=(-DCONF=); fi
gcc_macros=("${macros[@]}")
# bpf-gcc before 16 calls memcmp, which BPF has not.
if [[ $gas && $($BPF_GCC -dumpversion) -lt 16 ]]; then
  gcc_macros+=('-DEQUAL(a, b, n)=({ int s = 1; for (int i = 0; i < n; i += 4) s &= (a)->w[i / 4] == (b)->w[i / 4]; s; })')
fi

# compiler_of SET NUMBER: the compiler for a file of a program
compiler_of() {
  case $1 in
    clang* | rust) echo clang ;;
    gcc*) echo gcc ;;
    bitcode) echo bitcode ;;
    mixed-bitcode | rust-bitcode)
      case $((($2 + seed) % 4)) in
        0 | 1) echo bitcode ;;
        2) echo clang ;;
        3) [[ $gas ]] && echo gcc || echo clang ;;
      esac
      ;;
    mixed*) ((($2 + seed) % 2)) && echo clang || echo gcc ;;
  esac
}

# compile_for SET: makes the objects, in `objects`; `judged` names them for same_code.py
compile_for() {
  local set=$1 n level compiler
  objects=() judged=()
  for ((n = 0; n < count; n++)); do
    level=${levels[(n + seed) % 3]}
    compiler=$(compiler_of "$set" "$n")
    if [[ $compiler != gcc ]]; then
      $CC -g "$level" $([[ $compiler != bitcode ]] || echo -flto) \
        --target=bpf$([[ $set != *-be ]] || echo eb) -mcpu=v3 -w "${macros[@]}" -c f$n.c -o f$n.o
      judged+=("llvm:f$n.o")
    else
      $BPF_GCC -gbtf "$level" $([[ $set != *-be ]] || echo -mbig-endian) -w "${gcc_macros[@]}" \
        -c f$n.c -o f$n.o
      judged+=("$gas:f$n.o")
    fi
    objects+=(f$n.o)
  done
  if [[ $set == rust* ]]; then
    if [[ $set == rust ]]; then $RUST_BPF rust.rs rust.o; else $RUST_BITCODE rust.rs rust.o; fi
    objects+=(rust.o) judged+=(llvm:rust.o)
  fi
}
levels=(-O2 -O1 -Os)

# run_natively FILE...: the checks of the program linked in this order, in `checks`
run_natively() {
  gcc "$@" native.native.o -o native
  ./native >checks.new
  mapfile -t checks <checks.new
}

# note RESULT TEXT: counts a way and keeps a program with which something is wrong
note() {
  total["$set $1"]=$((${total["$set $1"]:-0} + 1))
  [[ $1 != same ]] || return 0
  echo "seed $seed, $set, $way: $1: ${2:-}"
  if [[ $1 == wrong && ${KEEP:-} ]]; then
    rm -rf "$KEEP/$set.$seed.$way" && mkdir -p "$KEEP" && cp -r . "$KEEP/$set.$seed.$way"
  fi
}

# try WAY ARGUMENT...: links so, and does everything that this file's first lines say
try() {
  way=$1
  shift
  rm -f out.o
  if ! "$BPFLINK" -q --verify "$@" -o out.o >messages 2>&1; then
    note wrong "bpflink $*: $(head -n 1 messages)"
    return
  fi
  examine
}

examine() {
  local options=() with_btf=(--with-btf) expected=("${checks[@]}")
  # Linux 6.18 refused the BTF of most links with a Rust object; the programs load without it.
  if [[ $set == rust* ]]; then with_btf=(); fi
  if [[ $way == *gc-sections* || $way == localize-hidden ]]; then options+=(--gc); fi
  if [[ $way == *gc-sections* || $way == stripped ]]; then mapfile -t expected < <(checks_of_kept); fi
  if [[ $way == libbpf-* ]]; then
    options+=(--dead-code)
    # libbpf's linker leaves a VAR at the offset of an overridden weak definition.
    mapfile -t expected < <(printf '%s\n' "${checks[@]}" | grep '()')
  fi
  # LLVM makes other code of bitcode.
  if [[ $way != *stripped* && $set != *bitcode ]] && ! python3 "$judge" "${options[@]}" out.o "${in_order[@]}" >judgement 2>&1; then
    note wrong "$(head -n 1 judgement)"
  elif [[ $set == *-be ]]; then
    note same
  elif "$BPF_RUN" "${with_btf[@]}" out.o "${expected[@]}" >ran 2>&1; then
    note same
  elif [[ $(<ran) == *'does not load'* && $(<ran) =~ 'processed '[0-9]+' insns' ]] && ! peer_does_better; then
    note refused "$(sed -n '/^processed /{x;p;q};h' ran)"
  else
    note wrong "$(grep -m 1 -v ' = ' ran)"
  fi
}

# checks_of_kept: the checks without those of variables that --gc-sections dropped
checks_of_kept() {
  printf '%s\n' "${checks[@]}" | grep '()'
  python3 "$bpfobj" datasecs out.o | awk '{ print $2 }' |
    grep -xFf - <(printf '%s\n' "${checks[@]}" | sed 's/=.*//') |
    while read -r name; do printf '%s\n' "${checks[@]}" | grep "^$name="; done
}

# peer_does_better: an object that libbpf links of the same inputs, in the same order, loads
peer_does_better() {
  [[ $set != *bitcode ]] || return
  bpftool gen object peer.o "${in_order[@]#*:}" >/dev/null 2>&1 && "$BPF_RUN" peer.o >/dev/null 2>&1
}

# stage OUTPUT ARGUMENT...: a partial link
stage() {
  local output=$1
  shift
  "$BPFLINK" -q --verify -r "$@" -o "$output" >messages 2>&1 || note wrong "bpflink -r $*: $(head -n 1 messages)"
}

has_records() { if readelf -SW "$1" | has -F .BTF.ext; then echo yes; fi; }

try_all() {
  local o=("${objects[@]}") part parts=() chain
  way=stages in_order=("${judged[@]}")
  run_natively "${natives[@]}"
  stage first.o "${o[@]:0:2}"
  stage second.o "${o[@]:2}"
  stage both.o first.o second.o
  chain=${o[0]}
  for part in "${o[@]:1}"; do
    stage next.o "$chain" "$part"
    mv -f next.o chain.o || break
    chain=chain.o
  done
  for part in "${o[@]}"; do
    stage "alone.$part" "$part"
    parts+=("alone.$part")
  done
  rm -f all.a thin.a
  llvm-ar-19 rc all.a "${o[@]}"
  llvm-ar-19 rcT thin.a "${o[@]:1}"

  try at-once "${o[@]}"
  if mv out.o previous.o 2>/dev/null; then try again previous.o; fi
  try two-stages first.o second.o
  try three-stages both.o
  try one-by-one chain.o
  try each-alone-first "${parts[@]}"
  try archive --whole-archive all.a
  try thin-archive "${o[0]}" --whole-archive thin.a
  try gc-sections --gc-sections "${o[@]}"
  try gc-sections-of-stages --gc-sections first.o second.o
  try localize-hidden --localize-hidden "${o[@]}"
  try stripped -s --strip-line-info --prune-types --gc-sections "${o[@]}"
  # libbpf's linker takes what a first stage made, whatever compiled it; but where a stage is of gcc's
  # files alone, it has no func_info.
  way=libbpf-after-stage
  if [[ $set != *-be && $(has_records first.o) == $(has_records second.o) ]] &&
    bpftool gen object out.o first.o second.o >messages 2>&1; then examine; fi

  in_order=()
  local reversed=() reversed_natives=() i
  for ((i = ${#o[@]} - 1; i >= 0; i--)); do
    reversed+=("${o[i]}") in_order+=("${judged[i]}") reversed_natives+=("${natives[i]}")
  done
  run_natively "${reversed_natives[@]}"
  try reversed "${reversed[@]}"
  stage last.o "${reversed[@]:0:2}"
  try reversed-gc-sections --gc-sections last.o "${reversed[@]:2}"
}

declare -A total
all=()
for seed in ${SEEDS:-1 2 3}; do
  count=$((3 + seed % 3))
  for set in $(sets_of "$seed"); do
    all+=("$set")
    # The sets of Rust have a file more, and so other programs.
    python3 "$generator" "$seed" "$count" $([[ $set != rust* ]] || echo rust)
    natives=()
    for ((n = 0; n < count; n++)); do
      gcc -w -O1 '-DSEC(x)=' "${macros[@]:1}" -c f$n.c -o f$n.native.o
      natives+=(f$n.native.o)
    done
    gcc -w -O1 -c native.c -o native.native.o
    if [[ $set == rust* ]]; then
      $RUST_NATIVE rust.rs rust.native.o
      natives+=(rust.native.o)
    fi
    compile_for "$set"
    before=${total[$set same]:-0}
    try_all
    echo "seed $seed, $set: same in $((${total[$set same]:-0} - before)) ways"
  done
done

printf '%-10s %6s %8s %6s\n' compilers same refused wrong
for set in $(printf '%s\n' "${all[@]}" | sort -u); do
  printf '%-10s %6d %8d %6d\n' "$set" "${total[$set same]:-0}" "${total[$set refused]:-0}" "${total[$set wrong]:-0}"
  ((${total[$set wrong]:-0} == 0)) || failed=1
  same=$((${same:-0} + ${total[$set same]:-0})) refused=$((${refused:-0} + ${total[$set refused]:-0}))
done
((same > refused)) || fail 'the verifier refuses so many programs that this shows nothing'
[[ ! ${failed:-} ]] || fail 'see above'
