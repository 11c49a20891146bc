#!/bin/bash
# What threads read and sort is merged as what is read one after the other: types that are
# left out where they came first, names that mean two things in one object, unused types. An
# object that is made large by a section that nobody links has threads take the others.
. "$(dirname "$0")/common.sh"

# Too much to be copied from a file that is not kept: its names, or its contents.
{
  echo 'enum names {'
  printf 'a_name_that_is_long_as_there_are_to_be_many_bytes_of_names_%d,\n' {1..300}
  echo '};'
} >names.h

sources=24
for ((i = 0; i < sources; i++)); do
  compile "o$i" -DNUMBER="$i" <<'EOS'
#define GLUE_(a, b) a##b
#define GLUE(a, b) GLUE_(a, b)
struct shared { struct shared *next; int value; };
struct unused { long of_no_use; struct shared *reached; };
/* Called by all, defined by the one in the middle: FUNCs that are left out. */
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
  pair.a++;
  return pair.b;
}
#endif
__attribute__((noinline)) static int both(void) {
  struct pair { int a, b; struct shared *s; };
  static struct pair pair SEC(".data.pair") = {1, 2};
  pair.a++;
  return pair.b;
}
struct unused *GLUE(unused_, NUMBER);
#if NUMBER == 7
#include "names.h"
enum names name = 1;
#endif
#if NUMBER == 8
char contents[20000] SEC(".data.contents") = {1};
#endif
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

head -c 400000 /dev/zero >padding
objects=()
for ((i = 1; i < sources; i++)); do objects+=("o$i.o"); done
processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
for large in 0 1; do
  llvm-objcopy-19 --add-section=.debug_padding=padding "o$large.o" large.o
  others=()
  for ((i = 0; i < sources; i++)); do ((i == large)) || others+=("o$i.o"); done
  for option in --verify --gc-sections; do
    "$BPFLINK" $option "o$large.o" "${others[@]}" -o serial.o
    "$BPFLINK" $option large.o "${others[@]}" -o parallel.o
    cmp serial.o parallel.o
    taskset -c "$processor" "$BPFLINK" $option large.o "${others[@]}" -o alone.o
    cmp serial.o alone.o
  done
done

link o0.o "${objects[@]}"
expect 1 eval 'types | grep -c "^struct shared {"'
expect 2 eval 'types | grep -Ec "^struct pair(___2)? {"'
