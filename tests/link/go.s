# A package as a Go compiler makes it: symbols and types whose names have package paths, dots, parentheses and stars, a
# runtime without types, types without .BTF.ext, no license.
.include "btf.inc"

	.section socket,"ax",@progbits
	.p2align 3
	global main.filter, function
	r1 = main.last ll
	r2 = 1
	call "(*main.event).add"
	call "github.com/someone/probe/count.Total"
	exit
	end main.filter

	.text
	.p2align 3
	global "(*main.event).add", function
	r0 = *(u32 *)(r1 + 40)
	r0 += r2
	*(u32 *)(r1 + 40) = r0
	exit
	end "(*main.event).add"

	.hidden runtime.alloc
	global runtime.alloc, function
	r0 = 0
	exit
	end runtime.alloc

	.data
	.p2align 3
	global main.last, object
	.quad "main$string", 3, 0, 0, 0
	.long 1, 0
	.size main.last, 48

	.section .rodata,"a",@progbits
	static "main$string", object
	.ascii "abc"
	.size "main$string", 3

	btf_begin
	type "uint8", INT, 0, 1                              # 1
	.long 8
	type "uint32", INT, 0, 4                             # 2
	.long 32
	type "uintptr", INT, 0, 8                            # 3
	.long 64
	type "*uint8", PTR, 0, 1                             # 4
	type "string", STRUCT, 2, 16                         # 5
	member "ptr", 4, 0
	member "len", 3, 64
	type "[]uint8", STRUCT, 3, 24                        # 6
	member "ptr", 4, 0
	member "len", 3, 64
	member "cap", 3, 128
	type "main.event", STRUCT, 3, 48                     # 7
	member "name", 5, 0
	member "data", 6, 128
	member "total", 2, 320
	type "*main.event", PTR, 0, 7                        # 8
	unnamed FUNC_PROTO, 2, 2                             # 9
	pair "e", 8
	pair "n", 2
	type "(*main.event).add", FUNC, GLOBAL, 9            # 10
	type "main.last", VAR, 0, 7                          # 11
	.long GLOBAL
	type ".data", DATASEC, 1, 48                         # 12
	.long 11, main.last, 48
	btf_end
