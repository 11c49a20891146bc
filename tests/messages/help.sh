#!/bin/bash
# --help: each option with its text.
. "$(dirname "$0")/common.sh"

expect 'Links BPF objects into one, with their BTF deduplicated.
Usage: bpflink [OPTION]... FILE... -o OUTPUT

  FILE                        Objects and archives to link

Options:
  -o,--output FILE            Write the linked object to FILE
  -r,--relocatable            Partial link: leave externs that nobody defines to
                              a later link
  --threads N                 Use N threads (default: by the size of the inputs)

Inputs:
  -l,--library NAME           Link with the archive libNAME.a
  -L,--library-path DIR       Look for archives in DIR
  --whole-archive             Link all members of the following archives
  --no-whole-archive          Link only needed members of the following archives
  --license TEXT              Use this license in place of the inputs'"'"'
  --no-check-types            Warn of conflicting types instead of failing
  --no-check-pointers         Warn of pointers in data instead of failing
  --no-warn-odr               Do not warn of structs that have two layouts

Contents:
  --gc-sections               Drop what no program, map or struct_ops variable
                              reaches
  --gc-constants              Drop const volatile variables, too, which user
                              space may set
  --gc-maps                   Drop maps, too, that nothing refers to
  --print-gc-sections         List what --gc-sections drops
  -u,--undefined SYMBOL       Keep SYMBOL, and look it up in archives
  --keep-section PATTERN      Keep sections that match PATTERN
  --keep-type NAME            Keep types of this name, such as task_struct
  --keep-debug                Keep and merge DWARF
  -S,--strip-debug            Drop DWARF (the default)
  --strip-line-info           Drop the source lines that the verifier'"'"'s log
                              shows
  --target classic-header     Give .BTF the header of 24 bytes that all loaders
                              read, without a layout section
  --prune-types               Only declare structs behind pointers that nothing
                              looks into
  --shrink                    Drop all that --print-sizes says can be saved
  --kernel-names              Rename types whose names kernels refuse, such as
                              those of Rust

Symbols:
  --localize-hidden           Make hidden definitions local, except maps
  --redefine-sym OLD=NEW      Rename the symbol OLD to NEW in all inputs
  --prefix-symbols PREFIX     Put PREFIX before the names of all symbols
  --prefix-symbols-of FILE=PREFIX
                              Put PREFIX before the names of symbols that FILE
                              defines
  -x,--discard-all            Drop local symbols that nothing needs: labels,
                              file names, variables
  -s,--strip-all              -x and -S: drop all that loaders do not need

LLVM bitcode:
  --lto-O N                   Optimize files of bitcode, joined, as -ON does: 0
                              to 3 (default: 2)
  --lto-cpu NAME              Compile bitcode for NAME, as -mcpu does (default:
                              as it says)
  --lto-library FILE          Use this library of LLVM (default: the newest one)
  --lto-target bpf            Compile bitcode of other targets without a warning
  --lto-timeout SECONDS       Processor time for LLVM (default: 300; 0: any)
  --lto-memory MIB            Memory for LLVM (default: 4096; 0: any)
  --fat-lto                   Use the bitcode of objects that have both
  --save-temps                Write the bitcode beside the output, joined and
                              optimized
  --lto-emit-asm              Write assembly of the joined bitcode, and no
                              object

Reports:
  -Map,--Map FILE             Write a map of the output'"'"'s sections to FILE
  --cref                      Print who defines and who uses each symbol
  -y,--trace-symbol SYMBOL    Print each file that defines or uses SYMBOL
  --dependency-file FILE      Write the inputs to FILE as a make rule
  --emit-stats                Print figures of the link
  --json FILE                 Write figures and the contents of the output to
                              FILE as JSON
  --size-map FILE             Write an HTML page to FILE that shows what the
                              output'"'"'s bytes are for
  --size-map-against FILE     Compare sizes with those in FILE, an earlier
                              output'"'"'s --json
  --print-sizes[=N]           Print the N costliest programs, maps, types,
                              source lines and files; without N, 10
  --explain SYMBOL            Print why SYMBOL or a type, such as '"'"'struct NAME'"'"',
                              is in the output
  --reproduce FILE            Write the inputs and options to FILE as a tar, for
                              a bug report

Messages:
  -v,--verbose                Print what is read, kept and dropped, and why
  -q,--quiet                  Print no warnings
  --verify                    Read the output back and check it before it
                              replaces the target
  --fatal-warnings            Treat warnings as errors
  --error-limit N             Print at most N errors (default: 20); 0 prints all
  --color-diagnostics auto|always|never
                              Color messages: auto (on a terminal), always or
                              never
  --json-diagnostics          Print messages as JSON, one on each line

General:
  -h,--help                   Print this help and exit
  --version                   Print the version and exit

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if the output was written, else with 1 and the output unchanged.' "$BPFLINK" --help

expect 'Merges equal types of BTF.
Usage: btfdedup [OPTION]... INPUT... -o FILE
       btfdedup [OPTION]... [INPUT...] --update FILE
       btfdedup --target TARGET INPUT -o FILE
       btfdedup --check INPUT...

  INPUT                       Raw BTF, ELF files with .BTF, archives of these,
                              kernels in every form, directories, - for standard
                              input

Options:
  -o,--output FILE            Write the BTF to FILE (- for standard output)
  --elf                       Make the output an ELF object with a section .BTF
  --update FILE               Replace the section .BTF of the ELF file FILE;
                              without INPUT, by its own types
  --base FILE                 The BTF that the inputs are split from, which is
                              not changed; repeat it for a chain of bases
  --flatten                   Merge the base into the output, which then needs
                              no base
  --distill                   Add a section .BTF.base, so that the output fits
                              other builds of the base
  --linked FILE               Write BTF for the ELF file FILE that the inputs
                              were linked into, with FUNCs and per-CPU VARs from
                              its symbols; without INPUT, from its own types
  --sort                      Sort the types by name
  --target TARGET             Write the BTF of the one INPUT for an older
                              reader: linux-N.N, such as linux-5.4, or
                              classic-header. Nothing is merged: types keep
                              their ids
  --check                     Report whether kernels, or that of --target,
                              accept the BTF of the inputs, and since which
                              Linux; write nothing
  --verify                    Warn of types in the output that kernels reject
  --explain TYPE              Explain who needs '"'"'struct NAME'"'"' (or union, enum,
                              typedef, func, var), and why it occurs more than
                              once
  --dump c|raw                Print the types as C or as a numbered list (raw)
  --size-map FILE             Write to FILE a page for browsers that shows where
                              the output'"'"'s bytes come from
  --print-sizes[=N]           Print the N costliest types; without N, 10
  --stats                     Print counts, sizes and times
  --json                      Print the statistics, or the results of --check,
                              as JSON
  --threads N                 Use N threads (default: by the size of the inputs)

General:
  -h,--help                   Print this help and exit
  --version                   Print the version and exit

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if all was done (--check: all is accepted), else with 1 and the output unchanged.' "$BTFDEDUP" --help

# bpfskel has bpflink's link options as well.
of_link() { sed -n '/^Inputs:/,/^Messages:/p'; }
cmp <("$BPFLINK" --help | of_link) <("$BPFSKEL" --help | of_link) || mistake 'bpfskel --help: other options'
expect 'Links BPF objects and writes a skeleton of the result.
Usage: bpfskel [OPTION]... FILE... [-o OUTPUT]

  FILE                        Objects and archives to link

Options:
  -o,--output FILE            Write the skeleton to FILE instead of standard
                              output
  --name NAME                 Name the skeleton NAME (default: from the first
                              FILE)
  --c                         Write a header for C and C++ (the default)
  --cpp                       Write the header with a class that owns it
  --rust                      Write a module for Rust
  --libbpf-rs                 Write a module for Rust and the crate libbpf-rs
  --subskeleton               Write a header for a library that is linked into a
                              larger object
  --threads N                 Use N threads (default: by the size of the inputs)' bash -c '"$0" --help | sed -n "1,/^Inputs:/p" | head -n -2' "$BPFSKEL"

expect '
General:
  -h,--help                   Print this help and exit
  --version                   Print the version and exit

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if the skeleton was written, else with 1 and the output unchanged.' \
  bash -c '"$0" --help | tail -n 7' "$BPFSKEL"

"$BPFLINK" --version | grep -Ex 'bpflink [0-9]+\.[0-9]+\.[0-9]+' >/dev/null
"$BTFDEDUP" --version | grep -Ex 'btfdedup [0-9]+\.[0-9]+\.[0-9]+' >/dev/null
"$BPFSKEL" --version | grep -Ex 'bpfskel [0-9]+\.[0-9]+\.[0-9]+' >/dev/null
