#!/usr/bin/env python3
"""Summarizes an output independently of the way and the order in which its files were linked:
symbols, variables, functions, references and relocations, without offsets. It also omits sizes of
data sections, which include padding, and shows each variable's size.

    summary.py FILE
"""
import re
import sys

import bpfobj

o = bpfobj.Object(sys.argv[1])
lines = []
for s in o.sections:
    if s.name and not re.match(r"\.(BTF|rel|strtab|symtab)", s.name):
        size = "" if s.name in (".data", ".bss", ".rodata") else s.size
        lines.append(f"section {s.name} type {s.type} flags {s.flags:#x} size {size}")
for s in o.symbols:
    if s.type not in (bpfobj.STT_SECTION, bpfobj.STT_FILE) and s.name:
        place = o.sections[s.shndx].name if s.shndx < bpfobj.SHN_LORESERVE else s.shndx
        lines.append(f"symbol {s.name} {s.type} {s.bind} {s.visibility} in {place} size {s.size}")
for line in o.datasecs():
    section, name, _, size = line.rsplit(maxsplit=3)
    lines.append(f"variable {section} {name} {size}")
for line in o.func_info():
    section, _, name = line.rsplit(maxsplit=2)
    lines.append(f"function {section} {name}")
for line in [*o.declarations(), *o.references(), *o.core_relo()]:
    lines.append(re.sub(r"@0x[0-9a-f]+", "", line))  # behind statics of one name
lines.append(f"types {len(o.types)}")
print("\n".join(sorted(lines)))
