#!/bin/bash
# The link warns if two files lay out a struct that they exchange differently, anywhere in the type
# of a shared symbol. Such a program computes wrong values without any other message.
. "$(dirname "$0")/common.sh"

# differ TAG PATH A B: the two files, linked in either order, have two layouts of TAG, reached by PATH
differ() {
  compile a <<<"$3"
  compile b <<<"$4"
  local order
  for order in 'a.o b.o' 'b.o a.o'; do
    # shellcheck disable=SC2086 # two words
    "$BPFLINK" --no-check-pointers $order -o out.o 2>all || fail "$1: $(<all)"
    # What a loader says of such programs is another case.
    grep -vE "warning: (a program re(ads|fers to) |global function )" all >warnings || true
    [[ $(grep -c warning: warnings) == 1 ]] || fail "not one warning about $1: $(<warnings)"
    grep -q ": warning: '$1' has two layouts, in " warnings || fail "$1: $(<warnings)"
    grep -qxF ">>> both are reached through $2" warnings || fail "$1 at $2: $(<warnings)"
  done
}

short='struct ev { int pid; long when; };'
long='struct ev { int pid; int cpu; int id; long when; };'
use='SEC("socket") int prog(void *ctx) { struct ev e = {}; return f(&e); }'
f='int f(struct ev *e) { return e->when; }'

differ 'struct ev' 'f (parameter 1)' "$short int f(struct ev *e); $use" "$long $f"
differ 'struct ev' 'f (parameter 1)' "$short __weak $f $use" "$long $f"
differ 'struct ev' 'f (return value)' "$short struct ev *f(void);
SEC(\"socket\") int prog(void *ctx) { struct ev *e = f(); return e ? e->when : 0; }" \
  "$long struct ev e; struct ev *f(void) { return &e; }"
differ 'struct ev' 'v' "$short extern struct ev *v;
SEC(\"socket\") int prog(void *ctx) { return v->when; }" "$long struct ev e, *v = &e;"
differ 'struct ev' 'v[]' "$short extern struct ev *v[4];
SEC(\"socket\") int prog(void *ctx) { return v[1]->when; }" "$long struct ev e, *v[4] = {&e};"
differ 'struct ev' 'f (parameter 1)->last[]' \
  "$short struct log { struct ev last[2]; }; int f(struct log *l);
SEC(\"socket\") int prog(void *ctx) { struct log l = {}; return f(&l); }" \
  "$long struct log { struct ev last[2]; }; int f(struct log *l) { return l->last[1].when; }"
differ 'struct ev' 'v.value->e' \
  "$short struct slot { struct ev *e; }; struct ev known;
extern struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, struct slot);
                __uint(max_entries, 1); } v SEC(\".maps\");
SEC(\"socket\") int prog(void *ctx) { int key = 0; return bpf_map_lookup_elem(&v, &key) != 0; }" \
  "$long struct slot { struct ev *e; }; struct ev made;
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __type(key, int); __type(value, struct slot);
         __uint(max_entries, 1); } v SEC(\".maps\");"
differ 'struct ev' 'f (parameter 1) (parameter 1)' \
  "$short typedef int (*visitor)(struct ev *); int f(visitor v);
static __noinline int visit(struct ev *e) { return e->when; }
SEC(\"socket\") int prog(void *ctx) { return f(visit); }" \
  "$long typedef int (*visitor)(struct ev *); int f(visitor v) { return v != 0; }"
differ 'pos' 'f (parameter 1)->at' \
  "typedef struct { int x, y; } pos; struct ev { pos *at; }; static pos p; int f(struct ev *e); int known(void) { return p.x; } $use" \
  "typedef struct { int y, x; } pos; struct ev { pos *at; }; pos q;
int f(struct ev *e) { return e->at->x; }"
differ 'enum e' 'f (parameter 1)->kind' \
  "enum e { NONE, OPEN }; struct ev { enum e kind; }; int f(struct ev *e); $use" \
  "enum e { NONE, CREATE, OPEN }; struct ev { enum e kind; };
int f(struct ev *e) { return e->kind == OPEN; }"
differ 'union ev' 'f (parameter 1)' \
  "union ev { int a; long b; }; int f(union ev *e);
SEC(\"socket\") int prog(void *ctx) { union ev e = {1}; return f(&e); }" \
  "union ev { int a; short b; }; int f(union ev *e) { return e->b; }"
# One difference each: offset, width, bit-field, size, one more member
for other in 'long when; int pid;' 'int pid; int when;' 'int pid; long when:60;' \
  'int pid; long when; } __attribute__((aligned(32))); struct other {' \
  'int pid; long when; int more;'; do
  differ 'struct ev' 'f (parameter 1)' "$short int f(struct ev *e); $use" "struct ev { $other }; $f"
done

# Words, not parts of words, say that a member is padding. Of a struct of one's own, the name does
# not matter.
for member in ipaddr keypad padlock lpadding reserved_bytes bytesUnused; do
  differ 'struct ev' 'f (parameter 1)' "$short int f(struct ev *e); $use" \
    "struct ev { int pid; int $member; long when; }; $f"
done
for tag in file sock inode cred task_struct dentry perf_event completion; do
  differ "struct $tag" 'f (parameter 1)' "${short/ev/$tag} ${f/ev/$tag}" \
    "${long/ev/$tag} int f(struct $tag *e); ${use//ev/$tag}"
done
# A count is the largest value, and its name has the word.
for name in SEND LINUM CLIMAX BLAST IP_MAXIMIZE; do
  differ 'enum e' 'f (parameter 1)->kind' \
    "enum e { NONE, $name }; struct ev { enum e kind; }; int f(struct ev *e); $use" \
    "enum e { NONE, CREATE, $name }; struct ev { enum e kind; }; int f(struct ev *e) { return e->kind == $name; }"
done
differ 'enum e' 'f (parameter 1)->kind' \
  "enum e { NONE, SEEK_END, CLOSE }; struct ev { enum e kind; }; int f(struct ev *e); $use" \
  "enum e { NONE, CREATE, SEEK_END, CLOSED }; struct ev { enum e kind; }; int f(struct ev *e) { return e->kind; }"

# First one layout, then two: `score` reads `when` where `fill` wrote `cpu`.
compile main <<<"struct ev { int pid; int cpu; long when; }; int fill(struct ev *e); int score(struct ev *e);
SEC(\"socket\") int prog(void *ctx) { struct ev e = {}; fill(&e); return score(&e); }"
compile fill <<<'struct ev { int pid; int cpu; long when; };
int fill(struct ev *e) { if (e) *e = (struct ev){.pid = 2, .cpu = 7, .when = 40}; return 0; }'
score='int score(struct ev *e) { return e ? e->pid + e->when : 0; }'
compile score <<<"struct ev { int pid; int cpu; long when; }; $score"
link main.o fill.o score.o 2>warnings
[[ ! -s warnings ]] || fail "of one layout: $(<warnings)"
run 'prog()=42'
compile score <<<"struct ev { int pid, when; }; $score"
link main.o fill.o score.o 2>warnings
grep -q ": warning: 'struct ev' has two layouts, in score.o and main.o" warnings ||
  fail "no warning, but: $(<warnings)"
run 'prog()=9'

# Three different layouts get one warning.
compile main <<<"$short int f(struct ev *e); int g(struct ev *e);
SEC(\"socket\") int prog(void *ctx) { struct ev e = {1}; return f(&e) + g(&e); }"
compile b <<<"$long $f"
compile c <<<"struct ev { long when; int pid; }; int g(struct ev *e) { return e->when; }"
"$BPFLINK" main.o b.o c.o -o out.o 2>warnings
[[ $(grep -c warning: warnings) == 1 ]] || fail "not one warning: $(<warnings)"

# --no-warn-odr and -q are silent; --fatal-warnings fails.
"$BPFLINK" --no-warn-odr --fatal-warnings main.o b.o c.o -o out.o 2>warnings
"$BPFLINK" -q main.o b.o c.o -o out.o 2>>warnings
[[ ! -s warnings ]] || fail "not silent: $(<warnings)"
refused "error: 'struct ev' has two layouts, in b.o and main.o" --fatal-warnings main.o b.o c.o
