#!/bin/bash
# Warnings of one cause are one: the first in full, then the first other places, and how many there are.
. "$(dirname "$0")/common.sh"

# maps NAME...: maps with a pinning that libbpf does not know
maps() {
  printf 'struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(pinning, 7); } %s SEC(".maps");\n' "$@"
}
{ maps a b c d && echo 'SEC("socket") int prog(void *ctx) { return 0; }'; } >one.c
maps e f g >two.c
for name in one two; do compile $name <$name.c; done
"$BPFLINK" one.o two.o -o out.o 2>errors
expect "one.bpf.c:1: warning: libbpf refuses map 'a', which has a pinning of 7, and libbpf takes 0 and 1 (the first of 7)
>>>     defined in one.bpf.c:1 (one.o)
>>> also 'b' in one.bpf.c:2
>>> also 'c' in one.bpf.c:3
>>> also 'd' in one.bpf.c:4
>>> also 'e' in two.bpf.c:1
>>> and 2 more" cat errors
"$BPFLINK" --json-diagnostics one.o two.o -o out.o 2>errors
expect '5 one.bpf.c two.bpf.c' jq -r '"\(.locations | length) \(.locations[0].source) \(.locations[4].source)"' errors
expect_message "$("$BPFLINK" two.o -o out.o 2>&1 | sed 's/warning/error/')" "$BPFLINK" --fatal-warnings two.o -o out.o

# Another number, another advice and other types are other causes; a file is a place.
sed -i 's/7); } [fg] /8); } & /; s/8); } 7); }/8); }/' two.c
compile two <two.c
echo 'extern int weak_one(void) __weak; extern int weak_two(void) __weak; SEC("tc") int other(void *ctx) { return weak_one() + weak_two(); }
SEC("xpd") int third(void *ctx) { return 0; }
SEC("kprob/x") int fourth(void *ctx) { return 0; }' >more.c
compile more <more.c
for name in plain plainer; do compile $name -O0 <<<"int $name(int x) { return x; }"; done
"$BPFLINK" one.o two.o more.o plain.o plainer.o --license GPL -o out.o 2>errors
expect "libbpf refuses map 'a', which has a pinning of 7, and libbpf takes 0 and 1 (the first of 5)
libbpf refuses map 'f', which has a pinning of 8, and libbpf takes 0 and 1 (the first of 2)
loaders do not know the type of programs in section 'kprob/x'
loaders do not know the type of programs in section 'xpd'
plain.o: was compiled without optimization, and verifiers refuse most such code (the first of 2)
weak function 'weak_one' is not defined (the first of 2)" sort <(sed -n 's/.*warning: //p' errors)
grep -qx '>>> also in plainer.o' errors || mistake "another file is not listed: $(<errors)"
