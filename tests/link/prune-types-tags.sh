#!/bin/bash
# --prune-types keeps types that tags name, and structs with members that the kernel manages.
. "$(dirname "$0")/common.sh"
. "$here/prune.inc"

# `holder` has only pointers to all of these.
compile_defined in 'struct far' 'struct tagged' 'struct tagged_member' 'struct node' node_t \
  'struct has_timer' 'struct has_list' 'struct has_kptr' 'struct embeds_kptr' 'struct untagged' 'struct behind_user' 'struct behind_far' -- <<'EOF'
#define __tag(text) __attribute__((btf_decl_tag(text)))
#define __type_tag(text) __attribute__((btf_type_tag(text)))
struct far { int x; };
struct behind_kptr { struct far *far; };
struct behind_user { struct far *far; };
struct tagged { struct far *far; } __tag("note");
struct tagged_member { struct far *far __tag("note"); };
struct node { struct far *far; };
typedef struct behind_alias { struct far *far; } node_t;
#include <linux/version.h>
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
struct bpf_list_head { long x[2]; };
#endif
struct has_timer { struct { struct bpf_timer timers[2]; } within; struct far *far; };
struct has_list { struct bpf_list_head head; };
struct has_kptr { struct behind_kptr __type_tag("kptr") *kept[2]; };
struct embeds_kptr { struct has_kptr kptr; };
struct untagged { struct behind_far __type_tag("user") *user; struct behind_far *same; };
struct behind_far { int x; };
struct holder {
  struct far *far; struct tagged *tagged; struct tagged_member *tagged_member; struct node *node;
  node_t *alias; struct has_timer *has_timer; struct has_list *has_list;
  struct has_kptr *has_kptr; struct embeds_kptr *embeds_kptr; struct untagged *untagged;
  struct behind_user *also_user; struct behind_user __type_tag("user") *user;
} holder;
int list __tag("contains:node:member") __tag("other:node_t");
SEC("socket") long prog(void *ctx) { return (long)&holder + list; }
EOF
prune in.o
declared far untagged
gone behind_far
defined tagged tagged_member node behind_alias has_timer has_list has_kptr embeds_kptr behind_kptr behind_user
