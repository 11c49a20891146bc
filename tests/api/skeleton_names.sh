#!/bin/bash
# Skeletons compile in every language, whatever names variables, maps, programs and members have, and with
# empty structs, bool, and bytes that could continue an escape.
. "$(dirname "$0")/common.sh"

cpp='and and_eq bitand bitor catch class co_await co_return co_yield compl concept consteval constinit const_cast decltype delete
  dynamic_cast explicit export friend mutable namespace new noexcept not not_eq operator or or_eq private protected public
  reinterpret_cast requires static_cast template this throw try typeid typename using virtual xor xor_eq'
newer_c='alignas alignof constexpr false linux nullptr static_assert thread_local true typeof_unqual unix'
rust='type self crate super _ Self fn let match mod move mut ref impl trait use where async await dyn box final override priv
  abstract become macro unsized yield in loop pub gen core u8 str Option'
ours='new_ new__ open load attach maps progs links obj skeleton data bss rodata'
for name in $cpp $newer_c $rust $ours; do
  echo "int $name = 1; struct { int $name; struct { char $name; } inner; } in_$name;" >>variables.c
  echo "SEC(\"socket\") int $name(void *ctx) { return 0; }" >>programs.c
  echo "struct { int (*type)[2]; int (*max_entries)[1]; int *key; struct { int $name; } *value; } $name SEC(\".maps\");" >>maps.c
done
for name in bool char8_t wchar_t errno; do # types and macros of headers
  echo "int $name; struct { int $name; union { long (*$name)(int $name, char new); } inner; } in_$name;" >>variables.c
done
cat >>variables.c <<'END'
char bytes[] = "\0001\1112\778?\?=?\?/?\?'\\\"\n\r\t\v\f\b\a\377 \0 \0" "00" "\1" "7";
END
cat >empty.c <<'END'
struct empty {}; union nothing {}; typedef struct {} alias;
struct empty one; union nothing two; alias three[3]; struct {} four; union {} five; int after = 2;
struct { struct empty none; int last; } six; struct { union {} none; struct {} nones[2]; long last; } seven; char eight[0];
_Bool flag = 1; struct { _Bool flag; enum { new, delete } mode; } inner;
END
grep '^struct empty' empty.c | head -n 1 >user.inc
echo '#include "skel.h"' >>user.inc

compilers=("$CC -std=c11 -x c" "$CC -x c" "$CXX -std=c++11 -x c++" "$CXX -std=c++17 -x c++" "$CXX -std=c++20 -x c++"
  "$CLANG -std=c11 -x c" "$CLANG -std=c23 -x c")
if echo '#include <utility>' | "$CLANG" -fsyntax-only -x c++ - 2>log; then
  compilers+=("$CLANG -std=c++11 -x c++" "$CLANG -std=c++17 -x c++" "$CLANG -std=c++20 -x c++")
fi
compiles() { # in every language
  local compiler
  for compiler in "${compilers[@]}"; do
    $compiler -Wall -Wextra -Werror -fsyntax-only user.inc 2>log || fail "$compiler: $(head -n 20 log)"
  done
}

for object in variables programs maps empty; do
  "$CLANG" -g -O2 --target=bpf -w -D'SEC(name)=__attribute__((section(name), used))' -c $object.c
  for name in x $([[ $object != empty ]] || echo new open nullptr); do
    "$BPFSKEL" -q --cpp --name $name $object.o -o skel.h
    compiles
    "$BPFSKEL" -q --subskeleton --name $name $object.o -o skel.h
    compiles
  done
  "$BPFSKEL" -q --rust --name self $object.o -o skel.rs
  if command -v rustc >/dev/null; then
    rustc --edition 2021 --crate-type lib --emit metadata skel.rs 2>log || fail "$object in Rust: $(<log)"
  fi
done

# In C the names are the object's; C++ has a trailing `_` that no other name has.
"$BPFSKEL" -q --name x variables.o -o skel.h
echo '#include "skel.h"
int in_c(struct x *s) { return s->data->new + s->data->class + s->bss->in_new.new; }' >user.c
"$CC" -Wall -Werror -c user.c
echo '#include "skel.h"
int in_cpp(struct x *s) { return s->data->new___ + s->data->class___ + s->data->nullptr___ + s->bss->in_new.new___; }' >user.cpp
"$CXX" -Wall -Werror -c user.cpp

# The header has the object's bytes, also where trigraphs mean something.
"$BPFLINK" -q variables.o -o linked.o
echo '#include "skel.h"
#include <stdio.h>
int main(void) { size_t size; const void *bytes = x__elf_bytes(&size); fwrite(bytes, 1, size, stdout); }' >user.c
for standard in gnu17 c11; do
  "$CC" -std=$standard user.c -o user -lbpf
  ./user | cmp - linked.o || fail 'other bytes than those of bpflink'
done
(($(wc -c <skel.h) < 6 * $(wc -c <linked.o))) || fail 'escapes are not short'

# Names that would end a string, in the languages' own ways, are names.
cat >odd.c <<'EOS'
struct { int (*type)[2]; int (*max_entries)[1]; int *key; int *value; }
  odd_map __asm__("m??/\";puts(\"no\");//$image$names") SEC(".maps");
SEC("socket") int odd_prog(void *ctx) __asm__("p\\\";//??/");
SEC("socket") int odd_prog(void *ctx) { return 0; }
EOS
"$CLANG" -g -O2 --target=bpf -w -D'SEC(name)=__attribute__((section(name), used))' -c odd.c
"$BPFSKEL" -q --name x odd.o -o skel.h
echo '#include "skel.h"
#include <stdio.h>
int main(void) { struct x *s = x__open(); return !s || puts(s->skeleton->maps[0].name) < 0 || puts(s->skeleton->progs[0].name) < 0; }' >names.c
for standard in gnu17 c11; do
  "$CC" -std=$standard -w names.c -o names -lbpf
  printf '%s\n' 'm??/";puts("no");//$image$names' 'p\";//??/' | diff - <(./names 2>&1) || fail "other names with $standard"
done
"$BPFSKEL" -q --rust --name x odd.o -o skel.rs
grep -qF '"m??/\";puts(\"no\");//$image$names"' skel.rs || fail 'another name in Rust'

# Many zeros are no text: the bytes are the same.
printf '.section .data,"aw"\n.byte 1,0,2\n.zero 5000\n.byte 0x22\n.zero 4095\n.byte 1\n.section .addr_space.1,"aw"\n.zero 9000\n' >zeros.s
"$CLANG" --target=bpf -c zeros.s -o zeros.o
"$BPFLINK" -q zeros.o -o linked.o
cp user.c user.cpp
for language in c cpp; do
  "$BPFSKEL" -q --$language --name x linked.o -o skel.h
  (($(wc -c <skel.h) < 16000)) || fail "zeros take $(wc -c <skel.h) bytes of text"
  if [[ $language == cpp ]]; then compiler=$CXX; else compiler=$CC; fi
  "$compiler" -Wall -Wextra -Werror user.$language -o user -lbpf
  ./user | cmp - linked.o || fail "other bytes in $language"
done
