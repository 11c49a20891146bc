#!/bin/bash
# Linking an output again changes no byte: externs, DATASECs without a section, and strings keep
# their order.
. "$(dirname "$0")/common.sh"

compile a <<'END'
extern int CONFIG_HZ __kconfig;
extern const int bpf_prog_active __ksym;
extern void kernel_function(int x) __ksym;
extern const int runqueues __ksym;
extern int other_function(void *x) __ksym __weak;
static volatile int hidden = 3;
SEC("socket") long prog(void *ctx) {
  kernel_function(CONFIG_HZ + hidden);
  return (long)&bpf_prog_active + (long)&runqueues + other_function(ctx);
}
END
compile b <<'END'
extern int other_function(void *x) __ksym __weak;
extern const int first_here __ksym;
extern void last_here(int x) __ksym;
extern int CONFIG_NR_CPUS __kconfig __weak;
int shared = 2;
SEC("socket") long prog2(void *ctx) {
  last_here(CONFIG_NR_CPUS);
  return (long)&first_here + other_function(ctx) + shared;
}
END
for options in '' '-r' '--gc-sections'; do
  for order in 'a.o b.o' 'b.o a.o'; do
    "$BPFLINK" --verify $options $order -o out.o
    cp out.o first.o
    for time in second third; do
      "$BPFLINK" $options out.o -o again.o
      cmp first.o again.o || fail "the $time link with '$options' changes something"
      mv again.o out.o
    done
  done
done
