#!/bin/bash
# CO-RE relocations of every kind, in two sections of two files with different type ids and strings:
# each still names its type, its access string and its instruction.
. "$(dirname "$0")/common.sh"

cat >core.h <<'EOF'
#include <bpf/bpf_core_read.h>
#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct inner { int x; long y; };
struct outer { char c; struct inner in[3]; unsigned bits : 5; int negative : 7; };
#pragma clang attribute pop
enum color { RED = 1, GREEN = 2 };
enum wide : unsigned long long { HUGE = 0x123456789abc };
EOF
compile a -I. <<'EOF'
#include "core.h"
SEC("socket") int field(struct __sk_buff *ctx) {
  struct outer *o = (void *)(long)ctx->mark;
  return o->in[2].y + bpf_core_field_offset(o->in[1]) + bpf_core_field_size(o->c) +
         bpf_core_field_exists(o->in) + __builtin_preserve_field_info(o->negative, BPF_FIELD_SIGNED) +
         __builtin_preserve_field_info(o->bits, BPF_FIELD_LSHIFT_U64) +
         __builtin_preserve_field_info(o->bits, BPF_FIELD_RSHIFT_U64);
}
EOF
compile b -I. <<'EOF'
struct shifts_the_ids { struct shifts_the_ids *next; } first;
#include "core.h"
SEC("xdp") int type(struct xdp_md *ctx) {
  return bpf_core_type_id_local(struct inner) + bpf_core_type_id_kernel(struct outer) +
         bpf_core_type_exists(struct inner) + bpf_core_type_size(struct outer) +
         bpf_core_type_matches(struct inner);
}
SEC("socket") int enums(struct __sk_buff *ctx) {
  return bpf_core_enum_value_exists(enum color, GREEN) + bpf_core_enum_value(enum color, RED) +
         bpf_core_enum_value(enum wide, HUGE);
}
EOF
kinds() { core_relo | sed 's/+[^ ]*//' | sort; }
link a.o b.o

expect "$({ object=a.o kinds; object=b.o kinds; } | sort)" kinds
expect 'enums enumval_exists enum color 1
enums enumval_value enum color 0
enums enumval_value enum wide 0
field byte_off struct outer 0:1:1
field byte_off struct outer 0:1:2:1
field byte_sz struct outer 0:0
field field_exists struct outer 0:1
field lshift_u64 struct outer 0:2
field rshift_u64 struct outer 0:2
field signed struct outer 0:3
type local_type_id struct inner 0
type target_type_id struct outer 0
type type_exists struct inner 0
type type_matches struct inner 0
type type_size struct outer 0' kinds
