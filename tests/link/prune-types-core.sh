#!/bin/bash
# --prune-types keeps the types that CO-RE relocations name and the types on the way of their
# accesses; for bpf_core_type_matches(), everything that the type reaches.
. "$(dirname "$0")/common.sh"
. "$here/prune.inc"

source='
#include <bpf/bpf_core_read.h>
struct far { int x; };
struct read { struct { int nameless; struct part { struct far *far; int number; } parts[2]; }; struct far *behind; };
struct matched { struct matched_next *next; };
struct matched_next { struct matched_far *far; };
struct matched_far { int x; };
struct sized { struct far *far; };
struct existing { struct far *far; };
struct local { struct far *far; };
struct in_callback { struct far *far; };
typedef int callback_t(struct in_callback *);
enum choice { LEFT = 7, RIGHT };
struct unread { struct far *far; };
struct holder {
  struct read *read; struct matched *matched; struct sized *sized; struct existing *existing;
  struct local *local; callback_t *callback; struct unread *unread;
} holder;
SEC("socket") long prog(void *ctx) {
  struct read *read = holder.read;
  return (long)__builtin_preserve_access_index(&read->parts[1].number) +
    bpf_core_field_size(read->behind) + __builtin_preserve_type_info(*(struct matched *)0, 2) +
    bpf_core_type_size(struct sized) + bpf_core_type_exists(struct existing) +
    bpf_core_type_id_local(struct local) + bpf_core_type_id_kernel(callback_t) +
    bpf_core_enum_value(enum choice, RIGHT);
}'
for target in bpf bpfeb; do
  compile_defined in 'struct far' 'struct unread' 'struct in_callback' 'struct matched_next' 'struct matched_far' -- \
    --target=$target <<<"$source"
  prune in.o
  declared far unread
  defined read part matched matched_next matched_far sized existing local in_callback
  expect "$(object=in.o core_relo | sort)" sort <(core_relo)
  expect 'ENUM' kinds choice
done
