# A Rust program as aya's toolchain makes it: one object, already linked. Types and functions have names that C forbids,
# pointers have names; memset() and the panic functions have no types; an unnamed constant has its own section; a legacy
# map; no license, no line_info.
.include "btf.inc"

	.section xdp,"ax",@progbits
	.p2align 3
	global count, function
.Lbegin_count:
	r1 = r10
	r1 += -16
	r2 = 0
	r3 = 16
	call memset
	r6 = EVENTS ll
	r1 = ARGS ll
	r1 += 16
	call "_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE"
	r7 = .L__unnamed_1 ll
	r2 = *(u8 *)(r7 + 3)
	r0 += r2
	exit
	end count

	.text
	.p2align 3
	static "_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE", function
.Lbegin_unwrap:
	r0 = *(u32 *)(r1 + 4)
	r1 = *(u32 *)(r1 + 0)
	if r1 != 0 goto .Lsome
	call "_ZN4core9panicking5panic17hfedcba9876543210E"
.Lsome:
	exit
	end "_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE"

	.globl memset
	.hidden memset
	static memset, function
.Lnext:
	if r3 == 0 goto .Lfilled
	*(u8 *)(r1 + 0) = r2
	r1 += 1
	r3 += -1
	goto .Lnext
.Lfilled:
	r0 = r1
	exit
	end memset

	.section .text.unlikely.,"ax",@progbits
	.p2align 3
	static "_ZN4core9panicking5panic17hfedcba9876543210E", function
	r0 = 0
	exit
	end "_ZN4core9panicking5panic17hfedcba9876543210E"

	.section maps,"aw",@progbits
	.p2align 2
	global EVENTS, object
	.long 2, 4, 8, 1, 0, 0, 0
	.size EVENTS, 28

	.section .rodata..L__unnamed_1,"a",@progbits
	static .L__unnamed_1, object
	.ascii "called `Option::unwrap()` on a `None` value"
	.size .L__unnamed_1, 43

	.data
	.p2align 3
	global ARGS, object
	.quad 0, 3
	.long 1, 4
	.size ARGS, 24

	btf_begin
	type "u8", INT, 0, 1                                 # 1
	.long 8
	type "u32", INT, 0, 4                                # 2
	.long 32
	type "usize", INT, 0, 8                              # 3
	.long 64
	type "*const u8", PTR, 0, 1                          # 4
	type "&[u8]", STRUCT, 2, 16                          # 5
	member "data_ptr", 4, 0
	member "length", 3, 64
	type "Option<u32>", STRUCT, 2, 8                     # 6
	member "__tag", 2, 0
	member "__0", 2, 32
	type "core::fmt::Arguments", STRUCT, 2, 24           # 7
	member "pieces", 5, 0
	member "width", 6, 128
	type "core::fmt::rt::Alignment", ENUM, 2, 4          # 8
	pair "Left", 0
	pair "Right", 1
	type "&mut core::option::Option<u32>", PTR, 0, 6     # 9
	unnamed FUNC_PROTO, 1, 2                             # 10
	pair "self", 9
	type "unwrap<u32>", FUNC, STATIC, 10                 # 11
	type "c_void", ENUM, 1, 4                            # 12
	pair "__variant1", 0
	type "*mut core::ffi::c_void", PTR, 0, 12            # 13
	unnamed FUNC_PROTO, 1, 2                             # 14
	pair "ctx", 13
	type "count", FUNC, GLOBAL, 14                       # 15
	type "ARGS", VAR, 0, 7                               # 16
	.long GLOBAL
	type ".data", DATASEC, 1, 24                         # 17
	.long 16, ARGS, 24
	func_info "xdp", .Lbegin_count, 15, ".text", .Lbegin_unwrap, 11
	btf_end
