#!/bin/bash
# A map that no kernel creates, or not this one, fails beforehand.
. "$(dirname "$0")/common.sh"

kernel plain <<<'void init(void) {}'

# map NAME DEFINITION: NAME.o has one map
map() {
  compile "$1" <<EOS
struct { $2 } map SEC(".maps");
SEC("xdp") int prog(struct xdp_md *ctx) { return (long)&map == 5; }
EOS
}

map token '__uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 1); __type(key, int); __type(value, int); __uint(map_flags, 1 << 16);'
fits 'prog?' token.o plain.btf --release 6.12.0
says 'whether a loader takes map map, which has BPF_F_TOKEN_FD, which loaders set for a token'
# A kernel's enums list what it is built without.
map sockets '__uint(type, BPF_MAP_TYPE_XSKMAP); __uint(max_entries, 1); __uint(key_size, 4); __uint(value_size, 4);'
compile infrared <<<'SEC("lirc_mode2") int prog(unsigned int *sample) { return 0; }'
echo CONFIG_BPF=y >without
printf '%s\n' CONFIG_BPF=y CONFIG_XDP_SOCKETS=y CONFIG_BPF_LIRC_MODE2=y >with
for object in sockets.o infrared.o; do
  core 1 check $object plain.btf --config without
  core 0 check $object plain.btf --config with
  core 0 check $object plain.btf
done
core 1 check sockets.o infrared.o plain.btf --config without
says 'error: there is no map type xskmap (17) in plain.btf'
says '>>> CONFIG_XDP_SOCKETS is not set'
says 'error: there is no program type lirc_mode2 (20) in plain.btf'
says '>>> CONFIG_BPF_LIRC_MODE2 is not set'

# The newest type
map newest '__uint(type, 35); __uint(max_entries, 1); __uint(map_flags, BPF_F_NO_PREALLOC); __type(key, int); __type(value, int);'
core 1 check newest.o plain.btf
says 'error: there is no map type rhash (35) in plain.btf'

# What programs may do with a map depends on their type: Linux 5.10, 6.1, 6.12, 7.2 and 7.3 gave the verdicts.
uses() { # NAME RELEASE=MARK... <DEFINITION: two programs, of which the second may refer to the map
  local name=$1 release
  { cat
    printf 'SEC("%s") int first(void *ctx) { return (long)&map == 5; }\nSEC("%s") int second(void *ctx) { return (long)&map == 6; }\n' \
      "$2" "$3"; } | compile "$name"
  for release in "${@:4}"; do fits "first${release#*=} second+" "$name.o" plain.btf --release "${release%=*}.0"; done
}
simple='__type(key, int); __type(value, int);'
uses trie uprobe.s uprobe 6.1=X 6.12=X 7.1=? 7.2=+ <<<'struct { __uint(type, BPF_MAP_TYPE_LPM_TRIE); __uint(max_entries, 1); __uint(key_size, 8);
  __uint(value_size, 4); __uint(map_flags, 1); } map SEC(".maps");'
uses queue uprobe.s uprobe 6.1=X 6.5=? 6.12=+ <<<'struct { __uint(type, BPF_MAP_TYPE_QUEUE); __uint(max_entries, 1); __uint(value_size, 4); } map SEC(".maps");'
uses percpu uprobe.s uprobe 6.1=+ <<<"struct { __uint(type, BPF_MAP_TYPE_PERCPU_HASH); __uint(max_entries, 1); $simple } map SEC(\".maps\");"
core 1 check percpu.o plain.btf --release 5.10.0
says 'error: there are no maps of type percpu_hash in programs that sleep, which came with Linux 6.1 in plain.btf'
uses devices uprobe.s xdp 7.3=X <<<"struct { __uint(type, BPF_MAP_TYPE_DEVMAP); __uint(max_entries, 1); $simple } map SEC(\".maps\");"
core 1 check devices.o plain.btf --release 7.3.0
says 'error: no kernel takes maps of type devmap in programs that sleep'
timer() { # FIELD
  echo "struct value { long x; struct $1 field; };
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __type(key, int); __type(value, struct value); } map SEC(\".maps\");"
}
uses timer kprobe tc 5.10=+ 5.15=X 6.12=X 7.1=? 7.2=+ < <(timer bpf_timer)
core 1 check timer.o plain.btf --release 6.1.0
says 'error: there are no maps with a bpf_timer in kprobe programs, which came with Linux 7.2 in plain.btf'
uses lock socket kprobe 6.12=+ < <(echo 'struct bpf_res_spin_lock { int x; };' && timer bpf_res_spin_lock)
core 1 check lock.o plain.btf --release 7.2.0
says 'error: no kernel takes maps with a bpf_res_spin_lock in socket_filter programs in plain.btf'
says 'error: there are no maps with a bpf_res_spin_lock in kprobe programs, which came with Linux 7.3 in plain.btf'
uses spin syscall tc 6.1=X 6.5=? 6.12=+ < <(timer bpf_spin_lock)
uses list kprobe socket 6.1=+ 6.12=X 7.3=X < <(echo 'struct bpf_list_head { long a, b; };' && timer bpf_list_head)
