#!/bin/bash
# The same inputs give the same bytes: repeated, from another directory, under another output name,
# at random addresses, with any number of threads.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n <<END
struct node$n { struct node$n *next; int value; };
struct both { struct node$n *nodes; } both$n;
int v$n = $n;
static volatile int hidden = $n;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, $n); __type(key, int); __type(value, int); } m$n SEC(".maps");
__weak __attribute__((noinline)) int weak(int x) { return x + $n; }
SEC("socket") int prog$n(struct __sk_buff *ctx) {
  int key = 0;
  return v$n + hidden + weak(ctx->len) + (bpf_map_lookup_elem(&m$n, &key) != 0);
}
END
done
inputs=(f1.o f2.o f3.o)
link "${inputs[@]}"
mkdir elsewhere
fixed=()
setarch -R true 2>/dev/null && fixed=(setarch -R)

# same WANT PROGRAM OPTION...: PROGRAM's output is WANT, however it runs
same() {
  local want=$tmp/$1 run
  shift
  local program=$1
  shift
  for run in 1 2 3; do
    "$program" "$@" "${inputs[@]}" -o again
    cmp "$want" again
    "${fixed[@]}" "$program" "$@" "${inputs[@]}" -o again
    cmp "$want" again
  done
  (cd elsewhere && "$program" "$@" "${inputs[@]/#/../}" -o other-name)
  cmp "$want" elsewhere/other-name
  "$program" "$@" "${inputs[@]/#/$tmp/}" -o "$tmp/by-whole-name"
  cmp "$want" by-whole-name
  env -i "$program" "$@" "${inputs[@]}" -o again
  cmp "$want" again
}
same out.o "$BPFLINK"
for options in --gc-sections -r '-x --localize-hidden' --keep-debug; do
  # shellcheck disable=SC2086 # several options
  "$BPFLINK" $options "${inputs[@]}" -o want
  # shellcheck disable=SC2086
  same want "$BPFLINK" $options
done

"$BTFDEDUP" "${inputs[@]}" -o want
for threads in 1 2 8; do
  same want "$BTFDEDUP" --threads $threads
done
same want "$BTFDEDUP"

# Enough types for threads: a kernel's BTF, once for each input
vmlinux=/sys/kernel/btf/vmlinux
if [[ -r $vmlinux ]]; then
  "$BTFDEDUP" $vmlinux "${inputs[@]}" --threads 1 -o want
  for threads in 2 8; do
    "$BTFDEDUP" $vmlinux "${inputs[@]}" --threads $threads -o again
    cmp want again
  done
fi
