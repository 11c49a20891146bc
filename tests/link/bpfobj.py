#!/usr/bin/env python3
"""A second reader of BPF objects, for the tests.

It shares no code with the linker and shows what the usual tools do not: what
each instruction and each initialized pointer refers to, .BTF.ext resolved to
functions and source lines, and variables and functions as C declarations.

    bpfobj.py references FILE     SITE KIND TARGET, e.g. "prog+0x8 call helper"
    bpfobj.py declarations FILE   variables, functions and declaration tags as C
    bpfobj.py datasecs FILE       SECTION VARIABLE OFFSET SIZE
    bpfobj.py func_info FILE      SECTION OFFSET FUNCTION
    bpfobj.py line_info FILE      SITE SOURCE:LINE
    bpfobj.py core_relo FILE      SITE KIND TYPE ACCESS
    bpfobj.py check FILE          every rule an output must obey; prints what breaks one
"""
import struct
import sys

SHT_SYMTAB, SHT_NOBITS, SHT_REL = 2, 8, 9
SHF_EXECINSTR = 4
STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE = 1, 2, 3, 4
SHN_UNDEF, SHN_LORESERVE = 0, 0xFF00
R_BPF_64_64, R_BPF_64_ABS64, R_BPF_64_ABS32, R_BPF_64_NODYLD32, R_BPF_64_32 = 1, 2, 3, 4, 10

(INT, PTR, ARRAY, STRUCT, UNION, ENUM, FWD, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO,
 VAR, DATASEC, FLOAT, DECL_TAG, TYPE_TAG, ENUM64) = range(1, 20)
LINKAGE = {0: "static", 1: "global", 2: "extern"}
CORE_KINDS = ["byte_off", "byte_sz", "field_exists", "signed", "lshift_u64", "rshift_u64",
              "local_type_id", "target_type_id", "type_exists", "type_size", "enumval_exists",
              "enumval_value", "type_matches"]


class Section:
    def __init__(self, name, header, data):
        self.name = name
        (_, self.type, self.flags, _, self.offset, self.size, self.link, self.info, self.align,
         self.entsize) = header
        self.data = data


class Symbol:
    def __init__(self, name, info, other, shndx, value, size):
        self.name, self.bind, self.type = name, info >> 4, info & 15
        self.visibility, self.shndx, self.value, self.size = other & 3, shndx, value, size


class Type:
    """One BTF type; `members` are the records behind it, `ref` its size or type word."""

    def __init__(self, kind, flag, name, ref, members):
        self.kind, self.flag, self.name, self.ref, self.members = kind, flag, name, ref, members


class Object:
    def __init__(self, path):
        self.raw = open(path, "rb").read()
        self.order = "<" if self.raw[5] == 1 else ">"
        header = self.unpack("HHIQQQIHHHHHH", self.raw, 16)
        self.etype, self.machine = header[0], header[1]
        shoff, shnum, shstrndx = header[5], header[11], header[12]
        headers = [self.unpack("IIQQQQIIQQ", self.raw, shoff + 64 * i) for i in range(shnum)]
        names = headers[shstrndx][4]
        self.sections = []
        for h in headers:
            data = b"" if h[1] == SHT_NOBITS else self.raw[h[4]:h[4] + h[5]]
            self.sections.append(Section(self.string(self.raw, names + h[0]), h, data))
        self.symbols = []
        for s in self.sections:
            if s.type == SHT_SYMTAB:
                self.symtab, strings = s, self.sections[s.link].data
                for at in range(0, s.size, 24):
                    name, info, other, shndx, value, size = self.unpack("IBBHQQ", s.data, at)
                    self.symbols.append(
                        Symbol(self.string(strings, name), info, other, shndx, value, size))
        self.read_btf()
        self.read_ext()

    def unpack(self, form, data, at):
        return struct.unpack_from(self.order + form, data, at)

    @staticmethod
    def string(data, at):
        return data[at:data.index(b"\0", at)].decode()

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    # ---- BTF

    def read_btf(self):
        self.types = [Type(0, 0, "void", 0, [])]
        btf = self.section(".BTF")
        if not btf:
            return
        _, _, _, hlen, toff, tlen, soff, slen = self.unpack("HBBIIIII", btf.data, 0)
        self.strings = btf.data[hlen + soff:hlen + soff + slen]
        at, end = hlen + toff, hlen + toff + tlen
        words = {INT: 1, ARRAY: 3, VAR: 1, DECL_TAG: 1}
        per_member = {STRUCT: 3, UNION: 3, ENUM: 2, FUNC_PROTO: 2, DATASEC: 3, ENUM64: 3}
        while at < end:
            name, info, ref = self.unpack("III", btf.data, at)
            kind, vlen, at = info >> 24 & 31, info & 0xFFFF, at + 12
            width = words.get(kind, 0) or per_member.get(kind, 0)
            count = vlen if kind in per_member else 1 if width else 0
            members = [self.unpack(f"{width}I", btf.data, at + 4 * width * i) for i in range(count)]
            at += 4 * width * count
            linkage = vlen if kind == FUNC else members[0][0] if kind == VAR else 0
            self.types.append(Type(kind, info >> 31, self.string(self.strings, name), ref, members))
            self.types[-1].linkage = linkage

    def btf_string(self, at):
        return self.string(self.strings, at)

    def declare(self, type_id, name=""):
        """A C declaration of `name` with the type `type_id`."""
        t = self.types[type_id]
        space = " " if name else ""
        if t.kind in (0, INT, FLOAT, TYPEDEF):
            return t.name + space + name
        if t.kind in (STRUCT, UNION, ENUM, ENUM64, FWD):
            union = t.kind == UNION or t.kind == FWD and t.flag
            keyword = "enum" if t.kind in (ENUM, ENUM64) else "union" if union else "struct"
            return f"{keyword} {t.name or self.body(type_id)}{space}{name}"
        if t.kind == PTR:
            target = self.types[t.ref].kind
            return self.declare(t.ref, f"(*{name})" if target in (ARRAY, FUNC_PROTO) else f"*{name}")
        if t.kind == ARRAY:
            return self.declare(t.members[0][0], f"{name}[{t.members[0][2]}]")
        if t.kind == FUNC_PROTO:
            params = [self.declare(ty, self.btf_string(n)) if ty else "..." for n, ty in t.members]
            return self.declare(t.ref, f"{name}({', '.join(params) or 'void'})")
        if t.kind == TYPE_TAG:
            return self.declare(t.ref, f"__tag({t.name}){space}{name}")
        qualifier = {VOLATILE: "volatile", CONST: "const", RESTRICT: "restrict"}[t.kind]
        if self.types[t.ref].kind in (PTR, TYPE_TAG):
            return self.declare(t.ref, f" {qualifier}{space}{name}")
        return f"{qualifier} {self.declare(t.ref, name)}"

    def body(self, type_id):
        t = self.types[type_id]
        if t.kind in (ENUM, ENUM64):
            return "{ " + " ".join(f"{self.btf_string(m[0])}={m[1]}" for m in t.members) + " }"
        return "{ " + " ".join(
            self.declare(ty, self.btf_string(n)) + ";" for n, ty, _ in t.members) + " }"

    # ---- .BTF.ext

    def read_ext(self):
        """func_info, line_info, core_relo as lists of (section name, insn_off, words...)."""
        self.ext = {"func_info": [], "line_info": [], "core_relo": []}
        self.ext_record_size = {}
        ext = self.section(".BTF.ext")
        if not ext:
            return
        magic, version, flags, hlen = self.unpack("HBBI", ext.data, 0)
        fields = self.unpack(f"{(hlen - 8) // 4}I", ext.data, 8)
        for i, (part, words) in enumerate([("func_info", 2), ("line_info", 4), ("core_relo", 4)]):
            if 2 * i + 1 >= len(fields) or not fields[2 * i + 1]:
                continue
            at, end = hlen + fields[2 * i], hlen + fields[2 * i] + fields[2 * i + 1]
            record_size, at = self.unpack("I", ext.data, at)[0], at + 4
            self.ext_record_size[part] = record_size
            while at < end:
                name, count = self.unpack("II", ext.data, at)
                at += 8
                for _ in range(count):
                    extra = ext.data[at + 4 * words:at + record_size]
                    self.ext[part].append(
                        (self.btf_string(name), *self.unpack(f"{words}I", ext.data, at), extra))
                    at += record_size

    # ---- places

    def place(self, shndx, offset):
        """`symbol+0xN` for an offset into a section, `section+0xN` where no symbol covers it.

        Of several symbols of one name each shows its value too: `symbol@0x18+0xN`.
        """
        covering = [s for s in self.symbols
                    if s.shndx == shndx and s.type in (STT_FUNC, STT_OBJECT)
                    and s.value <= offset < s.value + s.size]
        name, base = self.sections[shndx].name, 0
        if covering:
            best = max(covering, key=lambda s: (s.value, s.bind, s.name))
            name, base = best.name, best.value
            if len([s for s in self.symbols if s.name == name]) > 1:
                name += f"@{base:#x}"
        return name if covering and offset == base else f"{name}+{offset - base:#x}"

    def site(self, shndx, offset):
        place = self.place(shndx, offset)
        return place if "+" in place else place + "+0x0"

    def index(self, name):
        return next(i for i, s in enumerate(self.sections) if s.name == name)

    def relocations(self):
        """(relocated section's index, offset, type, symbol) of code and data."""
        for r in self.sections:
            if r.type != SHT_REL or self.sections[r.info].name.startswith((".BTF", ".debug")):
                continue
            for at in range(0, r.size, 16):
                offset, info = self.unpack("QQ", r.data, at)
                yield r.info, offset, info & 0xFFFFFFFF, info >> 32

    def references(self):
        relocated = set()
        out = []

        def add(shndx, offset, kind, sym, addend):
            if sym.shndx == SHN_UNDEF:
                target = sym.name + (f"+{addend:#x}" if addend else "")
            else:
                target = self.place(sym.shndx, sym.value + addend)
            out.append((self.sections[shndx].name, offset,
                        f"{self.site(shndx, offset)} {kind} {target}"))

        for shndx, offset, rtype, sym in self.relocations():
            data, sym = self.sections[shndx].data, self.symbols[sym]
            relocated.add((shndx, offset))
            if rtype == R_BPF_64_64:
                add(shndx, offset, "address", sym, self.unpack("i", data, offset + 4)[0])
            elif rtype == R_BPF_64_32:
                imm = self.unpack("i", data, offset + 4)[0]
                # A call of an undefined symbol counts from the instruction itself: no addend.
                add(shndx, offset, "call", sym, (imm + 1) * 8)
            elif rtype == R_BPF_64_ABS64:
                add(shndx, offset, "abs64", sym, self.unpack("q", data, offset)[0])
            elif rtype == R_BPF_64_ABS32:
                add(shndx, offset, "abs32", sym, self.unpack("i", data, offset)[0])
        for shndx, s in enumerate(self.sections):
            if not s.flags & SHF_EXECINSTR:
                continue
            for offset in range(0, s.size - 7, 8):
                registers = s.data[offset + 1]
                source = registers >> 4 if self.order == "<" else registers & 15
                if s.data[offset] == 0x85 and source == 1 and (shndx, offset) not in relocated:
                    target = offset + 8 * (self.unpack("i", s.data, offset + 4)[0] + 1)
                    out.append((s.name, offset,
                                f"{self.site(shndx, offset)} call {self.place(shndx, target)}"))
        return [line for _, _, line in sorted(out)]

    # ---- listings

    def declarations(self):
        section_of = {v[0]: t.name for t in self.types if t.kind == DATASEC for v in t.members}
        out = []
        for i, t in enumerate(self.types):
            if t.kind == VAR:
                where = section_of.get(i, "-")
                out.append(f"var {where} {LINKAGE[t.linkage]} {self.declare(t.ref, t.name)};")
            elif t.kind == FUNC:
                out.append(f"func {LINKAGE[t.linkage]} {self.declare(t.ref, t.name)};")
            elif t.kind == DECL_TAG:
                target, index = self.types[t.ref], struct.unpack("i", struct.pack("I", t.members[0][0]))[0]
                part = "" if index < 0 else f" {index}"
                out.append(f"tag {t.name} on {target.name}{part};")
        return sorted(out)

    def datasecs(self):
        return [f"{t.name} {self.types[var].name} {offset} {size}"
                for t in self.types if t.kind == DATASEC for var, offset, size in t.members]

    def func_info(self):
        return [f"{sec} {off} {self.types[ty].name}"
                for sec, off, ty, _ in sorted(self.ext["func_info"])]

    def line_info(self):
        return [f"{self.site(self.index(sec), off)} "
                f"{self.btf_string(file).rsplit('/', 1)[-1]}:{column >> 10}"
                for sec, off, file, _, column, _ in sorted(self.ext["line_info"])]

    def core_relo(self):
        return [f"{self.site(self.index(sec), off)} {CORE_KINDS[kind]} {self.declare(ty)} "
                f"{self.btf_string(access)}"
                for sec, off, ty, access, kind, _ in sorted(self.ext["core_relo"])]

    # ---- rules

    def check(self):
        out = []
        rule = lambda holds, text: holds or out.append(text)  # noqa: E731
        rule(self.etype == 1 and self.machine == 247, "not a relocatable BPF object")
        first_global = next((i for i, s in enumerate(self.symbols) if i and s.bind),
                            len(self.symbols))
        rule(self.symtab.info == first_global, f".symtab: sh_info {self.symtab.info}, "
             f"but the first global symbol is {first_global}")
        rule(all(s.bind for s in self.symbols[first_global:]), ".symtab: a local after a global")
        names = [s.name for s in self.symbols if s.bind]
        for name in {n for n in names if names.count(n) > 1}:
            rule(False, f".symtab: several global symbols '{name}'")
        for s in self.symbols:
            if SHN_UNDEF < s.shndx < SHN_LORESERVE:
                rule(s.value + s.size <= self.sections[s.shndx].size,
                     f"symbol {s.name} reaches out of {self.sections[s.shndx].name}")
        titles = [s.name for s in self.sections]
        for name in {n for n in titles if titles.count(n) > 1}:
            rule(False, f"several sections '{name}'")
        self.check_relocations(rule)
        if len(self.types) > 1:
            self.check_btf(rule)
            self.check_ext(rule)
        return out

    def check_relocations(self, rule):
        seen = set()
        for shndx, offset, rtype, sym in self.relocations():
            s = self.sections[shndx]
            what = f"relocation of {s.name}+{offset:#x}"
            rule((shndx, offset) not in seen, f"{what}: a second one")
            seen.add((shndx, offset))
            width = {R_BPF_64_64: 16, R_BPF_64_32: 8, R_BPF_64_ABS64: 8, R_BPF_64_ABS32: 4}
            rule(rtype in width, f"{what}: type {rtype}")
            rule(offset + width.get(rtype, 8) <= s.size, f"{what}: out of the section")
            rule(0 < sym < len(self.symbols), f"{what}: symbol {sym}")
            if s.flags & SHF_EXECINSTR and offset + 8 <= s.size:
                opcode = {R_BPF_64_64: 0x18, R_BPF_64_32: 0x85}.get(rtype)
                rule(s.data[offset] == opcode, f"{what}: opcode {s.data[offset]:#x}")

    def check_btf(self, rule):
        datasecs = [t for t in self.types if t.kind == DATASEC]
        members = [v[0] for t in datasecs for v in t.members]
        rule(len(members) == len(set(members)), "a variable is in two DATASECs")
        rule(len(datasecs) == len({t.name for t in datasecs}), "two DATASECs of one name")
        for i, t in enumerate(self.types):
            rule(t.kind != VAR or t.linkage == 2 or i in members, f"[{i}] VAR '{t.name}' is in no DATASEC")
        for t in datasecs:
            end = 0
            for var, offset, size in t.members:
                v = self.types[var]
                rule(v.kind in (VAR, FUNC), f"DATASEC {t.name}: '{v.name}' is no variable")
                if v.kind == FUNC or v.linkage == 2:
                    continue
                rule(size > 0, f"DATASEC {t.name}: '{v.name}' has size 0")
                rule(offset >= end, f"DATASEC {t.name}: '{v.name}' at {offset} overlaps or is unsorted")
                end = offset + size
                if v.linkage == 1:
                    rule(any(s.name == v.name and s.value == offset and s.size == size
                             and self.sections[s.shndx].name == t.name
                             for s in self.symbols if s.shndx < SHN_LORESERVE),
                         f"DATASEC {t.name}: '{v.name}' at {offset} size {size} has no such symbol")
            section = self.section(t.name)
            if section:
                rule(t.ref == section.size,
                     f"DATASEC {t.name}: size {t.ref}, the section's is {section.size}")
        # Types that nothing says to be a function's are not asked for.
        functions = {t.name for t in self.types if t.kind == FUNC}
        for s in self.symbols if self.section(".BTF.ext") else []:
            if s.type == STT_FUNC and s.shndx and s.bind:
                rule(s.name in functions, f"function {s.name} has no BTF")

    def check_ext(self, rule):
        for part, records in self.ext.items():
            previous = {}
            order = [r[0] for r in records]
            rule(len([1 for a, b in zip(order, order[1:]) if a != b]) + 1 == len(set(order))
                 or not order, f"{part}: a section has two blocks")
            for sec, off, *rest in records:
                s = self.section(sec)
                rule(s is not None, f"{part}: no section {sec}")
                if not s:
                    continue
                rule(off % 8 == 0 and off < s.size, f"{part}: {sec}+{off:#x} is no instruction")
                last = previous.get(sec, -1)
                rule(off > last or part == "core_relo" and off == last,
                     f"{part}: {sec}+{off:#x} after {sec}+{last:#x}")
                previous[sec] = off
                if part == "func_info":
                    shndx, t = self.index(sec), self.types[rest[0]]
                    rule(t.kind == FUNC, f"func_info: {sec}+{off:#x} type is no function")
                    rule(any(x.shndx == shndx and x.value == off and x.type == STT_FUNC
                             and (x.name == t.name or not x.bind) for x in self.symbols),
                         f"func_info: {t.name} does not start at {sec}+{off:#x}")
                elif part == "core_relo" and rest[2] == 6:
                    imm = self.unpack("I", s.data, off + 4)[0]
                    rule(imm == rest[0], f"core_relo: {sec}+{off:#x} loads type {imm}, "
                         f"the record says {rest[0]}")
        has_info = {(sec, off) for sec, off, *_ in self.ext["func_info"]}
        if has_info:
            for x in self.symbols:
                if x.type == STT_FUNC and 0 < x.shndx < SHN_LORESERVE:
                    rule((self.sections[x.shndx].name, x.value) in has_info,
                         f"function {x.name} has no func_info")


if __name__ == "__main__":
    command, path = sys.argv[1:3]
    lines = getattr(Object(path), command)()
    for line in lines:
        print(line)
    sys.exit(command == "check" and bool(lines))
