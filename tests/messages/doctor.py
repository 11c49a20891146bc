#!/usr/bin/env python3
"""Makes malformed inputs: one number of a good file changed, or BTF written word by word.

    doctor.py set IN OUT PLACE=VALUE...     changes numbers of an object
    doctor.py blob OUT STATEMENTS           writes raw BTF; see Blob below

A PLACE of an object is one of

    file:OFFSET[:SIZE]                  bytes of the file; SIZE is 1 unless told
    elf:FIELD                           of the ELF header, e.g. elf:e_machine
    header:SECTION:FIELD                of a section header, e.g. header:.data:sh_size
    symbol:NAME:FIELD                   of a symbol, e.g. symbol:prog:st_value; NAME may be a number
    rel:SECTION:INDEX:FIELD             of a relocation: r_offset, r_type, r_sym or r_addend
    bytes:SECTION:OFFSET[:SIZE]         of a section's contents
    btf:FIELD                           of the header of .BTF, e.g. btf:type_off
    type:NAME:FIELD                     of the first type of that name, or of type NAME if that is a
                                        number: name, kind, vlen, kflag, type, size or a word's number
    ext:FIELD                           of the header of .BTF.ext
    ext:TABLE:rec_size                  ext:line_info:rec_size
    ext:TABLE:BLOCK:FIELD               sec_name_off, num_info
    ext:TABLE:BLOCK:RECORD:FIELD        insn_off, type_id, file_name_off, ..., kind

A VALUE is an expression of Python; `old` is the number that was there, section(NAME), symbol(NAME),
type(NAME) and string(TEXT) are the numbers by which the object calls these, and number(PLACE) is
that at another place.
"""
import array
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../link"))
import bpfobj  # noqa: E402


def layout(fields):
    """{name: (offset, format)} of "name:format ..."."""
    result, at = {}, 0
    for field in fields.split():
        name, form = field.split(":")
        result[name] = (at, form)
        at += struct.calcsize("<" + form)
    return result


ELF = layout("e_ident:16s e_type:H e_machine:H e_version:I e_entry:Q e_phoff:Q e_shoff:Q e_flags:I "
             "e_ehsize:H e_phentsize:H e_phnum:H e_shentsize:H e_shnum:H e_shstrndx:H")
SECTION = layout("sh_name:I sh_type:I sh_flags:Q sh_addr:Q sh_offset:Q sh_size:Q sh_link:I sh_info:I "
                 "sh_addralign:Q sh_entsize:Q")
SYMBOL = layout("st_name:I st_info:B st_other:B st_shndx:H st_value:Q st_size:Q")
RELOCATION = layout("r_offset:Q r_type:I r_sym:I r_addend:q")
BTF = layout("magic:H version:B flags:B hdr_len:I type_off:I type_len:I str_off:I str_len:I")
EXT = layout("magic:H version:B flags:B hdr_len:I func_info_off:I func_info_len:I line_info_off:I "
             "line_info_len:I core_relo_off:I core_relo_len:I")
RECORD = {"func_info": layout("insn_off:I type_id:I"),
          "line_info": layout("insn_off:I file_name_off:I line_off:I line_col:I"),
          "core_relo": layout("insn_off:I type_id:I access_str_off:I kind:I")}


class Patient:
    def __init__(self, path):
        self.object = bpfobj.Object(path)
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
        return self.object.strings.index(b"\0" + text.encode() + b"\0") + 1

    def contents(self, name):
        return self.object.sections[self.section(name)].offset

    def type_at(self, wanted):
        start = self.contents(".BTF")
        at = start + self.load(start + 4, "I") + self.load(start + 8, "I")
        words = {1: 1, 3: 3, 14: 1, 17: 1}
        words_of_each = {4: 3, 5: 3, 6: 2, 13: 2, 15: 3, 19: 3}
        for _ in range(1, wanted):
            info = self.load(at + 4, "I")
            kind, vlen = info >> 24 & 31, info & 0xffff
            at += 12 + 4 * (words.get(kind, 0) + vlen * words_of_each.get(kind, 0))
        return at

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
        """Where a number stands and its format."""
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
        shift, width = {"vlen": (0, 16), "kind": (24, 7), "kflag": (31, 1)}.get(part, (0, 64))
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
    """BTF by statements: add(KIND, name, size_or_type, words...) for each type.

    add() takes vlen and kflag by name; vlen is otherwise counted from the words. string(TEXT) is
    a string's offset. Assignments to the names of header fields (hdr_len, type_off, ...) and to
    `order`, `strings`, `tail` (bytes behind the header, before the types) and `layout` (a list of
    (info_size, elem_size, flags) by kind) change what they name.
    """

    KINDS = {name: kind for kind, name in enumerate(
        "VOID INT PTR ARRAY STRUCT UNION ENUM FWD TYPEDEF VOLATILE CONST RESTRICT FUNC FUNC_PROTO "
        "VAR DATASEC FLOAT DECL_TAG TYPE_TAG ENUM64".split())}
    WORDS_OF_EACH = {4: 3, 5: 3, 6: 2, 13: 2, 15: 3, 19: 3}

    def __init__(self):
        self.words = array.array("I")
        self.names = {"": 0}
        self.strings = bytearray(b"\0")

    def string(self, text):
        if text not in self.names:
            self.names[text] = len(self.strings)
            self.strings += text.encode() + b"\0"
        return self.names[text]

    def add(self, kind, name="", value=0, *words, vlen=None, kflag=0):
        if vlen is None:
            vlen = len(words) // self.WORDS_OF_EACH[kind] if kind in self.WORDS_OF_EACH else 0
        name = self.string(name) if isinstance(name, str) else name
        words = [self.string(w) if isinstance(w, str) else w & 0xffffffff for w in words]
        self.words.extend([name, kflag << 31 | kind << 24 | vlen, value, *words])

    def write(self, path, statements):
        scope = {"add": self.add, "string": self.string, "words": self.words, "array": array.array,
                 **self.KINDS}
        exec(statements, scope)
        order = scope.get("order", "<")
        words = self.words[:]
        if order == ">":
            words.byteswap()
        types = words.tobytes() + scope.get("tail", b"")
        strings = scope.get("strings", bytes(self.strings))
        sizes = b"".join(struct.pack(order + "BBH", *kind) for kind in scope.get("layout", []))
        header = {"magic": 0xeb9f, "version": 1, "flags": 0, "hdr_len": 32 if sizes else 24,
                  "type_off": 0, "type_len": len(types), "str_off": len(types),
                  "str_len": len(strings)}
        header.update({name: scope[name] for name in header if name in scope})
        packed = struct.pack(order + "HBBIIIII", *header.values())
        if sizes:
            packed += struct.pack(order + "II", scope.get("layout_off", len(types) + len(strings) + -len(strings) % 4),
                                  scope.get("layout_len", len(sizes)))
            strings += bytes(-len(strings) % 4)
        packed += scope.get("extra", b"")
        with open(path, "wb") as out:
            out.write((packed + types + strings + sizes)[:scope.get("size")])


if __name__ == "__main__":
    if sys.argv[1] == "blob":
        Blob().write(sys.argv[2], sys.argv[3])
    else:
        patient = Patient(sys.argv[2])
        for argument in sys.argv[4:]:
            patient.set(argument)
        with open(sys.argv[3], "wb") as out_file:
            out_file.write(patient.bytes)
