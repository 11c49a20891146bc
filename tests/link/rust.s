# A Rust program as aya's toolchain makes it: one object, already linked. Types and functions have names that C forbids,
# pointers have names; memset() and the panic functions have no types; an unnamed constant has its own section; a legacy
# map; no license, no line_info.
.include "btf.inc"

	.section xdp,"ax",@progbits
	.globl count
	.p2align 3
	.type count,@function
count:
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
	.size count, .-count

	.text
	.p2align 3
	.type "_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE",@function
"_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE":
.Lbegin_unwrap:
	r0 = *(u32 *)(r1 + 4)
	r1 = *(u32 *)(r1 + 0)
	if r1 != 0 goto .Lsome
	call "_ZN4core9panicking5panic17hfedcba9876543210E"
.Lsome:
	exit
	.size "_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE", .-"_ZN4core6option15Option$LT$T$GT$6unwrap17h0123456789abcdefE"

	.globl memset
	.hidden memset
	.type memset,@function
memset:
.Lnext:
	if r3 == 0 goto .Lfilled
	*(u8 *)(r1 + 0) = r2
	r1 += 1
	r3 += -1
	goto .Lnext
.Lfilled:
	r0 = r1
	exit
	.size memset, .-memset

	.section .text.unlikely.,"ax",@progbits
	.p2align 3
	.type "_ZN4core9panicking5panic17hfedcba9876543210E",@function
"_ZN4core9panicking5panic17hfedcba9876543210E":
	r0 = 0
	exit
	.size "_ZN4core9panicking5panic17hfedcba9876543210E", .-"_ZN4core9panicking5panic17hfedcba9876543210E"

	.section maps,"aw",@progbits
	.globl EVENTS
	.p2align 2
	.type EVENTS,@object
EVENTS:
	.long 2, 4, 8, 1, 0, 0, 0
	.size EVENTS, 28

	.section .rodata..L__unnamed_1,"a",@progbits
	.type .L__unnamed_1,@object
.L__unnamed_1:
	.ascii "called `Option::unwrap()` on a `None` value"
	.size .L__unnamed_1, 43

	.data
	.globl ARGS
	.p2align 3
	.type ARGS,@object
ARGS:
	.quad 0, 3
	.long 1, 4
	.size ARGS, 24

	btf_begin
	type .Lu8, INT, 0, 1                        # 1
	.long 8
	type .Lu32, INT, 0, 4                       # 2
	.long 32
	type .Lusize, INT, 0, 8                     # 3
	.long 64
	type .Lconst_u8, PTR, 0, 1                  # 4
	type .Lslice, STRUCT, 2, 16                 # 5
	member .Ldata_ptr, 4, 0
	member .Llength, 3, 64
	type .Loption, STRUCT, 2, 8                 # 6
	member .Ltag, 2, 0
	member .Lzero, 2, 32
	type .Larguments, STRUCT, 2, 24             # 7
	member .Lpieces, 5, 0
	member .Lwidth, 6, 128
	type .Lalignment, ENUM, 2, 4                # 8
	.long .Lleft-.Lstrings, 0
	.long .Lright-.Lstrings, 1
	type .Lmut_option, PTR, 0, 6                # 9
	unnamed FUNC_PROTO, 1, 2                    # 10
	.long .Lself-.Lstrings, 9
	type .Lunwrap, FUNC, STATIC, 10             # 11
	type .Lc_void, ENUM, 1, 4                   # 12
	.long .Lvariant-.Lstrings, 0
	type .Lmut_void, PTR, 0, 12                 # 13
	unnamed FUNC_PROTO, 1, 2                    # 14
	.long .Lctx-.Lstrings, 13
	type .Lcount, FUNC, GLOBAL, 14              # 15
	type .LARGS, VAR, 0, 7                      # 16
	.long GLOBAL
	type .Ldata, DATASEC, 1, 24                 # 17
	.long 16, ARGS, 24
	strings_begin
	string .Lu8, "u8"
	string .Lu32, "u32"
	string .Lusize, "usize"
	string .Lconst_u8, "*const u8"
	string .Lslice, "&[u8]"
	string .Ldata_ptr, "data_ptr"
	string .Llength, "length"
	string .Loption, "Option<u32>"
	string .Ltag, "__tag"
	string .Lzero, "__0"
	string .Larguments, "core::fmt::Arguments"
	string .Lpieces, "pieces"
	string .Lwidth, "width"
	string .Lalignment, "core::fmt::rt::Alignment"
	string .Lleft, "Left"
	string .Lright, "Right"
	string .Lmut_option, "&mut core::option::Option<u32>"
	string .Lself, "self"
	string .Lunwrap, "unwrap<u32>"
	string .Lc_void, "c_void"
	string .Lvariant, "__variant1"
	string .Lmut_void, "*mut core::ffi::c_void"
	string .Lctx, "ctx"
	string .Lcount, "count"
	string .LARGS, "ARGS"
	string .Ldata, ".data"
	string .Lxdp, "xdp"
	string .Ltext, ".text"
	strings_end
	func_info .Lxdp, .Lbegin_count, 15, .Ltext, .Lbegin_unwrap, 11
