#!/usr/bin/env python3
"""Reads, changes and writes BPF objects and BTF for the tests.

It shares no code with the linker and shows facts that the usual tools do not: the target of each
instruction and each initialized pointer, .BTF.ext resolved to functions and source lines, and variables
and functions as C declarations.

    bpfobj.py references FILE     SITE KIND TARGET, e.g. "prog+0x8 call helper"
    bpfobj.py declarations FILE   variables, functions and declaration tags as C
    bpfobj.py symbols FILE        NAME TYPE BIND VISIBILITY SECTION VALUE SIZE
    bpfobj.py datasecs FILE       SECTION VARIABLE OFFSET SIZE
    bpfobj.py types FILE          the named types as C, by bpftool, one definition a line
    bpfobj.py view FILE           facts on which two linkers must agree
    bpfobj.py func_info FILE      SECTION OFFSET FUNCTION
    bpfobj.py line_info FILE      SITE SOURCE:LINE
    bpfobj.py core_relo FILE      SITE KIND TYPE ACCESS
    bpfobj.py check FILE          tests the rules that an output must obey; prints violations

It makes malformed inputs: it changes one number of a good file, or writes BTF word by word.

    bpfobj.py set IN OUT PLACE=VALUE...     changes numbers of an object; see Editor
    bpfobj.py blob OUT STATEMENTS           writes raw BTF; see Blob
"""
import array
import random
import struct
import subprocess
import sys

SHT_SYMTAB, SHT_NOBITS, SHT_REL = 2, 8, 9
SHF_EXECINSTR = 4
STT_OBJECT, STT_FUNC, STT_SECTION, STT_FILE = 1, 2, 3, 4
SHN_UNDEF, SHN_LORESERVE = 0, 0xFF00
R_BPF_NONE = 0
R_BPF_64_64, R_BPF_64_ABS64, R_BPF_64_ABS32, R_BPF_64_NODYLD32, R_BPF_64_32 = 1, 2, 3, 4, 10

KINDS = {name: kind for kind, name in enumerate(
    "VOID INT PTR ARRAY STRUCT UNION ENUM FWD TYPEDEF VOLATILE CONST RESTRICT FUNC FUNC_PROTO VAR DATASEC "
    "FLOAT DECL_TAG TYPE_TAG ENUM64".split())}
globals().update(KINDS)  # INT is 1, and so on
WORDS = {INT: 1, ARRAY: 3, VAR: 1, DECL_TAG: 1}  # words that a kind adds to the common three
WORDS_OF_EACH = {STRUCT: 3, UNION: 3, ENUM: 2, FUNC_PROTO: 2, DATASEC: 3, ENUM64: 3}
# Which words are ids: of a type, and of each of its elements
IDS = {kind: [2] for kind in (PTR, TYPEDEF, VOLATILE, CONST, RESTRICT, FUNC, FUNC_PROTO, VAR, DECL_TAG, TYPE_TAG)}
IDS[ARRAY] = [3, 4]
IDS_OF_EACH = {STRUCT: 1, UNION: 1, FUNC_PROTO: 1, DATASEC: 0}
LINKAGE = {0: "static", 1: "global", 2: "extern"}
CORE_KINDS = ["byte_off", "byte_sz", "field_exists", "signed", "lshift_u64", "rshift_u64",
              "local_type_id", "target_type_id", "type_exists", "type_size", "enumval_exists",
              "enumval_value", "type_matches"]
SYMBOL_TYPES = {0: "NOTYPE", 1: "OBJECT", 2: "FUNC", 3: "SECTION", 4: "FILE"}
BINDS = {0: "LOCAL", 1: "GLOBAL", 2: "WEAK"}
VISIBILITIES = ["DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"]
SPECIAL_SECTIONS = {SHN_UNDEF: "UND", 0xFFF1: "ABS", 0xFFF2: "COM"}
NATIVE = "<" if sys.byteorder == "little" else ">"


class Layout(dict):
    """{name: (offset, format)} of "name:format ..."; `form` is the whole format."""

    def __init__(self, fields):
        self.form = ""
        for field in fields.split():
            name, form = field.split(":")
            self[name] = struct.calcsize("<" + self.form), form
            self.form += form


ELF = Layout("e_ident:16s e_type:H e_machine:H e_version:I e_entry:Q e_phoff:Q e_shoff:Q e_flags:I "
             "e_ehsize:H e_phentsize:H e_phnum:H e_shentsize:H e_shnum:H e_shstrndx:H")
SECTION = Layout("sh_name:I sh_type:I sh_flags:Q sh_addr:Q sh_offset:Q sh_size:Q sh_link:I sh_info:I "
                 "sh_addralign:Q sh_entsize:Q")
SYMBOL = Layout("st_name:I st_info:B st_other:B st_shndx:H st_value:Q st_size:Q")
RELOCATION = Layout("r_offset:Q r_type:I r_sym:I r_addend:q")
BTF = Layout("magic:H version:B flags:B hdr_len:I type_off:I type_len:I str_off:I str_len:I")
EXT = Layout("magic:H version:B flags:B hdr_len:I func_info_off:I func_info_len:I line_info_off:I "
             "line_info_len:I core_relo_off:I core_relo_len:I")
RECORD = {"func_info": Layout("insn_off:I type_id:I"),
          "line_info": Layout("insn_off:I file_name_off:I line_off:I line_col:I"),
          "core_relo": Layout("insn_off:I type_id:I access_str_off:I kind:I")}


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


def text_at(data, at):
    return data[at:data.index(b"\0", at)].decode(errors="surrogateescape")


def starts_of(words):
    """Where each type begins in the words of all. Void, type 0, has a place, too."""
    starts, at = [0], 0
    while at < len(words):
        starts.append(at)
        info = words[at + 1]
        kind = info >> 24 & 31
        at += 3 + WORDS.get(kind, 0) + (info & 0xFFFF) * WORDS_OF_EACH.get(kind, 0)
    return starts


class Btf:
    """A blob in this byte order, or in its own: the `words` of all types, and where each type `starts`."""

    def __init__(self, blob, order=None):
        order = order or ("<" if blob[0] == 0x9F else ">")
        _, _, _, hlen, toff, tlen, soff, slen = struct.unpack_from(order + BTF.form, blob)
        self.words = array.array("I", blob[hlen + toff:hlen + toff + tlen])
        if order != NATIVE:
            self.words.byteswap()
        self.strings = blob[hlen + soff:hlen + soff + slen]
        self.starts = starts_of(self.words)

    def string(self, at):
        return text_at(self.strings, at)

    def name(self, number):
        return self.string(self.words[self.starts[number]])

    def kind(self, number):
        return self.words[self.starts[number] + 1] >> 24 & 31 if number else VOID

    def vlen(self, number):
        return self.words[self.starts[number] + 1] & 0xFFFF

    def size_or_type(self, number):
        return self.words[self.starts[number] + 2]


class Type:
    """One BTF type; `members` are the records after it, `ref` is its size or type word."""

    def __init__(self, kind, flag, name, ref, members, linkage=0):
        self.kind, self.flag, self.name, self.ref, self.members = kind, flag, name, ref, members
        self.linkage = linkage


class Object:
    def __init__(self, path):
        self.path = path
        self.raw = open(path, "rb").read()
        self.order = "<" if self.raw[5] == 1 else ">"
        _, self.etype, self.machine, _, _, _, shoff, _, _, _, _, _, shnum, shstrndx = \
            self.unpack(ELF.form, self.raw, 0)
        headers = [self.unpack(SECTION.form, self.raw, shoff + 64 * i) for i in range(shnum)]
        names = headers[shstrndx][4]
        self.sections = []
        for h in headers:
            data = b"" if h[1] == SHT_NOBITS else self.raw[h[4]:h[4] + h[5]]
            self.sections.append(Section(text_at(self.raw, names + h[0]), h, data))
        self.symbols = []
        for s in self.sections:
            if s.type == SHT_SYMTAB:
                self.symtab, strings = s, self.sections[s.link].data
                for at in range(0, s.size, 24):
                    name, *rest = self.unpack(SYMBOL.form, s.data, at)
                    self.symbols.append(Symbol(text_at(strings, name), *rest))
        self.read_btf()
        self.read_ext()

    def unpack(self, form, data, at):
        return struct.unpack_from(self.order + form, data, at)

    def section(self, name):
        return next((s for s in self.sections if s.name == name), None)

    # ---- BTF

    def read_btf(self):
        self.types = [Type(VOID, 0, "void", 0, [])]
        if not self.section(".BTF"):
            return
        self.btf = Btf(self.section(".BTF").data, self.order)
        self.btf_string = self.btf.string
        starts = [*self.btf.starts[1:], len(self.btf.words)]
        for at, end in zip(starts, starts[1:]):
            name, info, ref, *rest = self.btf.words[at:end]
            kind = info >> 24 & 31
            width = WORDS.get(kind) or WORDS_OF_EACH.get(kind) or 1
            members = [tuple(rest[i:i + width]) for i in range(0, len(rest), width)]
            linkage = info & 0xFFFF if kind == FUNC else members[0][0] if kind == VAR else 0
            self.types.append(Type(kind, info >> 31, self.btf_string(name), ref, members, linkage))

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
        """`symbol+0xN` for an offset into a section, `section+0xN` if no symbol covers it.

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
        """Yields (relocated section's index, offset, type, symbol) for code and data."""
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
                # A call of an undefined symbol has no addend: it counts from the instruction itself.
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

    def symbol_rows(self):
        for s in self.symbols[1:]:
            if s.type not in (STT_SECTION, STT_FILE):
                section = SPECIAL_SECTIONS.get(s.shndx) or self.sections[s.shndx].name
                yield (s.name, SYMBOL_TYPES[s.type], BINDS[s.bind], VISIBILITIES[s.visibility], section,
                       str(s.value), str(s.size))

    def symbol_lines(self):
        return [" ".join(row) for row in self.symbol_rows()]

    def types_in_c(self):
        if not self.section(".BTF"):
            return []
        text = subprocess.run(["bpftool", "btf", "dump", "file", self.path, "format", "c"],
                              check=True, stdout=subprocess.PIPE, text=True, errors="surrogateescape").stdout
        out, definition = [], ""
        for line in text.splitlines():
            if line and not line.startswith("#"):
                line = line.replace("\t", " ")
                definition += line
                if line == "}" or line[0] != " " and line.endswith(";"):
                    out.append(definition)
                    definition = ""
        return out

    def view(self):
        """Ours makes weak maps and variables global, as nothing overrides them after a final link."""
        out = []
        for name, kind, bind, visibility, section, *_ in self.symbol_rows():
            final = "GLOBAL" if bind == "WEAK" and section != "UND" and kind != "FUNC" else bind
            out.append(f"symbol {name} {kind} {final} {visibility} {section}")
        out += [f"datasec {section} {name} {size}" for section, name, _, size in self.datasec_rows()]
        out += [f"type {text}" for text in self.types_in_c()]
        return sorted(set(out + self.declarations()))

    def datasec_rows(self):
        return [(t.name, self.types[var].name, str(offset), str(size))
                for t in self.types if t.kind == DATASEC for var, offset, size in t.members]

    def datasecs(self):
        return [" ".join(row) for row in self.datasec_rows()]

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

    def check(self, has_own_names=False):
        """The rules that the object breaks. With has_own_names, FUNCs may have other names than symbols, which
        loaders take: those of C++ and Rust have the names of the source, damaged ones any."""
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
            self.check_btf(rule, has_own_names)
            self.check_ext(rule, has_own_names)
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

    def check_btf(self, rule, has_own_names):
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
        # Without .BTF.ext, functions need no FUNC.
        functions = {t.name for t in self.types if t.kind == FUNC}
        for s in self.symbols if self.section(".BTF.ext") else []:
            if s.type == STT_FUNC and s.shndx and s.bind:
                rule(has_own_names or s.name in functions, f"function {s.name} has no BTF")

    def check_ext(self, rule, has_own_names):
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
                             and (has_own_names or x.name == t.name or not x.bind) for x in self.symbols),
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


class Editor:
    """Changes numbers of an object.

    A PLACE in an object is one of

        file:OFFSET[:SIZE]                  bytes of the file; SIZE defaults to 1
        elf:FIELD                           of the ELF header, e.g. elf:e_machine
        header:SECTION:FIELD                of a section header, e.g. header:.data:sh_size
        symbol:NAME:FIELD                   of a symbol, e.g. symbol:prog:st_value; NAME may be a number
        rel:SECTION:INDEX:FIELD             of a relocation: r_offset, r_type, r_sym or r_addend
        bytes:SECTION:OFFSET[:SIZE]         of a section's contents
        string:OFFSET                       a byte of the strings of .BTF
        btf:FIELD                           of the header of .BTF, e.g. btf:type_off
        type:NAME:FIELD                     of the first type of that name, or of type NAME if that is a
                                            number: name, kind, vlen, kflag, type, size or a word's number
        ext:FIELD                           of the header of .BTF.ext
        ext:TABLE:rec_size                  ext:line_info:rec_size
        ext:TABLE:BLOCK:FIELD               sec_name_off, num_info
        ext:TABLE:BLOCK:RECORD:FIELD        insn_off, type_id, file_name_off, ..., kind

    A VALUE is a Python expression. `old` is the previous number; section(NAME), symbol(NAME) and
    type(NAME) are their indices in the object; string(TEXT) is an offset in .BTF's strings; and
    number(PLACE) is the number at another place.
    """

    def __init__(self, path):
        self.object = Object(path)
        self.bytes = bytearray(self.object.raw)

    def load(self, at, form):
        return struct.unpack_from(self.object.order + form, self.bytes, at)[0]

    def field(self, at, fields, name):
        return at + fields[name][0], fields[name][1]

    def section(self, name):
        return int(name) if name.isdigit() else self.object.index(name)

    def symbol(self, name):
        if name.isdigit():
            return int(name)
        return next(i for i, s in enumerate(self.object.symbols) if s.name == name)

    def type(self, name):
        if name.isdigit():
            return int(name)
        return next(i for i, t in enumerate(self.object.types) if t.name == name)

    def string(self, text):
        return self.object.btf.strings.index(b"\0" + text.encode() + b"\0") + 1

    def contents(self, name):
        return self.object.sections[self.section(name)].offset

    def type_at(self, wanted):
        start = self.contents(".BTF")
        types = start + self.load(start + 4, "I") + self.load(start + 8, "I")
        return types + 4 * self.object.btf.starts[wanted]

    def ext_table(self, table):
        start = self.contents(".BTF.ext")
        return start + self.load(start + 4, "I") + self.load(start + EXT[table + "_off"][0], "I")

    def ext_block(self, table, block):
        at = self.ext_table(table)
        size, at = self.load(at, "I"), at + 4
        for _ in range(block):
            at += 8 + size * self.load(at + 4, "I")
        return at, size

    def place(self, kind, *rest):
        """Returns the offset and format of a number."""
        sizes = {"1": "B", "2": "H", "4": "I", "8": "Q"}
        if kind == "file":
            return int(rest[0], 0), sizes[(rest + ("1",))[1]]
        if kind == "elf":
            return self.field(0, ELF, rest[0])
        if kind == "header":
            shoff = self.load(ELF["e_shoff"][0], "Q")
            return self.field(shoff + 64 * self.section(rest[0]), SECTION, rest[1])
        if kind == "symbol":
            return self.field(self.object.symtab.offset + 24 * self.symbol(rest[0]), SYMBOL, rest[1])
        if kind == "rel":
            section = self.object.sections[self.section(rest[0])]
            return self.field(section.offset + section.entsize * int(rest[1]), RELOCATION, rest[2])
        if kind == "bytes":
            return self.contents(rest[0]) + int(rest[1], 0), sizes[(rest + ("1",))[2]]
        if kind == "string":
            start = self.contents(".BTF")
            return start + self.load(start + 4, "I") + self.load(start + 16, "I") + int(rest[0]), "B"
        if kind == "btf":
            return self.field(self.contents(".BTF"), BTF, rest[0])
        if kind == "ext" and len(rest) == 1:
            return self.field(self.contents(".BTF.ext"), EXT, rest[0])
        if kind == "ext" and rest[1] == "rec_size":
            return self.ext_table(rest[0]), "I"
        if kind == "ext":
            at, size = self.ext_block(rest[0], int(rest[1]))
            if len(rest) == 3:
                return at + {"sec_name_off": 0, "num_info": 4}[rest[2]], "I"
            return self.field(at + 8 + size * int(rest[2]), RECORD[rest[0]], rest[3])
        if kind == "type":
            word = {"name": 0, "info": 1, "type": 2, "size": 2}.get(rest[1])
            return self.type_at(self.type(rest[0])) + 4 * (int(rest[1]) if word is None else word), "I"
        raise ValueError(kind)

    def set(self, setting):
        where, expression = setting.split("=", 1)
        part = where.rsplit(":", 1)[-1]
        parts = {"vlen": (0, 16), "kind": (24, 7), "kflag": (31, 1)} if where[:5] == "type:" else {}
        shift, width = parts.get(part, (0, 64))
        if width < 64:
            where = where.removesuffix(part) + "info"
        at, form = self.place(*where.split(":"))
        all_bits = self.load(at, form)
        mask = (1 << width) - 1 << shift
        scope = {"section": self.section, "symbol": self.symbol, "type": self.type,
                 "string": self.string, "number": self.number, "old": (all_bits & mask) >> shift}
        value = eval(expression, scope) << shift
        if width < 64:
            value = all_bits & ~mask | value
        struct.pack_into(self.object.order + form, self.bytes, at, value)

    def number(self, place):
        return self.load(*self.place(*place.split(":")))


class Blob:
    """BTF from statements: add(KIND, name, size_or_type, words...) for each type.

    add() takes vlen and kflag by name; by default, the number of words gives vlen. string(TEXT) is
    a string's offset. read(FILE) begins with the types and strings of another blob; split(FILE)
    continues it as split BTF, whose ids the caller counts; shuffle(SEED) gives the types other ids.
    Assignments set header fields (hdr_len, type_off, ...), `order`, `strings`, `extra` (bytes after
    the header), `tail` (bytes after the types) and `layout` (a list of (info_size, elem_size, flags)
    by kind; with `layout_last`, behind the strings, where libbpf refuses it).
    """

    def __init__(self):
        self.words = array.array("I")
        self.names = {"": 0}
        self.strings = bytearray(b"\0")
        self.first_string = 0

    def split(self, path):
        with open(path, "rb") as blob:
            strings = Btf(blob.read()).strings
        at = 0
        for text in strings.split(b"\0")[:-1]:
            self.names.setdefault(text.decode(), at)
            at += len(text) + 1
        self.strings, self.first_string = bytearray(), len(strings)

    def read(self, path):
        with open(path, "rb") as blob:
            btf = Btf(blob.read())
        self.words.extend(btf.words)
        self.strings = bytearray()
        for text in btf.strings.split(b"\0")[:-1]:
            self.names.setdefault(text.decode(), len(self.strings))
            self.strings += text + b"\0"

    def shuffle(self, seed):
        starts = starts_of(self.words) + [len(self.words)]
        order = list(range(1, len(starts) - 1))
        random.Random(seed).shuffle(order)
        ids = {0: 0, **{old: new for new, old in enumerate(order, 1)}}
        words = array.array("I")
        for old in order:
            words_of_type = self.words[starts[old]:starts[old + 1]]
            kind = words_of_type[1] >> 24 & 31
            places = IDS.get(kind, [])
            if kind in IDS_OF_EACH:
                places = places + list(range(3 + IDS_OF_EACH[kind], len(words_of_type), WORDS_OF_EACH[kind]))
            for place in places:
                words_of_type[place] = ids[words_of_type[place]]
            words.extend(words_of_type)
        self.words[:] = words

    def string(self, text):
        if text not in self.names:
            self.names[text] = self.first_string + len(self.strings)
            self.strings += text.encode() + b"\0"
        return self.names[text]

    def add(self, kind, name="", value=0, *words, vlen=None, kflag=0):
        if vlen is None:
            vlen = len(words) // WORDS_OF_EACH[kind] if kind in WORDS_OF_EACH else 0
        name = self.string(name) if isinstance(name, str) else name
        words = [self.string(w) if isinstance(w, str) else w & 0xffffffff for w in words]
        self.words.extend([name, kflag << 31 | kind << 24 | vlen, value, *words])

    def write(self, path, statements):
        scope = {"add": self.add, "string": self.string, "words": self.words, "array": array.array,
                 "read": self.read, "split": self.split, "shuffle": self.shuffle, **KINDS}
        exec(statements, scope)
        order = scope.get("order", "<")
        words = self.words[:]
        if order != NATIVE:
            words.byteswap()
        types = words.tobytes() + scope.get("tail", b"")
        strings = scope.get("strings", bytes(self.strings))
        sizes = b"".join(struct.pack(order + "BBH", *kind) for kind in scope.get("layout", []))
        before, behind = (b"", bytes(-len(strings) % 4) + sizes) if scope.get("layout_last") else (sizes, b"")
        header = {"magic": 0xeb9f, "version": 1, "flags": 0, "hdr_len": 32 if sizes else 24,
                  "type_off": 0, "type_len": len(types), "str_off": len(types) + len(before),
                  "str_len": len(strings)}
        header.update({name: scope[name] for name in header if name in scope})
        packed = struct.pack(order + BTF.form, *header.values())
        if sizes:
            at = len(types) if before else len(types) + len(strings) + len(behind) - len(sizes)
            packed += struct.pack(order + "II", scope.get("layout_off", at), scope.get("layout_len", len(sizes)))
        packed += scope.get("extra", b"")
        with open(path, "wb") as out:
            out.write((packed + types + before + strings + behind)[:scope.get("size")])


def main(command, path, *rest):
    if command == "blob":
        Blob().write(path, *rest)
    elif command == "set":
        editor = Editor(path)
        for setting in rest[1:]:
            editor.set(setting)
        with open(rest[0], "wb") as out:
            out.write(editor.bytes)
    else:
        lines = getattr(Object(path), {"symbols": "symbol_lines", "types": "types_in_c"}.get(command, command))()
        for line in lines:
            print(line)
        sys.exit(command == "check" and bool(lines))


if __name__ == "__main__":
    main(*sys.argv[1:])
