#!/bin/bash
# Two stages of -r keep .kconfig and .ksyms externs, weak externs that stay undefined, and a map and
# an arena variable that only the last file defines.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
#define __arena __attribute__((address_space(1)))
extern int CONFIG_HZ __kconfig;
extern const void schedule __ksym;
extern int absent __weak;
extern int __arena shared;
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } m SEC(".maps");
SEC("syscall") int a(void *ctx) {
  int key = 0;
  return CONFIG_HZ + (long)&schedule + (&absent ? absent : 0) + shared + (bpf_map_lookup_elem(&m, &key) != 0);
}
EOF
compile b <<'EOF'
extern int CONFIG_HZ __kconfig;
extern const void schedule __ksym __weak;
extern int CONFIG_BPF __kconfig __weak;
SEC("syscall") int b(void *ctx) { return CONFIG_HZ + CONFIG_BPF + (long)&schedule; }
EOF
compile c <<'EOF'
#define __arena __attribute__((address_space(1)))
long __arena before = 1;
int __arena shared = 2;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 2); __type(key, int); __type(value, long); } m SEC(".maps");
EOF
differs '- refused: *' 'the peer asks for the size of what is declared twice in .ksyms'
link a.o b.o c.o
mv out.o whole.o

everything() { view "${object:-out.o}"; references; func_info; bytes .addr_space.1; }
"$BPFLINK" -r a.o b.o -o ab.o
python3 "$bpfobj" check ab.o
expect 'NOTYPE GLOBAL DEFAULT UND 0 0' eval 'object=ab.o symbol m'
"$BPFLINK" -r ab.o -o ab2.o
cmp ab.o ab2.o
"$BPFLINK" ab2.o c.o -o out.o
python3 "$bpfobj" check out.o
expect "$(object=whole.o everything)" everything
