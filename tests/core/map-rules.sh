#!/bin/bash
# A map that no kernel creates, or not this one, fails beforehand.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void init(void) {}'

# map NAME DEFINITION: NAME.o has one map
map() {
  compile "$1" <<EOS
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
char LICENSE[] SEC("license") = "GPL";
struct { $2 } map SEC(".maps");
SEC("xdp") int prog(struct xdp_md *ctx) { return (long)&map == 5; }
EOS
}

map ring '__uint(type, BPF_MAP_TYPE_RINGBUF); __uint(max_entries, 4096); __type(value, int);'
core 1 check ring.o plain.btf
says 'error: map map of type ringbuf has a value of 4 bytes: such maps have no values in plain.btf'
map trie '__uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 1); __type(key, long); __type(value, int);'
core 1 check trie.o plain.btf
says '>>> __uint(map_flags, BPF_F_NO_PREALLOC);'
core 1 check trie.o plain.btf --table
[[ $(tail -n 1 core.out) == '0 of 1 program fits plain.btf'* ]] || fail "$(<core.out)"

map empty '__uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __uint(key_size, 0); __type(value, int);'
core 1 check empty.o plain.btf
says 'error: map map of type hash has a key of 0 bytes: it must have 1 or more in plain.btf'
map both '__uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_RDONLY_PROG | BPF_F_WRONLY_PROG);'
core 1 check both.o plain.btf
says 'error: map map of type hash has BPF_F_RDONLY_PROG and BPF_F_WRONLY_PROG in plain.btf'
map storage '__uint(type, BPF_MAP_TYPE_SK_STORAGE); __uint(map_flags, BPF_F_NO_PREALLOC); __uint(key_size, 4); __uint(value_size, 4);'
core 1 check storage.o plain.btf
says '>>> __type(key, int); __type(value, ...);'

# Some came with a release.
map device '__uint(type, BPF_MAP_TYPE_DEVMAP); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 8);'
core 1 check device.o plain.btf --release 5.7.0
says 'error: map map of type devmap has a value of 8 bytes, which came with Linux 5.8 in plain.btf'
core 0 check device.o plain.btf --release 5.8.0
map grown '__uint(type, BPF_MAP_TYPE_PERCPU_CGROUP_STORAGE); __type(key, struct bpf_cgroup_storage_key); __uint(value_size, 8192);'
core 1 check grown.o plain.btf --release 5.10.0
says 'error: map map of type percpu_cgroup_storage has a value of 8192 bytes, which came with Linux 5.15 in plain.btf'
core 0 check grown.o plain.btf --release 5.15.0
map mapped '__uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(map_flags, BPF_F_MMAPABLE);'
core 1 check mapped.o plain.btf --release 5.4.0
says 'error: map map of type array has BPF_F_MMAPABLE, which came with Linux 5.5 in plain.btf'
core 0 check mapped.o plain.btf --release 5.5.0
says_not BPF_F_MMAPABLE

# What user space sets before the load
for definition in 'BPF_MAP_TYPE_STACK_TRACE); __uint(key_size, 4);' \
  'BPF_MAP_TYPE_HASH); __type(key, int); __type(value, int);'; do
  map silent "__uint(type, $definition"
  core 0 check silent.o plain.btf --release 6.12.0
  says_not 'map map'
done

# What cilium/ebpf completes, and libbpf does not
for type in PERF_EVENT_ARRAY PROG_ARRAY CGROUP_ARRAY ARRAY_OF_MAPS; do
  map lacks "__uint(type, BPF_MAP_TYPE_$type); __uint(value_size, 4);"
  fits 'prog?' lacks.o plain.btf --release 6.12.0
  says "whether a loader takes map map, which has no key, which maps of type ${type,,} need and libbpf does not add"
  says '>>> __uint(key_size, sizeof(int));'
  "$BPFLINK" lacks.o -o linked.o 2>core.log
  says "warning: 'map' has no key"
done

# The newest type
map newest '__uint(type, 35); __uint(max_entries, 1); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int);'
core 1 check newest.o plain.btf
says 'error: there is no map type rhash (35) in plain.btf'
