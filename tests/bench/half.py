#!/usr/bin/env python3
"""Writes the first half of raw BTF, to see whether half the input takes half the time.

    half.py IN OUT

The cut is between two types before the middle such that no type before it refers to one behind it:
where the types of a compilation unit begin, in BTF that is several units' one after the other. The
strings are all kept. BTF of this machine's byte order, with the classic header.
"""
import array
import struct
import sys

REFERS = {2, 8, 9, 10, 11, 12, 13, 14, 17, 18}  # whose third word is an id
FIXED = {1: 1, 3: 3, 14: 1, 17: 1}
ELEMENTS = {4: (3, 1), 5: (3, 1), 6: (2, None), 13: (2, 1), 15: (3, 0), 19: (3, None)}  # words, id


def cut(words):
    """(types, words) before the last cut in the first half"""
    best, largest, number, at, middle = (0, 0), 0, 1, 0, len(words) // 2
    while at < middle:
        if largest < number:
            best = number - 1, at
        info = words[at + 1]
        kind, count = info >> 24 & 31, info & 0xffff
        if kind in REFERS:
            largest = max(largest, words[at + 2])
        elif kind == 3:
            largest = max(largest, words[at + 3], words[at + 4])
        start = at + 3 + FIXED.get(kind, 0)
        size, reference = ELEMENTS.get(kind, (0, None))
        at = start + count * size
        if reference is not None and count:
            largest = max(largest, max(words[start + reference:at:size]))
        number += 1
    return best


def main():
    with open(sys.argv[1], "rb") as file:
        blob = file.read()
    magic, version, flags, header, types, types_size, strings, strings_size = \
        struct.unpack_from("=HBBIIIII", blob)
    words = array.array("I", blob[header + types:header + types + types_size])
    number, size = cut(words)
    if not number:
        sys.exit(f"half.py: {sys.argv[1]}: no place to cut")
    strings = blob[header + strings:header + strings + strings_size]
    with open(sys.argv[2], "wb") as out:
        out.write(struct.pack("=HBBIIIII", magic, version, flags, 24, 0, 4 * size, 4 * size, len(strings)))
        out.write(words[:size].tobytes())
        out.write(strings)
    print(f"{number} types")


if __name__ == "__main__":
    main()
