#!/usr/bin/env python3
"""Holds every instruction and every initialized variable of a linked object against its inputs.

    same_code.py [--gc] [--dead-code] OUTPUT DIALECT:INPUT...

The inputs stand in the order in which the link took them. With --gc, definitions may be missing in the
output; with --dead-code, it may have code that no symbol names, as libbpf's linker leaves it. DIALECT says who assembled one, so that
nothing is guessed from the file:

    llvm      clang, llc
    gas       GNU as 2.41 and later, of bpf-gcc 14 and later
    old-gas   GNU as before 2.41, of bpf-gcc 12: the field of a relocation against a symbol has the
              symbol's value added, in bytes, even where the rest of the field counts instructions

The comparison walks from names that are unique in a program, the global ones, to what they call and
refer to. So static functions of one name are told apart by who calls them: each one of an input has one
place in the output, and each place has one owner. Whatever the output has must be met on that walk.

Prints what differs, and otherwise what was compared. It shares no code with the linker.
"""
import sys

from bpfobj import (R_BPF_64_32, R_BPF_64_64, R_BPF_64_ABS32, R_BPF_64_ABS64, R_BPF_64_NODYLD32, R_BPF_NONE,
                    SHF_EXECINSTR, SHN_LORESERVE, SHN_UNDEF, SHT_NOBITS, STT_FUNC, STT_OBJECT, STT_SECTION, Object)

SHF_ALLOC, SHF_MERGE, SHF_STRINGS = 2, 0x10, 0x20
LDDW, CALL, PSEUDO_CALL = 0x18, 0x85, 1
# Old GNU as has its own numbers for data; R_BPF_64_NODYLD32 has the number of its calls.
OLD_GAS_TYPES = {11: R_BPF_64_ABS32, 12: R_BPF_64_ABS64}
WIDTHS = {R_BPF_64_ABS32: 4, R_BPF_64_ABS64: 8, R_BPF_64_NODYLD32: 4}
LOCAL_TYPE_ID = 6


class Reference:
    """What an instruction or a pointer leads to: an undefined name, or a place in a section. `base` is
    the value of the symbol that it is relative to, None if that is the section's."""

    def __init__(self, name, shndx, offset, base=None):
        self.name, self.shndx, self.offset, self.base = name, shndx, offset, base


class Program:
    """An object with its fragments: the functions and variables, each a (section, start) with its end."""

    def __init__(self, path, dialect):
        self.path, self.dialect, self.object = path, dialect, Object(path)
        self.ends, self.names, self.globals = {}, {}, {}
        self.by_section = {}
        for symbol in self.object.symbols:
            if not (symbol.bind or symbol.type in (STT_FUNC, STT_OBJECT)) or not 0 < symbol.shndx < SHN_LORESERVE:
                continue
            if not self.object.sections[symbol.shndx].flags & SHF_ALLOC:
                continue
            key = symbol.shndx, symbol.value
            self.ends[key] = max(self.ends.get(key, 0), symbol.value + symbol.size)
            self.names.setdefault(key, set()).add(symbol.name)
            if symbol.bind:
                self.globals[symbol.name] = key, symbol.bind
        for shndx, start in sorted(self.ends):
            self.by_section.setdefault(shndx, []).append(start)
        self.relocated = {(shndx, offset): (rtype, self.object.symbols[symbol])
                          for shndx, offset, rtype, symbol in self.object.relocations()}
        self.records = {}
        for part in ("line_info", "core_relo"):
            for name, offset, *rest in self.object.ext[part]:
                self.records.setdefault((self.object.index(name), offset), []).append(
                    self.describe(part, rest))

    def describe(self, part, words):
        """A record of .BTF.ext without numbers of types and strings."""
        if part == "line_info":
            return f"line {self.object.btf_string(words[0])}:{words[2]}"
        declared = self.object.declare(words[0])
        return f"CO-RE {words[2]} {declared} {self.object.btf_string(words[1])}"

    def section(self, shndx):
        return self.object.sections[shndx]

    def fragment(self, shndx, offset):
        """The function or variable there, or None: unnamed data, such as string literals."""
        starts = [s for s in self.by_section.get(shndx, []) if s <= offset]
        if starts and offset < self.ends[shndx, starts[-1]]:
            return shndx, starts[-1]
        return None

    def number(self, form, shndx, offset):
        return self.object.unpack(form, self.section(shndx).data, offset)[0]

    def reference(self, shndx, offset):
        """Where the instruction or pointer at this place leads to; None for plain numbers."""
        is_code = self.section(shndx).flags & SHF_EXECINSTR
        if self.relocated.get((shndx, offset), (R_BPF_NONE,))[0] == R_BPF_NONE:
            if is_code and self.is_local_call(shndx, offset):
                return Reference(None, shndx, offset + 8 * (self.number("i", shndx, offset + 4) + 1))
            return None
        rtype, symbol = self.relocated[shndx, offset]
        if self.dialect == "old-gas":
            rtype = OLD_GAS_TYPES.get(rtype, rtype)
        value = 0 if symbol.shndx == SHN_UNDEF else symbol.value
        in_field = value if self.dialect == "old-gas" else 0  # as added what the symbol says already
        if is_code and rtype == R_BPF_64_32:
            steps = self.number("i", shndx, offset + 4) - in_field
            addend = 8 * (steps + 1)
        elif is_code and rtype == R_BPF_64_64:
            addend = self.number("i", shndx, offset + 4) - in_field
        elif rtype in WIDTHS:
            addend = self.number({4: "i", 8: "q"}[WIDTHS[rtype]], shndx, offset) - in_field
        else:
            return Reference(f"(relocation type {rtype})", None, 0)  # the output has no such symbol
        if symbol.shndx == SHN_UNDEF:
            return Reference(symbol.name, None, addend)
        if symbol.shndx >= SHN_LORESERVE:
            return Reference("(absolute)", None, value + addend)
        name = symbol.name if symbol.bind else None
        base = None if symbol.type == STT_SECTION else value
        return Reference(name, symbol.shndx, value + addend, base)

    def is_local_call(self, shndx, offset):
        data = self.section(shndx).data
        source = data[offset + 1] >> 4 if self.object.order == "<" else data[offset + 1] & 15
        return data[offset] == CALL and source == PSEUDO_CALL

    def unit(self, shndx, offset):
        """The bytes of unnamed data: a string, a constant of a mergeable section, or one byte."""
        section = self.section(shndx)
        if (shndx, offset) in self.relocated:
            return b"a pointer"
        if section.type == SHT_NOBITS:
            return b"" if section.flags & SHF_STRINGS else b"\0"
        if section.flags & SHF_STRINGS:
            width, end = max(section.entsize, 1), offset
            while any(section.data[end:end + width]):
                end += width
            return section.data[offset:end]
        if section.flags & SHF_MERGE and section.entsize:
            return section.data[offset:offset - offset % section.entsize + section.entsize]
        return section.data[offset:offset + 1]

    def at(self, shndx, offset):
        return f"{self.path}:({self.object.site(shndx, offset)})"


class Comparison:
    def __init__(self, output, inputs):
        self.output, self.inputs = output, inputs
        self.faults, self.work = [], []
        self.place_of, self.owner_of = {}, {}  # fragments of inputs and of the output
        self.moved = {}  # by section of an input with unnamed data: its distance in the output
        self.instructions = self.references = 0
        self.winners = {}
        for program in inputs:
            for name, (key, bind) in program.globals.items():
                _, _, known = self.winners.get(name, (None, None, 2))
                if name not in self.winners or known == 2 and bind == 1:
                    self.winners[name] = program, key, bind

    def fault(self, text):
        self.faults.append(text)

    def pair(self, program, key, place, why):
        """The fragment `key` of an input is at the fragment `place` of the output."""
        owner = program, key
        if self.place_of.get(owner) == place:
            return
        if not program.names[key] & self.output.names[place]:
            self.fault(f"{why}: leads to {sorted(self.output.names[place])}, not {sorted(program.names[key])}")
        elif owner in self.place_of:
            self.fault(f"{why}: {program.at(*key)} is in the output twice")
        elif place in self.owner_of:
            self.fault(f"{why}: {self.output.at(*place)} is already that of another file")
        else:
            self.place_of[owner], self.owner_of[place] = place, owner
            self.work.append((program, key, place))

    def resolve(self, program, reference, ours):
        """The input's place of a reference, after the winner of several definitions is known."""
        if reference.name in self.winners:
            winner, (shndx, start), _ = self.winners[reference.name]
            return winner, shndx, start + reference.offset - (reference.base or 0)
        key = reference.shndx is not None and program.fragment(reference.shndx, reference.offset)
        for name in program.names[key] if key else []:
            if name in program.globals:  # by its section, although it has a global name
                winner, (shndx, start), _ = self.winners[name]
                # A definition that lost stays, for what refers to it so.
                if self.output.globals.get(name, (None,))[0] == self.output.fragment(ours.shndx, ours.offset):
                    return winner, shndx, start + reference.offset - key[1]
        return program, reference.shndx, reference.offset

    def compare_references(self, program, ours, theirs, why):
        if theirs is None and ours is None:
            return
        self.references += 1
        if theirs is None or ours is None:
            self.fault(f"{why}: a reference in one of them only")
            return
        program, shndx, offset = self.resolve(program, theirs, ours)
        if shndx is not None and ours.shndx is not None:
            # Beyond the end of what it names: the distance to that is the same.
            start = offset - (theirs.offset - (theirs.base or 0))
            key = theirs.base is not None and program.fragment(shndx, start)
            if key and not key[1] <= offset < program.ends[key]:
                ours = Reference(ours.name, ours.shndx, ours.offset - (offset - start))
                offset = start
            elif not 0 <= offset < program.section(shndx).size:
                return
        if shndx is None or ours.shndx is None:
            if (theirs.name, offset) != (ours.name, ours.offset) or shndx != ours.shndx:
                self.fault(f"{why}: {theirs.name}+{offset:#x} became {ours.name}+{ours.offset:#x}")
            return
        key, place = program.fragment(shndx, offset), self.output.fragment(ours.shndx, ours.offset)
        if key and place:
            if offset - key[1] != ours.offset - place[1]:
                self.fault(f"{why}: {program.at(shndx, offset)} became {self.output.at(ours.shndx, ours.offset)}")
            else:
                self.pair(program, key, place, why)
        elif key or place:
            self.fault(f"{why}: {program.at(shndx, offset)} became {self.output.at(ours.shndx, ours.offset)}")
        elif program.unit(shndx, offset) != self.output.unit(ours.shndx, ours.offset):
            self.fault(f"{why}: other unnamed data, {program.at(shndx, offset)} "
                       f"and {self.output.at(ours.shndx, ours.offset)}")

    def compare_code(self, program, key, place):
        size = program.ends[key] - key[1]
        offset = 0
        while offset < size:
            here, there = (key[0], key[1] + offset), (place[0], place[1] + offset)
            why = self.output.at(*there)
            opcode = program.section(key[0]).data[here[1]]
            is_wide = opcode == LDDW and (key[0], here[1] + 8) not in program.relocated
            width = min(16 if is_wide else 8, size - offset)
            mine = self.output.section(place[0]).data[there[1]:there[1] + width]
            its = program.section(key[0]).data[here[1]:here[1] + width]
            theirs, ours = program.reference(*here), self.output.reference(*there)
            self.instructions += 1
            records, kept = program.records.get(here, []), self.output.records.get(there, [])
            if not program.object.ext["line_info"] or offset == 0:  # the linker gives such functions a line 0
                kept = [r for r in kept if not r.endswith(":0")]
            if records != kept:
                self.fault(f"{why}: {records} became {kept}")
            if theirs or ours:
                self.compare_references(program, ours, theirs, why)
                mine, its = mine[:4], its[:4]  # the rest is what the reference says
            elif any(r.startswith(f"CO-RE {LOCAL_TYPE_ID} ") for r in records):
                mine, its = mine[:4], its[:4]
            if mine != its:
                self.fault(f"{why}: {its.hex(' ')} of {program.at(*here)} became {mine.hex(' ')}")
            offset += width

    def compare_data(self, program, key, place):
        size = program.ends[key] - key[1]
        sites = [o - key[1] for s, o in program.relocated if s == key[0] and key[1] <= o < program.ends[key]]
        theirs = self.contents(program, key, size)
        ours = self.contents(self.output, place, size)
        for offset in sites:
            here, there = (key[0], key[1] + offset), (place[0], place[1] + offset)
            self.compare_references(program, self.output.reference(*there), program.reference(*here),
                                    self.output.at(*there))
            width = WIDTHS[self.output.relocated[there][0]] if there in self.output.relocated else 8
            theirs[offset:offset + width] = ours[offset:offset + width] = bytes(width)
        if theirs != ours:
            self.fault(f"{self.output.at(*place)}: {theirs.hex(' ')} became {ours.hex(' ')}")

    def contents(self, program, key, size):
        section = program.section(key[0])
        if section.type == SHT_NOBITS:
            return bytearray(size)
        return bytearray(section.data[key[1]:key[1] + size])

    def run(self, options):
        missing = self.winners.keys() - self.output.globals.keys()
        if missing and "--gc" not in options:
            self.fault(f"{self.output.path}: lacks {', '.join(sorted(missing))}")
        for name, (place, _) in self.output.globals.items():
            if name in self.winners:
                program, key, _ = self.winners[name]
                self.pair(program, key, place, self.output.at(*place))
            else:
                self.fault(f"{self.output.at(*place)}: no input defines {name}")
        self.walk()
        # Static functions and variables that nobody refers to: the name must be enough.
        for place in sorted(self.output.ends):
            if place in self.owner_of:
                continue
            names = self.output.names[place]
            owners = [(p, key) for p in self.inputs for key in p.names
                      if p.names[key] & names and (p, key) not in self.place_of]
            if len(owners) == 1:
                self.pair(*owners[0], place, self.output.at(*place))
                self.walk()
            else:
                self.fault(f"{self.output.at(*place)}: nobody refers to it, "
                           f"and {len(owners)} inputs may have defined it")
        if "--dead-code" not in options:
            self.find_unowned_code()

    def walk(self):
        while self.work:
            program, key, place = self.work.pop()
            if program.ends[key] - key[1] != self.output.ends[place] - place[1]:
                self.fault(f"{self.output.at(*place)}: another size than {program.at(*key)}")
            elif program.section(key[0]).flags & SHF_EXECINSTR:
                self.compare_code(program, key, place)
            else:
                self.compare_data(program, key, place)

    def find_unowned_code(self):
        for shndx, section in enumerate(self.output.object.sections):
            if not section.flags & SHF_EXECINSTR:
                continue
            end = 0
            for start in self.output.by_section.get(shndx, []) + [section.size]:
                if start > end:
                    self.fault(f"{section.name}+{end:#x}: {start - end} bytes of code in no function")
                end = max(end, self.output.ends.get((shndx, start), 0))


def main(*arguments):
    options = [a for a in arguments if a.startswith("--")]
    output, *inputs = arguments[len(options):]
    programs = [Program(path, dialect) for dialect, path in (i.split(":", 1) for i in inputs)]
    comparison = Comparison(Program(output, "llvm"), programs)
    comparison.run(options)
    for fault in comparison.faults:
        print(fault)
    if not comparison.faults:
        print(f"{comparison.instructions} instructions, {comparison.references} references, "
              f"{len(comparison.owner_of)} functions and variables")
    sys.exit(bool(comparison.faults) or not comparison.instructions)


if __name__ == "__main__":
    main(*sys.argv[1:])
