#!/usr/bin/env python3
"""Compares headers of a kernel's types with its BTF: the size of each named struct and union, and the
offset of each member, including members of anonymous structs.

    compare_headers.py variables HEADER        C that defines a variable of each struct and union of HEADER
    compare_headers.py layouts BLOB BLOB       the differences between the types of two blobs of raw BTF

The second blob is of a compiler's object of a header and its variables. Names there may have endings like ___2.
"""
import collections
import re
import sys

import bpfobj
import layout

DEFINITION = re.compile(r"^((?:struct|union) \w+) \{", re.M)
FLAVOR = re.compile(r"___\d+$")


def print_variables(path):
    with open(path) as header:
        for number, name in enumerate(DEFINITION.findall(header.read())):
            print(f"{name} variable_{number};")


def layouts(path):
    """{(tag, size, members): count}; members are (path, offset in bits, bits), without padding"""
    with open(path, "rb") as blob:
        btf = layout.Btf(blob.read())
    found = collections.Counter()
    for number in range(1, len(btf.starts)):
        kind, name = btf.kind(number), FLAVOR.sub("", btf.name(number))
        if not name or kind not in (bpfobj.STRUCT, bpfobj.UNION):
            continue
        members = []
        layout.offsets(btf, number, "", 0, members)
        members = [(FLAVOR.sub("", path), offset, bits) for path, offset, bits in members
                   if not path.rpartition(".")[2].startswith("padding")]
        tag = f"{'struct' if kind == bpfobj.STRUCT else 'union'} {name}"
        found[tag, btf.size_or_type(number), tuple(sorted(set(members)))] += 1
    return found


def print_differences(expected_path, path):
    expected, found = layouts(expected_path), layouts(path)
    print(f"{sum(expected.values())} structs and unions, {sum(len(key[2]) for key in expected)} members")
    lacking = collections.defaultdict(list)
    for tag, size, members in (expected - found).elements():
        lacking[tag].append((size, members))
    for tag, size, members in (found - expected).elements():
        want = lacking[tag].pop() if lacking[tag] else (0, ())
        print(f"{tag}: size {size}, not {want[0]};", *sorted(set(members) ^ set(want[1]))[:4])
    for tag, wants in lacking.items():
        for size, _ in wants:
            print(f"{tag} of size {size} is lacking")


if __name__ == "__main__":
    if sys.argv[1] == "variables":
        print_variables(sys.argv[2])
    else:
        print_differences(*sys.argv[2:])
