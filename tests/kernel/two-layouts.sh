#!/bin/bash
# Three files, two layouts of one struct: what it computes is wrong, and nothing but the warning
# says so.
. "$(dirname "$0")/common.sh"

compile main <<'END'
struct ev { int pid; int cpu; long when; };
int fill(struct ev *e);
int score(struct ev *e);
SEC("socket") int prog(void *ctx) {
  struct ev e = {};
  fill(&e);
  return score(&e);
}
END
compile fill <<'END'
struct ev { int pid; int cpu; long when; };
int fill(struct ev *e) {
  if (e) *e = (struct ev){.pid = 2, .cpu = 7, .when = 40};
  return 0;
}
END
score='int score(struct ev *e) { return e ? e->pid + e->when : 0; }'
compile score <<<"struct ev { int pid; int cpu; long when; }; $score"
link main.o fill.o score.o 2>warnings
[[ ! -s warnings ]] || fail "of one layout: $(<warnings)"
run 'prog()=42'

compile score <<<"struct ev { int pid, when; }; $score"
link main.o fill.o score.o 2>warnings
run 'prog()=9'
grep -q ": warning: 'struct ev' has two layouts, in score.o and main.o" warnings ||
  fail "no warning, but: $(<warnings)"
