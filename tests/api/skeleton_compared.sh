#!/bin/bash
# Compares skeletons and subskeletons with bpftool's, for the objects of tests/link that link alone.
# The structs have the same members, except for the differences in bpfskel(1), and all of bpftool's
# functions exist. Subskeletons request the same things from libbpf.
. "$(dirname "$0")/common.sh"
sources=$here/../link

# Writes each program that a case compiles to a file.
awk -v end="'EOF'" '
  $1 == "compile" && $NF == "<<" end { file = sprintf("%03d.bpf.c", ++n); next }
  /^compile [^<$]* <<<'"'"'/ { is_text = 1; file = sprintf("%03d.bpf.c", ++n); sub(/^[^<]*<<<./, "") }
  is_text {
    is_text = !sub(/'"'"'$/, "")
    print >file
    if (!is_text) file = ""
    next
  }
  $0 == "EOF" { file = "" }
  file { print >file }' "$sources"/*.sh

# the_struct NAME: a skeleton's struct, without intended differences (const of pointers, bool, hosts of 32 bits), and without
# the empty structs that bpftool before 7.4 makes for sections without visible variables
the_struct() {
  sed -n "/^struct $1 {/,/^#ifdef __cplusplus/p" | sed '/^#if __SIZEOF_POINTER__/d; /^#else/,/^#endif/d' | sed "/struct $1__[a-z_0-9]* {$/{N;/\\n[[:space:]]*} \*\?[a-z_0-9]*;$/d}" | sed 's/\<const \([a-z_0-9 ]*\*\)/\1/g; s/\<_Bool\>/bool/; s/[[:space:]]\+/ /g'
}
functions_of_peer() { tr '\n' ' ' | grep -oE "\b$1__(open_opts|open|load|open_and_load|attach|detach|destroy|elf_bytes|create_skeleton|assert)\(" | tr -d '(' | sort -u; }

# pointers: a subskeleton's struct without comments, with C declarators in place of bpftool's typeof:
# for structs, pointers to functions, names, arrays
pointers() {
  sed -E 's/__typeof__/typeof/; s/typeof\((struct|union|enum) \{/\1 {/
    s/typeof\((.*\()\*([^()]*\)\(.*\))\) \*(\w+);/\1**\3\2;/
    s/typeof\(([^][]*)\) \*(\w+);/\1 *\2;/
    s/(typeof\(|^ ?\})([^][]*)((\[[0-9]*\])+)\) \*(\w+);/\1\2 (*\5)\3;/
    s/typeof\(//; s/\*( \*)+/**/; s|; /\*.*|;|'
}
# The requests of a subskeleton to libbpf: name, map and place of each variable, map and program
asked_for() {
  # bpftool since 7.5 has `map = ... s->maps + 2 * ...; map->name = ...` for s->maps[2].name.
  awk '/map = .* \* s->map_skel_sz/ { sub(/.*s->maps \+ /, ""); number = $1 }
    { sub(/map->/, "s->maps[" number "].") } /^[ \t]*s->(vars|maps|progs)\[/' |
    tr -d '[:space:]' | tr ';' '\n' | sort
}

# bpfskel omits hidden variables, as bpftool does since libbpf 1.5.
hidden='__attribute__((visibility("hidden"))) int state = 5;'
printf '%s int shown = 6; SEC("socket") int match(void *ctx) { return state + shown; }\n' "$hidden" >hidden.c
"$CLANG" -g -O2 --target=bpf -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h -include bpf/bpf_helpers.h \
  -c hidden.c -o hidden.o
"$BPFSKEL" --name p hidden.o >ours.h
grep -qw 'int shown;' ours.h || fail 'no variable'
if grep -qw 'int state;' ours.h; then fail 'a hidden variable is a member'; fi
bpftool gen skeleton hidden.o name p >peer.h
shows_hidden=$(grep -cw 'int state;' peer.h || true)

compared=0 subskeletons=0
for source in *.bpf.c; do
  name=${source%%.*}
  if grep -qE 'address_space|"\.bss\.|\.struct_ops' "$source"; then continue; fi # unknown to this bpftool
  if ((shows_hidden)) && grep -qE 'hidden' "$source"; then continue; fi
  "$CLANG" -g -O2 --target=bpf -mcpu=v3 -w -I"/usr/include/$(uname -m)-linux-gnu" -include linux/bpf.h \
    -include bpf/bpf_helpers.h -c "$source" -o "$name.o" 2>log || continue
  "$BPFLINK" "$name.o" -o linked.o 2>log || continue
  bpftool gen skeleton linked.o name p >peer.h 2>log || continue
  "$BPFSKEL" --name p "$name.o" >ours.h 2>log || fail "$source: $(<log)"
  if grep -q 'long: 64' peer.h; then continue; fi # ours has bytes in place of such members
  diff <(the_struct p <peer.h) <(the_struct p <ours.h) >log ||
    fail "$(<"$source")"$'\n'"bpftool's struct (<) and bpfskel's (>) differ: $(<log)"
  diff <(functions_of_peer p <peer.h) <(functions_of_peer p <ours.h) >log || fail "other functions: $(<log)"
  compared=$((compared + 1))

  bpftool gen subskeleton linked.o name p >peer.h 2>log || fail "bpftool: $(<log)"
  [[ -s peer.h ]] || continue # bpftool prints nothing for strings without types
  "$BPFSKEL" --subskeleton --name p "$name.o" >ours.h 2>log || fail "$source: $(<log)"
  diff <(the_struct p <peer.h | pointers) <(the_struct p <ours.h | pointers) >log ||
    fail "$(<"$source")"$'\n'"bpftool's subskeleton (<) and bpfskel's (>) differ: $(<log)"
  diff <(asked_for <peer.h) <(asked_for <ours.h) >log || fail "$source: libbpf is asked for other things: $(<log)"
  subskeletons=$((subskeletons + 1))
done
echo "$compared objects, $subskeletons subskeletons"
((compared >= 40 && subskeletons >= 40)) || fail 'fewer than 40 objects'
