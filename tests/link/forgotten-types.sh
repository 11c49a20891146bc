#!/bin/bash
# The link removes types that only resolved declarations or losing definitions used. Types that an
# input did not use, or that another declaration uses, stay.
. "$(dirname "$0")/common.sh"

compile a <<'EOF'
struct same { int value; };
struct seen_by_a { struct seen_by_a *next; int (*call)(long named); };
struct same __attribute__((btf_decl_tag("tagged"))) shown;
extern struct seen_by_a list[];
int count(struct seen_by_a *first, struct same *, unsigned char mode);
__attribute__((weak)) unsigned long long lost(struct seen_by_a *first) { return first != 0; }
SEC("socket") int prog(void *ctx) { return count(list, &shown, 2) + lost(0); }
EOF
compile b <<'EOF'
struct same { int value; };
struct seen_by_a { struct seen_by_a *next; int (*call)(long named); };
struct seen_by_a list[3];
int count(struct seen_by_a *first, struct same *second, unsigned char mode) {
  return first->next != 0 && second && mode;
}
unsigned long long lost(struct seen_by_a *first) { return first == 0; }
EOF
compile c <<'EOF'
struct kept { int value; };
struct kept *unreached;
SEC("socket") int other(void *ctx) { return unreached != 0; }
EOF

# count PATTERN FILE: how many types of FILE match
count() { bpftool btf dump file "$2" | grep -cE "$1" || true; }
nameless="^	'\\(anon\\)' type_id="

link a.o b.o
[[ $(count "$nameless" a.o) -gt 1 ]] || fail 'the extern has names'
expect 1 count "$nameless" out.o # the prototype of `call`
expect 1 count "STRUCT 'seen_by_a'" out.o
expect 1 count "DECL_TAG 'tagged'" out.o
expect "$(count ARRAY b.o)" count ARRAY out.o

# A tag stays if its type stays for another object. Linking again changes nothing.
changes_nothing

# Types that the input did not use stay even if others go.
python3 "$bpfobj" set c.o free.o 'type:unreached:type=type("int")'
"$BPFLINK" a.o b.o free.o -o out.o
expect 1 count "$nameless" out.o
kept=$(bpftool btf dump file out.o | sed -n "s/^\[\([0-9]*\)\] STRUCT 'kept'.*/\1/p")
expect 1 count "PTR '\\(anon\\)' type_id=$kept\$" out.o

# An extern left to a later link keeps its prototype.
"$BPFLINK" -r a.o -o part.o
expect "$(count "$nameless" a.o)" count "$nameless" part.o

# A variable and a CO-RE relocation use types that otherwise only a losing definition uses; the
# winner's types have other members.
compile d <<'EOF'
struct looked_at { int only_looked_at; } __attribute__((preserve_access_index));
struct held { int only_held; struct { char only_within; } within; };
struct held here;
__attribute__((weak)) int twice(struct looked_at *p, struct held *q) { return p == 0; }
SEC("socket") int looks(void *ctx) {
  return twice(0, &here) + ((struct looked_at *)ctx)->only_looked_at;
}
EOF
compile e <<'EOF'
struct looked_at { long other; };
struct held { long another; };
int twice(struct looked_at *p, struct held *q) { return q != 0; }
EOF
"$BPFLINK" --no-warn-odr d.o e.o -o out.o
expect 1 count only_held out.o
expect 1 count only_within out.o
expect 1 count only_looked_at out.o
