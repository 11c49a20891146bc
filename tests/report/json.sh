#!/bin/bash
# --json reports the cost of each program, map and variable, what the link dropped and why, and where
# every byte of the output comes from.
. "$(dirname "$0")/common.sh"

three_objects
"$BPFLINK" --gc-sections {main,lib,table}.o -o out.o --json report.json
adds_up out.o

# Programs: the size in the symbol table gives a program's own instructions.
prog=$(($(symbol prog | cut -d ' ' -f 6) / 8))
reports ".programs | map(.name) | sort == [\"other\", \"prog\"]"
all=0
for function in prog add twice helper; do all=$((all + $(symbol $function | cut -d ' ' -f 6) / 8)); done
reports ".programs[] | select(.name == \"prog\") | .section == \"xdp\" and .type == \"xdp\" and .attach_type == \"xdp\" and .instructions == $prog and
  .all_instructions == $all and (.subprograms | sort) == [\"add\", \"helper\", \"twice\"] and .maps == [\"events\"] and
  (.variables | sort) == [\"limit\", \"mine\", \"theirs\"]"
# An event has 20 bytes on the stack; add(), which prog calls, has a name of 24.
reports '.programs[] | select(.name == "prog") | .stack >= 20 and .deepest_stack >= .stack + 24'
reports '.programs[] | select(.name == "other") | .all_instructions == .instructions and .subprograms == [] and .stack == 0'

# Maps: 100 elements with a key of 4 bytes and a value of 20, both padded to 8; a ring buffer of 4096.
reports '.maps[] | select(.name == "events") | .type == "percpu_hash" and .key == "__u32" and .value == "struct event" and
  .key_size == 4 and .value_size == 20 and .entries == 100 and .bytes == 3200 and .per_cpu and .pinning == "by name" and
  .programs == ["prog"]'
reports '.maps[] | select(.name == "ring") | .type == "ringbuf" and .bytes == 4096 and .pinning == "none" and .programs == []'

reports '.variables[] | select(.name == "theirs") | .section == ".data" and .type == "struct ours" and .bytes == 16 and
  .linkage == "global" and .programs == ["prog"]'

# Two structs of one name, and their difference
reports '.tags | map(.name) == ["struct ours"]'
reports '.tags[0] | .definitions == 2 and (.difference | contains("ours.first: int in main.o, long in lib.o"))'

# The origin of bytes, and what needs a type
size=$(symbol add | cut -d ' ' -f 6)
reports ".nodes[] | select(.section == \".text\" and .name == \"add\") | .kind == \"function\" and .bytes == $size and .input == 1"
reports '. as $all | any(.nodes[]; .kind == "struct" and .name == "ours" and $all.nodes[.needed_by].name == "theirs" and
  $all.nodes[.needed_by].kind == "variable type" and $all.nodes[.dominator].name == "theirs")'
reports '[.nodes[] | select(.kind == "line records") | .name] | contains(["add", "prog", "twice"])'
reports '[.nodes[] | select(.section == ".symtab")] | length == ([.[].bytes] | add) / 24'

# Only prog calls add(), which alone calls helper(). Both programs are roots.
reports '. as $all | .nodes[] | select(.name == "helper" and .kind == "function") |
  $all.nodes[.program].name == "prog" and $all.nodes[.dominator].name == "add" and $all.nodes[.needed_by].name == "add"'
reports '.nodes[] | select(.name == "events" and .kind == "map") | .root == "map"'
reports '[.nodes[] | select(.root == "program") | .name] | sort == ["other", "prog"]'
# A map needs the type of its values.
reports '. as $all | .nodes[] | select(.name == "event" and .kind == "struct") | .member == "value" and
  $all.nodes[.needed_by].name == "events"'

# Lines: each instruction belongs to one line.
reports '([.lines[].instructions] | add) == ([.nodes[] | select(.kind == "program" or .kind == "function") | .bytes] | add) / 8'
reports '.lines[0].file | endswith(".bpf.c")'

# What was dropped, from which file and why
reports 'any(.dropped[]; .file == "main.o" and .name == "twice" and .reason == "overridden by that of lib.o" and .bytes > 0)'
reports 'any(.dropped[]; .file == "lib.o" and .name == "unused" and .reason == "not reached from any root" and .bytes > 0)'
reports 'any(.dropped[]; .file == "table.o" and .reason == "DWARF" and .bytes > 0)'
reports 'any(.dropped[]; .file == "table.o" and .section == ".BTF" and .reason == "types equal to earlier ones")'
reports 'any(.dropped[]; .reason == "types not needed, or written anew by the linker")'
reports 'any(.dropped[]; .file == "table.o" and .section == ".BTF" and .reason == "strings equal to earlier ones" and .bytes > 50)'
reports 'any(.dropped[]; .file == "main.o" and .reason == "strings not needed")'
reports '[.dropped[] | select(.reason == "header of .BTF") | [.file, .bytes]] == [["lib.o", 24], ["table.o", 24]]'

# Older fields stay.
reports '.files == ["main.o", "lib.o", "table.o"] and .objects == 3 and .types.in > .types.out'

# A pinning value that libbpf does not know is shown as a number.
compile pinned <<<'struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, 1); __uint(pinning, 77);
  __type(key, __u32); __type(value, __u32); } pinned SEC(".maps");'
"$BPFLINK" pinned.o -o out.o --json report.json
reports '.maps[0].pinning == "77"'

# Programs that share very many functions do not fill the report: the last ones omit the functions.
for i in {1..600}; do
  printf '%s\n' .text ".type f$i,@function" "f$i:" '.rept 10' "call f$((i > 1 ? i - 1 : 1))" .endr exit ".size f$i, .-f$i"
  printf '%s\n' '.section tc,"ax"' ".globl p$i" ".type p$i,@function" "p$i:" 'call f600' exit ".size p$i, .-p$i"
done >many.s
clang-19 --target=bpf -c many.s -o many.o
"$BPFLINK" many.o -o out.o --json report.json
reports '.programs | length == 600'
reports '.programs[0] | .all_instructions == 6602 and (.subprograms | length == 600)'
reports '.programs[-1] | .all_instructions == 2 and .subprograms == []'
