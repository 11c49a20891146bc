#!/bin/bash
# --help: what stands around the options. core/options.sh has a whole one, install/options.sh holds the
# options against manual pages and completions.
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

# bpfskel has bpflink's link options as well.
of_link() { sed -n '/^Inputs:/,/^Messages:/p'; }
cmp <("$BPFLINK" --help | of_link) <("$BPFSKEL" --help | of_link) || mistake 'bpfskel --help: other options'

for program in "$BPFLINK" "$BTFDEDUP" "$BPFSKEL"; do
  [[ $("$program" --version) =~ ^$(basename "$program")' '[0-9]+\.[0-9]+\.[0-9]+$ ]] || mistake "$("$program" --version)"
done
