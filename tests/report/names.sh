#!/bin/bash
# Bytes without a name of their own get one in the report: headers, padding, strings, what the linker
# made. --explain shows why a symbol without references is kept.
. "$(dirname "$0")/common.sh"

compile a <<'END'
struct inner { int x; } *pointers[3];
enum { RED, GREEN } color, shade;
static const char text[] = "in both";
const char *shown = text;
__attribute__((noinline)) int caught(__u64 cookie) { return 0; }
__attribute__((btf_decl_tag("exception_callback:caught"))) SEC("tc") int prog(struct __sk_buff *ctx) {
  struct task { int pid; } __attribute__((preserve_access_index)) *task = (void *)(long)ctx->len;
  return task->pid + color + shade + (pointers[0] != 0);
}
extern int of_nobody(int) __ksym;
int unused(void) { return of_nobody(2); }
END
assemble s <<'END'
.section .rodata.str1.1,"aMS",@progbits,1
.asciz "in both"
.asciz "mo\nre"
.data
.quad 1
global named, object
.quad 2
.size named, 8
END
sed 's/named/other/' s.s | assemble t
"$BPFLINK" a.o s.o t.o --license GPL -o out.o --json report.json
adds_up out.o

# named SECTION FILTER: some node of the section passes the filter
named() { reports "[.nodes[] | select(.section == \"$1\")] | any($2)"; }
named '(ELF header)' '.kind == "header" and .bytes == 64'
named '(section headers)' '.kind == "header" and .bytes % 64 == 0'
named license '.name == "license" and (has("input") | not)'
named .data '.name == "(no symbol)" and .kind == "unnamed" and .bytes == 8'
named .rodata.str1.1 '.name == "mo\nre" and .kind == "string" and .bytes == 6'
named .symtab '.name == "prog" and .kind == "symbol"'
named .strtab '.name == "prog" and .kind == "symbol name"'
named .BTF.ext '.name == "prog" and .kind == "function record"'
named .BTF '.name == "prog" and .kind == "function type"'
named .symtab '.name == "(no name)" and .bytes == 24'
named .strtab '.name == "(empty string)" and .bytes == 1'
named .strtab '.name == ".symtab" and .bytes == 8'
named .BTF '.name == "(empty string)" and .bytes == 1'
named .BTF '.name == "(header)" and .bytes == 24'
named .BTF '.name == "(enum without a name)" and .kind == "enum"'
named .BTF '.kind == "access string" and .name == "0:0"'
named .BTF.ext '.kind == "access" and (.name | test("^a.bpf.c:[0-9]+$"))'
named .BTF '.kind == "file name" and (.name | endswith("a.bpf.c"))'
named .BTF '.kind == "source line" and (.name | contains("task->pid"))'
# A pointer to a struct counts with the variable that needs both.
named .BTF '.name == "pointers" and .kind == "variable type" and .bytes > 60 and .brings > .bytes + 20'
reports 'any(.dropped[]; .file == "t.o" and .reason == "same strings as earlier ones" and .bytes == 14)'

# An alias costs as much as its function.
assemble alias <<'END'
	.section tc,"ax"
	global prog, function
	call other
	exit
	end prog
	.text
	.globl real, other
	static real, function
	call deep
	exit
	end real
	.type other,@function
	.set other, real
	global deep, function
	exit
	end deep
END
"$BPFLINK" alias.o -o out.o --json report.json
reports '.programs[0].all_instructions == 5 and (.programs[0].subprograms | length == 2 and contains(["deep"]))'

# So does a program at whose address the symbol table has a variable as well, before or after it.
sed 's/global prog/.globl table\n\t.size table, 8\n\tstatic table, object\n&/' alias.s | assemble table
"$BPFLINK" table.o -o out.o --json report.json
reports '.programs[0].all_instructions == 5 and .programs[0].name == "prog" and .programs[0].instructions == 2'

# A program whose symbol has no size reaches what its code calls. A function in .bss has no instructions.
{ sed '/end prog/d' alias.s && cat; } <<'END' | assemble sizeless
	.bss
	global zeros, function
	.zero 16
	end zeros
END
"$BPFLINK" sizeless.o -o out.o --json report.json
adds_up out.o
reports '.programs[0].instructions == 0 and .programs[0].all_instructions == 5'
named .bss '.name == "zeros" and .kind == "variable"'

contains '  kept by       what has no reference to it, such as a tag or a table' \
  "$BPFLINK" --gc-sections a.o --license GPL -o out.o --explain caught
contains '  in the output no: nothing refers to it' \
  "$BPFLINK" --gc-sections a.o --license GPL -o out.o --explain of_nobody
