#!/bin/bash
# --help: what stands around the options, and how they are set. install/options.sh holds the options against manual
# pages and completions.
. "$(dirname "$0")/common.sh"

# around PROGRAM: its --help without the groups of options
around() { "$1" --help | sed '/^[A-Z][A-Za-z ]*:$/,/^$/d'; }
expect 'Links BPF objects into one, with their BTF deduplicated.
Usage: bpflink [OPTION]... FILE... -o OUTPUT

  FILE                        Objects and archives to link

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if the output was written, else with 1 and the output unchanged.' around "$BPFLINK"
expect 'Merges equal types of BTF.
Usage: btfdedup [OPTION]... INPUT... -o FILE
       btfdedup [OPTION]... [INPUT...] --update FILE
       btfdedup --target TARGET INPUT -o FILE
       btfdedup --check INPUT...

  INPUT                       Raw BTF, ELF files with .BTF, archives of these,
                              kernels in every form, directories, - for standard
                              input

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if all was done (--check: all is accepted), else with 1 and the output unchanged.' around "$BTFDEDUP"
expect 'Links BPF objects and writes a skeleton of the result.
Usage: bpfskel [OPTION]... FILE... [-o OUTPUT]

  FILE                        Objects and archives to link

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if the skeleton was written, else with 1 and the output unchanged.' around "$BPFSKEL"

expect 'Reports which kernels BPF programs fit, and extracts the kernel types that they need.
Usage: bpfcore check [OPTION]... PROGRAM... KERNEL...
       bpfcore load [OPTION]... PROGRAM... KERNEL...
       bpfcore minimize [OPTION]... PROGRAM... KERNEL... -o DIR

  check                       Report which kernels the programs fit
  load                        Boot the kernels, and load the programs there
  minimize                    Extract the kernel types that the programs need
  FILE                        A BPF object, or a kernel: an image, a BTF file,
                              or a directory of these

@FILE stands for the arguments in FILE, separated by white space.
Exits with 0 if nothing fails, with 1 if something does, and with 2 if nothing could be checked.
load exits with 2 if a program was not run, and with 3 if only libbpf refuses programs.
check and load print problems to standard error; they write the table and the files
also if something fails. minimize exits with 1 on errors, and leaves the old output.' around "$BPFCORE"
expect 'Kernels: For check and load: For load: For minimize: General:' eval '"$BPFCORE" --help | grep "^[A-Z].*:$" | xargs'
# Options are at the left or after a comma, their texts in a column of their own, up to column 80.
expect '' eval 'for program in "$BPFLINK" "$BTFDEDUP" "$BPFSKEL" "$BPFCORE"; do "$program" --help | sed -n "/^[A-Z][A-Za-z ]*:\$/,/^\$/p"; done |
  { grep -vE "^$|^[A-Z][A-Za-z ]*:$|^  -.{26} [^ ].{0,49}$|^  -[^ ]* ?[^ ]*$|^ {30}[^ ].{0,49}$" || true; }'

# bpfskel has bpflink's link options as well.
of_link() { sed -n '/^Inputs:/,/^Messages:/p'; }
cmp <("$BPFLINK" --help | of_link) <("$BPFSKEL" --help | of_link) || mistake 'bpfskel --help: other options'

for program in "$BPFLINK" "$BTFDEDUP" "$BPFSKEL"; do
  [[ $("$program" --version) =~ ^$(basename "$program")' '[0-9]+\.[0-9]+\.[0-9]+$ ]] || mistake "$("$program" --version)"
done
