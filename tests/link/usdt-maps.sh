#!/bin/bash
# libbpf's usdt.bpf.h defines weak maps and weak functions in every file that includes it. A link of
# three such files has one of each.
. "$(dirname "$0")/common.sh"

for n in 1 2 3; do
  compile f$n -DNO=$n <<'EOF'
struct pt_regs;
#include <bpf/bpf_core_read.h>
struct spec { long offset; int kind; };
struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 256);
  __type(key, int);
  __type(value, struct spec);
} __usdt_specs SEC(".maps") __weak;
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 1024);
  __type(key, long);
  __type(value, __u32);
} __usdt_ip_to_spec_id SEC(".maps") __weak;
extern const _Bool LINUX_HAS_BPF_COOKIE __kconfig;

static __always_inline int spec_id(struct pt_regs *ctx) {
  if (!LINUX_HAS_BPF_COOKIE) {
    long ip = NO;
    int *id = bpf_map_lookup_elem(&__usdt_ip_to_spec_id, &ip);
    return id ? *id : -1;
  }
  return bpf_get_attach_cookie(ctx);
}
__weak __hidden int arg_count(struct pt_regs *ctx) {
  int id = spec_id(ctx);
  struct spec *spec = bpf_map_lookup_elem(&__usdt_specs, &id);
  return spec ? spec->kind : -1;
}
#define CONCAT(a, b) a##b
#define PROGRAM(n) CONCAT(prog, n)
SEC("kprobe") int PROGRAM(NO)(struct pt_regs *ctx) { return arg_count(ctx); }
EOF
done
link f1.o f2.o f3.o

expect $'__usdt_specs 0 32\n__usdt_ip_to_spec_id 32 32' datasec .maps
contains '.maps SHT_PROGBITS 64 AW 8' sections
expect 'OBJECT GLOBAL DEFAULT .maps 0 32' symbol __usdt_specs
expect 'LINUX_HAS_BPF_COOKIE' variables .kconfig
[[ $(symbols | grep -c '^arg_count FUNC WEAK HIDDEN .text 0 ') == 1 ]]
[[ $(func_info | grep -c arg_count) == 1 ]]
[[ $(references | grep -c '^prog[123].* call arg_count$') == 3 ]]
