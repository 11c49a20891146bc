#!/usr/bin/env python3
"""Prints C that tests the header of `btfdedup --dump c`, made from the same raw BTF.

    layout.py asserts BLOB    assertions on the size of each named struct and union, and the offset
                              of each member, except bit-fields, including members of anonymous
                              structs
    layout.py bits BLOB       a program that sets each bit-field and tests which bits changed

Of several types of one name, structs come first, then unions, then enums, and the larger first: the second
is NAME___2, and so on. Types that agree in these are not tested.
"""
import re
import sys

import bpfobj
from bpfobj import CONST, ENUM, ENUM64, INT, RESTRICT, STRUCT, TYPEDEF, TYPE_TAG, UNION, VOLATILE

TAGGED = {STRUCT, UNION, ENUM, ENUM64}
MODIFIERS = {VOLATILE, CONST, RESTRICT, TYPE_TAG}
NAME = re.compile("[A-Za-z_][A-Za-z0-9_]*$")
KEYWORDS = set("default register auto int short long char float double void static const while".split())


class Btf(bpfobj.Btf):
    def members(self, number):
        """yields (name, type, bit offset, bit-field size or 0)"""
        at = self.starts[number]
        has_bits = self.words[at + 1] >> 31
        for i in range(at + 3, at + 3 + 3 * self.vlen(number), 3):
            name, member, offset = self.words[i:i + 3]
            bits = offset >> 24 if has_bits else 0
            if self.kind(member) == INT and not has_bits:
                data = self.words[self.starts[member] + 3]
                if data & 0xff != 8 * self.size_or_type(member):
                    bits, offset = data & 0xff, offset + (data >> 16 & 0xff)
            yield self.string(name), member, offset & 0xffffff if has_bits else offset, bits

    def contained(self, name, number):
        """The struct or union whose members belong to a member, arrays excluded, or 0. Only a member without
        a name has those of a named one."""
        while self.kind(number) in (MODIFIERS if name else MODIFIERS | {TYPEDEF}):
            number = self.size_or_type(number)
        return number if self.kind(number) in (STRUCT, UNION) and not (name and self.name(number)) else 0


def offsets(btf, record, path, base, out):
    for name, member, offset, bits in btf.members(record):
        inner = btf.contained(name, member)
        if not name and inner:
            offsets(btf, inner, path, base + offset, out)
        elif NAME.match(name) and name not in KEYWORDS and not (btf.kind(member) == CONST and (bits or inner)):
            out.append((path + name, base + offset, bits))
            if inner:
                offsets(btf, inner, path + name + ".", base + offset, out)


def records(btf):
    """yields (C name, number, [(path, offset, bits)]) for each named struct and union"""
    def place(number):
        return btf.name(number), btf.kind(number), -btf.size_or_type(number), -btf.vlen(number)

    seen = {}
    names = {btf.name(number) for number in range(1, len(btf.starts)) if btf.kind(number) in TAGGED}
    tagged = sorted((number for number in range(1, len(btf.starts)) if btf.kind(number) in TAGGED), key=place)
    tied = {place(a) for a, b in zip(tagged, tagged[1:]) if place(a) == place(b)}
    for number in tagged:
        kind, name = btf.kind(number), btf.name(number)
        is_enum = kind in (ENUM, ENUM64) and btf.vlen(number)
        if not name or kind not in (STRUCT, UNION) and not is_enum:
            continue
        count = seen.get(name, 0) + 1
        while count > 1 and f"{name}___{count}" in names:
            count += 1
        seen[name] = count
        if is_enum or not NAME.match(name) or name in KEYWORDS or place(number) in tied:
            continue
        tag = ("struct " if kind == STRUCT else "union ") + name
        members = []
        offsets(btf, number, "", 0, members)
        members = list({path: (path, *rest) for path, *rest in reversed(members)
                        if rest[0] <= 8 * btf.size_or_type(number)}.values())
        yield tag + (f"___{count}" if count > 1 else ""), number, members


def print_asserts(btf):
    for tag, number, members in records(btf):
        print(f'_Static_assert(sizeof({tag}) == {btf.size_or_type(number)}, "sizeof({tag})");')
        for path, offset, bits in members:
            if bits:
                continue
            place = f"{tag}, {path}"
            print(f'_Static_assert(__builtin_offsetof({place}) == {offset // 8}, "{place}");')


BITS = r"""
int printf(const char *, ...);
static int failures;

static void check(unsigned char *bytes, unsigned long size, unsigned long from, unsigned long to,
                  const char *name) {
	for (unsigned long bit = 0; bit < 8 * size; bit++)
		if ((bytes[bit / 8] >> bit % 8 & 1) != (bit >= from && bit < to)) {
			printf("%s: bit %lu\n", name, bit);
			failures++;
			return;
		}
}

int main(void) {
"""


def print_bits(btf):
    print(BITS)
    for tag, number, members in records(btf):
        for path, offset, bits in members:
            if bits:
                print(f"\t{{ static {tag} x; x.{path} = -1; check((void *)&x, sizeof(x), {offset}, "
                      f'{offset + bits}, "{tag}, {path}"); }}')
    print("\treturn failures != 0;\n}")


if __name__ == "__main__":
    with open(sys.argv[2], "rb") as blob:
        {"asserts": print_asserts, "bits": print_bits}[sys.argv[1]](Btf(blob.read()))
