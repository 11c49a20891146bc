#!/bin/bash
# --prune-types with several definitions of one name: it turns all or none into one declaration, and
# merges types that differed only in them.
. "$(dirname "$0")/common.sh"
. "$here/prune.inc"

# holder VARIABLE: a source that lacks definitions of struct shared and struct looked_at
holder() {
  echo "
  struct user { struct shared *shared; struct looked_at *looked_at; };
  struct both { struct shared *shared; };
  struct user $1; struct both both_of_$1;
  SEC(\"socket\") long prog_$1(void *ctx) { return (long)&$1 + (long)&both_of_$1; }"
}
a='struct shared { int a; }; struct looked_at { int a; };'
b='struct shared { long b; int a; }; struct looked_at { long b; };'
c='struct shared; struct looked_at;'
compile_defined a 'struct shared' 'struct looked_at' -- <<<"$a $(holder a)"
compile_defined b 'struct shared' 'struct looked_at' -- <<<"$b $(holder b) struct looked_at value;"
compile c <<<"$c $(holder c)"
cp a.o in.o
for order in 'a.o b.o c.o' 'c.o b.o a.o' 'b.o a.o' 'c.o a.o'; do
  # shellcheck disable=SC2086 # several words
  prune $order
  expect FWD kinds shared
  expect STRUCT kinds both
  case $order in
    *c.o*b.o* | *b.o*c.o*) expect $'FWD\nSTRUCT\nSTRUCT' sort <(kinds looked_at) ;;
    *b.o*) expect $'STRUCT\nSTRUCT' kinds looked_at ;;
    *) expect FWD kinds looked_at ;;
  esac
done
