#!/bin/bash
# Reading inputs with several threads gives the same output as with one: types omitted where they
# came first, names that mean two things in one object, unused types. So do the messages.
. "$(dirname "$0")/common.sh"

sources=24
for ((i = 0; i < sources; i++)); do
  compile "o$i" -DNUMBER="$i" <<'EOS'
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
struct shared { struct shared *next; int value; };
struct unused { long of_no_use; struct shared *reached; };
/* Called by all, defined by the one in the middle: FUNCs that are omitted. */
int total(struct shared *s);
#if NUMBER == 12
int total(struct shared *s) { return s ? s->value : 0; }
#endif
/* Defined by all, and for good by the last. */
#if NUMBER == 23
int chosen(struct shared *s) { return s ? 2 : 1; }
#else
__attribute__((weak)) int chosen(struct shared *s) { return s ? 2 : 1; }
#endif
__attribute__((noinline)) static int helper(struct shared *s) { return s ? s->value : NUMBER; }
#if NUMBER % 5 == 1
__attribute__((noinline)) static int other(void) {
  struct pair { long a, b; struct shared *s; };
  static struct pair pair SEC(".data.other") = {1, 2};
  ++pair.a;
  return pair.b;
}
#endif
__attribute__((noinline)) static int both(void) {
  struct pair { int a, b; struct shared *s; };
  static struct pair pair SEC(".data.pair") = {1, 2};
  ++pair.a;
  return pair.b;
}
struct unused *GLUE(unused_, NUMBER);
SEC("socket") int GLUE(program_, NUMBER)(struct __sk_buff *skb) {
  struct shared s = {0, NUMBER};
  int sum = total(&s) + chosen(&s) + helper(&s) + both();
#if NUMBER % 5 == 1
  sum += other();
#endif
  return sum;
}
char GLUE(license_, NUMBER)[] SEC("license") = "GPL";
EOS
done

objects=()
for ((i = 0; i < sources; i++)); do objects+=("o$i.o"); done
for option in --verify --gc-sections; do
  "$BPFLINK" $option --threads 1 "${objects[@]}" -o one.o
  for threads in 2 3 100; do
    "$BPFLINK" $option --threads $threads "${objects[@]}" -o several.o
    cmp one.o several.o || fail "$option: $threads threads make something else"
  done
done

link "${objects[@]}"
expect 1 eval 'types | grep -c "^struct shared {"'
expect 2 eval 'types | grep -Ec "^struct pair(___2)? {"'

# The link reports every bad input, in the order of the command line.
for i in 3 11 19; do head -c $((1000 + i)) "o$i.o" >"bad$i.o"; done
bad=(o1.o bad11.o o2.o missing.o bad3.o o4.o bad19.o)
link_fails --threads 1 "${bad[@]}"
cp errors one.errors
expect $'bad11.o\nmissing.o\nbad3.o\nbad19.o' eval "grep -o 'error: [a-z0-9]*\.o' one.errors | sed 's/error: //'"
link_fails --threads 3 "${bad[@]}"
cmp one.errors errors
