#!/bin/bash
# --explain shows who defines a symbol, which definitions lost, what keeps it, its place, and its type.
. "$(dirname "$0")/common.sh"

three_objects
explain() { "$BPFLINK" {main,lib,table}.o -o out.o "$@" | sed "s|$tmp/||"; }
place() { symbol "$1" | awk '{ printf "%s+0x%x, %d bytes", $4, $5, $6 }'; }

explain --gc-sections >log
expect "twice
  defined by    lib.o:(.text+0x0), lib.bpf.c:4
  overridden    main.o:(.text+0x0), main.bpf.c:7: weak, and lib.o has a strong one
  in the output .text+0x0, $(symbol twice | cut -d ' ' -f 6) bytes
  kept by       program prog -> twice
  type          int twice(int x)" explain --gc-sections --explain twice

# The shortest chain, through a static function
explain >log
at=$(place helper)
expect "helper
  defined by    lib.o:(${at%%,*}), lib.bpf.c:5, static
  in the output $at
  kept by       program prog -> add -> helper
  type          int helper(const char *name)" explain --explain helper

expect "events
  defined by    table.o:(.maps+0x0)
  declared by   main.o
  in the output $(place events)
  kept by       itself: a root (map)
  type          map percpu_hash of 100 entries, __u32 to struct event" \
  explain --explain events

# Symbols that are not in the output, and the effect of an option
contains '  in the output no: not reached from any root' explain --gc-sections --explain unused
contains '  kept by       nothing: --gc-sections would drop it' explain --explain unused
contains '  kept by       itself: a root (-u)' explain --gc-sections -u unused --explain unused
contains '  kept by       itself: a root (program)' explain --explain other
contains '  kept by       itself: a root (license)' explain --explain LICENSE
contains '  kept by       itself: a root (--keep-section)' explain --gc-sections --keep-section .text --explain unused
contains '  kept by       program prog -> limit' explain --explain limit

compile notes -g0 <<<'asm(".section notes,\"\",@progbits; .type note,@object; .size note, 4; note: .long 1");'
contains '  kept by       itself: a root (section that is not loaded)' \
  "$BPFLINK" --gc-sections notes.o -o notes.linked.o --explain note

# One license in two objects
compile licensed <<<'char LICENSE[] SEC("license") = "GPL";'
cp licensed.o again.o
contains '  overridden    again.o:(license+0x0): the same as in licensed.o' "$BPFLINK" licensed.o again.o -o out.o --explain LICENSE

# Two weak definitions; the type of an extern that nobody defines
compile first <<<'__weak int pick(void) { return 1; }'
compile second <<<'__weak int pick(void) { return 2; } extern long maybe __weak; SEC("socket") int prog(void *ctx) { return pick() + (&maybe ? maybe : 0); }
extern int of_kernel(int) __ksym; SEC("socket") int calls(void *ctx) { return of_kernel(1); }'
weak() { "$BPFLINK" {first,second}.o -o out.o "$@" | sed "s|$tmp/||"; }
contains '  overridden    second.o:(.text+0x0), second.bpf.c:1: weak, as in first.o, which comes first' weak --explain pick
expect 'of_kernel
  defined by    the loader (.ksyms)
  declared by   second.o
  in the output as an extern
  type          int of_kernel(int)' weak --explain of_kernel
expect 'maybe
  defined by    nobody
  declared by   second.o
  in the output as an extern
  type          long maybe' weak --explain maybe

# A missing name, and several names at once
refused '--explain twize: no input has a symbol or type of this name, did you mean twice?
bpflink: error: --explain nothing_like_it: no input has a symbol or type of this name' {main,lib,table}.o --explain twize --explain nothing_like_it
