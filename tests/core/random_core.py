#!/usr/bin/env python3
"""Writes a random program with CO-RE relocations of all kinds, and the types of a kernel.

    random_core.py SEED PROGRAM.c KERNEL.c

The kernel's types are the program's with changes: members are dropped, renamed, reordered, moved into
named or anonymous structs, or get another type; arrays become shorter or flexible; enumerators are
dropped or get other values; flavors make several types of one name."""
import random
import sys

SCALARS = ["int", "unsigned int", "char", "unsigned char", "short", "unsigned long", "long",
           "unsigned long long", "_Bool", "void *", "int *", "struct other *", "u_t", "s_t",
           "const volatile unsigned int", "int (*)(int, struct other *)", "float"]

INTEGERS = {"int", "unsigned int", "char", "unsigned char", "short", "unsigned long", "long", "unsigned long long", "_Bool"}


class Type:
    """A struct, union or enum; members are (name, type, array, bits)."""

    def __init__(self, keyword, tag, members):
        self.keyword, self.tag, self.members = keyword, tag, members


def declare(member):
    name, kind, array, bits = member
    suffix = array if array else ""
    if isinstance(kind, Type):
        return f"{body(kind)} {name}{suffix};"
    if "(*)" in kind:
        return kind.replace("(*)", f"(*{name}{suffix})") + ";"
    return f"{kind} {name}{suffix}{' : %d' % bits if bits else ''};"


def body(kind):
    return f"{kind.keyword} {kind.tag} {{ {' '.join(declare(m) for m in kind.members)} }}"


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = 0

    def name(self, prefix="m"):
        self.count += 1
        return f"{prefix}{self.count}"

    def member(self, depth):
        r = self.random
        kind, array, bits = r.choice(SCALARS), "", 0
        if depth > 0 and r.random() < 0.35:
            kind = Type(r.choice(["struct", "struct", "union"]), "", [self.member(depth - 1) for _ in range(r.randint(1, 3))])
        elif r.random() < 0.15:
            kind = r.choice(["enum e0", "enum e1", "struct inner"])
        elif r.random() < 0.15 and kind in ("int", "unsigned int", "unsigned long", "char"):
            bits = r.randint(1, 8 if kind == "char" else 31)
        name = "" if isinstance(kind, Type) and r.random() < 0.5 else self.name()
        if name and not bits and r.random() < 0.25:
            array = "".join(f"[{r.randint(1, 4)}]" for _ in range(r.randint(1, 2)))
        return (name, kind, array, bits)

    def structs(self):
        r = self.random
        types = []
        for i in range(3):
            members = [self.member(2) for _ in range(r.randint(1, 6))]
            if r.random() < 0.3:
                members.append((self.name(), r.choice(["int", "struct inner"]), "[]" if r.random() < .5 else "[0]", 0))
            if r.random() < 0.1:
                members.insert(0, (self.name(), "int", "[0]", 0))
            types.append(Type(r.choice(["struct", "struct", "struct", "union"]), f"s{i}", members))
        return types

    def enums(self):
        r = self.random
        result = []
        for i in range(2):
            big = r.random() < 0.3
            result.append([f"e{i}", [(f"E{i}_{j}", r.choice([j, -j - 1, r.randint(0, 2**31 - 1)] + ([2**40 + j, 2**63 - 1 - j] if big else []))) for j in range(r.randint(1, 5))]])
        return result

    # The kernel's side

    def change_member(self, member):
        r = self.random
        name, kind, array, bits = member
        if isinstance(kind, Type):
            kind = Type(kind.keyword if r.random() < .9 else {"struct": "union", "union": "struct"}[kind.keyword],
                        kind.tag, self.change_members(kind.members))
        elif r.random() < 0.15:
            kind, bits = r.choice(SCALARS), 0
        if name and r.random() < 0.06:
            name = self.name("n")
        if array and r.random() < 0.3:
            array = r.choice(["", "[1]", "[2]", "[7]", "[2][3]"])
        if bits and r.random() < 0.3:
            bits = r.choice([0, min(bits, 7), bits])
        if bits and array:
            bits = 0
        return (name, kind, array, bits)

    def change_members(self, members):
        r = self.random
        result = [self.change_member(m) for m in members if r.random() > 0.1]
        if r.random() < 0.3:
            r.shuffle(result)
        if r.random() < 0.4:
            result.insert(r.randint(0, len(result)), (self.name("x"), r.choice(SCALARS), "", 0))
        if len(result) > 1 and r.random() < 0.3:
            at = r.randint(0, len(result) - 1)
            end = r.randint(at + 1, len(result))
            wrapped = Type(r.choice(["struct", "union"]), "", result[at:end])
            result[at:end] = [(self.name("w") if r.random() < 0.3 else "", wrapped, "", 0)]
        # A flexible array must be the last member.
        ends = [m for m in result if m[2] == "[]"]
        result = [m for m in result if m[2] != "[]"]
        if not result:
            result = [(self.name("y"), "int", "", 0)]
        return result + ends[:1]

    def change_enum(self, tag, enumerators):
        r = self.random
        kept = [(n, v if r.random() < .6 else r.randint(-5, 2**33)) for n, v in enumerators if r.random() > .15]
        r.shuffle(kept)
        return [tag, kept or [(f"{tag.upper()}_none", 0)]]


def paths(members, prefix=""):
    """Yields each access to a struct in C, its bit-field size, and whether it is an integer."""
    for name, kind, array, bits in members:
        here = f"{prefix}.{name}" if name else prefix
        if name:
            yield here, bits, not array and isinstance(kind, str) and kind in INTEGERS
        if array and name:
            element = here
            for dimension in array.strip("[]").split("]["):
                index = 0 if dimension in ("", "0") else int(dimension) - 1
                element += f"[{index if dimension not in ('', '0') else 2}]"
                yield element, 0, False
        if isinstance(kind, Type):
            inner = here if not array else here + "".join("[0]" for _ in array.split("[")[1:])
            yield from paths(kind.members, inner)


HEAD = """typedef unsigned int u_t;
typedef struct { int a; } s_t;
struct inner { int i; char c; };
struct other;
"""

PROGRAM = """#define PRESERVE __attribute__((preserve_access_index))
#define EXISTS(x) __builtin_preserve_field_info(x, 2)
#define OFFSET(x) __builtin_preserve_field_info(x, 0)
#define SIZE(x) __builtin_preserve_field_info(x, 1)
#define SIGNED(x) __builtin_preserve_field_info(x, 3)
#define LSHIFT(x) __builtin_preserve_field_info(x, 4)
#define RSHIFT(x) __builtin_preserve_field_info(x, 5)
#define TYPE_EXISTS(t) __builtin_preserve_type_info(*(t *)0, 0)
#define TYPE_SIZE(t) __builtin_preserve_type_info(*(t *)0, 1)
#define TYPE_MATCHES(t) __builtin_preserve_type_info(*(t *)0, 2)
#define ID_LOCAL(t) __builtin_btf_type_id(*(t *)0, 0)
#define ID_TARGET(t) __builtin_btf_type_id(*(t *)0, 1)
#define ENUM_EXISTS(e, v) __builtin_preserve_enum_value(*(typeof(enum e) *)v, 0)
#define ENUM_VALUE(e, v) __builtin_preserve_enum_value(*(typeof(enum e) *)v, 1)
"""


def enum_text(tag, enumerators):
    return f"enum {tag} {{ {', '.join(f'{n} = {v}' + ('LL' if abs(v) > 2**31 - 1 else '') for n, v in enumerators)} }};\n"


def program(maker, types, enums):
    r = maker.random
    text = PROGRAM + "#pragma clang attribute push(PRESERVE, apply_to = record)\n" + HEAD
    text += "".join(enum_text(*e) for e in enums)
    flavor = {t.tag: t.tag + r.choice(["", "", "___old", "___a_b"]) for t in types}
    for t in types:
        text += body(Type(t.keyword, flavor[t.tag], t.members)) + ";\n"
    text += "#pragma clang attribute pop\nunsigned long sink;\n#define USE(x) (sink += (unsigned long)(x))\n"
    for number, t in enumerate(types):
        spelled = f"{t.keyword} {flavor[t.tag]}"
        lines = [f"USE(TYPE_EXISTS({spelled}));", f"USE(TYPE_SIZE({spelled}));", f"USE(TYPE_MATCHES({spelled}));",
                 f"USE(ID_TARGET({spelled}));", f"USE(ID_LOCAL({spelled}));"]
        for path, bits, is_integer in paths(t.members):
            asked = ["EXISTS", "OFFSET", "SIZE"] + (["SIGNED", "LSHIFT", "RSHIFT"] if is_integer else [])
            for question in r.sample(asked, r.randint(1, 3)):
                lines.append(f"USE({question}(s->{path[1:]}));")
            if not bits and r.random() < 0.5:
                lines.append(f"USE(*(volatile unsigned int *)&s->{path[1:]});")
        r.shuffle(lines)
        text += f"__attribute__((section(\"raw_tp/{number}\"))) int prog{number}({spelled} *s) {{\n  " + "\n  ".join(lines) + "\n  return 0;\n}\n"
    lines = []
    for tag, enumerators in enums:
        for name, _ in enumerators:
            lines.append(f"USE({r.choice(['ENUM_EXISTS', 'ENUM_VALUE'])}({tag}, {name}));")
        lines.append(f"USE(TYPE_MATCHES(enum {tag}));")
    lines.append("USE(TYPE_EXISTS(s_t));")
    text += "__attribute__((section(\"raw_tp/e\"))) int proge(void *c) {\n  " + "\n  ".join(lines) + "\n  return 0;\n}\n"
    return text + "char LICENSE[] __attribute__((section(\"license\"))) = \"GPL\";\n"


def kernel(maker, types, enums):
    r = maker.random
    text = HEAD + "".join(enum_text(*maker.change_enum(*e)) for e in enums)
    used = []
    for t in types:
        flavors = [t.tag] if r.random() < .8 else [t.tag, t.tag + "___two"]
        for tag in flavors:
            if r.random() < 0.05:
                continue
            members = t.members if tag != t.tag and r.random() < .5 else maker.change_members(t.members)
            if members and all(m[2] == "[]" for m in members):
                members = [("z", "int", "", 0)] + members
            text += body(Type(t.keyword if r.random() < .95 else "struct", tag, members)) + ";\n"
            used.append(f"{t.keyword if f'union {tag} ' in text else 'struct'} {tag}")
    text += "".join(f"void use{i}({u} *p) {{}}\n" for i, u in enumerate(used))
    return text + "void usee(enum e0 a, enum e1 b, s_t c) {}\n"


def main():
    seed, program_path, kernel_path = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    maker = Maker(seed)
    types, enums = maker.structs(), maker.enums()
    with open(program_path, "w", encoding="utf-8") as file:
        file.write(program(maker, types, enums))
    with open(kernel_path, "w", encoding="utf-8") as file:
        file.write(kernel(maker, types, enums))


main()
