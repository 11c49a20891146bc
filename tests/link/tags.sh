#!/bin/bash
# Declaration tags of functions, parameters, variables, structs and members stay on what they mark,
# and so do type tags.
. "$(dirname "$0")/common.sh"

cat >tag.h <<'EOF'
#define __tag(x) __attribute__((btf_decl_tag(x)))
#define __type_tag(x) __attribute__((btf_type_tag(x)))
struct node { int value __tag("of member"); struct node __type_tag("kptr") *next; } __tag("of struct");
EOF
compile a -I. <<'EOF'
#include "tag.h"
int pad;
__noinline int walk(struct node *head __tag("arg:nonnull")) __tag("of function") { return head->value; }
SEC("socket") int prog(void *ctx) { struct node n = {pad}; return walk(&n); }
EOF
compile b -I. <<'EOF'
#include "tag.h"
struct node list __tag("of variable");
__noinline int count(int start, struct node *head __tag("arg:nullable")) { return start + (head != 0); }
SEC("socket") int prog2(void *ctx) { return count(1, &list); }
EOF
link a.o b.o

expect 'tag arg:nonnull on walk 0;
tag arg:nullable on count 1;
tag of function on walk;
tag of member on node 0;
tag of struct on node;
tag of variable on list;' grep ^tag <(declarations)
contains 'struct node { int value; struct node __attribute__((btf_type_tag("kptr"))) *next;};' types
expect 1 grep -c "DECL_TAG 'of member'" <(bpftool btf dump file out.o)
