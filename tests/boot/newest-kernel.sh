#!/bin/bash
# Boots the newest kernel that Debian has now with `bpfcore load`, and loads what tests/run.sh has built:
# each program of each object of tests/api and tests/link, alone, as compiled and as bpflink linked it.
# Fails if a program loads only as compiled, or the kernel disagrees with `bpfcore check`. Groups of
# objects are compared with bpftool's links.
#
#   tests/boot/newest-kernel.sh [SUITE...]    the first that apt reaches; the default is sid trixie
#
# Without a mirror or qemu it prints why it is skipped, and succeeds.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
. tests/boot/boot.sh
. tests/boot/own_objects.sh
PATH=$PATH:/usr/sbin:/sbin
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

skip() {
  echo "SKIPPED: the newest kernel: $*"
  exit 0
}

# fetch_first SUITE...: fetches the kernel of the first suite that can be reached
fetch_first() {
  local suite
  for suite; do
    if why=$(MODULES='' fetch_kernel "$suite" cloud-amd64 "$tmp/kernel"); then return; fi
  done
  return 1
}

((EUID == 0)) || skip 'not root'
[[ -x $OWN_PROGRAMS/bpflink ]] || skip "no $OWN_PROGRAMS/bpflink: run tests/run.sh"
[[ $(uname -m) == x86_64 ]] || skip 'this is no x86-64'
cmake/packages.sh bpf boot >"$tmp/log" 2>&1 || skip "no qemu: $(tail -n 1 "$tmp/log")"
if (($# == 0)); then set -- sid trixie; fi
fetch_first "$@" || skip "$why"
# What the tables of linker/facts say ends with the release that they were asked of.
asked=$(sed -nE 's/.*newest_asked\{([0-9]+), ([0-9]+)\}.*/\1.\2/p' linker/facts/linux_release.hpp)
release=$(printf '%s\n' "$tmp"/kernel/{usr/,}lib/modules/* | sed -nE 's|.*/modules/([0-9]+\.[0-9]+).*|\1|p' | sort -V | tail -n 1)
[[ $(printf '%s\n' "$release" "$asked" | sort -V | tail -n 1) == "$asked" ]] ||
  { echo "Linux $release is newer than $asked: tests/core/calls.sh asks it, then newest_asked" && exit 1; }
make_own_objects "$tmp"

# compile NAME: an object of standard input
compile() {
  clang-19 -g -O2 --target=bpf "-I/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h \
    -include bpf/bpf_helpers.h -x c -c - -o "$tmp/$1.o"
}

# Programs are judged alone, but libbpf loads those of a struct_ops map together. An array of programs
# does without those that are not loaded.
compile ops <<'END'
struct tcp_congestion_ops { unsigned (*ssthresh)(void *), (*undo_cwnd)(void *); char name[16]; };
SEC("struct_ops") int ssthresh(long *ctx) { return 2; }
SEC("struct_ops") int undo_cwnd(long *ctx) { return ctx[9000]; }
SEC(".struct_ops") struct tcp_congestion_ops ops = {(void *)ssthresh, (void *)undo_cwnd, "ops"};
char LICENSE[] SEC("license") = "GPL";
END
compile calls <<'END'
int callee(struct __sk_buff *);
struct {
  __uint(type, BPF_MAP_TYPE_PROG_ARRAY);
  __uint(max_entries, 1);
  __uint(key_size, 4);
  __array(values, int(struct __sk_buff *));
} calls SEC(".maps") = {.values = {(void *)&callee}};
SEC("tc") int callee(struct __sk_buff *skb) { return 0; }
SEC("tc") int caller(struct __sk_buff *skb) { return bpf_tail_call(skb, &calls, 0), 1; }
END
# A function without code is no program.
compile nothing <<'END'
SEC("raw_tp") int something(void *ctx) { return 0; }
asm(".section tc, \"ax\"\n.globl nothing\n.type nothing, @function\nnothing:\n.size nothing, 0\n.text");
char LICENSE[] SEC("license") = "GPL";
END
# Who refuses what: nobody, libbpf, the kernel a map. Guests lack memory and a configuration. Inner maps without
# a size get one. Each is an object: libbpf makes all maps and externs of one.
while IFS='|' read -r name declarations value section; do
  compile "$name" <<END
#define MAP(map, map_type, size, ...) \\
  struct { __uint(type, BPF_MAP_TYPE_##map_type); __uint(max_entries, size); __VA_ARGS__; } map SEC(".maps");
struct inner { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, int); };
$declarations
SEC("${section:-raw_tp}") int $name(void *ctx) { return ${value:-0}; }
char LICENSE[] SEC("license") = "GPL";
END
done <<'END'
ingress|||tcx/ingress
outer|MAP(maps, ARRAY_OF_MAPS, 1, __type(key, int); __array(values, struct inner))
hz|extern int CONFIG_HZ __kconfig;|CONFIG_HZ
nowhere|extern const int absent __ksym;|*(int *)&absent
many|MAP(large, HASH, 1 << 23, __type(key, long); __type(value, char[512]))
odd|MAP(array, ARRAY, 1, __type(key, long); __type(value, int))
END
cp -L "$tmp/kernel/vmlinuz" "$tmp/vmlinuz" # away from its configuration
load_programs "$tmp/alone" "$tmp"/{ops,calls,nothing,ingress,outer,hz,nowhere,many,odd}.o --kernel "$tmp/vmlinuz"
results=$(jq -r '[.programs[] | "\(.program) \(.load.result)"] | sort | join(", ")' "$tmp/alone.json")
[[ $results == 'callee loads, caller loads, hz lacks, ingress loads, many lacks, nothing loader, nowhere loader, odd failed, '\
'outer loads, something loads, ssthresh together, undo_cwnd refused' ]] || { echo "alone: $results" && exit 1; }
jq -e 'any(.programs[].load.message; . == "a function without code is no program")' "$tmp/alone.json" >/dev/null

compare_loads "$tmp" after "$(realpath "$tmp/kernel/vmlinuz")"
judge_loads "$tmp/after.json"
