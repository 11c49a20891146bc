#!/bin/bash
# Damaged objects are refused, or linked right: mutated_links.py holds what is linked against its inputs.
. "$(dirname "$0")/common.sh"

cat >a.c <<'END'
static volatile int table[4] = {1, 2, 3, 4};
static __attribute__((noinline)) int inner(int x) { return table[x & 3]; }
int helper(int x);
extern int shared;
__attribute__((weak, noinline)) int both(int x) { return table[x & 1]; }
__attribute__((section("socket"))) int prog(void *ctx) {
  return inner(1) + helper(2) + inner(3) + both(1) + shared;
}
END
cat >b.c <<'END'
static volatile int table[4] = {5, 6, 7, 8};
int shared = 5;
static const volatile int constant = 3;
static __attribute__((noinline)) int inner(int x) { return table[x & 3] + constant; }
static __attribute__((noinline)) int other(int x) { return inner(x) + "string"[x & 3]; }
__attribute__((noinline)) int helper(int x) { return other(x) + inner(x + 1); }
__attribute__((noinline)) int both(int x) { return table[x & 3]; }
END
cat >c.c <<'END'
static volatile long list[3] = {1, 2, 3};
static const char *names[2] = {"one", "two"};
extern int shared;
int late __attribute__((weak)) = 1;
struct task { int pid; struct task *next; } __attribute__((preserve_access_index));
struct {
  int (*type)[1];
  int (*max_entries)[4];
  int *key;
  long *value;
} table __attribute__((section(".maps")));
static long (*lookup)(void *map, const void *key) = (void *)1;
static long (*for_each)(void *map, void *callback, void *ctx, long flags) = (void *)164;
static __attribute__((noinline)) long walk(long i) { return list[i % 3] + late; }
static long each(void *map, const void *key, void *value, void *ctx) { return walk(1); }
__attribute__((section("socket"))) int first(struct task *t) {
  int key = 0;
  return t->next->pid + (lookup(&table, &key) != 0) + walk(2) + for_each(&table, each, 0, 0);
}
__attribute__((section("socket"))) int second(void *t) {
  return walk(1) + names[shared & 1][0] + list[1];
}
END
for name in a b c; do "$CC" -g -O2 --target=bpf -mcpu=v3 -c $name.c -o $name.o; done
python3 "${bpfobj%/*}/mutated_links.py" "$BPFLINK" 1 500 a.o b.o c.o
