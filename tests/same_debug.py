#!/usr/bin/env python3
"""Holds the debug information of a linked object against its inputs, as llvm-symbolizer reads it.

    same_debug.py OUTPUT INPUT...

At each instruction of each function of the output, the symbolizer must show the functions, inlined ones
included, files and lines that it shows in an input for a function of that name and these instructions.
And no subprogram of DWARF may begin where another function does. Prints what differs.
"""
import re
import struct
import subprocess
import sys
import tempfile

from bpfobj import ELF, SECTION, SHF_EXECINSTR, SHT_REL, STT_FUNC, SYMBOL, Object

LLVM = "19"
ET_EXEC, SHT_PROGBITS, R_BPF_64_ABS64, INSN = 2, 1, 2, 8


class Placed:
    """An object with addresses: tools do not tell the sections of a relocatable object apart."""

    def __init__(self, path):
        self.object = Object(path)
        self.base = [i << 24 if s.flags & SHF_EXECINSTR else 0 for i, s in enumerate(self.object.sections)]
        self.bytes = bytearray(self.object.raw)
        self.relocate()
        self.give_addresses()
        self.file = tempfile.NamedTemporaryFile(suffix=".o")
        self.file.write(self.bytes)
        self.file.flush()

    def store(self, at, form, value):
        struct.pack_into(self.object.order + form, self.bytes, at, value)

    def relocate(self):
        for table in self.object.sections:
            if table.type != SHT_REL:
                continue
            section = self.object.sections[table.info]
            if not section.name.startswith(".debug_"):
                continue
            for at in range(0, table.size, 16):
                offset, info = self.object.unpack("QQ", table.data, at)
                symbol = self.object.symbols[info >> 32]
                if info & 0xFFFFFFFF == R_BPF_64_ABS64 and symbol.shndx < len(self.base):
                    addend, = self.object.unpack("Q", section.data, offset)
                    self.store(section.offset + offset, "Q", self.base[symbol.shndx] + symbol.value + addend)

    def give_addresses(self):
        headers = self.object.unpack(ELF.form, self.object.raw, 0)[6]
        self.store(*(ELF["e_type"]), ET_EXEC)
        for i, section in enumerate(self.object.sections):
            at = headers + struct.calcsize("<" + SECTION.form) * i
            self.store(at + SECTION["sh_addr"][0], "Q", self.base[i])
            if section.type == SHT_REL:
                self.store(at + SECTION["sh_type"][0], "I", SHT_PROGBITS)
        size = struct.calcsize("<" + SYMBOL.form)
        for i, symbol in enumerate(self.object.symbols):
            if 0 < symbol.shndx < len(self.base):
                self.store(self.object.symtab.offset + size * i + SYMBOL["st_value"][0], "Q",
                           self.base[symbol.shndx] + symbol.value)

    def functions(self):
        """By name: lists of (opcode, what the symbolizer shows) by instruction."""
        found, addresses, opcodes = [], [], []
        for symbol in self.object.symbols:
            if symbol.type != STT_FUNC or not 0 < symbol.shndx < len(self.base):
                continue
            found.append((symbol.name, symbol.size // INSN))
            code = self.object.sections[symbol.shndx].data
            for at in range(symbol.value, symbol.value + symbol.size, INSN):
                opcodes.append(code[at])
                addresses.append(f"{self.base[symbol.shndx] + at:#x}")
        shown = subprocess.run([f"llvm-symbolizer-{LLVM}", f"--obj={self.file.name}"], check=True, text=True,
                               input="\n".join(addresses), capture_output=True).stdout.split("\n\n")
        by_name, at = {}, 0
        for name, count in found:
            by_name.setdefault(name, []).append(list(zip(opcodes[at:at + count], shown[at:at + count])))
            at += count
        return by_name

    def misplaced_subprograms(self):
        names = {}
        for symbol in self.object.symbols:
            if symbol.type == STT_FUNC and 0 < symbol.shndx < len(self.base):
                names.setdefault(self.base[symbol.shndx] + symbol.value, set()).add(symbol.name)
        text = subprocess.run([f"llvm-dwarfdump-{LLVM}", "--debug-info", self.file.name], check=True, text=True,
                              capture_output=True).stdout
        for entry in text.split("DW_TAG_subprogram")[1:]:
            entry = entry.split("\n\n")[0]
            place = re.search(r"DW_AT_low_pc\s+\((0x\w+)\)", entry)
            name = re.search(r'DW_AT_name\s+\("([^"\n]*)"\)', entry)
            if place and name and name[1] not in names.get(int(place[1], 16), {name[1]}):
                yield f"subprogram {name[1]} begins where {names[int(place[1], 16)]} does"


def main(output, *inputs):
    compared = 0
    known = [Placed(path).functions() for path in inputs]
    placed = Placed(output)
    problems = list(placed.misplaced_subprograms())
    for name, bodies in placed.functions().items():
        for body in bodies:
            wanted = [other for file in known for other in file.get(name, [])]
            compared += len(body)
            if wanted and body not in wanted:
                best = max(wanted, key=lambda other: sum(a == b for a, b in zip(body, other)))
                at = next((i for i, (a, b) in enumerate(zip(body, best)) if a != b), len(body))
                problems.append(f"{name}: instruction {at} is {body[at:at + 1]}, in the input {best[at:at + 1]}")
    print("\n".join(problems) or f"{compared} instructions as in the inputs")
    return bool(problems)


sys.exit(main(*sys.argv[1:]))
